"""Which method is better, best, second or top-ranked: functions of signed means, where lower is better."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import numpy as np
import pandas as pd

from fairgl.claims import Claim
from fairgl.findings.resampling import Means, Statement, over_seeds
from fairgl.verdicts import EVALUATORS, Unit

Units = dict[str, bool]


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


def _known(means: pd.DataFrame, methods: tuple[str, ...]) -> list[str]:
    """The data sets on which every one of these methods has a number."""
    if not set(methods) <= set(means.index):
        return []
    part = means.loc[list(methods)]
    return list(part.columns[part.notna().all()])


def average_ranks(means: pd.DataFrame, methods: tuple[str, ...]) -> pd.Series:
    """Average rank over the data sets on which all of ``methods`` have a number; ties share a rank. Empty if none."""
    datasets = _known(means, methods)
    return means.loc[list(methods), datasets].rank().mean(axis=1) if datasets else pd.Series(dtype=float)


def _rank_sums(claim: Claim, means: Means) -> pd.Series:
    ranks = [average_ranks(means[metric], claim.methods + claim.against) for metric in claim.metrics]
    return sum(ranks) if all(len(r) for r in ranks) else pd.Series(dtype=float)


@_order("better")
def better(claim: Claim, means: Means) -> Units:
    """Each of ``methods`` beats each of ``against`` on each data set and metric."""
    found: Units = {}
    for metric in claim.metrics:
        for method in claim.methods:
            for other in claim.against:
                for dataset in _known(means[metric], (method, other)):
                    column = means[metric][dataset]
                    found[f"{method} against {other} on {dataset}"] = bool(column[method] < column[other])
    return found


@_order("best")
def best(claim: Claim, means: Means) -> Units:
    """One of ``methods`` is the best of ``methods`` and ``against``, per data set, on every metric."""
    return _place(claim, means, 1)


@_order("second")
def second(claim: Claim, means: Means) -> Units:
    """One of ``methods`` comes second among ``methods`` and ``against``, per data set, on every metric."""
    return _place(claim, means, 2)


def _place(claim: Claim, means: Means, place: int) -> Units:
    everyone = claim.methods + claim.against
    datasets = set.intersection(*(set(_known(means[metric], everyone)) for metric in claim.metrics))


    def there(metric: str, dataset: str) -> bool:
        return means[metric].loc[list(everyone), dataset].nsmallest(place).index[-1] in claim.methods

    return {dataset: all(there(metric, dataset) for metric in claim.metrics) for dataset in sorted(datasets)}


@_order("top_ranked")
def top_ranked(claim: Claim, means: Means) -> Units:
    """The ``value`` methods with the smallest sum of average ranks over ``metrics`` all belong to ``methods``."""
    sums = _rank_sums(claim, means)
    top = sums.nsmallest(int(claim.value)).index
    return {f"place {i}": bool(name in claim.methods) for i, name in enumerate(top, 1)}


@_order("not_first")
def not_first(claim: Claim, means: Means) -> Units:
    """None of ``methods`` has the smallest sum of average ranks over ``metrics``."""
    sums = _rank_sums(claim, means)
    return {name: bool(sums[name] > sums.min()) for name in claim.methods} if len(sums) else {}


@_order("better_ranked")
def better_ranked(claim: Claim, means: Means) -> Units:
    """Each of ``methods`` has a smaller sum of average ranks over ``metrics`` than each of ``against``."""
    sums = _rank_sums(claim, means)
    pairs = [(m, a) for m in claim.methods for a in claim.against] if len(sums) else []
    return {f"{m} against {a}": bool(sums[m] < sums[a]) for m, a in pairs}


@_order("none_leads_everywhere")
def none_leads_everywhere(claim: Claim, means: Means) -> Units:
    """No method is among the best ``value`` by average rank on every one of ``metrics``."""
    ranks = {metric: average_ranks(means[metric], claim.methods) for metric in claim.metrics}
    if not all(len(r) for r in ranks.values()):
        return {}
    leaders = [set(r.nsmallest(int(claim.value)).index) for r in ranks.values()]
    return {"all criteria together": not set.intersection(*leaders)}


@_order("at_most_times")
def at_most_times(claim: Claim, means: Means) -> Units:
    """Each of ``methods`` costs at most ``value`` times what the cheapest of ``against`` costs, per data set."""
    found: Units = {}
    for metric in claim.metrics:
        for method in claim.methods:
            for dataset in _known(means[metric], (method, *claim.against)):
                column = means[metric][dataset]
                limit = claim.value * np.min(column[list(claim.against)])
                found[f"{method} on {dataset}"] = bool(column[method] <= limit)
    return found
