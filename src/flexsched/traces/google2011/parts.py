"""Finding the files of a trace among the paths given, and putting them in order of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flexsched.core.errors import InputError
from flexsched.traces.google2011.quirks import Quirks
from flexsched.traces.google2011.schema import TABLES, UNUSED_TABLES, Table
from flexsched.traces.google2011.tables import first_row, row_problem

_SUFFIXES = (".csv", ".csv.gz")
_REMEDY = (
    "give the trace's folder, or files that carry task_events, machine_events or task_usage "
    "in their own or their folder's name"
)


@dataclass(frozen=True)
class Parts:
    """Files by table, each list in order of time.

    Attributes:
        task_events: at least one file.
        machine_events: may be empty: the trace's machines are not known then.
        task_usage: may be empty: no usage is measured then.
    """

    task_events: tuple[Path, ...]
    machine_events: tuple[Path, ...]
    task_usage: tuple[Path, ...]


def find_parts(paths: Sequence[Path], quirks: Quirks) -> Parts:
    """Sort files, and the files in folders, by table and by the time of their first row.

    The order in which parts are named, or their names, do not matter. A file reached
    twice is read once; a second file with the same first row is refused.

    Raises:
        InputError: a path is missing or of no known table, no task events are among
            them, or two parts hold the same rows.
    """
    found: dict[str, list[Path]] = {table.name: [] for table in TABLES}
    seen: set[Path] = set()
    for path in (file for given in paths for file in _files(Path(given))):
        if path.resolve() in seen:
            quirks["part_named_twice"] += 1
            continue
        seen.add(path.resolve())
        table = _table_of(path)
        if table in found:
            found[table].append(path)
    parts = Parts(**{t.name: _in_order(t, found[t.name], quirks) for t in TABLES})
    if not parts.task_events:
        where = ", ".join(str(path) for path in paths)
        raise InputError(
            "expected task_events rows, got none", where=where or "no paths", remedy=_REMEDY
        )
    return parts


def _files(given: Path) -> list[Path]:
    """The file itself, or the table files in a folder and in its table subfolders."""
    try:
        if given.is_file():
            return [given]
        if not given.is_dir():
            raise InputError("expected a file or folder, got nothing there", where=str(given))
        folders = [
            given,
            *(given / table.name for table in TABLES if (given / table.name).is_dir()),
        ]
        entries = [entry for folder in folders for entry in sorted(folder.iterdir())]
    except OSError as error:
        raise InputError(f"expected a readable folder, got: {error}", where=str(given)) from error
    return [e for e in entries if e.name.endswith(_SUFFIXES) and e.is_file() and _known(e)]


def _known(path: Path) -> bool:
    """Whether names tell the table; other files in a folder are none of our business."""
    return any(_names(path, table.name) for table in TABLES)


def _table_of(path: Path) -> str:
    for name in (*(table.name for table in TABLES), *UNUSED_TABLES):
        if _names(path, name):
            return name
    raise InputError(
        "expected a file of a known table, got another", where=str(path), remedy=_REMEDY
    )


def _names(path: Path, table: str) -> bool:
    """The file's own name decides; only a name without a table looks to the folder."""
    tables = [name for name in (*(t.name for t in TABLES), *UNUSED_TABLES) if name in path.name]
    return table in (tables or [path.absolute().parent.name])


def _in_order(table: Table, files: list[Path], quirks: Quirks) -> tuple[Path, ...]:
    """Parts by time; a first row that cannot be read would put its part anywhere."""
    firsts: dict[str, Path] = {}
    for path in files:
        row = first_row(path)
        if row is None:
            quirks["part_without_rows"] += 1
        elif row in firsts:
            raise InputError(
                f"expected every part once, got the same first row as in {firsts[row]}",
                where=str(path),
                remedy="leave one of the two out",
            )
        elif problem := row_problem(row, table, path, 1):
            raise problem
        else:
            firsts[row] = path
    if files and not firsts:
        raise InputError("expected at least one row, got none", where=str(files[0]))
    return tuple(path for _, path in sorted((_time_us(row), path) for row, path in firsts.items()))


def begins_before(path: Path, limit_us: int) -> bool:
    """Whether a part has rows before a time, told by its first row alone."""
    row = first_row(path)
    return row is not None and _time_us(row) < limit_us


def _time_us(row: str) -> int:
    return int(row.split(",", 1)[0])
