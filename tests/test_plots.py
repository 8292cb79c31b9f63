"""Figures: what is drawn, labelled and left out."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from fake_store import record, runs
from matplotlib import pyplot as plt

from fairgl import plots
from fairgl.catalogue import FAMILIES

matplotlib.use("agg")
GRID = {
    (d, m): {"auc": 0.6 + 0.05 * i, "statistical_parity_difference": 0.1 + 0.05 * i}
    for d in ("german", "credit") for i, m in enumerate(("constant", "mlp", "gcn", "gnn"))
}


@pytest.fixture(autouse=True)
def closed_figures():
    plots.style()
    yield
    plt.close("all")


def drawn(ax):
    ax.figure.canvas.draw()
    assert ax.get_title() == ""
    return ax


def test_palette_has_one_colour_per_family():
    assert set(plots.PALETTE) == set(FAMILIES)
    assert len(set(plots.PALETTE.values())) == len(FAMILIES)


def test_markers_are_one_per_data_set_in_order():
    found = plots.markers(["german", "credit", "german"])
    assert list(found) == ["german", "credit"] and len(set(found.values())) == 2


def test_strip_shows_every_run_the_mean_and_the_paper():
    ax = drawn(plots.strip(runs(GRID), "auc", dataset="german", published="benchmark.table4"))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["Constant", "MLP", "GCN", "GNN (linear)"]
    assert "AUC (%) ↑" in ax.get_xlabel()
    points = [line for line in ax.lines if len(line.get_xdata()) == 6]
    assert len(points) == 4
    printed = [line for line in ax.lines if line.get_marker() == "D" and len(line.get_xdata()) == 1]
    assert [float(line.get_xdata()[0]) for line in printed] == [pytest.approx(67.36)]


def test_strip_says_why_a_method_has_no_point():
    frame = pd.concat([runs(GRID), pd.DataFrame([record("german", "edits", 0, status="timeout")])])
    texts = [t.get_text() for t in drawn(plots.strip(frame, "auc", dataset="german")).texts]
    assert texts == ["timeout: longer than 5 s"]


def test_tradeoff_has_units_arrows_and_open_paper_points():
    ax = drawn(plots.tradeoff(runs(GRID), "auc", "statistical_parity_difference", published="benchmark.table4"))
    assert ax.get_xlabel() == "ΔSP (%) ↓" and ax.get_ylabel() == "AUC (%) ↑"
    assert sum(line.get_markerfacecolor() == "white" for line in ax.lines) == 2  # gnn on both data sets
    labels = [t.get_text() for t in ax.get_legend().get_texts()]
    assert labels == ["baseline", "german", "credit", "paper"]


def test_front_joins_the_undominated_points_only():
    points = pd.DataFrame({"auc": [0.6, 0.7, 0.65, np.nan], "statistical_parity_difference": [0.1, 0.3, 0.4, 0.0]})
    ax = drawn(plots.front(points, "auc", "statistical_parity_difference"))
    np.testing.assert_allclose(ax.lines[1].get_ydata(), [60, 70])


def test_ranks_put_the_best_left_and_state_the_critical_difference():
    means = pd.DataFrame({"d1": [1.0, 2, 3], "d2": [1.0, 3, 2], "d3": [np.nan, 1, 2]}, index=["gcn", "mlp", "gnn"])
    ax = drawn(plots.ranks(means))
    assert "over 2 data sets" in ax.get_xlabel()
    texts = [t.get_text() for t in ax.texts]
    assert texts[0] == "GCN" and any("critical difference" in t for t in texts)


def test_heatmap_and_lines():
    values = pd.DataFrame({"german": [0.1, np.nan]}, index=["gcn", "mlp"])
    ax = drawn(plots.heatmap(values, metric="statistical_parity_difference"))
    assert [t.get_text() for t in ax.texts] == ["10.00"]
    table = pd.DataFrame({"k": [1, 2], "method": "gcn", "mean": [0.1, 0.2], "low": [0.05, 0.1], "high": [0.2, 0.3]})
    ax = drawn(plots.lines(table, x="k", metric="ndkl", xlabel="list length"))
    assert ax.get_xlabel() == "list length" and len(ax.collections) == 1
