"""Single cells: printed values, and methods that are said to run out of memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from fairgl.claims import Claim
from fairgl.summaries import display, summarize
from fairgl.verdicts import EVALUATORS, Unit

WIDEST = 0.05  # half-width above which our interval of a fraction cannot reproduce a value


def _cell(frame: pd.DataFrame, dataset: str, method: str, metric: str) -> pd.Series:
    return summarize(frame, [metric], datasets=[dataset], methods=[method]).iloc[0]


def _value(claim: Claim, frame: pd.DataFrame) -> Unit:
    """The claim as it stands, without its other readings."""
    (dataset,), (method,), (metric,) = claim.datasets, claim.methods, claim.metrics
    cell = _cell(frame, dataset, method, metric)
    unit = Unit(f"{method} on {dataset}", "fails", cell["mean"], cell["low"], cell["high"])
    if np.isnan(cell["mean"]):
        return replace(unit, outcome="missing", note=cell["reason"])
    if cell["valid"] < 3:
        return replace(unit, outcome="missing", note=f"only {cell['valid']} valid runs, the paper has 3")
    if cell["low"] <= claim.value + claim.tolerance and cell["high"] >= claim.value - claim.tolerance:
        widest = max(claim.tolerance, WIDEST) if display(metric).unit == "%" else np.inf
        if (cell["high"] - cell["low"]) / 2 <= widest:
            return replace(unit, outcome="holds")
        return replace(unit, outcome="leans", note="compatible, but our interval is too wide to tell")
    if claim.against and not np.isnan(claim.reference):
        other = _cell(frame, dataset, claim.against[0], metric)["mean"]
        if np.sign(cell["mean"] - other) == np.sign(claim.value - claim.reference):
            return replace(unit, outcome="leans", note=f"only the direction against {claim.against[0]} agrees")
    return unit


@EVALUATORS.register("value")
def value(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """Does our interval meet the printed value ± tolerance? Another reading that does is a lean, not a hold."""
    unit = _value(claim, frame)
    if unit.outcome == "holds":
        return [unit]
    for reading in claim.also:
        field, _, name = reading.partition("=")
        other = _value(replace(claim, **{field: (name,), "against": ()}), frame)
        if other.outcome == "holds":
            return [replace(other, outcome="leans", note=f"holds when read as {name}")]
    return [unit]


@EVALUATORS.register("out_of_memory")
def out_of_memory(claim: Claim, frame: pd.DataFrame) -> list[Unit]:
    """Do our runs of this method on this data set run out of memory too?"""
    (dataset,), (method,) = claim.datasets, claim.methods
    runs = frame[(frame["dataset"] == dataset) & (frame["method"] == method)]
    runs = runs[runs["status"].isin(("ok", "oom"))]
    if runs.empty:
        return [Unit(f"{method} on {dataset}", "missing", note="not run")]
    share = float((runs["status"] == "oom").mean())
    return [Unit(f"{method} on {dataset}", "holds" if share == 1 else "leans" if share else "fails", mean=share)]
