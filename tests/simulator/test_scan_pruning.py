"""A scan that prunes failures by dominance against one that tries every task on every node."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexsched as fs
from flexsched.core.cluster import NO_TASK_LIMIT
from flexsched.core.policies import Policy
from flexsched.simulator.scan import REMEMBERED_FAILURES
from strategies.scenarios import NodeSpec, Scenario, TaskSpec

POLICIES: list[Policy] = [fs.LeastFit(), fs.Oversub(), fs.BestFit(), fs.FirstFit(), fs.FlexF(),
                          fs.FlexL()]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One scan at t = 0: nothing runs, all tasks wait."""

    request: list[list[float]]
    source: list[int]
    submit_s: list[float]
    capacity: list[list[float]]
    max_tasks: list[int]
    present: list[bool]

    def run(self, policy: Policy) -> fs.Run:
        nodes = [
            NodeSpec(f"n{node}", tuple(room), 0.0 if present else 3600.0, max_tasks=limit)
            for node, (room, present, limit) in enumerate(
                zip(self.capacity, self.present, self.max_tasks, strict=True)
            )
        ]
        tasks = [
            TaskSpec(str(source), submit_s, 600.0, tuple(request))
            for source, submit_s, request in zip(
                self.source, self.submit_s, self.request, strict=True
            )
        ]
        workload = Scenario(("cpu", "memory"), tuple(nodes), tuple(tasks)).workload()
        return fs.simulate(workload, None, policy, tick_s=60.0, horizon_s=60.0)


def score(policy: Policy, load: list[float], request: list[float], capacity: list[float],
          same_source: int) -> float:  # fmt: skip
    """How good a node is for a task, from the definitions of the policies."""
    if policy.name == "first-fit":
        return 0.0
    if policy.name.startswith("flex"):
        free = [(c - u) / c for u, c in zip(load, capacity, strict=True) if c > 0]
        return min(free, default=0.0) - 0.01 * same_source
    filled = [(u + r) / c for u, r, c in zip(load, request, capacity, strict=True) if c > 0]
    fullest = max(filled, default=1.0)
    return fullest if policy.name == "best-fit" else -fullest


def full_retry(case: Case, policy: Policy) -> tuple[list[str | None], list[str | None]]:
    """Node and reason of every task when each is tried on each node, one after the other."""
    factor = 2.0 if policy.name == "oversub" else 1.0
    short = "usage" if policy.name.startswith("flex") else "request"
    nodes = range(len(case.capacity))
    load = [[0.0, 0.0] for _ in nodes]
    sources: list[list[int]] = [[] for _ in nodes]
    placed: list[str | None] = [None] * len(case.request)
    reasons: list[str | None] = [None] * len(case.request)

    def has_room(node: int, request: list[float], factor: float = factor) -> bool:
        return all(
            u + r <= factor * c * (1 + 1e-9)
            for u, r, c in zip(load[node], request, case.capacity[node], strict=True)
        )

    by_memory = policy.name == "flex-l"
    for task in sorted(
        range(len(placed)),
        key=lambda j: (-case.request[j][1] if by_memory else 0.0, case.submit_s[j], j),
    ):
        request = case.request[task]
        if not any(
            all(r <= c * (1 + 1e-9) for r, c in zip(request, room, strict=True))
            for room in case.capacity
        ):
            reasons[task] = "too_large"
            continue
        roomy = [node for node in nodes if case.present[node] and has_room(node, request)]
        free = [node for node in roomy if len(sources[node]) < case.max_tasks[node]]
        if not free:
            present = any(case.present)
            reasons[task] = "no_node" if not present else "task_limit" if roomy else short
            continue
        best = max(
            free,
            key=lambda node: (
                score(policy, load[node], request, case.capacity[node],
                      sources[node].count(case.source[task])),
                -node,
            ),
        )  # fmt: skip
        load[best] = [u + r for u, r in zip(load[best], request, strict=True)]
        sources[best].append(case.source[task])
        placed[task] = f"n{best}"
    return placed, reasons


def assert_equal(case: Case, policy: Policy) -> None:
    run = case.run(policy)
    placed, reasons = full_retry(case, policy)
    assert run.tasks["node"].to_pylist() == placed
    assert run.tasks["reason"].to_pylist() == reasons
    tried = [int(reason != "too_large") for reason in reasons]
    assert run.tasks["attempts"].to_pylist() == tried
    (row,) = run.ticks.to_pylist()
    assert row["attempts"] == sum(tried)
    assert row["placed"] == sum(node is not None for node in placed)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """More tasks than fit, of sizes that dominate each other in part."""
    tasks, nodes = draw(st.integers(1, 80)), draw(st.integers(1, 8))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    coarse = draw(st.booleans())
    steps = generator.integers(0, 9, (tasks, 2)) / 4 if coarse else generator.random((tasks, 2)) * 2
    limited = generator.random(nodes) < draw(st.sampled_from([0.0, 0.5]))
    return Case(
        request=steps.tolist(),
        source=generator.integers(0, 3, tasks).tolist(),
        submit_s=np.zeros(tasks).tolist(),
        capacity=generator.choice(
            [0.0, 1.0, 2.0, 4.0], (nodes, 2), p=[0.1, 0.3, 0.3, 0.3]
        ).tolist(),
        max_tasks=np.where(limited, generator.integers(1, 4, nodes), NO_TASK_LIMIT).tolist(),
        present=(generator.random(nodes) < 0.9).tolist(),
    )


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@given(case=cases())
@settings(max_examples=60, deadline=None)
def test_pruning_changes_nothing(case: Case, policy: Policy) -> None:
    assert_equal(case, policy)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_more_failures_than_are_remembered(policy: Policy) -> None:
    """Requests of which none covers another, all too large for what is left; then small ones."""
    many = REMEMBERED_FAILURES + 50
    trade = [[4.0 + k / many, 6.0 - k / many] for k in range(many)]
    request = [[5.0, 5.0], [5.0, 5.0], *trade, [9.0, 1.0], [1.0, 9.0], *[[0.5, 0.25]] * 40]
    case = Case(
        request=request,
        source=[j % 3 for j in range(len(request))],
        submit_s=[0.0] * len(request),
        capacity=[[8.0, 8.0], [8.0, 8.0]],
        max_tasks=[NO_TASK_LIMIT] * 2,
        present=[True, True],
    )
    assert_equal(case, policy)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_failures_at_a_task_limit_turn_into_lack_of_room(policy: Policy) -> None:
    """The reason is that of the moment of the try, although both kinds are remembered."""
    case = Case(
        request=[[1.0, 1.0], [3.0, 3.0], [3.0, 3.0], [2.0, 2.0], [3.0, 3.0], [2.0, 2.0]],
        source=[0] * 6,
        submit_s=[0.0] * 6,
        capacity=[[8.0, 8.0], [4.0, 4.0]],
        max_tasks=[1, 1],
        present=[True, True],
    )
    assert_equal(case, policy)


def test_every_pruned_try_counts() -> None:
    """One task holds the node throughout; ten ticks; five waiting tasks, all but one pruned."""
    waiting = [(2.0, 1.0), (2.0, 1.0), (2.0, 1.0), (2.0, 2.0), (4.0, 1.0)]
    scenario = Scenario(
        ("cpu", "memory"),
        (NodeSpec("n", (4.0, 4.0)),),
        (
            TaskSpec("a", 0.0, math.inf, (3.0, 1.0)),
            *[TaskSpec("b", 0.0, 60.0, request) for request in waiting],
        ),
    )
    run = fs.simulate(scenario.workload(), None, fs.LeastFit(), tick_s=60.0, horizon_s=600.0)
    assert run.ticks["attempts"].to_pylist() == [6] + [5] * 9
    assert run.ticks["pending"].to_pylist() == [5] * 10
    assert run.tasks["attempts"].to_pylist() == [1] + [10] * 5
    assert run.tasks["reason"].to_pylist() == [None] + ["request"] * 5


def test_a_failure_of_one_tick_says_nothing_about_the_next() -> None:
    scenario = Scenario(
        ("cpu", "memory"),
        (NodeSpec("n", (4.0, 4.0)),),
        (
            TaskSpec("a", 0.0, 90.0, (3.0, 1.0)),
            TaskSpec("b", 0.0, 60.0, (2.0, 1.0)),
            TaskSpec("b", 0.0, 60.0, (2.0, 1.0)),
        ),
    )
    run = fs.simulate(scenario.workload(), None, fs.LeastFit(), tick_s=60.0)
    # The first ends at 90 s, which frees its room at 120 s: both others start there.
    assert run.tasks["start_s"].to_pylist() == [0.0, 120.0, 120.0]
    assert run.tasks["attempts"].to_pylist() == [1, 3, 3]
    assert run.ticks["attempts"].to_pylist() == [3, 2, 2]
