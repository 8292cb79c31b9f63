"""Tables, JSON and progress bars of the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click


def show(rows: list[dict[str, Any]], as_json: bool, name: str, columns: tuple[str, ...] = ()) -> None:
    """Rows as a table, or as ``{"schema": 1, name: rows}``."""
    from rich.console import Console
    from rich.table import Table

    from fairgl.listing import SCHEMA

    if as_json:
        click.echo(json.dumps({"schema": SCHEMA, name: rows}, indent=1, ensure_ascii=False, default=str))
        return
    columns = columns or tuple(rows[0] if rows else ())
    table = Table(*columns, title=f"{name} ({len(rows)})", title_justify="left", box=None, header_style="bold")
    for row in rows:
        values = [row.get(column) for column in columns]
        table.add_row(*(", ".join(map(str, v)) if isinstance(v, list | tuple) else str(v) for v in values))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


@contextmanager
def bars(total: int) -> Iterator[Callable[[str, int, int], None]]:
    """A bar per chapter on a terminal, one line per chapter elsewhere."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    tasks: dict[str, Any] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, disable=not sys.stderr.isatty()) as progress:

        def report(name: str, cell: int, cells: int) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=cells)
                if progress.disable:
                    click.echo(f"running {name} ({len(tasks)} of at most {total})", err=True)
            progress.update(tasks[name], completed=cell + 1)

        yield report
