"""Everything that has a name, as rows: what ``fairgl list`` prints and what its ``--json`` promises to scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairgl.contents import chapters, manifest, read, toc_pages
from fairgl.parameters import cell_source, describe, model_of
from fairgl.paths import root as repository
from fairgl.registry import (
    COUNTERFACTUAL_METHODS,
    DATASETS,
    LINK_METHODS,
    METRICS,
    NODE_METHODS,
    RERANKERS,
    STUDIES,
    Registry,
)

SCHEMA = 1  # of the JSON that the command line prints; fields are added without a new number, never renamed or dropped
TASKS = {"nodes": NODE_METHODS, "links": LINK_METHODS, "counterfactual": COUNTERFACTUAL_METHODS}


def _rows(registry: Registry, *fields: str) -> list[dict[str, Any]]:
    rows = []
    for name, thing in registry.items():
        values = {field: getattr(thing, field, None) for field in fields}
        rows.append({"name": name, "aliases": list(getattr(thing, "aliases", ())), **values})
    return rows


def datasets() -> list[dict[str, Any]]:
    """Data sets: title, kind (shipped, fetched, generated), tasks, licence."""
    return _rows(DATASETS, "title", "kind", "tasks", "licence")


def methods() -> list[dict[str, Any]]:
    """Methods of every task: label, family, notion, reference."""
    fields = ("label", "family", "notion", "reference")
    return [{**row, "task": task} for task, registry in TASKS.items() for row in _rows(registry, *fields)]


def rerankers() -> list[dict[str, Any]]:
    """Rerankers: label and reference."""
    return _rows(RERANKERS, "label", "reference")


def metrics() -> list[dict[str, Any]]:
    """Measures: symbol, direction, range, unit, and what zero means."""
    return _rows(METRICS, "symbol", "direction", "range", "unit", "zero", "task")


def studies() -> list[dict[str, Any]]:
    """Studies: the grids that ``fairgl sweep`` runs."""
    found = [thing.study if hasattr(thing, "study") else thing for _, thing in STUDIES.items()]
    fields = ("name", "title", "task", "datasets", "methods", "seeds")
    return [{field: getattr(study, field, None) for field in fields} for study in found]


def chapter_rows(root: Path | None = None) -> list[dict[str, Any]]:
    """Chapters: title, page, parameters, and the state of the executed copy."""
    root = root or repository()
    made, pages = manifest(root), toc_pages(root)
    rows = []
    for name, path in chapters(root).items():
        executed = root / "executed"
        state = "executed" if name in made and (executed / f"{name}.ipynb").exists() else "not run"
        rows.append(
            {
                "name": name,
                "title": title(path),
                "in_book": f"notebooks/{name}" in pages,
                "state": "failed" if (executed / f"{name}.failed.ipynb").exists() else state,
                "parameters": describe(model_of(cell_source(read(path), path.name))),
            }
        )
    return rows


def title(path: Path) -> str:
    """A chapter's first heading."""
    for cell in read(path)["cells"]:
        for line in "".join(cell["source"]).splitlines():
            if cell["cell_type"] == "markdown" and line.startswith("# "):
                return line[2:].strip()
    return path.stem


KINDS = {
    "datasets": datasets,
    "methods": methods,
    "rerankers": rerankers,
    "metrics": metrics,
    "studies": studies,
    "chapters": chapter_rows,
}
