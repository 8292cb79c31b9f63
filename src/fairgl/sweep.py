"""Run what is missing: in worker processes here, or on a Dask cluster.

Every finished run is stored at once, so a sweep may be killed at any moment and continues where it stopped.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fairgl import store
from fairgl.registry import STUDIES
from fairgl.runs import SCHEMA, Record, RunSpec, execute
from fairgl.studies import study as named_study

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def run_study(
    name: str,
    *,
    datasets: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
    seeds: int | None = None,
    root: Path | None = None,
    **options,
) -> dict[str, int]:
    """Search, choose the winners on validation, then run the reported seeds. Options are those of :func:`run`."""
    chosen = named_study(name)
    counts: dict[str, int] = {}
    for stage in ("search", "final"):
        records = store.frame(name, root) if stage == "final" else None
        specs = chosen.specs(datasets, methods, seeds, stage=stage, frame=records)
        for status, count in run(specs, root=root, **options).items():
            counts[status] = counts.get(status, 0) + count
    return counts


def missing(
    specs: Iterable[RunSpec], root: Path | None = None, retry_failed: bool = False, refresh: bool = False
) -> list[RunSpec]:
    """The specs without a record; failed ones too if ``retry_failed``, stale ones too if ``refresh``."""
    specs = list(specs)
    have = {s: store.keys(s, root, done=retry_failed, fresh=refresh) for s in {spec.study for spec in specs}}
    return [spec for spec in specs if spec.key not in have[spec.study]]


def run(
    specs: Iterable[RunSpec],
    *,
    workers: int = 1,
    device: str = "cpu",
    budget_minutes: float | None = None,
    timeout: float | None = None,
    retry_failed: bool = False,
    refresh: bool = False,
    cluster: str | None = None,
    progress: bool = True,
    root: Path | None = None,
) -> dict[str, int]:
    """Run the specs that the store lacks; returns how many ended in which status.

    Args:
        workers: Processes, one thread each unless the environment says otherwise: the number of threads changes the
            last digits of a result, and the stored records were made with one.
        device: Checked before anything is loaded.
        budget_minutes: Start no further run after this many minutes.
        timeout: Seconds per run, after which it is recorded as ``timeout``.
        cluster: Address of a Dask scheduler whose workers can import this package, in place of local processes.
        progress: Show a progress bar.
    """
    for variable in THREADS:
        os.environ.setdefault(variable, "1")
    from fairgl.training import resolve_device

    device = resolve_device(device)
    todo, counts, start = missing(specs, root, retry_failed, refresh), {}, time.monotonic()
    if not todo:
        return counts
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
        disable=not progress,
    )  # fmt: skip

    chosen = named_study(todo[0].study) if todo[0].study in STUDIES else None

    def keep(record: Record) -> None:
        if chosen is not None:
            parts = record.result["metrics"]
            record.result["metrics"] = {part: chosen.kept(values) for part, values in parts.items()}
        store.append(record, root)
        counts[record.result["status"]] = counts.get(record.result["status"], 0) + 1
        bar.update(task, advance=1, description="{dataset} {method} {seed}".format(**record.result))

    with bar:
        task = bar.add_task(todo[0].study, total=len(todo))
        isolated = chosen is not None and chosen.isolated
        if cluster is None and (workers <= 1 or isolated):
            for spec in todo:
                if budget_minutes is not None and time.monotonic() - start > 60 * budget_minutes:
                    break
                keep((_alone if isolated else execute)(spec, device, timeout))
            return counts
        while todo:
            todo = _parallel(todo, keep, workers, device, timeout, cluster, start, budget_minutes)
    return counts


def _parallel(todo, keep, workers, device, timeout, cluster, start, budget_minutes) -> list[RunSpec]:
    """Run in parallel until done, out of budget, or a worker dies; returns what is left to do."""
    queue, running = list(reversed(todo)), {}
    with _executor(workers, cluster) as pool:
        while queue or running:
            late = budget_minutes is not None and time.monotonic() - start > 60 * budget_minutes
            while queue and not late and len(running) < workers:
                spec = queue.pop()
                running[pool.submit(execute, spec, device, timeout)] = spec
            if not running:
                return []
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                try:
                    keep(future.result())
                    running.pop(future)
                except BrokenProcessPool:
                    return _after_death(list(running.values()), keep) + list(reversed(queue))
    return []


def _after_death(suspects: list[RunSpec], keep) -> list[RunSpec]:
    """A worker died, usually killed for memory. A lone suspect is recorded; several go back, one at a time."""
    if len(suspects) == 1:
        spec = suspects[0]
        keep(_dead(spec))
        return []
    for spec in suspects:
        keep(_alone(spec))
    return []


def _alone(spec: RunSpec, device: str = "cpu", timeout: float | None = None) -> Record:
    """One run in a process of its own; a process that dies leaves a record, too."""
    with _executor(1, None) as pool:
        try:
            return pool.submit(execute, spec, device, timeout).result()
        except BrokenProcessPool:
            return _dead(spec)


def _dead(spec: RunSpec) -> Record:
    reason = "the worker process was killed, most likely by the system for memory"
    result = {"schema": SCHEMA, "key": spec.key, **spec.identity(), "config_full": {}, "status": "oom"}
    rest = {"reason": reason, "metrics": {}, "epoch": None, "val_loss": None, "diagnostics": {}, "graph": ""}
    return Record({**result, **rest, "code": "", "versions": {}, "device": ""}, {"key": spec.key})


def _executor(workers: int, cluster: str | None) -> Executor:
    if cluster is not None:
        try:
            from distributed import Client
        except ImportError as error:
            raise RuntimeError("a Dask cluster needs the extra: pip install 'fairgl[dask]'") from error
        return Client(cluster).get_executor()
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
