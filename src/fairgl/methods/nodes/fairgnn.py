r"""FairGNN (Dai and Wang, 2021): an adversary and a covariance penalty against an estimated sensitive attribute.

Three steps. (1) An estimator, a two-layer GCN, learns the attribute from the few nodes where it is known and gives
every other node a soft pseudo-attribute :math:`\hat s`. (2) Backbone and classifier minimise
:math:`L_C + \alpha L_R - \beta L_A` while (3) an adversary minimises :math:`L_A`; see :func:`objective` for the terms.
The paper writes one min-max problem with an estimator loss; the authors' code, followed here, trains the estimator
first.

Cost: O(nnz(P) H + N F H + N H^2) per epoch, memory O(nnz(P) + N (F + H)): nothing is N x N.
Deviations (book/deviations.md): FairGNN-1 floors relative to a vanilla GCN, FairGNN-2 the attribute leaves the
features, FairGNN-3 scaled features, FairGNN-4 group 0 against the rest, FairGNN-5 early stopping.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

from fairgl.graph import Graph
from fairgl.methods import NodeMethod, Scores
from fairgl.metrics.group import equal_opportunity_difference, statistical_parity_difference
from fairgl.metrics.utility import accuracy, auc
from fairgl.nn import GCN, Classifier, Linear, propagation_for
from fairgl.registry import NODE_METHODS, hp
from fairgl.seeding import rng, torch_seed
from fairgl.sparse import Sparse, features
from fairgl.splits import NodeSplit
from fairgl.training import Best, NodeData, adam, bce, node_data, numpy, run_epochs, train_classifier
from fairgl.views import scale_features


def objective(
    logits: Tensor, guess: Tensor, y: Tensor, train: Tensor, pseudo: Tensor, alpha: float, beta: float
) -> Tensor:
    r"""The loss of backbone and classifier, with the adversary fixed.

    :math:`L_C` is the cross-entropy on the training nodes, :math:`L_R = |\mathrm{Cov}(\hat s, \hat y)|` over all nodes
    with :math:`\hat y` the predicted probability, :math:`L_A` the adversary's cross-entropy for :math:`\hat s`.

    Args:
        logits: [N] of the classifier.
        guess: [N] logits of the adversary.
        y: [N] labels 0/1, used on ``train`` only.
        pseudo: [N] (estimated) attribute in [0, 1], a constant.
    """
    covariance = ((pseudo - pseudo.mean()) * (logits.sigmoid() - logits.sigmoid().mean())).mean()
    return bce(logits, y, train) + alpha * covariance.abs() - beta * cross_entropy(guess, pseudo)


def criterion(y: np.ndarray, scores: np.ndarray, sens: np.ndarray, floors: tuple[float, float]) -> float:
    """Selection on validation nodes, lower is better: the unfairness of an epoch that is useful enough.

    Args:
        y, scores, sens: Labels 0/1, logits and groups of the validation nodes.
        floors: Least accuracy and AUC.

    Returns:
        Statistical parity plus equal opportunity difference, in [0, 2], where both floors hold; otherwise 2 plus what
        is missing, so that the most useful epoch is taken if none reaches the floors. An undefined difference counts 0.
    """
    pred = (scores > 0).astype(np.int64)
    missing = [max(0.0, floors[0] - accuracy(y=y, pred=pred)), max(0.0, floors[1] - _or(auc(y=y, score=scores), 0.5))]
    if sum(missing) > 0:
        return 2.0 + sum(missing)
    gaps = statistical_parity_difference(pred=pred, sens=sens), equal_opportunity_difference(y=y, pred=pred, sens=sens)
    return sum(_or(gap, 0.0) for gap in gaps)


def receptive(x: Tensor, p: Sparse, index: Tensor) -> tuple[Tensor, Sparse]:
    """What two convolutions need for the nodes ``index`` alone, given x = P X: rows of x and the block of P. Exact."""
    csr = p.matrix.cpu()
    rows = sp.csr_array((csr.values().numpy(), csr.col_indices().numpy(), csr.crow_indices().numpy()), shape=p.shape)
    rows = rows[index.cpu().numpy()]
    columns = np.unique(rows.indices)
    return x[torch.from_numpy(columns).to(x.device)], Sparse(rows[:, columns], p.device)


def _or(value: float, instead: float) -> float:
    return instead if math.isnan(value) else float(value)


@NODE_METHODS.register("fairgnn")
@dataclass(frozen=True)
class FairGNN(NodeMethod):
    """Two-layer GCN, classifier and adversary, with an estimator for the attribute of most nodes."""

    label = "FairGNN"
    family = "in-processing"
    notion = "group"
    reference = "dai2021fairgnn"
    dataset_settings = {  # authors' GCN scripts
        "pokec-z": {"alpha": 100.0, "beta": 1.0},
        "pokec-n": {"alpha": 50.0, "beta": 1.0, "epochs": 1800},
        "nba": {"alpha": 10.0, "beta": 1.0, "known": 50},
    }

    scale: str = hp("minmax11", "authors (NBA only); raw amounts reach 51,430 here")
    keep_sensitive: bool = hp(False, "authors: the attribute is removed from the features; the benchmark keeps it")
    hidden: int = hp(128, "authors' GCN scripts")
    layers: int = hp(2, "authors' GCN")
    dropout: float = hp(0.5, "authors' argument default")
    alpha: float = hp(4.0, "authors' argument default; scripts use 4 to 100", search=(1.0, 4.0, 10.0, 50.0, 100.0))
    beta: float = hp(0.01, "authors' argument default; GCN scripts use 1", search=(0.01, 0.1, 1.0))
    known: int = hp(200, "authors' Pokec scripts: nodes whose attribute is known (NBA 50)")
    estimator_epochs: int = hp(800, "authors' scripts")
    epochs: int = hp(2000, "authors' scripts (Pokec-n 1,800)")
    lr: float = hp(1e-3, "authors' argument default")
    weight_decay: float = hp(1e-5, "authors' argument default")
    margin: float = hp(0.02, "ours: authors' fixed floors lie near their vanilla GCN's scores")
    every: int = hp(1, "authors: every epoch is a candidate")
    patience: int = hp(0, "authors: none; 0 switches early stopping off")

    def fit(self, graph: Graph, split: NodeSplit, seed: int, device: str = "cpu") -> Scores:
        torch_seed(seed)
        data = node_data(graph, split, device, x=self.inputs(graph))
        x, options = data.x, {}
        if isinstance(x, Tensor):  # P X is constant: the first convolution becomes a dense product
            x, options = data.p @ x, {"propagated": True}
        first = NodeData(x, data.p, data.y, data.s, data.train, data.val)
        # Deviation FairGNN-4: more than two groups become "first group" against "any other", as in the authors' code.
        group = (data.s > 0).float()
        pseudo, estimated = self.estimate(first, group, graph, split, seed, options)

        vanilla = self.build(data.in_dim).to(device)
        train_classifier(vanilla, first, lr=self.lr, weight_decay=self.weight_decay, epochs=self.epochs,
                         patience=self.patience or 100, **options)
        y, sens = graph.y[split.val], graph.sens[split.val]
        with torch.no_grad():
            scores = numpy(vanilla(x, data.p, **options))[split.val]
        # Deviation FairGNN-1: the authors give absolute floors per data set; these travel to any data set.
        floors = accuracy(y=y, pred=(scores > 0).astype(np.int64)) - self.margin, auc(y=y, score=scores) - self.margin

        model = self.build(data.in_dim).to(device)
        best = self.contend(model, first, pseudo, lambda z: criterion(y, z[split.val], sens, floors), options)
        with torch.no_grad():
            logits = model(x, data.p, **options)
            loss = bce(logits, data.y, data.val).item()
        diagnostics = {"criterion": best.value, "floors_met": best.value <= 2.0, "accuracy_floor": floors[0],
                       "auc_floor": floors[1], "estimator_val_accuracy": estimated,
                       "epochs_run": best.history[-1][0] + 1}

        def predict(other: Graph) -> np.ndarray:
            inputs = features(self.inputs(other, like=graph), device)
            with torch.no_grad():
                return numpy(model(inputs, propagation_for("gcn", other, device)))

        return Scores(numpy(logits), best.epoch, loss, diagnostics, predict)

    def inputs(self, graph: Graph, like: Graph | None = None) -> np.ndarray | sp.csr_matrix:
        """Scaled features, without the attribute unless ``keep_sensitive``."""
        x = scale_features(graph, self.scale, like=like)
        # Deviation FairGNN-2: as in the authors' code; the benchmark feeds the attribute to every method.
        if self.keep_sensitive or graph.sens_column is None or graph.num_features == 1:
            return x
        return x[:, np.delete(np.arange(graph.num_features), graph.sens_column)]

    def build(self, in_dim: int) -> Classifier:
        """An untrained two-layer GCN with a linear head: estimator, vanilla model and backbone alike."""
        return Classifier(GCN(in_dim, self.hidden, self.layers, self.dropout))

    def estimate(
        self, data: NodeData, group: Tensor, graph: Graph, split: NodeSplit, seed: int, options: dict
    ) -> tuple[Tensor, float]:
        """The attribute [N] where it is known and the estimator's probability elsewhere; its validation accuracy."""
        outside = np.setdiff1d(np.arange(graph.num_nodes), np.concatenate([split.val, split.test]))
        known = rng("fairgnn known", seed).permutation(outside)[: self.known]
        index = torch.from_numpy(np.sort(known)).to(group.device)
        model = self.build(data.x.shape[1]).to(group.device)
        optimizer = adam(model, lr=self.lr, weight_decay=self.weight_decay)
        x, p, at = data.x, data.p, index
        if options and self.layers == 2:
            x, p, at = *receptive(data.x, data.p, index), torch.arange(len(index), device=index.device)

        def step(_: int) -> None:
            optimizer.zero_grad()
            cross_entropy(model(x, p, **options)[at], group[index]).backward()
            optimizer.step()

        def validate(_: int) -> float:
            guess = model(data.x, data.p, **options)[data.val] > 0
            return -(guess == (group[data.val] > 0)).float().mean().item()

        best = run_epochs(step, validate, [model], epochs=self.estimator_epochs, every=10)
        with torch.no_grad():
            pseudo = model(data.x, data.p, **options).sigmoid()
        pseudo[index] = group[index]
        return pseudo, -best.value

    def contend(self, model: Classifier, data: NodeData, pseudo: Tensor, select, options: dict) -> Best:
        """Alternate backbone and adversary, one Adam step each per epoch; the model is left at the selected epoch."""
        adversary = Linear(self.hidden, 1).to(pseudo.device)
        generator = adam(model, lr=self.lr, weight_decay=self.weight_decay)
        critic = adam(adversary, lr=self.lr, weight_decay=self.weight_decay)

        def step(_: int) -> None:
            generator.zero_grad()
            hidden = model.body(data.x, data.p, **options)
            guess = adversary(hidden).squeeze(-1)
            loss = objective(model.head(hidden).squeeze(-1), guess, data.y, data.train, pseudo, self.alpha, self.beta)
            loss.backward()
            generator.step()
            critic.zero_grad()  # also clears what the first loss left on the adversary, which is frozen there
            cross_entropy(adversary(hidden.detach()).squeeze(-1), pseudo).backward()
            critic.step()

        def validate(_: int) -> float:
            return select(numpy(model(data.x, data.p, **options)))

        # Deviation FairGNN-5: the authors run all epochs.
        return run_epochs(step, validate, [model], epochs=self.epochs, every=self.every, patience=self.patience or None)
