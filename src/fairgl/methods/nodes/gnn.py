"""The "GNN" row of the benchmark: one graph convolution without activation, then a linear layer.

It is logistic regression on one-hop averaged features, the backbone that five of the benchmark's methods share.
Reference: the released library's vanilla model; NIFTY's authors use the same without spectral norm on the head.
"""

from __future__ import annotations

from dataclasses import dataclass

from fairgl.methods.nodes.gcn import Supervised
from fairgl.registry import NODE_METHODS, hp


@NODE_METHODS.register("gnn")
@dataclass(frozen=True)
class GNN(Supervised):
    """Â X W + b with 16 hidden units, no activation, no dropout, spectrally normalised head."""

    label = "GNN (linear)"
    reference = "dong2024benchmark"
    spectral_head = True
    dataset_settings = {"german": {"scale": "none"}}  # the NIFTY, EDITS and FairVGNN authors leave German untouched
    layers: int = hp(1, "benchmark library 1.1.1, GNN")
    dropout: float = hp(0.0, "benchmark library 1.1.1, GNN (accepted there, unused)")
    lr: float = hp(1e-3, "benchmark library 1.1.1, GNN", search=(1e-3, 1e-2))
    epochs: int = hp(1000, "NIFTY authors; the library runs 301")

    def body_options(self) -> dict:
        return {"activation": False}
