"""FairEGM (Current et al., 2022), its variant Fair Edge Weighting: edge weights are learned for dyadic fairness alone.

Every epoch, the encoder takes a step of the link loss and the edge weights take a step of the fairness loss, the
squared gap between the mean scores of same-group and cross-group pairs (parity of all pairs, from group sums).

Deviations (LINK-11): weights exist for the edges only, where the authors keep an N x N kernel times the adjacency (that
is why the method ran out of memory on large graphs); they multiply the symmetrically scaled adjacency from a start at 1
and stay non-negative; the link loss uses the split's pairs in place of all N x N; the learning rate is 0.01, because at
the authors' 0.0001 three hundred steps hardly move the weights; the epoch is selected on validation pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, one_hot

from fairgl.edge_weights import EdgeWeights, propagate
from fairgl.graph import Graph
from fairgl.link_splits import LinkSplit
from fairgl.link_training import Pairs, message_matrix, symmetric_scaling
from fairgl.methods.links import LinkMethod, LinkScores
from fairgl.methods.links.fairadj import parity_gap
from fairgl.nn import Linear
from fairgl.registry import LINK_METHODS, hp
from fairgl.seeding import torch_seed
from fairgl.sparse import features
from fairgl.training import numpy, run_epochs
from fairgl.views import scale_features


class WeightedEncoder(nn.Module):
    """Two convolutions on weighted edges: (W A) ReLU((W A) X W1) W2."""

    def __init__(self, in_dim: int, hidden: int, width: int, base: Tensor, w: EdgeWeights):
        super().__init__()
        self.first, self.second = Linear(in_dim, hidden), Linear(hidden, width)
        self.factors, self.base, self.w = nn.Parameter(torch.ones_like(base)), base, w

    def forward(self, x: Tensor) -> Tensor:
        values = self.factors * self.base
        h = propagate(values, self.first(x), self.w).relu()
        return propagate(values, self.second(h), self.w)  # [N, width]


@LINK_METHODS.register("fairegm")
@dataclass(frozen=True)
class FairEGM(LinkMethod):
    """Fair edge weighting. Any number of groups: pairs are same-group or not. Cost of an epoch: O(nnz(A) hidden)."""

    label = "FairEGM"
    family = "in-processing"
    notion = "group"
    reference = "current2022fairegm"

    scale: str = hp("minmax01", "ours: as the other link predictors")
    hidden: int = hp(32, "authors' README")
    width: int = hp(16, "authors' README")
    epochs: int = hp(300, "authors' README")
    lr: float = hp(0.01, "ours (LINK-11)")
    fair_lr: float = hp(0.01, "ours (LINK-11)")
    patience: int = hp(50, "ours (LINK-5)")

    def fit(self, graph: Graph, split: LinkSplit, seed: int, device: str = "cpu") -> LinkScores:
        torch_seed(seed)
        n = graph.num_nodes
        matrix = symmetric_scaling(message_matrix(split.train.positives, n))
        w, base = EdgeWeights(matrix, device), torch.from_numpy(matrix.data).to(device)
        x = features(scale_features(graph, self.scale), device)
        model = WeightedEncoder(graph.num_features, self.hidden, self.width, base, w).to(device)
        groups = one_hot(torch.from_numpy(graph.sens).to(device), graph.num_groups).float()
        theta = [q for name, q in model.named_parameters() if name != "factors"]
        task, fair = torch.optim.Adam(theta, lr=self.lr), torch.optim.Adam([model.factors], lr=self.fair_lr)
        parts = {part: getattr(split, part) for part in ("train", "val", "test")}
        pairs = {part: Pairs(c.pairs, n, device) for part, c in parts.items()}
        labels = {part: pairs[part].sorted(c.label, device) for part, c in parts.items()}

        def step(_: int) -> None:
            z = model(x)
            gradients = torch.autograd.grad(
                binary_cross_entropy_with_logits(pairs["train"].dot(z), labels["train"]), theta, retain_graph=True
            )
            (of_factors,) = torch.autograd.grad(parity_gap(z, groups) ** 2, [model.factors])
            for parameter, gradient in zip(theta, gradients, strict=True):
                parameter.grad = gradient
            model.factors.grad = of_factors
            task.step()
            fair.step()
            with torch.no_grad():
                model.factors.clamp_(min=0.0)

        def validate(_: int) -> float:
            return binary_cross_entropy_with_logits(pairs["val"].dot(model(x)), labels["val"]).item()

        best = run_epochs(step, validate, [model], epochs=self.epochs, patience=self.patience)
        with torch.no_grad():
            z = model(x)
            gap = float(parity_gap(z, groups))
            val, test = (pairs[p].restore(torch.from_numpy(numpy(pairs[p].dot(z)))) for p in ("val", "test"))
        spread = [float(q) for q in np.quantile(model.factors.detach().cpu().numpy(), (0.05, 0.5, 0.95))]
        return LinkScores(val, test, best.epoch, best.value, {"parity_gap": gap, "factors": spread})
