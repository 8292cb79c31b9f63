"""One stored run recomputed before the reader's eyes: does the code still give the numbers that the tables print?"""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fairgl import store
from fairgl.catalogue import label
from fairgl.live import NoRecords

IDENTITY = ("study", "task", "dataset", "method", "split_seed", "seed", "config", "dataset_config", "stage")


class Mismatch(AssertionError):
    """A stored run, recomputed with the same code and versions, gave other numbers."""


@dataclass(frozen=True)
class SpotCheck:
    """A stored run beside the same run just now."""

    result: dict[str, Any]
    now: dict[str, Any]
    seconds: float
    table: pd.DataFrame  # metric, stored, now

    @property
    def difference(self) -> float:
        """Largest absolute difference of a test metric; 0.0 is identical to all stored digits."""
        return float((self.table["stored"] - self.table["now"]).abs().max())

    @property
    def same_setting(self) -> bool:
        """Whether code, versions, graph and device are those of the record."""
        return all(self.result.get(key) == self.now.get(key) for key in ("code", "versions", "graph", "device"))

    def __str__(self) -> str:
        run = "{dataset}, seed {seed}".format(**self.result)
        same = "identical to all stored digits" if self.difference == 0 else f"largest difference {self.difference:.2g}"
        setting = "the same code, versions and device" if self.same_setting else "other code, versions or device"
        return f"{label(self.result['method'])} on {run}: recomputed in {self.seconds:.1f} s with {setting}; {same}."

    def _repr_html_(self) -> str:
        return f"<p><strong>Spot check.</strong> {html.escape(str(self))}</p>"


def spot_check(
    name: str,
    *,
    dataset: str | None = None,
    method: str | None = None,
    tolerance: float = 0.005,
    root: Path | None = None,
) -> SpotCheck:
    """Recompute the cheapest stored run of a study (no constant predictor) and compare every test metric.

    Args:
        name: The study.
        dataset: Only this data set.
        method: Only this method.
        tolerance: Largest difference that is no failure. Another processor may round otherwise in the last digits,
            which moves a node or two across the threshold.
        root: The store's folder, default ``data/results``.

    Raises:
        NoRecords: There is no such finished run.
        Mismatch: The difference is larger although code, versions, graph and device are the same.
    """
    from fairgl.runs import RunSpec, execute

    done = [
        (cost.get("fit_seconds") or 0.0, result["key"], result)
        for result, cost in store.records(name, root)
        if result["status"] == "ok" and result["stage"] == "final" and result["method"] != "constant"
        and dataset in (None, result["dataset"]) and method in (None, result["method"])
    ]
    if not done:
        raise NoRecords(f"study {name!r}: no finished run of {method or 'any method'} on {dataset or 'any data set'}")
    result = min(done, key=lambda entry: entry[:2])[2]
    record = execute(RunSpec(**{key: result[key] for key in IDENTITY}))
    again = record.result["metrics"].get("test", {})
    pairs = [(m, v, again.get(m)) for m, v in result["metrics"]["test"].items() if isinstance(v, int | float)]
    table = pd.DataFrame(pairs, columns=["metric", "stored", "now"]).astype({"stored": float, "now": float})
    check = SpotCheck(result, record.result, record.cost["seconds"], table)
    if check.same_setting and not check.difference <= tolerance:
        raise Mismatch(str(check))
    return check
