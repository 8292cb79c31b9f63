"""Names to things: one decorator registry per kind, filled by importing a folder.

Adding a data set, method, reranker, metric or study is adding one file: the first look-up imports every module of the
kind's package, and each module registers what it defines. An unknown name raises :class:`UnknownName`, whose message
lists the valid ones.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any


class UnknownName(ValueError):
    """A name that no registered thing has; the message lists those that exist."""

    def __init__(self, kind: str, name: object, valid: list[str]):
        close = difflib.get_close_matches(str(name), valid, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        super().__init__(f"unknown {kind} {name!r}.{hint} Valid: {', '.join(valid) or '(none registered)'}")
        self.kind, self.name, self.valid = kind, name, valid


class Registry:
    """Things of one kind by name.

    Args:
        kind: What the things are, for messages ("data set").
        package: Dotted name of the package whose modules register them.
    """

    def __init__(self, kind: str, package: str):
        self.kind, self.package = kind, package
        self._things: dict[str, Any] = {}
        self._aliases: dict[str, str] = {}
        self._loaded = False

    def register(self, name: str, aliases: tuple[str, ...] = (), **attributes: Any) -> Callable[[Any], Any]:
        """Decorator: file a class or function under ``name``; ``attributes`` are set on it, as is ``name``."""

        def keep(thing: Any) -> Any:
            for key in (name, *aliases):
                other = self._things.get(self._aliases.get(key, key))
                if other is not None and (other.__module__, other.__qualname__) != (
                    thing.__module__,
                    thing.__qualname__,
                ):
                    raise ValueError(f"{self.kind} {key!r} is registered twice: {other.__module__}, {thing.__module__}")
            for attribute, value in {"name": name, "aliases": tuple(aliases), **attributes}.items():
                setattr(thing, attribute, value)
            self._things[name] = thing
            self._aliases.update({alias: name for alias in aliases})
            return thing

        return keep

    def load(self) -> None:
        """Import every module of the package once."""
        if self._loaded:
            return
        self._loaded = True
        package = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self.package}.{module.name}")

    def resolve(self, name: str) -> str:
        """The registered name behind ``name`` or one of its aliases; raises :class:`UnknownName`."""
        self.load()
        key = self._aliases.get(name, name) if isinstance(name, str) else name
        if key not in self._things:
            raise UnknownName(self.kind, name, self.names())
        return key

    def __getitem__(self, name: str) -> Any:
        return self._things[self.resolve(name)]

    def __contains__(self, name: object) -> bool:
        self.load()
        return name in self._things or name in self._aliases

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def names(self) -> list[str]:
        """Registered names, sorted, without aliases."""
        self.load()
        return sorted(self._things)

    def items(self) -> list[tuple[str, Any]]:
        """``(name, thing)`` pairs, sorted by name."""
        return [(name, self._things[name]) for name in self.names()]


DATASETS = Registry("data set", "fairgl.datasets")
NODE_METHODS = Registry("node method", "fairgl.methods.nodes")
LINK_METHODS = Registry("link method", "fairgl.methods.links")
COUNTERFACTUAL_METHODS = Registry("counterfactual method", "fairgl.methods.counterfactual")
RERANKERS = Registry("reranker", "fairgl.rerank")
METRICS = Registry("metric", "fairgl.metrics")
TASKS = Registry("task", "fairgl.tasks")
STUDIES = Registry("study", "fairgl.studies")


def hp(default: Any, source: str, search: tuple = ()) -> Any:
    """A hyperparameter of a method's frozen dataclass.

    Args:
        default: Its default value.
        source: Where the default comes from: a paper and place, an official code base, or "ours" and why.
        search: Values of the grid search, if the study tunes this parameter.
    """
    metadata = {"source": source, "search": tuple(search)}
    if isinstance(default, dict | list | set):
        return dataclasses.field(default_factory=lambda: default, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)
