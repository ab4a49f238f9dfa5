"""Measuring a tick against reading the same bytes once, alternating in one process."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.figures import Figure
from benchmarks.processes import run_module

#: Ticks simulated before, so that the cluster is as full as it gets; and ticks measured.
_WARM, _MEASURED = 300, 100
#: More than any cache holds: between two timings every cache is emptied.
_FLUSH_BYTES = 256 * 2**20


def figures(tasks: int | None = None) -> Iterator[Figure]:
    """At paper size under FlexF; at half the demand no node is short, and nothing to share out."""
    for name, scale, limit in (
        ("demand evaluation over reading its bytes", 0.5, 3.0),
        ("the same, sharing what is short included", 1.0, None),
    ):
        found, _ = run_module("demand", tasks=tasks, demand_scale=scale)
        note = (
            f"{found['measure_ms']:.2f} ms a tick and {found['read_ms']:.2f} ms, for "
            f"{found['running']} running tasks, {found['contended']} nodes short; "
            f"medians of {_MEASURED}"
        )
        yield Figure(name, found["ratio"], limit, "x", note)


def read(
    node: Any, check_tick: Any, demand: Any, series: Any, usage: Any, due: Any, rows: Any
) -> float:
    """Add up what measuring has to look at: the running table, and the usage rows that are due."""
    total = 0.0
    for slot in range(node.shape[0]):
        total += node[slot] + check_tick[slot] + demand[slot, 0] + demand[slot, 1]
    for position in range(due.shape[0]):
        own, row = series[due[position]], rows[position]
        total += own.start_s + own.window_s + own.first + own.length
        total += usage[row, 0] + usage[row, 1]
    return total


class _Enough(Exception):  # noqa: N818 - ends a simulation half-way
    pass


def main(tasks: int | None, demand_scale: float) -> dict[str, Any]:
    """In the child: ratio of medians, and the medians in milliseconds."""
    import numba  # noqa: PLC0415

    import flexsched as fs  # noqa: PLC0415
    from flexsched.simulator import Settings, Simulation  # noqa: PLC0415

    workload = fs.synthesize(tasks=tasks)
    cluster = fs.Cluster.uniform(round(4000 * len(workload) / 714_030))
    simulation = Simulation(workload, cluster, fs.FlexF(), Settings(demand_scale=demand_scale))

    def stop(row: Any) -> None:
        if row.t_s >= _WARM * 60.0:
            raise _Enough

    with suppress(_Enough):
        simulation.rows(stop)
    compiled = numba.njit(read)
    timings = np.array([_one_tick(simulation, compiled) for _ in range(_MEASURED + 1)][1:])
    read_s, measure_s = median(timings[:, 0]), median(timings[:, 1])
    return {
        "ratio": measure_s / read_s,
        "measure_ms": 1e3 * measure_s,
        "read_ms": 1e3 * read_s,
        "contended": int(simulation.state.totals.contended.sum()),
        "running": int((simulation.state.running.node >= 0).sum()),
    }


def _one_tick(simulation: Any, compiled: Any) -> tuple[float, float]:
    """Seconds to read and seconds to measure the next tick, in turns which comes first.

    Nobody starts or ends, so every tick has the same work to do. The step is the simulator's
    own, which has no public name.
    """
    simulation._tick += 1
    running, tick = simulation.state.running, simulation._tick
    used = int((running.node >= 0).nonzero()[0][-1]) + 1
    due = np.flatnonzero((running.node[:used] >= 0) & (running.check_tick[:used] <= tick))
    rows = _due_rows(simulation, due)
    usage = np.asarray(simulation.workload.usage)

    def timed_read() -> float:
        _flush()
        began = perf_counter()
        compiled(
            running.node[:used],
            running.check_tick[:used],
            running.demand[:used],
            running.series[:used],
            usage,
            due,
            rows,
        )
        return perf_counter() - began

    def timed_measure() -> float:
        _flush()
        before = simulation.seconds["demand"]
        simulation._measure()
        return float(simulation.seconds["demand"] - before)

    if tick % 2:
        return timed_read(), timed_measure()
    measure_s = timed_measure()
    return timed_read(), measure_s


def _due_rows(simulation: Any, due: Any) -> Any:
    """Numbers of the usage rows that measuring will take for the tasks that are due."""
    own = simulation.state.running.series[due]
    window = ((simulation._tick * 60.0 - own.start_s) / own.window_s).astype(np.int64)
    return own.first + np.minimum(window, np.maximum(own.length - 1, 0))


def _flush() -> None:
    np.ones(_FLUSH_BYTES // 8).sum()


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.argv[1]))))
