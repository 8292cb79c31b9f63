"""How far apart two groups are: the critic's weights and the bias measures of EDITS (Dong et al., 2022).

Deviation EDITS-5 (book/deviations.md): powers of the propagation, as in the paper.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def group_weights(sens: np.ndarray, train: np.ndarray) -> np.ndarray:
    """c without dropout: W = c f. Group 0 counts positive, all others negative (deviation EDITS-4), float32 [N].

    Raises:
        ValueError: One side has no training node.
    """
    first = sens[train] == 0
    if first.all() or not first.any():
        raise ValueError("EDITS compares group 0 with the others, and the training nodes hold one side only")
    c = np.zeros(len(sens), dtype=np.float32)
    c[train] = np.where(first, 1.0 / first.sum(), -1.0 / (~first).sum())
    return c


def wasserstein(values: np.ndarray, first: np.ndarray) -> np.ndarray:
    """1-Wasserstein distance of each column [N, F] between the rows where ``first`` holds and the others, [F]."""
    order = np.argsort(values, axis=0, kind="stable")
    inside = first[order]  # [N, F]
    gap = np.abs(np.cumsum(inside, axis=0) / first.sum() - np.cumsum(~inside, axis=0) / (~first).sum())
    return (gap[:-1] * np.diff(np.take_along_axis(values, order, axis=0), axis=0)).sum(axis=0)


def bias(x: np.ndarray, adjacency: sp.csr_array, first: np.ndarray, hops: int = 2) -> tuple[float, float]:
    """Attribute and structural bias of the paper: mean distance over columns of X, and of propagated X."""
    length = np.linalg.norm(x, axis=0)
    x = x / np.where(length > 0, length, 1.0)
    degree = np.asarray(adjacency.sum(axis=1)).ravel() + 1.0
    scale, h, total = degree[:, None] ** -0.5, x, np.zeros_like(x)
    for hop in range(hops):
        # Deviation EDITS-5: powers of the propagation, as in the paper; the authors' code adds the first one twice.
        h = scale * (adjacency @ (scale * h) + scale * h)
        total += 0.9**hop * h
    return float(wasserstein(x, first).mean()), float(wasserstein(total, first).mean())
