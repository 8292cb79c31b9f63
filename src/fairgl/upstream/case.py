"""A graph and a split as the released library's loaders hand them over, and a way to its classes.

Lives in the child process; :mod:`fairgl.upstream.child` makes it, and demonstrations receive it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from fairgl.upstream.classes import ARGUMENTS, CLASSES
from fairgl.upstream.surroundings import Surroundings


class Case:
    """A graph and a split as the library's loaders hand them over, and a way to its classes.

    Attributes:
        arrays: NumPy arrays written by the parent: ``x``, ``edges``, ``y``, ``sens``, ``train``, ``val``, ``test``,
            ``sens_column``.
        around: The shims in force.
        seed: Seed that :meth:`seeded` restores.
    """

    def __init__(self, arrays: dict[str, np.ndarray], around: Surroundings, seed: int = 0):
        self.arrays, self.around, self.seed = arrays, around, seed

    @cached_property
    def entries(self) -> dict[str, Any]:
        """Everything :data:`fairgl.upstream.classes.ARGUMENTS` can ask for, as tensors."""
        import torch

        a, n = self.arrays, len(self.arrays["x"])
        loops = np.arange(n)
        row, column = np.concatenate([a["edges"], a["edges"][:, ::-1], np.stack([loops, loops], 1)]).T
        index = torch.from_numpy(np.stack([row, column]))
        entries = {
            "adj": torch.sparse_coo_tensor(index, torch.ones(len(row)), (n, n)).coalesce(),
            "features": torch.from_numpy(a["x"].astype(np.float32)),
            "labels": torch.from_numpy(a["y"].astype(np.int64)),
            "sens": torch.from_numpy(a["sens"].astype(np.float32)),
            "sens_idx": int(a["sens_column"]),
            "num_features": a["x"].shape[1],
            "device": "cpu",
        }
        parts = ("train", "val", "test")
        return entries | {f"idx_{part}": torch.from_numpy(a[part].astype(np.int64)) for part in parts}

    def seeded(self, seed: int | None = None) -> None:
        """Seed every generator that the library draws from."""
        import random

        import torch

        seed = self.seed if seed is None else seed
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002  the library draws from the old global generator
        torch.manual_seed(seed)

    def first(self, count: int) -> Case:
        """The case of the first ``count`` nodes; the split keeps those of its nodes that remain."""
        a = self.arrays
        keep = {name: a[name][:count] for name in ("x", "y", "sens")}
        keep |= {part: a[part][a[part] < count] for part in ("train", "val", "test")}
        keep |= {"edges": a["edges"][(a["edges"] < count).all(axis=1)], "sens_column": a["sens_column"]}
        return Case(keep, self.around, self.seed)

    def module(self, name: str) -> Any:
        """A file of the library, such as ``"debiasing.GNN"``."""
        return self.around.module(name)

    def arguments(self, names: str, **more: Any) -> dict[str, Any]:
        """The named arguments, and more."""
        return {name: self.entries[ARGUMENTS[name]] for name in names.split()} | more

    def steps(self, name: str, **settings: dict[str, Any]) -> tuple[Any, Any, Any]:
        """Three functions of no argument for a class: build, fit, predict. Settings as in :class:`Released`."""
        released = CLASSES[name]
        made: list[Any] = []

        def extra(step: str) -> dict[str, Any]:
            return {**released.settings.get(step, {}), **settings.get(step, {})}

        def build() -> Any:
            cls = getattr(self.module(f"debiasing.{name}"), name)
            build_more = extra("build")
            if name == "GUIDE":
                build_more = {"nfeat": 16, **build_more}
            made.append(cls(**self.arguments(released.build, **build_more)))
            return made[-1]

        def fit() -> Any:
            return made[-1].fit(**self.arguments(released.fit, **extra("fit")))

        def predict() -> Any:
            return made[-1].predict(**self.arguments(released.predict, **extra("predict")))

        return build, fit, predict

    def trained(self, name: str, **settings: dict[str, Any]) -> Any:
        """A fitted instance, from the seed."""
        self.module(f"debiasing.{name}")  # importing may seed the generators
        self.seeded()
        build, fit, _ = self.steps(name, **settings)
        instance = build()
        fit()
        return instance

    def run(self, name: str, **settings: dict[str, Any]) -> tuple[Any, tuple]:
        """A fitted instance and what its ``predict`` returns, from the seed."""
        self.module(f"debiasing.{name}")
        self.seeded()
        build, fit, predict = self.steps(name, **settings)
        instance = build()
        fit()
        return instance, predict()
