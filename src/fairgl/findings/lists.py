"""Statements about ranked lists of links on several graphs: near the best, equal, separated, reduced by a share."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from fairgl.claims import Claim
from fairgl.findings.resampling import Means, Statement, over_seeds
from fairgl.verdicts import EVALUATORS, Unit

Tables = dict[str, Means]  # one per metric, signed so that lower is better
Units = dict[str, bool | None]


def _statement(name: str):
    def keep(statement: Statement) -> Statement:
        def evaluate(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
            return over_seeds(statement, claim, frame)

        evaluate.__name__ = evaluate.__qualname__ = name
        evaluate.statement = statement
        EVALUATORS.register(name)(evaluate)
        return statement

    return keep


def _each(claim: Claim, means: Means, holds) -> Units:
    """``holds(ours [M, D], theirs [A, D]) -> bool [M, D]``, undefined where a mean is missing."""
    ours, theirs = means.of(claim.methods), means.of(claim.against)
    known = np.isfinite(ours) & (np.isfinite(theirs).any(axis=0) if claim.against else True)
    true = holds(ours, theirs)
    return {
        f"{method} on {dataset}": bool(true[m, d]) if known[m, d] else None
        for (m, method), (d, dataset) in product(enumerate(claim.methods), enumerate(means.datasets))
    }


@_statement("near_best")
def near_best(claim: Claim, tables: Tables) -> Units:
    """Each of ``methods`` is the best of ``against``, or within ``value`` of it, per data set."""
    (means,) = tables.values()
    return _each(claim, means, lambda ours, theirs: ours <= np.fmin.reduce(theirs, axis=0) + claim.value)


@_statement("same")
def same(claim: Claim, tables: Tables) -> Units:
    """Each of ``methods`` is within ``value`` of every one of ``against``, per data set."""
    (means,) = tables.values()

    def holds(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        return np.abs(ours[:, None] - theirs).max(axis=1) <= claim.value

    return _each(claim, means, holds)


@_statement("at_most")
def at_most(claim: Claim, tables: Tables) -> Units:
    """The mean of a metric that is better when lower is at most ``value``, per data set."""
    (means,) = tables.values()
    return _each(claim, means, lambda ours, _: ours <= claim.value)


@_statement("missed_by")
def missed_by(claim: Claim, tables: Tables) -> Units:
    """Where ``methods`` beats ``against`` on the second metric, the first one does not improve."""
    blind, seen = (tables[metric] for metric in claim.metrics)
    found: Units = {}
    for d, dataset in enumerate(seen.datasets):
        values = [m.of(names)[0, d] for m in (blind, seen) for names in (claim.methods, claim.against)]
        if not np.isfinite(values).all():
            found[dataset] = None
        elif values[2] < values[3]:
            found[dataset] = bool(values[0] >= values[1])
    return found


@_statement("separated_more")
def separated_more(claim: Claim, tables: Tables) -> Units:
    """The ratio of ``against`` to ``methods`` is larger on the first metric than on the second (both positive)."""
    first, second = (tables[metric] for metric in claim.metrics)
    found: Units = {}
    for (a, other), (d, dataset) in product(enumerate(claim.against), enumerate(first.datasets)):
        ratios = [m.of(claim.against)[a, d] / m.of(claim.methods)[0, d] for m in (first, second)]
        found[f"{other} on {dataset}"] = bool(ratios[0] > ratios[1]) if np.isfinite(ratios).all() else None
    return found


@_statement("metric_above")
def metric_above(claim: Claim, tables: Tables) -> Units:
    """The first metric lies above the second, per data set (both better when higher, so signed means are reversed)."""
    first, second = (tables[metric].of(claim.methods) for metric in claim.metrics)
    names = tables[claim.metrics[0]].datasets
    known = np.isfinite(first[0]) & np.isfinite(second[0])
    return {name: bool(first[0, d] < second[0, d]) if known[d] else None for d, name in enumerate(names)}


@EVALUATORS.register("costs_most_on")
def costs_most_on(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """What ``methods`` loses against ``against`` is largest on the data set nba, and is a loss."""

    def statement(claim: Claim, tables: Tables) -> Units:
        (means,) = tables.values()
        cost = means.of(claim.methods)[0] - means.of(claim.against)[0]
        if "nba" not in means.datasets or not np.isfinite(cost).all():
            return {"nba": None}
        at = means.datasets.index("nba")
        return {"nba": bool(cost[at] == cost.max() and cost[at] > claim.value)}

    return over_seeds(statement, claim, frame)


@EVALUATORS.register("reduction")
def reduction(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """By what share ``methods`` lowers the mean over data sets of ``against``, against ``value`` ± ``tolerance``."""
    shares: list[float] = []

    def statement(claim: Claim, tables: Tables) -> Units:
        (means,) = tables.values()
        ours, theirs = means.of(claim.methods)[0], means.of(claim.against)[0]
        both = np.isfinite(ours) & np.isfinite(theirs)
        shares.append(1 - ours[both].sum() / theirs[both].sum() if both.any() else np.nan)
        return {"mean over graphs": abs(shares[-1] - claim.value) <= claim.tolerance if both.any() else None}

    (unit,) = over_seeds(statement, claim, frame)
    if unit.outcome == "missing":
        return [unit]
    low, high = np.nanquantile(shares, (0.025, 0.975))
    note = f"our reduction is {shares[0]:.1%} ({low:.1%} to {high:.1%})"
    return [Unit(unit.name, unit.outcome, shares[0], low, high, note)]
