"""The papers' numbers: complete, in natural units, and read as printed."""

from __future__ import annotations

import numpy as np
import pytest

from fairgl import published
from fairgl.registry import UnknownName


@pytest.mark.parametrize("name", sorted(published.TABLES))
def test_every_table_loads(name):
    frame = published.load(name)
    assert len(frame) > 0
    assert not frame[["dataset", "method", "metric"]].isna().any().any()
    assert set(frame["status"]) <= {"ok", "oom"}
    assert frame.loc[frame["status"] == "ok", "value"].notna().all()
    assert frame.loc[frame["status"] == "oom", "value"].isna().all()
    assert not frame.duplicated(["dataset", "method", "metric"]).any()


def test_percentages_become_fractions():
    row = published.lookup("benchmark.table4", dataset="german", method="gnn", metric="statistical_parity_difference")
    assert row["value"] == pytest.approx(0.324)
    assert row["spread"] == pytest.approx(0.0193)
    assert row["paper"] == "dong2024benchmark" and row["place"] == "Table 4"
    shares = published.load("benchmark.table4")
    assert shares["value"].dropna().between(0, 1).all()


def test_other_units_are_left_alone():
    lipschitz = published.lookup("benchmark.table5", dataset="german", method="gnn", metric="lipschitz_bias")
    assert lipschitz["value"] == pytest.approx(3600)
    assert published.lookup("benchmark.table5", dataset="german", method="guide", metric="gdif")["value"] > 1
    assert published.lookup("moral_study.table2", dataset="facebook", method="fairadj", metric="ndkl")["value"] == 0.02


def test_the_library_prints_two_data_sets_in_fractions():
    assert published.datasets("benchmark.readme") == ("credit", "recidivism")
    row = published.lookup("benchmark.readme", dataset="credit", method="gnn", metric="auc")
    assert row["value"] == pytest.approx(0.722) and row["status"] == "ok"


def test_table_4_has_every_cell_of_its_grid():
    frame = published.load("benchmark.table4")
    assert len(frame) == 9 * 7 * 5
    assert (frame["status"] == "oom").sum() == 55
    assert len(published.load("benchmark.table5")) == 4 * 7 * 8


def test_table_2_repeats_table_4():
    keys = ["dataset", "method", "metric"]
    both = published.load("benchmark.table2").merge(published.load("benchmark.table4"), on=keys)
    assert len(both) == 126
    np.testing.assert_array_equal(both["value_x"], both["value_y"])


def test_spreads_that_three_runs_cannot_have_are_marked():
    frame = published.load("benchmark.table4")
    odd = frame[~frame["spread_possible"]]
    assert len(odd[odd["metric"] != "utility_difference"]) == 12
    assert len(odd[odd["metric"] == "utility_difference"]) == 11


def test_missing_cells_and_unknown_tables():
    assert published.lookup("benchmark.table4", dataset="german", method="mlp", metric="auc") is None
    with pytest.raises(UnknownName, match="benchmark.table4"):
        published.load("benchmark.table9")


def test_a_cell_is_shown_as_printed():
    lookup = published.lookup
    row = lookup("benchmark.table4", dataset="german", method="deepwalk", metric="accuracy")
    assert published.cell(row) == "62.52 ± 3.59"
    assert published.cell(row, scale=1) == "0.6252 ± 0.0359"
    row = lookup("benchmark.table4", dataset="german", method="deepwalk", metric="statistical_parity_difference")
    assert published.cell(row) == "10.4 ± 1.01"
    row = lookup("benchmark.table5", dataset="german", method="gnn", metric="lipschitz_bias")
    assert published.cell(row) == "3.6e+03 ± 2e+03" and row["resolution"] == 100
    assert published.cell(lookup("benchmark.table4", dataset="pokec-z", method="edits", metric="auc")) == "OOM"
    assert published.cell(None) == "–"


def test_load_hands_out_copies():
    frame = published.load("benchmark.table4")
    frame["value"] = 0
    assert published.load("benchmark.table4")["value"].sum() > 0
