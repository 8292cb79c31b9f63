"""The audit's adapter: isolated, complete in what it declares, tested with a tiny fake library without a network."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fairgl
from fairgl import store
from fairgl.graph import Graph
from fairgl.splits import NodeSplit
from fairgl.upstream import findings as package
from fairgl.upstream import install
from fairgl.upstream.classes import ARGUMENTS, CLASSES, EPOCHS
from fairgl.upstream.findings import Cells, findings
from fairgl.upstream.install import PYGDEBIAS, Release, UpstreamMissing, installed, library
from fairgl.upstream.records import audit, execute, specs, values_of
from fairgl.upstream.run import arrays_of, ask
from fairgl.upstream.shims import SHIMS, names

SOURCE = Path(fairgl.__file__).parent
FAKE = Release("pygdebias", "0.0.0", "0" * 64)
RAN = {name: item for name, item in findings().items() if item.kind == "live"}


def imports(path: Path) -> set[str]:
    """Modules of the package that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_no_other_module_imports_the_adapter(path):
    if path.relative_to(SOURCE).parts[0] == "upstream":
        return
    assert not {name for name in imports(path) if name.startswith("fairgl.upstream")}


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_no_module_imports_the_released_library(path):
    assert not {name for name in imports(path) if name.split(".")[0] == "pygdebias"}


def test_reading_the_audit_needs_no_torch():
    code = ("import sys; from fairgl.upstream.records import audit; from fairgl.upstream.findings import findings; "
            "findings(); assert 'torch' not in sys.modules")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_shim_says_what_and_why():
    for name, shim in SHIMS.items():
        assert shim.name == name
        assert len(shim.changes) > 15 and len(shim.harmless) > 15, name
        assert not shim.numbers, f"{name} may change a number; no stored score is made under it"


def test_every_shim_that_is_declared_exists_in_the_child():
    text = (SOURCE / "upstream" / "surroundings.py").read_text("utf8")
    for name in SHIMS:
        method = "_" + name.replace(" ", "_").replace("-", "_")
        assert f"def {method}(" in text or f'"{name}"' in text, name


def test_leaving_out_a_shim_that_does_not_exist_is_an_error():
    with pytest.raises(ValueError, match="devices"):
        names(without=("telepathy",))
    assert "devices" not in names(without=("devices",))


def test_arguments_of_every_class_are_known():
    for released in CLASSES.values():
        for step in (released.build, released.fit, released.predict):
            assert set(step.split()) <= set(ARGUMENTS), released.name


# ------------------------------------------------------------------------------------------------ a fake library


FAKE_GNN = '''
import os
import dgl
class GNN:
    def __init__(self, adj, features, labels, idx_train, idx_val, idx_test, sens, sens_idx, device="cuda"):
        import torch
        assert adj.is_sparse and features.dtype == torch.float32 and device == "cpu"
        self.adj, self.idx_test, self.val_loss = adj.cuda(), idx_test, 0.25
        self.where = os.getcwd()
    def fit(self, epochs=300):
        print("epoch", epochs)
        open("data/weights.pt", "w").write("x")
    def predict(self):
        return (len(self.idx_test) / 10, *range(1, 10), self.adj.coalesce().values().sum())
'''


@pytest.fixture(scope="module")
def fake(tmp_path_factory) -> Path:
    """A package of the library's name with four small classes."""
    folder = tmp_path_factory.mktemp("fake")
    debiasing = folder / "pygdebias" / "debiasing"
    debiasing.mkdir(parents=True)
    (folder / "pygdebias" / "__init__.py").write_text("from .debiasing import *\n")
    (debiasing / "__init__.py").write_text("from .GNN import GNN as GNN\n")
    (debiasing / "GNN.py").write_text(FAKE_GNN)
    fails = "class FairGNN:\n    def __init__(self, nfeat, epoch=1):\n        raise OSError('no')\n"
    (debiasing / "FairGNN.py").write_text(fails)
    (debiasing / "FairEdit.py").write_text("import time\ntime.sleep(60)\n")
    (debiasing / "GUIDE.py").write_text("\n" * 280 + "# propagate_type: (x)\nclass GUIDE:\n    pass\n")
    (debiasing / "EDITS.py").write_text("import os\nos._exit(7)\n")
    return folder


@pytest.fixture(scope="module")
def arrays() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(0)
    edges = np.array([(i, i + 1) for i in range(11)])
    x = generator.normal(size=(12, 3)).astype(np.float32)
    graph = Graph("toy", x, edges, np.arange(12) % 2, np.arange(12) // 6)
    return arrays_of(graph, NodeSplit(np.arange(4), np.arange(4, 8), np.arange(8, 12)))


def test_a_class_runs_in_a_process_and_a_folder_of_its_own(fake, arrays, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = ask("class", "GNN", arrays=arrays, where=fake, release=FAKE)
    assert "reason" not in out, out
    assert out["returned"]["accuracy"] == 0.4 and out["returned"]["equal_opportunity_difference"] == 12 + 2 * 11
    assert out["val_loss"] == 0.25 and out["reached"] == "predict"
    assert out["used"]["devices"] == 1 and out["used"]["stand-ins"] >= 1
    assert out["printed"] == [f"epoch {EPOCHS}"]
    assert set(out["seconds"]) == {"import", "build", "fit", "predict"} and out["memory_peak"] > 0
    assert list(tmp_path.iterdir()) == [] and not list(fake.rglob("*.pt"))
    assert "pygdebias" not in sys.modules


def test_without_shims_the_reason_is_reported(fake, arrays):
    out = ask("class", "GNN", arrays=arrays, where=fake, release=FAKE, shims=("own file",))
    assert out["reason"].startswith("ModuleNotFoundError") and out["place"] == "GNN.py:3"
    out = ask("import", "pygdebias.debiasing", where=fake, release=FAKE, shims=())
    assert "dgl" in out["reason"]


def test_a_constructor_that_fails_is_a_row_with_its_place(fake, arrays):
    out = ask("class", "FairGNN", arrays=arrays, where=fake, release=FAKE)
    assert out["reason"] == "OSError: no" and out["place"] == "FairGNN.py:3" and out["reached"] == "import"


def test_time_limit_and_sudden_end(fake, arrays):
    out = ask("class", "FairEdit", arrays=arrays, where=fake, release=FAKE, timeout=2)
    assert out["reason"].startswith("timeout")
    out = ask("class", "EDITS", arrays=arrays, where=fake, release=FAKE)
    assert out["reason"] == "the process ended with code 7 and left no result"


def test_a_patch_empties_one_line_of_a_copy(fake):
    before = (fake / "pygdebias" / "debiasing" / "GUIDE.py").read_text()
    call = "fairgl.upstream.findings.walks:no_deepwalk"
    out = ask("call", call, where=fake, release=FAKE, shims=("own file", "comment"))
    assert out["values"] == {"classes": 0, "files": 6}
    assert (fake / "pygdebias" / "debiasing" / "GUIDE.py").read_text() == before
    out = ask("import", "json", where=fake, release=FAKE, shims=("comment", "name os"))
    assert "reason" not in out  # the files that "name os" edits are not in the fake library


def test_an_absent_library_is_an_error_that_helps(monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRGL_DATA", str(tmp_path))
    assert not installed()
    with pytest.raises(UpstreamMissing, match="not installed"):
        library(install=False)

    def offline(*_, **__):
        return subprocess.CompletedProcess([], 1, "", "ERROR: no network")

    monkeypatch.setattr(install.subprocess, "run", offline)
    with pytest.raises(UpstreamMissing, match="could not be fetched .ERROR: no network."):
        library()
    assert not list((tmp_path / "upstream").iterdir())


# ----------------------------------------------------------------------------------------------------- findings


def test_there_are_findings_and_each_says_what_is_right():
    assert len(findings()) >= 25
    assert sum(item.kind != "reading" for item in findings().values()) >= 25
    for name, item in findings().items():
        assert item.says.endswith(".") and item.right.endswith("."), name
        assert item.places, name
        assert (item.function is None) == (item.kind == "reading"), name


def test_cells_touched_exist():
    for name, item in findings().items():
        for cells in item.cells:
            assert cells.count() > 0, f"{name}: {cells}"
    with pytest.raises(ValueError):
        Cells("benchmark.table99").count()


@pytest.mark.parametrize("item", RAN.values(), ids=list(RAN))
def test_live_demonstrations_hold(item):
    values = item.function()
    assert item.holds(values), values
    assert "{" not in item.effect(values)


def test_shares_of_positives_are_those_of_the_graphs():
    from fairgl.datasets import load
    from fairgl.splits import node_split
    from fairgl.upstream.findings.printed import POSITIVE

    for name in ("german", "credit"):
        graph = load(name)
        assert abs(graph.y[node_split(graph, 0).test].mean() - POSITIVE[name]) < 1e-3


def test_a_finding_cannot_be_registered_twice_or_of_no_kind():
    facts = {"method": "", "says": "", "right": ""}
    with pytest.raises(ValueError, match="two findings"):
        package.finding(next(iter(findings())), **facts)
    with pytest.raises(ValueError, match="not one of"):
        package.finding("NEW-1", kind="rumour", **facts)


# ------------------------------------------------------------------------------------------------------ records


def test_records_are_complete_and_every_stored_demonstration_holds():
    found = audit("store")
    keys = {result["key"] for result, _ in found}
    assert {spec.key for spec in specs()} == keys
    values = values_of(found)
    for item in findings().values():
        if item.kind in ("library", "data"):
            assert item.id in values and item.holds(values[item.id]), item.id
            assert item.effect(values[item.id])
    for result, cost in found:
        if result["task"] in ("upstream", "finding"):
            assert result["config_full"]["sha256"] == PYGDEBIAS.sha256
        assert result["status"] == "ok" or result["reason"]
        assert cost["utc"]


def test_no_mode_but_three(tmp_path):
    with pytest.raises(ValueError, match="store, missing, fresh"):
        audit("sometimes")
    with pytest.raises(LookupError):
        audit("store", root=tmp_path)


def test_released_class_for_real():
    if not installed():
        pytest.skip(f"{PYGDEBIAS.package} {PYGDEBIAS.version} is not in the data folder; mode fresh fetches it")

    stored = {r["key"]: r for r, _ in store.records("audit")}
    spec = next(s for s in specs() if s.config.get("finding") == "NDCG-1")
    (record,) = execute([spec])
    assert record.result["diagnostics"]["values"] == stored[spec.key]["diagnostics"]["values"]


def test_places_name_lines_that_exist():
    if not installed():
        pytest.skip(f"{PYGDEBIAS.package} {PYGDEBIAS.version} is not in the data folder")
    for item in findings().values():
        for place in item.places if item.source == package.RELEASE else ():
            file, _, line = place.partition(":")
            path = library() / PYGDEBIAS.package / file
            if file.endswith(".py"):
                assert int(line) <= len(path.read_text("utf8").splitlines()), place
