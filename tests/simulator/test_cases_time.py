"""Cases of section 2 (time and clocks): expected values are by hand from the case texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oracle import Settings
from strategies.product import simulate as product_simulate

HANDOVER = """
tick: 10s
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks:
  - {name: a, submit: 0s, duration: 100s, requests: {cpu: 4, memory: 1Gi}}
  - {name: b, submit: 100s, duration: 50s, requests: {cpu: 4, memory: 1Gi}}
"""


def test_t1_late_arrival_on_a_busy_node(simulate: Callable[..., Any]) -> None:
    result = simulate("""
tick: 5s
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks:
  - {name: old, count: 3, duration: 100s, running_on: n1, requests: {cpu: 1, memory: 1Gi}}
  - {name: new, submit: 35s, duration: 10s, requests: {cpu: 1, memory: 1Gi}}
""")
    new = result.tasks["new"]
    assert (new["start_s"], new["end_s"], new["wait_s"]) == (35.0, 45.0, 0.0)
    assert [row["running"] for row in result.rows[6:10]] == [3, 4, 4, 3]  # t = 30, 35, 40, 45
    assert [result.tasks[f"old-{k}"]["end_s"] for k in range(3)] == [100.0] * 3


def test_t2_end_meets_begin(simulate: Callable[..., Any]) -> None:
    result = simulate(HANDOVER)
    at_100 = result.row(100.0)
    assert (at_100["running"], at_100["finished"], at_100["placed"]) == (1, 1, 1)
    assert result.column("request_cpu_fraction") == [1.0] * 15
    assert result.column("running") == [1] * 15
    assert result.tasks["b"]["wait_s"] == 0.0
    assert result.tasks["b"]["start_s"] == result.tasks["a"]["end_s"] == 100.0


def test_t3_a_sweep_over_the_written_schedule_finds_no_overlap(
    read: Callable[[str], Any], tmp_path: Path
) -> None:
    run = product_simulate(read(HANDOVER), None, Settings("least-fit", tick_s=10.0))
    folder = tmp_path / "run"
    folder.mkdir()
    run.write_into(folder)
    written = pq.read_table(folder / "tasks.parquet").to_pylist()
    # At equal times ends (0) come before starts (1): intervals are half open.
    sweep = sorted(
        event for task in written for event in ((task["end_s"], 0, -4), (task["start_s"], 1, 4))
    )
    held = 0
    for _, _, cores in sweep:
        held += cores
        assert 0 <= held <= 4
    assert [time for time, _, _ in sweep] == [0.0, 100.0, 100.0, 150.0]


def test_t4_one_notice_per_instant(read: Callable[[str], Any]) -> None:
    workload = read("""
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks: [{name: a, count: 3, submit: 120s, duration: 120s, requests: {cpu: 1, memory: 1Gi}}]
""")
    notices: list[tuple[float, int]] = []
    product_simulate(
        workload,
        None,
        Settings("least-fit"),
        observers=(lambda tick: notices.append((tick.t_s, tick.row["arrivals"])),),
    )
    assert notices == [(0.0, 0), (60.0, 0), (120.0, 3), (180.0, 0)]


@pytest.mark.parametrize("policy", ["least-fit", "flex-f"])
def test_t5_series_counts_from_the_tasks_start(simulate: Callable[..., Any], policy: str) -> None:
    result = simulate(
        """
tick: 60s
nodes: [{name: n1, cpu: 1, memory: 8Gi}]
tasks:
  - {name: first, duration: 600s, requests: {cpu: 1, memory: 1Gi}}
  - {name: late, duration: 900s, requests: {cpu: 1, memory: 1Gi}, usage_window: 300s,
     usage: {cpu: [0.1, 0.2, 0.3], memory: 1Gi}}
""",
        policy,
    )
    assert result.tasks["late"]["start_s"] == 600.0
    usage = {row["t_s"]: row["usage_cpu"] for row in result.rows}
    assert [usage[t] for t in (600.0, 840.0)] == pytest.approx([0.1, 0.1])
    assert [usage[t] for t in (900.0, 1140.0)] == pytest.approx([0.2, 0.2])
    assert [usage[t] for t in (1200.0, 1440.0)] == pytest.approx([0.3, 0.3])


def _day_and_an_hour() -> str:
    values = ", ".join(str(k % 7 + 1) for k in range(288))
    return f"""
tick: 300s
nodes: [{{name: n1, cpu: 8, memory: 8Gi}}]
tasks:
  - {{name: a, duration: 25h, requests: {{cpu: 8, memory: 1Gi}}, usage_window: 300s,
     usage: {{cpu: [{values}], memory: 1Gi}}}}
"""


def test_t6_task_outlives_its_series(simulate: Callable[..., Any]) -> None:
    result = simulate(_day_and_an_hour())
    assert len(result.rows) == 300
    assert result.column("usage_cpu")[:288] == [float(k % 7 + 1) for k in range(288)]
    assert result.column("usage_cpu")[288:] == [float(287 % 7 + 1)] * 12  # the last value holds
    assert result.tasks["a"]["end_s"] == 90000.0


def test_t6_the_filled_samples_are_counted(read: Callable[[str], Any]) -> None:
    workload = read(_day_and_an_hour())
    run = product_simulate(workload, None, Settings("least-fit", tick_s=300.0))
    assert run.info["held_windows"] == 12  # 25 h are 300 windows, 288 of them are given


def test_t8_no_calendar_from_relative_time(read: Callable[[str], Any]) -> None:
    workload = read(HANDOVER)
    run = product_simulate(workload, None, Settings("least-fit", tick_s=10.0))
    assert workload.provenance.time_origin is None
    for table in (run.ticks, run.tasks, run.nodes):
        assert not [field for field in table.schema if pa.types.is_temporal(field.type)]
    assert run.ticks["t_s"].to_pylist() == [10.0 * k for k in range(15)]
