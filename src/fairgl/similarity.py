"""Graphs made from tables: link rows whose similarity comes close to a row's best one.

For row *i* let ``s(i, j) = 1 / (1 + ||x_i - x_j||)`` and ``m_i`` its largest value over ``j != i``. Row *i* points to
*j* when ``s(i, j) > t * m_i``. This is the rule behind the German, credit and bail graphs (Agarwal et al., NIFTY,
2021), whose published files it rebuilds row by row.

Deviation: upstream fills a table of all pairs (7.2 GB for credit). ``s > t * m_i`` only says that ``j`` lies within the
radius ``1 / (t * m_i) - 1`` of ``i``, so a k-d tree answers it exactly with memory proportional to the edges.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree


def similarity_edges(table: np.ndarray, threshold: float, block: int = 4096) -> np.ndarray:
    """Directed pairs ``i -> j`` of the similarity graph of a table.

    Args:
        table: Rows to link, [N, F] finite floats, N >= 2. Scaling is the caller's decision: a column in thousands
            drowns one in units.
        threshold: Share ``t`` in (0, 1] of a row's best similarity that a link has to exceed.
        block: Rows looked up at a time; bounds the memory of candidate lists.

    Returns:
        int64 [M, 2], sorted by row then column; without loops. A row without any neighbour above the threshold has
        none, which happens at ``t = 1`` only.

    Raises:
        ValueError: The table is not a finite matrix with at least two rows, or the threshold is out of range.
    """
    table = np.ascontiguousarray(table, dtype=np.float64)
    if table.ndim != 2 or len(table) < 2:
        raise ValueError(f"a similarity graph needs a matrix with at least 2 rows, got shape {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError(f"{int((~np.isfinite(table)).sum())} entries of the table are not finite")
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must lie in (0, 1], got {threshold}")
    # A tree over distinct rows: identical rows would pile up in leaves and defeat the search.
    rows, inverse, counts = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.ravel()
    if len(rows) == 1:
        nearest = np.zeros(1)
    else:
        tree = cKDTree(rows)
        nearest = np.where(counts > 1, 0.0, tree.query(rows, k=2)[0][:, 1])
    # In this order of operations: one published credit pair lies on the boundary to the last bit.
    floor = threshold * (1.0 / (1.0 + nearest))
    parts = [np.zeros((0, 2), dtype=np.int64)]
    for start in range(0, len(rows), block):
        part = rows[start : start + block]
        limit = floor[start : start + block]
        if len(rows) == 1:
            near = [[0]]
        else:
            # A hair wider than needed; the published inequality itself decides below.
            near = tree.query_ball_point(part, (1.0 / limit - 1.0) * (1 + 1e-9) + 1e-12)
        sizes = np.fromiter((len(found) for found in near), dtype=np.int64, count=len(near))
        source = np.repeat(np.arange(len(part)), sizes)
        target = np.concatenate([np.asarray(found, dtype=np.int64) for found in near])
        distance = np.sqrt(((part[source] - rows[target]) ** 2).sum(axis=1))
        keep = 1.0 / (1.0 + distance) > limit[source]
        parts.append(np.column_stack([source[keep] + start, target[keep]]))
    return _expand(np.concatenate(parts), inverse, counts)


def _expand(pairs: np.ndarray, inverse: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Pairs of distinct rows → pairs of the original rows, without loops."""
    order = np.argsort(inverse, kind="stable")
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    repeat = counts[pairs[:, 0]] * counts[pairs[:, 1]]
    position = np.arange(repeat.sum()) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    left, right = np.repeat(pairs[:, 0], repeat), np.repeat(pairs[:, 1], repeat)
    source = order[first[left] + position // counts[right]]
    target = order[first[right] + position % counts[right]]
    keep = source != target
    source, target = source[keep], target[keep]
    sort = np.lexsort((target, source))
    return np.column_stack([source[sort], target[sort]]).astype(np.int64)


def spread_to_unit(column: np.ndarray) -> np.ndarray:
    """A column moved to [-1, 1] as the German graph's authors do: ``2 (x - min) / (max - min) - 1``."""
    column = np.asarray(column, dtype=np.float64)
    low, high = column.min(), column.max()
    if high == low:
        return np.zeros_like(column)
    return 2.0 * (column - low) / (high - low) - 1.0
