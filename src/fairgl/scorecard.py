"""The scorecard: every claim with what was printed, what we measured, its verdict, and the chapter that decides it.

Only arranges verdicts that :mod:`fairgl.evidence` has computed; nothing is judged here.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from fairgl import published
from fairgl.catalogue import label
from fairgl.findings.resampling import in_print
from fairgl.summaries import display
from fairgl.tables import badge, styled, text
from fairgl.verdicts import CELLS, EVALUATORS, VERDICTS, Verdict

PAPERS = {  # key in references.bib: how tables call it
    "dong2024benchmark": "Benchmark",
    "dewildt2026reproducing": "MORAL study",
    "ma2022gear": "GEAR",
    "dong2023survey": "Leaderboards of the benchmark's survey",
}


def is_cell(verdict: Verdict) -> bool:
    """Whether the claim is a single cell of a printed table; the others are statements."""
    return verdict.claim.evaluator in CELLS


def printed(verdict: Verdict) -> str:
    """What the paper prints: a number, or whether its own table says what its text says."""
    claim = verdict.claim
    if claim.evaluator == "value" and claim.metrics and np.isfinite(claim.value):
        show = display(claim.metrics[0])
        spread = f" ± {show.number(claim.spread)}" if np.isfinite(claim.spread) else ""
        return f"{show.number(claim.value)}{spread}"
    if claim.evaluator == "out_of_memory":
        return "OOM"
    if not claim.table or not hasattr(EVALUATORS[claim.evaluator], "statement"):
        return "in words"
    found = [true for true in in_print(claim).values() if true is not None]
    return f"in words; its table agrees in {sum(found)} of {len(found)}" if found else "in words; its table cannot say"


def measured(verdict: Verdict) -> str:
    """What our records say: a mean with its interval, or how many units hold, with the notes of a single one."""
    if not verdict.testable:
        return verdict.reason
    claim, unit = verdict.claim, verdict.units[0]
    if claim.evaluator == "value" and claim.metrics and np.isfinite(unit.mean):
        show = display(claim.metrics[0])
        found = f"{show.number(unit.mean)} ({show.number(unit.low)} to {show.number(unit.high)})"
        return f"{found}; {unit.note}" if unit.note else found
    note = unit.note if len(verdict.units) == 1 else ""
    return f"{verdict.counts}; {note}" if note else verdict.counts


def link(chapter: str, titles: Mapping[str, str], pages: Collection[str]) -> str:
    """A chapter's title, as a link where the book has the page."""
    title = html.escape(titles.get(chapter, chapter))
    return f'<a href="{chapter}.html">{title}</a>' if chapter in pages else title


def card(verdicts: list[Verdict], titles: Mapping[str, str], pages: Collection[str]) -> Styler:
    """One row per claim.

    Args:
        verdicts: Those to list.
        titles: Chapter to title.
        pages: Chapters that are pages of the book.
    """
    rows = [
        {
            "verdict": badge(v.verdict),
            "claim": f"{text(v.claim.statement)}<br><small>"
            f"{html.escape(PAPERS.get(v.claim.paper, v.claim.paper))}, {html.escape(v.claim.place)}</small>",
            "printed": text(printed(v)),
            "measured here": text(measured(v)),
            "chapter": f'<span class="fg-wrap">{link(v.claim.chapter, titles, pages)}</span>',
        }
        for v in verdicts
    ]
    return styled(pd.DataFrame(rows)).hide(axis="index")


def counts(verdicts: list[Verdict]) -> pd.DataFrame:
    """Claims by paper and kind, and how many got each verdict; the last row adds them up."""
    rows: dict[tuple[str, str], dict[str, int]] = {}
    for v in verdicts:
        key = PAPERS.get(v.claim.paper, v.claim.paper), "table cells" if is_cell(v) else "statements"
        rows.setdefault(key, dict.fromkeys(VERDICTS, 0))[v.verdict] += 1
    order = sorted(rows, key=lambda key: (list(PAPERS.values()).index(key[0]), key[1]))
    table = pd.DataFrame([rows[key] for key in order], columns=list(VERDICTS))
    table.insert(0, "claims", table.sum(axis=1))
    table.index = pd.MultiIndex.from_tuples(order, names=["paper", "kind"])
    table.loc[("all", ""), :] = table.sum()
    return table.astype(int)


def by_table(verdicts: list[Verdict]) -> dict[str, list[Verdict]]:
    """Table cells under the name and place of their table, in the order of the chapters."""
    found: dict[str, list[Verdict]] = {}
    for v in verdicts:
        if is_cell(v):
            name = v.claim.table or v.claim.place
            place = published.TABLES[name].place if name in published.TABLES else name
            found.setdefault(f"{PAPERS.get(v.claim.paper, v.claim.paper)}, {place}", []).append(v)
    return found


def contradicted(verdicts: list[Verdict]) -> list[Verdict]:
    """Statements that the printed table of their own paper does not support everywhere."""
    found = []
    for v in verdicts:
        if not is_cell(v) and v.claim.table and hasattr(EVALUATORS[v.claim.evaluator], "statement"):
            true = [unit for unit in in_print(v.claim).values() if unit is not None]
            if true and sum(true) < v.claim.share * len(true) - 1e-9:
                found.append(v)
    return found


def by_method(verdicts: list[Verdict]) -> pd.DataFrame:
    """Cells of each method that could be tested, and the share of them that was reproduced."""
    cells = [v for v in verdicts if is_cell(v) and v.testable and v.claim.methods]
    frame = pd.DataFrame([(label(v.claim.methods[0]), v.verdict) for v in cells], columns=["method", "verdict"])
    table = pd.crosstab(frame["method"], frame["verdict"]).reindex(columns=list(VERDICTS[:3]), fill_value=0)
    return table.rename_axis(None, axis=1).assign(cells=table.sum(axis=1)).sort_values("cells", ascending=False)
