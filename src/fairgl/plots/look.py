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


def family_legend(
    ax: Axes, methods: Iterable[str], datasets: Iterable[str] = (), *, paper: bool = False, above: bool = False
) -> None:
    """Explain colours, markers and the paper's open points, on the right or, for narrow pages, above the axes."""
    families = [f for f in FAMILIES if f in {entry(m).family for m in methods}]
    handles = [Line2D([], [], color=PALETTE[f], marker="o", linestyle="", label=f) for f in families]
    handles += [Line2D([], [], color=INK, marker=m, linestyle="", label=d) for d, m in markers(datasets).items()]
    if paper:
        handles.append(Line2D([], [], color=INK, marker="o", markerfacecolor="none", linestyle="", label="paper"))
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    if above:
        place = {"loc": "lower center", "bbox_to_anchor": (0.45, 1.0), "ncol": 4, "columnspacing": 1.0}
    ax.legend(handles=handles, handletextpad=0.3, **place)


def write_names(ax: Axes, marks: list[tuple[float, float, str]], *, avoid: Iterable[tuple[float, float]] = ()) -> None:
    """Write ``(x, y, name)`` near its point, off other names and points; a hairline leads to a name that is far off.

    A mark with an empty name is only kept clear of; ``avoid`` holds points along lines, which a name may cross if need
    be. Call it after the limits of the axes are final. Sizes are estimates: the layout is not known before drawing.
    """
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    box, size = ax.get_position(), FontProperties(size="small").get_size_in_points()
    page = ax.figure.get_size_inches() * 72 * (box.width, box.height)  # of the axes, in points

    def places(xy: list[tuple[float, float]]) -> np.ndarray:
        return (np.reshape(xy, (-1, 2)) - (left, bottom)) / (right - left, top - bottom) * page

    points, along = places([mark[:2] for mark in marks]), places(list(avoid))
    taken = [(*(p - r), *(p + r)) for group, r in ((points, 4.5), (along, 1.5)) for p in group]
    names: list[tuple] = []
    ways = [np.array([np.cos(angle), np.sin(angle)]) for angle in np.arange(8) * np.pi / 4]
    for i, (x, y, name) in enumerate(marks):
        if not name:
            continue
        half, options = np.array([0.28 * size * len(name), size / 2]), []
        for far, way in product((6, 14, 24, 36, 50), ways):
            middle = points[i] + far * way + np.round(way) * half  # nearest corner or side at this distance
            spot = (*(middle - half), *(middle + half))
            outside = np.maximum(0, -np.array(spot[:2])).sum() + np.maximum(0, np.array(spot[2:]) - page).sum()
            apart = np.linalg.norm(np.maximum(np.abs(points - middle) - half, 0), axis=1)  # from box to each point
            astray = max(0.0, apart[i] + 4 - np.delete(apart, i).min(initial=np.inf))  # nearer to another point
            shared = sum(_shared(spot, other) for other in taken) + 3 * sum(_shared(spot, other) for other in names)
            options.append((shared + 20 * outside + 2 * far + 8 * astray, far, spot))
        _, far, spot = min(options)
        names.append(spot)
        line = {"arrowstyle": "-", "lw": 0.6, "color": INK, "alpha": 0.7, "shrinkA": 0, "shrinkB": 3}
        offset = (np.array(spot[:2]) + spot[2:]) / 2 - points[i]
        ax.annotate(name, (x, y), xytext=tuple(offset), textcoords="offset points", fontsize="small", color=INK,
                    ha="center", va="center", arrowprops=line if far > 14 else None)


def _shared(a: tuple, b: tuple) -> float:
    """Area that two boxes (left, bottom, right, top) share."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
