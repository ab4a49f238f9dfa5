"""Importing, helping, compiling for the first time and starting again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.processes import run

_REPEATS = 5
_IMPORT = "from time import perf_counter as now; t = now(); import flexsched; print(now() - t)"
_SCENARIO = """
horizon: 10m
nodes: [{name: n, cpu: 4, memory: 8Gi, count: 3}]
tasks: [{name: t, duration: 5m, requests: {cpu: 1, memory: 1Gi}, count: 20}]
"""


def figures() -> Iterator[Figure]:
    """Noise only adds to a start, so the least of several counts."""
    least = f"least of {_REPEATS}"
    imports = [float(run(["-c", _IMPORT]).output) for _ in range(_REPEATS)]
    yield Figure("import flexsched", min(imports), 0.3, "s", least)
    helps = [run(["-m", "flexsched", "--help"]).wall_s for _ in range(_REPEATS)]
    yield Figure("flexsched --help", min(helps), 0.5, "s", f"whole process, {least}")
    with tempfile.TemporaryDirectory() as name:
        yield from _first_and_second(Path(name))


def _first_and_second(folder: Path) -> Iterator[Figure]:
    scenario = folder / "small.yaml"
    scenario.write_text(_SCENARIO)
    fresh = {"NUMBA_CACHE_DIR": str(folder / "cache")}
    first = run(
        ["-m", "flexsched", "reproduce", "--tasks", "2000", "--out", str(folder / "first")],
        environment=fresh,
    )
    told = "says so" if "compil" in first.errors else "DOES NOT SAY SO"
    yield Figure(
        "first call in an empty cache",
        first.wall_s,
        60.0,
        "s",
        f"reproduce, 2000 tasks, {first.cpu_s:.1f} s of CPU; {told}",
    )
    again = [
        run(
            ["-m", "flexsched", "simulate", str(scenario), "--policy", "flex-f", "--out",
             str(folder / f"again-{number}")],
            environment=fresh,
        )
        for number in range(3)
    ]  # fmt: skip
    second = min(again, key=lambda one: one.wall_s)
    note = f"simulate, 20 tasks, whole process, least of 3, {second.cpu_s:.1f} s of CPU"
    yield Figure("second start", second.wall_s, 2.0, "s", note)
