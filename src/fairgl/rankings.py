"""Average ranks over data sets, as the benchmark's Figures 2, 4 and 6 show them, from records or from a printed table.

Methods are ranked per data set and metric among each other, on the data sets on which all of them have all the numbers;
ranks are averaged over data sets and the averages summed over metrics. Baselines that do not compete get the rank they
would have if each were added alone, so that they never shift the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from fairgl import published
from fairgl.findings.resampling import RESAMPLES, Means, resampled
from fairgl.seeding import rng
from fairgl.stats import average_ranks, friedman_test, nemenyi_critical_difference
from fairgl.summaries import display


@dataclass(frozen=True)
class Ranking:
    """Average ranks [method × metric], best sum first, 1 is best.

    Attributes:
        averages: The competing methods.
        low, high: 95 % interval of each average over resampled seeds, NaN where there is nothing to resample.
        beside: The baselines' average ranks, had each been added alone.
        means: Per metric, methods × data sets, signed so that lower is better.
        datasets: Those that were averaged over.
    """

    averages: pd.DataFrame
    low: pd.DataFrame
    high: pd.DataFrame
    beside: pd.DataFrame
    means: dict[str, pd.DataFrame]
    datasets: tuple[str, ...]

    @property
    def sums(self) -> pd.Series:
        """Sum of average ranks over the metrics, smallest first."""
        return self.averages.sum(axis=1, skipna=False)

    @property
    def critical(self) -> float:
        """Nemenyi's critical difference of two average ranks on one metric."""
        if not self.datasets or len(self.averages) < 2:
            return float("nan")
        return nemenyi_critical_difference(methods=len(self.averages), rows=len(self.datasets))

    def separated(self, metric: str) -> list[tuple[str, str]]:
        """Pairs of methods whose average ranks differ by more than the critical difference, the better one first."""
        column = self.averages[metric].sort_values(kind="stable")
        return [(a, b) for a, b in combinations(column.index, 2) if column[b] - column[a] > self.critical]

    def friedman(self, metric: str) -> float:
        """P value of Friedman's test that all methods rank alike on this metric."""
        return friedman_test(self.means[metric].T.to_numpy()).p


def ranking(
    frame: pd.DataFrame,
    metrics: list[str],
    *,
    methods: list[str],
    beside: list[str] | tuple[str, ...] = (),
    datasets: list[str] | tuple[str, ...] | None = None,
) -> Ranking:
    """Average ranks of the methods' means over seeds.

    Args:
        frame: Reported runs of one study.
        metrics: Criteria, each ranked in its better direction.
        methods: Those that compete. One that has no records at all is left out.
        beside: Baselines that are placed without competing.
        datasets: Data sets that may be averaged over; ``None`` for all of the frame.
    """
    known = set(frame["method"])
    methods, beside = ([name for name in names if name in known] for names in (methods, beside))
    if datasets is not None:
        frame = frame[frame["dataset"].isin(datasets)]
    frame = frame[frame["method"].isin([*methods, *beside])]
    seeds = sorted(set(zip(frame["split_seed"], frame["seed"], strict=True)))
    if not seeds:
        return _ranking({m: [Means((), (), np.empty((0, 0)))] for m in metrics}, methods, beside)
    drawn = rng("ranking").multinomial(len(seeds), np.full(len(seeds), 1 / len(seeds)), RESAMPLES)
    weights = np.vstack([np.ones(len(seeds)), drawn])  # the plain means first
    return _ranking({metric: resampled(frame, metric, weights, seeds) for metric in metrics}, methods, beside)


def printed_ranking(
    table: str, metrics: list[str], *, methods: list[str], datasets: list[str] | tuple[str, ...] | None = None
) -> Ranking:
    """The same from the printed means of a table; without intervals, because its runs are not known."""
    cells, tables = published.load(table), {}
    if datasets is not None:
        cells = cells[cells["dataset"].isin(datasets)]
    for metric in metrics:
        block = cells[cells["metric"] == metric].pivot(index="method", columns="dataset", values="value")
        sign = 1 if display(metric).direction == "lower" else -1
        tables[metric] = [Means(tuple(block.index), tuple(block.columns), sign * block.to_numpy(dtype=float))]
    return _ranking(tables, methods, [])


def _ranking(tables: dict[str, list[Means]], methods: list[str], beside: list[str]) -> Ranking:
    """Ranking of the first of each metric's means; the others, resampled, give the intervals."""
    first = next(iter(tables.values()))[0]
    whole = [np.isfinite(means[0].of(tuple(methods))).all(axis=0) for means in tables.values()]
    complete = np.all(whole, axis=0) & bool(methods) if first.datasets else np.zeros(0, dtype=bool)
    chosen = tuple(name for name, keep in zip(first.datasets, complete, strict=True) if keep)
    averages, low, high, others, used = {}, {}, {}, {}, {}
    for metric, means in tables.items():
        blocks = [m.of(tuple(methods))[:, complete] for m in means]
        ranks = np.array([_ranks(block) for block in blocks])  # [1 + B, M]
        averages[metric] = ranks[0]
        again = ranks[1:][np.isfinite(ranks[1:]).all(axis=1)] if len(methods) else ranks[1:]
        low[metric], high[metric] = (
            np.quantile(again, [0.025, 0.975], axis=0) if len(again) else np.full((2, len(methods)), np.nan)
        )
        extra = means[0].of(tuple(beside))[:, complete]
        others[metric] = [_ranks(np.vstack([blocks[0], row]))[-1] for row in extra]
        used[metric] = pd.DataFrame(blocks[0], index=methods, columns=list(chosen))
    frames = [pd.DataFrame(table, index=methods, columns=list(tables)) for table in (averages, low, high)]
    order = frames[0].sum(axis=1, skipna=False).sort_values(kind="stable").index
    beside_frame = pd.DataFrame(others, index=beside, columns=list(tables))
    return Ranking(*(part.loc[order] for part in frames), beside_frame, used, chosen)


def _ranks(block: np.ndarray) -> np.ndarray:
    """Average rank [M] of a block [M, D] in which lower is better; NaN unless the block is complete."""
    if not block.size or not np.isfinite(block).all():
        return np.full(len(block), np.nan)
    return average_ranks(block.T, direction="lower")[0]
