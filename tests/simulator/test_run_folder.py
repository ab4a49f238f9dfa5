"""A run as a folder: files, columns and keys to the letter, read back, refused when broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import flexsched as fs
from flexsched.simulator import Run, summary_document, write_json

FILES = ["nodes.parquet", "run.json", "summary.json", "tasks.parquet", "ticks.parquet"]
COUNTS = ["running", "pending", "arrivals", "placed", "finished", "rejected", "failed", "evicted",
          "attempts"]  # fmt: skip
STATES = ["finished", "running", "pending", "rejected", "failed", "evicted"]
SCENARIO = """
horizon: 10m
nodes:
  - {name: a, cpu: 4, memory: 8Gi}
  - {name: b, cpu: 2, memory: 4Gi, until: 5m}
tasks:
  - {name: first, submit: 0s, duration: 2m, requests: {cpu: 1, memory: 1Gi},
     usage: {cpu: 0.5, memory: 512Mi}, count: 3}
  - {name: long, submit: 1m, requests: {cpu: 2, memory: 2Gi}}
  - {name: huge, submit: 1m, requests: {cpu: 64, memory: 1Gi}}
  - {name: waiting, submit: 3m, requests: {cpu: 3, memory: 1Gi}}
"""


def make_run(folder: Path, policy: Any = None) -> Run:
    path = folder / "scenario.yaml"
    path.write_text(SCENARIO)
    return fs.simulate(fs.read_workload(path), policy=policy or fs.FlexF(), seed=3)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return make_run(tmp_path)


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    run.write_into(folder)
    return folder


def test_exactly_these_files(saved: Path) -> None:
    assert sorted(file.name for file in saved.iterdir()) == FILES


def test_ticks_have_the_agreed_columns(saved: Path) -> None:
    ticks = pq.read_table(saved / "ticks.parquet")
    measured = [
        f"{kind}_{resource}{suffix}"
        for resource in ("cpu", "memory")
        for kind in ("request", "usage", "demand")
        for suffix in ("", "_fraction")
    ]
    expected = {"t_s", *COUNTS, *measured, "imbalance_cpu", "imbalance_memory", "qos", "penalty"}
    assert set(ticks.column_names) == expected
    for name in ticks.column_names:
        assert ticks.schema.field(name).type == (pa.int64() if name in COUNTS else pa.float64())
    assert ticks["t_s"].to_pylist() == [60.0 * tick for tick in range(10)]


def test_tasks_have_the_agreed_columns(saved: Path) -> None:
    tasks = pq.read_table(saved / "tasks.parquet")
    assert tasks.column_names == [
        "name", "source", "submit_s", "start_s", "end_s", "node", "state", "attempts", "reason",
        "reason_detail", "wait_s", "violated_s",
    ]  # fmt: skip
    records = {record["name"]: record for record in tasks.to_pylist()}
    assert list(records) == ["first-0", "first-1", "first-2", "long", "huge", "waiting"]
    assert {record["state"] for record in records.values()} <= set(STATES)
    assert records["huge"]["state"] == "rejected"
    assert records["huge"]["reason"] == "too_large"
    assert records["huge"]["node"] is None
    assert records["long"]["end_s"] is None
    assert records["first-0"]["end_s"] == 120.0
    assert records["first-0"]["reason"] is None


def test_nodes_have_a_summary_of_their_rows_each(saved: Path) -> None:
    nodes = pq.read_table(saved / "nodes.parquet").to_pylist()
    assert [node["name"] for node in nodes] == ["a", "b"]
    # b is there from 0 s to 240 s: five rows of the ten.
    assert [node["count"] for node in nodes] == [10, 5]
    for kind in ("usage", "request"):
        for resource in ("cpu", "memory"):
            for node in nodes:
                least, mean, most = (
                    node[f"{kind}_{resource}_{figure}"] for figure in ("min", "mean", "max")
                )
                assert least <= mean <= most
                assert node[f"{kind}_{resource}_std"] >= 0.0


def test_summary_has_the_agreed_keys(saved: Path) -> None:
    document = json.loads((saved / "summary.json").read_text())
    assert set(document) == {"workload", "cluster", "tick_s", "seed", "policies"}
    assert document["cluster"] == {"nodes": 2, "cpu_cores": 6.0, "memory_bytes": 12.0 * 2**30}
    assert (document["tick_s"], document["seed"]) == (60.0, 3)
    entry = document["policies"]["flex-f"]
    shares = [f"{kind}_{resource}" for kind in ("request", "usage", "demand")
              for resource in ("cpu", "memory")]  # fmt: skip
    assert set(entry) == {
        *shares, "qos", "penalty", "imbalance_cpu", "imbalance_memory", "counts", "wait_s",
        "wall_s", "peak_rss_bytes",
    }  # fmt: skip
    for share in (*shares, "penalty"):
        assert set(entry[share]) == {"mean", "max"}
    assert set(entry["qos"]) == {"mean", "min", "violated_time_fraction", "violated_task_fraction"}
    assert set(entry["counts"]) == {"submitted", *STATES}
    assert set(entry["wait_s"]) == {"mean", "p50", "p95", "p99"}
    assert set(entry["wall_s"]) == {"total", "placement", "demand", "other"}
    parts = [entry["wall_s"][part] for part in ("placement", "demand", "other")]
    assert sum(parts) == pytest.approx(entry["wall_s"]["total"])
    assert entry["peak_rss_bytes"] > 2**20


def test_submitted_is_the_sum_of_the_states(run: Run) -> None:
    counts = run.summary["counts"]
    assert counts["submitted"] == 6 == sum(counts[state] for state in STATES)
    states = run.tasks["state"].to_pylist()
    assert {state: states.count(state) for state in STATES} == {
        state: counts[state] for state in STATES
    }


def test_every_row_accounts_for_every_arrival(run: Run) -> None:
    arrived = gone = 0
    for row in run.ticks.to_pylist():
        arrived += row["arrivals"]
        gone += sum(row[event] for event in ("finished", "rejected", "failed", "evicted"))
        assert arrived == row["running"] + row["pending"] + gone


def test_penalty_is_null_without_a_controller(tmp_path: Path) -> None:
    run = make_run(tmp_path, fs.LeastFit())
    assert run.ticks["penalty"].null_count == len(run.ticks)
    assert run.ticks.schema.field("penalty").type == pa.float64()
    assert run.summary["penalty"] is None


def test_run_json_has_what_a_repetition_needs(saved: Path) -> None:
    info = json.loads((saved / "run.json").read_text())
    assert info["policy"] == "flex-f"
    assert fs.FlexF.model_validate(info["settings"]) == fs.FlexF(penalty_min=1.1)
    assert (info["seed"], info["tick_s"], info["horizon_s"]) == (3, 60.0, 600.0)
    assert info["contention"] == "share"
    assert info["demand_scale"] == 1.0
    assert len(info["workload"]["hash"]) == 32
    assert info["flexsched"]


def test_equal_input_gives_equal_bytes(tmp_path: Path) -> None:
    contents = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        make_run(folder).write_into(folder)
        contents.append({file: (folder / file).read_bytes() for file in FILES})
    different = [file for file in FILES if contents[0][file] != contents[1][file]]
    assert different == ["summary.json"]  # wall times live there and nowhere else


def test_read_back_as_it_was(run: Run, saved: Path) -> None:
    again = Run.load(saved)
    assert again.label == run.label
    assert again.summary == run.summary
    assert again.info == json.loads(json.dumps(run.info))  # JSON has no tuples
    for name in ("ticks", "tasks", "nodes"):
        assert getattr(again, name).equals(getattr(run, name))


def test_the_label_is_the_key_of_the_summary(tmp_path: Path) -> None:
    run = make_run(tmp_path, fs.FlexF(alpha=0.98))
    run.write_into(tmp_path)
    document = json.loads((tmp_path / "summary.json").read_text())
    assert list(document["policies"]) == ["flex-f:alpha=0.98"]
    assert Run.load(tmp_path).label == "flex-f:alpha=0.98"


def test_a_summary_of_several_runs_names_each(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, policy) for policy in (fs.LeastFit(), fs.FlexF())]
    assert list(summary_document(runs)["policies"]) == ["least-fit", "flex-f"]


@pytest.mark.parametrize("file", FILES)
def test_a_missing_file_is_named(saved: Path, file: str) -> None:
    (saved / file).unlink()
    with pytest.raises(fs.InputError, match="expected a run folder") as info:
        Run.load(saved)
    assert file in str(info.value)
    assert info.value.where == str(saved)
    assert "flexsched simulate" in info.value.remedy


@pytest.mark.parametrize("file", FILES)
def test_a_broken_file_is_refused(saved: Path, file: str) -> None:
    (saved / file).write_bytes(b'{"label": ')
    with pytest.raises(fs.InputError, match="expected a run folder"):
        Run.load(saved)


@pytest.mark.parametrize(
    "document",
    [
        "{}",
        '{"policies": {}}',
        "[]",
        "3",
    ],
)
def test_json_of_another_kind_is_refused(saved: Path, document: str) -> None:
    (saved / "summary.json").write_text(document)
    with pytest.raises(fs.InputError, match="expected a run folder"):
        Run.load(saved)


def test_json_is_strict_and_ends_in_a_newline(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_json(path, {"a": 1.5})
    assert path.read_text() == '{\n  "a": 1.5\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        write_json(path, {"a": float("nan")})
