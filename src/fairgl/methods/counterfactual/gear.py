r"""GEAR (Ma et al., 2022): representations that agree on a node's subgraph and on its counterfactual subgraphs.

Each node is seen through the subgraph of its 30 closest nodes (:mod:`fairgl.subgraphs`). CFDA draws three augmented
graphs, with s inverted, 0 for all and 1 for all (:mod:`fairgl.methods.gear_augmentation`). A Siamese network is
trained on :math:`\lambda \cdot \tfrac12 [D(h, p') + D(h', p)]`, the mean over augmented graphs, and then, on the
gradient of both, on :math:`(1 - \lambda) \cdot \tfrac12 \mathrm{BCE}`; p projects and h predicts, D is minus the
cosine to a gradient-free target.

Only the split's nodes have subgraphs and scores; logits elsewhere are NaN, and ``predict`` scores test nodes.
Cost per step O(batch K H + batch H²); memory O(n K F) for n split nodes with K-node subgraphs.
Deviations: GEAR-1, GEAR-2 in subgraphs, GEAR-3 to GEAR-6 in the augmentation; GEAR-7 subgraphs of an augmented or
counterfactual graph follow its own edges (``neighbourhoods="factual"`` is what the authors released).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm
from torch.nn.utils.parametrize import cached

from fairgl.graph import Graph
from fairgl.methods import NodeMethod, Scores, require_binary_groups
from fairgl.methods.gear_augmentation import Augmentation, augment
from fairgl.methods.nodes.nifty import similarity
from fairgl.nn import Linear
from fairgl.registry import COUNTERFACTUAL_METHODS, hp
from fairgl.seeding import rng, torch_seed
from fairgl.splits import NodeSplit
from fairgl.subgraphs import Subgraphs, induced, subgraphs
from fairgl.training import adam, numpy, run_epochs
from fairgl.views import scale_features

CHUNK = 512  # centres scored at a time
Read = tuple[Tensor, Tensor]  # rows [n, K, F] and weight [n, K] of Subgraphs.read


class Siamese(nn.Module):
    """Encoder, projector, predictor and classifier; every linear map is spectrally normalised, as the authors do."""

    def __init__(self, in_dim: int, hidden: int, projection: int, dropout: float):
        super().__init__()
        self.first, self.second = spectral_norm(Linear(in_dim, hidden)), spectral_norm(Linear(hidden, hidden))
        self.between = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(hidden), nn.Dropout(dropout))
        self.project = nn.Sequential(spectral_norm(Linear(hidden, projection)), nn.BatchNorm1d(projection), nn.ReLU(),
                                     spectral_norm(Linear(projection, hidden)), nn.BatchNorm1d(hidden))
        self.predict = nn.Sequential(spectral_norm(Linear(hidden, hidden)), nn.BatchNorm1d(hidden), nn.ReLU(),
                                     spectral_norm(Linear(hidden, hidden)))
        self.head = spectral_norm(Linear(hidden, 1))

    def encode(self, read: Read) -> Tensor:
        """Two layers of mean aggregation with unit-length outputs, read off the centre: [n, H]."""
        rows, weight = read
        owner, place = torch.nonzero(weight, as_tuple=True)
        h = self.between(nn.functional.normalize(self.first(rows[owner, place]), dim=-1))
        mean = h.new_zeros(len(rows), h.shape[1]).index_add(0, owner, h * weight[owner, place, None])
        return nn.functional.normalize(self.second(mean), dim=-1)

    def score(self, read: Read) -> Tensor:
        """Logits [n]."""
        return self.head(self.encode(read)).squeeze(-1)


def agreement(model: Siamese, z: Tensor, others: Sequence[Tensor]) -> Tensor:
    r"""Mean over augmented graphs of :math:`\tfrac12 [D(h, p') + D(h', p)]`, in [-1, 1]."""
    projected = [model.project(part) for part in (z, *others)]
    predicted = [model.predict(part) for part in projected]
    pairs = [similarity((predicted[0], predicted[k]), (projected[0], projected[k]), slice(None))
             for k in range(1, len(projected))]  # fmt: skip
    return sum(pairs) / len(pairs)


@COUNTERFACTUAL_METHODS.register("gear")
@dataclass(frozen=True)
class GEAR(NodeMethod):
    """Siamese subgraph encoder trained on counterfactually augmented graphs."""

    label = "GEAR"
    family = "in-processing"
    notion = "counterfactual"
    reference = "ma2022gear"

    scale: str = hp("minmax11", "authors (bail, credit); their synthetic graph is used as it is")
    hidden: int = hp(1024, "authors' argument default")
    projection: int = hp(16, "authors' argument default")
    dropout: float = hp(0.5, "authors' argument default")
    similarity: float = hp(0.6, "lambda, authors' argument default", search=(0.2, 0.4, 0.6, 0.8))
    size: int = hp(30, "nodes of a subgraph, authors' argument default")
    steps: int = hp(10, "of PageRank, authors' argument default")
    tolerance: float = hp(1e-5, "ours (GEAR-1): at least 99.5 % of the exact subgraph nodes on credit and recidivism")
    neighbourhoods: str = hp("own", "ours (GEAR-7), or 'factual', as the authors released")
    batch: int = hp(100, "authors' argument default")
    lr: float = hp(1e-3, "authors' argument default")
    weight_decay: float = hp(1e-5, "authors' argument default")
    epochs: int = hp(1000, "steps of one batch each, authors' argument default")
    every: int = hp(100, "authors: every 100th step is a candidate")
    augmentation_epochs: int = hp(40, "ours (GEAR-3); authors 2,000 at a tenth of our learning rate")
    augmentation_lr: float = hp(1e-3, "ours (GEAR-3); authors 1e-4")
    augmentation_rows: int = hp(128, "ours (GEAR-3): adjacency rows in each step; authors all, which 0 takes")
    augmentation_kind: str = hp("symmetric", "ours (GEAR-4); authors 'sum'")

    dataset_settings = {"gear-synthetic": {"scale": "none"}, "gear-dial": {"scale": "none"}}

    def skip(self, graph: Graph) -> str | None:
        if graph.sens_column is None:
            return f"counterfactual subgraphs need {graph.sens_name} among the features"
        if sp.issparse(graph.x):
            return "defined for dense features"
        return require_binary_groups(graph)

    def fit(self, graph: Graph, split: NodeSplit, seed: int, device: str = "cpu") -> Scores:
        if self.neighbourhoods not in ("own", "factual"):
            raise ValueError(f"unknown neighbourhoods {self.neighbourhoods!r}. Valid: own, factual")
        torch_seed(seed)
        draw = rng("gear batches", seed)
        x = scale_features(graph, self.scale)
        settings = Augmentation(lr=self.augmentation_lr, epochs=self.augmentation_epochs, rows=self.augmentation_rows,
                                kind=self.augmentation_kind)  # fmt: skip
        augmented, diagnostics = augment(graph, x, settings, device)
        base = {part: self.look(graph, getattr(split, part)) for part in ("train", "val", "test")}

        def reads(part: str) -> list[Read]:
            graphs = [graph.replace(x=x), *augmented]
            return [self.read(other, self.follow(base[part], graph, other, getattr(split, part)), device)
                    for other in graphs]  # fmt: skip

        train, val = reads("train"), reads("val")
        y = torch.from_numpy(graph.y).float().to(device)
        y_train, y_val = y[torch.from_numpy(split.train)], y[torch.from_numpy(split.val)]
        model = Siamese(x.shape[1], self.hidden, self.projection, self.dropout).to(device)
        encoder = (model.first, model.second, model.between)
        agree = adam(*encoder, model.project, model.predict, lr=self.lr, weight_decay=self.weight_decay)
        classify = adam(*encoder, model.head, lr=self.lr, weight_decay=self.weight_decay)
        bce = nn.functional.binary_cross_entropy_with_logits

        def step(_: int) -> None:
            size = min(self.batch, len(split.train))
            index = torch.from_numpy(draw.choice(len(split.train), size, replace=False)).to(device)
            batch = [(rows[index], weight[index]) for rows, weight in train]
            agree.zero_grad()
            classify.zero_grad()
            with cached():  # each weight is normalised once, not at each of its four uses
                z, *others = (model.encode(read) for read in batch)
                (self.similarity * agreement(model, z, others)).backward()
            agree.step()
            # As in the authors' code the encoder's gradient of the first loss stays, so the second step sees the sum.
            ((1 - self.similarity) * bce(model.score(batch[0]), y_train[index]) / 2).backward()
            classify.step()

        def validate(_: int) -> float:
            z, *others = (torch.cat([model.encode(part) for part in _chunks(read)]) for read in val)
            loss = bce(model.head(z).squeeze(-1), y_val) / 2
            return float(self.similarity * agreement(model, z, others) + (1 - self.similarity) * loss)

        best = run_epochs(step, validate, [model], epochs=self.epochs, every=self.every)

        def scored(parts: dict[str, Read]) -> np.ndarray:
            logits = np.full(graph.num_nodes, np.nan)
            with torch.no_grad():
                for part, read in parts.items():
                    z = torch.cat([model.score(chunk) for chunk in _chunks(read)])
                    logits[getattr(split, part)] = numpy(z)
            return logits

        def predict(other: Graph) -> np.ndarray:
            found = self.follow(base["test"], graph, other, split.test)
            scaled = other.replace(x=scale_features(other, self.scale, like=graph))
            return scored({"test": self.read(scaled, found, device)})

        test = self.read(graph.replace(x=x), base["test"], device)
        return Scores(scored({"train": train[0], "val": val[0], "test": test}), best.epoch, best.value, diagnostics,
                      predict)  # fmt: skip

    def look(self, graph: Graph, centres: np.ndarray) -> Subgraphs:
        """Subgraphs of a graph around some nodes."""
        return subgraphs(graph, centres, self.size, steps=self.steps, tolerance=self.tolerance)

    def follow(self, found: Subgraphs, graph: Graph, other: Graph, centres: np.ndarray) -> Subgraphs:
        """The subgraphs of another graph around the same nodes, given the factual ones."""
        if np.array_equal(graph.edges, other.edges):
            return found
        if self.neighbourhoods == "factual":
            return Subgraphs(found.nodes, induced(other, found.nodes))
        return self.look(other, centres)

    @staticmethod
    def read(graph: Graph, found: Subgraphs, device: str) -> Read:
        """What the encoder needs of the subgraphs, on a device."""
        return tuple(torch.from_numpy(part).to(device) for part in found.read(graph.x))


def _chunks(read: Read) -> Sequence[Read]:
    return list(zip(read[0].split(CHUNK), read[1].split(CHUNK), strict=True))
