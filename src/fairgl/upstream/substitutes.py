"""What stands in for absent parts: empty modules, a walk operator, a pool without processes, the groups' matrices."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import types
from collections import Counter
from typing import Any

import numpy as np

from fairgl.upstream.shims import STAND_INS


def _refuses(name: str) -> type:
    """A class that stands for something absent: it can be named and inherited from, not created."""

    def refuse(self: Any, *_: Any, **__: Any) -> None:
        raise RuntimeError(f"{name} is absent and was called")

    return type(name.rpartition(".")[2], (), {"__init__": refuse})


class Curry:
    """A function that waits for the arguments it lacks."""

    def __init__(self, function: Any, *given: Any):
        self.function, self.given = function, given

    def __get__(self, instance: Any, owner: Any = None) -> Curry:
        return self if instance is None else Curry(self.function, instance, *self.given)

    def __call__(self, *more: Any) -> Any:
        given = (*self.given, *more)
        wanted = self.function.__code__.co_argcount
        return self.function(*given) if len(given) >= wanted else Curry(self.function, *given)


class SerialPool:
    """What is used of a pool of processes, without processes."""

    def __enter__(self) -> SerialPool:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def imap_unordered(self, function: Any, items: Any, chunksize: int = 1) -> Any:
        return map(function, items)


class _StandIn(types.ModuleType):
    """An empty module: every attribute is a class that refuses to be created."""

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return _refuses(f"{self.__name__}.{attribute}")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Last on the path: provides a stand-in for a listed package that nothing else provides."""

    def __init__(self, used: Counter):
        self.used = used

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] not in STAND_INS:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        self.used["stand-ins"] += 1
        module = _StandIn(spec.name)
        if spec.name == "cytoolz":
            module.curry = Curry
        if spec.name.startswith("six"):
            module.range, module.zip, module.text_type = range, zip, str
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__path__ = []


def uniform_walks(rowptr: Any, col: Any, start: Any, length: int, p: float, q: float) -> Any:
    """Walks of ``length`` steps, each to a uniform neighbour; a node without neighbours stays where it is."""
    import torch

    if (p, q) != (1, 1):
        raise RuntimeError("only p = q = 1 is provided")
    nodes = [start]
    for _ in range(length):
        at = nodes[-1]
        first, degree = rowptr[at], rowptr[at + 1] - rowptr[at]
        step = (torch.rand(len(at)) * degree).long().clamp(max=(degree - 1).clamp(min=0))
        nodes.append(torch.where(degree > 0, col[(first + step).clamp(max=len(col) - 1)], at))
    return torch.stack(nodes, dim=1)


def group_matrices(sim: Any, sens: Any) -> tuple[list, list, list]:
    """Laplacians and entry counts of the groups, as the library's loop gives them (see the shim "group matrices")."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import laplacian

    values = [int(v) for v in sens.unique(sorted=True).tolist()]
    codes = np.array([int(v) for v in sens.tolist()])
    entries = sp.coo_matrix(sim)
    laplacians, counts, means = [], [], []
    own = laplacian(sim).tocsr().diagonal()
    for value in values:
        row, column = codes[entries.row] == value, codes[entries.col] == value
        # Twice inside the group, once across its border, and nothing between two other nodes of one group.
        other = codes[entries.row] == codes[entries.col]
        factor = np.where(row & column, 2.0, np.where(other & ~row, 0.0, 1.0))
        weighted = sp.coo_matrix((entries.data * factor, (entries.row, entries.col)), sim.shape)
        laplacians.append(laplacian(weighted.tocsr()))
        counts.append(float((row & (entries.data != 0)).sum()))
        means.append(float(own[codes == value].mean()))
    return laplacians, counts, means
