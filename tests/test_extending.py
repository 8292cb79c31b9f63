"""The examples of book/extending.md: written into a copy of the package, they are found and work together."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = re.findall(r"```python\n# (src/\S+)\n(.*?)```", (ROOT / "book" / "extending.md").read_text("utf8"), re.S)
TOGETHER = """
import doctest
import numpy as np
import fairgl
from fairgl.metrics import worst_group
from fairgl.registry import METRICS, NODE_METHODS
from fairgl.splits import node_split

graph = fairgl.load("caveman", caves=20)
assert (graph.num_nodes, graph.num_edges) == (200, 20 * 45)
split = node_split(graph, seed=0, rule="stratified")
scores = NODE_METHODS["neighbours-vote"].configure({"strength": 1.0}).fit(graph, split, seed=0)
assert np.isfinite(scores.logits).all()
test = {"y": graph.y[split.test], "pred": scores.logits[split.test] > 0, "sens": graph.sens[split.test]}
assert 0 <= METRICS["worst_group_accuracy"](**test) <= 1
assert METRICS["worst_group_accuracy"](y=[1], pred=[1], sens=["a"], groups=["a", "b"]).reason == "nobody in group b"
assert doctest.testmod(worst_group).failed == 0
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """A copy of the repository with the three files added; runs Python in it."""
    root = tmp_path_factory.mktemp("extended")
    for folder in ("src", "tests", "notebooks"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("_toc.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, root)
    for name, text in EXAMPLES:
        assert not (root / name).exists(), f"{name} exists already"
        (root / name).write_text(text)

    def run(*arguments: str) -> subprocess.CompletedProcess:
        environment = {**os.environ, "PYTHONPATH": str(root / "src")}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)

    return run


def test_there_is_one_example_of_each():
    assert [name.split("/")[2] for name, _ in EXAMPLES] == ["datasets", "methods", "metrics"]


def test_examples_are_listed(extended):
    done = extended("-m", "fairgl", "list", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    names = {kind: {row["name"] for row in found[kind]} for kind in ("datasets", "methods", "metrics")}
    assert "caveman" in names["datasets"]
    assert "neighbours-vote" in names["methods"]
    assert "worst_group_accuracy" in names["metrics"]


def test_examples_work_together(extended):
    done = extended("-c", TOGETHER)
    assert done.returncode == 0, done.stderr


def test_example_method_passes_the_contract_tests(extended):
    done = extended("-m", "pytest", "tests/test_methods_contract.py", "-k", "neighbours", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout
    assert re.search(r"\d+ passed", done.stdout)


def test_examples_are_clean():
    for name, text in EXAMPLES:
        command = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), "-"]
        done = subprocess.run([*command, "--stdin-filename", name], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
