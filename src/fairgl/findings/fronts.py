"""What a hyperparameter search says: is there a front between two criteria?"""

from __future__ import annotations

import pandas as pd

from fairgl.claims import Claim
from fairgl.stats import pareto_front
from fairgl.summaries import column, display
from fairgl.verdicts import EVALUATORS, Unit


def configurations(frame: pd.DataFrame, metrics: tuple[str, ...], *, dataset: str, method: str) -> pd.DataFrame:
    """One row per searched configuration with the mean of each test metric over its finished runs of the search.

    The reported runs of the winner stay out: a mean over further seeds is no neighbour of points with one seed each.
    """
    runs = frame[(frame["dataset"] == dataset) & (frame["method"] == method) & (frame["status"] == "ok")]
    runs = runs[runs["stage"] == "search"]
    if runs.empty or not all(column(frame, metric) in frame for metric in metrics):
        return pd.DataFrame(columns=list(metrics))
    table = runs.groupby("config")[[column(frame, metric) for metric in metrics]].mean()
    return table.set_axis(list(metrics), axis=1).dropna()


@EVALUATORS.register("front", all_stages=True)
def front(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """The Pareto front of the search has at least ``value`` configurations, hence no single best one.

    Points on a front trade one criterion for the other by definition; what can fail is that one configuration
    dominates all others.
    """
    (dataset,), (method,) = claim.datasets, claim.methods
    points = configurations(frame, claim.metrics, dataset=dataset, method=method)
    if len(points) < claim.value:
        return [Unit(f"{method} on {dataset}", "missing", note=f"{len(points)} searched configurations in the store")]
    on = int(pareto_front(points.to_numpy(), directions=[display(m).direction for m in claim.metrics]).sum())
    outcome = "holds" if on >= claim.value else "leans" if on > 1 else "fails"
    return [Unit(f"{method} on {dataset}", outcome, mean=on, note=f"{on} of {len(points)} configurations on the front")]
