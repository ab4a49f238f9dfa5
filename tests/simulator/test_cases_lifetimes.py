"""Cases of section 3 (lifetimes and resubmits): expected values are by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from oracle import Settings
from strategies.product import simulate as product_simulate

BLOCKED = """
tick: 10s
{horizon}
nodes: [{{name: n1, cpu: 4, memory: 8Gi}}]
tasks:
  - {{name: holder, duration: 200s, running_on: n1, requests: {{cpu: 4, memory: 1Gi}}}}
  - {{name: b, submit: 10s, duration: 60s, requests: {{cpu: 4, memory: 1Gi}}}}
"""


def test_l1_missing_override_is_not_zero(simulate: Callable[..., Any]) -> None:
    result = simulate("""
tick: 1s
defaults: {duration: 10s}
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks:
  - {name: absent, requests: {cpu: 1, memory: 1Gi}}
  - {name: three, duration: 3s, requests: {cpu: 1, memory: 1Gi}}
  - {name: zero, duration: 0s, requests: {cpu: 1, memory: 1Gi}}
""")
    lengths = {name: task["end_s"] - task["start_s"] for name, task in result.tasks.items()}
    assert lengths == {"absent": 10.0, "three": 3.0, "zero": 0.0}
    assert result.column("running") == [2, 2, 2, 1, 1, 1, 1, 1, 1, 1]


def test_l2_trace_end_while_still_pending(simulate: Callable[..., Any]) -> None:
    result = simulate(BLOCKED.format(horizon=""))
    b = result.tasks["b"]
    assert (b["start_s"], b["end_s"], b["wait_s"]) == (200.0, 260.0, 190.0)
    assert b["state"] == "finished"
    assert result.row(70.0)["pending"] == 1


def test_l3_never_placed(simulate: Callable[..., Any]) -> None:
    result = simulate(BLOCKED.format(horizon="horizon: 150s"))
    b = result.tasks["b"]
    assert (b["state"], b["wait_s"]) == ("pending", 140.0)
    assert b["start_s"] is None
    assert b["end_s"] is None
    assert result.counts == {
        "submitted": 2, "finished": 0, "running": 1, "pending": 1,
        "rejected": 0, "failed": 0, "evicted": 0,
    }  # fmt: skip
    assert result.rows[-1]["t_s"] == 140.0


def test_l3_waiting_tasks_are_left_out_of_averages(read: Callable[[str], Any]) -> None:
    text = BLOCKED.format(horizon="horizon: 150s")
    started = "  - {name: c, submit: 15s, duration: 10s, requests: {cpu: 0, memory: 1Gi}}\n"
    run = product_simulate(read(text + started), None, Settings("least-fit", tick_s=10.0,
                                                               horizon_s=150.0))  # fmt: skip
    # c starts 5 s after it was submitted; b still waits and the holder was there at the start.
    assert run.summary["wait_s"]["mean"] == 5.0
    assert run.summary["wait_s"]["p99"] == 5.0


ZERO_SHARE = """
nodes: [{name: n1, cpu: 185, memory: 1Ti}]
tasks:
  - {name: z, count: 16, duration: 0s, requests: {cpu: 1, memory: 1Gi}}
  - {name: w, count: 169, duration: 120s, requests: {cpu: 1, memory: 1Gi}}
"""


@pytest.mark.parametrize("policy", ["least-fit", "flex-f", "flex-l", "best-fit"])
def test_l4_zero_length_tasks_are_legal(simulate: Callable[..., Any], policy: str) -> None:
    result = simulate(ZERO_SHARE, policy)  # 16 of 185 tasks are 8.65 %
    first = result.rows[0]
    assert (first["placed"], first["finished"], first["running"]) == (185, 16, 169)
    assert first["request_cpu"] == 169.0
    for k in range(16):
        task = result.tasks[f"z-{k}"]
        assert (task["state"], task["start_s"], task["end_s"]) == ("finished", 0.0, 0.0)
    assert all(math.isfinite(row[f"usage_{r}"]) for row in result.rows for r in ("cpu", "memory"))


def test_l4_zero_length_tasks_wait_for_room_and_free_it_at_once(
    simulate: Callable[..., Any],
) -> None:
    result = simulate("""
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks:
  - {name: holder, duration: 90s, running_on: n1, requests: {cpu: 4, memory: 1Gi}}
  - {name: z, count: 2, submit: 30s, duration: 0s, requests: {cpu: 4, memory: 1Gi}}
  - {name: next, submit: 30s, duration: 60s, requests: {cpu: 4, memory: 1Gi}}
""")
    assert [result.tasks[name]["start_s"] for name in ("z-0", "z-1", "next")] == [120.0] * 3
    assert result.tasks["z-0"]["wait_s"] == 90.0
    at_120 = result.row(120.0)
    assert (at_120["placed"], at_120["finished"], at_120["running"]) == (3, 3, 1)


def test_l4_the_share_is_shown_by_the_loader(read: Callable[[str], Any]) -> None:
    provenance = read(ZERO_SHARE).provenance
    shown = {**provenance.counts, **provenance.quirks}
    assert [value for name, value in shown.items() if "zero" in name] == [16], shown


def test_l5_usage_is_honoured(simulate: Callable[..., Any]) -> None:
    result = simulate("""
tick: 2s
nodes: [{name: n1, cpu: 1, memory: 8Gi}]
tasks:
  - {name: half, duration: 10s, requests: {cpu: 1, memory: 1Gi}, usage: {cpu: 0.5, memory: 1Gi}}
""")
    assert result.tasks["half"]["end_s"] == 10.0  # a fixed length, whatever the usage
    assert result.column("usage_cpu_fraction") == [0.5] * 5


@pytest.mark.parametrize("policy", ["least-fit", "flex-f", "flex-l", "first-fit", "best-fit"])
def test_l6_back_to_the_queue(simulate: Callable[..., Any], policy: str) -> None:
    result = simulate(
        """
tick: 60s
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks:
  - {name: a, duration: 120s, running_on: n1, requests: {cpu: 3, memory: 1Gi}}
  - {name: b, duration: 60s, requests: {cpu: 2, memory: 1Gi}}
""",
        policy,
    )
    b = result.tasks["b"]
    assert (b["start_s"], b["wait_s"], b["attempts"]) == (120.0, 120.0, 3)
    assert result.column("pending") == [1, 1, 0]


SIX = """
tick: 10s
horizon: {horizon}s
nodes: [{{name: n1, cpu: 4, memory: 8Gi}}]
tasks:
  - {{name: holder, running_on: n1, requests: {{cpu: 3, memory: 1Gi}}}}
  - {{name: t, count: 6, requests: {{cpu: 2, memory: 1Gi}}}}
"""


@pytest.mark.parametrize(
    ("horizon", "attempts"),
    [
        (10, [1, 1, 0, 0, 0, 0]),
        (20, [1, 1, 1, 1, 0, 0]),
        (30, [1, 1, 1, 1, 1, 1]),
        (40, [2, 2, 1, 1, 1, 1]),
    ],
)
def test_l7_fair_order_among_equals(
    simulate: Callable[..., Any], horizon: int, attempts: list[int]
) -> None:
    result = simulate(SIX.format(horizon=horizon), attempts_per_tick=2)
    assert [result.tasks[f"t-{k}"]["attempts"] for k in range(6)] == attempts
    reasons = [result.tasks[f"t-{k}"]["reason"] for k in range(6)]
    assert reasons == ["request" if tries else "horizon" for tries in attempts]
    assert result.column("attempts") == [2] * (horizon // 10)


def test_l7_those_behind_two_that_fail_start_in_turn(simulate: Callable[..., Any]) -> None:
    result = simulate(
        """
tick: 10s
nodes: [{name: n1, cpu: 8, memory: 8Gi}]
tasks:
  - {name: holder, duration: 100s, running_on: n1, requests: {cpu: 4, memory: 1Gi}}
  - {name: large, count: 2, duration: 10s, requests: {cpu: 8, memory: 1Gi}}
  - {name: small, count: 4, duration: 10s, requests: {cpu: 1, memory: 1Gi}}
""",
        attempts_per_tick=2,
    )
    starts = [result.tasks[f"small-{k}"]["start_s"] for k in range(4)]
    assert starts == [10.0, 10.0, 20.0, 20.0]


def test_l8_all_jobs_accounted_for(simulate: Callable[..., Any]) -> None:
    result = simulate("""
nodes:
  - {name: two, cpu: 2, memory: 8Gi, count: 10}
  - {name: four, cpu: 4, memory: 8Gi, count: 10}
  - {name: six, cpu: 6, memory: 8Gi, count: 10}
tasks:
  - {name: fits, count: 41, duration: 60s, requests: {cpu: 2, memory: 1Gi}}
  - {name: large, count: 9, duration: 60s, requests: {cpu: 8, memory: 1Gi}}
""")
    assert result.counts == {
        "submitted": 50, "finished": 41, "running": 0, "pending": 0,
        "rejected": 9, "failed": 0, "evicted": 0,
    }  # fmt: skip
    assert {result.tasks[f"large-{k}"]["reason"] for k in range(9)} == {"too_large"}
