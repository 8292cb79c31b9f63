"""Records for a chapter, by mode: read the store, train what it lacks, or train everything anew.

Reaches torch only inside :func:`records`, and only in the modes that train.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from fairgl import store
from fairgl.studies import select, study

MODES = ("store", "missing", "fresh")
COSTS = ("seconds", "fit_seconds", "peak_memory_mb", "threads", "utc", "commit")  # an empty frame has them too


class NoRecords(LookupError):
    """The store has nothing of what was asked for; the message says what it has and how to get the rest."""


def records(
    name: str,
    *,
    datasets: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
    seeds: int | None = None,
    mode: str = "store",
    stage: str = "final",
    root: Path | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Runs of a study: one row each, reported ones under the winning configuration unless another stage is asked for.

    Args:
        name: The study.
        datasets: Data sets, ``None`` for all of the study.
        methods: Methods, ``None`` for all of the study.
        seeds: The first so many repetitions, ``None`` for all there are.
        mode: ``"store"`` reads the store, ``"missing"`` first runs what it lacks, ``"fresh"`` runs everything anew in
            a store that is thrown away afterwards.
        stage: ``"final"``, or ``"search"`` for the runs of the hyperparameter search.
        root: The store's folder, default ``data/results``.
        **options: Of :func:`fairgl.sweep.run`: workers, device, budget_minutes, progress and so on.

    Raises:
        UnknownName: The study has no such data set or method, or there is no such study.
        NoRecords: Nothing of it is stored.
        ValueError: Another mode.
    """
    if mode not in MODES:
        raise ValueError(f"mode: {mode!r} is not one of {', '.join(MODES)}")
    about = study(name)
    datasets = about.choose("data set", datasets, about.datasets)
    methods = about.choose("method", methods, about.methods)
    if mode == "store":
        found = _chosen(store.frame(name, root), datasets, methods, seeds, stage)
        if found.empty:
            raise NoRecords(_nothing(name, datasets, methods, root))
        return found
    from fairgl.sweep import run_study

    with tempfile.TemporaryDirectory(prefix="fresh-") as folder:
        where = Path(folder) if mode == "fresh" else root
        run_study(name, datasets=datasets, methods=methods, seeds=seeds, root=where, **options)
        return _chosen(store.frame(name, where), datasets, methods, seeds, stage)


def records_if_any(name: str, *, root: Path | None = None, **options: Any) -> pd.DataFrame:
    """The same, or an empty frame with the columns that reports read where nothing is stored.

    For studies that a chapter can do without: its tables and figures then say that nothing was run.
    """
    try:
        return records(name, root=root, **options)
    except NoRecords:
        empty = store.frame(name, root).iloc[:0]
        return empty.reindex(columns=list(dict.fromkeys([*empty.columns, *COSTS])))


def _chosen(frame: pd.DataFrame, datasets: tuple, methods: tuple, seeds: int | None, stage: str) -> pd.DataFrame:
    frame = select(frame) if stage == "final" else frame[frame["stage"] == stage]
    frame = frame[frame["dataset"].isin(datasets) & frame["method"].isin(methods)]
    return (frame if seeds is None else frame[frame["seed"] < seeds]).reset_index(drop=True)


def _nothing(name: str, datasets: tuple, methods: tuple, root: Path | None) -> str:
    table = store.status(root)
    table = table[table["study"] == name]
    has = ", ".join(f"{row.method} on {row.dataset} ({row.runs})" for row in table.itertuples()) or "nothing"
    return (
        f"study {name!r}: no records of {', '.join(methods)} on {', '.join(datasets)}. The store has {has}. "
        f'Use mode="missing" to run them here, or `fairgl sweep {name}` to run the study.'
    )
