"""Rows of the trace's tables, made by hand: times in seconds, everything else as in the files."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

SUBMIT, SCHEDULE, EVICT, FAIL, FINISH, KILL, LOST, UPDATE_PENDING, UPDATE_RUNNING = range(9)
ADD, REMOVE, UPDATE = range(3)
AFTER_END = 2**63 - 1


def us(time_s: float) -> int:
    return time_s if time_s == AFTER_END else round(time_s * 1_000_000)


def event(
    time_s: float,
    kind: int,
    *,
    job: int = 1,
    index: int = 0,
    machine: int | str = "",
    priority: int = 0,
    cpu: float | str = 0.125,
    memory: float | str = 0.25,
    missing: int | str = "",
) -> str:
    return (
        f"{us(time_s)},{missing},{job},{index},{machine},{kind},user,0,{priority},"
        f"{cpu},{memory},0,0"
    )


def machine(
    time_s: float, number: int, kind: int, cpu: float | str = 0.5, memory: float | str = 0.25
) -> str:
    return f"{us(time_s)},{number},{kind},platform,{cpu},{memory}"


def usage(
    from_s: float,
    until_s: float,
    *,
    job: int = 1,
    index: int = 0,
    machine: int = 5,
    cpu: float | str = 0.0625,
    memory: float | str = 0.125,
    peak: float | str = 1,
    rest: str = "0.1",
) -> str:
    return (
        f"{us(from_s)},{us(until_s)},{job},{index},{machine},{cpu},{memory},0,0,0,0,0,0,"
        f"{peak},{rest},{rest},{rest},0,1,0"
    )


def write(
    root: Path,
    events: Iterable[str] = (),
    machines: Iterable[str] = (),
    usages: Iterable[str] = (),
) -> Path:
    """One part per table that has rows, under ``root``."""
    for table, rows in (
        ("task_events", events),
        ("machine_events", machines),
        ("task_usage", usages),
    ):
        if lines := list(rows):
            write_part(root / table / "part-00000-of-00001.csv", lines)
    return root


def write_part(path: Path, rows: Iterable[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(f"{row}\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
