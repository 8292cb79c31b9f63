"""The constant predictor: every node gets the same score, the prior of the labels it may see.

It is perfectly fair by statistical parity and useless, which is why every table shows it: a small difference means
little where the constant is already there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairgl.graph import Graph
from fairgl.methods import NodeMethod, Scores
from fairgl.registry import NODE_METHODS
from fairgl.splits import NodeSplit


@NODE_METHODS.register("constant")
@dataclass(frozen=True)
class Constant(NodeMethod):
    """Log-odds of class 1 among visible labels outside of the training part, smoothed by one node of each class.

    The training part is no guide to the prior, since the benchmark's split rule balances it.
    """

    label = "Constant"
    family = "baseline"
    reference = "none"

    def fit(self, graph: Graph, split: NodeSplit, seed: int, device: str = "cpu") -> Scores:
        seen = np.delete(graph.y, split.train)
        odds = ((seen == 1).sum() + 1.0) / ((seen == 0).sum() + 1.0)
        logits = np.full(graph.num_nodes, np.log(odds))
        return Scores(logits=logits, predict=lambda other: np.full(other.num_nodes, np.log(odds)))
