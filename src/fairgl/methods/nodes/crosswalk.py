"""CrossWalk (Khajehnejad et al., 2022): edges near and across group boundaries are walked more often.

The boundary proximity of a node is the expected share of other-group nodes on a short uniform walk. The authors
estimate it from 1,000 walks per node; here it is exact, from a few sparse products (deviation CrossWalk-1). Everything
after the steps is DeepWalk's (``deepwalk.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import scipy.sparse as sp

from fairgl.graph import Graph
from fairgl.methods.nodes.deepwalk import Walker
from fairgl.registry import NODE_METHODS, hp
from fairgl.walks import crosswalk_weights


@NODE_METHODS.register("crosswalk")
@dataclass(frozen=True)
class CrossWalk(Walker):
    """A share ``alpha`` of the steps crosses to other groups; the rest leans towards nodes near the boundary."""

    label = "CrossWalk"
    reference = "khajehnejad2022crosswalk"

    alpha: float = hp(0.5, "authors, node classification on Rice", search=(0.3, 0.5, 0.7))
    exponent: float = hp(1.0, "authors, node classification on Rice", search=(1.0, 4.0))
    proximity_length: int = hp(5, "authors' scripts")

    def weights(self, graph: Graph) -> sp.csr_array:
        return crosswalk_weights(graph.adjacency(), graph.sens, self.alpha, self.exponent, self.proximity_length)
