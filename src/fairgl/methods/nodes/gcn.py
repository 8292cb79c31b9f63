"""Two-layer GCN, the main graph baseline (Kipf and Welling, 2017).

The benchmark's "GNN" row is another model, one linear convolution; it is here as ``gnn`` (see ``gnn.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fairgl.graph import Graph
from fairgl.methods import NodeMethod, Scores
from fairgl.nn import Classifier, encoder, propagation_for
from fairgl.registry import NODE_METHODS, hp
from fairgl.seeding import torch_seed
from fairgl.sparse import features
from fairgl.splits import NodeSplit
from fairgl.training import node_data, numpy, train_classifier
from fairgl.views import scale_features


@dataclass(frozen=True)
class Supervised(NodeMethod):
    """A classifier trained by cross-entropy alone, selected by validation cross-entropy.

    Shapes: features [N, F] to logits [N]. Cost: O(nnz(P) H + N F H) per epoch, memory O(nnz(P) + N (F + H)).
    """

    family = "baseline"
    notion = "none"
    encoder: ClassVar[str] = "gcn"
    spectral_head: ClassVar[bool] = False

    scale: str = hp("minmax11", "NIFTY, EDITS and FairVGNN authors (credit, recidivism); raw amounts up to 51,430")
    hidden: int = hp(16, "benchmark library and NIFTY authors")
    layers: int = hp(2, "Kipf and Welling (2017)")
    dropout: float = hp(0.5, "Kipf and Welling (2017); FairGNN authors' baseline", search=(0.0, 0.5))
    lr: float = hp(1e-3, "NIFTY and FairGNN authors", search=(1e-3, 1e-2))
    weight_decay: float = hp(1e-5, "NIFTY and FairGNN authors")
    epochs: int = hp(1000, "NIFTY authors")

    def build(self, in_dim: int) -> Classifier:
        """The untrained model."""
        options = {} if self.encoder == "mlp" else self.body_options()
        body = encoder(self.encoder, in_dim, hidden=self.hidden, layers=self.layers, dropout=self.dropout, **options)
        return Classifier(body, spectral=self.spectral_head)

    def body_options(self) -> dict:
        """Further options of the encoder."""
        return {}

    def fit(self, graph: Graph, split: NodeSplit, seed: int, device: str = "cpu") -> Scores:
        torch_seed(seed)
        data = node_data(graph, split, device, x=scale_features(graph, self.scale), encoder=self.encoder)
        model = self.build(data.in_dim).to(device)
        best = train_classifier(model, data, lr=self.lr, weight_decay=self.weight_decay, epochs=self.epochs)

        def predict(other: Graph):
            x = features(scale_features(other, self.scale, like=graph), device)
            return numpy(model(x, propagation_for(self.encoder, other, device)))

        return Scores(numpy(model(data.x, data.p)), best.epoch, best.value, predict=predict)


@NODE_METHODS.register("gcn")
@dataclass(frozen=True)
class GCN(Supervised):
    """Two graph convolutions with ReLU and dropout between, and a linear head."""

    label = "GCN"
    reference = "kipf2017gcn"
