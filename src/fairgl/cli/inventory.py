"""Commands about what is here: ``list``, ``data``, ``verify``."""

from __future__ import annotations

import json

import click

from fairgl.cli.output import show
from fairgl.registry import UnknownName


@click.command("list")
@click.argument("kind", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON with a schema number.")
def list_(kind: str | None, as_json: bool) -> None:
    """Data sets, methods, rerankers, metrics, studies and chapters, or one KIND of them."""
    from fairgl.listing import KINDS, SCHEMA

    if kind not in (None, *KINDS):
        raise UnknownName("kind", kind, list(KINDS))
    found = {name: rows() for name, rows in KINDS.items() if kind in (None, name)}
    if as_json:
        click.echo(json.dumps({"schema": SCHEMA, **found}, indent=1, ensure_ascii=False, default=str))
        return
    shown = {"metrics": ("name", "direction", "unit", "zero"), "chapters": ("name", "title", "state")}
    shown["methods"] = ("name", "task", "label", "family", "notion")
    for name, rows in found.items():
        show(rows, False, name, shown.get(name, ()))


@click.group()
def data() -> None:
    """Data sets: what is here, fetching, checking."""


@data.command("list")
@click.option("--json", "as_json", is_flag=True)
def data_list(as_json: bool) -> None:
    """Data sets, and how many of their files are here."""
    from fairgl.fetch import status as files
    from fairgl.listing import datasets

    needed = [row for row in files() if row["role"] == "needed"]
    rows = []
    for row in datasets():
        own = [file for file in needed if file["dataset"] == row["name"]]
        here = f"{sum(bool(file['present']) for file in own)} of {len(own)}" if own else "no files needed"
        rows.append({**row, "files": here, "bytes": sum(int(file["bytes"] or 0) for file in own)})
    show(rows, as_json, "datasets", ("name", "title", "kind", "licence", "files", "bytes"))


@data.command("fetch")
@click.argument("names", nargs=-1, required=True)
@click.option("--references", is_flag=True, help="Also published files that ours are only compared against.")
def data_fetch(names: tuple[str, ...], references: bool) -> None:
    """Fetch the files of data sets NAMES into the data folder (FAIRGL_DATA) and check them."""
    from fairgl.fetch import fetch
    from fairgl.registry import DATASETS

    for name in [DATASETS.resolve(name) for name in names]:
        for path in fetch(name, references) or ["nothing to fetch"]:
            click.echo(f"{name}: {path}")


@data.command("verify")
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", is_flag=True)
def data_verify(names: tuple[str, ...], as_json: bool) -> None:
    """Compare files of data sets NAMES (default: all) with their checksums; a missing file is not an error."""
    from fairgl.fetch import verify as states
    from fairgl.registry import DATASETS

    chosen = [DATASETS.resolve(name) for name in names] or DATASETS.names()
    rows = [{"dataset": n, "file": file, "state": state} for n in chosen for file, state in states(n).items()]
    show(rows, as_json, "files")
    if any(row["state"] not in ("ok", "missing") for row in rows):
        raise click.exceptions.Exit(1)


@data.command("sheets")
def data_sheets() -> None:
    """Write the tables of counts of the datasheets anew, for the data sets whose files are here."""
    from fairgl.datasheets import refresh

    for name in refresh() or ["nothing changed"]:
        click.echo(name)


@click.command()
@click.option("--json", "as_json", is_flag=True)
def verify(as_json: bool) -> None:
    """Check everything that is here: data files, records, chapters' sources and, if it was built, the book."""
    from fairgl.verify import findings

    rows = findings()
    show(rows, as_json, "findings", ("what", "state", "detail"))
    if any(row["state"] == "bad" for row in rows):
        raise click.exceptions.Exit(1)
