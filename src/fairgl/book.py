"""Build the book and check what was built.

``jupyter-book build`` of the pinned major version, with every warning an error; then a look at the result, since a
build can succeed and still lack pages, figures or the ability to open offline.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from fairgl.contents import chapters, read, toc_pages
from fairgl.paths import root as repository

MAJOR = 1  # of Jupyter Book; version 2 is another program that makes an empty site of this repository
HIDDEN = {"remove-cell", "remove-output", "remove_cell", "remove_output"}
CSS_URL = re.compile(r"""(?:@import\s+|url\()\s*["']?(?:https?:)?//[^"')\s]+""")


class BookError(RuntimeError):
    """The book cannot be built, or what was built is not the book."""


def check_version() -> None:
    """Refuse another major version of Jupyter Book than the pinned one."""
    try:
        found = version("jupyter-book")
    except PackageNotFoundError:
        raise BookError("jupyter-book is not installed in this environment: pip install -r requirements.lock") from None
    if found.split(".")[0] != str(MAJOR):
        raise BookError(f"this book needs jupyter-book {MAJOR}.x and found {found}: pip install -r requirements.lock")


def build(root: Path | None = None) -> Path:
    """Render the book; gives the index page or raises :class:`BookError`. Sphinx's output goes to the terminal."""
    root = root or repository()
    check_version()
    program = Path(sys.executable).with_name("jupyter-book")
    command = [str(program), "build", ".", "-W", "-n", "--keep-going", "--all"]
    if subprocess.run(command, cwd=root).returncode:
        raise BookError("the book did not build; the messages above say which page and why")
    found = check(root)
    if found:
        raise BookError("the book was built with problems:\n" + "\n".join(f"  {problem}" for problem in found))
    return root / "_build" / "html" / "index.html"


def check(root: Path | None = None) -> list[str]:
    """What is wrong with the built book, as a list of messages; an empty one means nothing."""
    root = root or repository()
    html = root / "_build" / "html"
    if not (html / "index.html").exists():
        return ["there is no index.html"]
    problems = []
    notebooks = {f"notebooks/{name}" for name in chapters(root)}
    for page in toc_pages(root):
        path = html / f"{page}.html"
        if not path.exists():
            problems.append(f"{page}: in the table of contents, and not in the book")
            continue
        seen = Page(path.read_text("utf8"))
        problems += [f"{page}: loads {url}" for url in seen.external]
        problems += [f"{page}: names {place}" for place in machine_paths(path.read_text("utf8"), root)]
        problems += [f"{page}: {url} is missing" for url in seen.local if not _exists(path, url)]
        if page in notebooks:
            expected = images(read(root / "executed" / f"{Path(page).name}.ipynb"))
            if seen.images < expected:
                problems.append(f"{page}: shows {seen.images} of the {expected} images of its executed copy")
    for path in sorted((html / "_static").glob("*.css")):
        problems += [f"_static/{path.name}: loads {url}" for url in CSS_URL.findall(path.read_text("utf8"))]
    return problems


class Page(HTMLParser):
    """What a page loads when it is opened, and how many images its text holds."""

    LOADS = {"link": "href", **dict.fromkeys(("script", "img", "iframe", "source", "video", "audio"), "src")}
    RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}

    def __init__(self, text: str):
        super().__init__()
        self.external: list[str] = []
        self.local: list[str] = []
        self.images = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values: dict[str, str] = {key: value or "" for key, value in attrs}
        url = values.get(self.LOADS.get(tag, ""), "")
        if tag == "link" and not self.RELATIONS & set(values.get("rel", "").lower().split()):
            return
        if tag == "img" and ("_images/" in url or url.startswith("data:")):
            self.images += 1
        if url.startswith(("http:", "https:", "//")):
            self.external.append(url)
        elif url and not url.startswith(("data:", "#", "javascript:")):
            self.local.append(url)


def images(copy: dict[str, Any]) -> int:
    """How many images an executed copy shows in its outputs."""
    return sum(
        any(mime.startswith("image/") for mime in output.get("data", {}))
        for cell in copy["cells"]
        if not HIDDEN & set(cell["metadata"].get("tags", []))
        for output in cell.get("outputs", [])
    )


def machine_paths(text: str, root: Path) -> list[str]:
    """Folders of the building machine that a page names."""
    places = {str(root), str(Path.home()), sys.prefix, f"{tempfile.gettempdir()}/ipykernel_"} - {"/"}
    return sorted(place for place in places if re.search(rf"(?<![\w.-]){re.escape(place)}(?=[/\s<\"'&]|_?\d)", text))


def _exists(page: Path, url: str) -> bool:
    return (page.parent / unquote(urlsplit(url).path)).exists()
