"""Where things are.

One environment variable, ``FAIRGL_DATA``, chooses the folder that holds fetched data files; a folder that already has
the files in the layout of ``sources.csv`` is used as it is. Everything else lies in the repository.
"""

from __future__ import annotations

import os
from pathlib import Path

DATA_VARIABLE = "FAIRGL_DATA"


def root() -> Path:
    """The repository root: the nearest folder above this file, or above the working folder, that holds ``_toc.yml``.

    Raises:
        FileNotFoundError: The package was installed without its repository and is used outside of one.
    """
    for start in (Path(__file__).resolve(), Path.cwd().resolve() / "x"):
        for folder in start.parents:
            if (folder / "_toc.yml").exists() and (folder / "notebooks").is_dir():
                return folder
    raise FileNotFoundError("no repository found: run inside a clone (a folder with _toc.yml and notebooks/)")


def raw() -> Path:
    """Small licensed tables that ship with the repository."""
    return root() / "data" / "raw"


def published() -> Path:
    """The papers' printed numbers, as CSV."""
    return root() / "data" / "published"


def results() -> Path:
    """The committed records, one JSON-lines shard per study and method."""
    return root() / "data" / "results"


def build() -> Path:
    """Ignored working files (locks, caches, the rendered book)."""
    return root() / "_build"


def executed() -> Path:
    """Executed copies of the chapters, written by papermill and ignored by git."""
    return root() / "executed"


def cache() -> Path:
    """The folder of fetched data files: ``$FAIRGL_DATA``, or the user's cache folder."""
    chosen = os.environ.get(DATA_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(base).expanduser() / "fairgl"
