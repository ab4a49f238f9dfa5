"""``flexsched simulate``: what it writes, says and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

COUNTS = ("running", "pending", "arrivals", "placed", "finished", "rejected", "failed", "evicted",
          "attempts")  # fmt: skip
TASK_COLUMNS = {
    "name": pa.string(), "source": pa.string(), "submit_s": pa.float64(), "start_s": pa.float64(),
    "end_s": pa.float64(), "node": pa.string(), "state": pa.string(), "attempts": pa.int64(),
    "reason": pa.string(), "reason_detail": pa.string(), "wait_s": pa.float64(),
    "violated_s": pa.float64(),
}  # fmt: skip
SUMMARY_KEYS = {"workload", "cluster", "tick_s", "seed", "policies"}
POLICY_KEYS = {
    "request_cpu", "request_memory", "usage_cpu", "usage_memory", "demand_cpu", "demand_memory",
    "qos", "penalty", "imbalance_cpu", "imbalance_memory", "counts", "wait_s", "wall_s",
    "peak_rss_bytes",
}  # fmt: skip


def _tick_columns() -> dict[str, pa.DataType]:
    columns = {"t_s": pa.float64(), "qos": pa.float64(), "penalty": pa.float64()}
    columns |= dict.fromkeys(COUNTS, pa.int64())
    for resource in ("cpu", "memory"):
        for kind in ("request", "usage", "demand"):
            columns |= dict.fromkeys(
                (f"{kind}_{resource}", f"{kind}_{resource}_fraction"), pa.float64()
            )
        columns[f"imbalance_{resource}"] = pa.float64()
    return columns


def _types(table: pa.Table) -> dict[str, pa.DataType]:
    return {field.name: field.type for field in table.schema}


def test_the_run_folder_is_as_documented(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = flexsched("simulate", crowded, "--policy", "flex-f", "--seed", "3", "--out", out)
    assert done.code == 0, done.err
    assert {path.name for path in out.iterdir()} == {
        "run.json", "summary.json", "ticks.parquet", "tasks.parquet", "nodes.parquet"
    }  # fmt: skip
    ticks = _types(pq.read_table(out / "ticks.parquet"))
    assert _tick_columns() == ticks
    assert _types(pq.read_table(out / "tasks.parquet")) == TASK_COLUMNS
    nodes = _types(pq.read_table(out / "nodes.parquet"))
    assert nodes.pop("name") == pa.string()
    assert nodes.pop("count") == pa.int64()
    assert nodes == dict.fromkeys(
        (f"{kind}_{resource}_{figure}" for kind in ("usage", "request")
         for resource in ("cpu", "memory") for figure in ("mean", "std", "min", "max")),
        pa.float64(),
    )  # fmt: skip
    summary = json.loads((out / "summary.json").read_text())
    assert set(summary) == SUMMARY_KEYS
    assert summary["cluster"] == {"nodes": 1, "cpu_cores": 4.0, "memory_bytes": 8.0 * 2**30}
    assert (summary["tick_s"], summary["seed"]) == (60.0, 3)
    entry = summary["policies"]["flex-f"]
    assert set(entry) == POLICY_KEYS
    assert set(entry["qos"]) == {
        "mean", "min", "violated_time_fraction", "violated_task_fraction"
    }  # fmt: skip
    assert set(entry["wall_s"]) == {"total", "placement", "demand", "other"}
    assert set(entry["wait_s"]) == {"mean", "p50", "p95", "p99"}
    counts = entry["counts"]
    assert counts.pop("submitted") == sum(counts.values()) == 3
    info = json.loads((out / "run.json").read_text())
    assert info["settings"]["target_qos"] == 0.99
    assert info["command"] == f"flexsched simulate {crowded} --policy flex-f --seed 3 --out {out}"


def test_the_result_is_the_one_found_by_hand(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path
) -> None:
    # Two of three tasks with 2 of 4 cores fit; the third starts when they end, at 600 s.
    flexsched("simulate", crowded, "--policy", "least-fit", "--out", tmp_path / "out")
    tasks = pq.read_table(tmp_path / "out" / "tasks.parquet").to_pylist()
    assert [task["start_s"] for task in tasks] == [0.0, 0.0, 600.0]
    assert [task["end_s"] for task in tasks] == [600.0, 600.0, 1200.0]
    assert [task["wait_s"] for task in tasks] == [0.0, 0.0, 600.0]
    assert [task["attempts"] for task in tasks] == [1, 1, 11]
    assert [task["reason"] for task in tasks] == [None, None, "request"]


def test_json_is_the_summary_and_why_tasks_were_left(
    flexsched: Callable[..., Any], endless: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = flexsched("simulate", endless, "--policy", "least-fit", "--json", "--out", out)
    document = json.loads(done.out)
    (group,) = document.pop("unplaced")["least-fit"]
    assert (group["state"], group["reason"], group["tasks"]) == ("pending", "request", 3)
    assert document == json.loads((out / "summary.json").read_text())


def test_what_was_left_is_said_with_names(flexsched: Callable[..., Any], endless: Path) -> None:
    done = flexsched("simulate", endless, "--policy", "least-fit")
    assert done.code == 0
    (line,) = [line for line in done.out.splitlines() if "pending" in line and "request" in line]
    assert line.split()[:4] == ["LeastFit", "pending", "request", "3"]
    assert line.rstrip().endswith("t-7, t-8, t-9")


def test_long_names_are_shortened_and_lines_end(
    flexsched: Callable[..., Any], tmp_path: Path
) -> None:
    scenario = tmp_path / "s.yaml"
    name = "a-job-with-a-name-that-fills-a-line-" + 60 * "x"
    scenario.write_text(f"nodes: [{{name: n, cpu: 1}}]\n"
                        f"tasks: [{{name: {name}, count: 9, requests: {{cpu: 1}}}}]")  # fmt: skip
    done = flexsched("simulate", scenario, "--policy", "flex-f")
    left = done.out.partition("Why tasks were left:\n")[2].partition("\n\n")[0]
    # Ten letters of either end.
    assert "a-job-with...xxxxxxxx-1, " in " ".join(left.split())
    assert "and 5 more" in " ".join(left.split())
    for line in left.splitlines():
        assert len(line) <= 160
        assert line == line.rstrip()


def test_assumptions_are_said_once(flexsched: Callable[..., Any], endless: Path) -> None:
    done = flexsched("simulate", endless, "--policy", "least-fit")
    assert done.out.count("usage = request") == 1


@pytest.mark.parametrize(("nodes", "code"), [(1, 3), (2, 0)])
def test_require_all(flexsched: Callable[..., Any], tmp_path: Path, nodes: int, code: int) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text("tasks: [{name: t, count: 3, requests: {cpu: 32}}]")
    asked = ("simulate", scenario, "--policy", "least-fit", "--nodes", str(nodes))
    done = flexsched(*asked, "--require-all")
    assert done.code == code
    assert ("1 tasks were left unplaced" in done.err) == (code == 3)
    assert flexsched(*asked).code == 0


def test_settings_go_where_they_belong(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    settings = ("alpha=0.98", "tie=seeded", "tick=30s", "horizon=5m", "contention=paper",
                "demand_scale=1.5")  # fmt: skip
    words = [word for setting in settings for word in ("--set", setting)]
    assert flexsched("simulate", crowded, "--policy", "flex-l", *words, "--out", out).code == 0
    info = json.loads((out / "run.json").read_text())
    assert info["label"] == "flex-l:tie=seeded,alpha=0.98"
    assert (info["settings"]["alpha"], info["settings"]["tie"]) == (0.98, "seeded")
    assert (info["tick_s"], info["horizon_s"]) == (30.0, 300.0)
    assert (info["contention"], info["demand_scale"]) == ("paper", 1.5)
    assert pq.read_table(out / "ticks.parquet")["t_s"].to_pylist() == [30.0 * i for i in range(10)]


@pytest.mark.parametrize(
    ("policy", "setting", "said"),
    [
        ("flex-f", "alhpa=1", "did you mean alpha?"),
        ("flex-f", "ticks=30s", "did you mean tick?"),
        ("least-fit", "alpha=0.9", "unknown setting 'alpha' of least-fit"),
        ("flex-f", "order=memory", "order is a setting of flex-l"),
        ("flex-f", "alpha=2", "alpha: Input should be less than 1, got '2'"),
        ("flex-f", "alpha", "expected key=value, got 'alpha'"),
        ("flex-f", "tick=soon", "tick: expected a duration"),
        ("flex-f", "tick=0", "tick: expected a length > 0, got 0"),
        ("flex-f", "contention=fair", "contention: expected share or paper, got fair"),
        ("flex-f", "demand_scale=much", "demand_scale: expected a number, got 'much'"),
        ("flex-f", "penalty_min=1", "remedy: raise penalty_min"),
        ("flex-f", "estimator=lst", "did you mean last?"),
        ("flexf", "alpha=0.9", "did you mean flex-f?"),
    ],
)
def test_settings_that_cannot_be_are_refused(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path, policy: str, setting: str,
    said: str,
) -> None:  # fmt: skip
    out = tmp_path / "out"
    refused = flexsched("simulate", crowded, "--policy", policy, "--set", setting, "--out", out)
    assert refused.code == 2
    assert said in refused.err
    assert "error: " in refused.err
    assert refused.out == ""
    assert not out.exists()


def test_a_setting_twice_is_refused(flexsched: Callable[..., Any], crowded: Path) -> None:
    words = ("--set", "alpha=0.9", "--set", "alpha=0.8")
    refused = flexsched("simulate", crowded, "--policy", "flex-f", *words)
    assert refused.code == 2
    assert "expected each key once, got alpha again" in refused.err


def test_a_warning_is_a_line_and_no_place_in_the_source(
    process: Callable[..., Any], crowded: Path
) -> None:
    done = process("simulate", crowded, "--policy", "flex-f", "--set", "controller=paper")
    assert done.code == 0
    assert "warning: the paper's controller cannot raise P" in done.err
    assert ".py:" not in done.err


@pytest.mark.parametrize("name", ["missing.yaml", "missing", "notes.txt"])
def test_a_workload_that_is_not_there(
    flexsched: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    refused = flexsched("simulate", tmp_path / name, "--policy", "flex-f", "--nodes", "1")
    assert refused.code == 1
    assert f"error: {tmp_path / name}" in refused.err


def test_a_broken_scenario_names_line_and_key(
    flexsched: Callable[..., Any], tmp_path: Path
) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text("nodes: [{name: n, cpu: 1}]\ntasks:\n  - {name: a, request: {cpu: 1}}\n")
    refused = flexsched("simulate", scenario, "--policy", "flex-f")
    assert refused.code == 1
    assert "s.yaml" in refused.err
    assert "line 3" in refused.err or ":3" in refused.err
    assert "requests" in refused.err


def test_no_nodes_anywhere(flexsched: Callable[..., Any], tmp_path: Path) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text("tasks: [{name: a, requests: {cpu: 1}}]")
    refused = flexsched("simulate", scenario, "--policy", "flex-f")
    assert refused.code == 1
    assert "--nodes" in refused.err


def test_a_cluster_from_a_file(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path
) -> None:
    nodes = tmp_path / "nodes.yaml"
    nodes.write_text("nodes: [{name: big, cpu: 6, memory: 8Gi, count: 2}]")
    out = tmp_path / "out"
    done = flexsched("simulate", crowded, "--policy", "least-fit", "--cluster", nodes, "--out", out)
    assert done.code == 0, done.err
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["cluster"]["nodes"], summary["cluster"]["cpu_cores"]) == (2, 12.0)
    tasks = pq.read_table(out / "tasks.parquet")
    assert tasks["node"].to_pylist() == ["big-0", "big-1", "big-0"]


def test_an_existing_folder_stays_as_it_is_without_force(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    asked = ("simulate", crowded, "--policy", "flex-f", "--out", out)
    assert flexsched(*asked).code == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    refused = flexsched(*asked)
    assert refused.code == 1
    assert "--force" in refused.err
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert flexsched(*asked, "--seed", "1", "--force").code == 0
    assert json.loads((out / "run.json").read_text())["seed"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crowded.yaml", "out"]


def test_force_replaces_results_only(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "thesis.txt").write_text("years of work")
    refused = flexsched("simulate", crowded, "--policy", "flex-f", "--out", own, "--force")
    assert refused.code == 1
    assert (own / "thesis.txt").read_text() == "years of work"


def test_the_node_history_is_every_node_at_every_tick(
    flexsched: Callable[..., Any], tmp_path: Path
) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text("""
horizon: 4m
nodes: [{name: n, cpu: 4, memory: 8Gi}, {name: late, cpu: 4, memory: 8Gi, from: 1m, until: 3m}]
tasks: [{name: t, duration: 2m, requests: {cpu: 3, memory: 1Gi}, usage: {cpu: 1, memory: 1Gi}}]
""")
    out = tmp_path / "out"
    words = ("--node-history", "--out", out)
    done = flexsched("simulate", scenario, "--policy", "least-fit", *words)
    assert done.code == 0, done.err
    rows = pq.read_table(out / "node_history.parquet").to_pylist()
    assert [(row["t_s"], row["node"]) for row in rows] == [
        (0.0, "n"), (60.0, "n"), (60.0, "late"), (120.0, "n"), (120.0, "late"), (180.0, "n")
    ]  # fmt: skip
    assert [row["request_cpu"] for row in rows] == [3.0, 3.0, 0.0, 0.0, 0.0, 0.0]
    assert [row["usage_cpu"] for row in rows] == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert rows[0]["usage_memory"] == 2.0**30
