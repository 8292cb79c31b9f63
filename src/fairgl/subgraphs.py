"""The neighbourhood that GEAR looks at: the 30 nodes closest by personalised PageRank, and their mean features.

Source: Ma et al. (GEAR, 2022) and Jiao et al. (Sub-graph contrast, 2020), whose code it builds on. PageRank runs for
ten steps from the node: p <- 0.15 e + 0.85 P p, with P the column-stochastic A + I; nodes are ranked by p / degree.

Deviation GEAR-1: entries with p / degree below a tolerance are dropped at every step (the push-style approximation),
so that memory and time follow the neighbourhood and not the graph; ``tolerance=0`` is exact. Deviation GEAR-2: the
encoder reads its result off the centre of a subgraph, for which two layers need one hop of hidden rows: the mean
features of the centre's neighbours within the subgraph are constants, computed here once, and no message passing is
left to training.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from fairgl.graph import Graph

BLOCK = 256  # seeds at a time


@dataclass(frozen=True, eq=False)
class Subgraphs:
    """Subgraphs of n centres as index arrays.

    Attributes:
        nodes: [n, K] int64, the centre first, then by rank; -1 where a neighbourhood is smaller.
        links: [n, K, K] bool, edges among these nodes, with a self-loop on every node.
    """

    nodes: np.ndarray
    links: np.ndarray

    def read(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a two-layer mean encoder needs to know of features [N, F].

        Returns:
            ``rows`` [n, K, F], mean features over the closed neighbourhood, inside the subgraph, of every node that the
            centre hears from (0 elsewhere), and ``weight`` [n, K], the centre's own mean: rows of it sum to 1.
        """
        heard = self.links[:, 0, :]  # [n, K]
        own = x[np.maximum(self.nodes, 0)] * (self.nodes >= 0)[:, :, None]
        mean = self.links / np.maximum(self.links.sum(axis=2, keepdims=True), 1)
        rows = np.matmul(mean.astype(np.float32), own.astype(np.float32)) * heard[:, :, None]
        return rows, (heard / heard.sum(axis=1, keepdims=True)).astype(np.float32)


def personalized_pagerank(
    graph: Graph, seeds: np.ndarray, steps: int = 10, damping: float = 0.85, tolerance: float = 1e-5
) -> sp.csr_array:
    """Truncated personalised PageRank from each seed, sparse [n, N], row i that of ``seeds[i]``.

    Args:
        tolerance: Entries with p / degree below it are dropped after each step; 0 keeps all.
    """
    adjacency = graph.adjacency(loops=True).astype(np.float64)
    degree = np.asarray(adjacency.sum(axis=1)).ravel()
    walk = sp.csr_array(sp.diags_array(1 / degree) @ adjacency)  # row-stochastic: p as a row vector times it
    start = sp.csr_array((np.ones(len(seeds)), (np.arange(len(seeds)), seeds)), shape=(len(seeds), graph.num_nodes))
    p = start
    for _ in range(steps):
        p = sp.csr_array((1 - damping) * start + damping * (p @ walk))
        if tolerance:
            p.data[p.data / degree[p.indices] < tolerance] = 0.0
            p.eliminate_zeros()
    p.data /= degree[p.indices]
    return p


def subgraphs(graph: Graph, centres: np.ndarray, size: int = 30, **pagerank) -> Subgraphs:
    """The ``size`` nodes closest to each centre, and the edges among them.

    Args:
        centres: Node indices [n].
        pagerank: Options of :func:`personalized_pagerank`.
    """
    found = [np.zeros((0, size), dtype=np.int64)]
    for start in range(0, len(centres), BLOCK):
        seeds = np.asarray(centres[start : start + BLOCK], dtype=np.int64)
        found.append(_closest(personalized_pagerank(graph, seeds, **pagerank), seeds, size))
    nodes = np.concatenate(found)
    return Subgraphs(nodes, induced(graph, nodes))


def _closest(scores: sp.csr_array, seeds: np.ndarray, size: int) -> np.ndarray:
    """Columns of the largest entries of each row, the seed first; ties go to the smaller index."""
    row = np.repeat(np.arange(len(seeds)), np.diff(scores.indptr))
    value = np.where(scores.indices == seeds[row], np.inf, scores.data)
    order = np.lexsort((scores.indices, -value, row))
    rank = np.arange(len(row)) - scores.indptr[row[order]]
    keep = rank < size
    nodes = np.full((len(seeds), size), -1, dtype=np.int64)
    nodes[row[order][keep], rank[keep]] = scores.indices[order][keep]
    return nodes


def induced(graph: Graph, nodes: np.ndarray) -> np.ndarray:
    """Edges of ``graph`` among each row of ``nodes`` [n, K] (-1 for none), loops included: bool [n, K, K]."""
    n, size = nodes.shape
    codes = np.sort(np.concatenate([graph.edges[:, 0] * graph.num_nodes + graph.edges[:, 1],
                                    graph.edges[:, 1] * graph.num_nodes + graph.edges[:, 0]]))  # fmt: skip
    links = np.zeros((n, size, size), dtype=bool)
    for start in range(0, n, BLOCK):
        part = nodes[start : start + BLOCK]
        wanted = part[:, :, None] * graph.num_nodes + part[:, None, :]
        place = np.minimum(np.searchsorted(codes, wanted), max(len(codes) - 1, 0))
        there = (part >= 0)[:, :, None] & (part >= 0)[:, None, :]
        links[start : start + BLOCK] = (codes[place] == wanted) & there if len(codes) else False
    loop = np.arange(size)
    links[:, loop, loop] = nodes >= 0
    return links
