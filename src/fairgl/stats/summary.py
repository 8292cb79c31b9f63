"""Summaries of one sample of runs: mean, spread, bootstrap interval, rank correlation, Pareto front."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.stats import spearmanr


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation and interval of the valid values, and how many of how many those were."""

    mean: float
    std: float
    low: float
    high: float
    valid: int
    total: int
    reason: str = ""

    @property
    def counts(self) -> str:
        """``"8 valid of 10"``."""
        return f"{self.valid} valid of {self.total}"


@dataclass(frozen=True)
class Correlation:
    """A correlation with its interval and the number of pairs it rests on."""

    value: float
    low: float
    high: float
    pairs: int


def valid_values(values: Any) -> np.ndarray:
    """The values that are numbers, float64; ``None``, NaN and infinities are left out."""
    array = np.array([np.nan if value is None else value for value in np.ravel(np.asarray(values, dtype=object))],
                     dtype=np.float64)
    return array[np.isfinite(array)]


def mean(values: Any) -> float:
    """Mean of the valid values, NaN if there are none."""
    valid = valid_values(values)
    return float(valid.mean()) if len(valid) else float("nan")


def std(values: Any, *, ddof: int = 1) -> float:
    """Standard deviation of the valid values, NaN for ``ddof`` values or fewer.

    ``ddof=1`` estimates the spread of further runs. ``ddof=0`` is the spread of exactly these runs, smaller by
    a factor 0.82 for three; the link prediction study's tables print it.
    """
    valid = valid_values(values)
    return float(valid.std(ddof=ddof)) if len(valid) > ddof else float("nan")


def bootstrap_interval(
    values: Any, *, level: float = 0.95, resamples: int = 2000, seed: int = 0, statistic: Callable = np.mean
) -> tuple[float, float]:
    """Percentile bootstrap interval of a statistic over runs.

    Args:
        values: One value per run; those that are not numbers are left out.
        level: Coverage aimed at. With five runs or fewer the real coverage is lower.
        resamples: Number of resampled data sets.
        seed: Seed of the resampling, so that one table always prints one interval.
        statistic: Function with an ``axis`` argument.

    Returns:
        ``(low, high)``; ``(NaN, NaN)`` for fewer than two valid values, which have no spread to resample.
    """
    if not 0 < level < 1:
        raise ValueError(f"level: expected a share between 0 and 1, got {level}")
    valid = valid_values(values)
    if len(valid) < 2:
        return float("nan"), float("nan")
    chosen = np.random.default_rng(seed).integers(len(valid), size=(resamples, len(valid)))
    low, high = np.quantile(statistic(valid[chosen], axis=1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def summarise(values: Sequence[float], *, ddof: int = 1, level: float = 0.95, seed: int = 0) -> Summary:
    """Everything a table cell needs about one sample of runs.

    Args:
        values: One value per run, NaN where undefined; an undefined value's ``reason`` is collected.
        ddof: As in :func:`std`.
        level: Coverage of the bootstrap interval of the mean.
        seed: Seed of the resampling.
    """
    reasons = Counter(getattr(v, "reason", "") or "not a number" for v in values if v is None or not np.isfinite(v))
    low, high = bootstrap_interval(values, level=level, seed=seed)
    reason = "; ".join(f"{why} ({count})" for why, count in reasons.most_common())
    return Summary(mean(values), std(values, ddof=ddof), low, high, len(valid_values(values)), len(values), reason)


def spearman(x: Any, y: Any, *, level: float = 0.95) -> Correlation:
    r"""Spearman's rank correlation with an interval from Fisher's z.

    The variance of z is :math:`(1 + r^2/2)/(n-3)` (Bonett and Wright, 2000). Pairs with a value that is not a number
    are left out. The value is NaN for fewer than two pairs or a constant side, the interval for fewer than four pairs.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"x and y must be two flat samples of one length, got {x.shape} and {y.shape}")
    both = np.isfinite(x) & np.isfinite(y)
    x, y, nan = x[both], y[both], float("nan")
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(nan, nan, nan, len(x))
    r = float(spearmanr(x, y).statistic)
    if len(x) < 4 or abs(r) > 1 - 1e-12:
        return Correlation(r, *((r, r) if len(x) > 3 else (nan, nan)), len(x))
    half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt((1 + r * r / 2) / (len(x) - 3))
    return Correlation(r, float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half)), len(x))


def pareto_front(points: Any, *, directions: Sequence[str]) -> np.ndarray:
    """Which points no other point beats: at least as good everywhere and better somewhere.

    Args:
        points: One row per point, one column per criterion [N, C].
        directions: ``"lower"`` or ``"higher"`` per criterion [C].

    Returns:
        bool [N]; equal points stand together, a point with a value that is not a number is never on the front.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, len(directions))
    if set(directions) - {"lower", "higher"}:
        raise ValueError(f"directions: expected lower or higher, got {list(directions)}")
    cost = points * np.array([1.0 if direction == "lower" else -1.0 for direction in directions])
    known = ~np.isnan(cost).any(axis=1)
    front = known.copy()
    for i in np.flatnonzero(known):
        front[i] = not ((cost[known] <= cost[i]).all(axis=1) & (cost[known] < cost[i]).any(axis=1)).any()
    return front
