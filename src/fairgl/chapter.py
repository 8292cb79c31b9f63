"""What a chapter imports first: parameters checked, records, tables and verdicts shown, numbers handed to the prose.

Numbers in prose are computed: :func:`glue` stores them under a name, and the text above or below pastes them with
``{glue:text}``. The only reporting module that prints or displays.
"""

from __future__ import annotations

import html
import platform
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML, display
from pandas.io.formats.style import Styler

from fairgl import plots, store, tables
from fairgl.evidence import judged as verdicts
from fairgl.live import records, records_if_any
from fairgl.preflight import check_parameters
from fairgl.spotcheck import spot_check
from fairgl.verdicts import CELLS, VERDICTS, Verdict, tally

__all__ = [
    "check_parameters",
    "folded",
    "glue",
    "in_short",
    "provenance",
    "records",
    "records_if_any",
    "show",
    "spot_check",
    "verdict_box",
    "verdicts",
]

plots.style()


def glue(name: str, value: Any, digits: int | None = None) -> None:
    """Hand a number or text to the prose under ``name``.

    Args:
        name: As used in ``{glue:text}``.
        value: A number of any library, or text. NaN becomes the word "undefined", with its reason if it has one.
        digits: Decimals, for a number that is pasted as it is.
    """
    from myst_nb import glue as paste

    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        value = str(value)
    elif value != value:
        reason = getattr(value, "reason", "")
        value = f"undefined ({reason})" if reason else "undefined"
    elif digits is not None:
        value = f"{value:.{digits}f}"
    else:  # subclasses of float print themselves their own way, so the plain type is stored
        value = float(value) if isinstance(value, float) else int(value)
    paste(name, value, display=False)


def show(table: pd.DataFrame | Styler, caption: str = "", digits: int = 3) -> None:
    """Display a table in the book's style; plain cells are escaped, floats get so many decimals."""
    if isinstance(table, pd.DataFrame):
        named = table.index.name is not None  # a named index reads better as a first column
        table = table.reset_index() if named else table
        plain = table.map(lambda cell: tables.text(cell) if isinstance(cell, str) else cell)
        table = tables.styled(plain, caption, digits)
        table = table.hide(axis="index") if named else table
    display(HTML(table.to_html()))


def folded(title: str, table: pd.DataFrame | Styler) -> None:
    """Display a long table that unfolds on a click."""
    look = tables.styled(table.map(tables.text)).hide(axis="index") if isinstance(table, pd.DataFrame) else table
    display(HTML(f"<details><summary>{html.escape(title)}</summary>{look.to_html()}</details>"))


def verdict_box(found: list[Verdict]) -> None:
    """Display verdicts: statements one by one, table cells counted by metric and unfolded on demand."""
    statements = [v for v in found if v.claim.evaluator not in CELLS]
    cells = [v for v in found if v.claim.evaluator in CELLS]
    if statements:
        show(tables.verdict_table(statements))
    if cells:
        show(tables.verdict_counts(cells))
        tested = [v for v in cells if v.testable]
        rest = Counter(v.reason for v in cells if not v.testable).most_common()
        why = "".join(f"<li>{count} cells: {html.escape(reason)}</li>" for reason, count in rest)
        rows = tables.verdict_table(tested).to_html() if tested else ""
        display(HTML(f"<details><summary>The cells one by one</summary>{rows}<ul>{why}</ul></details>"))


def in_short(found: list[Verdict], frame: pd.DataFrame) -> None:
    """Hand the box at the top its numbers: ``short-verdict``, ``short-sure`` and ``short-minutes``."""
    parts = []
    for word, kind in (("statements", False), ("table cells", True)):
        mine = [v for v in found if (v.claim.evaluator in CELLS) is kind]
        counts = tally(mine)
        told = ", ".join(f"{counts[name]} {name}" for name in VERDICTS[:3] if counts[name])
        testable = len(mine) - counts[VERDICTS[3]]
        if mine:
            parts.append(f"{testable} of {len(mine)} {word} are testable here" + (f": {told}" if told else ""))
    glue("short-verdict", "; ".join(parts) or "no claims")
    if frame.empty:
        glue("short-sure", "nothing of this study is stored yet")
        glue("short-minutes", "seconds; the study itself was not run")
        return
    settings = frame.groupby("dataset")["dataset_config"].nunique().max() if "dataset_config" in frame else 1
    runs = frame.groupby(["dataset", "method", *(["dataset_config"] if settings > 1 else [])]).size()
    span = f"{runs.min()} to {runs.max()}" if runs.min() != runs.max() else str(runs.min())
    methods = frame["method"].nunique()
    count = f"each of {methods} methods" if methods > 1 else "the one method"
    where = ", ".join(frame["dataset"].unique()) + (f" in each of up to {settings} settings" if settings > 1 else "")
    noun = "run" if span == "1" else "runs"
    glue("short-sure", f"{span} {noun}, each on its own split, for {count} on {where}")
    minutes = max(1, round(frame["seconds"].sum() / 60))
    glue("short-minutes", f"seconds from the store; about {minutes} to train anew")


def provenance(frame: pd.DataFrame, root: Path | None = None) -> None:
    """Display where the numbers of this chapter come from."""
    if frame.empty:
        show(pd.DataFrame({"": {"records": "none stored", "versions now": _now()}}))
        return
    keys = set(frame["key"])
    raw = [r for name in frame["study"].unique() for r, _ in store.records(name, root) if r["key"] in keys]
    made = pd.DataFrame([r["versions"] for r in raw if r["versions"]]).drop_duplicates()
    lines = {
        "records": f"{len(frame)}, schema {', '.join(sorted({str(r['schema']) for r in raw})) or 'none stored'}",
        "status": ", ".join(f"{count} {name}" for name, count in frame["status"].value_counts().items()),
        "stale": f"{int(frame['stale'].sum())} made by other code than the present",
        "made": f"{frame['utc'].min()} to {frame['utc'].max()}" if "utc" in frame else "unknown",
        "commit": ", ".join(sorted(frame["commit"].dropna().unique())) if "commit" in frame else "unknown",
        "device": ", ".join(sorted(frame["device"].dropna().unique())),
        "training time": f"{frame['seconds'].sum() / 60:.1f} min in all",
        "versions then": "; ".join(" ".join(f"{k} {v}" for k, v in row.dropna().items()) for _, row in made.iterrows()),
        "versions now": _now(),
    }
    show(pd.DataFrame({"": lines}))


def _now() -> str:
    return " ".join(map(_installed, ("python", "fairgl", "numpy", "torch")))


def _installed(package: str) -> str:
    if package == "python":
        return f"python {platform.python_version()}"
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} not installed"
