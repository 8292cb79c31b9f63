"""The look shared by all figures: one colour per family of methods, one marker per data set, sizes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
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


def write_names(ax: Axes, marks: list[tuple[float, float, str]], *, avoid: Iterable[tuple[float, float]] = ()) -> None:
    """Write ``(x, y, name)`` near its point, clear of other points and names; a hairline leads to one that is far off.

    Call it after the limits of the axes are final. Sizes are estimates: the layout is not known before drawing.
    """
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    box, (wide, high) = ax.get_position(), ax.figure.get_size_inches() * 72  # points
    wide, high = wide * box.width, high * box.height
    size = FontProperties(size="small").get_size_in_points()

    def place(x: float, y: float) -> np.ndarray:
        return np.array([(x - left) / (right - left) * wide, (y - bottom) / (top - bottom) * high])

    points = [place(x, y) for x, y in [*((x, y) for x, y, _ in marks), *avoid]]
    taken = [(*(p - 4), *(p + 4)) for p in points]
    for (x, y, name), at in zip(marks, points, strict=False):
        width, options = 0.56 * size * len(name), []
        for far, angle in product((7, 15, 25, 38, 52), np.arange(8) * np.pi / 4):
            corner = at + far * np.array([np.cos(angle), np.sin(angle)])
            corner -= np.array([width * (1 - np.cos(angle)) / 2, size / 2])
            spot = (*corner, corner[0] + width, corner[1] + size)
            outside = sum(max(0.0, -s) for s in spot[:2]) + max(0.0, spot[2] - wide) + max(0.0, spot[3] - high)
            straight = 4 * np.isclose(np.sin(2 * angle), 0)  # intervals run along the axes
            options.append((sum(_shared(spot, other) for other in taken) + 20 * outside + far + straight, far, spot))
        _, far, spot = min(options)
        taken.append(spot)
        line = {"arrowstyle": "-", "lw": 0.5, "color": INK, "alpha": 0.6, "shrinkA": 0, "shrinkB": 3}
        middle = (spot[0] + width / 2 - at[0], spot[1] + size / 2 - at[1])
        ax.annotate(name, (x, y), xytext=middle, textcoords="offset points", fontsize="small", color=INK, ha="center",
                    va="center", arrowprops=line if far > 15 else None)


def _shared(a: tuple, b: tuple) -> float:
    """Area that two boxes (left, bottom, right, top) share."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
