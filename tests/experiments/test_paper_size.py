"""The paper's main experiment at full size: what must hold whatever the figures come out as."""

from __future__ import annotations

import numpy as np
import pytest

import flexsched as fs

PAPER_TASKS, PAPER_NODES = 714_030, 4000


@pytest.fixture(scope="module")
def comparison() -> fs.Comparison:
    workload = fs.synthesize(tasks=PAPER_TASKS)
    policies = [fs.LeastFit(), fs.Oversub(), fs.FlexF(), fs.FlexL()]
    return fs.compare(workload, policies, cluster=fs.Cluster.uniform(PAPER_NODES))


@pytest.mark.slow
def test_every_task_is_accounted_for_in_every_row(comparison: fs.Comparison) -> None:
    for run in comparison.runs:
        names = ("arrivals", "running", "pending", "finished", "rejected", "failed", "evicted")
        columns = {name: np.array(run.ticks[name]) for name in names}
        gone = sum(columns[name].cumsum() for name in ("finished", "rejected", "failed", "evicted"))
        arrived = columns["arrivals"].cumsum()
        assert (arrived == columns["running"] + columns["pending"] + gone).all()
        counts = run.summary["counts"]
        assert counts["submitted"] == PAPER_TASKS == sum(counts.values()) - counts["submitted"]


@pytest.mark.slow
def test_least_fit_never_violates_and_never_requests_more_than_there_is(
    comparison: fs.Comparison,
) -> None:
    least_fit = comparison.runs[0]
    assert least_fit.label == "least-fit"
    assert least_fit.summary["qos"]["violated_task_fraction"] == 0.0
    assert least_fit.summary["request_cpu"]["max"] <= 1.0 + 1e-9
    assert least_fit.summary["request_memory"]["max"] <= 1.0 + 1e-9


@pytest.mark.slow
def test_nobody_admits_more_than_is_on_offer_or_uses_more_than_there_is(
    comparison: fs.Comparison,
) -> None:
    for run in comparison.runs:
        offered = run.info["workload"]["offered_load"]
        for resource in ("cpu", "memory"):
            # A task that waits and runs past the end can only lower its share.
            assert (
                run.summary[f"request_{resource}"]["mean"]
                <= offered[f"request_{resource}_fraction"] + 0.01
            )
            assert run.summary[f"usage_{resource}"]["max"] <= 1.0 + 1e-9


@pytest.mark.slow
def test_the_order_of_the_paper_holds(comparison: fs.Comparison) -> None:
    """Flex admits more than LeastFit, and violates fewer tasks than Oversub (section 5)."""
    least_fit, oversub, flex_f, flex_l = (run.summary for run in comparison.runs)
    for flex in (flex_f, flex_l):
        assert flex["request_cpu"]["mean"] > 1.5 * least_fit["request_cpu"]["mean"]
        assert flex["qos"]["violated_task_fraction"] < oversub["qos"]["violated_task_fraction"] / 3
        assert flex["qos"]["mean"] >= 0.99
        assert flex["imbalance_memory"] < oversub["imbalance_memory"]
