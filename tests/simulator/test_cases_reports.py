"""Cases of section 5 (reports and metrics): expected values are by hand."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from flexsched.report.tables import capacity_rows
from oracle import Settings
from strategies.product import simulate as product_simulate


def _busy(request: str, usage: str, capacity: str) -> str:
    return f"""
nodes: [{{name: n1, cpu: {capacity}, memory: 1Gi}}]
tasks:
  - {{name: t, duration: 60s, running_on: n1,
     requests: {{cpu: "{request}", memory: 1Gi}}, usage: {{cpu: "{usage}", memory: 1Gi}}}}
"""


def test_r1_idle_is_never_negative(read: Callable[[str], Any]) -> None:
    # Rounding brings allocated amounts a hair above what there is.
    text = _busy("10.0000000001", "10.0000000001", "10")
    run = product_simulate(read(text), None, Settings("least-fit"))
    (cpu,) = capacity_rows(run, ["cpu"])
    for idle in (cpu.idle_fraction, cpu.free_to_request_fraction):
        assert idle == 0.0
        assert math.copysign(1.0, idle) == 1.0  # prints as 0, not as -0
    assert f"{cpu.idle_fraction:.2f}" == "0.00"


def test_r2_idle_under_overcommit(read: Callable[[str], Any]) -> None:
    run = product_simulate(read(_busy("174", "69", "100")), None, Settings("least-fit"))
    (cpu,) = capacity_rows(run, ["cpu"])
    assert cpu.idle_fraction == pytest.approx(0.31)
    assert cpu.free_to_request_fraction == 0.0
    assert cpu.overcommit_fraction == pytest.approx(0.74)


def test_r3_one_source_for_both_sides(simulate: Callable[..., Any]) -> None:
    result = simulate("""
tick: 60s
horizon: 10m
nodes: [{name: n1, cpu: 8, memory: 8Gi, until: 300s}]
tasks: [{name: t, count: 8, running_on: n1, requests: {cpu: 1, memory: 1Gi}}]
""")
    rows = [row for row in result.rows if row["usage_cpu_fraction"] is not None]
    used = sum(row["usage_cpu"] * 60 for row in rows)
    had = sum(row["usage_cpu"] / row["usage_cpu_fraction"] * 60 for row in rows)
    assert (used, had) == (2400.0, 2400.0)
    assert [row["usage_cpu_fraction"] for row in result.rows] == [1.0] * 5 + [None] * 5


def test_r4_bounded_history(read: Callable[[str], Any]) -> None:
    workload = read("""
nodes: [{name: n, cpu: 4, memory: 8Gi, count: 500}]
tasks: [{name: t, count: 1000, requests: {cpu: 1, memory: 1Gi}}]
""")
    _peak_bytes(workload, ticks=5)  # leaves caches and compiled code behind
    growth = _peak_bytes(workload, ticks=1200) - _peak_bytes(workload, ticks=300)
    # Every sample of 500 nodes x 2 resources would be 8 KB a tick, of usage alone; a row
    # of the cluster is some 25 numbers.
    assert growth / 900 < 1500


def _peak_bytes(workload: Any, ticks: int) -> int:
    """Most memory that Python and NumPy held at once during one run."""
    tracemalloc.start()
    try:
        product_simulate(workload, None, Settings("least-fit", horizon_s=60.0 * ticks))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_r5_summaries_equal_the_full_history(read: Callable[[str], Any]) -> None:
    workload = read("""
tick: 60s
horizon: 20m
nodes:
  - {name: n, cpu: 4, memory: 8Gi, count: 3}
  - {name: late, cpu: 4, memory: 8Gi, from: 5m, until: 15m}
tasks:
  - {name: a, count: 7, duration: 7m, requests: {cpu: 1, memory: 1Gi}, usage_window: 60s,
     usage: {cpu: [0.3, 1.7, 0.9], memory: [1Gi, 100Mi, 3Gi]}}
  - {name: b, count: 9, submit: 4m, duration: 9m, requests: {cpu: 1500m, memory: 2Gi},
     usage_window: 90s, usage: {cpu: [0.1, 0.7], memory: [2Gi, 3Gi]}}
""")
    samples: list[tuple[Any, Any]] = []
    run = product_simulate(
        workload,
        None,
        Settings("flex-f", horizon_s=1200.0),
        observers=(lambda tick: samples.append((tick.requested.copy(), tick.usage.copy())),),
    )
    assert len(samples) == 20
    for i, node in enumerate(run.nodes.to_pylist()):
        present = slice(5, 15) if node["name"] == "late" else slice(0, 20)
        for kind, which in (("request", 0), ("usage", 1)):
            for r, resource in enumerate(("cpu", "memory")):
                history = np.array([sample[which][i, r] for sample in samples])[present]
                _check_summary(node, f"{kind}_{resource}", history)


def _check_summary(node: dict[str, Any], column: str, history: Any) -> None:
    count = node["count"] if "count" in node else node[f"{column}_count"]
    assert count == len(history)
    expected = [history.mean(), history.std(), history.min(), history.max()]
    got = [node[f"{column}_{name}"] for name in ("mean", "std", "min", "max")]
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-9 * history.max())
