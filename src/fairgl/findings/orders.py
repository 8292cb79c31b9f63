"""Which method is better, best, second or top-ranked: functions of signed means, where lower is better."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from fairgl.claims import Claim
from fairgl.findings.resampling import Means, Statement, over_seeds
from fairgl.verdicts import EVALUATORS, Unit

Tables = dict[str, Means]  # one per metric of the claim
Units = dict[str, bool | None]  # None: the means that the unit needs are missing


def _order(name: str) -> Callable[[Statement], Statement]:
    """Register a statement about means as the evaluator ``name``; the statement itself stays callable."""

    def keep(statement: Statement) -> Statement:
        @wraps(statement)
        def evaluate(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
            return over_seeds(statement, claim, frame)

        evaluate.statement = statement
        EVALUATORS.register(name)(evaluate)
        return statement

    return keep


def average_ranks(means: Means, methods: tuple[str, ...]) -> np.ndarray:
    """Average rank [len(methods)] over the data sets on which all of them have a number; NaN if there is none."""
    block = means.of(methods)
    complete = block[:, np.isfinite(block).all(axis=0)]
    return rankdata(complete, axis=0).mean(axis=1) if complete.size else np.full(len(methods), np.nan)


def _rank_sums(claim: Claim, tables: Tables) -> tuple[tuple[str, ...], np.ndarray]:
    """Methods and opponents with their sum of average ranks; without any if a rank is missing."""
    everyone = claim.methods + claim.against
    sums = sum(average_ranks(tables[metric], everyone) for metric in claim.metrics)
    return (everyone, sums) if np.isfinite(sums).all() else ((), np.empty(0))


@_order("better")
def better(claim: Claim, tables: Tables) -> Units:
    """Each of ``methods`` beats each of ``against`` on each data set and metric."""
    found: Units = {}
    for metric in claim.metrics:
        ours, others = tables[metric].of(claim.methods), tables[metric].of(claim.against)
        beats = ours[:, None] < others[None]  # [M, A, D]
        known = np.isfinite(ours)[:, None] & np.isfinite(others)[None]
        for (m, method), (a, other) in product(enumerate(claim.methods), enumerate(claim.against)):
            for d, dataset in enumerate(tables[metric].datasets):
                name = f"{method} against {other} on {dataset}, {metric}"
                found[name] = bool(beats[m, a, d]) if known[m, a, d] else None
    return found


@_order("best")
def best(claim: Claim, tables: Tables) -> Units:
    """One of ``methods`` is the best of ``methods`` and ``against``, per data set, on every metric."""
    return _place(claim, tables, 1)


@_order("second")
def second(claim: Claim, tables: Tables) -> Units:
    """One of ``methods`` comes second among ``methods`` and ``against``, per data set, on every metric."""
    return _place(claim, tables, 2)


def _place(claim: Claim, tables: Tables, place: int) -> Units:
    blocks = [tables[metric].of(claim.methods + claim.against) for metric in claim.metrics]
    known = np.all([np.isfinite(block).all(axis=0) for block in blocks], axis=0)  # [D]
    placed = [np.argsort(block, axis=0, kind="stable")[place - 1] for block in blocks]  # NaN sorts last
    there = np.all([row < len(claim.methods) for row in placed], axis=0)
    return {
        dataset: bool(there[d]) if known[d] else None for d, dataset in enumerate(tables[claim.metrics[0]].datasets)
    }


@_order("top_ranked")
def top_ranked(claim: Claim, tables: Tables) -> Units:
    """The ``value`` methods with the smallest sum of average ranks over ``metrics`` all belong to ``methods``."""
    names, sums = _rank_sums(claim, tables)
    top = [names[i] for i in np.argsort(sums, kind="stable")[: int(claim.value)]]
    return {f"place {place}": name in claim.methods for place, name in enumerate(top, 1)}


@_order("not_first")
def not_first(claim: Claim, tables: Tables) -> Units:
    """None of ``methods`` has the smallest sum of average ranks over ``metrics``."""
    names, sums = _rank_sums(claim, tables)
    return {name: bool(total > sums.min()) for name, total in zip(names, sums, strict=True) if name in claim.methods}


@_order("better_ranked")
def better_ranked(claim: Claim, tables: Tables) -> Units:
    """Each of ``methods`` has a smaller sum of average ranks over ``metrics`` than each of ``against``."""
    sums = dict(zip(*_rank_sums(claim, tables), strict=True))
    pairs = product(claim.methods, claim.against) if sums else ()
    return {f"{method} against {other}": bool(sums[method] < sums[other]) for method, other in pairs}


@_order("none_leads_everywhere")
def none_leads_everywhere(claim: Claim, tables: Tables) -> Units:
    """No method is among the best ``value`` by average rank on every one of ``metrics``."""
    ranks = [average_ranks(tables[metric], claim.methods) for metric in claim.metrics]
    if not np.isfinite(ranks).all():
        return {}
    leaders = [set(np.argsort(rank, kind="stable")[: int(claim.value)]) for rank in ranks]
    return {"all criteria together": not set.intersection(*leaders)}


@_order("dominated_by_some")
def dominated_by_some(claim: Claim, tables: Tables) -> Units:
    """Per data set, one of ``methods`` is at least as good as each of ``against`` on all metrics, better on one."""
    ours, others = (np.stack([tables[m].of(names) for m in claim.metrics]) for names in (claim.methods, claim.against))
    found: Units = {}
    for d, dataset in enumerate(tables[claim.metrics[0]].datasets):
        mine, theirs = ours[:, :, None, d], others[:, None, :, d]  # [C, M, 1], [C, 1, A]
        dominates = (mine <= theirs).all(axis=0) & (mine < theirs).any(axis=0)  # [M, A]; NaN compares as False
        known = np.isfinite(theirs).all() and (dominates.any(axis=0).all() or np.isfinite(mine).all())
        found[dataset] = bool(dominates.any(axis=0).all()) if known else None
    return found


@_order("at_most_times")
def at_most_times(claim: Claim, tables: Tables) -> Units:
    """Each of ``methods`` costs at most ``value`` times what the cheapest of ``against`` costs, per data set."""
    found: Units = {}
    for metric in claim.metrics:
        ours, others = tables[metric].of(claim.methods), tables[metric].of(claim.against).min(axis=0)
        for (m, method), (d, dataset) in product(enumerate(claim.methods), enumerate(tables[metric].datasets)):
            known = np.isfinite(ours[m, d]) and np.isfinite(others[d])
            found[f"{method} on {dataset}"] = bool(ours[m, d] <= claim.value * others[d]) if known else None
    return found
