"""What a run does, one file per task: load, split, fit, evaluate.

A task is a function ``(spec, device) -> Outcome``, registered in :data:`fairgl.registry.TASKS`. It is the only place
where data sets, methods and metrics meet. :mod:`fairgl.runs` turns its outcome, or its exception, into a record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class Skipped(Exception):
    """The method declined this graph; the message is its reason."""


@dataclass(frozen=True)
class Outcome:
    """What a task hands back.

    Attributes:
        metrics: ``{"val": {...}, "test": {...}}``, metric name to float; an undefined value carries its reason.
        graph_checksum: SHA-256 of the graph that was used.
        config: Every hyperparameter, defaults included.
        epoch, val_loss: Of the selected model.
        diagnostics: Small facts about the fit.
        fit_seconds: Wall time of ``fit`` alone, without loading, splitting and evaluation.
    """

    metrics: dict[str, dict[str, float]]
    graph_checksum: str
    config: dict[str, Any]
    epoch: int | None = None
    val_loss: float | None = None
    diagnostics: dict[str, Any] = field(default_factory=dict)
    fit_seconds: float = float("nan")
