"""The one training loop: early stopping and model selection on validation nodes only.

Every method that trains by epochs hands :func:`run_epochs` two functions, ``step`` (one epoch of updates) and
``validate`` (the selection criterion, lower is better). The loop keeps the parameters of the best epoch, restores
them, and refuses to return a model that never had a finite criterion.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from fairgl.graph import Graph
from fairgl.nn import propagation_for
from fairgl.sparse import Sparse, features
from fairgl.splits import NodeSplit


class Diverged(RuntimeError):
    """Training produced no finite validation value, so there is no model to return."""


@dataclass
class Best:
    """The selected epoch, its criterion, and the criterion of every validated epoch."""

    epoch: int
    value: float
    history: list[tuple[int, float]] = field(default_factory=list)


def resolve_device(device: str) -> str:
    """The device that will be used.

    ``"auto"`` takes a GPU if there is one and the CPU otherwise.

    Raises:
        ValueError: The named device does not exist here; the message says which do.
    """
    available = ["cpu"] + [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        available.append("mps")
    if device == "auto":
        return available[1] if len(available) > 1 else "cpu"
    wanted = "cuda:0" if device == "cuda" else device
    if wanted not in available:
        raise ValueError(f"no device {device!r} on this machine. Valid: auto, {', '.join(available)}")
    return wanted


def run_epochs(
    step: Callable[[int], None],
    validate: Callable[[int], float],
    modules: Sequence[nn.Module],
    *,
    epochs: int,
    every: int = 1,
    start: int = 0,
    patience: int | None = None,
) -> Best:
    """Run ``step`` for ``epochs`` epochs and restore the parameters of the epoch with the lowest ``validate``.

    Args:
        step: One epoch of parameter updates; the modules are in training mode.
        validate: The criterion after that epoch, on validation nodes; the modules are in evaluation mode and gradients
            are off. ``inf`` or ``nan`` never wins.
        modules: What is switched between modes, saved and restored.
        epochs: Upper limit of epochs.
        every: Validate each ``every`` epochs, and at the last.
        start: First epoch that may be selected.
        patience: Stop after this many epochs without improvement; ``None`` runs all epochs, as the papers do.

    Raises:
        Diverged: No epoch had a finite criterion.
    """
    best, saved = Best(-1, math.inf), None
    for epoch in range(epochs):
        for module in modules:
            module.train()
        step(epoch)
        if epoch < start or (epoch % every and epoch + 1 < epochs):
            continue
        for module in modules:
            module.eval()
        with torch.no_grad():
            value = float(validate(epoch))
        best.history.append((epoch, value))
        if value < best.value:
            best.epoch, best.value = epoch, value
            saved = [copy.deepcopy(module.state_dict()) for module in modules]
        elif patience is not None and epoch - max(best.epoch, start) >= patience:
            break
    if saved is None:
        raise Diverged(f"no finite validation value in {epochs} epochs (last: {best.history[-1:]})")
    for module, state in zip(modules, saved, strict=True):
        module.load_state_dict(state)
        module.eval()
    return best


@dataclass
class NodeData:
    """A graph on a device: what every node method trains on."""

    x: Tensor | Sparse  # [N, F]
    p: Sparse | None  # [N, N]
    y: Tensor  # [N] float32, 0/1, meaningless outside train and val
    s: Tensor  # [N] int64
    train: Tensor  # [n_train] int64
    val: Tensor  # [n_val] int64

    @property
    def in_dim(self) -> int:
        """Number of features F."""
        return self.x.shape[1]


def node_data(graph: Graph, split: NodeSplit, device: str = "cpu", *, x=None, encoder: str = "gcn") -> NodeData:
    """Put a graph on a device.

    Args:
        x: Features to use in place of the graph's own (already scaled), dense or sparse.
        encoder: Name of the encoder whose propagation matrix is wanted.
    """
    return NodeData(
        x=features(graph.x if x is None else x, device),
        p=propagation_for(encoder, graph, device),
        y=torch.from_numpy(np.asarray(graph.y, dtype=np.float32)).to(device),
        s=torch.from_numpy(np.asarray(graph.sens)).to(device),
        train=torch.from_numpy(np.asarray(split.train)).to(device),
        val=torch.from_numpy(np.asarray(split.val)).to(device),
    )


def bce(logits: Tensor, y: Tensor, index: Tensor) -> Tensor:
    """Mean binary cross-entropy on logits over the nodes ``index``."""
    return nn.functional.binary_cross_entropy_with_logits(logits[index], y[index])


def adam(*modules: nn.Module, lr: float, weight_decay: float) -> torch.optim.Adam:
    """Adam over the trainable parameters of the modules."""
    parameters = [q for module in modules for q in module.parameters() if q.requires_grad]
    return torch.optim.Adam(parameters, lr=lr, weight_decay=weight_decay)


def numpy(logits: Tensor) -> np.ndarray:
    """Scores as float64 NumPy; raises :class:`Diverged` if any is not finite."""
    out = logits.detach().double().cpu().numpy()
    if not np.isfinite(out).all():
        raise Diverged(f"{int((~np.isfinite(out)).sum())} of {out.size} scores are not finite")
    return out


def train_classifier(
    model: nn.Module,
    data: NodeData,
    *,
    lr: float,
    weight_decay: float,
    epochs: int,
    start: int = 0,
    patience: int | None = None,
    **forward,
) -> Best:
    """Plain supervised training: cross-entropy on the training nodes, selection by cross-entropy on validation nodes.

    Args:
        model: Called as ``model(x, p, **forward)`` and returning [N] logits.
        forward: Constant options of the model's forward pass.
    """
    optimizer = adam(model, lr=lr, weight_decay=weight_decay)

    def step(_: int) -> None:
        optimizer.zero_grad()
        bce(model(data.x, data.p, **forward), data.y, data.train).backward()
        optimizer.step()

    def validate(_: int) -> float:
        return bce(model(data.x, data.p, **forward), data.y, data.val).item()

    return run_epochs(step, validate, [model], epochs=epochs, start=start, patience=patience)
