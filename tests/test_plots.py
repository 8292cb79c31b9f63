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
from fairgl.plots.ranks import cliques
from fairgl.rankings import ranking

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


def test_front_rings_the_selected_point_and_names_what_stands_beside_it():
    gap = "statistical_parity_difference"
    points = pd.DataFrame({"auc": [0.6, 0.7], gap: [0.1, 0.3]}, index=["1/0.01", "1/1"])
    others = pd.DataFrame({"auc": [0.65], gap: [0.2]}, index=["gcn"])
    ax = drawn(plots.front(points, "auc", gap, names=True, chosen="1/1", runs=points, beside=others))
    assert {t.get_text() for t in ax.texts} == {"1/0.01", "1/1", "GCN"}
    ring = [line for line in ax.lines if line.get_markersize() == 11]
    assert [tuple(np.ravel(line.get_xydata())) for line in ring] == [(30.0, 70.0)]


def test_names_do_not_lie_on_each_other():
    gap = "statistical_parity_difference"
    close = {("german", m): {"auc": 0.6 + i / 1000, gap: 0.1 + i / 1000} for i, m in enumerate(("mlp", "gcn", "gnn"))}
    ax = drawn(plots.tradeoff(runs(close, noise=0.1), "auc", gap))
    boxes = [t.get_window_extent() for t in ax.texts]
    assert len(boxes) == 3 and not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_ranks_put_the_best_first_and_join_what_cannot_be_told_apart():
    means = pd.DataFrame({"d1": [1.0, 2, 3], "d2": [1.0, 3, 2], "d3": [np.nan, 1, 2]}, index=["gcn", "mlp", "gnn"])
    ax = drawn(plots.ranks(means, xlabel="AUC"))
    assert ax.get_xlabel().startswith("AUC: average rank over 2 data sets")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["GCN", "MLP", "GNN (linear)"]
    assert any("critical difference" in t.get_text() for t in ax.texts)
    assert sum(line.get_linewidth() == 3 for line in ax.lines) == 1


def test_cliques_are_the_longest_runs_within_the_limit():
    assert cliques(np.array([1.0, 2, 3, 5]), 1.5) == [(0, 1), (1, 2)]
    assert cliques(np.array([1.0, 2, 3]), 2.0) == [(0, 2)]
    assert cliques(np.array([1.0, 4, 7]), 2.0) == []


def test_rank_dots_show_one_marker_per_criterion_and_the_sums():
    table = ranking(runs(GRID), ["auc", "statistical_parity_difference"], methods=["mlp", "gcn", "gnn"],
                    beside=["constant"])  # fmt: skip
    ax = drawn(plots.rank_dots(table, note="ours"))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["MLP", "GCN", "GNN (linear)", "Constant"]
    assert [t.get_text() for t in ax.texts] == ["4.0", "4.0", "4.0", "5.0", "sum"]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["AUC", "ΔSP"]
    assert ax.get_xlabel() == "ours: average rank over 2 data sets (lower is better)"


def test_nothing_to_rank_is_said():
    alone = ranking(runs(GRID), ["auc"], methods=["mlp"])
    for ax in (plots.rank_dots(alone), plots.ranks(alone.means["auc"])):
        assert "no data set" in drawn(ax).texts[0].get_text()


def test_heatmap_and_lines():
    values = pd.DataFrame({"german": [0.1, np.nan]}, index=["gcn", "mlp"])
    ax = drawn(plots.heatmap(values, metric="statistical_parity_difference"))
    assert [t.get_text() for t in ax.texts] == ["10.00"]
    table = pd.DataFrame({"k": [1, 2], "method": "gcn", "mean": [0.1, 0.2], "low": [0.05, 0.1], "high": [0.2, 0.3]})
    ax = drawn(plots.lines(table, x="k", metric="ndkl", xlabel="list length"))
    assert ax.get_xlabel() == "list length" and len(ax.collections) == 1
