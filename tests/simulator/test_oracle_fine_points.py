"""Fine points at which two implementations once differed: small, with values by hand."""

from __future__ import annotations

import math
from typing import Any

import oracle
from oracle import Settings
from strategies.product import simulate
from strategies.scenarios import NodeSpec, Scenario, TaskSpec

BOTH = ("cpu", "memory")
NOWHERE = (NodeSpec("n0", (4.0,), max_tasks=0),)  # fits by size, never by its task limit


def outcome(scenario: Scenario, chosen: Settings) -> tuple[list[dict[str, Any]], int]:
    """Records by the product, after checking that the oracle says the same; number of rows."""
    workload = scenario.workload()
    run = simulate(workload, None, chosen)
    records = run.tasks.drop(["reason_detail"]).to_pylist()
    expected = oracle.simulate(workload, None, chosen)
    assert records == expected.records
    assert len(run.ticks) == len(expected.rows)
    return records, len(run.ticks)


def test_a_request_of_zero_fits_where_a_node_has_nothing_whatever_runs_there() -> None:
    scenario = Scenario(
        BOTH,
        (NodeSpec("n0", (4.0, 0.0)),),
        (
            TaskSpec("A", 0.0, 120.0, (1.0, 1.0), running_on=0),
            TaskSpec("B", 0.0, 60.0, (1.0, 0.0)),
        ),
    )
    for policy in ("least-fit", "flex-f"):
        records, _ = outcome(scenario, Settings(policy))
        assert records[1]["start_s"] == 0.0


def test_a_scan_that_got_to_everybody_is_a_full_round() -> None:
    nodes = (NodeSpec("n0", (4.0,), max_tasks=0), NodeSpec("n1", (1.0,)))
    scenario = Scenario(
        ("memory",),
        nodes,
        (
            TaskSpec("A", 0.0, 60.0, (2.0,)),
            TaskSpec("A", 0.0, 60.0, (2.0,)),
            TaskSpec("A", 0.0, 0.0, (1.0,)),
            TaskSpec("A", 180.0, 60.0, (2.0,)),
        ),
    )
    # Tries: t0 t1 at 0; t2 (placed) t0 at 60; t1 t0 at 120, which is all there are; so at
    # 180 it is by submission again, and the newcomer waits.
    records, _ = outcome(scenario, Settings("least-fit", horizon_s=240.0, attempts_per_tick=2))
    assert [record["attempts"] for record in records] == [4, 3, 1, 0]


def test_an_arrival_is_no_reason_to_try_the_others_again() -> None:
    scenario = Scenario(
        ("memory",),
        NOWHERE,
        (TaskSpec("A", 0.0, 60.0, (1.0,)), TaskSpec("A", 60.0, 60.0, (3.0,))),
    )
    # The larger one is tried at 60; for the other nothing has changed since its try at 0.
    chosen = Settings("flex-l", controller="fixed", attempts_per_tick=1)
    records, rows = outcome(scenario, chosen)
    assert rows == 2
    assert [record["attempts"] for record in records] == [1, 1]
    assert [record["wait_s"] for record in records] == [60.0, 0.0]


def test_a_load_that_falls_while_arrivals_are_due_still_gives_everybody_a_try() -> None:
    # At 0 the request of 4 blocks; from 60 on only the usage of 1 counts. b needs its try
    # at 60 although nothing but an arrival was due.
    scenario = Scenario(
        ("memory",),
        (NodeSpec("n0", (4.0,)),),
        (
            TaskSpec("A", 0.0, math.inf, (4.0,), ((1.0,),)),
            TaskSpec("B", 0.0, 60.0, (2.0,)),
            TaskSpec("C", 30.0, 0.0, (0.0,)),
        ),
    )
    chosen = Settings("flex-f", controller="fixed", attempts_per_tick=2)
    records, _ = outcome(scenario, chosen)
    assert records[1]["start_s"] == 60.0


def test_a_task_that_ended_is_no_longer_of_the_same_source() -> None:
    scenario = Scenario(
        ("memory",),
        (NodeSpec("n0", (4.0,)), NodeSpec("n1", (4.0,))),
        (TaskSpec("A", 0.0, 60.0, (1.0,)), TaskSpec("A", 60.0, 60.0, (1.0,))),
    )
    records, _ = outcome(scenario, Settings("flex-f"))
    assert [record["node"] for record in records] == ["n0", "n0"]


def test_tasks_that_run_at_the_start_count_for_their_source() -> None:
    scenario = Scenario(
        ("memory",),
        (NodeSpec("n0", (8.0,)), NodeSpec("n1", (4.0,))),
        (
            TaskSpec("A", 0.0, 60.0, (1.0,), running_on=0),
            TaskSpec("B", 0.0, 60.0, (1.0,), running_on=1),
            TaskSpec("A", 0.0, 60.0, (1.0,)),
        ),
    )
    # Free 7/8 less 0.25 for the task of the same source, against 3/4.
    records, _ = outcome(scenario, Settings("flex-f", same_source_weight=0.25))
    assert records[2]["node"] == "n1"
