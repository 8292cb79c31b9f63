"""Lists from records, and statements about them: each evaluator on a frame where the answer is known."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fairgl import claims
from fairgl.claims import Claim
from fairgl.findings.homophily import settings_of_claim
from fairgl.link_lists import LISTS, curve, lists, recomputed, target_of
from fairgl.link_settings import over_seeds, with_homophily
from fairgl.studies.dpah import setting
from fairgl.verdicts import EVALUATORS, judge

BASE = {"study": "links", "task": "links", "stage": "final", "status": "ok", "reason": "", "config": "{}",
        "dataset_config": "{}"}  # fmt: skip


def record(dataset, method, seed, **metrics):
    identity = {"dataset": dataset, "method": method, "seed": seed, "split_seed": seed}
    identity["key"] = f"{dataset}{method}{seed}"
    return {**BASE, **identity, **{f"test.{name}": value for name, value in metrics.items()}}


def frame_of(values):
    """``{(dataset, list): {metric: mean}}`` as a frame of lists with three seeds and a little noise."""
    rows = []
    for (dataset, name), metrics in values.items():
        for seed in range(3):
            rows.append(record(dataset, name, seed, **{m: v + 1e-6 * seed for m, v in metrics.items()}))
    return pd.DataFrame(rows)


def claim(evaluator, **fields):
    return Claim("x", "p", "here", "says", "links", "c", "ordering", evaluator, **fields)


def outcomes(wanted, frame):
    return {unit.name: unit.outcome for unit in EVALUATORS[wanted.evaluator](wanted, frame)}


def test_lists_take_a_record_apart():
    frame = pd.DataFrame([
        record("nba", "decoupled", 0, auc=0.7, **{"hits@100": 0.2, "ndkl@1000.moral": 0.006, "ndkl@1000.none": 0.04,
               "ndkl@100.moral": 0.02, "precision@1000.moral": 0.8, "share0@1000.moral": 0.6}),
        record("nba", "fairwalk", 0, auc=0.6, **{"hits@100": 0.1, "ndkl@1000.none": 0.05}),
    ])  # fmt: skip
    table = lists(frame).set_index("method")
    assert table.loc["moral", "test.ndkl"] == 0.006 and table.loc["moral-unranked", "test.ndkl"] == 0.04
    assert table.loc["moral", "test.precision_at_k"] == 0.8 and table.loc["moral", "share0"] == 0.6
    assert table.loc["fairwalk", "test.ndkl"] == 0.05 and table.loc["fairwalk", "test.auc"] == 0.6
    assert lists(frame, 100).set_index("method").loc["moral", "test.ndkl"] == 0.02
    with pytest.raises(ValueError, match="Valid cut-offs: 100, 1000"):
        lists(frame, 50)
    assert curve(frame, "ndkl")["k"].tolist() == [100, 1000]
    assert set(LISTS.values()) >= {("decoupled", "moral"), ("decoupled", "detconstsort")}


def test_published_predictions_and_targets():
    table = recomputed()
    assert {"garn", "pokec-n"} <= set(table["dataset"]) and set(table["order"]) >= {"raw", "misaligned", "reranked"}
    np.testing.assert_allclose(target_of("nba"), [0.6327, 0.2763, 0.0910], atol=1e-4)
    assert target_of("garn")[2] == pytest.approx(0.6773, abs=1e-4)


def test_statements_about_lists():
    names = ("ndkl", "awrf", "precision_at_k", "dyadic_parity_difference")
    values = {
        ("nba", "moral"): (0.01, 0.002, 0.80, 0.02), ("nba", "moral-unranked"): (0.05, 0.08, 0.83, 0.01),
        ("nba", "fairwalk"): (0.008, 0.02, 0.70), ("credit", "moral"): (0.01, 0.002, 1.00, 0.02),
        ("credit", "moral-unranked"): (0.15, 0.08, 1.00, 0.03), ("credit", "fairwalk"): (0.02, 0.03, 1.00),
    }  # fmt: skip
    frame = frame_of({pair: dict(zip(names, row, strict=False)) for pair, row in values.items()})
    two = {"methods": ("moral",), "against": ("moral-unranked",)}
    near = claim("near_best", methods=("moral",), against=("fairwalk",), metrics=("ndkl",), value=0.001)
    assert outcomes(near, frame) == {"moral on nba": "fails", "moral on credit": "holds"}
    assert set(outcomes(replace(near, value=0.005), frame).values()) == {"holds"}
    low = claim("at_most", methods=("moral",), metrics=("ndkl",), value=0.011)
    assert set(outcomes(low, frame).values()) == {"holds"}
    missed = claim("missed_by", **two, metrics=("dyadic_parity_difference", "ndkl"))
    assert outcomes(missed, frame) == {"nba": "holds", "credit": "fails"}
    most = claim("costs_most_on", **two, metrics=("precision_at_k",), value=0.0)
    assert outcomes(most, frame) == {"nba": "holds"}
    wider = claim("separated_more", methods=("moral",), against=("fairwalk",), metrics=("awrf", "ndkl"))
    assert set(outcomes(wider, frame).values()) == {"holds"}
    same = claim("same", methods=("moral",), against=("moral-unranked",), metrics=("precision_at_k",), value=0.01)
    assert outcomes(same, frame) == {"moral on nba": "fails", "moral on credit": "holds"}
    cut = claim("reduction", **two, metrics=("ndkl",), value=0.9, tolerance=0.05)
    (unit,) = EVALUATORS["reduction"](cut, frame)
    assert unit.outcome == "holds" and unit.mean == pytest.approx(0.9, abs=1e-3)
    assert judge(replace(cut, datasets=("garn",)), frame).verdict == "not testable here"


def test_statements_about_settings():
    generator = np.random.default_rng(0)
    rows = []
    for m in range(2, 11):
        values = {"ndkl": 0.01 * m, "awrf": 0.003 * m**0.5, "precision_at_k": 0.99, "dyadic_parity_difference": 0.0}
        row = record("credit", "single-gcn+moral", 0, **values)
        rows.append({**row, "study": "categories", "dataset_config": json.dumps({"age_bins": m})})
    frame = pd.DataFrame(rows)
    about = {"methods": ("single-gcn+moral",)}
    assert set(outcomes(claim("rises_with_types", **about, metrics=("ndkl",)), frame).values()) == {"holds"}
    assert outcomes(claim("rises_more", **about, metrics=("ndkl", "awrf")), frame) == {"from fewest to most": "holds"}
    high = claim("at_least_everywhere", **about, metrics=("precision_at_k",), value=0.97)
    assert set(outcomes(high, frame).values()) == {"holds"}
    assert outcomes(claim("flat_in_types", **about, metrics=("ndkl",), value=0.5), frame) == {"over bins": "fails"}

    rows = []
    for _ in range(60):
        share = generator.dirichlet(np.ones(3))
        values = {"ndkl": abs(np.log(share[0] / share[2])), "dyadic_parity_difference": generator.random()}
        row = record("dpah", "moral", 0, **values)
        rows.append({**row, "share0": share[0], "share2": share[2]})
    frame = pd.DataFrame(rows)
    weak = claim("weak_correlation", methods=("moral",), metrics=("dyadic_parity_difference",), value=0.3)
    strong = claim("strong_correlation", methods=("moral",), metrics=("ndkl",), value=0.5)
    assert outcomes(weak, frame) == outcomes(strong, frame) == {"over settings": "holds"}
    assert outcomes(replace(weak, metrics=("ndkl",)), frame) == {"over settings": "fails"}
    near = claim("largest_near_zero", methods=("moral",), metrics=("ndkl",), value=0.1)
    assert outcomes(near, frame) == {"over settings": "fails"}
    assert outcomes(claim("varies_less", methods=("moral",), metrics=("dyadic_parity_difference", "ndkl")), frame)


def test_seeds_of_a_setting_are_no_further_settings():
    """Precision falls over six graphs; the interval is that of six numbers, however often each is run."""
    rows = []
    for i, h in enumerate((0.0, 0.2, 0.4, 0.6, 0.8, 1.0)):
        for seed in range(3):
            values = {"precision_at_k": 0.9 - 0.02 * i + 0.05 * (i == 2) + 0.001 * seed}
            row = record("dpah", "moral", seed, **values)
            rows.append({**row, "dataset_config": json.dumps(setting(0.3, h, 0.2))})
    means = over_seeds(with_homophily(pd.DataFrame(rows)), "test.precision_at_k")
    assert len(means) == 6 and means["test.precision_at_k"].iloc[0] == pytest.approx(0.901)
    falls = claim("falls_with_homophily", methods=("moral",), metrics=("precision_at_k",))
    (many,) = EVALUATORS["falls_with_homophily"](falls, pd.DataFrame(rows))
    (one,) = EVALUATORS["falls_with_homophily"](falls, pd.DataFrame(rows[::3]))
    assert many.name == one.name == "minority 0.3" and (many.mean, many.low, many.high) == (one.mean, one.low, one.high)


def test_every_link_claim_has_an_evaluator_and_is_untestable_without_records():
    mine = [c for c in claims.load() if c.study in ("links", "dpah", "categories")]
    assert len(mine) > 100
    exact = settings_of_claim()
    for c in mine:
        assert c.evaluator in EVALUATORS
        if c.evaluator not in exact:
            assert judge(c, frame_of({("nba", "constant"): {"ndkl": 0.1}})).verdict == "not testable here", c.id


def test_a_list_has_the_labels_of_its_predictor_and_reranker():
    from fairgl.catalogue import label

    assert label("fairadj+moral") == "FairAdj + MORAL"
    assert label("moral-calibrated").startswith(label("moral-unranked"))
