"""Running chapters and building the book, on tiny repositories: what must fail fails, and says why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from fairgl.book import BookError, check, check_version
from fairgl.execute import run_chapters

ROOT = Path(__file__).parents[1]
PARAMETERS = "epochs: int = 500\ndatasets: list[str] = ['german']"
CHECK = "from fairgl.preflight import check_parameters\ncheck_parameters(globals())"
TRAIN = "print('trained for', epochs)"


def write(root: Path, name: str, *cells: str, parameters: str = PARAMETERS, tagged: bool = True) -> None:
    """A notebook of a title, a parameters cell and the given code cells."""
    v4 = nbformat.v4
    tags = {"tags": ["parameters"]} if tagged else {}
    body = [v4.new_markdown_cell(f"# {name}"), v4.new_code_cell(parameters, metadata=tags)]
    for cell in cells:
        tag = {"tags": ["figure"]} if cell.startswith("#figure") else {}
        body.append(v4.new_code_cell(cell.removeprefix("#figure\n"), metadata=tag))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(v4.new_notebook(cells=body, metadata={"kernelspec": kernel}), root / "notebooks" / f"{name}.ipynb")


def repository(root: Path, *pages: str) -> Path:
    """A repository with this package, this book's settings and extensions, a first page and the given chapters."""
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copytree(ROOT / "book" / "_ext", root / "book" / "_ext", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "assets", root / "assets")
    shutil.copy(ROOT / "_config.yml", root)
    (root / "book" / "references.bib").write_text("")
    (root / "book" / "intro.md").write_text("# Start\n\nAn equation: $x^2$.\n")
    (root / "notebooks").mkdir()
    toc = "format: jb-book\nroot: book/intro\n" + ("chapters:\n" if pages else "")
    (root / "_toc.yml").write_text(toc + "".join(f"  - file: notebooks/{page}\n" for page in pages))
    return root


def fairgl(root: Path, *arguments: str) -> subprocess.CompletedProcess:
    """The command line, as a process of its own on another repository."""
    return python(root, "-m", "fairgl", *arguments)


def python(root: Path, *arguments: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A repository whose chapters were all run once, and what became of them."""
    root = repository(tmp_path_factory.mktemp("ran"), "good", "bad")
    write(root, "good", CHECK, TRAIN, "#figure\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    write(root, "bad", "1/0")
    write(root, "slow", "import time\ntime.sleep(60)")
    write(root, "leaves", "import sys\nsys.exit(0)", TRAIN)
    write(root, "blank", "#figure\n'no picture'")
    shutil.copy(ROOT / "notebooks" / "_template.ipynb", root / "notebooks" / "template.ipynb")
    outcomes = run_chapters(["good", "bad", "leaves", "blank", "template"], root=root, jobs=2, timeout=300)
    outcomes += run_chapters(["slow"], root=root, timeout=8)
    return root, {outcome.name: outcome for outcome in outcomes}


def test_good_chapter_has_a_copy_and_a_manifest_entry(ran):
    root, outcomes = ran
    assert outcomes["good"].status == "ran"
    copy = json.loads((root / "executed" / "good.ipynb").read_text())
    assert copy["metadata"]["fairgl"]["parameters"] == {"epochs": 500, "datasets": ["german"]}
    manifest = json.loads((root / "executed" / "manifest.json").read_text())
    assert list(manifest) == ["good", "template"]
    assert str(root) not in json.dumps(copy)


def test_template_of_a_chapter_runs(ran):
    _, outcomes = ran
    assert outcomes["template"].status == "ran", outcomes["template"].error


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bad", "ZeroDivisionError"),
        ("slow", "CellTimeoutError"),
        ("leaves", "cell 3 never ran"),
        ("blank", "shows no image"),
    ],
)
def test_failed_chapter_says_why_and_keeps_its_copy_apart(ran, name, words):
    root, outcomes = ran
    assert outcomes[name].status == "failed"
    assert words in outcomes[name].error
    assert not (root / "executed" / f"{name}.ipynb").exists()
    assert (root / "executed" / f"{name}.failed.ipynb").exists()


def test_resumes_until_something_changes(ran):
    root, _ = ran
    assert run_chapters(["good"], root=root)[0].status == "up to date"
    assert run_chapters(["good"], {"epochs": 500}, root=root)[0].status == "up to date"
    assert run_chapters(["good"], {"epochs": 7}, root=root)[0].status == "ran"
    assert "trained for 7" in (root / "executed" / "good.ipynb").read_text()
    (root / "data").mkdir(exist_ok=True)
    (root / "data" / "numbers.csv").write_text("1")
    assert run_chapters(["good"], {"epochs": 7}, root=root)[0].status == "ran"
    (root / "data" / ".numbers.csv.1.tmp").write_text("half a sh")
    assert run_chapters(["good"], {"epochs": 7}, root=root)[0].status == "up to date"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"epoch": 5}, "unknown parameter 'epoch'. Did you mean 'epochs'? Valid: epochs, datasets"),
        ({"epochs": "many"}, "epochs: 'many'"),
        ({"epochs": True}, "epochs: True is not a number"),
        ({"datasets": []}, "datasets: is empty"),
        ({"datasets": "german"}, "datasets: 'german'"),
        ({"datasets": ["germann"]}, "unknown data set 'germann'. Did you mean 'german'?"),
    ],
)
def test_wrong_parameters_stop_before_a_kernel_starts(ran, monkeypatch, values, words):
    root, _ = ran
    monkeypatch.setattr("fairgl.execute.ProcessPoolExecutor", None)  # starting anything would be a TypeError
    with pytest.raises(ValueError) as error:
        run_chapters(["good"], values, root=root)
    assert words in str(error.value)
    assert "epochs: int = 500" in str(error.value)


def test_missing_tag_stops_before_a_kernel_starts(ran):
    root, _ = ran
    write(root, "untagged", TRAIN, tagged=False)
    with pytest.raises(ValueError, match="0 cells have the tag 'parameters'") as error:
        run_chapters(["untagged"], {"epochs": 5}, root=root)
    assert PARAMETERS in str(error.value)


def test_exit_codes_of_the_command_line(ran):
    root, _ = ran
    done = fairgl(root, "run", "bad")
    assert done.returncode == 1
    assert "bad failed" in done.stderr and "ZeroDivisionError" in done.stderr
    done = fairgl(root, "run", "good", "-p", "epoch=5")
    assert done.returncode == 2
    assert "Valid: epochs, datasets" in done.stderr
    done = fairgl(root, "run", "nothing")
    assert done.returncode == 2
    assert "good" in done.stderr
    done = fairgl(root, "run", "good", "-p", "epochs=3", "-p", "datasets=[german, credit]")
    assert done.returncode == 0, done.stderr
    assert "trained for 3" in (root / "executed" / "good.ipynb").read_text()


@pytest.mark.parametrize(
    ("tagged", "arguments", "words"),
    [
        (True, ("-p", "epoch", "5"), "unknown parameter 'epoch'"),
        (False, ("-p", "epochs", "5"), "values were injected above"),
        (True, ("-p", "datasets", "[]"), "is empty"),
        (True, ("-p", "epochs", "5", "-p", "datasets", "[german, credit]"), None),
    ],
)
def test_plain_papermill_stops_too(tmp_path, tagged, arguments, words):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "src").symlink_to(ROOT / "src")
    write(tmp_path, "plain", CHECK, TRAIN, "print(datasets)", tagged=tagged)
    done = python(tmp_path, "-m", "papermill", "notebooks/plain.ipynb", "out.ipynb", "--no-progress-bar", *arguments)
    text = (tmp_path / "out.ipynb").read_text()
    if words:
        assert done.returncode != 0
        assert words in text
        assert "trained for" not in text.replace("print('trained for', epochs)", "")
    else:
        assert done.returncode == 0, done.stderr
        assert "trained for 5" in text
        assert "['german', 'credit']" in text


def test_a_failing_chapter_fails_the_book(ran):
    root, _ = ran
    done = fairgl(root, "book")
    assert done.returncode == 1
    assert "bad failed" in done.stderr and "ZeroDivisionError" in done.stderr


def test_book_is_built_checked_and_refuses_an_old_copy(tmp_path):
    root = repository(tmp_path, "good")
    write(root, "good", CHECK, TRAIN, "#figure\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    done = fairgl(root, "book", "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    html = root / "_build" / "html"
    assert done.stdout.strip().endswith(str(html / "index.html"))
    page = (html / "notebooks" / "good.html").read_text()
    assert "trained for 500" in page and "epochs=500" in page
    assert check(root) == []

    write(root, "good", CHECK, TRAIN, "'edited'")
    done = python(root, "-c", "from fairgl.book import build; build()")
    assert done.returncode != 0 and "older than its source" in done.stdout + done.stderr

    for picture in (html / "_images").iterdir():
        picture.unlink()
    (html / "book" / "intro.html").unlink()
    assert {problem.split(": ")[0] for problem in check(root)} == {"book/intro", "notebooks/good"}


def test_which_executed_copies_are_refused(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    from executed_notebooks import problem_of

    def notebook(source, **metadata):
        cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        return {"cells": [cell], "metadata": metadata}

    path = tmp_path / "a.ipynb"
    assert problem_of(notebook("1"), notebook("1"), path) is None
    assert "older" in problem_of(notebook("1"), notebook("2"), path)
    assert "error" in problem_of(notebook("1", papermill={"exception": True}), notebook("1"), path)
    failed = notebook("1")
    failed["cells"][0]["outputs"] = [{"output_type": "error"}]
    assert "error" in problem_of(failed, notebook("1"), path)
    (tmp_path / "a.failed.ipynb").touch()
    assert "failed" in problem_of(notebook("1"), notebook("1"), path)


def test_another_major_version_of_the_book_tool_is_refused(monkeypatch):
    check_version()
    monkeypatch.setattr("fairgl.book.version", lambda name: "2.1.0")
    with pytest.raises(BookError, match="needs jupyter-book 1.x and found 2.1.0"):
        check_version()
