"""Records summarised over seeds, and how each metric is shown: symbol, unit, better direction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from fairgl.catalogue import order
from fairgl.registry import METRICS
from fairgl.stats import bootstrap_interval

ARROWS = {"lower": "↓", "higher": "↑"}
TRIVIAL = ("constant",)  # shown in every table, never bold: it is fair because it decides nothing
FEWEST = 3  # runs below which no interval is given: the bootstrap would resample one or two numbers
COLUMNS = ["dataset", "method", "metric", "mean", "std", "low", "high", "runs", "valid", "reason"]
_TEX = ((r"\bar ", "mean "), (r"\Delta", "Δ"), (r"\delta", "δ"), (r"\mathrm", ""), ("_", ""), ("^", " "), ("{", ""),
        ("}", ""), ("\\", ""))  # fmt: skip


@dataclass(frozen=True)
class Display:
    """How a metric is shown: its symbol as plain text, better direction, scale and unit."""

    symbol: str
    direction: str = "lower"
    scale: float = 1.0
    unit: str = ""
    digits: int = 2

    @property
    def heading(self) -> str:
        unit = f" ({self.unit})" if self.unit else ""
        return f"{self.symbol}{unit} {ARROWS.get(self.direction, '')}".rstrip()

    @property
    def resolution(self) -> float:
        """Half a unit of the last digit that tables print, on the metric's own scale."""
        return 0.5 * 10.0**-self.digits / self.scale

    def number(self, value: float, *, sign: bool = False) -> str:
        """``value`` in the unit of tables, with a proper minus sign."""
        scaled = value * self.scale
        form = ".1e" if self.unit != "%" and abs(scaled) >= 1e4 else f".{self.digits}f"
        return f"{scaled:{'+' if sign else ''}{form}}".replace("-", "\N{MINUS SIGN}")


_COSTS = {
    "seconds": Display("time of a run", unit="s"),
    "fit_seconds": Display("time to fit", unit="s"),
    "peak_memory_mb": Display("peak memory", unit="MB", digits=0),
}


@cache
def display(metric: str) -> Display:
    """How ``metric`` is shown. Fractions of nodes become percentages here, and only here; rankings keep theirs."""
    if metric in _COSTS:
        return _COSTS[metric]
    function = METRICS[metric]
    symbol = re.sub(r"_\{(?=[a-z]{3}|Lipschitz)", " ", function.symbol)  # subscripts that are words
    for old, new in _TEX:
        symbol = symbol.replace(old, new)
    if function.unit == "fraction" and function.task != "link":
        return Display(symbol, function.direction, 100.0, "%")
    return Display(symbol, function.direction, digits=4 if function.task == "link" else 2)


def column(frame: pd.DataFrame, metric: str, split: str = "test") -> str:
    """The record column of a metric: ``test.auc``, the same under an alias, or a cost such as ``seconds``."""
    if metric in _COSTS:
        return metric
    names = [metric, METRICS.resolve(metric), *METRICS[metric].aliases]
    return next((f"{split}.{name}" for name in names if f"{split}.{name}" in frame), f"{split}.{metric}")


def _why_missing(runs: pd.DataFrame, name: str) -> str:
    """Why no run of this cell has a number: most frequent recorded reason first."""
    if runs.empty:
        return "not run"
    failed = runs[runs["status"] != "ok"]
    if len(failed):
        reason = (failed["status"] + ": " + failed["reason"].fillna("").astype(str)).value_counts().index[0]
        return reason.removesuffix(": ")
    reasons = runs.get(f"{name}.reason", pd.Series(dtype=object)).dropna()
    return f"undefined: {reasons.value_counts().index[0]}" if len(reasons) else "metric not recorded"


def summarize(
    frame: pd.DataFrame,
    metrics: list[str],
    *,
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    split: str = "test",
) -> pd.DataFrame:
    """Mean, standard deviation and interval over the runs of every data set × method × metric.

    Args:
        frame: Records, from :func:`fairgl.store.frame`.
        metrics: Registered metrics, or ``"seconds"``, ``"peak_memory_mb"``.
        datasets: Data sets to list even if nothing was run; ``None`` takes those with records.
        methods: Methods to list; ``None`` takes those with records.
        split: ``"test"`` or ``"val"``.

    Returns:
        Columns :data:`COLUMNS`, natural units. ``mean`` is over the ``valid`` runs of ``runs``; where none is valid it
        is NaN and ``reason`` says why. ``low`` and ``high`` bound the mean (95 % bootstrap over runs), NaN for fewer
        than :data:`FEWEST` valid runs.
    """
    rows = []
    datasets = list(dict.fromkeys(frame["dataset"])) if datasets is None else datasets
    methods = order(list(frame["method"])) if methods is None else methods
    for dataset in datasets:
        for method in methods:
            runs = frame[(frame["dataset"] == dataset) & (frame["method"] == method)]
            for metric in metrics:
                name = column(frame, metric, split)
                values = runs[name].astype(float) if name in runs else pd.Series(dtype=float)
                valid = values[np.isfinite(values)].to_numpy()
                mean = float(valid.mean()) if len(valid) else np.nan
                std = float(valid.std(ddof=1)) if len(valid) > 1 else np.nan
                low, high = bootstrap_interval(valid) if len(valid) >= FEWEST else (np.nan, np.nan)
                reason = "" if len(valid) else _why_missing(runs, name)
                rows.append((dataset, method, metric, mean, std, low, high, len(runs), len(valid), reason))
    return pd.DataFrame(rows, columns=COLUMNS)


def separated_best(cells: pd.DataFrame, direction: str, resolution: float = 0.0) -> str | None:
    """The method whose interval lies clear of every other one's on the better side, ``None`` also if one has none.

    Args:
        cells: Rows of :func:`summarize` for one data set and metric.
        direction: ``"lower"`` or ``"higher"`` is better.
        resolution: Least distance between intervals: one that a table cannot print separates nothing.
    """
    rivals = cells[~cells["method"].isin(TRIVIAL) & cells["mean"].notna()]
    if len(rivals) < 2 or rivals["low"].isna().any():
        return None
    if direction == "lower":
        near, far = rivals["low"], rivals["high"]
    else:
        near, far = -rivals["high"], -rivals["low"]
    best = far.idxmin()
    return rivals.loc[best, "method"] if (near.drop(best) > far[best] + resolution).all() else None
