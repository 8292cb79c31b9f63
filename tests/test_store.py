"""The store: resume, atomic writes, two writers, schema, merging."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from fairgl import store
from fairgl.runs import SCHEMA, Record, RunSpec


def record(seed: int = 0, method: str = "constant", study: str = "toy", **changes) -> Record:
    spec = RunSpec(study, "nodes", "german", method, seed, seed)
    result = {"schema": SCHEMA, "key": spec.key, **spec.identity(), "config_full": {}, "status": "ok", "reason": "",
              "metrics": {"test": {"auc": 0.5, "f1": None, "f1.reason": "no positives"}}, "epoch": None,
              "val_loss": 0.1, "diagnostics": {}, "graph": "", "code": "", "versions": {}, "device": "cpu"}  # fmt: skip
    return Record({**result, **changes}, {"key": spec.key, "seconds": 1.0})


def _writer(root, start):
    for seed in range(start, start + 20):
        store.append(record(seed), root)


def test_two_writers_lose_nothing(tmp_path):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_writer, args=(tmp_path, start)) for start in (0, 20)]
    for process in writers:
        process.start()
    for process in writers:
        process.join()
        assert process.exitcode == 0
    assert sorted(r["seed"] for r, _ in store.records("toy", tmp_path)) == list(range(40))


def test_same_key_is_one_line_and_lines_are_sorted(tmp_path):
    for seed in (3, 1, 2, 1):
        store.append(record(seed), tmp_path)
    lines = (tmp_path / "toy" / "constant.jsonl").read_text().splitlines()
    keys = [json.loads(line)["key"] for line in lines]
    assert len(keys) == 3 and keys == sorted(keys)


def test_a_kill_while_writing_leaves_the_old_shard(tmp_path, monkeypatch):
    store.append(record(0), tmp_path)
    before = (tmp_path / "toy" / "constant.jsonl").read_bytes()

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        store.append(record(1), tmp_path)
    monkeypatch.undo()
    assert (tmp_path / "toy" / "constant.jsonl").read_bytes() == before
    assert len(list(store.records("toy", tmp_path))) == 1


def test_sigkill_at_random_moments_leaves_whole_lines(tmp_path):
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); from pathlib import Path; from test_store import record\n"
        "from fairgl import store\n"
        "for seed in range(10**6): store.append(record(seed), Path(sys.argv[1]))"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path), os.path.dirname(__file__)])
    shard = tmp_path / "toy" / "constant.jsonl"
    for _ in range(600):
        time.sleep(0.1)
        if shard.exists() and shard.stat().st_size > 3000:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    stored = list(store.records("toy", tmp_path))
    assert len(stored) >= 4
    assert sorted(r["seed"] for r, _ in stored) == list(range(len(stored)))


def test_failed_records_survive_and_are_not_done(tmp_path):
    store.append(record(0), tmp_path)
    store.append(record(1, status="failed", reason="ValueError: x"), tmp_path)
    assert len(store.keys("toy", tmp_path, done=False)) == 2
    assert store.keys("toy", tmp_path) == {record(0).result["key"]}
    table = store.frame("toy", tmp_path).set_index("seed")
    assert table.loc[1, "reason"] == "ValueError: x"


def test_frame_keeps_reasons_and_marks_stale(tmp_path):
    store.append(record(0), tmp_path)
    row = store.frame("toy", tmp_path).iloc[0]
    assert row["stale"] and row["test.auc"] == 0.5 and row["seconds"] == 1.0
    assert row["test.f1"] is None and row["test.f1.reason"] == "no positives"


def test_damaged_and_newer_shards_are_named(tmp_path):
    store.append(record(0), tmp_path)
    shard = tmp_path / "toy" / "constant.jsonl"
    shard.write_text(shard.read_text() + '{"half')
    with pytest.raises(ValueError, match=r"constant\.jsonl, line 2"):
        store.frame("toy", tmp_path)
    shard.write_text(json.dumps({**record(0).result, "schema": SCHEMA + 1}) + "\n")
    with pytest.raises(ValueError, match="schema"):
        store.frame("toy", tmp_path)


def test_collect_folds_another_store_in(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    store.append(record(0), here)
    store.append(record(1), there)
    store.append(record(2, method="mlp"), there)
    assert store.collect(there, here) == 2
    assert len(list(store.records("toy", here))) == 3
    with pytest.raises(FileNotFoundError, match="nowhere"):
        store.collect(tmp_path / "nowhere", here)


def test_status_counts(tmp_path):
    for seed in range(3):
        store.append(record(seed), tmp_path)
    table = store.status(tmp_path)
    assert table["runs"].tolist() == [3]
    assert store.status(tmp_path / "empty").empty
