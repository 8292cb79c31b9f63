"""Public data files: fetched once from a pinned address, checked every time, kept in the data folder.

The table ``sources.csv`` pins address, size and SHA-256 (or, where only that is known, the Git blob id) of every file.
A file that is not what the table says (a web page, empty, cut, altered) is removed and named in a :class:`DataError`;
the next try fetches it again. Once everything is there, nothing touches the network.

One file (``aminer_l/raw_LCC.zip``) lies on a file-sharing service and has no published checksum: its SHA-256 is
recorded beside it at the first fetch and checked from then on.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
import zipfile
from pathlib import Path
from urllib.parse import urlencode

from fairgl.paths import DATA_VARIABLE, cache
from fairgl.registry import UnknownName
from fairgl.sources import Source, of, sources

TIMEOUT = 60  # seconds without a byte


class DataError(RuntimeError):
    """A data file is missing and cannot be fetched, or is not what it should be."""


def fetched(file: str) -> Path:
    """The path of a file of the table, fetched if it is not there, and checked."""
    for source in sources():
        if source.file == file:
            return obtain(source, cache())
    raise UnknownName("data file", file, [s.file for s in sources()])


def fetch(dataset: str, references: bool = False) -> list[Path]:
    """Fetch and check a data set's files; ``references`` adds published files that are only compared against."""
    return [obtain(source, cache()) for source in of(dataset, references)]


def verify(dataset: str) -> dict[str, str]:
    """State of each of a data set's files: "ok", "missing", or what is wrong with it. Changes nothing."""
    states = {}
    for source in of(dataset):
        path = cache() / source.file
        states[source.file] = (fault(source, path) or "ok") if path.exists() else "missing"
    return states


def status() -> list[dict[str, object]]:
    """One row per file of the table, without reading contents: data set, file, role, present, bytes."""
    rows = []
    for source in sources():
        path = cache() / source.file
        here = path.exists()
        size = path.stat().st_size if here else source.bytes
        row = {"dataset": source.dataset, "file": source.file, "role": source.role, "present": here, "bytes": size}
        rows.append(row)
    return rows


def obtain(source: Source, folder: Path) -> Path:
    """A checked file in ``folder``; fetches it when it is absent.

    Raises:
        DataError: It cannot be fetched, or its content is wrong; a wrong file is removed.
    """
    path = folder / source.file
    if path.exists():
        wrong = fault(source, path)
        if wrong:
            raise DataError(f"{path}: {wrong}. {_remove(path)} Address: {source.url}")
        _record(source, path, path)
        return path
    # A partial name, so that a stopped download never looks like a file; the process id keeps two fetches apart.
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        _download(source, source.url, part)
        page = _page(part)
        if page and (url := confirmed(page)):
            _download(source, url, part)
        wrong = fault(source, part, recorded=_sidecar(path))
        if wrong:
            raise DataError(f"{source.file} from {source.url}: {wrong}. Nothing was kept; the next try fetches again.")
        _record(source, path, part)
        os.replace(part, path)
    except OSError as error:
        raise DataError(f"{source.file} from {source.url}: cannot write to {folder} ({error})") from error
    finally:
        if part.exists():
            part.unlink()
    return path


def fault(source: Source, path: Path, recorded: Path | None = None) -> str:
    """What is wrong with a file, with expected and found checksum; empty if nothing is.

    Args:
        source: The file's row of the table.
        path: Where its content is.
        recorded: Where a checksum recorded at an earlier fetch would be; default beside ``path``.
    """
    recorded = recorded or _sidecar(path)
    size = path.stat().st_size
    page = _page(path)
    known = source.sha256 or source.git_blob_sha1
    if not known and recorded.exists():
        known = recorded.read_text().strip()
    if size == 0:
        what = "the file is empty"
    elif page:
        title = re.search(r"<title>(.*?)</title>", page, re.S | re.I)
        what = "a web page instead of data" + (f" ({title[1].strip()[:80]!r})" if title else "")
    elif not known:
        # The directory of a ZIP archive stands at its end, so a cut one is no archive.
        cut = source.file.endswith(".zip") and not zipfile.is_zipfile(path)
        return "not a whole ZIP archive; no checksum is known" if cut else ""
    else:
        what = "the file is not the expected one"
    found = digest(path, git=not source.sha256 and bool(source.git_blob_sha1))
    if found == known:
        return ""
    sizes = f"{size:,} bytes" + (f" of {source.bytes:,}" if source.bytes else "")
    kind = "SHA-256" if source.sha256 or not source.git_blob_sha1 else "Git blob id"
    return f"{what}, {sizes}; {kind} expected {known or 'unknown'}, found {found}"


def digest(path: Path, git: bool = False) -> str:
    """SHA-256 of a file, or its Git blob id."""
    sha = hashlib.sha1(f"blob {path.stat().st_size}\0".encode()) if git else hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            sha.update(chunk)
    return sha.hexdigest()


def confirmed(page: str) -> str:
    """The address behind a file-sharing service's "cannot scan for viruses, download anyway?" form; empty if none."""
    form = re.search(r'<form[^>]*id="download-form"[^>]*>(.*?)</form>', page, re.S)
    action = re.search(r'action="([^"]+)"', form[0]) if form else None
    if not action:
        return ""
    fields = {}
    for tag in re.findall(r"<input[^>]*>", form[1]):
        name, value = (re.search(rf'{key}="([^"]*)"', tag) for key in ("name", "value"))
        if name and value:
            fields[html.unescape(name[1])] = html.unescape(value[1])
    return html.unescape(action[1]) + "?" + urlencode(fields)


def _download(source: Source, url: str, part: Path) -> None:
    import pooch
    import requests

    try:
        pooch.HTTPDownloader(timeout=TIMEOUT)(url, part, None)
    except requests.RequestException as error:
        raise DataError(
            f"{source.file} is not in {DATA_VARIABLE} or the cache and could not be fetched from {url}: {error}"
        ) from error


def _page(path: Path) -> str:
    """The text of a file that starts like a web page; empty otherwise."""
    with open(path, "rb") as file:
        if not re.match(rb"\s*(<!doctype html|<html)", file.read(256).lstrip(b"\xef\xbb\xbf"), re.I):
            return ""
        file.seek(0)
        return file.read(1 << 20).decode("utf-8", "replace")


def _sidecar(path: Path) -> Path:
    """Where the checksum of a file without a published one is kept."""
    return path.with_name(path.name + ".sha256")


def _record(source: Source, path: Path, content: Path) -> None:
    """Keep the checksum of a file that has no published one, if it is not kept yet."""
    if not (source.sha256 or source.git_blob_sha1) and not _sidecar(path).exists():
        _sidecar(path).write_text(digest(content) + "\n")


def _remove(path: Path) -> str:
    """Remove a bad file, and say whether that worked."""
    try:
        path.unlink()
    except OSError as error:
        return f"It could not be removed ({error.strerror}); remove it by hand."
    return "It was removed; the next try fetches it again."
