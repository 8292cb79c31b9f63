"""What the book consists of: pages, chapters, their parameters, and what an executed copy was made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from fairgl.parameters import cell_source, model_of, validate
from fairgl.paths import root as repository
from fairgl.preflight import problems
from fairgl.registry import UnknownName

NOT_AUTHORED = {"injected-parameters", "papermill-error-cell-tag"}
NOT_READ = {"__main__.py", "book.py", "cli", "contents.py", "execute.py", "listing.py", "verify.py"}  # by chapters


def toc_pages(root: Path | None = None) -> list[str]:
    """Pages of the table of contents in reading order, as paths without suffix."""
    root = root or repository()
    toc = yaml.safe_load((root / "_toc.yml").read_text("utf8"))
    pages: list[str] = []

    def walk(items: list[dict[str, Any]]) -> None:
        for item in items:
            pages.extend([item["file"]] if "file" in item else [])
            matches = sorted(root.glob(item["glob"])) if "glob" in item else []
            found = [p.relative_to(root).with_suffix("").as_posix() for p in matches if p.suffix in (".md", ".ipynb")]
            pages.extend(page for page in found if page not in pages)
            for key in ("parts", "chapters", "sections"):
                walk(item.get(key, []))

    walk([{**toc, "file": toc["root"]}])
    return pages


def chapters(root: Path | None = None) -> dict[str, Path]:
    """Notebooks by name: those of the table of contents in its order, then the others; ``_template`` is not one."""
    root = root or repository()
    listed = [root / "notebooks" / f"{name}.ipynb" for name in book_chapters(root)]
    others = [path for path in sorted((root / "notebooks").glob("*.ipynb")) if path.name[0] not in "._"]
    return {path.stem: path for path in dict.fromkeys([*listed, *others])}


def book_chapters(root: Path | None = None) -> list[str]:
    """Names of the chapters in the table of contents."""
    return [Path(page).name for page in toc_pages(root) if page.startswith("notebooks/")]


def resolve(name: str, root: Path | None = None) -> str:
    """The chapter called ``name``, or the only one that starts with it (``rq1`` is ``rq1_group_fairness``)."""
    known = chapters(root)
    stem = name.removeprefix("notebooks/").removesuffix(".ipynb")
    found = [stem] if stem in known else [other for other in known if other.startswith(stem)]
    if len(found) != 1:
        raise UnknownName("chapter", name, found or list(known))
    return found[0]


def read(path: Path) -> dict[str, Any]:
    """A notebook as a dictionary."""
    return json.loads(path.read_text("utf8"))


def effective(path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of a run of this notebook; raises :class:`fairgl.parameters.ParameterError`."""
    return validate(model_of(cell_source(read(path), path.name)), values, problems)


def last_parameters(name: str, root: Path | None = None) -> dict[str, Any]:
    """Parameters of the last good run of a chapter, as far as it still has them."""
    root = root or repository()
    declared = model_of(cell_source(read(chapters(root)[name]), name)).model_fields
    made = manifest(root).get(name, {}).get("parameters", {})
    return {key: value for key, value in made.items() if key in declared and value != declared[key].default}


def authored(notebook: Mapping[str, Any]) -> str:
    """Hash of what the author wrote: the cells' sources, without outputs, metadata and cells that papermill added."""
    cells = [
        [cell["cell_type"], "".join(cell["source"])]
        for cell in notebook["cells"]
        if not NOT_AUTHORED & set(cell.get("metadata", {}).get("tags", []))
    ]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def ingredients(root: Path) -> str:
    """Hash of what chapters are made from beside their own cells: the package, the lock file and the data."""
    files = [p for p in (root / "src").rglob("*.py") if not NOT_READ & {p.name, p.parent.name}]
    # A name that begins with a dot is a shard that a sweep is writing at this moment.
    files += [p for p in (root / "data").rglob("[!.]*") if p.is_file()] + [root / "requirements.lock"]
    digest = hashlib.sha256()
    for path in sorted(p for p in files if p.exists()):
        digest.update(path.relative_to(root).as_posix().encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def manifest(root: Path) -> dict[str, dict[str, Any]]:
    """What the executed copies were made from, by chapter."""
    path = root / "executed" / "manifest.json"
    return json.loads(path.read_text("utf8")) if path.exists() else {}


def entry(name: str, parameters: Mapping[str, Any], root: Path, made_from: str) -> dict[str, Any]:
    """What the manifest would say of a run of this chapter now; ``made_from`` is :func:`ingredients`."""
    made = {"cells": authored(read(chapters(root)[name])), "parameters": dict(parameters), "made_from": made_from}
    return json.loads(json.dumps(made))  # tuples as the manifest has them


def is_current(name: str, now: Mapping[str, Any], root: Path) -> bool:
    """Whether the executed copy of a chapter is what a run would make now."""
    return manifest(root).get(name) == now and (root / "executed" / f"{name}.ipynb").exists()
