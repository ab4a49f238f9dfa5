"""What describe and check say, against figures counted by hand."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexsched.core.workload import Workload
from flexsched.traces import _series
from flexsched.traces._series import series_blocks, unreferenced_rows
from flexsched.traces.quality import Finding, check, describe
from flexsched.traces.scenario import read_scenario


def scenario(tmp_path: Path, text: str) -> Workload:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    return read_scenario(path)


def finding(workload: Workload, rule: str) -> Finding:
    return next(found for found in check(workload) if found.rule == rule)


def strict_json(workload: Workload) -> str:
    return json.dumps(describe(workload), allow_nan=False)


def test_l4_the_share_of_zero_length_tasks_is_shown(tmp_path: Path) -> None:
    # The share that the public report names: 8.65 %.
    workload = scenario(
        tmp_path,
        "tasks: [{name: z, count: 173, duration: 0}, {name: a, count: 1827, duration: 10}]",
    )
    duration = describe(workload)["duration"]
    assert duration["zero_length_share"] == 0.0865
    assert duration["mean_s"] == pytest.approx(10 * 1827 / 2000)
    found = finding(workload, "zero_length")
    assert (found.count, found.share, found.example) == (173, 0.0865, "z-0")


def test_t8_no_calendar_without_an_origin(tmp_path: Path) -> None:
    workload = scenario(
        tmp_path, "tasks: [{name: a, submit: 600s, duration: 2h}, {name: b, submit: 1d}]"
    )
    time = describe(workload)["time"]
    assert time == {
        "origin": None, "first_submit_s": 600, "last_submit_s": 86400, "last_end_s": 86400,
        "span_s": 85800, "span_hours": 85800 / 3600,
    }  # fmt: skip
    assert not re.search(r"[0-9]{4}-[0-9]{2}|[Mm]on|weekday|weekend", strict_json(workload))
    known = replace(workload.provenance, time_origin="2011-05-01T19:00:00")
    time = describe(replace(workload, provenance=known))["time"]
    assert time["first_submit"] == "2011-05-01T19:10:00"
    assert time["last_end"] == "2011-05-02T19:00:00"


def test_g3_zero_columns_are_data(tmp_path: Path) -> None:
    """100 windows, CPU 0 in 52 and memory 0 in 1; a request of 0 has no ratio."""
    cpu = [0.0] * 52 + [0.3] * 48
    memory = [0] + [5] * 99
    workload = scenario(
        tmp_path,
        f"tasks: [{{name: a, requests: {{cpu: 0, memory: 10}}, "
        f"usage: {{cpu: {cpu}, memory: {memory}}}}}]",
    )
    resources = describe(workload)["resources"]
    assert resources["cpu"]["usage"] == {
        "mean": pytest.approx(0.144), "max": 0.3, "zero_share": 0.52, "above_request_share": 0.48,
        "to_request_mean": None, "to_request_left_out": 100,
    }  # fmt: skip
    assert resources["memory"]["usage"] == {
        "mean": pytest.approx(4.95), "max": 5, "zero_share": 0.01, "above_request_share": 0,
        "to_request_mean": pytest.approx(0.495), "to_request_left_out": 0,
    }  # fmt: skip
    assert resources["cpu"]["request"]["zero_share"] == 1
    assert "NaN" not in strict_json(workload)
    found = finding(workload, "zero_usage_cpu")
    assert (found.count, found.share, found.example) == (52, 0.52, "a")


def test_r1_nothing_is_a_negative_zero(tmp_path: Path) -> None:
    workload = scenario(tmp_path, "tasks: [{name: a, submit: 0}]")
    workload = replace(workload, submit_s=np.array([-0.0]), request=np.array([[-0.0, -0.0]]))
    assert "-0" not in strict_json(workload)


def test_tasks_larger_than_every_node_in_all_resources_together(tmp_path: Path) -> None:
    workload = scenario(
        tmp_path,
        "nodes: [{name: n, cpu: 8, memory: 10}, {name: m, cpu: 4, memory: 20}]\n"
        "tasks:\n"
        "  - {name: fits, requests: {cpu: 8, memory: 10}}\n"
        "  - {name: crossed, requests: {cpu: 8, memory: 20}}\n"
        "  - {name: large, requests: {cpu: 9}}",
    )
    assert describe(workload)["tasks_larger_than_every_node"] == 2
    found = finding(workload, "larger_than_every_node")
    assert (found.count, found.share, found.example) == (2, 2 / 3, "crossed")
    assert found.severity == "warning"


def test_findings_on_nodes_and_series(tmp_path: Path) -> None:
    workload = scenario(
        tmp_path,
        "nodes: [{name: empty}, {name: n, cpu: 2}]\n"
        "tasks:\n"
        "  - {name: a, count: 3, running_on: n, requests: {cpu: 1}, duration: 901,\n"
        "     usage: {cpu: [0.5, 1.5, 0.5]}}\n"
        "  - {name: b, requests: {cpu: 1}}",
    )
    assert finding(workload, "node_without_capacity").example == "empty"
    assert finding(workload, "node_overfull_at_start") == Finding(
        "node_overfull_at_start", 1, 0.5, "n", "warning"
    )
    assert finding(workload, "series_shorter_than_task").count == 3
    above = finding(workload, "usage_above_request_cpu")
    assert (above.count, above.share, above.example) == (3, 1 / 3, "a-0")
    assert finding(workload, "usage_is_request").example == "b"
    severities = [found.severity for found in check(workload)]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)


def test_quirks_and_lost_rows_are_repeated(tmp_path: Path) -> None:
    workload = scenario(
        tmp_path, "tasks: [{name: a, usage: {cpu: [1, 2, 3], memory: [1, 2]}}, {name: b}]"
    )
    assert finding(workload, "series_values_held").count == 1
    shorter = replace(workload, usage_length=np.array([2, 0]))
    lost = finding(shorter, "usage_row_of_no_task")
    assert (lost.count, lost.share) == (1, 1 / 3)


@pytest.mark.parametrize(
    ("tasks", "verdict"),
    [
        ("[]", "There are no tasks"),
        ("[{name: a}]", "No usage is known"),
        ("[{name: a, usage: {cpu: 1}}]", "Usage is measured"),
        ("[{name: a, usage: {cpu: 1}}, {name: b}]", "Not all usage is measured"),
    ],
)
def test_the_verdict_says_what_it_is_good_for(tmp_path: Path, tasks: str, verdict: str) -> None:
    workload = scenario(tmp_path, f"tasks: {tasks}")
    assert describe(workload)["verdict"].startswith(verdict)
    strict_json(workload)
    assert (check(workload)[0].severity == "error") == (tasks == "[]")


series = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8)


@settings(max_examples=60, deadline=None)
@given(series, st.integers(1, 12))
def test_windows_and_lost_rows_equal_a_plain_loop(
    spans: list[tuple[int, int]], block_rows: int
) -> None:
    spans = [(offset, min(length, 10 - offset)) for offset, length in spans]
    workload = stub(spans)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_series, "_BLOCK_ROWS", block_rows)
        got = [
            (int(task), float(row[0]))
            for block in series_blocks(workload)
            for task, row in zip(block.task, block.usage, strict=True)
        ]
    expected = [
        (task, float(row))
        for task, (offset, length) in enumerate(spans)
        for row in range(offset, offset + length)
    ]
    assert got == expected
    assert unreferenced_rows(workload) == 10 - len({row for _, row in expected})


def stub(spans: list[tuple[int, int]]) -> Any:
    """A workload of 10 usage rows, row i holding the value i."""

    class Stub:
        usage = np.arange(10.0)[:, None]
        usage_offset = np.array([offset for offset, _ in spans], np.int64)
        usage_length = np.array([length for _, length in spans], np.int64)

        def __len__(self) -> int:
            return len(spans)

    return Stub()
