"""Figures: records in, axes out. One palette by family of method, one marker per data set, no titles, no file writing.

Colours are Okabe and Ito's, which stay apart for colour-blind readers; markers and line styles repeat what colour says.
Captions belong to the cell that shows the figure. Axis labels carry the unit and the arrow of the better direction.
"""

from __future__ import annotations

from fairgl.plots.grids import heatmap, lines
from fairgl.plots.look import PALETTE, color, family_legend, markers, style
from fairgl.plots.methods import front, strip, tradeoff
from fairgl.plots.ranks import rank_dots, ranks

__all__ = [
    "PALETTE", "color", "family_legend", "front", "heatmap", "lines", "markers", "rank_dots", "ranks", "strip", "style",
    "tradeoff",
]  # fmt: skip
