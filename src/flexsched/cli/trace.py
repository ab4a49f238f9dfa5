"""``flexsched trace``: make, import, check and describe workloads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import flexsched as fs
from flexsched import traces
from flexsched.cli.errors import from_command_line
from flexsched.cli.inputs import open_workload
from flexsched.cli.options import Force, Hours, Json, RequiredOut, Seed, Set, Workload, example
from flexsched.cli.progress import make_progress
from flexsched.cli.settings import key_values
from flexsched.cli.tables import print_json, print_table
from flexsched.core.errors import InputError

if TYPE_CHECKING:
    from flexsched.traces.quality import Finding

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Make, import, check and describe workloads.",
    epilog=example("flexsched trace info scenario.yaml"),
)


@app.command(
    epilog=example("flexsched trace synthesize --tasks 20000 --out workload"),
)
def synthesize(
    out: RequiredOut,
    tasks: Annotated[int, typer.Option(min=1, help="Number of tasks.")] = 714_030,
    hours: Hours = 24.0,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Store the built-in synthetic workload.

    Prints how well it fits the published figures that it is made after.
    """
    _check_target(out, force)
    with make_progress() as progress:
        progress.phase("making the workload")
        workload = fs.synthesize(tasks=tasks, hours=hours, seed=seed)
        progress.phase("writing")
        fs.write_workload(workload, out, force=force)
    rows = workload.provenance.calibration
    if as_json:
        print_json(list(rows))
        return
    _print_fit(rows)
    print(f"\nWorkload: {out}")


@app.command(
    "import",
    epilog=example("flexsched trace import google2011 clusterdata-2011-2 --out workload"),
)
def import_trace(
    trace_format: Annotated[
        str, typer.Argument(metavar="FORMAT", help="See flexsched formats.", show_default=False)
    ],
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Files or folders of the trace.",
                       show_default=False),
    ],
    out: RequiredOut,
    settings: Set = None,
    force: Force = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Read a public trace and store it as a workload.

    Settings are those of the reader, see flexsched formats.
    """
    from flexsched.traces._arguments import typed_arguments  # noqa: PLC0415

    with from_command_line():
        reader = traces.trace_format(trace_format)
        arguments = typed_arguments(
            reader.read, key_values(settings or []).items(), given=("paths",), where=reader.name
        )
    _check_target(out, force)
    with make_progress() as progress:
        progress.phase("reading")
        with from_command_line():
            workload = reader.read(paths, **arguments)
        progress.phase("writing")
        fs.write_workload(workload, out, force=force)
    facts = workload.provenance
    if as_json:
        print_json(
            {"name": workload.name, "usage_kind": facts.usage_kind, "counts": facts.counts,
             "quirks": facts.quirks, "assumptions": list(facts.assumptions)}
        )  # fmt: skip
        return
    print(f"{workload.name}: {len(workload):,} tasks, {facts.usage_kind} usage\n")
    _print_counts("read", facts.counts)
    print()
    _print_counts("skipped, mended or filled in", facts.quirks)
    print(f"\nWorkload: {out}")


@app.command(epilog=example("flexsched trace check scenario.yaml"))
def check(workload: Workload, as_json: Json = False) -> None:
    """List what looks wrong in a workload.

    Exit status 1 if there is an error, with which a simulation makes no sense.
    """
    from flexsched.traces.quality import check as find  # noqa: PLC0415

    with make_progress() as progress:
        findings = find(open_workload(workload, progress))
    if as_json:
        print_json([asdict(finding) for finding in findings])
    elif findings:
        _print_findings(findings)
    else:
        print("nothing looks wrong")
    errors = [finding.rule for finding in findings if finding.severity == "error"]
    if errors:
        raise InputError(
            f"expected a workload that can be simulated, got {', '.join(errors)}", where=workload
        )


@app.command(epilog=example("flexsched trace info synthetic:google2011?tasks=20000"))
def info(workload: Workload, as_json: Json = False) -> None:
    """Describe a workload.

    What it holds, where it comes from and what it is good for.
    """
    from flexsched.cli.description import print_description  # noqa: PLC0415
    from flexsched.traces.quality import describe  # noqa: PLC0415

    with make_progress() as progress:
        document = describe(open_workload(workload, progress))
    if as_json:
        print_json(document)
        return
    print_description(document)
    if document["calibration"]:
        print()
        _print_fit(document["calibration"])


def _check_target(out: Path, force: bool) -> None:
    """Refuse a folder before the work is done, not after."""
    from flexsched._folder import check_target  # noqa: PLC0415
    from flexsched.traces._stored_document import DOCUMENT  # noqa: PLC0415

    check_target(out, marker=DOCUMENT, force=force)


def _print_fit(rows: Sequence[Mapping[str, Any]]) -> None:
    print_table(
        ["figure", "target", "got", "difference"],
        [
            [row["figure"], _value(row["target"]), _value(row["got"]),
             "" if row["difference"] is None else f"{100 * row['difference']:+.1f} %"]
            for row in rows
        ],
        numbers=(1, 2, 3),
    )  # fmt: skip


def _print_counts(title: str, counts: Mapping[str, int]) -> None:
    rows = [[name.replace("_", " "), f"{count:,}"] for name, count in counts.items()]
    print_table([title, ""], rows or [["nothing", ""]], numbers=(1,))


def _print_findings(findings: Sequence[Finding]) -> None:
    """Errors first, then warnings, then notes, as they are found."""
    kinds = Counter(finding.severity for finding in findings)
    print(f"errors: {kinds['error']}, warnings: {kinds['warning']}, notes: {kinds['note']}\n")
    print_table(
        ["severity", "rule", "count", "share", "for example"],
        [
            [found.severity, found.rule, f"{found.count:,}",
             "" if found.share is None else f"{100 * found.share:.3g} %", found.example]
            for found in findings
        ],
        numbers=(2, 3),
    )  # fmt: skip


def _value(value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return str(value) or "none"
