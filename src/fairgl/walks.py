"""First-order random walks on a sparse graph, all walkers one step at a time.

A walk is defined by the probability of every edge, a row-stochastic CSR matrix [N, N]: :func:`uniform_weights`
(DeepWalk), :func:`fairwalk_weights` (Rahman et al., 2019: first a group among the neighbours' groups, then a neighbour
in it), :func:`crosswalk_weights`, or any other matrix of the same kind. Any number of groups; nothing is N x N.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def _rows(matrix: sp.csr_array) -> np.ndarray:
    """Row of every stored entry."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def uniform_weights(adjacency: sp.spmatrix | sp.sparray) -> sp.csr_array:
    """Step probabilities proportional to edge weights: 1 / degree for a 0/1 matrix.

    Args:
        adjacency: Non-negative weights [N, N]; entry (u, v) is the edge u -> v.

    Returns:
        Float64 CSR [N, N] whose rows sum to 1, or to 0 for a node without neighbours.
    """
    matrix = _positive(adjacency)
    mass = np.bincount(_rows(matrix), weights=matrix.data, minlength=matrix.shape[0])
    matrix.data /= mass[_rows(matrix)]
    return matrix


def fairwalk_weights(adjacency: sp.spmatrix | sp.sparray, sens: np.ndarray) -> sp.csr_array:
    """FairWalk's step: a group uniformly among those present in the neighbourhood, then a neighbour of that group.

    Args:
        adjacency: Non-negative weights [N, N]; within a group, neighbours are drawn in proportion to them.
        sens: Group of every node, int [N] in ``0 .. G-1``.

    Returns:
        Float64 CSR [N, N] like :func:`uniform_weights`.
    """
    matrix = _positive(adjacency)
    groups = int(sens.max(initial=0)) + 1
    rows = _rows(matrix)
    cell = rows * groups + np.asarray(sens, dtype=np.int64)[matrix.indices]
    mass = np.bincount(cell, weights=matrix.data, minlength=matrix.shape[0] * groups)
    present = (mass.reshape(-1, groups) > 0).sum(axis=1)
    matrix.data /= mass[cell] * present[rows]
    return matrix


def boundary_proximity(adjacency: sp.spmatrix | sp.sparray, sens: np.ndarray, length: int) -> np.ndarray:
    """CrossWalk's measure of how near a node is to other groups, exactly.

    The expected share of nodes of another group on a uniform walk of ``length`` steps from the node, which the authors
    estimate from 1,000 sampled walks: 1 - mean over t = 1 .. length of (P^t 1_c)(v), with c the node's group.

    Returns:
        Float64 [N] in [0, 1]; 0 for a node without neighbours.
    """
    if length < 1:
        raise ValueError(f"length must be at least 1, got {length}")
    steps = uniform_weights(adjacency)
    sens = np.asarray(sens, dtype=np.int64)
    out = np.zeros(len(sens))
    for group in np.unique(sens):
        members = sens == group
        reach, met = (~members).astype(np.float64), np.zeros(len(sens))
        for _ in range(length):
            reach = steps @ reach
            met += reach
        out[members] = met[members] / length
    return out


def crosswalk_weights(
    adjacency: sp.spmatrix | sp.sparray, sens: np.ndarray, alpha: float = 0.5, exponent: float = 1.0, length: int = 5
) -> sp.csr_array:
    """CrossWalk's steps (Khajehnejad et al., 2022): towards the boundary between groups, and across it.

    Within a group, neighbours u are drawn in proportion to m(u)^exponent, m = 0.001 + :func:`boundary_proximity`.
    Between groups: a node whose neighbours are all of its own group has one group to draw from; a node with own and
    other groups around it gives its own 1 - alpha and each of the others an equal part of alpha; a node without
    neighbours of its own group gives each group present an equal part.

    Args:
        adjacency: Non-negative weights [N, N], multiplied into m(u)^exponent.
        sens: Group of every node, int [N] in ``0 .. G-1``.
        alpha: Share of steps to other groups, in [0, 1].
        exponent: Lean towards the boundary, at least 0.
        length: Steps of the walks that define the proximity.

    Returns:
        Float64 CSR [N, N] like :func:`uniform_weights`.
    """
    if not 0.0 <= alpha <= 1.0 or exponent < 0:
        raise ValueError(f"alpha must lie in [0, 1] and exponent be non-negative, got {alpha} and {exponent}")
    matrix = _positive(adjacency)
    sens, nodes = np.asarray(sens, dtype=np.int64), np.arange(matrix.shape[0])
    groups = int(sens.max(initial=0)) + 1
    matrix.data *= ((0.001 + boundary_proximity(matrix, sens, length)) ** exponent)[matrix.indices]
    cell = _rows(matrix) * groups + sens[matrix.indices]
    mass = np.bincount(cell, weights=matrix.data, minlength=len(nodes) * groups)
    present = mass.reshape(-1, groups) > 0
    count = present.sum(axis=1, keepdims=True)
    share = present / np.maximum(count, 1)
    mixed = present[nodes, sens] & (count[:, 0] > 1)
    share[mixed] = alpha * present[mixed] / (count[mixed] - 1)
    share[nodes[mixed], sens[mixed]] = 1.0 - alpha
    matrix.data *= share.ravel()[cell] / mass[cell]
    return matrix


def _positive(adjacency: sp.spmatrix | sp.sparray) -> sp.csr_array:
    matrix = sp.csr_array(adjacency, dtype=np.float64, copy=True)
    if matrix.nnz and not (np.isfinite(matrix.data).all() and matrix.data.min() >= 0):
        raise ValueError("edge weights of a walk must be finite and non-negative")
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def walks(
    weights: sp.csr_array, per_node: int, length: int, rng: np.random.Generator, starts: np.ndarray | None = None
) -> np.ndarray:
    """Walks from every node, in passes over the nodes in a random order.

    Args:
        weights: Row-stochastic step probabilities, CSR [N, N].
        per_node: Walks from each start.
        length: Nodes in a walk, the start included.
        rng: Where the randomness comes from.
        starts: Nodes to start from; default all.

    Returns:
        int32 [starts x per_node, length]; a walk that reaches a node without neighbours ends, and -1 fills the rest.

    Raises:
        ValueError: A row of ``weights`` sums to neither 0 nor 1, or a size is below 1.
    """
    if per_node < 1 or length < 1:
        raise ValueError(f"per_node and length must be at least 1, got {per_node} and {length}")
    sums = np.asarray(weights.sum(axis=1)).ravel()
    degree = np.diff(weights.indptr)
    if not np.allclose(sums[degree > 0], 1.0):
        raise ValueError("rows of the step probabilities must sum to 1 (or be empty)")
    starts = np.arange(weights.shape[0]) if starts is None else np.asarray(starts)
    out = np.full((per_node * len(starts), length), -1, dtype=np.int32)
    out[:, 0] = np.concatenate([rng.permutation(starts) for _ in range(per_node)])
    # Row u occupies [u, u + 1) of one increasing sequence, so one binary search serves all walkers at once.
    within = np.cumsum(weights.data)
    within -= np.repeat(np.concatenate([[0.0], within])[weights.indptr[:-1]], degree)
    edges = _rows(weights) + within
    at, alive = out[:, 0].astype(np.int64), np.arange(len(out))
    for step in range(1, length):
        keep = degree[at] > 0
        if not keep.all():
            at, alive = at[keep], alive[keep]
        if not len(alive):
            break
        position = np.searchsorted(edges, at + rng.random(len(at)), side="right")
        position = np.clip(position, weights.indptr[at], weights.indptr[at + 1] - 1)  # rounding at a row's ends
        at = weights.indices[position].astype(np.int64)
        out[alive, step] = at
    return out
