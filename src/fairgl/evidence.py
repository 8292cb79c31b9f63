"""The records on which each chapter judges its claims, and the verdicts of all chapters together.

A chapter's verdict cell and the scorecard must never disagree. So what is judged is written down here once per
chapter: the cell hands in the records that it has (:func:`judged`), and the scorecard reads the records that the
chapter would have with the defaults of its ``parameters`` cell (:func:`judge_stored`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from fairgl import claims, paths, store
from fairgl.homophily import AXES
from fairgl.link_lists import as_printed, lists
from fairgl.link_settings import age_lists, moral_lists, settings
from fairgl.live import records_if_any
from fairgl.parameters import cell_source, model_of
from fairgl.verdicts import Verdict, judge_all

Defaults = dict[str, Any]
Read = Callable[[Defaults, Path | None], pd.DataFrame]


@dataclass(frozen=True)
class Evidence:
    """What a chapter is judged on.

    Attributes:
        read: One function of the chapter's parameters and the store's folder for each frame of records.
        prepare: These frames as the one on which the claims are judged.
        cells: The same for claims about single table cells, where the paper's tables need another reading.
    """

    read: tuple[Read, ...]
    prepare: Callable[..., pd.DataFrame]
    cells: Callable[..., pd.DataFrame] | None = None


def defaults(chapter: str) -> Defaults:
    """Default parameters of a chapter, as its notebook declares them."""
    notebook = json.loads((paths.root() / "notebooks" / f"{chapter}.ipynb").read_text("utf8"))
    return {name: field.default for name, field in model_of(cell_source(notebook, chapter)).model_fields.items()}


def _reported(study: str, wanted: Defaults, root: Path | None, **fixed: Any) -> pd.DataFrame:
    chosen = {name: wanted[name] for name in ("datasets", "methods", "seeds") if name in wanted} | fixed
    return records_if_any(study, root=root, **chosen)


def _search(study: str, wanted: Defaults, root: Path | None) -> pd.DataFrame:
    """Runs of the search on the chapter's data sets."""
    everything = store.frame(study, root)
    return everything[(everything["stage"] == "search") & everything["dataset"].isin(wanted["datasets"])]


def _grid(wanted: Defaults, root: Path | None) -> pd.DataFrame:
    """Runs on the DPAH settings of the chapter's grid."""
    found = records_if_any("dpah", seeds=wanted["seeds"], root=root)
    if found.empty:
        return found
    point = settings(found)
    return found[point[AXES[0]].isin(wanted["minority"]) & point[AXES[1:]].isin(wanted["homophily"]).all(axis=1)]


def _first_seed(wanted: Defaults, root: Path | None) -> pd.DataFrame:
    return records_if_any("dpah", seeds=1, root=root)


def _as_they_are(runs: pd.DataFrame) -> pd.DataFrame:
    return runs


def _joined(*frames: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(frames, ignore_index=True)


def _graphs_and_settings(graphs: pd.DataFrame, on_settings: pd.DataFrame) -> pd.DataFrame:
    """Lists on the graphs, and MORAL's on the DPAH settings with their homophily."""
    return _joined(lists(graphs), moral_lists(on_settings))


def _plain(study: str) -> Evidence:
    return Evidence((partial(_reported, study),), _as_they_are)


LINKS: tuple[Read, ...] = (partial(_reported, "links"),)
EXPOSURE = Evidence((partial(_reported, "links", methods=["decoupled"]), _first_seed), _graphs_and_settings)
EVIDENCE: dict[str, Evidence] = {
    "rq1_group_fairness": Evidence((partial(_reported, "group"), partial(_search, "group")), _joined),
    "rq2_individual_fairness": _plain("individual"),
    "rq3_balance": _plain("group"),
    "rq4_efficiency": _plain("efficiency"),
    "c1_parity_hides_exposure": EXPOSURE,
    "c2_ndkl_detects": EXPOSURE,
    "c3_moral_tradeoff": Evidence(LINKS, lists),
    "e1_homophily": Evidence((_grid,), moral_lists),
    "e2_other_metrics": Evidence(LINKS, lists, cells=lambda runs: as_printed(lists(runs))),
    "e3_more_groups": Evidence((partial(_reported, "categories"),), age_lists),
    "link_appendices": Evidence(LINKS, lambda runs: as_printed(lists(runs))),
    "counterfactual_results": _plain("counterfactual"),
}


def judged(chapter: str, *frames: pd.DataFrame) -> list[Verdict]:
    """Verdicts of all claims of a chapter, in the order of the claims.

    Args:
        chapter: Name of its notebook.
        *frames: Records, one frame for each that :data:`EVIDENCE` names for the chapter.

    Raises:
        TypeError: Too few frames or too many.
    """
    rule, mine = EVIDENCE[chapter], claims.load(chapter)
    if len(frames) != len(rule.read):
        raise TypeError(f"{chapter} is judged on {len(rule.read)} frames of records, got {len(frames)}")
    if rule.cells is None:
        return judge_all(mine, rule.prepare(*frames))
    cells = [claim for claim in mine if claim.evaluator == "value"]
    found = judge_all(cells, rule.cells(*frames))
    found += judge_all([claim for claim in mine if claim.evaluator != "value"], rule.prepare(*frames))
    return sorted(found, key=lambda verdict: mine.index(verdict.claim))


def judge_stored(chapter: str, root: Path | None = None) -> list[Verdict]:
    """Verdicts of a chapter on the stored records, with its default parameters."""
    wanted = defaults(chapter)
    return judged(chapter, *(read(wanted, root) for read in EVIDENCE[chapter].read))


def judge_everything(root: Path | None = None) -> list[Verdict]:
    """Verdicts of every claim of the three papers, chapter by chapter."""
    return [verdict for chapter in EVIDENCE for verdict in judge_stored(chapter, root)]
