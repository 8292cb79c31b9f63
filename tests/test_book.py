"""The book's configuration, references, and the check of what was built."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from fairgl.book import CSS_URL, Page, images, machine_paths
from fairgl.contents import toc_pages
from fairgl.listing import methods, rerankers

ROOT = Path(__file__).parents[1]
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text("utf8"))


def test_pages_of_the_table_of_contents_exist():
    for page in toc_pages(ROOT):
        assert (ROOT / f"{page}.md").exists() or (ROOT / f"{page}.ipynb").exists(), page


def test_every_page_is_in_the_table_of_contents():
    listed = set(toc_pages(ROOT))
    pages = {p.relative_to(ROOT).as_posix().removesuffix(".md") for p in (ROOT / "book").rglob("*.md")}
    assert pages <= listed, f"not in _toc.yml: {sorted(pages - listed)}"


def test_papermill_executes_and_warnings_count():
    assert CONFIG["execute"]["execute_notebooks"] == "off"
    assert not CONFIG["sphinx"]["config"]["suppress_warnings"]
    assert not (ROOT / "_static").exists(), "a root _static/ puts every script in it on every page"


def test_references_are_in_the_bibliography():
    bibliography = (ROOT / "book" / "references.bib").read_text("utf8")
    keys = re.findall(r"^@\w+\{([^,]+),", bibliography, re.M)
    assert len(keys) == len(set(keys))
    rows = [*methods(), *rerankers()]
    unknown = [f"{row['name']}: {row['reference']}" for row in rows if row["reference"] not in ("", "none", *keys)]
    assert not unknown


def test_numbered_deviations_are_listed():
    listed = set(re.findall(r"^\| ([\w.-]+-\d+) \|", (ROOT / "book" / "deviations.md").read_text("utf8"), re.M))
    quoted = {}
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "notebooks").glob("*.ipynb")]:
        if "upstream" in path.parts or path.stem.startswith("audit"):
            continue  # findings of the audit are numbered by method too
        text = path.read_text("utf8")
        for number in re.findall(r"Deviation ([A-Za-z]\w*-\d+)|\b((?:DATA|PROT|PROTOCOL|LINK)-\d+)", text):
            quoted.setdefault("".join(number), path.name)
    assert not {number: name for number, name in quoted.items() if number not in listed}


def test_page_finds_what_is_loaded_from_elsewhere():
    page = Page(
        '<link rel="stylesheet" href="https://cdn.example/a.css"><link rel="canonical" href="https://example/">'
        '<script src="//cdn.example/b.js"></script><script src="../_static/c.js"></script>'
        '<a href="https://example.org">fine</a><img src="../_images/d.png"><img src="../_static/logo.svg">'
        '<img src="data:image/png;base64,AA=="><iframe src="http://example.org"></iframe>'
    )
    assert page.external == ["https://cdn.example/a.css", "//cdn.example/b.js", "http://example.org"]
    assert page.local == ["../_static/c.js", "../_images/d.png", "../_static/logo.svg"]
    assert page.images == 2


def test_style_sheets_that_load_from_elsewhere_are_found():
    css = "@import url(https://a.example/a); b { background: url('//c.example/d') } e { background: url(f.png) }"
    assert len(CSS_URL.findall(css)) == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [("at /srv/ada/book/x.py", True), ("<code>/srv/ada/book</code>", True), ("//h.org/srv/ada/booklet", False)],
)
def test_machine_paths(text, found):
    assert bool(machine_paths(text, Path("/srv/ada/book"))) is found


def test_images_counts_what_is_shown():
    def cell(*mimes, tags=()):
        return {"metadata": {"tags": list(tags)}, "outputs": [{"data": dict.fromkeys(mimes)}]}

    cells = [cell("image/png", "text/plain"), cell("text/html"), cell("image/png", tags=["remove-output"])]
    assert images({"cells": cells}) == 1
