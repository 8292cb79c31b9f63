"""What notebooks call: records by mode, the spot check, glued numbers, verdict boxes, provenance."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from fake_store import runs

from fairgl import chapter, live, spotcheck, store
from fairgl.fingerprint import fingerprint
from fairgl.metrics import undefined
from fairgl.registry import UnknownName
from fairgl.runs import Record, RunSpec, execute


def stored(root, dataset, method, seed, auc=0.7, status="ok", config=None):
    """Put one made-up run into the store at ``root``."""
    spec = RunSpec("group", "nodes", dataset, method, seed, seed, config or {})
    metrics = {"val": {"auc": auc}, "test": {"auc": auc, "statistical_parity_difference": 0.1, "accuracy": auc}}
    result = {
        "schema": 1, "key": spec.key, **spec.identity(), "config_full": {}, "status": status, "reason": "",
        "metrics": metrics if status == "ok" else {}, "epoch": 1, "val_loss": 0.5, "diagnostics": {}, "graph": "g",
        "code": fingerprint("nodes", method), "versions": {"torch": "2", "numpy": "2"}, "device": "cpu",
    }
    cost = {"key": spec.key, "seconds": 30.0, "fit_seconds": 20.0, "utc": "2026-01-02T00:00:00+00:00", "commit": "abc"}
    store.append(Record(result, cost), root)


@pytest.fixture
def shelf(tmp_path):
    for seed in range(4):
        for method, auc in (("constant", 0.5), ("mlp", 0.65), ("gnn", 0.67)):
            stored(tmp_path, "german", method, seed, auc + seed / 1000)
    return tmp_path


@pytest.fixture
def shown(monkeypatch):
    seen = []
    monkeypatch.setattr(chapter, "display", lambda thing: seen.append(thing.data))
    return seen


@pytest.fixture
def pasted(monkeypatch):
    import myst_nb

    values = {}
    monkeypatch.setattr(myst_nb, "glue", lambda name, value, display: values.update({name: value}))
    return values


def test_records_reads_the_store_and_filters(shelf):
    frame = chapter.records("group", datasets=["german"], methods=["gnn", "mlp"], seeds=2, root=shelf)
    assert len(frame) == 4 and set(frame["method"]) == {"gnn", "mlp"} and frame["seed"].max() == 1
    assert not frame["stale"].any()


def test_records_that_are_not_there_say_what_is(shelf):
    with pytest.raises(live.NoRecords, match=r"gcn on credit.*constant on german \(4\).*missing"):
        chapter.records("group", datasets=["credit"], methods=["gcn"], root=shelf)


def test_a_study_that_a_chapter_can_do_without(shelf, tmp_path, shown, pasted):
    """No records: an empty frame goes through every report, and the box says so."""
    assert len(live.records_if_any("group", datasets=["german"], methods=["gnn"], root=shelf)) == 4
    none = live.records_if_any("efficiency", datasets=["german"], root=tmp_path / "empty")
    assert none.empty and {"fit_seconds", "peak_memory_mb"} <= set(none.columns)
    chapter.in_short(chapter.verdicts("rq4_efficiency", none), none)
    assert pasted["short-sure"] == "nothing of this study is stored yet"
    chapter.provenance(none)
    assert "none stored" in shown[-1]
    with pytest.raises(UnknownName):
        live.records_if_any("efficiency", datasets=["no such data"], root=tmp_path)


def test_wrong_names_list_the_valid_ones(shelf):
    with pytest.raises(UnknownName, match="german"):
        chapter.records("group", datasets=["germany"], root=shelf)
    with pytest.raises(UnknownName, match="group"):
        chapter.records("groups", root=shelf)
    with pytest.raises(ValueError, match="store, missing, fresh"):
        chapter.records("group", mode="stored", root=shelf)


def test_missing_runs_only_what_the_store_lacks(shelf, monkeypatch):
    asked = {}

    def run_study(name, **options):
        asked.update(options, name=name)
        stored(options["root"], "german", "gcn", 0)

    monkeypatch.setattr("fairgl.sweep.run_study", run_study)
    frame = chapter.records("group", datasets=["german"], methods=["gcn"], seeds=1, mode="missing", root=shelf)
    assert len(frame) == 1 and asked["root"] == shelf and asked["seeds"] == 1


def test_fresh_leaves_the_store_alone(shelf, monkeypatch):
    before = {p: p.read_bytes() for p in shelf.rglob("*.jsonl")}
    monkeypatch.setattr("fairgl.sweep.run_study", lambda name, **o: stored(o["root"], "german", "gnn", 0, auc=0.9))
    frame = chapter.records("group", datasets=["german"], methods=["gnn"], mode="fresh", root=shelf)
    assert frame["test.auc"].tolist() == [0.9]
    assert {p: p.read_bytes() for p in shelf.rglob("*.jsonl")} == before


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A store with one run that was really made."""
    root = tmp_path_factory.mktemp("real")
    record = execute(RunSpec("group", "nodes", "german", "mlp", 0, 0, {"epochs": 3}))
    assert record.result["status"] == "ok", record.result["reason"]
    store.append(record, root)
    return root


def test_a_spot_check_is_identical_here(real):
    check = chapter.spot_check("group", root=real)
    assert check.same_setting and check.difference == 0
    assert "identical to all stored digits" in str(check) and "MLP on german" in check._repr_html_()


def test_a_spot_check_that_differs_fails_only_in_the_same_setting(real, tmp_path):
    result, cost = next(iter(store.records("group", real)))
    result["metrics"]["test"]["auc"] += 0.1
    store.append(Record(result, cost), tmp_path)
    with pytest.raises(spotcheck.Mismatch, match="largest difference 0.1"):
        chapter.spot_check("group", root=tmp_path)
    result["versions"] = {"torch": "0"}
    store.append(Record(result, cost), tmp_path)
    check = chapter.spot_check("group", root=tmp_path)
    assert not check.same_setting and check.difference == pytest.approx(0.1)


def test_a_spot_check_needs_a_run(shelf):
    with pytest.raises(live.NoRecords, match="gcn"):
        chapter.spot_check("group", method="gcn", root=shelf)


@pytest.mark.parametrize(("value", "kept"), [
    (np.float64(0.5), 0.5), (np.int64(3), 3), (True, "True"), ("text", "text"), (0.123456, 0.123456),
    (float("nan"), "undefined"), (undefined("one class"), "undefined (one class)"),
])
def test_glue_hands_over_plain_python(pasted, value, kept):
    chapter.glue("name", value)
    assert pasted["name"] == kept and type(pasted["name"]) is type(kept)


def test_glue_rounds_on_request(pasted):
    chapter.glue("name", np.float32(0.126), digits=2)
    assert pasted["name"] == "0.13"


def test_show_escapes_plain_cells(shown):
    chapter.show(pd.DataFrame({"a": ["<b>", 1]}), "a caption")
    assert "&lt;b&gt;" in shown[0] and "a caption" in shown[0]


def test_verdicts_of_a_chapter_and_their_box(shelf, shown, pasted):
    frame = chapter.records("group", root=shelf)
    found = chapter.verdicts("rq1_group_fairness", frame, frame.iloc[:0])
    cell = next(v for v in found if v.claim.id == "benchmark.table4/german/gnn/auc")
    assert cell.verdict == "reproduced"
    chapter.verdict_box(found)
    assert "Finding 1" in shown[0] and "verdict-not-testable-here" in shown[0]
    assert "AUC (%) ↑" in shown[1] and "<details>" in shown[2]
    chapter.in_short(found, frame)
    assert "table cells are testable here: " in pasted["short-verdict"]
    assert pasted["short-sure"] == "4 runs, each on its own split, for each of 3 methods on german"
    assert pasted["short-minutes"].endswith("about 6 to train anew")


def test_settings_of_one_seed_are_no_runs_of_one_method(pasted):
    """Nine ways to form groups with one seed each are one run in each of nine settings."""
    same = {"dataset": "credit", "method": "gcn", "seconds": 6.0}
    chapter.in_short([], pd.DataFrame([{**same, "dataset_config": f'{{"age_bins":{m}}}'} for m in range(2, 11)]))
    sure = pasted["short-sure"]
    assert sure == "1 run, each on its own split, for the one method on credit in each of up to 9 settings"


def test_provenance_counts_records_and_versions(shelf, shown):
    chapter.provenance(chapter.records("group", root=shelf), root=shelf)
    text = shown[0]
    assert "12, schema 1" in text and "12 ok" in text and "0 made by other code" in text
    assert "torch 2" in text and "abc" in text and "6.0 min" in text


def test_provenance_of_records_that_are_not_stored(tmp_path, shown):
    chapter.provenance(runs({("german", "gnn"): {"auc": 0.7}}), root=tmp_path)
    assert "none stored" in shown[0]


def test_reporting_does_not_import_torch():
    modules = ("chapter", "claims", "verdicts", "tables", "summaries", "plots", "published", "catalogue", "live")
    code = "import sys\n" + "\n".join(f"import fairgl.{m}" for m in modules)
    code += "\nimport fairgl.claims; from fairgl.verdicts import EVALUATORS; EVALUATORS.names()"
    code += "\nassert 'torch' not in sys.modules, 'torch was imported'"
    subprocess.run([sys.executable, "-c", code], check=True)
