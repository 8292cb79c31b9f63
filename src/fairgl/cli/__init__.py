"""The command line: ``fairgl list · params · run · book · serve · sweep · status · collect · data · verify``.

Exit codes: 0 done; 1 something failed (a chapter, the book, a data file); 2 wrong usage or parameters, nothing started.
Modules are imported where a command needs them, so that ``fairgl --help`` does not wait for torch.
"""

from __future__ import annotations

from typing import Any

import click

from fairgl.cli.chapters import book, params, run, serve
from fairgl.cli.inventory import data, list_, verify
from fairgl.cli.records import collect, status, sweep
from fairgl.parameters import ParameterError
from fairgl.registry import UnknownName


class Commands(click.Group):
    """Turns the package's own errors into messages and exit codes; anything else stays a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        from fairgl.book import BookError
        from fairgl.fetch import DataError

        try:
            return super().invoke(ctx)
        except (ParameterError, UnknownName) as error:
            raise click.UsageError(str(error)) from error
        except (BookError, DataError, FileNotFoundError) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fairgl")
def main() -> None:
    """Fair graph learning: run the chapters, the studies behind them, and the book they make."""


for command in (list_, params, run, book, serve, sweep, status, collect, data, verify):
    main.add_command(command)
