"""The main job through its command, with the report, compiled code cached."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.processes import run


def figures(tasks: int | None = None) -> Iterator[Figure]:
    """A small run first fills the cache of compiled code."""
    size = [] if tasks is None else ["--tasks", str(tasks)]
    with tempfile.TemporaryDirectory() as name:
        command = ["-m", "flexsched", "reproduce", "--out"]
        run([*command, str(Path(name) / "small"), "--tasks", "2000"])
        measured = run([*command, str(Path(name) / "full"), *size])
    yield Figure(
        "flexsched reproduce",
        measured.wall_s,
        60.0,
        "s",
        f"whole process with report, {measured.cpu_s:.1f} s of CPU",
    )
    yield Figure("flexsched reproduce, peak memory", measured.peak_bytes / 2**30, 3.0, "GiB")
