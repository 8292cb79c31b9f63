"""Published statements and table cells as claims: what they say, what would test them, and the tolerance.

Typed statements lie in ``data/published/claims/<paper>.csv``; the cells of the tables that ``table_claims.csv`` lists
become claims by :func:`from_table`. Tolerances were fixed before any record was made: see :func:`tolerance` and
``book/claims_rule.md``. How records turn a claim into a verdict is in :mod:`fairgl.verdicts`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from fairgl import paths, published
from fairgl.summaries import display

COMPARISONS = ("value", "ordering", "sign", "trend")
POINT = 0.01  # smallest tolerance of a percentage: one percentage point
RELATIVE = 0.05  # smallest tolerance of anything else, as a share of the printed value
_RELEASED = {  # what the paper names -> what its library computes, or may have computed
    "auc": ("balanced_accuracy",),
    "utility_difference": ("auc_difference",),
    "lipschitz_bias": ("lipschitz_trace_logits", "lipschitz_trace_probabilities"),
    "ndcg_at_10": ("ndcg_released",),
    "gdif": ("gdif_released",),
    "delta_cf_as_coded": ("delta_cf_structural", "delta_cf_shipped", "delta_cf_rebuilt"),  # not stated which
}
_AS_PRINTED = {("fairvgnn", "balanced_accuracy")}  # the one method whose AUC comes from scores
_LISTS = ("datasets", "methods", "against", "metrics", "also")
_NOT_HERE = "its files are not redistributable and were not available where the committed records were made"
NOT_HERE = {name: _NOT_HERE for name in ("pokec-z", "pokec-n", "aminer-s", "aminer-l")}


@dataclass(frozen=True)
class Claim:
    """One published statement or table cell."""

    id: str
    paper: str
    place: str
    statement: str  # in our words
    study: str
    chapter: str
    comparison: str  # one of COMPARISONS
    evaluator: str  # name in fairgl.verdicts.EVALUATORS
    datasets: tuple[str, ...] = ()  # empty: every data set of the study
    methods: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    value: float = np.nan
    spread: float = np.nan
    reference: float = np.nan  # printed value of `against`, for the direction of a table cell
    tolerance: float = 0.0
    share: float = 1.0  # share of the units that the statement speaks of
    also: tuple[str, ...] = ()  # other readings, such as "metrics=balanced_accuracy"
    table: str = ""  # published table that the statement summarises
    out_of_reach: str = ""


def tolerance(value: float, spread: float, resolution: float, metric: str) -> float:
    """How far our interval may lie from a printed value: the printed spread, but at least the floor.

    One printed standard deviation is about what another run of the authors would show. Below one percentage point (5 %
    of the value where the quantity is no percentage), or half a unit of the last printed digit, a difference says
    nothing about methods.
    """
    floor = POINT if display(metric).unit == "%" else RELATIVE * abs(value)
    return float(np.nanmax([spread, floor, resolution / 2]))


def load(chapter: str | None = None) -> list[Claim]:
    """Every claim: the typed ones of ``claims/*.csv``, then the cells of the tables in ``table_claims.csv``.

    Args:
        chapter: Only the claims that this notebook answers.
    """
    typed = [claim for file in sorted((paths.published() / "claims").glob("*.csv")) for claim in _read(file)]
    tables = pd.read_csv(paths.published() / "table_claims.csv", keep_default_na=False).to_dict("records")
    cells = [claim for row in tables if chapter in (None, row["chapter"]) for claim in _cells(**row)]
    return [claim for claim in typed + cells if chapter in (None, claim.chapter)]


def _cells(table: str, study: str, chapter: str, references: str) -> list[Claim]:
    pairs = dict(pair.split("=") for pair in references.split(";") if pair)
    return from_table(table, study=study, chapter=chapter, references=pairs)


def _read(file: Path) -> list[Claim]:
    rows = pd.read_csv(file, keep_default_na=False).to_dict("records")
    numbers = ("value", "spread", "reference", "tolerance", "share")
    claims = []
    for row in rows:
        row = {key: text for key, text in row.items() if text != ""}
        row |= {key: tuple(str(row[key]).split(";")) for key in _LISTS if key in row}
        claims.append(Claim(**row | {key: float(row[key]) for key in numbers if key in row}))
    return claims


def from_table(table: str, *, study: str, chapter: str, references: dict[str, str]) -> list[Claim]:
    """One claim per cell of a printed table: values, and "runs out of memory" where it prints OOM.

    Args:
        table: Name in :data:`fairgl.published.TABLES`.
        study: Study whose records test the cells.
        chapter: Notebook that shows them.
        references: Method → the method against which a cell's direction is read.
    """
    cells = published.load(table).set_index(["dataset", "method", "metric"])
    claims = []
    for (dataset, method, metric), cell in cells.iterrows():
        against, who = references.get(method, ""), published.printed("method", method)
        claim = Claim(
            id="/".join((table, dataset, method, metric)), paper=cell["paper"], place=cell["place"], table=table,
            statement=f"{who} on {dataset}: {display(metric).symbol} {published.cell(cell)}",
            study=study, chapter=chapter, comparison="value", evaluator="value",
            datasets=(dataset,), methods=(method,), metrics=(metric,),
            against=(against,) if against else (), out_of_reach=NOT_HERE.get(dataset, ""),
        )
        if cell["status"] == "ok":
            reference = cells["value"].get((dataset, against, metric), np.nan)
            claim = replace(claim, value=cell["value"], spread=cell["spread"], reference=reference,
                            also=_also(method, metric),
                            tolerance=tolerance(cell["value"], cell["spread"], cell["resolution"], metric))
        elif metric == "accuracy":
            claim = replace(claim, comparison="sign", evaluator="out_of_memory", metrics=(), tolerance=1.0,
                            statement=f"{who} runs out of memory on {dataset}", against=())
        else:
            continue  # the five OOM cells of a method and data set are one claim
        claims.append(claim)
    return claims


def _also(method: str, metric: str) -> tuple[str, ...]:
    """Other readings of a cell: what the released library computes, and the other baseline behind the word GNN."""
    readings = [f"metrics={name}" for name in _RELEASED.get(metric, ()) if (method, name) not in _AS_PRINTED]
    return tuple(readings + (["methods=gcn"] if method == "gnn" else []))
