"""Fetching: what a web page, an empty, cut or altered file gives, and that cached data needs no network."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fairgl import fetch as module
from fairgl.fetch import DataError, Source, confirmed, digest, obtain, sources
from fairgl.paths import cache
from fairgl.registry import DATASETS

GOOD = b"id,value\n" + b"1,2\n" * 500
PAGE = b"<!DOCTYPE html>\n<html><head><title>Not found</title></head></html>" + b" " * 1000


class Handler(BaseHTTPRequestHandler):
    def __init__(self, pages, asked, *args):
        self.pages, self.asked = pages, asked
        super().__init__(*args)

    def do_GET(self):  # noqa: N802
        self.asked.append(self.path)
        body = self.pages.get(self.path.split("?")[0])
        self.send_response(404 if body is None else 200)
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    """A server on the loopback interface: ``pages`` by path, ``asked`` what was requested."""
    pages, asked = {}, []
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, pages, asked)) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}", pages, asked
        http.shutdown()
        thread.join()


def source(url, good=GOOD, name="toy/toy.csv", **changes):
    fields = {"bytes": len(good), "sha256": hashlib.sha256(good).hexdigest()}
    return Source("toy", name, "needed", f"{url}/file", **(fields | changes))


def test_fetched_once_then_offline(server, tmp_path):
    url, pages, asked = server
    pages["/file"] = GOOD
    assert obtain(source(url), tmp_path).read_bytes() == GOOD
    pages.clear()
    assert obtain(source(url), tmp_path).read_bytes() == GOOD and len(asked) == 1
    assert [p.name for p in (tmp_path / "toy").iterdir()] == ["toy.csv"]


@pytest.mark.parametrize("name", ["toy/toy.csv", "toy/toy.zip", "toy/toy.txt"])
@pytest.mark.parametrize(
    ("body", "message"), [(PAGE, "web page.*Not found"), (b"", "empty"), (GOOD[:1000], "1,000 bytes of 2,009"),
                          (GOOD.replace(b"1", b"3", 1), "not the expected one")],
)  # fmt: skip
def test_wrong_content_is_named_removed_and_fetched_again(server, tmp_path, name, body, message):
    url, pages, asked = server
    good = source(url, name=name)
    pages["/file"] = body
    with pytest.raises(DataError, match=message) as caught:
        obtain(good, tmp_path)
    text = str(caught.value)
    assert name in text and good.url in text and good.sha256 in text and hashlib.sha256(body).hexdigest() in text
    assert not any((tmp_path / "toy").iterdir())
    pages["/file"] = GOOD
    assert obtain(good, tmp_path).read_bytes() == GOOD and len(asked) == 2


@pytest.mark.parametrize("body", [PAGE, b"", GOOD[:1000]])
def test_a_file_that_went_bad_in_the_cache(server, tmp_path, body):
    url, pages, asked = server
    good = source(url)
    path = tmp_path / good.file
    path.parent.mkdir()
    path.write_bytes(body)
    with pytest.raises(DataError, match="It was removed") as caught:
        obtain(good, tmp_path)
    assert good.url in str(caught.value) and good.sha256 in str(caught.value)
    assert not path.exists() and not asked
    pages["/file"] = GOOD
    assert obtain(good, tmp_path) == path


def test_git_blob_id(server, tmp_path):
    url, pages, _ = server
    pages["/file"] = GOOD
    blob = hashlib.sha1(b"blob %d\0" % len(GOOD) + GOOD).hexdigest()
    assert obtain(source(url, sha256="", git_blob_sha1=blob), tmp_path).exists()
    with pytest.raises(DataError, match=f"Git blob id expected {'0' * 40}, found {blob}"):
        obtain(source(url, name="toy/b.csv", sha256="", git_blob_sha1="0" * 40), tmp_path)


def test_no_network_and_not_found(server, tmp_path):
    url, _, _ = server
    with pytest.raises(DataError, match=r"toy/toy\.csv is not in FAIRGL_DATA or the cache.*/file.*404"):
        obtain(source(url), tmp_path)
    with pytest.raises(DataError, match="could not be fetched from http://127.0.0.1:9/file"):
        obtain(source("http://127.0.0.1:9"), tmp_path)


def packed():
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("a.txt", "x" * 1000)
    return memory.getvalue()


def test_confirmation_page_and_recorded_checksum(server, tmp_path):
    url, pages, asked = server
    unknown = source(url, name="big/big.zip", bytes=None, sha256="")
    form = (f'<!DOCTYPE html><html><title>Virus scan warning</title><form id="download-form" action="{url}/really" '
            'method="get"><input type="submit" value="Download anyway"/><input type="hidden" name="id" value="a&amp;b">'
            '<input type="hidden" name="confirm" value="t"></form></html>')  # fmt: skip
    assert confirmed(form) == f"{url}/really?id=a%26b&confirm=t" and confirmed("<html></html>") == ""
    pages["/file"], pages["/really"] = form.encode(), packed()
    path = obtain(unknown, tmp_path)
    assert asked == ["/file", "/really?id=a%26b&confirm=t"]
    recorded = path.with_name("big.zip.sha256").read_text().strip()
    assert recorded == digest(path)
    path.write_bytes(packed() + b"!")
    with pytest.raises(DataError, match=f"SHA-256 expected {recorded}"):
        obtain(unknown, tmp_path)
    assert not path.exists()
    # A later fetch is held to the recorded checksum too.
    pages["/really"] = packed() + b"!"
    with pytest.raises(DataError, match=recorded):
        obtain(unknown, tmp_path)


@pytest.mark.parametrize("body", [PAGE, b"", packed()[:60]])
def test_without_a_checksum_faults_are_seen_too(server, tmp_path, body):
    url, pages, _ = server
    pages["/file"] = body
    with pytest.raises(DataError, match="web page|empty|not a whole ZIP"):
        obtain(source(url, name="big/big.zip", bytes=None, sha256=""), tmp_path)
    assert not any((tmp_path / "big").iterdir())


def test_a_data_sets_files(server, tmp_path, monkeypatch):
    url, pages, _ = server
    pages["/file"] = GOOD
    table = (Source("nba", "nba/a.csv", "needed", f"{url}/file", sha256=hashlib.sha256(GOOD).hexdigest()),
             Source("nba", "nba/b.csv", "reference", f"{url}/none"))  # fmt: skip
    monkeypatch.setattr(module, "sources", lambda: table)
    monkeypatch.setattr("fairgl.sources.sources", lambda: table)
    monkeypatch.setenv("FAIRGL_DATA", str(tmp_path))
    assert module.verify("nba") == {"nba/a.csv": "missing", "nba/b.csv": "missing"}
    assert [p.name for p in module.fetch("nba")] == ["a.csv"]
    assert module.verify("nba")["nba/a.csv"] == "ok"
    assert [(row["file"], row["present"]) for row in module.status()] == [("nba/a.csv", True), ("nba/b.csv", False)]
    with pytest.raises(ValueError, match="Valid: nba/a.csv, nba/b.csv"):
        module.fetched("nba/c.csv")
    with pytest.raises(ValueError, match="unknown data set"):
        module.fetch("nbaa")


def test_the_table_is_complete():
    for row in sources():
        assert row.dataset in DATASETS.names() and row.role in ("needed", "reference")
        assert row.url.startswith("https://")
        # An address that can change would let content drift: pinned by commit, or else recorded at the first fetch.
        assert "/raw.githubusercontent.com/" not in row.url or len(row.url.split("/")[5]) == 40
        assert row.sha256 or row.git_blob_sha1 or row.file == "aminer_l/raw_LCC.zip"
    assert len({row.file for row in sources()}) == len(sources())
    fetchable = {name for name, loader in DATASETS.items() if loader.kind == "fetched"}
    assert fetchable == {row.dataset for row in sources() if row.role == "needed"}


def test_present_files_are_as_pinned():
    here = [row for row in sources() if (cache() / row.file).exists()]
    if not here:
        pytest.skip("no fetched files in the data folder (FAIRGL_DATA)")
    assert {row.file: module.fault(row, cache() / row.file) for row in here} == {row.file: "" for row in here}
