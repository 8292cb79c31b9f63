"""Decoupled link predictors: one GCN encoder per pair type, scores by inner product (MORAL's base scores).

Mattos et al. (2025) as the reproducibility study ran it (Section 3.3, Appendix B.1): GCN 128, ReLU, dropout 0.2, GCN
128, no parameters in the decoder; Adam 3e-4, cross-entropy, batches of 1,024 pairs of one type, 500 epochs; all
encoders go back to the epoch with the smallest mean of the validation batch losses of all types.

Deviation LINK-4: messages flow both ways along training edges. The published code kept each edge once, from the smaller
to the larger node number; ``one_way=True`` gives that. ``schedule="fast"`` takes all pairs of a type in one batch, a
larger step and early stopping (LINK-5). :class:`SharedGCN` is the same with one encoder for all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from fairgl.graph import Graph
from fairgl.link_splits import Candidates, LinkSplit
from fairgl.link_training import (
    Pairs,
    RowEncoder,
    Rows,
    batch_losses,
    batches,
    message_matrix,
    symmetric_scaling,
)
from fairgl.methods.links import LinkMethod, LinkScores
from fairgl.nn import Linear
from fairgl.registry import LINK_METHODS, hp
from fairgl.seeding import rng, torch_seed
from fairgl.training import numpy, run_epochs
from fairgl.views import scale_features

SCHEDULES: dict[str, dict[str, Any]] = {
    "faithful": {"lr": 3e-4, "batch": 1024, "epochs": 500, "patience": None},
    "fast": {"lr": 1e-2, "batch": None, "epochs": 500, "patience": 50},
}
Objective = Callable[[Tensor, Tensor, np.ndarray, Tensor, np.ndarray], Tensor]
WIDE = 4  # a batch gets rows of its own where its type has this many times more


class Predictor:
    """One encoder with the pairs it is responsible for."""

    def __init__(self, method: Decoupled, p: sp.csr_array, px: Tensor, split: LinkSplit, types: list[int]):
        self.method, self.p, self.px, self.device = method, p, px, str(px.device)
        device = self.device
        chosen = {part: np.isin(getattr(split, part).type, types) for part in ("train", "val", "test")}
        self.train = self._subset(split.train, chosen["train"])
        used = np.unique(np.concatenate([getattr(split, part).pairs[mask].ravel() for part, mask in chosen.items()]))
        self.rows = Rows(p, px, used, method.layers, device)
        self.encoder = RowEncoder(px.shape[1], method.hidden, method.layers, method.dropout).to(device)
        self.head = nn.Sequential(Linear(method.hidden, method.hidden), nn.ReLU(), Linear(method.hidden, 1)).to(device)
        self.modules: list[nn.Module] = [self.encoder] + ([self.head] if method.decoder == "mlp" else [])
        parameters = [q for module in self.modules for q in module.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=method.setting("lr"), fused=True)
        self.whole = Pairs(self.rows.local(self.train.pairs), len(used), device)
        self.held = {}
        for part in ("val", "test"):
            c = self._subset(getattr(split, part), chosen[part])
            pairs = Pairs(self.rows.local(c.pairs), len(used), device)
            self.held[part] = (np.flatnonzero(chosen[part]), pairs, pairs.sorted(c.label, device))
        self.steps = 0

    @staticmethod
    def _subset(c: Candidates, mask: np.ndarray) -> Candidates:
        return Candidates(c.pairs[mask], c.label[mask], c.type[mask])

    def score(self, z: Tensor, pairs: Pairs) -> Tensor:
        """Logits of pairs in their sorted order [n]."""
        return pairs.hadamard(z, self.head) if self.method.decoder == "mlp" else pairs.dot(z)

    def epoch(self, generator: np.random.Generator) -> None:
        """One pass over the training pairs."""
        for chosen in batches(len(self.train), self.method.setting("batch"), generator):
            rows, pairs = self.rows, self.whole
            if len(chosen) < len(self.train):
                nodes = self.train.pairs[chosen]
                if len(rows.rows) > WIDE * 2 * len(chosen):
                    rows = Rows(self.p, self.px, np.unique(nodes), self.method.layers, self.device)
                pairs = Pairs(rows.local(nodes), len(rows.rows), self.device)
            elif not len(chosen):
                return
            labels = pairs.sorted(self.train.label[chosen], self.device)
            self.optimizer.zero_grad()
            z = self.encoder(rows)
            self.loss(self.score(z, pairs), labels, self.train.type[chosen][pairs.order], z, rows.rows).backward()
            self.optimizer.step()
            self.steps += 1

    def losses(self, size: int) -> list[float]:
        """Validation losses of batches of ``size`` pairs."""
        _, pairs, labels = self.held["val"]
        return batch_losses(self.score(self.encoder(self.rows), pairs), labels, size)


@LINK_METHODS.register("decoupled")
@dataclass(frozen=True)
class Decoupled(LinkMethod):
    """One encoder per pair type.

    Cost per optimiser step: O(r F H + m H + r H^2) for r rows that the batch's ends hear from and m edges among them.
    """

    label = "Decoupled GCN"
    family = "baseline"
    notion = "none"
    reference = "mattos2026moral"

    schedule: str = hp("faithful", "reproducibility study, Appendix B.1; 'fast' is ours")
    one_way: bool = hp(False, "ours (LINK-4); the published code is one-way")
    shared: bool = hp(False, "reproducibility study, Section 3.3: one encoder per type")
    decoder: str = hp("dot", "reproducibility study, Table 5; 'mlp' is ours")
    hidden: int = hp(128, "reproducibility study, Table 5")
    layers: int = hp(2, "reproducibility study, Table 5")
    dropout: float = hp(0.2, "reproducibility study, Table 5")
    lr: float | None = hp(None, "of the schedule: 3e-4 (Table 5) or 1e-2 (ours)")
    batch: int | None = hp(None, "of the schedule: 1024 (Table 5) or all pairs (ours)")
    epochs: int | None = hp(None, "of the schedule: 500 (Table 5) or 500 (ours)")
    patience: int | None = hp(None, "of the schedule: none (official code) or 50 (ours)")

    def setting(self, name: str) -> Any:
        """A value of the schedule, or the one that replaces it."""
        if self.schedule not in SCHEDULES:
            raise ValueError(f"unknown schedule {self.schedule!r}. Valid: {', '.join(SCHEDULES)}")
        own = getattr(self, name)
        return SCHEDULES[self.schedule][name] if own is None else own

    def objective(self, graph: Graph, split: LinkSplit, device: str) -> Objective:
        """The loss of a batch: a function of scores, labels and pair types [n], embedding [r, H] and its nodes [r]."""
        return lambda scores, labels, types, z, nodes: binary_cross_entropy_with_logits(scores, labels)

    def fit(self, graph: Graph, split: LinkSplit, seed: int, device: str = "cpu") -> LinkScores:
        if self.decoder not in ("dot", "mlp"):
            raise ValueError(f"unknown decoder {self.decoder!r}. Valid: dot, mlp")
        torch_seed(seed)
        p = symmetric_scaling(message_matrix(split.train.positives, graph.num_nodes, self.one_way))
        x = scale_features(graph, "minmax01")
        px = p @ x
        px = torch.from_numpy(np.ascontiguousarray(px.toarray() if sp.issparse(px) else px)).to(device)
        present = [t for t in range(split.num_types) if (split.train.type == t).any() or (split.test.type == t).any()]
        of = [present] if self.shared else [[t] for t in present]
        predictors = [Predictor(self, p, px, split, types) for types in of]
        loss = self.objective(graph, split, device)
        for predictor in predictors:
            predictor.loss = loss
        generator, size = rng("link batches", seed), self.setting("batch") or 1024

        def step(_: int) -> None:
            for predictor in predictors:
                predictor.epoch(generator)

        def validate(_: int) -> float:
            return float(np.mean([loss for predictor in predictors for loss in predictor.losses(size)]))

        modules = [module for predictor in predictors for module in predictor.modules]
        best = run_epochs(
            step, validate, modules, epochs=self.setting("epochs"), patience=self.setting("patience")
        )  # fmt: skip
        out = {part: np.zeros(len(getattr(split, part))) for part in ("val", "test")}
        with torch.no_grad():
            for predictor in predictors:
                z = predictor.encoder(predictor.rows)
                for part, scores in out.items():
                    where, pairs, _ = predictor.held[part]
                    scores[where] = pairs.restore(torch.from_numpy(numpy(predictor.score(z, pairs))))
        diagnostics = {
            "encoders": len(predictors),
            "steps": sum(predictor.steps for predictor in predictors),
            "epochs_run": best.history[-1][0] + 1,
            "parameters": sum(q.numel() for module in modules for q in module.parameters()),
        }
        return LinkScores(out["val"], out["test"], best.epoch, best.value, diagnostics)


@LINK_METHODS.register("single-gcn")
@dataclass(frozen=True)
class SharedGCN(Decoupled):
    """One encoder for all pairs: what decoupling is compared with."""

    label = "Single GCN"
    reference = "kipf2017gcn"

    shared: bool = hp(True, "one encoder for all pair types")
