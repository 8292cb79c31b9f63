"""Average ranks over data sets from records and from print, and what was searched."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from fake_store import record, runs

from fairgl import searched, tables
from fairgl.rankings import printed_ranking, ranking

GAP = "statistical_parity_difference"
NINE = ["deepwalk", "fairwalk", "crosswalk", "gnn", "fairgnn", "nifty", "edits", "fairedit", "fairvgnn"]


def means(**values):
    return {(d, m): {"auc": a, GAP: g} for d in ("german", "credit") for m, (a, g) in values.items()}


def test_ranks_sums_and_baselines_that_do_not_shift_the_others():
    frame = runs(means(gnn=(0.8, 0.3), fairgnn=(0.7, 0.1), edits=(0.6, 0.2), constant=(0.5, 0.0)))
    table = ranking(frame, ["auc", GAP], methods=["gnn", "fairgnn", "edits"], beside=["constant"])
    assert list(table.averages.index) == ["fairgnn", "gnn", "edits"] and table.datasets == ("german", "credit")
    assert table.averages.loc["fairgnn"].tolist() == [2, 1] and table.sums.tolist() == [3, 4, 5]
    assert table.beside.loc["constant"].tolist() == [4, 1]
    assert (table.low <= table.averages).all().all() and (table.averages <= table.high).all().all()


def test_an_order_that_flips_with_the_seeds_has_a_wide_interval():
    flips = pd.DataFrame([record("german", m, s, auc=v) for m, values in {"gnn": (0.9, 0.5, 0.9, 0.5, 0.71),
                          "edits": (0.7, 0.7, 0.7, 0.7, 0.7)}.items() for s, v in enumerate(values)])
    table = ranking(flips, ["auc"], methods=["gnn", "edits"])
    assert table.low.loc["gnn", "auc"] == 1 and table.high.loc["gnn", "auc"] == 2


def test_data_sets_without_every_number_are_left_out():
    frame = runs(means(gnn=(0.8, 0.3), edits=(0.6, 0.2)))
    frame = frame[(frame["dataset"] == "german") | (frame["method"] == "gnn")]
    assert ranking(frame, ["auc"], methods=["gnn", "edits", "never-run"]).datasets == ("german",)
    nothing = ranking(frame.iloc[:0], ["auc"], methods=["gnn"])
    assert nothing.datasets == () and nothing.averages.empty and np.isnan(nothing.critical)
    none_complete = ranking(frame[frame["dataset"] == "credit"], ["auc"], methods=["gnn", "edits"])
    assert len(none_complete.averages) == 1


def test_the_papers_averages_are_over_the_three_data_sets_without_a_gap():
    table = printed_ranking("benchmark.table4", ["auc", GAP], methods=NINE)
    assert set(table.datasets) == {"german", "credit", "recidivism"}
    assert table.averages.loc["fairvgnn"].tolist() == pytest.approx([8 / 3, 14 / 3])
    assert table.averages.index[0] == "fairvgnn" and table.low.isna().all().all()
    assert table.critical == pytest.approx(6.94, abs=0.01) and table.separated("auc") == []
    assert 0 < table.friedman("auc") < 1


def test_pairs_further_apart_than_the_critical_difference():
    values = {(f"d{i}", m): {"auc": a} for i in range(12) for m, a in (("gnn", 0.8), ("edits", 0.7), ("nifty", 0.6))}
    assert ranking(runs(values), ["auc"], methods=["gnn", "edits", "nifty"]).separated("auc") == [
        ("gnn", "edits"), ("gnn", "nifty"), ("edits", "nifty")]  # fmt: skip


def grid_records():
    rows = []
    for alpha, loss in ((1.0, 0.7), (10.0, 0.6)):
        config = json.dumps({"alpha": alpha, "beta": 0.01, "epochs": 9})
        rows.append(record("german", "fairgnn", 0, auc=0.6) | {"stage": "search", "config": config, "val_loss": loss})
    return pd.DataFrame(rows)


def test_the_grid_and_its_winner_are_written_out():
    table = searched.grids(grid_records(), "group", datasets=["german", "credit"])
    assert table.loc["FairGNN", "german"] == "alpha 10, beta 0.01 (loss 0.600, 2 of 6)"
    assert table.loc["FairGNN", "credit"] == "not searched yet: defaults"
    assert table.loc["Constant", "searched"] == "nothing to search"
    assert "alpha: 1, 10, 100" in table.loc["FairGNN", "searched"]


def test_every_configuration_is_listed_with_the_winner_marked():
    table = searched.configurations_tried(grid_records(), "group", ["auc"], datasets=["german"])
    assert table["configuration"].tolist() == ["alpha 1, beta 0.01", "alpha 10, beta 0.01"]
    assert table[""].tolist() == ["", "won"] and table["AUC (%) ↑"].tolist() == ["60.00", "60.00"]
    assert searched.configurations_tried(grid_records().iloc[:0], "group", ["auc"], datasets=["german"]).empty


def test_readings_of_a_printed_number_name_the_nearest():
    frame = runs({("credit", "gnn"): {"auc": 0.7, "balanced_accuracy": 0.62}, ("nba", "gnn"): {}})
    table = tables.readings(
        frame, {"scores": "auc", "labels": "balanced_accuracy"}, {"Table 4": ("benchmark.table4", "auc")},
        datasets=["credit", "nba"], methods=["gnn", "mlp"],
    )  # fmt: skip
    assert table.loc[("credit", "GNN (linear)")].tolist() == ["70.00", "62.00", "62.62 ± 0.51", "labels"]
    assert table.loc[("nba", "GNN (linear)"), "nearest"] == "" and table.loc[("credit", "MLP"), "scores"] == "–"
