"""One run: what identifies it, and how it becomes one record. Executing a run never raises.

A record is two plain dictionaries. The *result* is a pure function of the specification, the code and the library
versions, so two runs with one seed are equal byte for byte. The *cost* (time, memory, energy, when) is what differs
between two runs of the same thing; it is stored beside the result under the same key.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from fairgl.fingerprint import fingerprint
from fairgl.measure import commit, peak_memory, reset_peak, time_limit, versions
from fairgl.metrics import reason_of

SCHEMA = 1
STAGES = ("search", "final")


@dataclass(frozen=True)
class RunSpec:
    """What identifies a run; everything else about it follows.

    Attributes:
        study, task: Names in STUDIES and TASKS.
        dataset, dataset_config: Name, and parameters of its loader.
        method, config: Name, and hyperparameters that differ from the method's defaults.
        split_seed, seed: Seeds of the split and of the method.
        stage: ``"search"`` for a grid point, ``"final"`` for a reported run.
    """

    study: str
    task: str
    dataset: str
    method: str
    split_seed: int = 0
    seed: int = 0
    config: dict[str, Any] = field(default_factory=dict)
    dataset_config: dict[str, Any] = field(default_factory=dict)
    stage: str = "final"

    def identity(self) -> dict[str, Any]:
        """The identity fields as a plain dictionary."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def key(self) -> str:
        """Sixteen hexadecimal digits, a hash of the identity fields."""
        text = json.dumps(self.identity(), sort_keys=True, default=list)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Record:
    """The two halves of what one run leaves behind."""

    result: dict[str, Any]
    cost: dict[str, Any]


def execute(spec: RunSpec, device: str = "cpu", timeout: float | None = None) -> Record:
    """Run ``spec`` and return its record, whatever happens.

    Args:
        device: A device name, or ``"auto"``; the device used is recorded.
        timeout: Seconds after which the run is recorded as ``timeout`` (main thread of a process only).

    Returns:
        Status ``ok``, ``skipped``, ``failed``, ``timeout`` or ``oom``, with the reason for all but the first.
    """
    import torch

    from fairgl.registry import TASKS
    from fairgl.tasks import Outcome, Skipped
    from fairgl.training import resolve_device

    outcome, status, reason, used, start = None, "ok", "", device, time.perf_counter()
    reset_peak()
    try:
        used = resolve_device(device)
        if used.startswith("cuda"):
            torch.cuda.reset_peak_memory_stats()
        with time_limit(timeout):
            outcome = TASKS[spec.task](spec, used)
    except Skipped as skipped:
        status, reason = "skipped", str(skipped)
    except TimeoutError as late:
        status, reason = "timeout", str(late) or f"longer than {timeout:g} s"
    except Exception as error:  # a failed run is a row with a reason, not the end of a sweep
        memory = isinstance(error, MemoryError | torch.OutOfMemoryError) or "alloc" in str(error).lower()
        status, reason = "oom" if memory else "failed", f"{type(error).__name__}: {error}"[:500]
    outcome = outcome or Outcome(metrics={}, graph_checksum="", config=dict(spec.config))
    result = {
        "schema": SCHEMA,
        "key": spec.key,
        **spec.identity(),
        "config_full": outcome.config,
        "status": status,
        "reason": reason,
        "metrics": {part: _plain(values) for part, values in outcome.metrics.items()},
        "epoch": outcome.epoch,
        "val_loss": _number(outcome.val_loss),
        "diagnostics": {name: _number(value) for name, value in outcome.diagnostics.items()},
        "graph": outcome.graph_checksum[:16],
        "code": fingerprint(spec.task, spec.method),
        "versions": versions(),
        "device": used,
    }
    cost = {
        "key": spec.key,
        "seconds": round(time.perf_counter() - start, 3),
        "fit_seconds": round(outcome.fit_seconds, 3) if outcome.fit_seconds == outcome.fit_seconds else None,
        "peak_memory_mb": round(peak_memory() / 2**20, 1),
        "threads": torch.get_num_threads(),
        "machine": platform.machine(),
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
    }
    if used.startswith("cuda"):
        cost["peak_gpu_mb"] = round(torch.cuda.max_memory_allocated() / 2**20, 1)
    return Record(result, cost)


def _number(value: Any) -> Any:
    """Eight significant digits for floats, ``None`` for what is not finite; containers element by element."""
    if isinstance(value, dict):
        return {str(k): _number(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_number(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.8g}") if math.isfinite(value) else None
    return value


def _plain(values: dict[str, float]) -> dict[str, Any]:
    """Metric values as numbers; an undefined one becomes ``None`` with its reason beside it."""
    out: dict[str, Any] = {}
    for name, value in values.items():
        out[name] = _number(float(value))
        if out[name] is None:
            out[f"{name}.reason"] = reason_of(value) or "not finite"
    return out
