"""Commands about chapters and the book: ``params``, ``run``, ``book``, ``serve``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import yaml

from fairgl.cli.output import bars, show
from fairgl.parameters import ParameterError, parse_assignments
from fairgl.paths import root

_jobs = click.option(
    "-j", "--jobs", type=click.IntRange(1), default=min(2, os.cpu_count() or 1), show_default=True,
    help="Chapters at a time.",
)  # fmt: skip
_timeout = click.option(
    "--timeout", type=click.IntRange(1), default=3600, show_default=True, help="Seconds that one cell may take."
)


@click.command()
@click.argument("chapter")
@click.option("--json", "as_json", is_flag=True)
def params(chapter: str, as_json: bool) -> None:
    """Parameters of a CHAPTER: names, types and defaults."""
    from fairgl.contents import chapters, read, resolve
    from fairgl.parameters import cell_source, describe, model_of

    path = chapters()[resolve(chapter)]
    show(describe(model_of(cell_source(read(path), path.name))), as_json, "parameters")


@click.command()
@click.argument("chapters", nargs=-1)
@click.option("-p", "assignments", multiple=True, metavar="NAME=YAML", help="A parameter: -p datasets='[german]'.")
@click.option("-f", "file", type=click.Path(exists=True, dir_okay=False), help="A YAML file of parameters; -p wins.")
@click.option("--mode", type=click.Choice(["store", "missing", "fresh"]), help="Short for -p mode=...")
@click.option("--force", is_flag=True, help="Run what is up to date as well.")
@_timeout
@_jobs
def run(
    chapters: tuple[str, ...], assignments: tuple[str, ...], file: str | None, mode: str | None, force: bool,
    timeout: int, jobs: int,
) -> None:  # fmt: skip
    """Execute CHAPTERS (by name or its beginning; default: all of the book) into executed/."""
    from fairgl.contents import book_chapters

    values = yaml.safe_load(Path(file).read_text("utf8")) or {} if file else {}
    if not isinstance(values, dict):
        raise ParameterError(f"{file}: not a mapping of parameter names to values")
    values |= parse_assignments(assignments) | ({"mode": mode} if mode else {})
    _run(list(chapters) or book_chapters(), values, force=force, jobs=jobs, timeout=timeout)


@click.command()
@click.option("--strict", is_flag=True, help="Every chapter with its default parameters, as for publishing.")
@_timeout
@_jobs
def book(strict: bool, timeout: int, jobs: int) -> None:
    """Run the chapters that are not up to date, build the book, check it, and print where it is.

    A chapter keeps the parameters that it was last run with, which its page shows; --strict goes back to the defaults.
    """
    from fairgl.book import build, check_version
    from fairgl.contents import book_chapters, last_parameters

    check_version()
    _run(book_chapters(), {} if strict else last_parameters, jobs=jobs, timeout=timeout)
    click.echo(f"\nThe book is at {build()}")


@click.command()
@click.option("--port", type=int, default=8000, show_default=True)
def serve(port: int) -> None:
    """Serve the built book to this machine."""
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    folder = root() / "_build" / "html"
    if not (folder / "index.html").exists():
        raise click.ClickException("there is no book yet: fairgl book")
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(SimpleHTTPRequestHandler, directory=str(folder)))
    click.echo(f"http://127.0.0.1:{port}/ (stop with Ctrl-C)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


def _run(names: list[str], values: Any, **options: Any) -> None:
    """Run chapters, print what became of them, and stop with exit code 1 if one failed."""
    from fairgl.execute import run_chapters

    with bars(len(names)) as report:
        outcomes = run_chapters(names, values, report=report, **options)
    for outcome in outcomes:
        click.echo(f"{outcome.status:>10}  {outcome.name}" + (f"  {outcome.seconds:.0f} s" if outcome.seconds else ""))
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    for outcome in failed:
        click.echo(f"\n{outcome.name} failed; see executed/{outcome.name}.failed.ipynb\n{outcome.error}", err=True)
    if failed:
        raise click.exceptions.Exit(1)
