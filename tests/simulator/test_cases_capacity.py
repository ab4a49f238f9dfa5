"""Cases of section 4 (capacity and contention): expected values are by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flexsched.simulator.run import Run
from oracle import Settings
from strategies.product import simulate as product_simulate

POLICIES = ["least-fit", "oversub", "flex-f", "flex-l", "first-fit", "best-fit"]


def test_c1_usage_never_above_capacity(simulate: Callable[..., Any]) -> None:
    result = simulate(
        """
nodes: [{name: n1, cpu: 2, memory: 8Gi}]
tasks: [{name: t, count: 4, duration: 60s, requests: {cpu: 1, memory: 1Gi}}]
""",
        "oversub",
    )
    (row,) = result.rows
    assert (row["usage_cpu"], row["usage_cpu_fraction"]) == (2.0, 1.0)
    assert (row["demand_cpu"], row["demand_cpu_fraction"]) == (4.0, 2.0)
    assert row["request_cpu_fraction"] == 2.0
    assert row["qos"] == 0.0  # 0.5 each is below both the demand and the request
    assert [task["violated_s"] for task in result.tasks.values()] == [60.0] * 4


def test_c2_smallest_contention(simulate: Callable[..., Any]) -> None:
    result = simulate(
        """
nodes: [{name: n1, cpu: 1, memory: 8Gi}]
tasks: [{name: t, count: 2, duration: 60s, requests: {cpu: 1, memory: 1Gi}}]
""",
        "oversub",
    )
    (row,) = result.rows
    assert (row["usage_cpu"], row["demand_cpu"], row["running"]) == (1.0, 2.0, 2)


@pytest.mark.parametrize("policy", POLICIES)
def test_c3_node_without_capacity(simulate: Callable[..., Any], policy: str) -> None:
    result = simulate(
        """
nodes: [{name: none, cpu: 0, memory: 8Gi}, {name: four, cpu: 4, memory: 8Gi}]
tasks: [{name: t, count: 3, duration: 60s, requests: {cpu: 1, memory: 1Gi}}]
""",
        policy,
    )
    assert [task["node"] for task in result.tasks.values()] == ["four"] * 3
    assert result.rows[0]["request_cpu_fraction"] == 0.75


@pytest.mark.parametrize("policy", POLICIES)
def test_c3_cluster_without_capacity(simulate: Callable[..., Any], policy: str) -> None:
    result = simulate(
        """
nodes: [{name: none, cpu: 0, memory: 8Gi, count: 2}]
tasks: [{name: t, duration: 60s, requests: {cpu: 1, memory: 1Gi}}]
""",
        policy,
    )
    assert result.tasks["t"]["state"] == "rejected"
    assert result.tasks["t"]["reason"] == "too_large"
    (row,) = result.rows
    assert (row["arrivals"], row["rejected"], row["usage_cpu_fraction"]) == (1, 1, None)


LARGER = """
nodes: [{name: small, cpu: 4, memory: 8Gi}, {name: large, cpu: 8, memory: 8Gi}]
tasks:
  - {name: huge, duration: 60s, requests: {cpu: 9, memory: 1Gi}}
  - {name: other, duration: 120s, requests: {cpu: 8, memory: 1Gi}}
"""


@pytest.mark.parametrize("policy", POLICIES)
def test_c4_larger_than_every_node(simulate: Callable[..., Any], policy: str) -> None:
    result = simulate(LARGER, policy)
    assert result.tasks["huge"]["state"] == "rejected"
    assert result.tasks["huge"]["attempts"] == 0
    assert result.tasks["other"]["state"] == "finished"
    assert result.column("t_s") == [0.0, 60.0]
    assert result.rows[0]["rejected"] == 1


def test_c4_the_sentence_names_resource_request_and_largest_node(
    read: Callable[[str], Any],
) -> None:
    run = product_simulate(read(LARGER), None, Settings("least-fit"))
    huge = run.tasks.to_pylist()[0]
    for part in ("CPU", "9", "8"):
        assert part in huge["reason_detail"], huge["reason_detail"]


HELD = """
{horizon}
nodes: [{{name: n1, cpu: 4, memory: 8Gi}}]
tasks:
  - {{name: a, {duration} running_on: n1, requests: {{cpu: 3, memory: 1Gi}}}}
  - {{name: b, requests: {{cpu: 2, memory: 1Gi}}}}
"""


@pytest.mark.parametrize("policy", ["least-fit", "flex-f", "flex-l", "first-fit", "best-fit"])
def test_c5_fits_by_size_never_by_room(simulate: Callable[..., Any], policy: str) -> None:
    text = HELD.format(horizon="horizon: 5m", duration="duration: 5m,")
    result = simulate(text, policy)
    b = result.tasks["b"]
    assert (b["state"], b["attempts"], b["wait_s"]) == ("pending", 5, 300.0)
    assert b["reason"] == ("usage" if policy.startswith("flex") else "request")
    assert result.column("t_s") == [0.0, 60.0, 120.0, 180.0, 240.0]


@pytest.mark.parametrize("policy", ["least-fit", "flex-f"])
def test_c5_the_sentence_says_what_was_short(read: Callable[[str], Any], policy: str) -> None:
    workload = read(HELD.format(horizon="horizon: 5m", duration="duration: 5m,"))
    run = product_simulate(workload, None, Settings(policy, horizon_s=300.0))
    b = run.tasks.to_pylist()[1]
    assert "CPU short on 1 of 1 nodes" in b["reason_detail"]


@pytest.mark.parametrize("policy", ["least-fit", "flex-f", "flex-l", "first-fit", "best-fit"])
def test_c5_without_a_horizon_the_run_stops_by_itself(
    simulate: Callable[..., Any], policy: str
) -> None:
    result = simulate(HELD.format(horizon="", duration=""), policy)
    assert result.tasks["b"]["state"] == "pending"
    assert result.tasks["a"]["state"] == "running"
    # Request-based: nothing can change after the first tick. Flex: P decays from 1.5 to 1.1
    # in 31 steps of 1 % (1.5 * 0.99**31 = 1.098), so the last scan is the one that saw 1.1.
    assert len(result.rows) <= (40 if policy.startswith("flex") else 2)


def test_c6_capacity_what_if_ends(simulate: Callable[..., Any]) -> None:
    result = simulate("""
nodes: [{name: n1, cpu: 7, memory: 16Gi}]
tasks: [{name: t, count: 10, requests: {cpu: 1, memory: 1Gi}}]
""")
    assert len(result.rows) <= 2
    left = {name: task["reason"] for name, task in result.tasks.items()
            if task["state"] == "pending"}  # fmt: skip
    assert left == {"t-7": "request", "t-8": "request", "t-9": "request"}


REJECTING = """
nodes: [{name: n1, cpu: 1, memory: 8Gi}]
tasks:
  - {name: t0, submit: 0s, duration: 60s, requests: {cpu: 2, memory: 1Gi}}
  - {name: t1, submit: 60s, duration: 60s, requests: {cpu: 2, memory: 1Gi}}
  - {name: t2, submit: 120s, duration: 60s, requests: {cpu: 2, memory: 1Gi}}
  - {name: t3, submit: 180s, duration: 60s, requests: {cpu: 2, memory: 1Gi}}
  - {name: t4, submit: 240s, duration: 60s, requests: {cpu: 2, memory: 1Gi}}
"""


@pytest.mark.parametrize("policy", POLICIES)
def test_c7_everything_rejected(simulate: Callable[..., Any], policy: str) -> None:
    result = simulate(REJECTING, policy)
    assert result.counts["rejected"] == result.counts["submitted"] == 5
    assert result.counts["finished"] == 0
    assert result.column("t_s") == [0.0, 60.0, 120.0, 180.0, 240.0]
    assert result.column("rejected") == [1] * 5


def test_c7_the_outputs_are_written_and_readable(
    read: Callable[[str], Any], tmp_path: Path
) -> None:
    run = product_simulate(read(REJECTING), None, Settings("flex-f"))
    folder = tmp_path / "run"
    folder.mkdir()
    run.write_into(folder)
    again = Run.load(folder)
    assert again.tasks.equals(run.tasks)
    assert again.summary == run.summary
    assert again.summary["counts"]["rejected"] == 5


def test_c8_finished_tasks_hold_nothing(simulate: Callable[..., Any]) -> None:
    result = simulate("""
horizon: 3m
nodes: [{name: n1, cpu: 1000, memory: 1Ti, max_tasks: 110}]
tasks:
  - {name: run, count: 30, requests: {cpu: 1, memory: 1Gi}}
  - {name: done, count: 421, duration: 0s, requests: {cpu: 1, memory: 1Gi}}
  - {name: next, submit: 60s, requests: {cpu: 1, memory: 1Gi}}
  - {name: more, count: 80, submit: 120s, requests: {cpu: 1, memory: 1Gi}}
""")
    assert result.counts["finished"] == 421
    assert result.row(0.0)["running"] == 30
    assert result.tasks["next"]["start_s"] == 60.0
    # 31 run, so 79 of the 80 others fit under the limit and the last does not.
    assert result.row(120.0)["running"] == 110
    assert result.tasks["more-79"]["state"] == "pending"
    assert result.tasks["more-79"]["reason"] == "task_limit"


EVERY_STATE = """
horizon: 3m
nodes: [{name: stays, cpu: 4, memory: 8Gi}, {name: leaves, cpu: 4, memory: 8Gi, until: 1m}]
tasks:
  - {name: run, running_on: stays, requests: {cpu: 2, memory: 2Gi}, usage: {cpu: 1, memory: 1Gi}}
  - {name: fin, duration: 60s, running_on: stays, requests: {cpu: 1, memory: 1Gi}}
  - {name: evi, running_on: leaves, requests: {cpu: 3, memory: 1Gi}}
  - {name: fail, submit: 60s, requests: {cpu: 4, memory: 1Gi}}
  - {name: rej, submit: 60s, requests: {cpu: 100, memory: 1Gi}}
"""


def test_c9_every_terminal_state_leaves(simulate: Callable[..., Any]) -> None:
    result = simulate(EVERY_STATE, backoff="fail")
    states = {name: task["state"] for name, task in result.tasks.items()}
    assert states == {
        "run": "running", "fin": "finished", "evi": "evicted", "fail": "failed", "rej": "rejected",
    }  # fmt: skip
    last = result.row(120.0)
    assert (last["running"], last["pending"]) == (1, 0)
    assert (last["request_cpu"], last["usage_cpu"]) == (2.0, 1.0)
    assert (last["request_memory"], last["usage_memory"]) == (2 * 2.0**30, 2.0**30)
    at_60 = result.row(60.0)
    assert [at_60[k] for k in ("finished", "evicted", "failed", "rejected")] == [1, 1, 1, 1]


def test_c9_the_engine_s_node_sums_are_those_of_the_running_task(
    read: Callable[[str], Any],
) -> None:
    seen: list[tuple[list[int], list[float]]] = []

    def observe(tick: Any) -> None:
        seen.append((list(tick.tasks), [float(x) for x in tick.requested[:, 0]]))

    settings = Settings("least-fit", horizon_s=180.0, backoff="fail")
    product_simulate(read(EVERY_STATE), None, settings, observers=(observe,))
    assert seen[-1] == ([0], [2.0, 0.0])
