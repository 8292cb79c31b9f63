r"""Individual fairness: are similar nodes treated alike? B_Lipschitz as its equation has it, and as released.

Equation (3) of the fair graph learning benchmark (arXiv 2407.12112), after InFoRM (Kang et al., 2020). The similarity
is :math:`S = Z Z^T` for a matrix :math:`Z` of unit rows: the rows of A + I (the benchmark), or feature rows. S has 35
million entries on the recidivism graph and is never formed:

* Eq. 3: :math:`\sum_j S_{ij} |v_i - v_j| = \sum_k Z_{ik} \sum_j Z_{jk} |v_i - v_j|`, and within a column k sorted by v
  the inner sum is a difference of prefix sums. Exact in O(nnz(Z) log N).
* Trace form: :math:`Tr(v^T L_S v) = \sum_i r_i v_i^2 - \|Z^T v\|^2` with :math:`r = Z Z^T 1`. Exact in O(nnz(Z)).

Deviation from the released library, which prints the trace of *logits* (of probabilities for REDRESS) under the name
B_Lipschitz: that is here as ``lipschitz_trace_*``; ``lipschitz_bias`` follows the equation. GDIF is in
:mod:`fairgl.metrics.individual_disparity`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fairgl.metrics import scores_of, undefined
from fairgl.registry import METRICS


def unit_rows(matrix: Any) -> Any:
    """Rows divided by their length, float64, sparse CSR or dense as given; zero rows stay zero.

    ``unit_rows(adjacency + identity)`` is the benchmark's similarity: S_ij = |N[i] and N[j]| / sqrt(|N[i]| |N[j]|).
    """
    if sp.issparse(matrix):
        matrix = sp.csr_array(matrix, dtype=np.float64)
        length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        return sp.csr_array(sp.diags_array(1 / np.where(length > 0, length, 1.0)) @ matrix)
    matrix = np.asarray(matrix, dtype=np.float64)
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(length > 0, length, 1.0)


def similarity_mass(rows: Any) -> np.ndarray:
    """Similarity of every node to all others, sum over j != i of S_ij, float64 [N]."""
    ones = np.ones(rows.shape[0])
    own = np.asarray((rows.multiply(rows) if sp.issparse(rows) else rows**2).sum(axis=1)).ravel()
    return rows @ (rows.T @ ones) - own


def centred(values: Any, rows: Any) -> np.ndarray:
    """Float64 values around 0; exactly 0 where all are equal, so that a constant has no bias at all."""
    values = scores_of("values", values, rows.shape[0])
    values = values - values[0]
    return values - values.mean()


def weighted_differences(values: Any, rows: Any) -> np.ndarray:
    """Every node's share of Eq. 3, sum over j of S_ij |v_i - v_j|.

    Args:
        values: One number per node [N].
        rows: Unit rows Z [N, K], sparse or dense, S = Z Z^T.

    Returns:
        Float64 [N].
    """
    v = centred(values, rows)
    z = sp.csc_array(rows)
    column = np.repeat(np.arange(z.shape[1]), np.diff(z.indptr))
    order = np.lexsort((v[z.indices], column))
    node, weight = z.indices[order], z.data[order]
    moment = weight * v[node]
    # Prefix sums within each column: what lies below a node, and the column's total.
    below = [np.concatenate([[0.0], np.cumsum(part)]) for part in (weight, moment)]
    first, last = z.indptr[:-1][column], z.indptr[1:][column]
    w_below, m_below = (total[:-1] - total[first] for total in below)
    w_total, m_total = (total[last] - total[first] for total in below)
    inner = v[node] * (2 * w_below - w_total) + m_total - 2 * m_below
    # A sum of absolute values; rounding may leave it a hair below 0.
    return np.maximum(np.bincount(node, weights=weight * inner, minlength=len(v)), 0.0)


@METRICS.register(
    "lipschitz_bias", aliases=("b_lipschitz",), symbol=r"B_{Lipschitz}", direction="lower", range=(0, float("inf")),
    unit="sum", zero="similar nodes get the same probability", task="node",
)
def lipschitz_bias(*, probability: Any, rows: Any) -> float:
    r"""Equation (3), :math:`\sum_i \sum_{j \ne i} \|\hat y_i - \hat y_j\|_F S_{ij}`, rows of y being distributions.

    Args:
        probability: Probability of class 1 [N]; :math:`\hat y_i = (1-p_i, p_i)`, hence a factor of the root of 2.
        rows: Unit rows Z [N, K] of :func:`unit_rows`.

    Returns:
        From 0 up. It grows with the number of similar pairs and falls when all probabilities shrink towards each other;
        :func:`lipschitz_mean` and :func:`lipschitz_relative` take out the one, and both.
    """
    return float(np.sqrt(2) * weighted_differences(probability, rows).sum())


@METRICS.register(
    "lipschitz_mean", symbol=r"\bar B_{Lipschitz}", direction="lower", range=(0, 1), unit="fraction",
    zero="similar nodes get the same probability", task="node",
)
def lipschitz_mean(*, probability: Any, rows: Any) -> float:
    """Mean \\|p_i - p_j\\| over pairs weighted by similarity: Eq. 3 per unit of similarity, without the root of 2.

    Arguments as in :func:`lipschitz_bias`; in [0, 1]; undefined if no two nodes are similar.
    """
    mass = similarity_mass(rows).sum()
    total = weighted_differences(probability, rows).sum()
    return float(total / mass) if mass > 1e-9 else undefined("no two nodes are similar")


@METRICS.register(
    "lipschitz_relative", symbol=r"B_{Lipschitz} / \mathrm{chance}", direction="lower", range=(0, float("inf")),
    unit="ratio", zero="similar nodes get the same probability although not all nodes do", task="node",
)
def lipschitz_relative(*, probability: Any, rows: Any) -> float:
    """:func:`lipschitz_mean` over its expectation when the probabilities are dealt to the nodes at random.

    1 is chance: similar nodes are as far apart as any two. Scaling all probabilities changes nothing. Undefined if all
    are equal, or no two nodes are similar.
    """
    p = np.sort(centred(probability, rows))
    n = len(p)
    spread = 2 * ((2 * np.arange(n) - n + 1) @ p) / (n * (n - 1)) if n > 1 else 0.0
    mean = lipschitz_mean(probability=probability, rows=rows)
    if mean == mean and not spread > 0:
        return undefined("all probabilities are equal")
    return mean / float(spread) if mean == mean else mean


def laplacian_trace(values: Any, rows: Any) -> float:
    r"""Tr(v^T L_S v), that is half the sum over all ordered pairs of S_ij (v_i - v_j)^2; float64, without S."""
    v = centred(values, rows)
    degree = rows @ (rows.T @ np.ones(len(v)))
    return max(float(degree @ v**2 - np.sum((rows.T @ v) ** 2)), 0.0)


@METRICS.register(
    "lipschitz_trace_logits", symbol=r"Tr(z^T L_S z)", direction="lower", range=(0, float("inf")), unit="sum",
    zero="similar nodes get the same logit", task="node",
)
def lipschitz_trace_logits(*, logits: Any, rows: Any) -> float:
    """What the released library prints as B_Lipschitz for GNN, InFoRM and GUIDE; quadratic in the scale of logits."""
    return laplacian_trace(logits, rows)


@METRICS.register(
    "lipschitz_trace_probabilities", symbol=r"Tr(p^T L_S p)", direction="lower", range=(0, float("inf")), unit="sum",
    zero="similar nodes get the same probability", task="node",
)
def lipschitz_trace_probabilities(*, probability: Any, rows: Any) -> float:
    """What the released library prints as B_Lipschitz for REDRESS."""
    return laplacian_trace(probability, rows)


def similar_pairs(rows: Any, work: int = 20_000_000) -> np.ndarray:
    """Number of nodes j with S_ij stored, i included: int64 [N], counted in row blocks of about ``work`` products."""
    if not sp.issparse(rows):
        return np.full(rows.shape[0], rows.shape[0], dtype=np.int64)
    pattern = sp.csr_array(rows).astype(bool).astype(np.int32)
    columns = pattern.T.tocsr()
    cost = np.cumsum(pattern @ np.diff(columns.indptr))
    counts, start = [np.zeros(0, dtype=np.int64)], 0
    while start < len(cost):
        done = cost[start - 1] if start else 0
        stop = max(int(np.searchsorted(cost, done + work, side="right")), start + 1)
        counts.append(np.diff((pattern[start:stop] @ columns).indptr))
        start = stop
    return np.concatenate(counts).astype(np.int64)
