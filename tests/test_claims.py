"""Claims are complete, the verdict rule does what ``book/claims_rule.md`` says, and evaluators know their cases."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fake_store import record, runs

from fairgl import claims, paths, published, verdicts
from fairgl.claims import Claim
from fairgl.findings.resampling import in_print
from fairgl.verdicts import EVALUATORS, VERDICTS, judge

EVERY = claims.load()
NAN = float("nan")


def claim(evaluator="value", **fields) -> Claim:
    base = Claim("c", "p", "Table 1", "words", "group", "rq1", "ordering", evaluator)
    return replace(base, **{"datasets": ("german",), "methods": ("gnn",), "metrics": ("auc",), **fields})


# --- the rows


def test_every_claim_has_a_chapter_a_place_and_a_known_evaluator():
    assert len({c.id for c in EVERY}) == len(EVERY)
    for c in EVERY:
        assert c.chapter and c.place and c.statement and c.study, c.id
        assert c.comparison in claims.COMPARISONS, c.id
        assert c.evaluator in EVALUATORS, c.id
        assert 0 < c.share <= 1, c.id


def test_every_value_claim_has_a_value_and_a_tolerance():
    cells = [c for c in EVERY if c.evaluator == "value"]
    assert cells
    for c in cells:
        assert c.comparison == "value", c.id
        if c.out_of_reach and not c.table:  # typed, and nothing here will ever be compared with it
            continue
        assert math.isfinite(c.value) and c.tolerance > 0, c.id


def test_every_cell_of_tables_4_and_5_is_a_claim_and_oom_is_one_claim_per_pair():
    for table, cells, oom in (("benchmark.table4", 260, 11), ("benchmark.table5", 200, 3)):
        found = [c for c in EVERY if c.table == table and c.id.startswith(table)]
        assert sum(c.comparison == "value" for c in found) == cells
        assert sum(c.evaluator == "out_of_memory" for c in found) == oom


def test_claims_of_a_chapter():
    chapter = claims.load("rq1_group_fairness")
    assert {c.chapter for c in chapter} == {"rq1_group_fairness"} and len(chapter) > 260


def test_cells_that_cannot_be_run_here_say_why():
    assert all(c.out_of_reach for c in EVERY if c.datasets and c.datasets[0] in claims.NOT_HERE)


def test_the_tolerance_is_the_spread_but_never_less_than_the_floor():
    assert claims.tolerance(0.5, 0.02, 0.0001, "auc") == 0.02
    assert claims.tolerance(0.5, 0.0, 0.0001, "auc") == 0.01
    assert claims.tolerance(0.5, NAN, 0.0001, "auc") == 0.01
    assert claims.tolerance(1000.0, 1.0, 100.0, "lipschitz_bias") == 50.0
    assert claims.tolerance(0.02, 0.0, 0.01, "ndkl") == pytest.approx(0.005)


def test_the_book_states_the_rule_that_the_code_applies():
    text = (paths.root() / "book" / "claims_rule.md").read_text("utf8")
    assert all(f"| {name} |" in text for name in VERDICTS)
    assert "at least 95 % of 400" in text and "one percentage point" in text and "five\npoints" in text


# --- printed values


@pytest.mark.parametrize(
    ("ours", "fields", "verdict"),
    [
        (0.70, {"value": 0.70, "tolerance": 0.01}, "reproduced"),
        (0.72, {"value": 0.70, "tolerance": 0.01}, "not reproduced"),
        (0.72, {"value": 0.70, "tolerance": 0.03}, "reproduced"),
        (0.72, {"value": 0.60, "tolerance": 0.01, "against": ("mlp",), "reference": 0.4}, "partly"),
        (0.72, {"value": 0.30, "tolerance": 0.01, "against": ("mlp",), "reference": 0.4}, "not reproduced"),
        (0.60, {"value": 0.70, "tolerance": 0.01, "also": ("metrics=balanced_accuracy",)}, "partly"),
        (0.60, {"value": 0.70, "tolerance": 0.01, "also": ("methods=gcn",)}, "partly"),
    ],
)
def test_value_claims(ours, fields, verdict):
    frame = runs({
        ("german", "gnn"): {"auc": ours, "balanced_accuracy": 0.7}, ("german", "mlp"): {"auc": 0.5},
        ("german", "gcn"): {"auc": 0.7},
    })
    assert judge(claim(**fields), frame).verdict == verdict


def test_a_wide_interval_cannot_reproduce_a_value():
    frame = runs({("german", "gnn"): {"auc": 0.7}}, noise=0.25)
    found = judge(claim(value=0.7, tolerance=0.01), frame)
    assert found.verdict == "partly" and "too wide" in found.units[0].note


def test_undefined_runs_are_left_out_and_too_few_make_a_cell_missing():
    values = [0.7, 0.7, 0.71, NAN, NAN]
    frame = pd.DataFrame([record("german", "gnn", s, auc=v) for s, v in enumerate(values)])
    assert judge(claim(value=0.7, tolerance=0.01), frame).verdict == "reproduced"
    few = judge(claim(value=0.7, tolerance=0.01), frame.iloc[1:])
    assert few.verdict == "not testable here" and "only 2 valid runs" in few.reason


def test_all_undefined_and_not_run():
    frame = pd.DataFrame([record("german", "gnn", 0, auc=NAN) | {"test.auc.reason": "one class"}])
    assert judge(claim(value=0.7, tolerance=0.01), frame).reason == "undefined: one class"
    nothing = judge(claim(value=0.7, tolerance=0.01), frame.iloc[:0])
    assert (nothing.verdict, nothing.reason) == ("not testable here", "not run")
    far = judge(claim(value=0.7, tolerance=0.01, out_of_reach="no data"), frame.iloc[:0])
    assert far.reason == "no data"


def test_records_make_a_claim_testable_even_if_it_was_out_of_reach():
    frame = runs({("german", "gnn"): {"auc": 0.7}})
    assert judge(claim(value=0.7, tolerance=0.01, out_of_reach="no data"), frame).verdict == "reproduced"


@pytest.mark.parametrize(("states", "verdict"), [
    (("oom", "oom"), "reproduced"), (("oom", "ok"), "partly"), (("ok", "ok"), "not reproduced"),
    (("skipped", "failed"), "not testable here"),
])
def test_out_of_memory(states, verdict):
    frame = pd.DataFrame([record("german", "gnn", s, status=state) for s, state in enumerate(states)])
    assert judge(claim("out_of_memory"), frame).verdict == verdict


# --- orders


def ordered(evaluator, better=0.9, noise=0.004, **fields):
    frame = runs({("german", "gnn"): {"auc": better}, ("german", "gcn"): {"auc": 0.7}}, noise=noise)
    return judge(claim(evaluator, **{"against": ("gcn",), **fields}), frame)


def test_an_order_holds_leans_or_fails():
    assert ordered("better").verdict == "reproduced"
    assert ordered("better", better=0.5).verdict == "not reproduced"
    flips = pd.DataFrame([
        record("german", m, s, auc=v)
        for m, values in {"gnn": (0.9, 0.6, 0.7, 0.66), "gcn": (0.6, 0.7, 0.71, 0.7)}.items()
        for s, v in enumerate(values)
    ])
    assert judge(claim("better", against=("gcn",)), flips).verdict == "partly"


def test_a_gap_is_better_when_lower():
    frame = runs({("german", "gnn"): {"statistical_parity_difference": 0.1}, ("german", "gcn"): {}})
    lower = claim("better", against=("gcn",), metrics=("statistical_parity_difference",))
    assert judge(lower, frame).verdict == "reproduced"


def test_orders_count_the_pairs_that_cannot_be_compared():
    frame = runs({(d, m): {"auc": 0.9 if m == "gnn" else 0.7} for d in ("german", "credit") for m in ("gnn", "gcn")})
    frame = frame[(frame["dataset"] == "german") | (frame["method"] == "gnn")]
    found = judge(claim("better", datasets=(), against=("gcn", "mlp")), frame)
    assert (found.verdict, found.testable, found.count("missing")) == ("reproduced", 1, 3)
    assert found.counts == "1 of 1 hold; 3 not testable"


def test_an_order_without_records_is_not_testable():
    frame = pd.DataFrame([record("german", "mlp", 0)])
    assert judge(claim("better", against=("gcn",)), frame).verdict == "not testable here"
    assert judge(claim("better", against=("gcn",)), frame.iloc[:0]).verdict == "not testable here"


def test_most_means_more_than_half():
    frame = runs({
        (d, m): {"auc": 0.9 if (m == "gnn") == (d != "credit") else 0.7}
        for d in ("german", "credit", "nba") for m in ("gnn", "gcn")
    })
    most = claim("better", datasets=(), against=("gcn",))
    assert judge(most, frame).verdict == "partly"
    assert judge(replace(most, share=0.501), frame).verdict == "reproduced"


def test_ranks_places_and_leaders():
    scores = {"gnn": 0.9, "gcn": 0.8, "mlp": 0.7, "fairwalk": 0.6}
    gaps = {"gnn": 0.4, "gcn": 0.3, "mlp": 0.2, "fairwalk": 0.1}
    tests = {m: {"auc": scores[m], "statistical_parity_difference": gaps[m]} for m in scores}
    frame = runs({(d, m): tests[m] for d in ("german", "credit") for m in scores})
    both = {"datasets": (), "metrics": ("auc", "statistical_parity_difference")}
    utility = {"datasets": (), "metrics": ("auc",)}
    rest = ("gcn", "mlp", "fairwalk")
    assert judge(claim("best", against=rest, **utility), frame).verdict == "reproduced"
    assert judge(claim("second", methods=("gcn",), against=("gnn", "mlp"), **utility), frame).verdict == "reproduced"
    assert judge(claim("second", against=rest, **utility), frame).verdict == "not reproduced"
    assert judge(claim("top_ranked", methods=("gnn", "gcn"), against=rest[1:], value=2, **utility), frame).verdict == (
        "reproduced"
    )
    assert judge(claim("top_ranked", methods=("gnn", "mlp"), against=("gcn",), value=2, **utility), frame).verdict == (
        "partly"
    )
    assert judge(claim("not_first", methods=("gcn",), against=("gnn",), **utility), frame).verdict == "reproduced"
    assert judge(claim("not_first", against=rest, **utility), frame).verdict == "not reproduced"
    assert judge(claim("better_ranked", against=rest, **utility), frame).verdict == "reproduced"
    everywhere = claim("none_leads_everywhere", methods=tuple(scores), **both)
    assert judge(replace(everywhere, value=1), frame).verdict == "reproduced"
    assert judge(replace(everywhere, value=3), frame).verdict == "not reproduced"
    absent = claim("top_ranked", methods=("gnn",), against=("edits",), value=1, **utility)
    assert judge(absent, frame).verdict == "not testable here"


def test_one_dominating_method_is_enough_and_an_absent_one_leaves_it_open():
    both = {"datasets": (), "metrics": ("auc", "statistical_parity_difference"), "methods": ("fairgnn", "edits")}
    of = claim("dominated_by_some", against=("gnn",), **both)
    gnn, fair, poor = ({"auc": a, "statistical_parity_difference": g} for a, g in ((0.7, 0.2), (0.72, 0.1), (0.6, 0.1)))
    assert judge(of, runs({("german", "gnn"): gnn, ("german", "fairgnn"): fair})).verdict == "reproduced"
    found = judge(of, runs({("german", "gnn"): gnn, ("german", "fairgnn"): poor, ("german", "edits"): poor}))
    assert found.verdict == "not reproduced"
    assert judge(of, runs({("german", "gnn"): gnn, ("german", "fairgnn"): poor})).verdict == "not testable here"
    assert judge(of, runs({("german", "fairgnn"): fair})).verdict == "not testable here"


def test_statements_about_a_table_ignore_data_sets_that_it_lacks():
    frame = runs({(d, m): {"auc": 0.9 if (m == "gnn") == (d != "nba") else 0.7}
                  for d in ("german", "nba") for m in ("gnn", "gcn")})
    order = claim("better", datasets=(), against=("gcn",))
    assert judge(order, frame).counts == "1 of 2 hold"
    assert judge(replace(order, table="benchmark.table4"), frame).counts == "1 of 1 hold"


def test_costs_at_most_so_many_times():
    frame = runs({("german", "gnn"): {"fit_seconds": 1.4}, ("german", "gcn"): {"fit_seconds": 1.0}})
    times = claim("at_most_times", against=("gcn",), metrics=("fit_seconds",))
    assert judge(replace(times, value=1.5), frame).verdict == "reproduced"
    assert judge(replace(times, value=1.2), frame).verdict == "not reproduced"


def test_a_front_needs_searched_configurations():
    points = [(0.6, 0.1), (0.7, 0.2), (0.8, 0.3), (0.5, 0.4)]
    frame = pd.DataFrame([
        record("german", "gnn", 0, auc=a, equal_opportunity_difference=g) | {"config": str(i), "stage": "search"}
        for i, (a, g) in enumerate(points)
    ])
    front = claim("front", metrics=("auc", "equal_opportunity_difference"), value=3)
    found = judge(front, frame)
    assert found.verdict == "reproduced" and found.units[0].note == "3 of 4 configurations on the front"
    assert judge(front, frame.iloc[:2]).verdict == "not testable here"
    reported = frame.iloc[:1].assign(**{"stage": "final", "key": "later", "test.auc": 0.2})
    assert judge(front, pd.concat([frame, reported])).units == found.units


# --- the paper against itself


def test_the_papers_tables_pass_their_own_verdicts():
    cells = published.load("benchmark.table4")
    means = {}
    for row in cells[cells["status"] == "ok"].itertuples():
        means.setdefault((row.dataset, row.method), {})[row.metric] = row.value
    own = [c for c in EVERY if c.id.startswith("benchmark.table4") and c.comparison == "value"]
    assert verdicts.tally(verdicts.judge_all(own, runs(means)))["reproduced"] == len(own)


def test_a_statement_can_be_read_off_the_printed_table():
    statement = next(c for c in EVERY if c.id == "benchmark/finding3-shallow-sp")
    assert in_print(statement) == {"place 1": True, "place 2": True}


def test_resampling_is_repeatable():
    first, second = ordered("better", noise=0.3), ordered("better", noise=0.3)
    assert [u.mean for u in first.units] == [u.mean for u in second.units]
    assert np.isfinite(first.units[0].mean)
