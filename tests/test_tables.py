"""Tables: counts, reasons, separation, and text that stays readable on any page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from fake_store import record, runs

from fairgl import summaries, tables


def test_summary_is_the_mean_of_the_valid_runs_with_counts():
    frame = pd.DataFrame([record("german", "gcn", s, auc=v) for s, v in enumerate((0.6, 0.7, np.nan))])
    row = summaries.summarize(frame, ["auc"]).iloc[0]
    assert row["mean"] == pytest.approx(0.65) and row["std"] == pytest.approx(np.std([0.6, 0.7], ddof=1))
    assert (row["valid"], row["runs"]) == (2, 3)
    assert np.isnan(row["low"]) and row["reason"] == ""
    frame.loc[2, "test.auc"] = 0.8
    row = summaries.summarize(frame, ["auc"]).iloc[0]
    assert 0.599 < row["low"] < row["mean"] < row["high"] < 0.801


def test_a_cell_without_a_number_says_why():
    failed = record("german", "edits", 0, status="timeout", reason="longer than 5 s")
    undefined = record("credit", "gcn", 0, auc=np.nan) | {"test.auc.reason": "one class"}
    cells = summaries.summarize(pd.DataFrame([failed, undefined]), ["auc"]).set_index(["dataset", "method"])["reason"]
    assert cells["german", "edits"] == "timeout: longer than 5 s"
    assert cells["credit", "gcn"] == "undefined: one class"
    assert cells["credit", "edits"] == "not run"


def test_a_metric_that_was_never_recorded_and_an_empty_store():
    frame = pd.DataFrame([record("german", "gcn", 0)]).drop(columns="test.auc")
    assert summaries.summarize(frame, ["auc"]).iloc[0]["reason"] == "metric not recorded"
    cells = summaries.summarize(frame.iloc[:0], ["auc"], datasets=["german"], methods=["gcn"])
    assert cells.iloc[0]["reason"] == "not run"


def test_aliases_and_costs_find_their_column():
    frame = pd.DataFrame([record("german", "gcn", 0, balanced_accuracy=0.6, seconds=3.0)])
    assert summaries.column(frame, "thresholded_auc") == "test.balanced_accuracy"
    assert summaries.summarize(frame, ["seconds"]).iloc[0]["mean"] == 3.0


@pytest.mark.parametrize(("direction", "winner"), [("lower", "a"), ("higher", "c")])
def test_bold_only_where_intervals_separate(direction, winner):
    clear = pd.DataFrame({"method": list("abc"), "mean": [1, 5, 9], "low": [0, 4, 8], "high": [2, 6, 10]})
    assert summaries.separated_best(clear, direction) == winner
    touching = clear.assign(low=[0, 1, 5], high=[5, 6, 10])
    assert summaries.separated_best(touching, direction) is None
    assert summaries.separated_best(clear.assign(low=[0, np.nan, 8]), direction) is None
    assert summaries.separated_best(clear.iloc[:1], direction) is None
    assert summaries.separated_best(clear, direction, resolution=1e9) is None  # too small a lead to be printed


def test_the_constant_never_competes():
    cells = pd.DataFrame({"method": ["constant", "gcn", "mlp"], "mean": [0, 5, 9], "low": [0, 4, 8], "high": [0, 6, 9]})
    assert summaries.separated_best(cells, "lower") == "gcn"


def test_results_put_the_paper_below_ours():
    frame = runs({("german", "gnn"): {"auc": 0.70}, ("german", "constant"): {"auc": 0.5}})
    text = tables.results(frame, metrics=["auc"], published="benchmark.table4").to_html()
    assert "70.00 ± " in text and "67.36 ± 3.59 (+2.64)" in text
    assert "AUC (%) ↑" in text and "6 runs" in text
    assert text.index("Constant") < text.index("GNN")


def test_results_show_missing_cells_with_reason_and_escape_them():
    frame = pd.DataFrame([record("german", "gcn", 0, status="failed", reason="<b>boom</b>")])
    text = tables.results(frame, metrics=["auc"]).to_html()
    assert "failed" in text and "&lt;b&gt;boom" in text and "<b>boom" not in text


def test_results_can_list_what_was_not_run():
    frame = runs({("german", "gcn"): {"auc": 0.7}})
    text = tables.results(frame, metrics=["auc"], methods=["gcn", "edits"], datasets=["german", "pokec-z"]).to_html()
    assert text.count("not run") == 3


def test_tables_bring_no_colour_of_their_own():
    style = tables.results(runs({("german", "gcn"): {"auc": 0.7}}), metrics=["auc"]).to_html()
    assert "#" not in style.split("</style>")[0].replace("#T_", "")


def test_headings_have_unit_and_direction():
    assert summaries.display("statistical_parity_difference").heading == "ΔSP (%) ↓"
    assert summaries.display("seconds").heading == "time of a run (s) ↓"
    assert summaries.display("ndkl").heading == "NDKL@K ↓"
    assert summaries.display("seconds").number(123456.0) == "1.2e+05"


def test_intervals_are_printed_on_request():
    frame = runs({("german", "gcn"): {"auc": 0.6}})
    assert " to " not in tables.results(frame, metrics=["auc"]).data.iloc[0, 0].split("</span>")[1]
    shown = tables.results(frame, metrics=["auc"], intervals=True)
    assert '<span class="fg-paper">59.7' in shown.data.iloc[0, 0] and "95 % interval" in shown.caption
