"""Data sets by name: ``load("german")`` gives a :class:`~fairgl.graph.Graph`.

One file per data set; adding a file that registers a function ``f(**parameters) -> Graph`` is all it takes. A loader
carries what catalogues need as attributes: ``title``, ``kind`` ("shipped", "fetched", "generated"), ``tasks`` and
``licence``. Most loaders take ``task="nodes"`` (columns as the node-classification benchmark uses them) or
``task="links"`` (as the link-prediction study does).
"""

from __future__ import annotations

import copy
import functools
import inspect
from pathlib import Path
from typing import Any

import numpy as np

from fairgl.graph import Graph, check
from fairgl.paths import cache
from fairgl.registry import DATASETS
from fairgl.sources import sources


def load(name: str, **parameters: Any) -> Graph:
    """A data set by name, or a user's own graph from a folder with ``nodes.csv`` and ``edges.csv``.

    Args:
        name: A registered name or alias ("german", "bail"), or the path of a folder.
        parameters: The loader's own, e.g. ``task="links"``; for a folder see :func:`fairgl.datasets.folder.folder`.

    Raises:
        UnknownName: No such data set; the message lists the valid names.
        TypeError: The loader does not take a parameter; the message lists those it takes.
    """
    is_path = isinstance(name, Path) or (isinstance(name, str) and name not in DATASETS and Path(name).is_dir())
    if is_path or (isinstance(name, str) and "/" in name):
        from fairgl.datasets.folder import folder

        known(folder, parameters)
        return check(folder(Path(name).expanduser(), **parameters))
    key = DATASETS.resolve(name)
    known(DATASETS[key], parameters)
    # Copies, because a graph's arrays are ordinary ones that a caller may write to.
    return copy.deepcopy(_load(key, str(cache()), tuple(sorted(parameters.items()))))


@functools.lru_cache(maxsize=4)
def _load(key: str, folder: str, parameters: tuple[tuple[str, Any], ...]) -> Graph:
    return check(DATASETS[key](**dict(parameters)))


def known(loader: Any, parameters: dict[str, Any]) -> None:
    """Raise :class:`TypeError`, listing what ``loader`` takes, when it does not take one of ``parameters``."""
    valid = [p.name for p in inspect.signature(loader).parameters.values() if p.name != "path"]
    unknown = [key for key in parameters if key not in valid]
    if unknown:
        name = getattr(loader, "name", loader.__name__)
        raise TypeError(f"{name} takes no parameter {', '.join(unknown)}. Valid: {', '.join(valid) or '(none)'}")


def one_of(value: Any, valid: tuple, what: str) -> Any:
    """``value`` if it is valid; otherwise a :class:`ValueError` that lists the valid ones."""
    if value not in valid:
        raise ValueError(f"{what} must be one of {', '.join(map(repr, valid))}; got {value!r}")
    return value


def floats(table: Any) -> np.ndarray:
    """A numeric table as C-ordered float32, the type of ``Graph.x``."""
    return np.ascontiguousarray(np.asarray(table, dtype=np.float32))


def origin(name: str) -> dict[str, Any]:
    """The part of a card that says where fetched files come from: pinned addresses and checksums, and the licence."""
    files = [s for s in sources() if s.dataset == name and s.role == "needed"]
    checks = {s.file: f"sha256:{s.sha256}" if s.sha256 else f"git-blob:{s.git_blob_sha1}" for s in files}
    return {"source": [s.url for s in files], "files": checks, "licence": DATASETS[name].licence}
