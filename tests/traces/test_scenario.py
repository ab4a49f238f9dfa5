"""Scenario files: the format to the letter, and what it refuses."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flexsched.core.cluster import NO_TASK_LIMIT
from flexsched.core.errors import InputError
from flexsched.core.workload import Workload
from flexsched.traces.scenario import read_scenario

EXAMPLES = Path(__file__).parents[1] / "data" / "scenarios"
Read = Callable[[str], Workload]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read_text(text: str) -> Workload:
        path = tmp_path / "s.yaml"
        path.write_text(text)
        return read_scenario(path)

    return read_text


def refusal(read: Read, text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read(text)
    return caught.value


def test_the_example_of_the_format() -> None:
    workload = read_scenario(EXAMPLES / "interface.yaml")
    assert workload.name == "interface"
    assert workload.resources == ("cpu", "memory")
    assert (workload.tick_s, workload.horizon_s) == (60, 3600)
    nodes = workload.nodes
    assert nodes is not None
    assert list(nodes.names) == ["n1", *(f"big-{i}" for i in range(10))]
    assert nodes.capacity[0].tolist() == [4, 8 * 2**30]
    assert nodes.capacity[10].tolist() == [64, 128 * 2**30]
    assert (nodes.from_s[0], nodes.until_s[0], nodes.max_tasks[0]) == (0, math.inf, NO_TASK_LIMIT)
    assert (nodes.from_s[5], nodes.until_s[5], nodes.max_tasks[5]) == (600, 3000, 110)
    assert list(workload.task_names) == ["a-0", "b"]
    assert [workload.source_names[i] for i in workload.source] == ["job1", "b"]
    assert workload.start_node.tolist() == [0, -1]
    assert workload.duration_s.tolist() == [600, 600]
    assert workload.request.tolist() == [[0.5, 2**30], [1, 0]]
    assert workload.usage.dtype == np.float64
    assert workload.usage.tolist() == [[0.2, 2**29], [1.5, 2**29]]
    assert workload.usage_length.tolist() == [2, 0]


def test_defaults_of_everything_optional(read: Read) -> None:
    workload = read("tasks: [{name: a}]")
    assert workload.nodes is None
    assert (workload.tick_s, workload.horizon_s) == (60, None)
    assert workload.submit_s.tolist() == [0]
    assert workload.duration_s.tolist() == [math.inf]
    assert workload.request.tolist() == [[0, 0]]
    assert workload.window_s.tolist() == [300]
    assert workload.priority.tolist() == [0]


def test_l1_missing_override_is_not_zero(read: Read) -> None:
    workload = read(
        "defaults: {duration: 10s}\n"
        "tasks: [{name: absent}, {name: value, duration: 3s}, {name: zero, duration: 0}]"
    )
    assert workload.duration_s.tolist() == [10, 3, 0]


def test_q4_spellings_of_one_table(read: Read) -> None:
    workload = read(
        "tasks:\n"
        "  - {name: a, requests: {cpu: 100m, memory: 10Mi}}\n"
        "  - {name: b, requests: {cpu: 129e-3, memory: 1150Mi}}\n"
        '  - {name: c, requests: {cpu: "1.5", memory: 107374182400m}}\n'
        "  - {name: d, requests: {cpu: 2, memory: 120586239}}"
    )
    assert workload.request[:, 0].tolist() == [0.1, 0.129, 1.5, 2]
    assert workload.request[:, 1].tolist() == [10485760, 1205862400, 107374182.4, 120586239]


def test_t5_series_rows_in_the_order_of_the_file(read: Read) -> None:
    workload = read("tasks: [{name: a, submit: 600s, usage: {cpu: [0.1, 0.2, 0.3]}}]")
    assert workload.usage[:, 0].tolist() == [0.1, 0.2, 0.3]
    assert (workload.usage_offset[0], workload.usage_length[0]) == (0, 3)
    assert workload.window_s[0] == 300


@pytest.mark.parametrize("rows", [287, 288, 289])
def test_t7_every_value_of_a_series_is_kept(read: Read, rows: int) -> None:
    values = [value / 100 for value in range(rows)]
    workload = read(f"tasks: [{{name: a, usage: {{cpu: {values}}}}}]")
    assert workload.usage[:, 0].tolist() == values
    assert workload.usage_length.tolist() == [rows]


def test_t6_a_shorter_series_holds_its_last_value_and_is_counted(read: Read) -> None:
    workload = read(
        "tasks: [{name: a, requests: {cpu: 1, memory: 8, gpu: 2}, "
        "usage: {cpu: [1, 2, 3, 4], memory: [5, 6], gpu: 1}}]"
    )
    assert workload.usage.tolist() == [[1, 5, 1], [2, 6, 1], [3, 6, 1], [4, 6, 1]]
    # A single value is constant by intention; only the two missing memory values are filled.
    assert workload.provenance.quirks == {"series_values_held": 2}


def test_usage_kinds_and_the_note_on_missing_usage(read: Read) -> None:
    both = "{name: a, requests: {cpu: 1}, usage: {cpu: 1}}"
    none = "{name: b, requests: {cpu: 1}}"
    part = "{name: c, requests: {cpu: 1, memory: 5}, usage: {cpu: 1}}"
    kinds = {
        f"[{both}]": ("measured", 0),
        f"[{both}, {none}]": ("hybrid", 1),
        f"[{none}]": ("request", 1),
        f"[{part}]": ("hybrid", 1),
        "[]": ("request", 0),
    }
    for tasks, (kind, notes) in kinds.items():
        provenance = read(f"tasks: {tasks}").provenance
        assert (provenance.usage_kind, len(provenance.assumptions)) == (kind, notes)
    assert read(f"tasks: [{part}]").usage.tolist() == [[1, 5]]


def test_count_makes_numbered_names_that_share_one_series(read: Read) -> None:
    workload = read("tasks: [{name: a, count: 3, usage: {cpu: [1, 2]}}, {name: b, count: 0}]")
    assert list(workload.task_names) == ["a-0", "a-1", "a-2"]
    assert workload.source.tolist() == [0, 0, 0]
    assert workload.source_names[0] == "a"
    assert len(workload.usage) == 2
    assert workload.usage_offset.tolist() == [0, 0, 0]
    assert workload.trace_task.tolist() == [0, 1, 2]


def test_more_resources_in_the_order_of_the_file_after_cpu_and_memory(read: Read) -> None:
    workload = read(
        "nodes: [{name: n, nvidia.com/gpu: 8, memory: 1Gi}, {name: m, cpu: 2}]\n"
        "tasks: [{name: a, requests: {disk: 5, nvidia.com/gpu: 1}}]"
    )
    assert workload.resources == ("cpu", "memory", "nvidia.com/gpu", "disk")
    assert workload.nodes is not None
    assert workload.nodes.capacity.tolist() == [[0, 2**30, 8, 0], [2, 0, 0, 0]]
    assert workload.request.tolist() == [[0, 0, 1, 5]]
    assert "no node offers disk, which tasks request" in workload.provenance.assumptions


def test_tasks_running_at_the_start(read: Read) -> None:
    workload = read(
        "nodes: [{name: n, cpu: 4, count: 2}]\n"
        "tasks: [{name: a, running_on: n-1, submit: -10m, count: 2}, {name: b, running_on: n-0}]"
    )
    assert workload.start_node.tolist() == [1, 1, 0]
    assert workload.submit_s.tolist() == [-600, -600, 0]


def test_json_is_read_alike(tmp_path: Path) -> None:
    document = {
        "tick": "5s",
        "nodes": [{"name": "größe 😀", "cpu": 4, "memory": "8Gi"}],
        "tasks": [{"name": "a", "requests": {"cpu": 1.5e-1}, "running_on": "größe 😀"}],
    }
    for indent, ascii_only in ((None, True), (2, False), ("\t", True)):
        path = tmp_path / "s.json"
        path.write_text(json.dumps(document, indent=indent, ensure_ascii=ascii_only))
        workload = read_scenario(path)
        assert workload.tick_s == 5
        assert workload.nodes is not None
        assert list(workload.nodes.names) == ["größe 😀"]
        assert workload.request[0, 0] == 0.15
        assert workload.start_node.tolist() == [0]


REFUSED = {
    "unknown key, nearest named": ("tik: 60s\ntasks: []", "line 1, key tik", "did you mean tick?"),
    "unknown task key": (
        "tasks:\n- name: a\n  durration: 5s", "line 3, key tasks[0].durration", "duration?"),
    "misspelt resource of a node": (
        "nodes:\n- {name: n, memroy: 8Gi}\ntasks: []", "line 2, key nodes[0].memroy", "memory?"),
    "misspelt resource of a request": (
        "tasks:\n- name: a\n  requests:\n    CPU: 1", "line 4, key tasks[0].requests.CPU", "cpu?"),
    "shortened resource": ("tasks: [{name: a, usage: {mem: 1}}]", "usage.mem", "memory?"),
    "key of a node as resource": ("tasks: [{name: a, requests: {until: 1}}]", "until", "gpu"),
    "unknown default": ("defaults: {submit: 5}\ntasks: []", "key defaults.submit", "duration"),
    "negative request": (
        "tasks:\n- {name: a,\n   requests: {cpu: -1}}", "line 3, key tasks[0].requests.cpu", ">="),
    "infinite usage": (
        "tasks: [{name: a, usage: {cpu: [1, .inf]}}]", "key tasks[0].usage.cpu[1]", ".inf"),
    "nan": ("tasks: [{name: a, usage: {cpu: nan}}]", "usage.cpu", "nan"),
    "empty series": ("tasks: [{name: a, usage: {cpu: []}}]", "usage.cpu", "at least one"),
    "negative submit": ("tasks: [{name: a, submit: -1s}]", "key tasks[0].submit", "-1s"),
    "negative duration": ("tasks: [{name: a, duration: -1}]", "tasks[0].duration", "-1"),
    "null duration": ("tasks: [{name: a, duration: }]", "tasks[0].duration", "nothing"),
    "tick of zero": ("tick: 0\ntasks: []", "key tick", "> 0"),
    "window of zero": ("tasks: [{name: a, usage_window: 0s}]", "usage_window", "> 0"),
    "key twice": ("tick: 5\ntick: 6\ntasks: []", "line 2, key tick", "line 1"),
    "task name twice": ("tasks:\n- name: a\n- name: a", "line 3, key tasks[1]", "line 2"),
    "task name twice by count": (
        "tasks:\n- {name: a, count: 2}\n- name: a-1", "line 3, key tasks[1]", "'a-1'"),
    "node name twice": ("nodes:\n- name: n\n- name: n\ntasks: []", "line 3, key nodes[1]", "'n'"),
    "no name": ("tasks: [{submit: 5s}]", "key tasks[0]", "name"),
    "blank name": ("tasks: [{name: ' '}]", "tasks[0].name", "blank"),
    "no tasks": ("tick: 60s", "line 1", "tasks"),
    "no nodes": ("nodes: []\ntasks: []", "key nodes", "at least one"),
    "life span of no length": (
        "nodes: [{name: n, from: 5m, until: 5m}]\ntasks: []", "key nodes[0].until", "until > from"),
    "unknown node": (
        "nodes: [{name: node1}]\ntasks: [{name: a, running_on: node2}]", "running_on", "node1?"),
    "running without nodes": ("tasks: [{name: a, running_on: n}]", "running_on", "list the nodes"),
    "running on a node that joins later": (
        "nodes: [{name: n, from: 5m}]\ntasks: [{name: a, running_on: n}]", "running_on", "300 s"),
    "running since later": (
        "nodes: [{name: n}]\ntasks: [{name: a, running_on: n, submit: 5}]", "submit", "<= 0"),
    "priority out of range": ("tasks: [{name: a, priority: 40000}]", "priority", "32767"),
    "count that is no number": ("tasks: [{name: a, count: 1.5}]", "count", "'1.5'"),
    "count beyond reason": ("tasks: [{name: a, count: 99999999999}]", "count", "10000000"),
    "list for mapping": ("tasks: [[a]]", "key tasks[0]", "keys and values"),
    "mapping for list": ("tasks: {name: a}", "key tasks", "a list"),
    "mapping for value": ("tasks: [{name: {a: b}}]", "tasks[0].name", "keys and values"),
    "text": ("hello", "line 1", "keys and values"),
    "empty": ("", "s.yaml", "empty"),
    "broken YAML": ("tasks:\n- {name: a", "line 2", "YAML"),
    "two documents": ("tasks: []\n---\ntasks: []", "s.yaml", "single document"),
    "unknown alias": ("tasks: *x", "line 1", "alias"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_file_line_and_key(read: Read, name: str) -> None:
    text, place, reason = REFUSED[name]
    error = refusal(read, text)
    assert "s.yaml" in error.where
    assert place in error.where
    assert reason in f"{error.message} {error.remedy}"


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b'{"tasks": [', "line 1"), (b'{"tasks": []}{', "line 1"), (b"tasks: []", "line 1"),
     (b'{"tasks": [{"name": "\xff"}]}', "UTF-8"), (b'{"tasks": [{"name": "\\ud800"}]}', "Unicode"),
     (b'{"tick": NaN, "tasks": []}', "NaN"), (b"[" * 100_000, "JSON")],
)  # fmt: skip
def test_broken_json_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=reason):
        read_scenario(path)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        read_scenario(tmp_path / "nowhere.yaml")


keys = st.sampled_from(
    ["tick", "horizon", "defaults", "nodes", "tasks", "name", "cpu", "memory", "gpu", "count",
     "from", "until", "max_tasks", "source", "submit", "duration", "priority", "running_on",
     "requests", "usage", "usage_window"]
) | st.text(max_size=3)  # fmt: skip
scalars = (
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=4)
    | st.sampled_from(["10m", "500m", "1Gi", "-5", "n", "a"])
)  # fmt: skip
junk = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=20,
)  # fmt: skip
entries = st.lists(st.dictionaries(keys, junk, max_size=6), max_size=3)
scenarios = st.fixed_dictionaries({"tasks": entries}, optional={"nodes": entries, "tick": scalars})
fuzz = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def read_or_refuse(path: Path) -> None:
    with suppress(InputError):
        workload = read_scenario(path)
        assert (workload.request >= 0).all()
        assert np.isfinite(workload.usage).all()


@fuzz
@given(document=junk | scenarios)
def test_any_json_is_a_workload_or_an_input_error(tmp_path: Path, document: object) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document))
    read_or_refuse(path)


@fuzz
@given(text=st.text(st.sampled_from("ab:-,[]{}&*!|>'\"%@`?# \n\t0.~<"), max_size=40) | st.text())
def test_any_text_is_a_workload_or_an_input_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    read_or_refuse(path)


@fuzz
@given(cut=st.integers(0, 600), flip=st.integers(0, 599), byte=st.binary(min_size=1, max_size=1))
def test_a_damaged_scenario_is_a_workload_or_an_input_error(
    tmp_path: Path, cut: int, flip: int, byte: bytes
) -> None:
    content = (EXAMPLES / "interface.yaml").read_bytes()
    path = tmp_path / "s.yaml"
    path.write_bytes((content[:flip] + byte + content[flip + 1 :])[:cut])
    read_or_refuse(path)
