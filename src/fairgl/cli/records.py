"""Commands about stored runs: ``sweep``, ``status``, ``collect``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from fairgl.cli.output import show


@click.command()
@click.argument("study")
@click.option("--datasets", help="Names, separated by commas; default: the study's.")
@click.option("--methods", help="Names, separated by commas; default: the study's.")
@click.option("--seeds", type=click.IntRange(1), help="Repetitions in place of the study's.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True)
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda, cuda:1 or auto.")
@click.option("--budget-minutes", type=float, help="Start no further run after this many minutes.")
@click.option("--timeout", type=float, help="Seconds that one run may take.")
@click.option("--retry-failed", is_flag=True)
@click.option("--refresh", is_flag=True, help="Run again what was made by other code than the present.")
@click.option("--cluster", help="Address of a Dask scheduler, in place of local processes.")
def sweep(study: str, datasets: str | None, methods: str | None, **options: Any) -> None:
    """Train what the records of STUDY lack; may be interrupted and started again."""
    from fairgl.sweep import run_study

    def names(text: str | None) -> list[str] | None:
        return [name.strip() for name in text.split(",") if name.strip()] if text else None

    counts = run_study(study, datasets=names(datasets), methods=names(methods), **options)
    click.echo(", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "nothing was missing")


@click.command()
@click.option("--json", "as_json", is_flag=True)
def status(as_json: bool) -> None:
    """Stored runs by study, data set, method and status, and how many are stale."""
    from fairgl.store import status as stored

    show(json.loads(stored().to_json(orient="records")), as_json, "runs")


@click.command()
@click.argument("source", type=click.Path(exists=True, file_okay=False, path_type=Path))
def collect(source: Path) -> None:
    """Fold the records of another folder of results (SOURCE), say from another machine, into ours."""
    from fairgl.store import collect as fold

    click.echo(f"{fold(source)} records read from {source}")
