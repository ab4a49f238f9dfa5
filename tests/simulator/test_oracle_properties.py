"""What must hold of every run, without any second implementation."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

import oracle
from strategies.checks import check_accounting, differences
from strategies.product import simulate
from strategies.scenarios import NodeSpec, Scenario, TaskSpec, scenarios, settings

POLICIES = ["least-fit", "oversub", "flex-f", "flex-l", "first-fit", "best-fit", "random"]
WITHIN_CAPACITY = ["least-fit", "first-fit", "best-fit", "random"]
SLOW_IS_FINE = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@examples(max_examples=30, **SLOW_IS_FINE)
def test_nothing_is_lost_and_no_node_gives_more_than_it_has(
    data: st.DataObject, policy: str
) -> None:
    scenario = data.draw(scenarios(dyadic=False))
    capacity = scenario.cluster().capacity
    seen: list[Any] = []

    def observe(tick: Any) -> None:
        assert (tick.usage <= capacity * (1 + 1e-9)).all()
        assert (tick.usage >= 0).all()
        seen.append(tick.t_s)

    run = simulate(scenario.workload(), None, data.draw(settings(policy)), observers=(observe,))
    rows = run.ticks.to_pylist()
    check_accounting(rows, run.summary["counts"])
    assert seen == [row["t_s"] for row in rows]
    for row in rows:
        for name in scenario.resources:
            assert row[f"usage_{name}"] <= row[f"demand_{name}"] * (1 + 1e-9)


@pytest.mark.parametrize("policy", WITHIN_CAPACITY)
@given(data=st.data())
@examples(max_examples=30, **SLOW_IS_FINE)
def test_within_capacity_nobody_is_violated(data: st.DataObject, policy: str) -> None:
    scenario = data.draw(scenarios(dyadic=False, running_on=False))  # nothing starts overfull
    run = simulate(scenario.workload(), None, data.draw(settings(policy)))
    assert set(run.ticks["qos"].to_pylist()) <= {1.0}
    assert set(run.tasks["violated_s"].to_pylist()) <= {0.0}


@given(scenario=scenarios(running_on=False, life_spans=False), tick_s=st.sampled_from([60.0, 45.0]))
@examples(max_examples=25, **SLOW_IS_FINE)
def test_with_abundant_capacity_all_policies_do_the_same(scenario: Scenario, tick_s: float) -> None:
    width = len(scenario.resources)
    ample = tuple(NodeSpec(f"n{k}", (1024.0,) * width) for k in range(3))
    scenario = dataclasses.replace(scenario, nodes=ample)
    columns = ["t_s", "running", "placed", "qos"]
    columns += [f"{kind}_{r}" for kind in ("usage", "demand") for r in scenario.resources]
    runs = {
        policy: simulate(
            scenario.workload(), None, oracle.Settings(policy, tick_s=tick_s, horizon_s=400.0)
        )
        for policy in POLICIES
    }
    for run in runs.values():
        for task in run.tasks.to_pylist():
            if task["submit_s"] <= 400.0 - tick_s:
                assert task["start_s"] == tick_s * math.ceil(task["submit_s"] / tick_s)
    first = runs["least-fit"].ticks.select(columns).to_pylist()
    for run in runs.values():
        assert differences(run.ticks.select(columns).to_pylist(), first) == []


@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@examples(max_examples=20, **SLOW_IS_FINE)
def test_scaling_by_a_power_of_two_changes_nothing(data: st.DataObject, policy: str) -> None:
    scenario = data.draw(scenarios(dyadic=False))
    chosen = data.draw(settings(policy))
    scale = data.draw(st.sampled_from([2.0**-3, 2.0, 2.0**20]))
    plain = simulate(scenario.workload(), None, chosen)
    scaled = simulate(scenario.workload(scale), None, chosen)
    amounts = [f"{kind}_{r}" for kind in ("request", "usage", "demand") for r in scenario.resources]
    rows = [
        {name: x * scale if name in amounts else x for name, x in row.items()}
        for row in plain.ticks.to_pylist()
    ]
    assert differences(scaled.ticks.to_pylist(), rows) == []
    records = plain.tasks.drop(["reason_detail"]).to_pylist()
    assert differences(scaled.tasks.drop(["reason_detail"]).to_pylist(), records) == []


@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@examples(max_examples=8, **SLOW_IS_FINE)
def test_same_input_same_bytes(data: st.DataObject, policy: str) -> None:
    scenario = data.draw(scenarios(dyadic=False))
    chosen = data.draw(settings(policy))
    if policy != "first-fit" and data.draw(st.booleans()):
        chosen = dataclasses.replace(chosen, tie="seeded")
    first, second = (_bytes(scenario, chosen) for _ in range(2))
    assert first == second


def _bytes(scenario: Scenario, chosen: oracle.Settings) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as name:
        simulate(scenario.workload(), None, chosen, seed=7).write_into(Path(name))
        return {
            file: hashlib.sha256((Path(name) / file).read_bytes()).hexdigest()
            for file in ("ticks.parquet", "tasks.parquet", "nodes.parquet")
        }


#: Contention, retries, a node that leaves, one that joins, a task limit, all kinds of lengths.
BUSY = Scenario(
    ("cpu", "memory"),
    (
        NodeSpec("b", (4.0, 4.0)),
        NodeSpec("a", (2.0, 4.0), until_s=240.0),
        NodeSpec("d", (4.0, 2.0), from_s=120.0, max_tasks=2),
        NodeSpec("c", (0.0, 4.0)),
    ),
    (
        TaskSpec("A", -60.0, 300.0, (1.5, 0.5), ((0.5, 0.5), (2.5, 1.0)), 60.0, running_on=0),
        TaskSpec("A", 0.0, math.inf, (1.0, 2.0), ((0.2, 3.0), (1.7, 0.3)), 100.0),
        *[TaskSpec("B", 10.0 * k, 90.0 + k, (0.7, 0.9), ((1.1, 0.4),), 30.0) for k in range(12)],
        TaskSpec("C", 30.0, 0.0, (3.0, 1.0)),
        TaskSpec("C", 30.0, 60.0, (0.0, 0.0)),
        TaskSpec("C", 60.0, 60.0, (5.0, 0.0)),
    ),
)
PLAIN_PYTHON = """
import json, sys
import numba
from test_oracle_properties import compiled_or_not
assert numba.config.DISABLE_JIT
print(json.dumps(compiled_or_not()))
"""


def compiled_or_not() -> dict[str, list[Any]]:
    """The busy scenario under every policy, as plain values."""
    return {
        policy: [run.ticks.to_pylist(), run.tasks.to_pylist()]
        for policy in POLICIES
        for run in [simulate(BUSY.workload(), None, oracle.Settings(policy, horizon_s=600.0))]
    }


def test_plain_python_equals_compiled() -> None:
    here = Path(__file__).resolve().parent
    done = subprocess.run(
        [sys.executable, "-c", PLAIN_PYTHON],
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": os.pathsep.join([str(here), str(here.parent)]),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(compiled_or_not()))


@given(scenario=scenarios(dyadic=False), seeds=st.tuples(st.just(0), st.integers(1, 9)))
@examples(max_examples=15, **SLOW_IS_FINE)
def test_random_draws_only_from_its_seed(scenario: Scenario, seeds: tuple[int, int]) -> None:
    chosen = oracle.Settings("random", horizon_s=300.0)
    np.random.seed(3)  # noqa: NPY002 - the global generator must not matter
    runs = [simulate(scenario.workload(), None, chosen, seed=seed) for seed in (*seeds, seeds[0])]
    assert runs[0].tasks.equals(runs[2].tasks)
    assert runs[0].ticks["arrivals"].to_pylist()[:1] == runs[1].ticks["arrivals"].to_pylist()[:1]
