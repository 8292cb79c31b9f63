"""A frame of records with known numbers, in the layout of ``fairgl.store.frame``."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

METRICS = (
    "accuracy", "f1", "auc", "balanced_accuracy", "statistical_parity_difference", "equal_opportunity_difference",
    "utility_difference",
)


def record(dataset: str, method: str, seed: int, *, study: str = "group", status: str = "ok", **test: float) -> dict:
    """One row; metrics that are not given are 0.5."""
    row = {
        "key": f"{study}-{dataset}-{method}-{seed}", "study": study, "stage": "final", "task": "nodes",
        "dataset": dataset, "method": method, "split_seed": seed, "seed": seed, "status": status, "reason": "",
        "epoch": 10, "val_loss": 0.5, "device": "cpu", "graph": "g", "code": "c", "stale": False,
        "config": json.dumps({}), "dataset_config": json.dumps({}), "seconds": 1.0, "fit_seconds": 1.0,
        "peak_memory_mb": 100.0,
        "utc": "2026-01-01T00:00:00+00:00", "commit": "abc",
    }
    if status == "ok":
        row |= {f"test.{name}": 0.5 for name in METRICS}
        row |= {name if name in row else f"test.{name}": value for name, value in test.items()}
    else:
        row["reason"] = test.get("reason", "longer than 5 s")
    return row


def runs(means: dict[tuple[str, str], dict[str, float]], seeds: int = 6, noise: float = 0.004) -> pd.DataFrame:
    """Rows around the given means ``{(data set, method): {metric: mean}}``; the noise is symmetric, the means exact."""
    offsets = noise * np.linspace(-1, 1, seeds)
    return pd.DataFrame([
        record(dataset, method, seed, **{m: v + offsets[seed] for m, v in test.items()})
        for (dataset, method), test in means.items()
        for seed in range(seeds)
    ])
