"""Exposure fairness of the homophily stress test without training: a function of the edges' make-up alone.

After MORAL's greedy, NDKL and AWRF depend on the target distribution and the cut-off (``rerank/moral.py``), so the
whole grid of the MORAL reproducibility study, Section 3.6.1, needs nothing but the number of edges of each pair type.
These counts are stored for all 726 graphs; :func:`count_edges` makes them anew from the generator.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

from fairgl import paths
from fairgl.datasets import load
from fairgl.metrics.ranking import awrf, ndkl
from fairgl.pair_types import intra, num_groups, num_types, pair_types
from fairgl.rerank.moral import greedy_types

AXES = ["minority", "majority_homophily", "minority_homophily"]
COUNTS = ["edges_00", "edges_01", "edges_11"]


def edge_counts_file():
    """Where the counts of the published grid are stored."""
    return paths.root() / "data" / "derived" / "dpah_edge_counts.csv"


def count_edges(points: Iterable[tuple[float, float, float]]) -> pd.DataFrame:
    """Edges of each pair type of DPAH graphs, one row per (minority, majority homophily, minority homophily)."""
    rows = []
    for point in points:
        graph = load("dpah", **dict(zip(AXES, point, strict=True)))
        types = pair_types(graph.sens, graph.edges, graph.num_groups)
        rows.append((*point, *np.bincount(types, minlength=3)))
    return pd.DataFrame(rows, columns=[*AXES, *COUNTS])


def fairness_of(targets: np.ndarray, k: int = 1000) -> np.ndarray:
    """NDKL@k and AWRF@k of MORAL's list for target distributions [B, T], no pool running dry: f(pi, K), float64 [B, 2].

    Types without edges have no candidates, as in every real list.
    """
    targets = np.atleast_2d(np.asarray(targets, dtype=np.float64))
    sequences = greedy_types(targets, k, available=np.where(targets > 0, k, 0))
    return np.array([
        (ndkl(types=listed, target=target), awrf(types=listed, target=target))
        for listed, target in zip(sequences, targets, strict=True)
    ])  # fmt: skip


def surface(counts: pd.DataFrame, k: int = 1000) -> pd.DataFrame:
    """Edge homophily, what random mixing gives, and NDKL and AWRF after MORAL for every row of :func:`count_edges`."""
    edges = counts[COUNTS].to_numpy(dtype=np.float64)
    total = edges.sum(axis=1)
    fair = fairness_of(edges / total[:, None], k)
    random = counts["minority"] ** 2 + (1 - counts["minority"]) ** 2
    homophily = (edges[:, 0] + edges[:, 2]) / total
    return counts[AXES].assign(
        edge_homophily=homophily, random_homophily=random, excess_homophily=homophily - random,
        ndkl=fair[:, 0], awrf=fair[:, 1],
    )  # fmt: skip


@cache
def stored_surface(k: int = 1000) -> pd.DataFrame:
    """:func:`surface` of the 726 published settings."""
    return surface(pd.read_csv(edge_counts_file()), k)


def peaks(metric: str, table: pd.DataFrame | None = None) -> pd.DataFrame:
    """Where "ndkl" or "awrf", averaged over the minority's homophily, is largest: one row per minority share."""
    table = stored_surface() if table is None else table
    mean = table.groupby(["minority", "majority_homophily"], as_index=False).mean(numeric_only=True)
    return mean.loc[mean.groupby("minority")[metric].idxmax()].reset_index(drop=True)


def even_target(groups: int) -> np.ndarray:
    """Shares of the pair types [T] when ``groups`` equal classes link at random."""
    same = intra(groups)
    return np.where(same, 1.0, 2.0)[: num_types(groups)] / groups**2


def edge_homophily(target: np.ndarray) -> float:
    """Share of same-group edges of a make-up [T]."""
    return float(np.asarray(target)[intra(num_groups(len(target)))].sum())
