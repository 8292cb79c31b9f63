"""Comparisons of methods: paired tests over runs, correction for many of them, and ranks over data sets.

Ranks, Friedman's test and Nemenyi's critical difference follow Demsar (2006), "Statistical comparisons of classifiers
over multiple data sets". Runs are paired by position: same data set, same split seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range, wilcoxon


@dataclass(frozen=True)
class Test:
    """A test's p value and statistic, the number of pairs (or rows) it used, and why there is none where it is NaN."""

    __test__ = False  # not a test case, whatever its name suggests to a collector

    p: float
    statistic: float
    pairs: int
    reason: str = ""


def _differences(a: Any, b: Any) -> np.ndarray:
    """``a - b`` of the pairs in which both values are numbers."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"a and b must be two flat samples paired by position, got {a.shape} and {b.shape}")
    both = np.isfinite(a) & np.isfinite(b)
    return a[both] - b[both]


def wilcoxon_test(a: Any, b: Any) -> Test:
    """Wilcoxon's signed-rank test of paired runs, two-sided; exact for small samples.

    Pairs without a difference are left out (Wilcoxon's rule); if none differs, p is 1.
    """
    difference = _differences(a, b)
    if not len(difference):
        return Test(float("nan"), float("nan"), 0, "no valid pairs")
    if not difference.any():
        return Test(1.0, 0.0, len(difference))
    result = wilcoxon(difference[difference != 0])
    return Test(float(result.pvalue), float(result.statistic), len(difference))


def permutation_test(a: Any, b: Any, *, resamples: int = 10_000, seed: int = 0) -> Test:
    """Sign-flip permutation test of the mean paired difference, two-sided.

    All ``2**n`` sign patterns are tried if that is no more than ``resamples``. Else signs are drawn, and the observed
    pattern counts as one draw, ``p = (1 + extreme) / (1 + resamples)``, so p is never 0.
    """
    difference = _differences(a, b)
    n = len(difference)
    if not n:
        return Test(float("nan"), float("nan"), 0, "no valid pairs")
    if 2**n <= resamples:
        signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)  # [2**n, n]
    else:
        signs = np.random.default_rng(seed).choice((-1, 1), size=(resamples, n))
    observed = float(difference.mean())
    # A sum in another order may differ in the last digits; without slack the observed pattern could miss itself.
    extreme = int((np.abs(signs @ difference / n) >= abs(observed) * (1 - 1e-9)).sum())
    p = extreme / 2**n if 2**n <= resamples else (1 + extreme) / (1 + resamples)
    return Test(p, observed, n)


def holm(p_values: Any) -> np.ndarray:
    """Holm's step-down adjustment for many tests; NaN stays NaN and does not count as a test. Order is kept."""
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)))
    return adjusted


def win_tie_loss(a: Any, b: Any, *, direction: str, tie: float = 0.0) -> tuple[int, int, int]:
    """How often ``a`` is better than, within ``tie`` of, and worse than ``b``; pairs that are not numbers are left out.

    Args:
        a, b: Paired values.
        direction: ``"lower"`` or ``"higher"`` is better.
        tie: Largest absolute difference that counts as a tie.
    """
    gain = _differences(a, b) * _sign(direction)
    return int((gain > tie).sum()), int((np.abs(gain) <= tie).sum()), int((gain < -tie).sum())


def _sign(direction: str) -> int:
    if direction not in ("lower", "higher"):
        raise ValueError(f"direction: expected lower or higher, got {direction!r}")
    return 1 if direction == "higher" else -1


def _complete_rows(table: Any) -> np.ndarray:
    table = np.asarray(table, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"table: expected one row per data set and one column per method, got shape {table.shape}")
    return table[np.isfinite(table).all(axis=1)]


def average_ranks(table: Any, *, direction: str) -> tuple[np.ndarray, int]:
    """Mean rank of each method over data sets, 1 is best; ties share their mean rank.

    Args:
        table: One row per data set, one column per method [D, M].
        direction: ``"lower"`` or ``"higher"`` is better.

    Returns:
        ``(ranks [M], rows)``: rows with a value that is not a number are left out, ``rows`` is how many were used.
    """
    rows = _complete_rows(table)
    if not len(rows):
        return np.full(rows.shape[1], np.nan), 0
    return rankdata(-_sign(direction) * rows, axis=1).mean(axis=0), len(rows)


def friedman_test(table: Any) -> Test:
    """Friedman's test that all methods (columns) rank alike over data sets (rows); chi-square with M - 1 degrees."""
    rows = _complete_rows(table)
    if len(rows) < 2 or rows.shape[1] < 3:
        return Test(float("nan"), float("nan"), len(rows), "needs two complete rows and three methods")
    if (rows == rows[:, :1]).all():
        return Test(1.0, 0.0, len(rows))
    result = friedmanchisquare(*rows.T)
    return Test(float(result.pvalue), float(result.statistic), len(rows))


def nemenyi_critical_difference(*, methods: int, rows: int, alpha: float = 0.05) -> float:
    r"""Smallest difference of average ranks that is significant, :math:`q_\alpha \sqrt{M(M+1)/(6D)}`.

    :math:`q_\alpha` is the Studentised range quantile for M methods and infinite degrees, divided by :math:`\sqrt2`.
    """
    if methods < 2 or rows < 1:
        raise ValueError(f"needs at least two methods and one row, got {methods} and {rows}")
    quantile = float(studentized_range.ppf(1 - alpha, methods, np.inf)) / np.sqrt(2)
    return float(quantile * np.sqrt(methods * (methods + 1) / (6 * rows)))
