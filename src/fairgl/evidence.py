"""The records on which each chapter judges its claims, and the verdicts of all chapters together.

A chapter's verdict cell and the scorecard must never disagree, so what a chapter hands to the verdict rule with its
default parameters is written down here once per chapter. The parameters themselves are read from the chapter's
``parameters`` cell.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from fairgl import claims, paths, store
from fairgl.homophily import AXES
from fairgl.link_lists import LIST_IDEAL, LISTS, lists
from fairgl.link_settings import log_ratio, settings, with_homophily
from fairgl.live import records_if_any
from fairgl.parameters import cell_source, model_of
from fairgl.verdicts import Verdict, judge_all

AGE_LISTS = ("single-gcn", "single-gcn+moral", "moral-unranked", "moral")
Defaults = dict[str, Any]
Prepare = Callable[[Defaults, Path | None], pd.DataFrame]


def defaults(chapter: str) -> Defaults:
    """Default parameters of a chapter, as its notebook declares them."""
    notebook = json.loads((paths.root() / "notebooks" / f"{chapter}.ipynb").read_text("utf8"))
    return {name: field.default for name, field in model_of(cell_source(notebook, chapter)).model_fields.items()}


def _reported(study: str, wanted: Defaults, root: Path | None, **fixed: Any) -> pd.DataFrame:
    chosen = {name: wanted[name] for name in ("datasets", "methods", "seeds") if name in wanted} | fixed
    return records_if_any(study, root=root, **chosen)


def _with_search(study: str, wanted: Defaults, root: Path | None) -> pd.DataFrame:
    """Reported runs, and the runs of the search on the same data sets."""
    everything = store.frame(study, root)
    search = everything[(everything["stage"] == "search") & everything["dataset"].isin(wanted["datasets"])]
    return pd.concat([_reported(study, wanted, root), search], ignore_index=True)


def _lists(wanted: Defaults, root: Path | None) -> pd.DataFrame:
    return lists(_reported("links", wanted, root))


def _as_printed(wanted: Defaults, root: Path | None) -> pd.DataFrame:
    """Lists whose NDCG is divided by the list's own best order, as the paper's is."""
    ranked = _lists(wanted, root)
    return ranked.assign(**{"test.ndcg_at_k": ranked[LIST_IDEAL]}) if LIST_IDEAL in ranked else ranked


def _with_settings(wanted: Defaults, root: Path | None) -> pd.DataFrame:
    """Lists on the graphs, and MORAL's on the DPAH settings with their homophily."""
    graphs = lists(_reported("links", wanted, root, methods=["decoupled"]))
    found = lists(records_if_any("dpah", seeds=1, root=root), rows={"moral": LISTS["moral"]})
    if len(found):
        found = with_homophily(found)
        found["log_ratio"] = log_ratio(found)
    return pd.concat([graphs, found], ignore_index=True)


def _grid(wanted: Defaults, root: Path | None) -> pd.DataFrame:
    """MORAL's lists on the DPAH settings of the chapter's grid."""
    found = records_if_any("dpah", seeds=wanted["seeds"], root=root)
    if len(found):
        point = settings(found)
        found = found[point[AXES[0]].isin(wanted["minority"]) & point[AXES[1:]].isin(wanted["homophily"]).all(axis=1)]
    return lists(found, rows={"moral": LISTS["moral"]})


def _ages(wanted: Defaults, root: Path | None) -> pd.DataFrame:
    return lists(_reported("categories", wanted, root), rows={name: LISTS[name] for name in AGE_LISTS})


EVIDENCE: dict[str, Prepare] = {
    "rq1_group_fairness": partial(_with_search, "group"),
    "rq2_individual_fairness": partial(_reported, "individual"),
    "rq3_balance": partial(_reported, "group"),
    "rq4_efficiency": partial(_reported, "efficiency"),
    "c1_parity_hides_exposure": _with_settings,
    "c2_ndkl_detects": _with_settings,
    "c3_moral_tradeoff": _lists,
    "e1_homophily": _grid,
    "e2_other_metrics": _lists,
    "e3_more_groups": _ages,
    "link_appendices": _as_printed,
    "counterfactual_results": partial(_reported, "counterfactual"),
}
PRINTED_CELLS = {"e2_other_metrics": _as_printed}  # chapters whose table cells are read another way


def evidence(chapter: str, root: Path | None = None) -> pd.DataFrame:
    """Records that a chapter's claims are judged on, with its default parameters; empty where nothing is stored."""
    return EVIDENCE[chapter](defaults(chapter), root)


def judged(chapter: str, root: Path | None = None) -> list[Verdict]:
    """Verdicts of all claims of a chapter on the stored records, in the order of the claims."""
    mine = claims.load(chapter)
    if chapter not in PRINTED_CELLS:
        return judge_all(mine, evidence(chapter, root))
    cells = [claim for claim in mine if claim.evaluator == "value"]
    found = judge_all(cells, PRINTED_CELLS[chapter](defaults(chapter), root))
    found += judge_all([claim for claim in mine if claim.evaluator != "value"], evidence(chapter, root))
    return sorted(found, key=lambda verdict: mine.index(verdict.claim))


def judge_everything(root: Path | None = None) -> list[Verdict]:
    """Verdicts of every claim of the three papers, chapter by chapter."""
    return [verdict for chapter in EVIDENCE for verdict in judged(chapter, root)]
