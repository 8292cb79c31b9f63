"""One quantity over one or two axes: heat maps, and lines with bands."""

from __future__ import annotations

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from fairgl.catalogue import label, order
from fairgl.plots.look import MARKERS, axes, color
from fairgl.summaries import display


def heatmap(values: pd.DataFrame, *, metric: str, ax: Axes | None = None) -> Axes:
    """A table of numbers as shades, each number written in its cell, missing cells hatched."""
    show = display(metric)
    ax = axes(ax, height=0.8 + 0.38 * len(values))
    scaled = values.astype(float) * show.scale
    ax.set_facecolor("#eeeeee")
    cmap = "cividis_r" if show.direction == "lower" else "cividis"
    sns.heatmap(scaled, annot=True, fmt=f".{show.digits}f", cmap=cmap, ax=ax, linewidths=0.5,
                cbar_kws={"label": show.heading}, annot_kws={"fontsize": "small"})
    ax.set(xlabel=values.columns.name or "", ylabel=values.index.name or "")
    return ax


def lines(
    table: pd.DataFrame, *, x: str, metric: str, hue: str = "method", xlabel: str = "", ax: Axes | None = None
) -> Axes:
    """Means over a numeric axis with a 95 % band.

    Args:
        table: Columns ``x``, ``hue``, ``mean``, ``low``, ``high`` in natural units.
        x: Column on the horizontal axis.
        metric: What ``mean`` is, for the label.
        hue: Column that tells the lines apart; methods take their family's colour and a line style each.
        xlabel: Label of the horizontal axis; default ``x``.
        ax: Axes to draw on; ``None`` makes a figure.
    """
    ax, show = axes(ax), display(metric)
    names = order(list(table[hue])) if hue == "method" else list(dict.fromkeys(table[hue]))
    palette = sns.color_palette("colorblind", len(names))
    for i, name in enumerate(names):
        part = table[table[hue] == name].sort_values(x)
        shade = color(name) if hue == "method" and len({color(n) for n in names}) == len(names) else palette[i]
        text = label(name) if hue == "method" else str(name)
        ax.plot(part[x], part["mean"] * show.scale, marker=MARKERS[i % len(MARKERS)], ms=4, color=shade, label=text)
        ax.fill_between(part[x], part["low"] * show.scale, part["high"] * show.scale, color=shade, alpha=0.18, lw=0)
    ax.set(xlabel=xlabel or x, ylabel=show.heading)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
