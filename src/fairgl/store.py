"""The store: JSON-lines shards, one line per run, one shard per study and method.

``<study>/<method>.jsonl`` holds results and ``<study>/<method>.cost.jsonl`` what they cost, joined by key. A shard is
rewritten whole, under a lock, to a temporary name that then replaces it: a killed process leaves the old shard or the
new one, and two writers never lose a line. Lines are sorted by key, so that two stores can be compared with ``diff``.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from fairgl import paths
from fairgl.fingerprint import fingerprint
from fairgl.runs import SCHEMA, Record

DONE = ("ok", "skipped")


def _shard(root: Path, study: str, method: str) -> Path:
    return root / study / f"{method}.jsonl"


def _cost(shard: Path) -> Path:
    return shard.with_suffix(".cost.jsonl")


@contextmanager
def _locked(shard: Path) -> Iterator[None]:
    """Exclusive access to a shard among processes; the lock file lies outside of the store."""
    folder = paths.build() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(str(shard.resolve()).encode()).hexdigest()[:16]
    with open(folder / name, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lines(path: Path) -> dict[str, dict[str, Any]]:
    """Lines of a shard by key.

    Raises:
        ValueError: A line is no JSON, or was written under a newer schema; the message names file and line.
    """
    out: dict[str, dict[str, Any]] = {}
    if not path.exists():
        return out
    for number, line in enumerate(path.read_text("utf8").splitlines(), 1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}, line {number}: not a record ({error})") from error
        if row.get("schema", SCHEMA) > SCHEMA:
            raise ValueError(f"{path}, line {number}: schema {row['schema']}, this version reads up to {SCHEMA}")
        out[row["key"]] = row
    return out


def _write(path: Path, rows: dict[str, dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with open(temporary, "w", encoding="utf8") as file:
        for key in sorted(rows):
            file.write(json.dumps(rows[key], separators=(",", ":"), ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def append(record: Record, root: Path | None = None) -> None:
    """Add one record; a record with the same key is replaced."""
    merge([(record.result, record.cost)], root)


def merge(pairs: Iterable[tuple[dict[str, Any], dict[str, Any]]], root: Path | None = None) -> int:
    """Add many ``(result, cost)`` pairs, shard by shard; returns how many."""
    root, shards, count = root or paths.results(), {}, 0
    for result, cost in pairs:
        shards.setdefault((result["study"], result["method"]), []).append((result, cost))
    for (study, method), rows in shards.items():
        shard = _shard(root, study, method)
        with _locked(shard):
            for path, half in ((_cost(shard), 1), (shard, 0)):  # a result is only there once its cost is
                _write(path, {**_lines(path), **{row[0]["key"]: row[half] for row in rows}})
        count += len(rows)
    return count


def collect(source: Path, root: Path | None = None) -> int:
    """Fold another store, say one made on another machine, into ours; returns how many records it held."""
    if not source.is_dir():
        raise FileNotFoundError(f"no such folder of results: {source}")
    return merge(records(root=source), root)


def records(study: str | None = None, root: Path | None = None) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """``(result, cost)`` of every stored run, of one study or of all."""
    root = root or paths.results()
    for shard in sorted(root.glob(f"{study or '*'}/*.jsonl")):
        if shard.name.endswith(".cost.jsonl"):
            continue
        costs = _lines(_cost(shard))
        for key, result in _lines(shard).items():
            yield result, costs.get(key, {"key": key})


def keys(study: str, root: Path | None = None, done: bool = True, fresh: bool = False) -> set[str]:
    """Keys of stored runs: only finished ones (``ok`` or ``skipped``) if ``done``; only fresh ones if ``fresh``."""
    return {
        r["key"]
        for r, _ in records(study, root)
        if (not done or r["status"] in DONE) and (not fresh or r["code"] == fingerprint(r["task"], r["method"]))
    }


_ROW = ("key", "study", "stage", "task", "dataset", "method", "split_seed", "seed", "status", "reason", "epoch",
        "val_loss", "device", "graph", "code")  # fmt: skip


def frame(study: str | None = None, root: Path | None = None) -> pd.DataFrame:
    """One row per stored run.

    Columns: the identity fields, ``status``, ``reason``, ``stale`` (the code the run can reach has changed since),
    ``config`` and ``dataset_config`` as JSON text, costs, ``diag.<name>``, and every metric as ``val.<metric>`` or
    ``test.<metric>``, with ``test.<metric>.reason`` where it is undefined.
    """
    rows, current = [], {}
    for result, cost in records(study, root):
        code = (result["task"], result["method"])
        if code not in current:  # parsing the code once per method, not once per record
            current[code] = fingerprint(*code)
        row = {name: result.get(name) for name in _ROW}
        row["stale"] = result["code"] != current[code]
        for name in ("config", "dataset_config", "config_full"):
            row[name] = json.dumps(result.get(name, {}), sort_keys=True)
        row.update({name: value for name, value in cost.items() if name != "key"})
        row.update({f"diag.{name}": value for name, value in result.get("diagnostics", {}).items()})
        for part, values in result["metrics"].items():
            row.update({f"{part}.{name}": value for name, value in values.items()})
        rows.append(row)
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=[*_ROW, "stale", "config", "dataset_config"])


def status(root: Path | None = None) -> pd.DataFrame:
    """Counts of stored runs per study, data set, method and status, and how many of them are stale."""
    table = frame(root=root)
    columns = ["study", "stage", "dataset", "method", "status"]
    if table.empty:
        return pd.DataFrame(columns=[*columns, "runs", "stale"])
    return table.groupby(columns, as_index=False).agg(runs=("key", "size"), stale=("stale", "sum"))
