"""``fairgl verify``: one row per thing that can be checked without training, each ok, noted or bad."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairgl.contents import chapters, read
from fairgl.parameters import ParameterError, cell_source, model_of
from fairgl.paths import root as repository
from fairgl.registry import DATASETS


def findings(root: Path | None = None) -> list[dict[str, Any]]:
    """All checks: fetched files, records, sources of chapters, and the book if it was built."""
    root = root or repository()
    rows = [*_files(), *_records()]
    for name, path in chapters(root).items():
        problems = source_problems(path)
        rows.append(_row(f"chapter {name}", "bad" if problems else "ok", "; ".join(problems)))
    if (root / "_build" / "html" / "index.html").exists():
        from fairgl.book import check

        problems = check(root)
        rows.append(_row("built book", "bad" if problems else "ok", "; ".join(problems)))
    return rows


def source_problems(path: Path) -> list[str]:
    """What is wrong with a chapter's source as it should be committed."""
    notebook, problems = read(path), []
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        problems.append("the kernel is not python3")
    for index, cell in enumerate(notebook["cells"]):
        if not cell.get("id"):
            problems.append(f"cell {index} has no id")
        if cell["cell_type"] == "code" and (cell["outputs"] or cell["execution_count"] is not None):
            problems.append(f"cell {index} keeps outputs or a count")
    try:
        model_of(cell_source(notebook, path.name))()
    except (ParameterError, ValueError) as error:
        problems.append(str(error))
    return problems


def _files() -> list[dict[str, Any]]:
    from fairgl.fetch import verify

    rows = []
    for name in DATASETS.names():
        states = verify(name)
        bad = [f"{file}: {state}" for file, state in states.items() if state not in ("ok", "missing")]
        missing = sum(state == "missing" for state in states.values())
        note = f"{missing} of {len(states)} files not fetched" if missing else ""
        rows.append(_row(f"data set {name}", "bad" if bad else "noted" if missing else "ok", "; ".join(bad) or note))
    return rows


def _records() -> list[dict[str, Any]]:
    from fairgl.store import status

    rows = []
    for study, table in status().groupby("study"):
        runs, stale = int(table["runs"].sum()), int(table["stale"].sum())
        open_ = int(table.loc[~table["status"].isin(["ok", "skipped"]), "runs"].sum())
        detail = f"{runs} runs, {stale} stale, {open_} not finished"
        rows.append(_row(f"records of {study}", "noted" if stale or open_ else "ok", detail))
    return rows


def _row(what: str, state: str, detail: str) -> dict[str, Any]:
    return {"what": what, "state": state, "detail": detail}
