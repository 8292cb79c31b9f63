"""The grids: which methods, data sets and seeds a study runs, and how its hyperparameters are chosen.

One file per study registers a :class:`Study`. A study with a search runs every grid point on the search seeds first;
the winner per data set and method is the one with the lowest mean ``val_loss``, validation nodes only, and is read
back from the stored search records. No function here imports torch unless the grid of a method is asked for.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairgl.registry import COUNTERFACTUAL_METHODS, LINK_METHODS, NODE_METHODS, STUDIES, Registry, UnknownName
from fairgl.runs import RunSpec

METHODS: dict[str, Registry] = {
    "nodes": NODE_METHODS,
    "individual": NODE_METHODS,
    "links": LINK_METHODS,
    "counterfactual": COUNTERFACTUAL_METHODS,
    "counterfactual_levels": COUNTERFACTUAL_METHODS,
}


@dataclass(frozen=True)
class Study:
    """One study.

    Attributes:
        name, title: Short name and what it asks.
        task: Name in TASKS.
        datasets, methods: Names in the order of the tables.
        seeds: Repetitions; run ``i`` uses split seed ``i`` and seed ``i``, shared by all methods (paired).
        fewer_seeds: ``(data set, method)`` to a smaller number of repetitions, where a method is slow.
        dataset_config: Parameters of the loaders, per data set.
        settings: ``(data set, method)`` to fixed hyperparameters of this study; they win over the authors' per-data-set
            values of the method.
        search: Methods to their grid (hyperparameter to values), searched per data set; missing methods are not tuned.
        search_seeds: Repetitions of each grid point.
        isolated: Runs go one after the other, each in a process of its own, so that time and peak memory are its own.
        cuts: Lengths of lists whose metrics a record of ranked lists keeps; empty keeps all that the task measures.
    """

    name: str
    title: str
    task: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: int = 10
    fewer_seeds: Mapping[tuple[str, str], int] = field(default_factory=dict)
    dataset_config: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    settings: Mapping[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    search: Mapping[str, Mapping[str, tuple]] = field(default_factory=dict)
    search_seeds: int = 1
    isolated: bool = False
    cuts: tuple[int, ...] = ()

    def kept(self, metrics: Mapping[str, Any]) -> dict[str, Any]:
        """The metrics of one part of a record that this study keeps: names like ``ndkl@20.moral`` by their cut-off."""
        found = {name: re.match(r"\w+@(\d+)\.", name) for name in metrics}
        return {name: value for name, value in metrics.items()
                if not self.cuts or not found[name] or int(found[name][1]) in self.cuts}  # fmt: skip

    def registered(self) -> Study:
        """File this study under its name and return it."""
        STUDIES.register(self.name)(_Named(self))
        return self

    def choose(self, kind: str, wanted: Iterable[str] | None, valid: tuple[str, ...]) -> tuple[str, ...]:
        """``wanted`` as it is, or all of ``valid``; raises for names that the study does not have.

        A data set may also be a reader's own graph: a folder with ``nodes.csv`` and ``edges.csv``.
        """
        if wanted is None:
            return valid
        wanted = tuple(wanted)
        for name in wanted:
            own_graph = kind == "data set" and Path(name).expanduser().is_dir()
            if name not in valid and not own_graph:
                raise UnknownName(f"{kind} of study {self.name}", name, list(valid))
        return wanted

    def base(self, dataset: str, method: str) -> dict[str, Any]:
        """Fixed hyperparameters: the authors' values for this data set, then the study's own."""
        authors = METHODS[self.task][method].dataset_settings.get(dataset, {})
        return {**authors, **self.settings.get((dataset, method), {})}

    def specs(
        self,
        datasets: Iterable[str] | None = None,
        methods: Iterable[str] | None = None,
        seeds: int | None = None,
        stage: str = "final",
        frame: pd.DataFrame | None = None,
    ) -> list[RunSpec]:
        """The runs of a stage, seed by seed so that an interrupted sweep is balanced.

        Args:
            seeds: Repetitions in place of the study's.
            frame: Stored records of this study (:func:`fairgl.store.frame`), for the winners of the search. A tuned
                method without search records runs its untuned settings.
        """
        chosen = winners(frame) if frame is not None else {}
        out = []
        pairs = list(
            itertools.product(
                self.choose("data set", datasets, self.datasets), self.choose("method", methods, self.methods)
            )
        )
        for dataset, method in pairs:
            base, grid = self.base(dataset, method), self.search.get(method, {})
            fixed = {"dataset_config": dict(self.dataset_config.get(dataset, {})), "stage": stage}
            if stage == "search":
                points = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
                configs = [{**base, **point} for point in points] if grid else []
                count = self.search_seeds
            else:
                configs, count = [chosen.get((dataset, method), base)], self.repetitions(dataset, method, seeds)
            for seed, config in itertools.product(range(count), configs):
                out.append(RunSpec(self.name, self.task, dataset, method, seed, seed, config, **fixed))
        return sorted(out, key=lambda s: s.seed)

    def repetitions(self, dataset: str, method: str, seeds: int | None = None) -> int:
        """How many seeds a pair gets."""
        return seeds if seeds is not None else self.fewer_seeds.get((dataset, method), self.seeds)


class _Named:
    """A registry entry for a study: registries set attributes, and studies are frozen."""

    def __init__(self, study: Study):
        self.study, self.__module__, self.__qualname__ = study, __name__, study.name


def study(name: str) -> Study:
    """A study by name; raises :class:`~fairgl.registry.UnknownName`."""
    return STUDIES[name].study


def winners(frame: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Configuration with the lowest mean validation loss per (data set, method), from finished search records.

    Ties go to the configuration that comes first as JSON text. A configuration with a failed seed cannot win unless all
    have one.
    """
    out: dict[tuple[str, str], dict[str, Any]] = {}
    for pair, loss in search_table(frame).groupby(["dataset", "method"]):
        best = loss.sort_values(["failed", "val_loss", "config"], kind="stable").iloc[0]
        if np.isfinite(best["val_loss"]):
            out[pair] = json.loads(best["config"])
    return out


def search_table(frame: pd.DataFrame) -> pd.DataFrame:
    """The searched grid: one row per data set, method and configuration with its mean validation loss."""
    columns = ["dataset", "method", "config"]
    search = frame[frame["stage"] == "search"] if "stage" in frame else frame.iloc[:0]
    if search.empty:
        return pd.DataFrame(columns=[*columns, "val_loss", "failed", "seeds"])
    search = search.assign(failed=search["status"] != "ok", val_loss=search["val_loss"].astype(float))
    return search.groupby(columns, as_index=False).agg(
        val_loss=("val_loss", "mean"), failed=("failed", "sum"), seeds=("key", "size")
    )


def select(frame: pd.DataFrame) -> pd.DataFrame:
    """The reported runs: final-stage records under the winning configuration, where there was a search."""
    final = frame[frame["stage"] == "final"]
    best = {pair: json.dumps(config, sort_keys=True) for pair, config in winners(frame).items()}
    rows = zip(final["dataset"], final["method"], final["config"], strict=True)
    keep = [best.get((dataset, method), config) == config for dataset, method, config in rows]
    return final[np.array(keep, dtype=bool)].sort_values(["dataset", "method", "seed"], kind="stable")
