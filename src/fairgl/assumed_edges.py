r"""An assumed model of how edges follow from features and groups, and counterfactual edges that share its noise.

:math:`A_{ij} = [\epsilon_{ij} < \sigma(c + k \cos(x_i, x_j) + b [s_i = s_j])]` for every pair of nodes, the noise
:math:`\epsilon_{ij}` uniform, independent over pairs and the same in every world; cosines of standardised features
without s. c, k and b are maximum-likelihood estimates. Where A is known, so is the interval of its noise, and the
counterfactual edge is drawn from it: under the factual values all edges are the factual ones, exactly.

Source: the evaluation card names cosine similarity and no more; the logistic form is ours (deviation CF-4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from fairgl.graph import Graph, canonical_edges
from fairgl.seeding import rng

CHUNK = 1 << 19  # pairs looked at together


def unit_rows(x: np.ndarray, like: Graph) -> np.ndarray:
    """Standardised features without the sensitive one, rows of length 1: float32 [N, F - 1]."""
    base = np.delete(np.asarray(like.x, dtype=np.float64), like.sens_column, axis=1)
    x = np.delete(np.asarray(x, dtype=np.float64), like.sens_column, axis=1)
    spread = base.std(axis=0)
    x = (x - base.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return (x / np.where(length > 0, length, 1.0)).astype(np.float32)


@dataclass(frozen=True)
class EdgeModel:
    """Log-odds of an edge: ``c + k cosine + b [same group]``."""

    c: float
    k: float
    b: float

    @classmethod
    def fit(cls, graph: Graph, per_edge: int = 3) -> EdgeModel:
        """Estimate from all edges and ``per_edge`` sampled non-edges per edge."""
        return cls(*_fit(graph, per_edge).tolist())

    def edges(self, graph: Graph, x: np.ndarray, s: np.ndarray) -> np.ndarray:
        """Edges under ``x`` and ``s``, canonical [M', 2].

        An edge stays if its noise, uniform below the factual probability p, lies below the new one p'. A non-edge
        appears if its noise, uniform above p, does: with probability (p' - p) / (1 - p), which no pair exceeds by
        more than :meth:`ceiling`. So only a random share of that size of all pairs is ever looked at; exact, and
        with the same noise in every world.
        """
        old, new = unit_rows(graph.x, graph), unit_rows(x, graph)

        def probabilities(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            u, v = pairs.T
            before = self._probability((old[u] * old[v]).sum(axis=1), graph.sens[u] == graph.sens[v])
            return before, self._probability((new[u] * new[v]).sum(axis=1), s[u] == s[v])

        before, after = probabilities(graph.edges)
        found = [graph.edges[rng("edge noise", graph.name).random(graph.num_edges) * before < after]]
        known, top = graph.edges[:, 0] * graph.num_nodes + graph.edges[:, 1], self.ceiling()
        for pairs, noise in thinned_pairs(graph.num_nodes, top, graph.name):
            cosine = np.einsum("ij,ij->i", new[pairs[:, 0]], new[pairs[:, 1]])
            hopeful = noise * top < self._probability(cosine, s[pairs[:, 0]] == s[pairs[:, 1]])
            pairs, noise = pairs[hopeful], noise[hopeful]
            before, after = probabilities(pairs)
            pairs = pairs[noise * top * (1 - before) < after - before]
            found.append(pairs[~np.isin(pairs[:, 0] * graph.num_nodes + pairs[:, 1], known)])
        return canonical_edges(np.concatenate(found), graph.num_nodes)[0]

    def ceiling(self) -> float:
        """The largest probability that any pair can have in any world."""
        return float(expit(self.c + abs(self.k) * (1 + 1e-5) + max(self.b, 0.0)))

    def _probability(self, cosine: np.ndarray, same: np.ndarray) -> np.ndarray:
        return expit(self.c + self.k * cosine.astype(np.float64) + self.b * same)


def thinned_pairs(n: int, rate: float, name: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Each pair u < v of n nodes with probability ``rate``, independently, and a uniform number for each.

    Yields chunks ``(pairs [K, 2], noise [K])``; the same for the same arguments. Memory O(chunk), time O(rate n²).
    """
    draw, last = rng("pair noise", name), -1
    while rate > 0:
        gaps = draw.geometric(rate, CHUNK)
        place = last + np.cumsum(gaps)
        noise = draw.random(CHUNK)
        inside = place < n * n
        pairs = np.column_stack([place[inside] // n, place[inside] % n])
        upper = pairs[:, 0] < pairs[:, 1]
        yield pairs[upper], noise[inside][upper]
        if not inside.all():
            return
        last = int(place[-1])


def _fit(graph: Graph, per_edge: int, steps: int = 20) -> np.ndarray:
    """Maximum likelihood of c, k, b by Newton's method, sampled non-edges weighted to stand for all."""
    n, m = graph.num_nodes, graph.num_edges
    if m == 0:
        return np.array([-np.inf, 0.0, 0.0])
    pairs, _ = canonical_edges(rng("non-edges", graph.name).integers(0, n, (per_edge * m + 10, 2)), n)
    pairs = pairs[~np.isin(pairs[:, 0] * n + pairs[:, 1], graph.edges[:, 0] * n + graph.edges[:, 1])]
    unit, both = unit_rows(graph.x, graph), np.concatenate([graph.edges, pairs])
    cosine = (unit[both[:, 0]] * unit[both[:, 1]]).sum(axis=1, dtype=np.float64)
    same = graph.sens[both[:, 0]] == graph.sens[both[:, 1]]
    design, linked = np.column_stack([np.ones(len(both)), cosine, same]), np.arange(len(both)) < m
    absent = n * (n - 1) / 2 - m
    weight = np.where(linked, 1.0, absent / max(len(pairs), 1))
    beta = np.array([np.log(m / max(absent, 1.0)), 0.0, 0.0])
    for _ in range(steps):
        p = expit(design @ beta)
        hessian = design.T @ (design * (weight * p * (1 - p))[:, None]) + 1e-6 * np.eye(3)
        beta = beta + np.linalg.solve(hessian, design.T @ (weight * (linked - p)))
    return beta
