"""Random scenarios through the product and the oracle: equal rows, equal records.

The oracle tries every pending task on every node in every tick, so that equality also shows
that pruning the queue and indexing the nodes change nothing.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

import oracle
from strategies.checks import check_accounting, differences
from strategies.product import simulate
from strategies.scenarios import NodeSpec, Scenario, TaskSpec, scenarios, settings

POLICIES = ["least-fit", "oversub", "flex-f", "flex-l", "first-fit", "best-fit"]
SLOW_IS_FINE = {"deadline": None, "suppress_health_check": list(HealthCheck)}
#: Sums of quarters are exact; what is divided or multiplied on the way is not.
EXACT = ("t_s", "running", "pending", "arrivals", "placed", "finished", "rejected", "failed",
         "evicted", "attempts", "qos")  # fmt: skip


def compare(scenario: Scenario, chosen: oracle.Settings, *, replaced: bool, exact: bool) -> None:
    """Assert that both implementations say the same of one scenario."""
    cluster = scenario.cluster() if replaced else None
    workload = scenario.workload()
    expected = oracle.simulate(workload, cluster, chosen)
    run = simulate(workload, cluster, chosen)
    rows, records = run.ticks.to_pylist(), run.tasks.to_pylist()
    # Which columns there are is a test of its own.
    found = differences(records, expected.records, rel=1e-9, skip=("reason_detail",))
    found += differences(rows, expected.rows, rel=1e-9)
    found += differences(_exact(rows, exact), _exact(expected.rows, exact))
    assert not found, f"{scenario}\n{chosen}\n" + "\n".join(found)
    assert run.summary["counts"] == expected.counts
    check_accounting(rows, run.summary["counts"])


def _exact(rows: list[dict[str, object]], dyadic: bool) -> list[dict[str, object]]:
    amounts = ("request_", "demand_") if dyadic else ()
    return [{k: v for k, v in row.items() if k in EXACT or k.startswith(amounts)} for row in rows]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("dyadic", [True, False], ids=["quarters", "tenths"])
@given(data=st.data())
@examples(max_examples=60, **SLOW_IS_FINE)
def test_both_implementations_agree(data: st.DataObject, policy: str, dyadic: bool) -> None:
    scenario = data.draw(scenarios(dyadic=dyadic))
    chosen = data.draw(settings(policy))
    compare(scenario, chosen, replaced=False, exact=dyadic)


@pytest.mark.parametrize("policy", ["least-fit", "flex-l"])
@given(data=st.data())
@examples(max_examples=30, **SLOW_IS_FINE)
def test_both_agree_on_another_cluster(data: st.DataObject, policy: str) -> None:
    scenario = data.draw(scenarios())
    chosen = data.draw(settings(policy))
    compare(scenario, chosen, replaced=True, exact=True)


@pytest.mark.parametrize("policy", ["least-fit", "flex-f"])
@given(data=st.data())
@examples(max_examples=30, **SLOW_IS_FINE)
def test_both_agree_where_back_off_spans_ticks(data: st.DataObject, policy: str) -> None:
    scenario = data.draw(scenarios(max_nodes=3, max_tasks=10))
    tick_s = data.draw(st.sampled_from([1.0, 2.5, 4.0]))
    chosen = oracle.Settings(policy, tick_s=tick_s, horizon_s=130.0, backoff="kubernetes")
    compare(scenario, chosen, replaced=False, exact=True)


@pytest.mark.parametrize("policy", ["least-fit", "flex-l"])
@given(data=st.data())
@examples(max_examples=60, **SLOW_IS_FINE)
def test_both_agree_on_rounds_with_tasks_in_back_off(data: st.DataObject, policy: str) -> None:
    scenario = data.draw(scenarios(max_nodes=2, max_tasks=12))
    chosen = oracle.Settings(
        policy,
        tick_s=data.draw(st.sampled_from([2.5, 4.0, 60.0])),
        horizon_s=130.0,
        backoff=data.draw(st.sampled_from(["kubernetes", "fail"])),
        attempts_per_tick=data.draw(st.sampled_from([1, 2, 3])),
    )
    compare(scenario, chosen, replaced=False, exact=True)


def test_the_columns_are_those_of_the_run_folder() -> None:
    scenario = Scenario(
        ("cpu", "memory"),
        (NodeSpec("n0", (4.0, 4.0)),),
        (TaskSpec("A", 0.0, 60.0, (1.0, 1.0)),),
    )
    expected = oracle.simulate(scenario.workload(), None, oracle.Settings("flex-f"))
    run = simulate(scenario.workload(), None, oracle.Settings("flex-f"))
    assert set(run.ticks.column_names) == set(expected.rows[0])
    assert set(run.tasks.column_names) == {*expected.records[0], "reason_detail"}


GIB = 2.0**30


@pytest.mark.parametrize(
    ("contention", "usage_gib", "qos", "violated_s"),
    [
        # Guarantees 64 and 60 GiB; the 4 GiB left go to the one that wants more.
        ("share", 128.0, 0.5, [60.0, 0.0]),
        # 128 GiB times 96 GiB wraps to 0: no guarantees, 80 and 48 GiB by demand.
        ("paper", 128.0, 0.0, [60.0, 60.0]),
    ],
)
def test_the_authors_memory_split_is_an_option(
    contention: str, usage_gib: float, qos: float, violated_s: list[float]
) -> None:
    scenario = Scenario(
        ("cpu", "memory"),
        (NodeSpec("n0", (64.0, 128 * GIB)),),
        (
            TaskSpec("A", 0.0, 60.0, (1.0, 96 * GIB), ((1.0, 100 * GIB),)),
            TaskSpec("B", 0.0, 60.0, (1.0, 96 * GIB), ((1.0, 60 * GIB),)),
        ),
    )
    chosen = oracle.Settings("oversub", contention=contention)
    compare(scenario, chosen, replaced=False, exact=True)
    run = simulate(scenario.workload(), None, chosen)
    assert run.ticks["usage_memory"].to_pylist() == [usage_gib * GIB]
    assert run.ticks["qos"].to_pylist() == [qos]
    assert run.tasks["violated_s"].to_pylist() == violated_s
