"""A multilayer perceptron on node features: what is possible without any edge."""

from __future__ import annotations

from dataclasses import dataclass

from fairgl.methods.nodes.gcn import Supervised
from fairgl.registry import NODE_METHODS, hp


@NODE_METHODS.register("mlp")
@dataclass(frozen=True)
class MLP(Supervised):
    """Two linear layers with ReLU and dropout, a linear head, trained like the GCN baseline."""

    label = "MLP"
    reference = "none"
    encoder = "mlp"
    hidden: int = hp(16, "hidden width of the benchmark library's GNN, so that MLP and GCN differ by the edges only")
