"""Statements about order: true of our means, and of most resamples of the seeds.

An order of means can flip with the next seed. Each unit is therefore checked on the means themselves and on
:data:`RESAMPLES` bootstrap resamples of the seeds, drawn together for all methods, because methods share their splits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from fairgl import published
from fairgl.claims import Claim
from fairgl.seeding import rng
from fairgl.summaries import column, display
from fairgl.verdicts import Unit

RESAMPLES = 400
CERTAIN = 0.95

Means = dict[str, pd.DataFrame]  # metric -> methods x data sets, signed so that lower is better
Statement = Callable[[Claim, Means], dict[str, bool]]


def _signed(metric: str) -> int:
    return 1 if display(metric).direction == "lower" else -1


class Runs:
    """Values of one metric by method, data set and seed, signed so that lower is better; NaN where missing."""

    def __init__(self, frame: pd.DataFrame, metric: str):
        name = column(frame, metric)
        values = _signed(metric) * frame[name].astype(float) if name in frame else pd.Series(np.nan, frame.index)
        self.seeds = list(dict.fromkeys(zip(frame["split_seed"], frame["seed"], strict=True)))
        self.methods, self.datasets = list(frame["method"].unique()), list(frame["dataset"].unique())
        self.values = np.full((len(self.methods), len(self.datasets), len(self.seeds)), np.nan)  # [M, D, S]
        at = {seed: i for i, seed in enumerate(self.seeds)}
        for method, dataset, seed, value in zip(
            frame["method"], frame["dataset"], zip(frame["split_seed"], frame["seed"], strict=True), values, strict=True
        ):
            self.values[self.methods.index(method), self.datasets.index(dataset), at[seed]] = value

    def means(self, drawn: np.ndarray | None = None) -> pd.DataFrame:
        """Mean over the seeds (or over the drawn ones, with repetition) that have a value."""
        values = self.values if drawn is None else self.values[:, :, drawn]
        there = np.isfinite(values)
        total = np.where(there, values, 0.0).sum(axis=2)
        count = there.sum(axis=2)
        means = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)  # [M, D]
        return pd.DataFrame(means, index=self.methods, columns=self.datasets)


def over_seeds(statement: Statement, claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """Units of a statement about means.

    Args:
        statement: ``(claim, means) -> {unit: does it hold}``, without the units whose means are missing.
        claim: Its ``datasets``, ``methods``, ``against`` and ``metrics`` say what the statement is about.
        frame: Records of the claim's study.
    """
    if claim.datasets:
        frame = frame[frame["dataset"].isin(claim.datasets)]
    runs = {metric: Runs(frame, metric) for metric in claim.metrics}
    found = statement(claim, {metric: r.means() for metric, r in runs.items()})
    if not found:
        return [Unit(claim.id, "missing", note="no records of what it compares")]
    counts = dict.fromkeys(found, 0)
    seeds = len(next(iter(runs.values())).seeds)
    generator = rng("resample", claim.id)
    for _ in range(RESAMPLES if any(found.values()) else 0):
        drawn = generator.integers(seeds, size=seeds)
        for unit, true in statement(claim, {metric: r.means(drawn) for metric, r in runs.items()}).items():
            if unit in counts:
                counts[unit] += bool(true)
    return [_unit(name, true, counts[name] / RESAMPLES) for name, true in found.items()]


def _unit(name: str, true: bool, share: float) -> Unit:
    outcome = "fails" if not true else "holds" if share >= CERTAIN else "leans"
    return Unit(name, outcome, mean=share, note=f"true in {share:.0%} of resamples" if true else "")


def in_print(statement: Statement, claim: Claim) -> dict[str, bool]:
    """The same statement on the paper's own printed means: does its table say what its text says?"""
    cells = published.load(claim.table)
    means = {}
    for metric in claim.metrics:
        block = cells[(cells["metric"] == metric) & (cells["dataset"].isin(claim.datasets) | (not claim.datasets))]
        means[metric] = _signed(metric) * block.pivot(index="method", columns="dataset", values="value")
    return statement(claim, means)
