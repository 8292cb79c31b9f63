"""Average ranks: with the critical difference, and over several criteria at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fairgl.catalogue import label
from fairgl.plots.look import INK, axes, color
from fairgl.rankings import Ranking
from fairgl.stats import average_ranks, nemenyi_critical_difference
from fairgl.summaries import display

CRITERIA = (("#000000", "o"), ("#CC79A7", "^"), ("#56B4E9", "s"), ("#E69F00", "D"))  # colour and marker of a criterion


def ranks(means: pd.DataFrame, *, ax: Axes | None = None, alpha: float = 0.05, xlabel: str = "") -> Axes:
    """Average ranks on a line, best first; a bar on the right joins methods within one critical difference.

    Args:
        means: Methods × blocks (data sets), signed so that lower is better.
        ax: Axes to draw on; ``None`` makes a figure.
        alpha: Level of the Nemenyi test.
        xlabel: What is ranked, put before the number of data sets.
    """
    values, rows = average_ranks(means.T.to_numpy(), direction="lower")
    average = pd.Series(values, index=means.index).sort_values(kind="stable")
    if rows == 0 or len(average) < 2:
        return nothing_to_rank(axes(ax, height=1.0, width=5.6))
    limit, end = nemenyi_critical_difference(methods=len(average), rows=rows, alpha=alpha), len(average)
    ax = axes(ax, height=0.8 + 0.3 * end, width=5.6)
    for y, (method, rank) in enumerate(average.items()):
        ax.plot([0.7, rank], [y, y], color=color(method), lw=0.8)
        ax.plot(rank, y, "o", color=color(method), ms=6)
    for i, (top, bottom) in enumerate(cliques(average.to_numpy(), limit)):
        ax.plot([end + 0.5 + 0.3 * i] * 2, [top - 0.25, bottom + 0.25], color=INK, lw=3, solid_capstyle="butt")
    ax.plot([1, min(1 + limit, end)], [-0.8, -0.8], color=INK, lw=2, solid_capstyle="butt")
    ax.text(1, -1.0, f"critical difference {limit:.2f}", va="bottom", fontsize="small", color=INK)
    what = f"{xlabel}: average rank" if xlabel else "average rank"
    ax.set(xlim=(0.7, end + 1.5), ylim=(end - 0.4, -1.9), xticks=range(1, end + 1),
           xlabel=f"{what} over {rows} data sets (lower is better)")
    ax.set_yticks(range(end), [label(method) for method in average.index])
    for text, method in zip(ax.get_yticklabels(), average.index, strict=True):
        text.set_color(color(method))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return ax


def nothing_to_rank(ax: Axes) -> Axes:
    ax.text(0.5, 0.5, "no data set on which two or more methods have every number", ha="center", transform=ax.transAxes)
    ax.set_axis_off()
    return ax


def cliques(average: np.ndarray, limit: float) -> list[tuple[int, int]]:
    """Longest runs (first, last) of sorted average ranks within ``limit`` of each other, single methods left out."""
    found: list[tuple[int, int]] = []
    for top, rank in enumerate(average):
        bottom = int(np.flatnonzero(average <= rank + limit).max())
        if bottom > top and (not found or bottom > found[-1][1]):
            found.append((top, bottom))
    return found


def rank_dots(table: Ranking, *, ax: Axes | None = None, legend: bool = True, note: str = "") -> Axes:
    """Methods by their sum of average ranks; one marker per criterion, with its interval over resampled seeds.

    Args:
        table: From :mod:`fairgl.rankings`. Baselines that do not compete come last, with open markers.
        ax: Axes to draw on; ``None`` makes a figure.
        legend: Whether to name the criteria; off for all but the first of several panels.
        note: Put before "average rank", such as "ours".
    """
    if not table.datasets or len(table.averages) < 2:
        return nothing_to_rank(axes(ax, height=1.0, width=5.6))
    names = [*table.averages.index, *table.beside.index]
    ax = axes(ax, height=0.9 + 0.32 * len(names), width=5.6)
    metrics, count = list(table.averages), len(table.averages)
    shift = np.linspace(-0.24, 0.24, len(metrics)) if len(metrics) > 1 else [0.0]
    for (shade, marker), down, metric in zip(CRITERIA, shift, metrics, strict=False):
        y = np.arange(count) + down
        ax.hlines(y, table.low[metric], table.high[metric], color=shade, lw=1.2, alpha=0.6)
        ax.plot(table.averages[metric], y, marker, color=shade, ms=5.5, ls="", label=display(metric).symbol)
        below = count + np.arange(len(table.beside)) + down
        ax.plot(table.beside[metric], below, marker, color=shade, mfc="none", ms=5.5, ls="")
    for y, total in enumerate([*table.sums, *table.beside.sum(axis=1, skipna=False)]):
        text = f"{total:.1f}" if np.isfinite(total) else "–"
        ax.text(1.01, y, text, transform=ax.get_yaxis_transform(), va="center", fontsize="small")
    ax.text(1.01, -0.8, "sum", transform=ax.get_yaxis_transform(), va="center", fontsize="small")
    if len(table.beside):
        ax.axhline(count - 0.5, color=INK, lw=0.8, ls=":")
    ax.set(xlim=(0.7, count + 1.3), ylim=(len(names) - 0.4, -1.1), xticks=range(1, count + 1),
           xlabel=f"{note + ': ' if note else ''}average rank over {len(table.datasets)} data sets (lower is better)")
    ax.set_yticks(range(len(names)), [label(name) for name in names])
    for text, name in zip(ax.get_yticklabels(), names, strict=True):
        text.set_color(color(name))
    ax.grid(axis="x", lw=0.4, alpha=0.5)
    if legend:
        ax.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncol=len(metrics), handletextpad=0.2, columnspacing=1)
    return ax
