"""Statements about many settings of one data set: the homophily grid, and the number of groups.

A unit is one trend over settings, whose values are means over their seeds. It holds when the rank correlation, or the
place of a peak, is as claimed; a correlation leans when only its 95 % interval reaches the claimed range.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairgl.claims import Claim
from fairgl.homophily import peaks, stored_surface
from fairgl.link_settings import by_bins, log_ratio, over_seeds, with_homophily
from fairgl.stats import Correlation, spearman
from fairgl.summaries import column
from fairgl.verdicts import EVALUATORS, Unit


def _runs(claim: Claim, frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["method"].isin(claim.methods) & (frame["status"] == "ok")]


def _by_bins(claim: Claim, frame: pd.DataFrame, metric: str) -> pd.Series:
    runs = _runs(claim, frame)
    return by_bins(runs, metric)


def _correlation(name: str, found: Correlation, holds) -> Unit:
    """``holds(rho) -> bool`` decides; an interval that reaches a value that would satisfy it leans."""
    rho, low, high = found.value, found.low, found.high
    if np.isnan(low):
        return Unit(name, "missing", note="too few settings with both numbers")
    reached = any(holds(r) for r in np.linspace(low, high, 21))
    note = f"rank correlation {rho:.2f} ({low:.2f} to {high:.2f})"
    return Unit(name, "holds" if holds(rho) else "leans" if reached else "fails", rho, low, high, note)


def _with_ratio(claim: Claim, frame: pd.DataFrame) -> Correlation:
    runs = _runs(claim, frame)
    if runs.empty:
        return Correlation(np.nan, np.nan, np.nan, 0)
    return spearman(log_ratio(runs).abs(), runs[column(runs, claim.metrics[0])].astype(float))


@EVALUATORS.register("weak_correlation")
def weak_correlation(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """A metric's rank correlation with the size of the log-ratio of same-group shares is below ``value``."""
    return [_correlation("over settings", _with_ratio(claim, frame), lambda r: abs(r) < claim.value)]


@EVALUATORS.register("strong_correlation")
def strong_correlation(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """The same correlation is at least ``value`` in size."""
    return [_correlation("over settings", _with_ratio(claim, frame), lambda r: abs(r) >= claim.value)]


@EVALUATORS.register("varies_less")
def varies_less(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """The first metric has the smaller coefficient of variation over settings."""
    runs = _runs(claim, frame)
    values = [runs[column(runs, metric)].astype(float).dropna() for metric in claim.metrics] if len(runs) else [[], []]
    if min(map(len, values)) < 5:
        return [Unit("over settings", "missing", note="fewer than five settings")]
    first, second = (float(v.std() / v.mean()) for v in values)
    outcome, note = "holds" if first < second else "fails", f"{first:.2f} against {second:.2f}"
    return [Unit("over settings", outcome, first, note=note)]


@EVALUATORS.register("largest_near_zero")
def largest_near_zero(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """Of eight bins of the log-ratio with equally many settings, that of the largest mean reaches into ±``value``."""
    runs = _runs(claim, frame)
    if len(runs) < 16:
        return [Unit("over settings", "missing", note="fewer than 16 settings")]
    ratio = log_ratio(runs)
    bins = pd.qcut(ratio, 8, duplicates="drop")
    top = runs[column(runs, claim.metrics[0])].astype(float).groupby(bins, observed=True).mean().idxmax()
    holds = top.left < claim.value and top.right > -claim.value
    return [Unit("over settings", "holds" if holds else "fails", top.mid, top.left, top.right, f"bin {top}")]


@EVALUATORS.register("peaks_at")
def peaks_at(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """The averaged curve peaks at an edge homophily of ``value`` ± ``tolerance``, per minority share. Exact."""
    units = []
    for row in peaks(claim.metrics[0]).itertuples():
        there, note = row.edge_homophily, f"peak at edge homophily {row.edge_homophily:.3f}"
        outcome = "holds" if abs(there - claim.value) <= claim.tolerance else "fails"
        units.append(Unit(f"minority {row.minority:g}", outcome, there, note=note))
    return units


@EVALUATORS.register("peaks_tighter_in")
def peaks_tighter_in(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """The peaks spread less in edge homophily than in excess homophily (range over minority shares). Exact."""
    table = peaks(claim.metrics[0])
    absolute, relative = np.ptp(table["edge_homophily"]), np.ptp(table["excess_homophily"])
    note = f"range {absolute:.3f} against {relative:.3f}"
    return [Unit("range of the peaks", "holds" if absolute < relative else "fails", absolute, note=note)]


@EVALUATORS.register("below_everywhere")
def below_everywhere(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """NDKL or AWRF is at most ``value`` in all 726 settings. Exact."""
    worst = float(stored_surface()[claim.metrics[0]].max())
    return [Unit("726 settings", "holds" if worst <= claim.value else "fails", worst, note=f"largest {worst:.4f}")]


@EVALUATORS.register("falls_with_homophily")
def falls_with_homophily(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """A metric's rank correlation with edge homophily is negative, with its whole interval, per minority share."""
    runs = _runs(claim, frame)
    if runs.empty:
        return [Unit("over settings", "missing", note="no records")]
    metric, units = column(runs, claim.metrics[0]), []
    for minority, part in over_seeds(with_homophily(runs), metric).groupby("minority"):
        found = spearman(part["edge_homophily"], part[metric])
        rho, low, high = found.value, found.low, found.high
        outcome = "missing" if np.isnan(low) else "holds" if high < 0 else "leans" if rho < 0 else "fails"
        units.append(Unit(f"minority {minority:g}", outcome, rho, low, high, f"rank correlation {rho:.2f}"))
    return units


@EVALUATORS.register("flat_in_homophily")
def flat_in_homophily(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """A metric's rank correlation with edge homophily is below ``value`` in size, over all settings."""
    runs = _runs(claim, frame)
    if runs.empty:
        return [Unit("over settings", "missing", note="no records")]
    metric = column(runs, claim.metrics[0])
    means = over_seeds(with_homophily(runs), metric)
    found = spearman(means["edge_homophily"], means[metric])
    return [_correlation("over settings", found, lambda r: abs(r) < claim.value)]


@EVALUATORS.register("rises_with_types")
def rises_with_types(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """A metric rises from each number of bins to the next."""
    values = _by_bins(claim, frame, claim.metrics[0])
    if len(values) < 3:
        return [Unit("bins", "missing", note="fewer than three numbers of bins")]
    steps = np.diff(values)
    return [Unit(f"{int(a)} to {int(b)} bins", "holds" if step > 0 else "fails", step)
            for a, b, step in zip(values.index, values.index[1:], steps, strict=False)]  # fmt: skip


@EVALUATORS.register("rises_more")
def rises_more(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """From the fewest to the most bins, the first metric grows by a larger factor than the second."""
    tables = [_by_bins(claim, frame, metric) for metric in claim.metrics]
    if min(map(len, tables)) < 3:
        return [Unit("bins", "missing", note="fewer than three numbers of bins")]
    first, second = (table.iloc[-1] / table.iloc[0] for table in tables)
    outcome, note = "holds" if first > second else "fails", f"{first:.1f} and {second:.1f} times"
    return [Unit("from fewest to most", outcome, first, note=note)]


@EVALUATORS.register("at_least_everywhere")
def at_least_everywhere(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """A metric is at least ``value`` at every number of bins."""
    values = _by_bins(claim, frame, claim.metrics[0])
    return [Unit(f"{int(m)} bins", "holds" if v >= claim.value else "fails", v) for m, v in values.items()] or [
        Unit("bins", "missing", note="no records")
    ]


@EVALUATORS.register("flat_in_types")
def flat_in_types(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """A metric's rank correlation with the number of bins is below ``value`` in size."""
    values = _by_bins(claim, frame, claim.metrics[0])
    found = spearman(values.index.to_numpy(dtype=float), values.to_numpy(dtype=float))
    return [_correlation("over bins", found, lambda r: abs(r) < claim.value)]


def settings_of_claim() -> tuple[str, ...]:
    """Evaluators that need no records, because the quantity is a function of the generator alone."""
    return ("peaks_at", "peaks_tighter_in", "below_everywhere")
