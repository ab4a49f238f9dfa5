"""What commands print about runs: results, why tasks were left, what was assumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from flexsched.cli.tables import print_json, print_table
from flexsched.experiments.output import check_result_target, new_result
from flexsched.report import comparison_rows, headline, offered_load
from flexsched.report.records import display_names, resources
from flexsched.report.tables import UNPLACED_STATES, UnplacedRow, overview_rows, unplaced_rows
from flexsched.report.wording import count

if TYPE_CHECKING:
    from flexsched.experiments import Comparison
    from flexsched.simulator import Run

#: Tasks named per reason; the table of tasks has them all.
_NAMED = 3
#: Longer names are cut in the middle: both ends tell tasks of a job apart.
_LONGEST_NAME = 24


def check_result(out: Path | None, *, force: bool) -> None:
    """Refuse a place for results before the work is done, not after.

    Raises:
        OutputError: the folder exists and may not be replaced.
    """
    if out is not None:
        check_result_target(out, force=force)


def result_folder(out: Path | None, *, force: bool) -> AbstractContextManager[Path | None]:
    """Fill the folder of a result, if one is wanted."""
    return nullcontext() if out is None else new_result(out, force=force)


def unplaced_tasks(run: Run) -> int:
    """Tasks that are neither running nor finished at the end."""
    return sum(int(run.summary["counts"][state]) for state in UNPLACED_STATES)


def print_results(comparison: Comparison, *, as_json: bool, beside_paper: bool = False) -> None:
    """Print a comparison of one or more runs on stdout.

    Args:
        comparison: what came out.
        as_json: as one JSON document: ``summary.json`` and, under "unplaced", why tasks were
            left, by policy.
        beside_paper: the table beside the paper's figures instead of the plain one.
    """
    summary = comparison.summary
    if as_json:
        print_json(summary | {"unplaced": {run.label: _groups(run) for run in comparison.runs}})
        return
    print(f"{headline(summary)}.")
    if offered := offered_load(summary):
        print(offered)
    print()
    if beside_paper:
        _print_beside_paper(summary)
    else:
        _print_overview(comparison.runs)
    print()
    _print_counts(comparison.runs)
    _print_unplaced(comparison.runs)
    _print_remarks(comparison.runs)


def _groups(run: Run) -> list[dict[str, Any]]:
    return [asdict(row) | {"reason": row.reason or None} for row in unplaced_rows(run)]


def _shown(runs: Sequence[Run]) -> list[str]:
    return display_names([run.label for run in runs])


def _print_overview(runs: Sequence[Run]) -> None:
    rows = overview_rows(runs, resources(runs))
    print_table(
        ["", *_shown(runs)],
        [[quantity, *values] for quantity, values in rows],
        numbers=range(1, len(runs) + 1),
    )


def _print_beside_paper(summary: dict[str, Any]) -> None:
    rows = [row.cells() for row in comparison_rows(summary)]
    print_table(["", "policy", "paper", "ours", "difference"], rows, numbers=(2, 3, 4))


def _print_counts(runs: Sequence[Run]) -> None:
    states = list(runs[0].summary["counts"])
    print_table(
        ["tasks", *states],
        [
            [shown, *(count(run.summary["counts"][state]) for state in states)]
            for shown, run in zip(_shown(runs), runs, strict=True)
        ],
        numbers=range(1, len(states) + 1),
    )


def _print_unplaced(runs: Sequence[Run]) -> None:
    groups = [
        (shown, run, group)
        for shown, run in zip(_shown(runs), runs, strict=True)
        for group in unplaced_rows(run)
    ]
    if not groups:
        return
    print("\nWhy tasks were left:")
    print_table(
        ["policy", "state", "reason", "tasks", "for example", "names"],
        [
            [shown, row.state, row.reason or "none", count(row.tasks), row.example_detail,
             _names(run, row)]
            for shown, run, row in groups
        ],
        numbers=(3,),
        sentences=(4, 5),
    )  # fmt: skip


def _names(run: Run, row: UnplacedRow) -> str:
    """The first tasks of a group by name."""
    reason = run.tasks["reason"]
    same = pc.is_null(reason) if not row.reason else pc.equal(reason, row.reason)
    group = run.tasks.filter(pc.and_(pc.equal(run.tasks["state"], row.state), same))
    names = ", ".join(map(_shortened, group["name"].slice(0, _NAMED).to_pylist()))
    more = row.tasks - _NAMED
    return names if more <= 0 else f"{names} and {count(more)} more"


def _shortened(name: str) -> str:
    if len(name) <= _LONGEST_NAME:
        return name
    kept = (_LONGEST_NAME - 3) // 2
    return f"{name[:kept]}...{name[-kept:]}"


def _print_remarks(runs: Sequence[Run]) -> None:
    """What was assumed, and what else the reader must know."""
    for title, sentences in (
        ("Assumed", runs[0].info["workload"]["assumptions"]),
        ("Note", dict.fromkeys(_notes(runs))),
    ):
        if sentences:
            print(f"\n{title}:")
            for sentence in sentences:
                print(f"- {sentence}")


def _notes(runs: Sequence[Run]) -> Iterator[str]:
    """What the workload's quirks and the runs say about themselves."""
    workload = runs[0].info["workload"]
    quirks = sum(workload["quirks"].values())
    if quirks:
        yield f"{count(quirks)} irregularities of the source were skipped, mended or filled in"
    for run in runs:
        yield from run.info["notes"]
