"""Statements about order: true of our means, and of most resamples of the seeds.

An order of means can flip with the next seed. Each unit is therefore checked on the means themselves and on
:data:`RESAMPLES` bootstrap resamples of the seeds, drawn together for all methods, because methods share their splits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairgl import published
from fairgl.claims import Claim
from fairgl.seeding import rng
from fairgl.summaries import column, display
from fairgl.verdicts import EVALUATORS, Unit

RESAMPLES = 400
CERTAIN = 0.95


@dataclass(frozen=True)
class Means:
    """Means of one metric, signed so that lower is better; NaN where there is none."""

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    values: np.ndarray  # [M, D]

    def of(self, methods: tuple[str, ...]) -> np.ndarray:
        """Rows of these methods [len(methods), D], all NaN for a method that has no records."""
        known = {name: i for i, name in enumerate(self.methods)}
        rows = np.array([known.get(name, len(known)) for name in methods], dtype=int)
        return np.vstack([self.values, np.full((1, len(self.datasets)), np.nan)])[rows]


Statement = Callable[[Claim, dict[str, Means]], dict[str, bool | None]]


def _signed(metric: str) -> int:
    return 1 if display(metric).direction == "lower" else -1


def resampled(frame: pd.DataFrame, metric: str, weights: np.ndarray, seeds: list) -> list[Means]:
    """Means over weighted seeds, one per row of ``weights`` [B, S]; runs without a value have no weight."""
    name = column(frame, metric)
    methods, datasets = (tuple(frame[axis].unique()) for axis in ("method", "dataset"))
    values = np.full((len(methods), len(datasets), len(seeds)), np.nan)  # [M, D, S]
    if name in frame:
        seed = [seeds.index(pair) for pair in zip(frame["split_seed"], frame["seed"], strict=True)]
        at = frame["method"].map(methods.index), frame["dataset"].map(datasets.index), seed
        values[at] = _signed(metric) * frame[name].astype(float)
    there = np.isfinite(values)
    total = np.einsum("mds,bs->bmd", np.where(there, values, 0.0), weights)
    count = np.einsum("mds,bs->bmd", there.astype(float), weights)
    means = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return [Means(methods, datasets, block) for block in means]


def over_seeds(statement: Statement, claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """Units of a statement about means.

    Args:
        statement: ``(claim, means) -> {unit: does it hold}``, ``None`` for a unit whose means are missing.
        claim: Its ``datasets``, ``methods``, ``against`` and ``metrics`` say what the statement is about. A statement
            that sums up a printed table is tested on the data sets of that table, whatever else was run.
        frame: Records of the claim's study.
    """
    datasets = claim.datasets or (published.datasets(claim.table) if claim.table else ())
    if datasets:
        frame = frame[frame["dataset"].isin(datasets)]
    absent = [name for name in claim.methods + claim.against if name not in set(frame["method"])]
    nothing = [Unit(claim.id, "missing", note=f"not run: {', '.join(absent)}" if absent else "too few numbers")]
    if frame.empty:
        return nothing
    seeds = sorted(set(zip(frame["split_seed"], frame["seed"], strict=True)))
    drawn = rng("resample", claim.id).multinomial(len(seeds), np.full(len(seeds), 1 / len(seeds)), RESAMPLES)
    weights = np.vstack([np.ones(len(seeds)), drawn])  # the plain means first
    tables = [resampled(frame, metric, weights, seeds) for metric in claim.metrics]
    outcomes = [statement(claim, dict(zip(claim.metrics, means, strict=True))) for means in zip(*tables, strict=True)]
    found, others = outcomes[0], outcomes[1:]
    if not found:
        return nothing
    return [_unit(name, true, _share([o.get(name) for o in others])) for name, true in found.items()]


def _share(outcomes: list[bool | None]) -> float:
    """Share of true ones among the resamples that have every number; with two seeds of one method, a few have not."""
    known = [outcome for outcome in outcomes if outcome is not None]
    return float(np.mean(known)) if known else 0.0


def _unit(name: str, true: bool | None, share: float) -> Unit:
    if true is None:
        return Unit(name, "missing", note="not every method it compares has a number")
    outcome = "fails" if not true else "holds" if share >= CERTAIN else "leans"
    return Unit(name, outcome, mean=share, note=f"true in {share:.0%} of resamples" if true else "")


def in_print(claim: Claim) -> dict[str, bool | None]:
    """The same statement on the paper's own printed means: does its table say what its text says?"""
    cells = published.load(claim.table)
    if claim.datasets:
        cells = cells[cells["dataset"].isin(claim.datasets)]
    means = {}
    for metric in claim.metrics:
        block = cells[cells["metric"] == metric].pivot(index="method", columns="dataset", values="value")
        means[metric] = Means(tuple(block.index), tuple(block.columns), _signed(metric) * block.to_numpy())
    return EVALUATORS[claim.evaluator].statement(claim, means)
