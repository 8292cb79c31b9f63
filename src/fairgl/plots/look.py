"""The look shared by all figures: one colour per family of methods, one marker per data set, sizes."""

from __future__ import annotations

from collections.abc import Iterable

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from fairgl.catalogue import FAMILIES, entry

PALETTE = dict(zip(FAMILIES, ("#666666", "#0072B2", "#D55E00", "#009E73"), strict=True))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h", "p")
WIDTH = 7.0  # inches; the width of a page column
INK = "#333333"


def style() -> None:
    """Set the look of every figure that follows: thin lines, no top and right border, readable at page width."""
    sns.set_theme(
        context="paper",
        style="ticks",
        font_scale=1.15,
        rc={"axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 110, "figure.facecolor": "white",
            "savefig.bbox": "tight", "legend.frameon": False, "axes.edgecolor": INK, "axes.labelcolor": INK},
    )


def color(method: str) -> str:
    """The colour of the method's family."""
    return PALETTE.get(entry(method).family, INK)


def markers(datasets: Iterable[str]) -> dict[str, str]:
    """One marker per data set, in the order given."""
    return {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(dict.fromkeys(datasets))}


def axes(ax: Axes | None, height: float = 4.0, width: float = WIDTH) -> Axes:
    return plt.subplots(figsize=(width, height), layout="constrained")[1] if ax is None else ax


def family_legend(ax: Axes, methods: Iterable[str], datasets: Iterable[str] = (), *, paper: bool = False) -> None:
    families = [f for f in FAMILIES if f in {entry(m).family for m in methods}]
    handles = [Line2D([], [], color=PALETTE[f], marker="o", linestyle="", label=f) for f in families]
    handles += [Line2D([], [], color=INK, marker=m, linestyle="", label=d) for d, m in markers(datasets).items()]
    if paper:
        handles.append(Line2D([], [], color=INK, marker="o", markerfacecolor="none", linestyle="", label="paper"))
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), handletextpad=0.3)


def write_names(ax: Axes, marks: list[tuple[float, float, str]]) -> None:
    """Write ``(x, y, name)`` beside its point, each a line lower where an earlier name is in the way."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    placed: list[tuple[float, float]] = []
    for x, y, name in sorted(marks, key=lambda mark: -mark[1]):
        at, down = ((x - left) / (right - left), (y - bottom) / (top - bottom)), 0
        while any(abs(at[0] - px) < 0.25 and abs(at[1] - 0.06 * down - py) < 0.055 for px, py in placed):
            down += 1
        placed.append((at[0], at[1] - 0.06 * down))
        height = ax.get_position().height * ax.figure.get_figheight() * 72  # points
        ax.annotate(name, (x, y), xytext=(4, 4 - 0.06 * down * height), textcoords="offset points", fontsize="x-small",
                    color=INK)
