"""The shape of the package: levels, no forbidden names, small modules, reports without torch."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fairgl"
LEVELS = {
    0: "paths seeding registry __version__",
    1: "calibration cleaning edge_weights graph metrics pair_types sources sparse stats",
    2: "assumed_causes assumed_edges counterfactuals datasets datasheets fetch link_splits nn similarity skipgram"
    " splits subgraphs views walks",
    3: "link_training methods rerank training",
    4: "fingerprint link_evaluation measure runs store studies sweep tasks",
    5: "catalogue chapter claims evidence findings guide homophily link_lists link_settings live parameters plots"
    " preflight published rankings scorecard searched spotcheck summaries tables verdicts",
    6: "__main__ book cli contents execute listing upstream verify",
}
LEVEL = {name: level for level, names in LEVELS.items() for name in names.split()}
REPORTS = [name for name in (*LEVELS[5].split(), *LEVELS[6].split()) if name not in ("__main__", "upstream")]
FILES = sorted(SOURCE.rglob("*.py"))
MAY_PRINT = {"chapter", "cli"}
PATHS = pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(SOURCE).as_posix())


def module_of(path: Path) -> str:
    """The first-level module or package that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> list[tuple[int, str]]:
    """Line and first-level module of each import from the package, those for type checkers left out."""
    tree = ast.parse(path.read_text("utf8"))
    for_types = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for node in ast.walk(block)
    }
    found = []
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "fairgl":
            parts = node.module.split(".")
            found += [(node.lineno, parts[1])] if len(parts) > 1 else [(node.lineno, a.name) for a in node.names]
        if isinstance(node, ast.Import):
            found += [(node.lineno, a.name.split(".")[1]) for a in node.names if a.name.startswith("fairgl.")]
    return found


@PATHS
def test_imports_go_downward(path):
    if path == SOURCE / "__init__.py":
        return
    module = module_of(path)
    assert module in LEVEL, f"{module} has no level: add it to LEVELS"
    for line, other in imported(path):
        if other == "load":  # fairgl.load is fairgl.datasets.load
            other = "datasets"
        assert other in LEVEL, f"line {line}: {other} has no level: add it to LEVELS"
        assert LEVEL[other] <= LEVEL[module], f"line {line}: {module} (level {LEVEL[module]}) imports {other}"


def test_metrics_and_stats_import_nothing_but_the_registry():
    for path in FILES:
        if module_of(path) in ("metrics", "stats"):
            assert {other for _, other in imported(path)} <= {module_of(path), "registry"}, path


def test_reports_do_not_import_torch():
    existing = [m for m in REPORTS if (SOURCE / f"{m}.py").exists() or (SOURCE / m).is_dir()]
    code = f"""
import importlib, sys
for name in {existing!r}:
    importlib.import_module("fairgl." + name)
    assert "torch" not in sys.modules, name
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@PATHS
def test_modules_are_small(path):
    lines = len(path.read_text("utf8").splitlines())
    limit = 220 if module_of(path) == "methods" else 200
    assert lines <= limit, f"{lines} lines; split it by what it does"


@PATHS
def test_no_forbidden_names_or_habits(path):
    forbidden = {"util", "utils", "helper", "helpers", "common", "base", "misc"}
    assert not forbidden & {part.removesuffix(".py") for part in path.relative_to(SOURCE).parts}
    tree = ast.parse(path.read_text("utf8"))
    for node in ast.walk(tree):
        where = f"line {getattr(node, 'lineno', 0)}"
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{where}: relative import"
        assert not (isinstance(node, ast.ImportFrom) and node.names[0].name == "*"), f"{where}: import *"
        assert not (isinstance(node, ast.ExceptHandler) and node.type is None), f"{where}: bare except"
        assert not isinstance(node, ast.Global), f"{where}: global state"
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            assert name != "cuda" or "torch.cuda" in ast.unparse(node.func), f"{where}: .cuda()"
            is_print = isinstance(node.func, ast.Name) and name == "print"
            assert not is_print or module_of(path) in MAY_PRINT, f"{where}: print outside cli and chapter"


@PATHS
def test_every_module_says_what_it_is(path):
    assert ast.get_docstring(ast.parse(path.read_text("utf8"))), "no module docstring"


def test_nothing_tracked_names_this_machine():
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listing.returncode:
        pytest.skip("not a git clone")
    places = [place.encode() for place in ("/" + "work/", "/" + "root/", str(ROOT) + "/") if len(place) > 1]
    for name in filter(None, listing.stdout.decode().split("\0")):
        path = ROOT / name
        if path.exists() and path.suffix not in (".gz", ".png", ".npz"):
            content = path.read_bytes()
            assert not [p for p in places if p in content], f"{name} names a folder of one machine"
        assert name.split("/")[0] not in {"scripts", "utils", "helpers", "common", "_static"}, name
