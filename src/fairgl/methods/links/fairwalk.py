"""FairWalk (Rahman et al., 2019) for links, and DeepWalk beside it: skip-gram on walks, scores by inner product.

Settings of the reproducibility study, Table 8: 20 walks of 80 nodes from every node, window 10, 128 dimensions, 5
negatives, 5 epochs. Its learning rate 3e-4 is not used by its code; gensim's 0.025 is. Walks follow training edges.

Deviation LINK-6: walks may take an edge in both directions. The published code walked from the smaller to the larger
node number only, so that its walks had 4.2 to 4.8 nodes on average instead of 80; ``one_way=True`` gives that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from fairgl.graph import Graph
from fairgl.link_splits import LinkSplit
from fairgl.link_training import message_matrix
from fairgl.methods.links import LinkMethod, LinkScores
from fairgl.registry import LINK_METHODS, hp
from fairgl.seeding import derive, rng
from fairgl.skipgram import skipgram
from fairgl.walks import fairwalk_weights, uniform_weights, walks


@dataclass(frozen=True)
class WalkPredictor(LinkMethod):
    """Node embeddings from walks with any step probabilities; a pair's score is the inner product.

    Cost: O(N walks length) tokens, each in O(window dim (1 + negatives)). Features are not used,
    and there may be any number of groups.
    """

    per_node: int = hp(20, "reproducibility study, Table 8")
    length: int = hp(80, "reproducibility study, Table 8")
    window: int = hp(10, "reproducibility study, Table 8")
    dim: int = hp(128, "reproducibility study, Table 8")
    negatives: int = hp(5, "reproducibility study, Table 8")
    skipgram_epochs: int = hp(5, "reproducibility study, Table 8")
    lr: float = hp(0.025, "gensim default, in force in the reproducibility study's code")
    one_way: bool = hp(False, "ours (LINK-6); the published code is one-way")

    def weights(self, adjacency: sp.csr_array, sens: np.ndarray) -> sp.csr_array:
        """Step probabilities, row-stochastic CSR [N, N]."""
        raise NotImplementedError

    def fit(self, graph: Graph, split: LinkSplit, seed: int, device: str = "cpu") -> LinkScores:
        hears = message_matrix(split.train.positives, graph.num_nodes, self.one_way)
        steps = self.weights(sp.csr_array(hears.T), graph.sens)  # a walk follows an edge, a message comes along it
        paths = walks(steps, self.per_node, self.length, rng("link walks", seed))
        z = skipgram(paths, graph.num_nodes, dim=self.dim, window=self.window, epochs=self.skipgram_epochs,
                     negatives=self.negatives, lr=self.lr, seed=derive("link skip-gram", seed))  # fmt: skip
        z = z.astype(np.float64)
        val, test = (np.einsum("ij,ij->i", *z[c.pairs.T]) for c in (split.val, split.test))
        loss = float(np.logaddexp(0.0, np.where(split.val.label == 1, -val, val)).mean()) if len(val) else None
        return LinkScores(val, test, None, loss, {"mean_walk": float((paths >= 0).sum(axis=1).mean())})


@LINK_METHODS.register("fairwalk")
@dataclass(frozen=True)
class FairWalk(WalkPredictor):
    """First a group among those present in the neighbourhood, then a neighbour in it."""

    label = "FairWalk"
    family = "pre-processing"
    notion = "group"
    reference = "rahman2019fairwalk"

    def weights(self, adjacency: sp.csr_array, sens: np.ndarray) -> sp.csr_array:
        return fairwalk_weights(adjacency, sens)


@LINK_METHODS.register("deepwalk")
@dataclass(frozen=True)
class DeepWalk(WalkPredictor):
    """Any neighbour with equal probability: what FairWalk's step is compared with."""

    label = "DeepWalk"
    family = "baseline"
    notion = "none"
    reference = "perozzi2014deepwalk"

    def weights(self, adjacency: sp.csr_array, sens: np.ndarray) -> sp.csr_array:
        return uniform_weights(adjacency)
