"""Stored workloads: round trips, what is refused, and that nothing is left half-written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexsched.core.errors import InputError, OutputError
from flexsched.core.workload import Workload
from flexsched.traces import _stored_tables, _usage_file, _windows
from flexsched.traces.scenario import read_scenario
from flexsched.traces.stored import read_workload, write_workload

SCENARIO = """
tick: 30s
horizon: 2h
nodes:
  - {name: n, cpu: 4, memory: 8Gi, gpu: 1, count: 2, max_tasks: 3}
  - {name: late, cpu: 8, from: 10m, until: 1h}
tasks:
  - {name: a, source: job, submit: -5m, running_on: n-1, duration: 1h, priority: -3,
     requests: {cpu: 500m, memory: 1Gi}, usage: {cpu: [0.25, 0.5], memory: 512Mi}}
  - {name: b, submit: 90s, count: 2, requests: {cpu: 1, gpu: 1}}
  - {name: c, submit: 90s, duration: 0, usage: {cpu: 2}}
"""


@pytest.fixture
def workload(tmp_path: Path) -> Workload:
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO)
    return read_scenario(path)


@pytest.fixture
def stored(workload: Workload, tmp_path: Path) -> Path:
    folder = tmp_path / "stored"
    write_workload(workload, folder)
    return folder


def texts(names: Any) -> list[str]:
    return [str(name) for name in names]


def source_of(workload: Workload) -> list[str]:
    return [str(workload.source_names[i]) for i in workload.source]


def series_of(workload: Workload, task: int) -> list[list[float]]:
    offset, length = workload.usage_offset[task], workload.usage_length[task]
    return np.asarray(workload.usage[offset : offset + length], np.float64).tolist()


def assert_same(got: Workload, expected: Workload) -> None:
    for column in ("source", "priority", "task_class", "submit_s", "duration_s", "start_node",
                   "trace_task", "request", "usage_offset", "usage_length",
                   "window_s"):  # fmt: skip
        left, right = getattr(got, column), getattr(expected, column)
        assert left.dtype == right.dtype, column
        assert left.tolist() == right.tolist(), column
        assert left.flags.writeable, column
    assert got.usage.tolist() == expected.usage.astype(np.float32).tolist()
    assert (texts(got.task_names), source_of(got)) == (
        texts(expected.task_names), source_of(expected))  # fmt: skip
    for field in ("name", "resources", "class_names", "tick_s", "horizon_s", "provenance"):
        assert getattr(got, field) == getattr(expected, field), field
    if got.nodes is None or expected.nodes is None:
        assert got.nodes is expected.nodes
        return
    assert list(got.nodes.names) == list(expected.nodes.names)
    for column in ("capacity", "from_s", "until_s", "max_tasks"):
        assert getattr(got.nodes, column).tolist() == getattr(expected.nodes, column).tolist()


def test_what_is_written_comes_back(workload: Workload, stored: Path) -> None:
    assert_same(read_workload(stored), workload)


def test_the_files_are_those_of_the_format(stored: Path) -> None:
    assert sorted(path.name for path in stored.iterdir()) == [
        "nodes.parquet", "tasks.parquet", "usage.parquet", "workload.json"]  # fmt: skip
    tasks = pq.read_table(stored / "tasks.parquet")
    columns = {field.name: str(field.type) for field in tasks.schema}
    assert columns == {
        "task_id": "int64", "name": "string", "source_id": "int64", "source": "string",
        "priority": "int16", "class": "string", "submit_s": "double", "start_node": "int64",
        "duration_s": "double", "trace_task": "int64", "request_cpu_cores": "double",
        "request_memory_bytes": "double", "request_gpu": "double", "usage_offset": "int64",
        "usage_length": "int64",
    }  # fmt: skip
    assert tasks["start_node"].to_pylist() == [1, None, None, None]
    assert tasks["duration_s"].to_pylist() == [3600, None, None, 0]
    usage = pq.read_table(stored / "usage.parquet")
    assert {field.name: str(field.type) for field in usage.schema} == {
        "cpu_cores": "float", "memory_bytes": "float", "gpu": "float"}  # fmt: skip
    nodes = pq.read_table(stored / "nodes.parquet")
    assert nodes.column_names == ["node_id", "name", "cpu_cores", "memory_bytes", "gpu", "from_s",
                                  "until_s", "max_tasks"]  # fmt: skip
    assert nodes["until_s"].to_pylist() == [None, None, 3600]
    assert pq.ParquetFile(stored / "usage.parquet").metadata.row_group(0).column(0).compression == (
        "ZSTD"
    )
    document = json.loads((stored / "workload.json").read_text())
    assert document["resources"][1] == {"name": "memory", "unit": "bytes", "column": "memory_bytes"}
    assert (document["usage_kind"], document["window_s"]) == ("hybrid", 300)


def test_names_that_are_numbers_need_no_column(workload: Workload, tmp_path: Path) -> None:
    numbered = replace(workload, source_names=("0", "1", "2"))
    write_workload(numbered, tmp_path / "out")
    assert "source" not in pq.read_schema(tmp_path / "out" / "tasks.parquet").names
    assert texts(read_workload(tmp_path / "out").source_names) == ["0", "1", "2"]


def test_sources_without_tasks_keep_the_numbers_of_the_others(
    workload: Workload, tmp_path: Path
) -> None:
    sparse = replace(
        workload, source=np.array([3, 1, 1, 3]), source_names=("x", "one", "y", "three", "z")
    )
    write_workload(sparse, tmp_path / "out")
    back = read_workload(tmp_path / "out")
    assert back.source.tolist() == [3, 1, 1, 3]
    assert texts(back.source_names) == ["0", "one", "2", "three", "4"]


def test_an_empty_workload_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.write_text("tasks: []")
    empty = read_scenario(path)
    write_workload(empty, tmp_path / "out")
    assert_same(read_workload(tmp_path / "out"), empty)
    assert not (tmp_path / "out" / "nodes.parquet").exists()


def test_a_workload_read_back_is_written_with_the_same_bytes(stored: Path, tmp_path: Path) -> None:
    write_workload(read_workload(stored), tmp_path / "again")
    for path in stored.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name


finite = st.floats(0, 1e6, width=32)
tasks = st.lists(
    st.fixed_dictionaries(
        {"requests": st.fixed_dictionaries({"cpu": finite, "memory": finite})},
        optional={
            "usage": st.fixed_dictionaries(
                {"cpu": finite | st.lists(finite, min_size=1, max_size=4), "gpu": finite}
            ),
            "duration": st.integers(0, 5000),
            "submit": st.integers(0, 5000),
            "priority": st.integers(-5, 5),
            "count": st.integers(0, 3),
            "source": st.sampled_from("pqr"),
        },
    ),
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(tasks)
def test_any_scenario_comes_back(entries: list[dict[str, Any]]) -> None:
    document = {"tasks": [{"name": f"t{i}"} | entry for i, entry in enumerate(entries)]}
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "scenario.json"
        path.write_text(json.dumps(document))
        scenario = read_scenario(path)
        write_workload(scenario, Path(name) / "out")
        assert_same(read_workload(Path(name) / "out"), scenario)


def many_rows(workload: Workload, rows: int, resources: int = 3) -> Workload:
    usage = np.random.default_rng(1).random((rows, resources), np.float32)
    length = np.array([rows - 2, 0, 1, 1])
    return replace(
        workload, usage=usage, usage_length=length, usage_offset=np.cumsum(length) - length
    )


def test_large_usage_passes_in_row_groups_and_is_mapped(
    workload: Workload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (_usage_file, _windows, _stored_tables):
        monkeypatch.setattr(module, "GROUP_ROWS", 100, raising=False)
    monkeypatch.setattr(_usage_file, "IN_MEMORY_BYTES", 1000)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    large = many_rows(workload, 1001)
    write_workload(large, tmp_path / "out")
    assert pq.ParquetFile(tmp_path / "out" / "usage.parquet").metadata.num_row_groups == 11
    back = read_workload(tmp_path / "out")
    assert_same(back, large)
    assert isinstance(back.usage.base, np.memmap)
    assert type(back.usage) is np.ndarray
    assert back.usage.flags.c_contiguous
    assert list(scratch.iterdir()) == []
    before = (tmp_path / "out" / "usage.parquet").read_bytes()
    back.usage[0] = 7
    assert (tmp_path / "out" / "usage.parquet").read_bytes() == before


def test_differing_windows_are_brought_to_their_common_divisor(
    workload: Workload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_windows, "GROUP_ROWS", 3)
    usage = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.float32)
    mixed = replace(
        workload,
        usage=usage,
        usage_offset=np.array([1, 0, 1, 2]),
        usage_length=np.array([2, 2, 2, 1]),
        window_s=np.array([300.0, 120.0, 300.0, 7.0]),
    )
    write_workload(mixed, tmp_path / "out")
    back = read_workload(tmp_path / "out")
    assert back.window_s.tolist() == [60] * 4
    assert series_of(back, 0) == [[4, 5, 6]] * 5 + [[7, 8, 9]] * 5
    assert series_of(back, 1) == [[1, 2, 3]] * 2 + [[4, 5, 6]] * 2
    assert series_of(back, 2) == series_of(back, 0)
    assert back.usage_offset[0] == back.usage_offset[2]
    assert series_of(back, 3) == [[7, 8, 9]]


@pytest.mark.parametrize("windows", [(300.0, 300.0001), (0.001, 300.0), (60.0, 1e300)])
def test_windows_without_a_sensible_divisor_are_refused(
    workload: Workload, tmp_path: Path, windows: tuple[float, float]
) -> None:
    length = np.array([2, 2, 0, 0])
    usage = np.ones((2, 3), np.float32)
    odd = replace(workload, usage=usage, usage_offset=np.zeros(4, np.int64), usage_length=length,
                  window_s=np.array([*windows, 60.0, 60.0]))  # fmt: skip
    with pytest.raises(InputError, match="common divisor"):
        write_workload(odd, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("value", [np.nan, -1.0, np.inf, 1e39])
def test_usage_that_float32_cannot_hold_is_refused(
    workload: Workload, tmp_path: Path, value: float
) -> None:
    usage = workload.usage.copy()
    usage[1, 1] = value
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=r"usage\.parquet, row 1, field memory_bytes"):
        write_workload(replace(workload, usage=usage), tmp_path / "out")
    assert sorted(tmp_path.iterdir()) == before


def test_usage_of_no_task_is_refused_before_it_is_written(
    workload: Workload, tmp_path: Path
) -> None:
    lost = replace(workload, usage_length=np.zeros(4, np.int64))
    with pytest.raises(InputError, match="got none"):
        write_workload(lost, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_resource_called_like_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("tasks: [{name: a, requests: {cpu_cores: 1}}]")
    with pytest.raises(InputError, match="cpu_cores"):
        write_workload(read_scenario(path), tmp_path / "out")


def change(folder: Path, table: str, column: str, values: Any) -> None:
    """Replace one column of a table; a dict of row -> value changes only those."""
    path = folder / f"{table}.parquet"
    content = pq.read_table(path)
    index = content.column_names.index(column)
    if isinstance(values, dict):
        old = content[column].to_pylist()
        field = content.schema.field(column)
        values = pa.array([values.get(row, x) for row, x in enumerate(old)], field.type)
    pq.write_table(content.set_column(index, column, values), path)


@pytest.mark.parametrize(
    ("table", "column", "values", "row"),
    [
        ("tasks", "submit_s", {1: float("nan")}, 1),
        ("tasks", "submit_s", {2: None}, 2),
        ("tasks", "submit_s", {2: -5.0}, 2),
        ("tasks", "duration_s", {3: float("inf")}, 3),
        ("tasks", "duration_s", {3: -1.0}, 3),
        ("tasks", "request_gpu", {0: -1.0}, 0),
        ("tasks", "request_cpu_cores", {0: float("inf")}, 0),
        ("tasks", "usage_offset", {0: 2}, 0),
        ("tasks", "usage_offset", {0: -1}, 0),
        ("tasks", "usage_offset", {0: 2**63 - 1}, 0),
        ("tasks", "usage_length", {0: 2**63 - 1}, 0),
        ("tasks", "usage_length", {1: -1}, 1),
        ("tasks", "start_node", {1: 9}, 1),
        ("tasks", "class", {1: "other"}, 1),
        ("tasks", "class", {1: None}, 1),
        ("tasks", "name", {1: None}, 1),
        ("tasks", "source_id", {2: 3}, 2),
        ("tasks", "task_id", {3: 0}, 3),
        ("usage", "memory_bytes", {1: float("nan")}, 1),
        ("usage", "memory_bytes", {2: -1.0}, 2),
        ("usage", "gpu", {0: None}, 0),
        ("nodes", "cpu_cores", {1: float("inf")}, 1),
        ("nodes", "node_id", {2: 1}, 2),
        ("nodes", "max_tasks", {0: -1}, 0),
        ("tasks", "submit_s", pa.array(list("abcd")), None),
        ("tasks", "priority", pa.array([40000] * 4), None),
        ("tasks", "priority", pa.array([0.5] * 4), None),
        ("tasks", "name", pa.array([1] * 4), None),
        ("usage", "cpu_cores", pa.array(list("abc")), None),
    ],
)
def test_bad_values_are_refused_with_file_row_and_field(
    stored: Path, table: str, column: str, values: Any, row: int | None
) -> None:
    change(stored, table, column, values)
    with pytest.raises(InputError) as caught:
        read_workload(stored)
    assert f"{table}.parquet" in caught.value.where
    assert f"field {column}" in caught.value.where
    assert "expected" in caught.value.message
    if row is not None:
        assert f"row {row}," in caught.value.where


def drop_column(folder: Path) -> None:
    path = folder / "tasks.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["trace_task"]), path)


def drop_usage_row(folder: Path) -> None:
    path = folder / "usage.parquet"
    pq.write_table(pq.read_table(path).slice(1), path)


def join_nothing(folder: Path) -> None:
    change(folder, "tasks", "usage_length", dict.fromkeys(range(4), 0))


def edit(field: str, value: Any) -> Callable[[Path], None]:
    def change_document(folder: Path) -> None:
        path = folder / "workload.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}))

    return change_document


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (drop_column, "trace_task"),
        (drop_usage_row, "expected 3 rows"),
        (join_nothing, "expected tasks that refer to these 3 rows, got none"),
        (lambda folder: (folder / "usage.parquet").unlink(), r"usage\.parquet"),
        (lambda folder: (folder / "nodes.parquet").unlink(), r"nodes\.parquet"),
        (lambda folder: (folder / "workload.json").unlink(), r"workload\.json"),
        (lambda folder: (folder / "workload.json").write_text("{"), r"workload\.json"),
        (edit("format_version", 2), "field format_version"),
        (edit("window_s", 0), "field window_s"),
        (edit("usage_kind", "guessed"), "field usage_kind"),
        (edit("time_origin", "May"), "field time_origin"),
        (edit("resources", []), "field resources"),
        (edit("extra", 1), "field extra"),
    ],
)
def test_damaged_folders_are_refused(
    stored: Path, damage: Callable[[Path], Any], reason: str
) -> None:
    damage(stored)
    with pytest.raises(InputError, match=reason):
        read_workload(stored)


@pytest.mark.parametrize("table", ["tasks", "usage", "nodes"])
@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9, 0.999])
def test_truncated_tables_are_refused(stored: Path, table: str, kept: float) -> None:
    path = stored / f"{table}.parquet"
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(InputError, match=rf"{table}\.parquet"):
        read_workload(stored)


@settings(max_examples=60, deadline=None)
@given(position=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_a_flipped_byte_is_harmless_or_refused(position: float, byte: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        scenario = Path(name) / "s.yaml"
        scenario.write_text(SCENARIO)
        folder = Path(name) / "out"
        write_workload(read_scenario(scenario), folder)
        path = folder / "usage.parquet"
        content = bytearray(path.read_bytes())
        content[int(position * len(content))] = byte
        path.write_bytes(content)
        try:
            usage = read_workload(folder).usage
        except InputError:
            return
        assert np.isfinite(usage).all()


def test_an_existing_folder_is_refused_without_force(workload: Workload, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_workload(workload, folder)
    other = replace(workload, name="other")
    with pytest.raises(OutputError, match="exists"):
        write_workload(other, folder)
    assert read_workload(folder).name == "scenario"
    write_workload(other, folder, force=True)
    assert read_workload(folder).name == "other"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "scenario.yaml"]


def test_force_does_not_replace_what_is_no_stored_workload(
    workload: Workload, tmp_path: Path
) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "me.jpg").write_text("precious")
    with pytest.raises(OutputError, match="something else"):
        write_workload(workload, tmp_path / "photos", force=True)
    assert (tmp_path / "photos" / "me.jpg").read_text() == "precious"


def test_an_interrupted_write_leaves_nothing_behind_and_the_older_result(
    workload: Workload, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    before = sorted(stored.parent.iterdir())
    monkeypatch.setattr("flexsched.traces.stored.write_tasks", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_workload(workload, stored, force=True)
    assert sorted(stored.parent.iterdir()) == before
    assert_same(read_workload(stored), workload)


def in_subprocess(code: str, *arguments: Path) -> str:
    """Run code with its own limits and rights; returns what it prints."""
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


IN_BOUNDED_MEMORY = """
import sys
from pathlib import Path
import numpy as np
import pyarrow as pa
from flexsched.traces import _usage_file
_usage_file.GROUP_ROWS = 10_000
path = Path(sys.argv[1]) / "usage.parquet"
noise = np.random.default_rng(0)
blocks = (noise.random((10_000, 2), np.float32) for _ in range(100))
assert _usage_file.write_usage(path, ("a", "b"), blocks) == 1_000_000
assert len(_usage_file.read_usage(path, ("a", "b"), 1_000_000)) == 1_000_000
print(pa.default_memory_pool().max_memory())
"""


def test_usage_is_never_in_arrows_memory_as_a_whole(tmp_path: Path) -> None:
    whole = 4 * 2 * 1_000_000
    assert int(in_subprocess(IN_BOUNDED_MEMORY, tmp_path)) < whole / 10


FULL_DISK = """
import resource, sys
from pathlib import Path
from flexsched.core.errors import OutputError
from flexsched.traces import _usage_file
from flexsched.traces.stored import read_workload, write_workload
workload = read_workload(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    write_workload(workload, Path(sys.argv[2]) / "copy")
except OutputError as error:
    print("write:", error)
_usage_file.IN_MEMORY_BYTES = 0
try:
    read_workload(Path(sys.argv[1]))
except OutputError as error:
    print("read:", error)
"""


def test_a_full_disk_is_an_output_error_and_leaves_nothing(
    workload: Workload, tmp_path: Path
) -> None:
    write_workload(many_rows(workload, 20_000), tmp_path / "in")
    target = tmp_path / "target"
    target.mkdir()
    printed = in_subprocess(FULL_DISK, tmp_path / "in", target)
    assert "write:" in printed
    assert "free space" in printed
    assert "read:" in printed
    assert "TMPDIR" in printed
    assert list(target.iterdir()) == []


UNPRIVILEGED = """
import os, sys
from pathlib import Path
from flexsched.core.errors import InputError, OutputError
from flexsched.traces.stored import read_workload, write_workload
os.chdir(sys.argv[1])
workload = read_workload(Path("readable"))
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for folder in ("no-tasks", "no-document"):
    try:
        read_workload(Path(folder))
    except InputError as error:
        print(error.where, "|", error.message)
try:
    write_workload(workload, Path("out"))
except OutputError as error:
    print(error.where, "|", error.message)
"""


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_no_permission_is_said_plainly(workload: Workload, tmp_path: Path) -> None:
    for name in ("readable", "no-tasks", "no-document"):
        write_workload(workload, tmp_path / name)
    (tmp_path / "no-tasks" / "tasks.parquet").chmod(0)
    (tmp_path / "no-document" / "workload.json").chmod(0)
    tmp_path.chmod(0o555)
    try:
        lines = in_subprocess(UNPRIVILEGED, tmp_path).splitlines()
    finally:
        tmp_path.chmod(0o755)
    assert len(lines) == 3
    assert lines[0].startswith("no-tasks/tasks.parquet")
    assert lines[1].startswith("no-document/workload.json")
    assert lines[2].startswith("out")
    assert all("ermission denied" in line for line in lines)
    shutil.rmtree(tmp_path / "no-tasks")
