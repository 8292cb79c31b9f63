"""Records of the audit: what each released class did, and what each demonstration that needs the library gave.

They lie in the study ``audit`` in the format of every other record, so that the chapter builds without the library.
Three kinds of run: task ``upstream`` is one released class under one set of shims (config ``class`` and ``shims``),
task ``finding`` is one demonstration (config ``finding``), tasks ``individual`` and ``counterfactual`` are our methods,
run the same way.
The archive's hash stands in the full configuration.
"""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairgl import store
from fairgl.datasets import load
from fairgl.fingerprint import fingerprint
from fairgl.live import MODES, NoRecords
from fairgl.measure import commit, versions
from fairgl.runs import SCHEMA, Record, RunSpec
from fairgl.splits import node_split
from fairgl.studies import study
from fairgl.studies.audit import GEAR
from fairgl.upstream.classes import CLASSES
from fairgl.upstream.findings import findings
from fairgl.upstream.install import PYGDEBIAS
from fairgl.upstream.run import arrays_of, ask_all
from fairgl.upstream.shims import names

DATASET = "german"
VARIANTS = {  # what surrounds a class: nothing at all, its own file, every shim
    "none": (),
    "own file": ("own file", "folders"),
    "all": names(),
}
TOGETHER = 8  # runs that share one process for the imports; records are stored after each group
PACKAGE = "(the package)"  # in place of a class: importing what `import pygdebias.debiasing` imports


def specs() -> Iterator[RunSpec]:
    """Every run of the audit: the package as it is, each class in its own file and under all shims, our methods beside
    them, each demonstration.
    """
    runs = [(PACKAGE, "none"), *((name, variant) for variant in ("own file", "all") for name in CLASSES)]
    for name, variant in runs:
        yield RunSpec("audit", "upstream", DATASET, "pygdebias", config={"class": name, "shims": variant})
    yield from study("audit").specs()
    yield GEAR
    for item in findings().values():
        if item.kind in ("library", "data"):
            yield RunSpec("audit", "finding", DATASET, "findings", config={"finding": item.id})


def shims_of(spec: RunSpec) -> tuple[str, ...]:
    """The shims that a run is given."""
    if spec.task == "upstream":
        return VARIANTS[spec.config["shims"]]
    if spec.task != "finding":
        return ()
    return names(findings()[spec.config["finding"]].without)


def execute(wanted: Iterable[RunSpec], timeout: float = 600.0, where: Path | None = None) -> Iterator[Record]:
    """Carry out runs, those with the same shims one after another; never raises for what the library does.

    Raises:
        UpstreamMissing: The library is absent and cannot be fetched.
    """
    graph = load(DATASET)
    arrays = arrays_of(graph, node_split(graph, 0))
    groups: dict[tuple[str, ...], list[RunSpec]] = {}
    for spec in wanted:
        if spec.task == "finding" and findings()[spec.config["finding"]].kind == "data":
            values = findings()[spec.config["finding"]].function()
            yield _record(spec, {"values": values, "used": {}}, (), graph.checksum())
        else:
            groups.setdefault(shims_of(spec), []).append(spec)
    for shims, specs_ in groups.items():
        for start in range(0, len(specs_), TOGETHER):
            some = specs_[start : start + TOGETHER]
            answers = ask_all([_call(spec) for spec in some], arrays=arrays, shims=shims, timeout=timeout, where=where)
            for spec, out in zip(some, answers, strict=True):
                yield _record(spec, out, shims, graph.checksum())


def _call(spec: RunSpec) -> tuple[str, str]:
    if spec.task == "finding":
        return "call", findings()[spec.config["finding"]].call
    if spec.task != "upstream":
        return "ours", spec.method
    if spec.config["class"] == PACKAGE:
        return "import", f"{PYGDEBIAS.package}.debiasing"
    return "class", spec.config["class"]


def _record(spec: RunSpec, out: dict, shims: tuple[str, ...], checksum: str) -> Record:
    if "result" in out:  # one of our methods: its own record
        return Record(out["result"], out["cost"])
    values, reason = out.get("returned" if spec.task == "upstream" else "values", {}), out.get("reason", "")
    if spec.task == "finding" and values and not findings()[spec.config["finding"]].holds(values):
        reason = "the numbers do not show what the finding says"
    status = "ok" if not reason else "timeout" if reason.startswith("timeout") else "failed"
    loss = out.get("val_loss")
    seconds = {step: round(spent, 3) for step, spent in out.get("seconds", {}).items()}
    diagnostics = {"used": out["used"], "values": values}
    diagnostics |= {name: out[name] for name in ("reached", "place", "nodes") if name in out}
    if seconds:
        diagnostics["seconds"] = seconds
    numbers = {name: value for name, value in values.items() if isinstance(value, int | float)}
    result = {
        "schema": SCHEMA, "key": spec.key, **spec.identity(),
        "config_full": {**spec.config, "sha256": PYGDEBIAS.sha256, "version": PYGDEBIAS.version, "given": list(shims)},
        "status": status, "reason": reason, "metrics": {"test": numbers} if spec.task == "upstream" else {},
        "epoch": None, "val_loss": loss if isinstance(loss, float) else None, "diagnostics": diagnostics,
        "graph": checksum[:16], "code": fingerprint(spec.task, spec.method), "versions": versions(), "device": "cpu",
    }  # fmt: skip
    megabytes = {f"{name}_mb": round(out[name] / 2**20, 1) for name in ("memory_before", "memory_peak") if name in out}
    spent = sum(seconds.get(step, 0.0) for step in ("build", "fit", "predict", "call"))
    cost = {
        "key": spec.key, "seconds": round(spent, 3), "fit_seconds": round(spent, 3),
        "peak_memory_mb": megabytes.get("memory_peak_mb"), **megabytes, "threads": 1, "machine": platform.machine(),
        "utc": datetime.now(UTC).isoformat(timespec="seconds"), "commit": commit(),
    }  # fmt: skip
    return Record(result, cost)


def audit(mode: str = "store", root: Path | None = None, timeout: float = 600.0) -> list[tuple[dict, dict]]:
    """Results and costs of the audit's runs of the library.

    Args:
        mode: ``"store"`` reads the store, ``"missing"`` first carries out what it lacks, ``"fresh"`` carries out
            everything in a store that is thrown away.
        root: The store's folder.
        timeout: Seconds per run.

    Raises:
        NoRecords: The store has none, in mode ``"store"``.
        UpstreamMissing: The library is needed, absent, and cannot be fetched.
    """
    if mode not in MODES:
        raise ValueError(f"mode: {mode!r} is not one of {', '.join(MODES)}")
    wanted = {spec.key: spec for spec in specs()}
    with tempfile.TemporaryDirectory(prefix="fresh-") as folder:
        where = Path(folder) if mode == "fresh" else root
        if mode != "store":
            there = {result["key"] for result, _ in store.records("audit", where)}
            for record in execute([spec for key, spec in wanted.items() if key not in there], timeout):
                store.append(record, where)
        found = [pair for pair in store.records("audit", where) if pair[0]["key"] in wanted]
    if not found:
        raise NoRecords('study "audit" has no runs of the released library; mode="missing" carries them out')
    return found


def values_of(found: list[tuple[dict, dict]]) -> dict[str, dict[str, Any]]:
    """Numbers of each demonstration that was carried out and holds, by finding."""
    return {
        result["config"]["finding"]: result["diagnostics"]["values"]
        for result, _ in found
        if result["task"] == "finding" and result["status"] == "ok"
    }
