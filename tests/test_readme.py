"""The README: its commands exist and take those options, its tree is the tree."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fairgl.cli import main
from fairgl.contents import effective, resolve
from fairgl.parameters import parse_assignments
from fairgl.paths import root

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "book").glob("*.md"))]
QUICK = {("list",), ("list", "chapters"), ("data", "list"), ("status",), ("params", "rq1")}


def commands(path: Path) -> list[list[str]]:
    """Command lines of the bash blocks of a page, without comments."""
    blocks = re.findall(r"```bash\n(.*?)```", path.read_text("utf8"), re.S)
    return [words for block in blocks for line in block.splitlines() if (words := shlex.split(line, comments=True))]


ALL = [(path.name, tuple(words)) for path in PAGES for words in commands(path)]
FAIRGL = sorted({words[1:] for _, words in ALL if words[0].removeprefix(".venv/bin/") == "fairgl"})


def known(chapter: str) -> bool:
    try:
        return bool(resolve(chapter))
    except ValueError:
        return False


def test_every_command_is_one_of_ours():
    for page, words in ALL:
        program = words[0].removeprefix(".venv/bin/")
        assert program in {"fairgl", "make", "papermill", "conda", "git", "cd"}, f"{page}: {' '.join(words)}"


def test_make_targets_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf8"), re.M))
    for page, words in ALL:
        if words[0] == "make":
            assert words[1] in targets, f"{page}: make {words[1]}"


@pytest.mark.parametrize("words", FAIRGL, ids=" ".join)
def test_fairgl_commands_take_these_arguments(words):
    group, name, rest = main, words[0], list(words[1:])
    command = group.get_command(click.Context(group), name)
    assert command is not None, name
    if isinstance(command, click.Group):
        command = command.get_command(click.Context(command), rest.pop(0))
    context = command.make_context(name, rest)
    if name in ("run", "params"):
        chapters = context.params.get("chapters") or [context.params["chapter"]]
        if all(chapter.isupper() for chapter in chapters):
            return  # CHAPTER and NAME stand for one
        for chapter in chapters:
            if not known(chapter):
                pytest.skip(f"chapter {chapter} is not there yet")
            path = ROOT / "notebooks" / f"{resolve(chapter)}.ipynb"
            effective(path, parse_assignments(context.params.get("assignments", ())))
    if words in QUICK:
        assert CliRunner().invoke(main, list(words)).exit_code == 0


def test_papermill_example_names_a_chapter():
    for _, words in ALL:
        if words[0].endswith("papermill") and (root() / "notebooks" / "rq1_group_fairness.ipynb").exists():
            assert (ROOT / words[1]).exists()
            assert Path(words[2]) == Path("executed") / Path(words[1]).name


def test_tree_is_the_tree():
    tree = re.search(r"## What is where\n\n```text\n(.*?)```", README, re.S).group(1)
    names = [word for line in tree.splitlines() for word in line.split() if re.fullmatch(r"[\w./-]+(/|\.\w+)", word)]
    assert len(names) > 10
    for name in names:
        assert (ROOT / name).exists() or (ROOT / "notebooks" / name).exists(), name


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target


def test_how_to_cite_names_the_three_papers():
    citation = (ROOT / "CITATION.cff").read_text("utf8")
    for address in ("2407.12112", "QNCZoPb9uV", "2201.03662"):
        assert address in citation and address in README
