"""Runs never raise, are reproducible byte for byte, hide test labels, and record what they must."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from fairgl import store, sweep
from fairgl.datasets import load
from fairgl.registry import NODE_METHODS, UnknownName
from fairgl.runs import RunSpec, execute
from fairgl.splits import node_split
from fairgl.studies import Study, search_table, select, winners
from fairgl.studies import study as named_study
from fairgl.tasks.nodes import hide_labels

SPEC = RunSpec("toy", "nodes", "german", "gcn", config={"epochs": 5})


def test_the_key_is_stable_and_depends_on_every_field():
    changes = {"study": "b", "task": "links", "dataset": "credit", "method": "mlp", "split_seed": 1, "seed": 1,
               "config": {"epochs": 6}, "dataset_config": {"a": 1}, "stage": "search"}  # fmt: skip
    assert set(changes) == set(SPEC.identity())
    assert SPEC.key == RunSpec(**SPEC.identity()).key == "9a9c74fd4304dd56"
    assert len({SPEC.key, *(replace(SPEC, **{k: v}).key for k, v in changes.items())}) == len(changes) + 1


def test_two_runs_with_one_seed_leave_byte_equal_result_files(tmp_path):
    for name in ("a", "b"):
        store.append(execute(SPEC), tmp_path / name)
    files = [(tmp_path / name / "toy" / "gcn.jsonl").read_bytes() for name in ("a", "b")]
    assert files[0] == files[1]
    result = next(store.records("toy", tmp_path / "a"))[0]
    assert result["status"] == "ok" and result["device"] == "cpu" and result["versions"]["torch"] == torch.__version__
    assert result["seed"] == result["split_seed"] == 0 and len(result["code"]) == 12 and result["graph"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"dataset": "germany"}, "Did you mean 'german'"),
        ({"method": "gnc"}, "Valid: "),
        ({"config": {"epoch": 5}}, "no hyperparameter 'epoch'"),
        ({"config": {"epochs": "many"}}, "takes int"),
    ],
)
def test_a_bad_run_is_a_record_with_a_reason(change, says):
    result = execute(replace(SPEC, **change)).result
    assert result["status"] == "failed" and says in result["reason"]


def test_a_missing_device_is_named_before_data_is_loaded(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ValueError, match="cuda:7.*Valid: auto, cpu"):
        sweep.run([replace(SPEC, dataset="no such data")], device="cuda:7", progress=False)
    assert execute(SPEC, device="auto").result["device"] in {"cpu", "mps"}


def test_a_run_over_its_time_limit_is_a_timeout():
    result = execute(replace(SPEC, config={"epochs": 10**6}), timeout=3.0).result
    assert result["status"] == "timeout" and "3 s" in result["reason"]


def test_methods_never_see_test_labels():
    graph = load("german")
    split = node_split(graph, 0)
    hidden = hide_labels(graph, split)
    seen = np.concatenate([split.train, split.val])
    assert (hidden.y[split.test] == -1).all() and (hidden.y[seen] == graph.y[seen]).all()
    assert (np.delete(hidden.y, seen) == -1).all()


TOY = Study(
    "toy", "Toy", "nodes", ("german",), ("constant", "gcn"), seeds=2, fewer_seeds={("german", "constant"): 1},
    settings={("german", "gcn"): {"epochs": 4}}, search={"gcn": {"lr": (1e-3, 1e-1)}}, search_seeds=1,
)  # fmt: skip


def test_specs_search_winners_and_selection(tmp_path):
    search = TOY.specs(stage="search")
    assert [s.config for s in search] == [{"epochs": 4, "lr": 1e-3}, {"epochs": 4, "lr": 1e-1}]
    sweep.run(search, progress=False, root=tmp_path)
    frame = store.frame("toy", tmp_path)
    table = search_table(frame).set_index("config")["val_loss"]
    best = winners(frame)["german", "gcn"]
    assert table[f'{{"epochs": 4, "lr": {best["lr"]}}}'] == table.min()
    final = TOY.specs(frame=frame)
    assert [(s.method, s.seed) for s in final] == [("constant", 0), ("gcn", 0), ("gcn", 1)]
    other = replace(final[1], config={"epochs": 4, "lr": 0.5})
    sweep.run([*final, other], progress=False, root=tmp_path)
    chosen = select(store.frame("toy", tmp_path))
    assert len(chosen) == 3 and other.key not in set(chosen["key"])


def test_studies_reject_names_they_do_not_have():
    with pytest.raises(UnknownName, match="Valid: constant, gcn"):
        TOY.specs(methods=["fairgcn"])
    with pytest.raises(UnknownName, match="group"):
        named_study("groups")


def test_a_sweep_resumes_and_retries_only_when_asked(tmp_path):
    specs = [replace(SPEC, method="constant", config={}, seed=s, study="toy") for s in range(3)]
    failing = replace(SPEC, method="nobody")
    assert sweep.run([*specs[:2], failing], progress=False, root=tmp_path) == {"ok": 2, "failed": 1}
    assert sweep.run([*specs, failing], progress=False, root=tmp_path) == {"ok": 1}
    assert sweep.run([*specs, failing], progress=False, root=tmp_path, retry_failed=True) == {"failed": 1}
    assert sweep.missing(specs, tmp_path, refresh=True) == []


def test_workers_give_the_same_records_as_one_process(tmp_path):
    specs = [replace(SPEC, seed=s) for s in range(2)]
    sweep.run(specs, workers=2, progress=False, root=tmp_path / "two")
    sweep.run(specs, workers=1, progress=False, root=tmp_path / "one")
    values = [[r["metrics"] for r, _ in store.records("toy", tmp_path / n)] for n in ("one", "two")]
    assert values[0] == values[1]


def test_every_registered_study_names_things_that_exist():
    from fairgl.registry import DATASETS, STUDIES, TASKS
    from fairgl.studies import METHODS

    for name in STUDIES:
        chosen = named_study(name)
        assert chosen.task in TASKS
        assert all(dataset in DATASETS for dataset in chosen.datasets), name
        assert all(method in METHODS[chosen.task] for method in chosen.methods), name
        for method, grid in chosen.search.items():
            defaults = METHODS[chosen.task][method].defaults()
            assert set(grid) <= set(defaults), (name, method)
        for (dataset, method), settings in chosen.settings.items():
            assert dataset in DATASETS
            METHODS[chosen.task][method].configure(settings)


def test_registries_hold_methods_with_facts():
    for name, cls in NODE_METHODS.items():
        assert cls.label and cls.reference and cls.name == name
        assert all(cls.sources().values()), f"{name}: a default without a source"


def test_a_readers_own_graph_runs_through_a_study(tmp_path):
    draw = np.random.default_rng(0)
    lines = ["id,label,sensitive,a"]
    lines += [f"{7 + 3 * i},{int(draw.random() < 0.5)},{'xy'[i % 2]},{draw.normal():.3f}" for i in range(60)]
    (tmp_path / "nodes.csv").write_text("\n".join(lines) + "\n")
    pairs = [draw.choice(60, 2, replace=False) for _ in range(120)]
    rows = ["source,target", *(f"{7 + 3 * u},{7 + 3 * v}" for u, v in pairs)]
    (tmp_path / "edges.csv").write_text("\n".join(rows) + "\n")
    specs = TOY.specs(datasets=[str(tmp_path)], methods=["constant"], seeds=1)
    assert sweep.run(specs, progress=False, root=tmp_path / "store") == {"ok": 1}
