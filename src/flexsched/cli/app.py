"""The commands put together, and the function that the installed script calls."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from flexsched.cli import catalogue, compare, report, reproduce, simulate, trace
from flexsched.cli.errors import exit_status
from flexsched.cli.options import example

app = typer.Typer(
    name="flexsched",
    no_args_is_help=True,
    # Plain help: the styled one takes a third of a second to import what it needs.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=example("flexsched reproduce --tasks 20000 --out small"),
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"flexsched {version('flexsched')}")
        raise typer.Exit


@app.callback()
def _flexsched(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Usage-aware cluster scheduling, evaluated on traces: how much more a cluster would admit."""


app.command(epilog=reproduce.EXAMPLE)(reproduce.reproduce)
app.command(epilog=compare.EXAMPLE)(compare.compare)
app.command(epilog=simulate.EXAMPLE)(simulate.simulate)
app.command(epilog=report.EXAMPLE)(report.report)
app.add_typer(trace.app, name="trace")
app.command(epilog=catalogue.POLICIES_EXAMPLE)(catalogue.policies)
app.command(epilog=catalogue.ESTIMATORS_EXAMPLE)(catalogue.estimators)
app.command(epilog=catalogue.FORMATS_EXAMPLE)(catalogue.formats)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line.

    Args:
        arguments: what follows the program's name; those of this process if not given.

    Returns:
        The exit status.
    """
    _open_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    return exit_status(lambda: app(words, prog_name="flexsched", obj=words))


def _open_streams() -> None:
    """Let every result be printed: a closed stream swallows, another encoding replaces."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
