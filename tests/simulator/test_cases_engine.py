"""Cases of section 7 (engine robustness): expected values are by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracle import Settings
from strategies.product import simulate as product_simulate

POLICIES = ["least-fit", "oversub", "flex-f", "flex-l", "first-fit", "best-fit", "random"]
SITUATIONS = {
    "too large": """
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks: [{name: a, requests: {cpu: 9, memory: 1Gi}}, {name: b, requests: {cpu: 1, memory: 1Gi}}]
""",
    "node without capacity": """
nodes: [{name: n1, cpu: 0, memory: 0}, {name: n2, cpu: 4, memory: 8Gi}]
tasks: [{name: a, requests: {cpu: 0, memory: 0}}, {name: b, requests: {cpu: 1, memory: 1Gi}}]
""",
    "all rejected": """
nodes: [{name: n1, cpu: 0, memory: 0}]
tasks: [{name: a, count: 5, requests: {cpu: 1, memory: 1Gi}}]
""",
    "no room till the horizon": """
horizon: 10m
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks:
  - {name: a, running_on: n1, requests: {cpu: 4, memory: 8Gi}, usage: {cpu: 8, memory: 9Gi}}
  - {name: b, requests: {cpu: 4, memory: 8Gi}}
""",
}
SCRIPT = """
import json, sys
from pathlib import Path
from oracle import Settings
import flexsched as fs
from strategies.product import simulate

found = {}
for path in sorted(Path(sys.argv[1]).glob("*.yaml")):
    workload = fs.read_workload(path)
    for policy in sys.argv[2].split(","):
        run = simulate(workload, None, Settings(policy, horizon_s=workload.horizon_s))
        found[f"{path.stem}/{policy}"] = [run.summary["counts"], run.ticks.to_pylist()]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every situation under every policy, in a process that is stopped after two minutes."""
    folder = tmp_path_factory.mktemp("situations")
    for name, text in SITUATIONS.items():
        (folder / f"{name}.yaml").write_text(text)
    tests = Path(__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), ",".join(POLICIES)],
        env={**os.environ, "PYTHONPATH": str(tests)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_e1_every_run_ends(matrix: dict[str, Any], situation: str, policy: str) -> None:
    counts, rows = matrix[f"{situation}/{policy}"]
    assert counts["submitted"] == sum(counts.values()) - counts["submitted"]
    gone = Counter[str]()
    for row in rows:
        gone.update({k: row[k] for k in ("finished", "rejected", "failed", "evicted", "arrivals")})
        left = gone.total() - gone["arrivals"]
        assert gone["arrivals"] == row["running"] + row["pending"] + left
    expected = {
        "too large": {"rejected": 1, "running": 1},
        "node without capacity": {"running": 2},
        "all rejected": {"rejected": 5},
        # Oversub may request twice the capacity, so there it is no matter of room.
        "no room till the horizon": {"running": 2} if policy == "oversub"
        else {"running": 1, "pending": 1},
    }  # fmt: skip
    assert {k: n for k, n in counts.items() if n and k != "submitted"} == expected[situation]


def test_e3_usage_from_requests_is_never_unnoticed(read: Callable[[str], Any]) -> None:
    workload = read("""
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks: [{name: a, duration: 60s, requests: {cpu: 1, memory: 1Gi}}]
""")
    assert workload.provenance.usage_kind == "request"
    run = product_simulate(workload, None, Settings("flex-f"))
    said = json.dumps(run.info).lower()
    assert said.count("usage = request") == 1


@pytest.mark.parametrize("policy", ["least-fit", "flex-f", "flex-l", "best-fit"])
def test_e4_retry_does_not_lose_or_double(simulate: Callable[..., Any], policy: str) -> None:
    result = simulate(
        """
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks:
  - {name: holder, duration: 300s, running_on: n1, requests: {cpu: 4, memory: 1Gi}}
  - {name: b, duration: 60s, requests: {cpu: 4, memory: 1Gi}}
""",
        policy,
    )
    b = result.tasks["b"]
    assert (b["attempts"], b["start_s"], b["end_s"], b["wait_s"]) == (6, 300.0, 360.0, 300.0)
    assert b["submit_s"] == 0.0
    assert result.column("arrivals") == [2, 0, 0, 0, 0, 0]
    assert result.column("placed") == [0, 0, 0, 0, 0, 1]
    assert result.column("attempts") == [1] * 6
    assert result.column("pending") == [1, 1, 1, 1, 1, 0]
    assert result.counts["finished"] == result.counts["submitted"] == 2


@pytest.mark.parametrize("policy", POLICIES)
def test_e5_observers_see_a_settled_state(read: Callable[[str], Any], policy: str) -> None:
    workload = read("""
nodes: [{name: n1, cpu: 4, memory: 8Gi}, {name: n2, cpu: 2, memory: 8Gi}]
tasks:
  - {name: ends, duration: 60s, running_on: n1, requests: {cpu: 4, memory: 1Gi}}
  - {name: stays, duration: 180s, running_on: n2, requests: {cpu: 2, memory: 1Gi},
     usage: {cpu: 1500m, memory: 2Gi}}
  - {name: a, submit: 60s, duration: 120s, requests: {cpu: 4, memory: 1Gi},
     usage: {cpu: 3, memory: 4Gi}}
  - {name: b, submit: 60s, duration: 60s, requests: {cpu: 4, memory: 8Gi}}
""")
    events: list[tuple[int, int, int]] = []

    def observe(tick: Any) -> None:
        requested, used = np.zeros((2, 2)), np.zeros((2, 2))
        for task, node in zip(tick.tasks, tick.nodes, strict=True):
            requested[node] += workload.request[task]
            used[node] += _usage(workload, task)
        np.testing.assert_array_equal(tick.requested, requested)
        held = np.minimum(used, workload.nodes.capacity)
        np.testing.assert_allclose(tick.usage, held, rtol=1e-12)
        assert tick.row["running"] == len(tick.tasks)
        assert tick.row["request_cpu"] == requested[:, 0].sum()
        events.append(tuple(tick.row[k] for k in ("finished", "arrivals", "placed")))

    product_simulate(workload, None, Settings(policy), observers=(observe,))
    assert events[0] == (0, 2, 0)
    if policy != "oversub":  # which may also place b at once
        assert events[1] == (1, 2, 1)


def _usage(workload: Any, task: int) -> Any:
    if workload.usage_length[task] == 0:
        return workload.request[task]
    return workload.usage[workload.usage_offset[task]]
