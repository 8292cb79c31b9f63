"""The command line: what scripts rely on, and how wrong usage ends."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from fairgl.cli import main


def call(*arguments: str):
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


@pytest.fixture(scope="module")
def everything():
    done = call("list", "--json")
    assert done.exit_code == 0
    return json.loads(done.stdout)


def test_list_json_is_stable(everything):
    assert everything["schema"] == 1
    assert list(everything) == ["schema", "datasets", "methods", "rerankers", "metrics", "studies", "chapters"]
    fields = {
        "datasets": {"name", "aliases", "title", "kind", "tasks", "licence"},
        "methods": {"name", "aliases", "label", "family", "notion", "reference", "task"},
        "rerankers": {"name", "aliases", "label", "reference"},
        "metrics": {"name", "aliases", "symbol", "direction", "range", "unit", "zero", "task"},
        "studies": {"name", "title", "task", "datasets", "methods", "seeds"},
        "chapters": {"name", "title", "in_book", "state", "parameters"},
    }
    for kind, names in fields.items():
        for row in everything[kind]:
            assert names <= set(row), (kind, row["name"])


def test_list_names_what_exists(everything):
    assert {"german", "credit"} <= {row["name"] for row in everything["datasets"]}
    assert {"constant", "mlp", "gcn"} <= {row["name"] for row in everything["methods"]}
    assert "statistical_parity_difference" in {row["name"] for row in everything["metrics"]}


def test_tables_print(everything):
    for kind in everything:
        if kind != "schema":
            done = call("list", kind)
            assert done.exit_code == 0
            assert kind in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("list", "nothing"), "Valid: datasets"),
        (("run", "nothing"), "unknown chapter 'nothing'"),
        (("params", "nothing"), "unknown chapter 'nothing'"),
        (("run", "-p", "seeds"), "is not NAME=VALUE"),
        (("run", "--mode", "never"), "'store', 'missing', 'fresh'"),
        (("sweep", "nothing"), "unknown study 'nothing'"),
        (("data", "fetch", "nothing"), "unknown data set 'nothing'"),
        (("data", "verify", "germann"), "Did you mean 'german'?"),
        (("nothing",), "No such command"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_lists_what_is_valid(arguments, words):
    done = call(*arguments)
    assert done.exit_code == 2
    assert words in done.stderr


def test_status_and_verify_as_json():
    for command, key in (("status", "runs"), ("verify", "findings")):
        done = call(command, "--json")
        found = json.loads(done.stdout)
        assert found["schema"] == 1
        assert isinstance(found[key], list)


def test_altered_data_file_is_exit_code_1(tmp_path, monkeypatch):
    from fairgl.sources import of

    monkeypatch.setenv("FAIRGL_DATA", str(tmp_path))
    file = tmp_path / of("nba")[0].file
    file.parent.mkdir(parents=True)
    file.write_text("<!DOCTYPE html><p>Sign in</p>")
    done = call("data", "verify", "nba", "--json")
    assert done.exit_code == 1
    states = {row["file"]: row["state"] for row in json.loads(done.stdout)["files"]}
    assert states[of("nba")[0].file] not in ("ok", "missing")
    assert "missing" in states.values()


def test_data_list_counts_files(tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRGL_DATA", str(tmp_path))
    rows = {row["name"]: row for row in json.loads(call("data", "list", "--json").stdout)["datasets"]}
    assert rows["german"]["kind"] == "shipped"
    assert rows["nba"]["files"].startswith("0 of ")


def test_help_does_not_wait_for_torch():
    import subprocess
    import sys

    code = "import sys; from fairgl.cli import main; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
