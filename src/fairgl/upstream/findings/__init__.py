"""The findings of the audit: each one a small demonstration with its place, the right value, and what it touches.

A finding is a function under the decorator :func:`finding`. ``kind`` says what it needs: ``"live"`` nothing but this
repository, so the chapter runs it in front of the reader; ``"library"`` the released library, in a child process;
``"data"`` a fetched data set; ``"reading"`` nothing, because it is read off the source. The function returns numbers,
``holds`` decides whether they show what is claimed, and ``size`` puts them into words.
"""

from __future__ import annotations

import importlib
import string
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from fairgl import published

MODULES = ("printed", "readme", "measures", "walks", "baseline", "inprocessing", "edits", "fairedit", "individual",
           "similarity", "counterfactual", "data", "links", "link_baselines")  # fmt: skip
KINDS = ("live", "library", "data", "reading")
SURE = {
    "library": "run: released code", "live": "run: computed here", "data": "run: on the data", "reading": "read",
}  # fmt: skip
RELEASE = "pygdebias 1.1.1"
STUDY = "reproduction study of MORAL, commit d6519ed"


@dataclass(frozen=True)
class Cells:
    """Published cells that a finding touches."""

    table: str
    methods: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()

    def count(self) -> int:
        """How many printed cells with a number these are."""
        frame = published.load(self.table)
        keep = frame["status"] == "ok"
        for column, wanted in (("method", self.methods), ("metric", self.metrics), ("dataset", self.datasets)):
            if wanted:
                keep &= frame[column].isin(wanted)
        return int(keep.sum())

    def __str__(self) -> str:
        words = [published.TABLES[self.table].place]
        words += [", ".join(part) for part in (self.methods, self.metrics, self.datasets) if part]
        return f"{'; '.join(words)}: {self.count()} cells"


@dataclass(frozen=True)
class Finding:
    """One finding; see the module.

    Attributes:
        id: Short identifier, such as ``"WALK-1"``.
        method: Class or table that it concerns.
        says: What the code or the table does, in our words.
        right: What the value or behaviour should be.
        places: File and line in the release, or the place in a paper.
        kind: One of :data:`KINDS`.
        function: Returns the numbers; takes a :class:`fairgl.upstream.child.Case` for kind ``"library"``.
        holds: Whether the numbers show it.
        size: Template of the effect in words, filled with the numbers.
        cells: Published cells touched.
        source: What was audited.
        without: Shims that the demonstration must do without.
        also: Where else the same thing is ("authors": in the original code too).
    """

    id: str
    method: str
    says: str
    right: str
    places: tuple[str, ...]
    kind: str
    function: Callable[..., dict[str, Any]] | None
    holds: Callable[[dict[str, Any]], bool]
    size: str = ""
    cells: tuple[Cells, ...] = ()
    source: str = RELEASE
    without: tuple[str, ...] = ()
    also: str = ""

    @property
    def sure(self) -> str:
        """How the statement is known."""
        return SURE[self.kind]

    @property
    def call(self) -> str:
        """``module:function``, for a child process."""
        return f"{self.function.__module__}:{self.function.__name__}"

    def effect(self, values: dict[str, Any] | None) -> str:
        """The effect in words; a template that needs numbers stays empty without them."""
        needed = {name for _, name, _, _ in string.Formatter().parse(self.size) if name}
        if needed and values is None:
            return ""
        return self.size.format(**(values or {}))

    def touched(self) -> str:
        """The published cells touched, in words."""
        return "; ".join(map(str, self.cells)) or "–"


_FOUND: dict[str, Finding] = {}


def finding(
    identifier: str,
    *,
    method: str,
    says: str,
    right: str,
    places: str = "",
    kind: str = "library",
    holds: Callable[[dict[str, Any]], bool] = lambda values: True,
    **more: Any,
) -> Callable:
    """Register the decorated demonstration as a finding; ``places`` are separated by commas."""
    if kind not in KINDS:
        raise ValueError(f"{identifier}: kind {kind!r} is not one of {', '.join(KINDS)}")
    if identifier in _FOUND:
        raise ValueError(f"two findings {identifier}")

    def register(function: Callable[..., dict[str, Any]] | None) -> Any:
        split = tuple(place.strip() for place in places.split(",") if place.strip())
        _FOUND[identifier] = Finding(identifier, method, says, right, split, kind, function, holds, **more)
        return function

    return register


def read(identifier: str, **facts: Any) -> None:
    """Register a finding that is read off the source and has no demonstration."""
    finding(identifier, kind="reading", **facts)(None)


@cache
def findings() -> dict[str, Finding]:
    """Every finding by identifier, in the order of the modules."""
    for name in MODULES:
        importlib.import_module(f"{__name__}.{name}")
    return dict(_FOUND)
