"""The folder of a comparison: ``runs/LABEL/``, ``summary.json``, ``report.html``, ``figures/``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote

from flexsched import report
from flexsched._folder import check_target, new_folder
from flexsched.core.errors import InputError
from flexsched.simulator import Run, summary_document, write_json

#: A file that every result has, of one run or of several.
RESULT_MARKER = "summary.json"
_RUNS, _REPORT, _FIGURES = "runs", "report.html", "figures"
#: A chart that every comparison has.
_FIGURES_MARKER = "figure-8-qos.svg"
#: File systems take 255 bytes.
_LONGEST_NAME = 200


def new_result(folder: Path, *, force: bool = False) -> AbstractContextManager[Path]:
    """Fill the folder of a new result (see :func:`flexsched._folder.new_folder`)."""
    return new_folder(folder, marker=RESULT_MARKER, force=force)


def check_result_target(folder: Path, *, force: bool = False) -> None:
    """Refuse a folder for a new result before the work is done, not after.

    Raises:
        OutputError: the folder exists and may not be replaced.
    """
    check_target(folder, marker=RESULT_MARKER, force=force)


def folder_name(label: str) -> str:
    """A run's label as the name of its folder: itself, as far as file systems take it."""
    name = quote(label, safe=":=,+ ")
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:_LONGEST_NAME]}-{hashlib.blake2b(label.encode(), digest_size=4).hexdigest()}"


def write_comparison(runs: Sequence[Run], folder: Path) -> None:
    """Write runs, summary, report and figures into an existing empty folder.

    Raises:
        OutputError: a file cannot be written.
    """
    for run in runs:
        place = folder / _RUNS / folder_name(run.label)
        place.mkdir(parents=True)
        run.write_into(place)
    write_json(folder / RESULT_MARKER, summary_document(list(runs)))
    report.write_report(runs, folder / _REPORT)
    report.write_figures(runs, folder / _FIGURES)


def rewrite_report(runs: Sequence[Run], folder: Path) -> Path:
    """Write report and figures of a result anew, beside its other files.

    Returns:
        The report.

    Raises:
        OutputError: a file cannot be written; the older ones are still there.
    """
    with new_folder(folder / _FIGURES, marker=_FIGURES_MARKER, force=True) as figures:
        report.write_figures(runs, figures)
        report.write_report(runs, folder / _REPORT)
    return folder / _REPORT


def find_runs(folder: Path) -> list[Path]:
    """The run folders of a result: itself, or those of a comparison by name.

    Raises:
        InputError: the folder is no result.
    """
    if (folder / "run.json").is_file():
        return [folder]
    found = sorted(path.parent for path in folder.glob(f"{_RUNS}/*/run.json"))
    if not found:
        raise InputError(
            "expected a folder with run.json, or with runs/*/run.json, got "
            + ("another folder" if folder.is_dir() else "no such folder"),
            where=str(folder),
            remedy="write one with flexsched simulate, compare or reproduce",
        )
    return found
