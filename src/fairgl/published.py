"""The papers' printed numbers, as tidy tables.

The CSV files in ``data/published`` hold what is printed: percent where the paper prints percent, "OOM" where it prints
OOM. :func:`load` turns them into natural units (fractions), our names of data sets, methods and metrics, and one row a
cell. Nothing is corrected; a spread that no three runs can have is marked, not mended.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd

from fairgl import paths
from fairgl.registry import UnknownName


@dataclass(frozen=True)
class PublishedTable:
    """One printed table: where it stands, in which file, and how to read it."""

    name: str
    file: str
    paper: str  # key in book/references.bib
    place: str
    runs: int = 3  # runs behind each printed mean and spread
    percent: tuple[str, ...] = ()  # printed metrics that are percentages
    filter: str = ""  # value of the column below, where one file holds several tables
    column: str = "table"


# GDIF is a ratio of at least 1 and every printed one is at least 100, so it is read as a percentage.
_SHARES = ("acc", "auc", "delta_sp", "delta_eo", "delta_utility", "ndcg_at_10", "gdif")
_BENCHMARK = "dong2024benchmark"
_MORAL_STUDY = "dewildt2026reproducing"
_LINKS = "link_prediction_tables.csv"

TABLES = {
    t.name: t
    for t in (
        PublishedTable("benchmark.table2", "benchmark_group_table2.csv", _BENCHMARK, "Table 2", percent=_SHARES),
        PublishedTable("benchmark.table3", "benchmark_individual_table3.csv", _BENCHMARK, "Table 3", percent=_SHARES),
        PublishedTable("benchmark.table4", "benchmark_group_table4.csv", _BENCHMARK, "Table 4", percent=_SHARES),
        PublishedTable("benchmark.table5", "benchmark_individual_table5.csv", _BENCHMARK, "Table 5", percent=_SHARES),
        PublishedTable("benchmark.readme", "benchmark_readme_leaderboard.csv", "dong2023survey",
                       "README, section 7.1.1", filter="7.1.1", column="section"),
        PublishedTable("gear.leaderboard", "gear_leaderboard.csv", "dong2023survey", "README, counterfactual fairness"),
        PublishedTable("moral_study.table2", _LINKS, _MORAL_STUDY, "Table 2", filter="table2"),
        PublishedTable("moral_study.table3", _LINKS, _MORAL_STUDY, "Table 3", filter="table3"),
        PublishedTable("moral_study.table4", _LINKS, _MORAL_STUDY, "Table 4", filter="table4"),
        PublishedTable("moral_study.table12", _LINKS, _MORAL_STUDY, "Table 12", filter="table12"),
        PublishedTable("moral_study.table13", _LINKS, _MORAL_STUDY, "Table 13", filter="table13"),
        PublishedTable("moral_study.table14", _LINKS, _MORAL_STUDY, "Table 14", filter="table14_original"),
    )
}

_GAPS = ("statistical_parity_difference", "equal_opportunity_difference", "utility_difference")


@cache
def names(kind: str) -> dict[str, str]:
    """Names as printed → names in this package, for ``"dataset"``, ``"method"`` or ``"metric"``."""
    rows = pd.read_csv(paths.published() / "names.csv")
    return dict(rows.loc[rows["kind"] == kind, ["printed", "name"]].itertuples(index=False))


def printed(kind: str, name: str) -> str:
    """The name that the papers print for ours, or ours if none does."""
    return next((text for text, ours in names(kind).items() if ours == name), name)


def _named(kind: str, printed: pd.Series) -> pd.Series:
    """Our names; a printed name that ``names.csv`` lacks is an error, not a guess."""
    unknown = sorted(set(printed) - set(names(kind)))
    if unknown:
        raise UnknownName(f"printed {kind}", unknown[0], sorted(names(kind)))
    return printed.map(names(kind))


def _resolution(text: str) -> float:
    """One unit of the last printed digit: 0.01 for "62.52", 100 for "3.6e3"."""
    return float(Decimal(1).scaleb(Decimal(text).as_tuple().exponent))


@cache
def _read(name: str) -> pd.DataFrame:
    table = TABLES[name]
    raw = pd.read_csv(paths.published() / table.file, dtype={"mean": str, "section": str})
    if table.filter:
        raw = raw[raw[table.column] == table.filter]
    divisor = np.where(raw["metric"].isin(table.percent), 100.0, 1.0)
    frame = pd.DataFrame(
        {
            "paper": table.paper,
            "place": table.place,
            "dataset": _named("dataset", raw["dataset"]),
            "method": _named("method", raw["method"]),
            "metric": _named("metric", raw["metric"]),
            "value": raw["mean"].astype(float) / divisor,
            "spread": raw["std"] / divisor,
            "resolution": raw["mean"].map(_resolution, na_action="ignore").astype(float) / divisor,
            "runs": table.runs,
            "status": raw.get("status", "ok"),
            "percent": raw["metric"].isin(table.percent),
        }
    ).reset_index(drop=True)
    # Non-negative numbers with mean m have a sample s.d. of at most sqrt(n) m: a larger one is not a spread of n runs.
    bound = np.sqrt(table.runs) * frame["value"] + 0.5e-4
    frame["spread_possible"] = ~(frame["metric"].isin(_GAPS) & (frame["spread"] > bound))
    return frame


def load(table: str) -> pd.DataFrame:
    """One printed table, a row a cell.

    Args:
        table: Name in :data:`TABLES`, such as ``"benchmark.table4"``.

    Returns:
        Columns ``paper place dataset method metric value spread resolution runs status percent spread_possible``.
        ``value``, ``spread`` and ``resolution`` (one unit of the last printed digit) are in natural units: a printed
        62.52 % is 0.6252. They are NaN where ``status`` is ``"oom"``.

    Raises:
        UnknownName: No such table; the message lists those that exist.
    """
    if table not in TABLES:
        raise UnknownName("published table", table, sorted(TABLES))
    return _read(table).copy()


def datasets(table: str) -> tuple[str, ...]:
    """The data sets of a printed table, in its order."""
    return tuple(dict.fromkeys(load(table)["dataset"]))


def lookup(table: str, *, dataset: str, method: str, metric: str) -> pd.Series | None:
    """The printed cell of one data set, method and metric, or ``None`` where the paper has none."""
    frame = load(table)
    hit = frame[(frame["dataset"] == dataset) & (frame["method"] == method) & (frame["metric"] == metric)]
    return None if hit.empty else hit.iloc[0]


def cell(row: pd.Series | None, *, scale: float | None = None) -> str:
    """A printed cell as text, to the printed number of digits: ``"62.52 ± 3.59"``, ``"OOM"``, or ``"–"`` for none.

    Args:
        row: From :func:`lookup`.
        scale: 100 for percent, 1 for natural units; ``None`` is as the paper prints it.
    """
    if row is None:
        return "–"
    if row["status"] != "ok":
        return str(row["status"]).upper()
    scale = scale or (100.0 if row["percent"] else 1.0)
    digits = -round(math.log10(row["resolution"] * scale))
    value, spread = row["value"] * scale, row["spread"] * scale
    return f"{value:.{digits}f} ± {spread:.{max(digits, 2)}f}" if digits >= 0 else f"{value:.1e} ± {spread:.0e}"
