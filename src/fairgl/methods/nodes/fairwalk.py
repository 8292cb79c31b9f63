"""FairWalk (Rahman et al., 2019): first a group among those present in the neighbourhood, then a neighbour in it.

A neighbour u of v is taken with probability 1 / (groups present x neighbours of u's group). First order, as the
authors' code; everything after the steps is DeepWalk's (``deepwalk.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import scipy.sparse as sp

from fairgl.graph import Graph
from fairgl.methods.nodes.deepwalk import Walker
from fairgl.registry import NODE_METHODS
from fairgl.walks import fairwalk_weights


@NODE_METHODS.register("fairwalk")
@dataclass(frozen=True)
class FairWalk(Walker):
    """Every group among the neighbours is equally likely to be stepped to."""

    label = "FairWalk"
    reference = "rahman2019fairwalk"

    def weights(self, graph: Graph) -> sp.csr_array:
        return fairwalk_weights(graph.adjacency(), graph.sens)
