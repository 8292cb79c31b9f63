"""Methods compared: every run with its interval, utility against a gap, average ranks, the front of a search."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fairgl import published as papers
from fairgl.catalogue import label, order
from fairgl.plots.look import INK, axes, color, family_legend, markers, write_names
from fairgl.stats import average_ranks, nemenyi_critical_difference, pareto_front
from fairgl.summaries import column, display, summarize


def strip(
    frame: pd.DataFrame,
    metric: str,
    *,
    dataset: str,
    methods: list[str] | None = None,
    published: str | None = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Every run as a point, the mean with its 95 % interval beside it, the paper's printed mean as an open diamond.

    Args:
        frame: Records of one study.
        metric: A registered metric, or a cost such as ``"seconds"``.
        dataset: The data set to show.
        methods: Rows, also of methods that were not run; ``None`` takes those with records.
        published: Name in :data:`fairgl.published.TABLES` whose cells are drawn, or ``None``.
        legend: Whether to explain the paper's marker; off for all but one of several panels.
        ax: Axes to draw on; ``None`` makes a figure.
    """
    runs, show, name = frame[frame["dataset"] == dataset], display(metric), column(frame, metric)
    methods = order(list(runs["method"]) if methods is None else methods)
    ax = axes(ax, height=0.9 + 0.36 * len(methods))
    cells = summarize(runs, [metric], datasets=[dataset], methods=methods).set_index("method")
    for y, method in enumerate(methods):
        values = runs.loc[runs["method"] == method, name].astype(float).dropna() * show.scale
        ax.plot(values, np.full(len(values), y + 0.18), "o", color=color(method), alpha=0.35, ms=4, mew=0)
        cell = cells.loc[method]
        if np.isnan(cell["mean"]):
            ax.text(0.01, y, cell["reason"], transform=ax.get_yaxis_transform(), va="center", fontsize="small")
            continue
        ax.plot([cell["low"] * show.scale, cell["high"] * show.scale], [y, y], color=color(method), lw=2)
        ax.plot(cell["mean"] * show.scale, y, "o", color=color(method), ms=6)
        printed = papers.lookup(published, dataset=dataset, method=method, metric=metric) if published else None
        if printed is not None and printed["status"] == "ok":
            ax.errorbar(printed["value"] * show.scale, y - 0.2, xerr=printed["spread"] * show.scale, fmt="D",
                        color=INK, mfc="white", ms=5, lw=1)
    ax.set(yticks=range(len(methods)), yticklabels=[label(m) for m in methods], xlabel=show.heading, ylabel="")
    ax.invert_yaxis()
    if published and legend:
        ax.plot([], [], "D", color=INK, mfc="white", ms=5, label="paper, mean ± printed spread")
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), borderaxespad=0.2)
    return ax


def tradeoff(
    frame: pd.DataFrame,
    utility: str,
    gap: str,
    *,
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    published: str | None = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Utility against a gap: means with 95 % intervals both ways; the paper's point open, joined to ours by a line."""
    ax = axes(ax, height=4.4)
    cells = summarize(frame, [utility, gap], datasets=datasets, methods=methods)
    table = cells.pivot(index=["dataset", "method"], columns="metric", values=["mean", "low", "high"])
    table = table.dropna(subset=[("mean", utility), ("mean", gap)])
    x, y = display(gap), display(utility)
    shapes, marks = markers(cells["dataset"]), []
    for (dataset, method), row in table.iterrows():
        at = row["mean", gap] * x.scale, row["mean", utility] * y.scale
        reach = [[abs(row["mean", m] - row[side, m]) * d.scale for side in ("low", "high")] for m, d in
                 ((gap, x), (utility, y))]
        ax.errorbar(*at, xerr=np.array(reach[0])[:, None], yerr=np.array(reach[1])[:, None], fmt=shapes[dataset],
                    color=color(method), ms=6, lw=1, alpha=0.9)
        marks.append((*at, label(method)))
        if published:
            printed = [papers.lookup(published, dataset=dataset, method=method, metric=m) for m in (gap, utility)]
            if all(p is not None and p["status"] == "ok" for p in printed):
                there = printed[0]["value"] * x.scale, printed[1]["value"] * y.scale
                ax.plot(*zip(at, there, strict=True), color=color(method), lw=0.6, ls=":")
                ax.plot(*there, shapes[dataset], color=color(method), mfc="white", ms=6)
    ax.set(xlabel=x.heading, ylabel=y.heading)
    write_names(ax, marks)
    if legend:
        several = shapes if len(shapes) > 1 else ()
        family_legend(ax, table.index.get_level_values("method"), several, paper=bool(published))
    return ax


def front(points: pd.DataFrame, utility: str, gap: str, *, ax: Axes | None = None) -> Axes:
    """All configurations of a search, grey, and the Pareto front through those that no other one dominates.

    Args:
        points: One row per configuration with columns ``utility`` and ``gap`` in natural units.
        utility: Metric on the vertical axis.
        gap: Metric on the horizontal axis.
        ax: Axes to draw on; ``None`` makes a figure.
    """
    ax = axes(ax)
    x, y = display(gap), display(utility)
    points = points[[gap, utility]].dropna()
    ax.plot(points[gap] * x.scale, points[utility] * y.scale, "o", color="#999999", alpha=0.6, ms=4, mew=0)
    best = points[pareto_front(points.to_numpy(), directions=(x.direction, y.direction))].sort_values(gap)
    ax.plot(best[gap] * x.scale, best[utility] * y.scale, "o-", color="#D55E00", ms=5, drawstyle="steps-post")
    ax.set(xlabel=x.heading, ylabel=y.heading)
    return ax


def ranks(means: pd.DataFrame, *, ax: Axes | None = None, alpha: float = 0.05) -> Axes:
    """Average ranks on a line, best at the left; a bar joins methods whose difference is below the critical one.

    Args:
        means: Methods × blocks (data sets), signed so that lower is better.
        ax: Axes to draw on; ``None`` makes a figure.
        alpha: Level of the Nemenyi test.
    """
    values, rows = average_ranks(means.T.to_numpy(), direction="lower")
    average = pd.Series(values, index=means.index).sort_values()
    limit = nemenyi_critical_difference(methods=len(average), rows=rows, alpha=alpha)
    ax = axes(ax, height=0.8 + 0.3 * len(average))
    for y, (method, rank) in enumerate(average.items()):
        ax.plot([rank, len(average) + 0.4], [y, y], color=color(method), lw=0.8)
        ax.plot(rank, y, "o", color=color(method), ms=6)
        ax.text(len(average) + 0.5, y, label(method), va="center", color=color(method))
    ax.plot([1, min(1 + limit, len(average))], [-0.8, -0.8], color=INK, lw=2, solid_capstyle="butt")
    ax.text(1, -1.0, f"critical difference {limit:.2f}", va="bottom", fontsize="small", color=INK)
    ax.set(xlim=(0.8, len(average) + 0.4), ylim=(len(average) - 0.4, -1.7), yticks=[],
           xlabel=f"average rank over {rows} data sets (lower is better)")
    ax.spines["left"].set_visible(False)
    return ax
