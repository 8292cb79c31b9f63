"""The table ``sources.csv``: address, size and checksum of every public data file, pinned."""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from pathlib import Path

from fairgl.registry import DATASETS


@dataclass(frozen=True)
class Source:
    """One file. ``file`` is its place in the data folder; ``role`` "needed", or "reference": only compared against."""

    dataset: str
    file: str
    role: str
    url: str
    bytes: int | None = None
    sha256: str = ""
    git_blob_sha1: str = ""


@functools.cache
def sources() -> tuple[Source, ...]:
    """The table of files."""
    with open(Path(__file__).with_name("sources.csv"), newline="") as file:
        return tuple(Source(**row | {"bytes": int(row["bytes"] or 0) or None}) for row in csv.DictReader(file))


def of(dataset: str, references: bool = True) -> list[Source]:
    """The files of a data set; one that ships with the repository or is generated may have none."""
    name = DATASETS.resolve(dataset)
    return [s for s in sources() if s.dataset == name and (references or s.role == "needed")]
