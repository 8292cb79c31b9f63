"""What the records advise: for a graph, a criterion and a budget, the method that its own runs support, or none.

The rule is written down before the numbers, and is deliberately hard to please:

1. The *anchor* is the baseline (MLP, GCN, linear GNN; the list is :data:`ANCHORS`) with the highest validation AUC.
2. A *candidate* is any other method of the study whose mean validation AUC is at most ``loss`` below the anchor's and
   whose median time to fit is at most ``budget`` times the anchor's.
3. Where the criterion is recorded on validation nodes, the candidate with the best validation value is *chosen*, and
   its evidence is the paired difference from the anchor on **test** nodes; otherwise every candidate is put to the
   test and the best that passes is named, which is said.
4. It is *advised* only if the 95 % interval of that difference excludes zero on the better side. Everything else is
   "stay with the anchor", with the interval that says why.

Intervals are Student's, over pairs that share split and seed: with three to ten pairs the bootstrap is too narrow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import t as student

from fairgl.summaries import column, display

ANCHORS = ("mlp", "gcn", "gnn", "sage", "gin")
TRIVIAL = ("constant",)
FEWEST = 3  # pairs below which there is no interval
PAIR = ["split_seed", "seed"]


@dataclass(frozen=True)
class Difference:
    """Mean paired difference of a method from another, with its 95 % interval and the number of pairs."""

    mean: float
    low: float
    high: float
    pairs: int

    def helps(self, direction: str) -> bool:
        """Whether the whole interval lies on the better side of zero."""
        return bool(self.high < 0 if direction == "lower" else self.low > 0)


@dataclass(frozen=True)
class Advice:
    """What the records support; ``method`` is the anchor where nothing else passed."""

    dataset: str
    metric: str
    anchor: str
    method: str
    advised: bool
    gain: Difference | None  # criterion, chosen minus anchor, on test nodes
    cost: Difference | None  # AUC, chosen minus anchor, on test nodes
    times: float  # median time to fit, in units of the anchor's
    candidates: int
    why: str


def paired(frame: pd.DataFrame, dataset: str, method: str, against: str, metric: str) -> Difference:
    """``method`` minus ``against`` on test nodes, over runs that share split and seed."""
    name, sides = column(frame, metric), []
    for who in (method, against):
        runs = frame[(frame["dataset"] == dataset) & (frame["method"] == who) & (frame["status"] == "ok")]
        values = runs[name] if name in runs else pd.Series(np.nan, index=runs.index)
        sides.append(pd.Series(values.astype(float).to_numpy(), index=pd.MultiIndex.from_frame(runs[PAIR])))
    both = pd.concat(sides, axis=1, join="inner").dropna().to_numpy()
    gaps = both[:, 0] - both[:, 1]
    if not len(gaps):
        return Difference(np.nan, np.nan, np.nan, 0)
    half = np.nan
    if len(gaps) >= FEWEST:
        half = float(student.ppf(0.975, len(gaps) - 1) * gaps.std(ddof=1) / np.sqrt(len(gaps)))
    return Difference(float(gaps.mean()), float(gaps.mean() - half), float(gaps.mean() + half), len(gaps))


def _means(frame: pd.DataFrame, dataset: str, name: str, how: str = "mean") -> pd.Series:
    runs = frame[(frame["dataset"] == dataset) & (frame["status"] == "ok")]
    if name not in runs:
        return pd.Series(dtype=float)
    return runs.groupby("method")[name].agg(how).astype(float).dropna()


def advise(
    frame: pd.DataFrame, dataset: str, metric: str, *, budget: float = np.inf, loss: float = 0.02
) -> Advice | None:
    """The rule of this module on one data set and criterion; ``None`` if no baseline has records there.

    Args:
        frame: Reported runs of one study.
        dataset, metric: What to advise on.
        budget: Most that a method may cost, in units of the anchor's median time to fit.
        loss: Largest drop of mean validation AUC that is put up with.
    """
    auc, seconds = _means(frame, dataset, "val.auc"), _means(frame, dataset, "fit_seconds", "median")
    anchors = [name for name in ANCHORS if name in auc]
    if not anchors:
        return None
    anchor = max(anchors, key=lambda name: auc[name])
    times = (seconds / seconds[anchor]).to_dict()
    able = [m for m in auc.index if m not in (*ANCHORS, *TRIVIAL) and auc[m] >= auc[anchor] - loss]
    able = [m for m in able if times.get(m, np.inf) <= budget]
    direction, sign = display(metric).direction, 1 if display(metric).direction == "lower" else -1
    gains = {m: paired(frame, dataset, m, anchor, metric) for m in able}
    gains = {m: gain for m, gain in gains.items() if gain.pairs}
    nothing = "no candidate keeps the AUC in time"
    stay = Advice(dataset, metric, anchor, anchor, False, None, None, 1.0, len(gains), nothing)
    if not gains:
        return stay
    validation = _means(frame, dataset, column(frame, metric, "val")).reindex(list(gains)).dropna()
    if len(validation):
        chosen, how = (sign * validation).idxmin(), "chosen on validation nodes"
    else:
        passed = [m for m in gains if gains[m].helps(direction)]
        chosen = min(passed or gains, key=lambda m: sign * gains[m].mean)
        how = f"best of {len(gains)} put to the test"
    gain, helps = gains[chosen], gains[chosen].helps(direction)
    why = how if helps else f"{how}; its interval does not exclude zero on the better side"
    why = why if gain.pairs >= FEWEST else f"{how}; only {gain.pairs} pairs of runs"
    cost = paired(frame, dataset, chosen, anchor, "auc")
    return Advice(dataset, metric, anchor, chosen, helps, gain, cost, times[chosen], len(gains), why)
