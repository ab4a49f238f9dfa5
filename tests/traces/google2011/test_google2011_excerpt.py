"""Reads the excerpt of the real trace in tests/data/google2011."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import google2011_oracle as oracle
import numpy as np
import pytest

from flexsched.core.workload import Workload
from flexsched.traces.google2011 import read

EXCERPT = Path(__file__).resolve().parents[2] / "data" / "google2011"


def lines(table: str) -> list[str]:
    parts = sorted((EXCERPT / table).iterdir())
    return [line for part in parts for line in part.read_text().splitlines()]


@pytest.fixture(scope="module")
def workload() -> Workload:
    return read([EXCERPT])


@pytest.fixture(scope="module")
def attempts() -> list[oracle.Attempt]:
    return oracle.attempts(lines("task_events"))[0]


def test_rows_of_the_workload_are_the_attempts_of_the_oracle(workload, attempts):
    counted: Counter[tuple[int, int]] = Counter()
    names = []
    for attempt in attempts:
        key = (attempt.job, attempt.index)
        counted[key] += 1
        names.append(f"{key[0]}-{key[1]}" + (f"#{counted[key]}" if counted[key] > 1 else ""))
    assert list(map(str, workload.task_names)) == names
    assert workload.submit_s.tolist() == [a.submit_us / 1e6 for a in attempts]
    assert workload.priority.tolist() == [a.priority for a in attempts]
    np.testing.assert_array_equal(
        workload.request, [[64 * (a.cpu or 0), 128 * 2**30 * (a.memory or 0)] for a in attempts]
    )
    for attempt, duration_s in zip(attempts, workload.duration_s, strict=True):
        if attempt.start_us is None:
            assert duration_s == 259
        elif attempt.end_us is None:
            assert duration_s == np.inf
        else:
            assert duration_s == (attempt.end_us - attempt.start_us) / 1e6


def test_time_zero_population_sits_on_its_machines(workload, attempts):
    assert workload.nodes is not None
    for attempt, node in zip(attempts, workload.start_node, strict=True):
        if attempt.start_us == 0:
            assert workload.nodes.names[node] == f"m{attempt.machine}"
            assert workload.nodes.from_s[node] == 0
        else:
            assert node == -1


def test_a_task_read_by_eye(workload):
    # 3418309-0: SUBMIT at 0 without a request, SCHEDULE at 0, one usage row for 600 to 900 s.
    task = list(map(str, workload.task_names)).index("3418309-0")
    rows = [line.split(",") for line in lines("task_events") if ",3418309,0," in line]
    assert [row[5] for row in rows] == ["0", "1"]
    assert rows[0][9] == ""
    assert workload.request[task, 0] == 64 * float(rows[1][9])
    assert workload.class_names[workload.task_class[task]] == "production"
    assert workload.duration_s[task] == np.inf
    series = workload.usage[workload.usage_offset[task] :][: workload.usage_length[task]]
    # Windows 0 and 1, before the first measurement, hold its value.
    np.testing.assert_allclose(series, [[64 * 0.001562, 128 * 2**30 * 0.06787]] * 3, rtol=1e-6)


def test_every_chosen_irregularity_is_counted(workload):
    quirks = workload.provenance.quirks
    events = [line.split(",") for line in lines("task_events")]
    assert quirks["missing_info_exists_but_no_creation"] == sum(row[1] == "2" for row in events)
    assert quirks["request_empty_rows"] == sum(row[9] == "" for row in events)
    assert quirks["task_events_scientific_notation"] == sum(
        "e" in row[9] + row[10] for row in events
    )
    assert quirks["machine_inferred"] == 2
    assert quirks["machine_add_without_capacity"] == 2
    for name in ("evict", "fail", "finish", "kill"):
        assert quirks[f"resubmit_after_{name}"] >= 4
    usage = [line.split(",") for line in lines("task_usage")]
    assert quirks["usage_window_short"] == sum(int(r[1]) - int(r[0]) < 300e6 for r in usage)
    assert workload.provenance.counts["usage_rows_joined"] == len(usage)


def test_licence_and_origin_are_stated(workload):
    facts = workload.provenance
    assert "clusterdata-2011-2" in facts.source
    assert facts.licence == "CC-BY 4.0"
    # The trace begins (600 s) at 19:00 EDT on 1 May 2011.
    assert facts.time_origin == "2011-05-01T18:50:00-04:00"
    assert facts.usage_kind == "hybrid"


def test_reading_twice_gives_the_same_bytes(workload):
    assert read([EXCERPT]).digest == workload.digest
