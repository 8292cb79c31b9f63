"""Sources of the chapters: clean, complete, in the order that readers rely on."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from fairgl.contents import book_chapters, read
from fairgl.parameters import TAG, cell_source, model_of
from fairgl.verify import source_problems

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
HEADINGS = (
    "The question", "What the paper says", "How we test it", "Run", "Table", "Figure", "Verdict",
    "What could be wrong", "Try it yourself", "Provenance",
)  # fmt: skip
# Chapters that test no claim of a paper have no verdict and arrange their own middle.
WITHOUT_CLAIMS = ("The question", "What could be wrong", "Try it yourself", "Provenance")
EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def sections(path: Path) -> list[tuple[str, list[dict]]]:
    """Second-level headings, each with its cells."""
    found: list[tuple[str, list[dict]]] = [("", [])]
    for cell in read(path)["cells"]:
        heading = re.search(r"^## (.+)$", "".join(cell["source"]), re.M) if cell["cell_type"] == "markdown" else None
        if heading:
            found.append((heading.group(1).strip(), []))
        found[-1][1].append(cell)
    return found


def has_claims(path: Path) -> bool:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf8"))
    without = [part for part in toc.get("parts", []) if part.get("caption") in ("Graphs and measures", "Using it")]
    return f"notebooks/{path.stem}" not in [c["file"] for part in without for c in part["chapters"]]


@EACH
def test_source_is_clean(path):
    assert source_problems(path) == []


@EACH
def test_opens_with_a_title_and_in_short(path):
    cells = read(path)["cells"]
    opening = "".join("".join(c["source"]) for c in cells[:3] if c["cell_type"] == "markdown")
    assert opening.startswith("# ")
    assert re.search(r"\{admonition\} In short", opening)


@EACH
def test_headings_in_order(path):
    wanted = HEADINGS if has_claims(path) else WITHOUT_CLAIMS
    found = [heading for heading, _ in sections(path)]
    places = []
    for heading in wanted:
        place = [i for i, name in enumerate(found) if name.lower().startswith(heading.lower())]
        assert place, f"no section {heading!r} in {found}"
        places.append(place[0])
    assert all(a < b for a, b in pairwise(places)), f"sections out of order: {found}"


@EACH
def test_parameters_are_checked_at_once(path):
    code = [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]
    index = next(i for i, cell in enumerate(code) if TAG in cell["metadata"].get("tags", []))
    assert "check_parameters(globals()" in "".join(code[index + 1]["source"])
    model = model_of(cell_source(read(path)))
    if "mode" in model.model_fields:
        assert model.model_fields["mode"].default == "store"


@EACH
def test_figures_are_tagged(path):
    for heading, cells in sections(path):
        if heading.lower().startswith("figure"):
            code = [cell for cell in cells if cell["cell_type"] == "code"]
            assert any("figure" in cell["metadata"].get("tags", []) for cell in code), "no cell with the tag 'figure'"


@EACH
def test_no_number_is_typed_into_a_verdict(path):
    for heading, cells in sections(path):
        if not heading.startswith("Verdict"):
            continue
        for cell in cells:
            if cell["cell_type"] == "markdown":
                text = re.sub(r"`[^`]*`|\$[^$]*\$|\(http[^)]*\)", "", "".join(cell["source"]))
                assert not re.search(r"\d+[.,]\d+|\d+ ?%", text), text


@EACH
def test_words_used_with_care(path):
    for cell in read(path)["cells"]:
        if cell["cell_type"] == "markdown":
            text = re.sub(r"[\"“][^\"”]*[\"”]|`[^`]*`", "", "".join(cell["source"])).lower()
            assert not re.search(r"\bdebias|\bunbiased\b", text), text


def test_chapters_of_the_book_exist():
    for name in book_chapters():
        assert (ROOT / "notebooks" / f"{name}.ipynb").exists(), name
