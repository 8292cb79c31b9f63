"""Methods compared: every run with its interval, utility against a gap, the front of a search."""

from __future__ import annotations

from itertools import pairwise
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fairgl import published as papers
from fairgl.catalogue import label, order
from fairgl.plots.look import INK, axes, color, family_legend, markers, write_names
from fairgl.stats import pareto_front
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
            why = fill(cell["reason"], 30)  # a panel of three holds about so many characters
            ax.text(0.01, y, why, transform=ax.get_yaxis_transform(), va="center", fontsize="x-small", linespacing=0.9)
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
    shapes, marks, busy = markers(cells["dataset"]), [], []
    for (dataset, method), row in table.iterrows():
        at = row["mean", gap] * x.scale, row["mean", utility] * y.scale
        reach = [[abs(row["mean", m] - row[side, m]) * d.scale for side in ("low", "high")] for m, d in
                 ((gap, x), (utility, y))]
        ax.errorbar(*at, xerr=np.array(reach[0])[:, None], yerr=np.array(reach[1])[:, None], fmt=shapes[dataset],
                    color=color(method), ms=6, lw=1, alpha=0.9)
        marks.append((*at, label(method)))
        for side, scale in ((0, x.scale), (1, y.scale)):  # names keep off the intervals
            ends = [row[end, (gap, utility)[side]] * scale for end in ("low", "high")]
            along = np.linspace(*ends, 9) if np.isfinite(ends).all() else []
            busy += [(v, at[1]) if side == 0 else (at[0], v) for v in along]
        if published:
            printed = [papers.lookup(published, dataset=dataset, method=method, metric=m) for m in (gap, utility)]
            if all(p is not None and p["status"] == "ok" for p in printed):
                there = printed[0]["value"] * x.scale, printed[1]["value"] * y.scale
                ax.plot(*zip(at, there, strict=True), color=color(method), lw=0.6, ls=":")
                ax.plot(*there, shapes[dataset], color=color(method), mfc="white", ms=6)
                marks.append((*there, ""))
    ax.set(xlabel=x.heading, ylabel=y.heading)
    write_names(ax, marks, avoid=busy)
    if legend:
        several = shapes if len(shapes) > 1 else ()
        family_legend(ax, table.index.get_level_values("method"), several, paper=bool(published))
    return ax


def front(
    points: pd.DataFrame,
    utility: str,
    gap: str,
    *,
    names: bool = False,
    chosen: str | None = None,
    runs: pd.DataFrame | None = None,
    beside: pd.DataFrame | None = None,
    ax: Axes | None = None,
) -> Axes:
    """All configurations of a search, grey, and the Pareto front through those that no other one dominates.

    Args:
        points: One row per configuration with columns ``utility`` and ``gap`` in natural units.
        utility: Metric on the vertical axis.
        gap: Metric on the horizontal axis.
        names: Whether the index of ``points`` is written beside them.
        chosen: Index of the configuration that the search selected, ringed.
        runs: The selected configuration's runs on further seeds, with the same columns: small open dots.
        beside: Other methods by name, for comparison, with the same columns: diamonds.
        ax: Axes to draw on; ``None`` makes a figure.
    """
    ax, front_colour = axes(ax), "#D55E00"
    x, y = display(gap), display(utility)

    def scaled(table: pd.DataFrame) -> pd.DataFrame:
        return table[[gap, utility]].dropna() * (x.scale, y.scale)

    best = points[[gap, utility]].dropna()
    best = best[pareto_front(best.to_numpy(), directions=(x.direction, y.direction))].sort_values(gap)
    points, best = scaled(points), scaled(best)
    if runs is not None:
        ax.plot(*scaled(runs).to_numpy().T, "o", mfc="none", mec=front_colour, alpha=0.5, ms=4, mew=0.8, zorder=1)
    ax.plot(points[gap], points[utility], "o", color="#999999", ms=5, mew=0)
    ax.plot(best[gap], best[utility], "o-", color=front_colour, ms=5, drawstyle="steps-post")
    if chosen in points.index:
        ax.plot(*points.loc[chosen], "o", mfc="none", mec=INK, ms=11)
    marks = [(*point, str(name)) for name, point in zip(points.index, points.to_numpy(), strict=True) if names]
    if beside is not None:
        others = scaled(beside)
        for name, point in zip(others.index, others.to_numpy(), strict=True):
            ax.plot(*point, "D", color=color(name), ms=5)
            marks.append((*point, label(name)))
    ax.set(xlabel=x.heading, ylabel=y.heading)
    steps = best.to_numpy()
    busy = [(v, a[1]) for a, b in pairwise(steps) for v in np.linspace(a[0], b[0], 9)]
    marks += [] if runs is None else [(*run, "") for run in scaled(runs).to_numpy()]
    write_names(ax, marks, avoid=busy)
    return ax
