"""DeepWalk (Perozzi et al., 2014): skip-gram on uniform random walks, then a classifier on the embedding.

:class:`Walker` is the one engine of DeepWalk, FairWalk and CrossWalk: the three differ in the step probabilities only,
and share walks, skip-gram, seeds and classifier, so that a difference between them is a difference of the steps.
Node features are not used, neither by the authors nor here; a node without edges gets the zero vector.

Cost: O(N walks length) tokens, each in O(window dim (1 + negatives)); memory O(nnz(A) + N walks length), never N x N.
Deviations (book/deviations.md): Walks-1 one setting for all three, Walks-2 negative sampling only,
Walks-3 logistic regression on training nodes, Walks-4 label propagation on a k-nearest-neighbour graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import kneighbors_graph

from fairgl.graph import Graph
from fairgl.methods import NodeMethod, Scores
from fairgl.registry import NODE_METHODS, hp
from fairgl.seeding import derive, rng
from fairgl.skipgram import skipgram
from fairgl.splits import NodeSplit
from fairgl.walks import uniform_weights, walks

STRENGTHS = (0.01, 0.1, 1.0, 10.0)


@dataclass(frozen=True)
class Walker(NodeMethod):
    """Embedding by walks with any step probabilities, and a classifier of the embedding. Any number of groups."""

    family = "pre-processing"
    notion = "group"

    per_node: int = hp(10, "DeepWalk copy in the CrossWalk repository, command-line default")
    length: int = hp(40, "CrossWalk authors' scripts and command-line default")
    window: int = hp(5, "DeepWalk copy in the CrossWalk repository, command-line default")
    dim: int = hp(64, "DeepWalk copy in the CrossWalk repository, command-line default")
    skipgram_epochs: int = hp(5, "gensim default, in force in the authors' code of all three")
    negatives: int = hp(5, "gensim default, in force in the authors' code of all three")
    classifier: str = hp("logistic", "ours: soft scores; 'propagation' is CrossWalk's, on a sparse graph")
    inverse_strength: float = hp(0.0, f"ours: C of the logistic regression; 0: the best of {STRENGTHS} on validation")
    neighbors: int = hp(10, "ours: k of the label propagation's graph")

    def weights(self, graph: Graph) -> sp.csr_array:
        """Step probabilities, row-stochastic CSR [N, N]."""
        raise NotImplementedError

    def skip(self, graph: Graph) -> str | None:
        return None if graph.num_edges else "no edges to walk on"

    def fit(self, graph: Graph, split: NodeSplit, seed: int, device: str = "cpu") -> Scores:
        if self.classifier not in ("logistic", "propagation"):
            raise ValueError(f"unknown classifier {self.classifier!r}. Valid: logistic, propagation")
        paths = walks(self.weights(graph), self.per_node, self.length, rng("walks", seed))
        z = skipgram(paths, graph.num_nodes, dim=self.dim, window=self.window, epochs=self.skipgram_epochs,
                     negatives=self.negatives, seed=derive("skip-gram", seed))
        alone = graph.degree() == 0
        z[alone] = 0.0  # its random start would be all that is left of it
        y, isolated = graph.y, int(alone.sum())
        if self.classifier == "propagation":
            logits = propagate_labels(z, split.train, y[split.train], self.neighbors)
            return Scores(logits, None, log_loss(logits[split.val], y[split.val]), {"isolated": isolated}, embedding=z)
        best = None
        for c in (self.inverse_strength,) if self.inverse_strength else STRENGTHS:
            model = LogisticRegression(C=c, max_iter=2000).fit(z[split.train], y[split.train])
            logits = model.decision_function(z).astype(np.float64)
            loss = log_loss(logits[split.val], y[split.val])
            if best is None or loss < best[0]:
                best = loss, c, logits
        return Scores(best[2], None, best[0], {"inverse_strength": best[1], "isolated": isolated}, embedding=z)


def log_loss(logits: np.ndarray, y: np.ndarray) -> float:
    """Mean binary cross-entropy of logits [n] for labels 0/1 [n]."""
    return float(np.mean(np.logaddexp(0.0, logits) - logits * y))


def propagate_labels(z: np.ndarray, known: np.ndarray, y: np.ndarray, k: int, steps: int = 1000) -> np.ndarray:
    """Label propagation (Zhu and Ghahramani, 2002) on the symmetrised k-nearest-neighbour graph of an embedding.

    Args:
        z: Embedding [N, D].
        known: Nodes that keep their label, int [n].
        y: Their labels 0/1 [n].
        k: Neighbours of each node before symmetrising.
        steps: Most iterations; it stops when no score moves by more than 1e-6.

    Returns:
        Log-odds [N]; nodes that no label reaches stay at the share of positives.
    """
    graph = kneighbors_graph(z, min(k, len(z) - 1), include_self=False)
    p = uniform_weights(graph.maximum(graph.T))
    share = np.full(len(z), y.mean())
    share[known] = y
    for _ in range(steps):
        moved = np.where(np.diff(p.indptr) > 0, p @ share, share)
        moved[known] = y
        done = np.abs(moved - share).max() < 1e-6
        share = moved
        if done:
            break
    share = np.clip(share, 1e-6, 1 - 1e-6)
    return np.log(share) - np.log1p(-share)


@NODE_METHODS.register("deepwalk")
@dataclass(frozen=True)
class DeepWalk(Walker):
    """The next node is any neighbour with equal probability."""

    label = "DeepWalk"
    family = "baseline"
    notion = "none"
    reference = "perozzi2014deepwalk"

    def weights(self, graph: Graph) -> sp.csr_array:
        return uniform_weights(graph.adjacency())
