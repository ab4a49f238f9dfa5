from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from google2011_rows import (
    ADD,
    FINISH,
    SCHEDULE,
    SUBMIT,
    event,
    machine,
    usage,
    write,
    write_part,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from flexsched.core.errors import InputError, SettingError
from flexsched.core.workload import Workload
from flexsched.traces.google2011 import FORMAT, read, tables
from flexsched.traces.google2011.quirks import RULES

NOBODY = 65534
EVENTS = [
    row
    for index in range(40)
    for row in (
        event(600 + 10 * index, SUBMIT, index=index),
        event(601 + 10 * index, SCHEDULE, index=index, machine=5),
        event(609 + 10 * index, FINISH, index=index, machine=5),
    )
]


def load(path: Path, **settings: object) -> Workload:
    return read([path], usage="request", **settings)


def refusal(*paths: Path) -> str:
    with pytest.raises(InputError) as refused:
        read(list(paths))
    return str(refused.value)


def test_format_says_what_it_reads():
    assert FORMAT.name == "google2011"
    assert "CC-BY 4.0" in FORMAT.licence
    assert FORMAT.read is read


def test_parts_in_any_order_and_packing_give_the_same_workload(tmp_path):
    whole = load(write_part(tmp_path / "task_events.csv", EVENTS))
    parts = [
        write_part(tmp_path / "task_events" / name, rows)
        for name, rows in (
            ("part-2.csv", EVENTS[:30]),
            ("part-1.csv.gz", EVENTS[30:31]),
            ("part-0.csv", EVENTS[31:]),
        )
    ]
    for paths in (parts, parts[::-1], [tmp_path / "task_events"]):
        assert read(paths, usage="request").digest == whole.digest
    assert len(whole) == 40


def test_table_is_told_by_file_or_folder_and_gzip_by_content(tmp_path):
    events = write_part(tmp_path / "my-task_events-a.gz", EVENTS)
    events.rename(tmp_path / "my-task_events-a.csv")
    write_part(tmp_path / "task_usage.csv", [usage(600, 605, index=0), usage(605, 609, index=0)])
    write_part(tmp_path / "machine_events" / "x.csv", [machine(0, 5, ADD)])
    write_part(tmp_path / "job_events" / "x.csv", ["0,,1,0,u,0,j,l"])
    write_part(tmp_path / "schema.csv", ["file pattern,field number"])
    workload = read([tmp_path])
    assert workload.nodes is not None
    assert workload.provenance.counts["usage_rows_joined"] == 2
    assert "expected a file of a known table" in refusal(tmp_path / "schema.csv")


def test_same_path_twice_is_read_once_and_counted(tmp_path):
    path = write_part(tmp_path / "task_events.csv", EVENTS)
    workload = read([path, tmp_path], usage="request")
    assert len(workload) == 40
    assert workload.provenance.quirks["part_named_twice"] == 1


def test_same_rows_in_two_parts_are_refused(tmp_path):
    one = write_part(tmp_path / "task_events" / "a.csv", EVENTS)
    two = write_part(tmp_path / "task_events" / "b.csv.gz", EVENTS)
    text = refusal(tmp_path)
    assert str(one) in text
    assert str(two) in text


def test_overlapping_parts_are_refused(tmp_path):
    write_part(tmp_path / "task_events" / "a.csv", EVENTS[:60])
    write_part(tmp_path / "task_events" / "b.csv", EVENTS[30:])
    text = refusal(tmp_path)
    assert "b.csv, row 1, field time" in text
    assert "overlap" in text


def test_shuffled_rows_are_refused(tmp_path):
    text = refusal(write_part(tmp_path / "task_events.csv", [*EVENTS[3:6], *EVENTS[:3]]))
    assert "row 4, field time" in text


def test_truncated_gzip_is_refused(tmp_path):
    path = write_part(tmp_path / "task_events.csv.gz", EVENTS)
    path.write_bytes(path.read_bytes()[:-20])
    text = refusal(path)
    assert str(path) in text
    assert "complete" in text


def test_damaged_gzip_is_refused(tmp_path):
    path = write_part(tmp_path / "task_events.csv.gz", EVENTS)
    data = bytearray(path.read_bytes())
    data[-6] ^= 255
    path.write_bytes(bytes(data))
    assert str(path) in refusal(path)


def test_wrong_delimiter_is_refused(tmp_path):
    rows = [row.replace(",", ";") for row in EVENTS]
    text = refusal(write_part(tmp_path / "task_events.csv", rows))
    assert "row 1" in text
    assert "expected 13 fields separated by commas, got 1" in text


def test_empty_trace_is_refused(tmp_path):
    assert "got none" in refusal(tmp_path)
    assert "got none" in refusal(write_part(tmp_path / "task_events.csv", []))
    assert "got none" in refusal(write_part(tmp_path / "task_events_blank.csv", ["", ""]))


def test_empty_part_among_others_is_counted(tmp_path):
    write_part(tmp_path / "task_events" / "a.csv", EVENTS)
    write_part(tmp_path / "task_events" / "b.csv.gz", [])
    assert load(tmp_path).provenance.quirks["part_without_rows"] == 1


def test_e3_empty_usage_table_is_refused(tmp_path):
    root = write(tmp_path, EVENTS)
    write_part(root / "task_usage" / "a.csv", [])
    assert "task_usage" in refusal(root)


def test_missing_path_is_refused(tmp_path):
    assert "nowhere" in refusal(tmp_path / "nowhere")


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Root may read everything, so give that up for the test."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    yield
    if is_root:
        os.seteuid(0)


def test_unreadable_file_is_refused(tmp_path, request):
    path = write_part(tmp_path / "task_events.csv", EVENTS)
    assert len(load(path)) == 40
    path.chmod(0)
    request.getfixturevalue("unprivileged")
    assert str(path) in refusal(path)
    assert "readable" in refusal(path)


@pytest.mark.parametrize(
    ("column", "text", "field"),
    [
        (0, "now", "time"),
        (0, "-1", "time"),
        (0, "99999999999999999999", "time"),
        (0, "9000000000000000000", "time"),
        (0, "", "time"),
        (1, "7", "missing info"),
        (2, "-3", "job ID"),
        (2, "1.5", "job ID"),
        (3, "1048576", "task index"),
        (4, "\udcff", "machine ID"),
        (5, "9", "event type"),
        (5, '"0"', "event type"),
        (8, "1e3", "priority"),
        (9, "NaN", "CPU request"),
        (9, "inf", "CPU request"),
        (9, "-0.5", "CPU request"),
        (9, "NA", "CPU request"),
        (10, "1e999", "memory request"),
        (10, "0,5", None),
        (10, "half", "memory request"),
    ],
)
def test_bad_value_is_refused_with_its_place(tmp_path, column, text, field):
    values = EVENTS[4].split(",")
    values[column] = text
    rows = [*EVENTS[:4], ",".join(values), *EVENTS[5:]]
    path = tmp_path / "task_events.csv"
    path.write_bytes("\n".join(rows).encode("utf-8", "surrogateescape"))
    message = refusal(path)
    assert f"{path}, row 5" in message
    if field is not None:
        assert f"field {field}" in message


def test_rows_are_counted_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "BLOCK_BYTES", 100)
    rows = [*EVENTS[:50], "x" + EVENTS[50], *EVENTS[51:]]
    assert "row 51, field time" in refusal(write_part(tmp_path / "task_events.csv", rows))


def test_a_header_is_refused_even_where_the_part_would_not_be_reached(tmp_path):
    write_part(tmp_path / "task_events" / "a.csv", EVENTS)
    write_part(tmp_path / "task_events" / "b.csv", ["time" + ",x" * 12, event(0, SUBMIT, job=2)])
    with pytest.raises(InputError, match=r"b\.csv, row 1, field time"):
        read([tmp_path], until_s=3600)


def test_a_row_without_end_is_refused(tmp_path):
    path = tmp_path / "task_events.csv"
    path.write_bytes(EVENTS[0].encode() + b"\n" + b"7" * 200_000)
    assert str(path) in refusal(path)


def test_windows_line_ends_byte_mark_and_blank_lines_change_nothing(tmp_path):
    plain = load(write_part(tmp_path / "a" / "task_events.csv", EVENTS))
    path = tmp_path / "b" / "task_events.csv"
    path.parent.mkdir()
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([*EVENTS[:7], "", *EVENTS[7:]]).encode())
    assert load(path).digest == plain.digest


def test_scientific_notation_is_exact_and_counted(tmp_path):
    row = event(600, SUBMIT, memory="6.104e-05")
    workload = load(write_part(tmp_path / "task_events.csv", [row]))
    assert workload.request[0, 1] == 6.104e-05 * 128 * 2**30
    assert workload.provenance.quirks["task_events_scientific_notation"] == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"until_s": 0},
        {"until_s": float("nan")},
        {"node_cores": 0},
        {"node_memory_bytes": float("inf")},
        {"fallback_duration_s": -1},
        {"seed": -1},
        {"usage": "requests"},
        {"fallback_duration_s": float("nan")},
    ],
)
def test_settings_out_of_range_are_refused(tmp_path, settings):
    path = write_part(tmp_path / "task_events.csv", EVENTS)
    with pytest.raises(SettingError, match=next(iter(settings))):
        read([path], **settings)


def test_hours_without_events_are_refused(tmp_path):
    path = write_part(tmp_path / "task_events.csv", EVENTS)
    with pytest.raises(InputError, match="before the end of the hours"):
        read([path], until_s=1.0)


def outcome(root: Path) -> Workload | InputError:
    try:
        return read([root])
    except InputError as error:
        return error


MUTATIONS = st.lists(
    st.tuples(
        st.integers(0, 10_000),
        st.sampled_from([b"", b",", b"\n", b"\x00", b"-", b"e", b"9" * 25, b"\xff", b"\r", b'"']),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=80, deadline=None)
@given(mutations=MUTATIONS, table=st.sampled_from(["task_events", "machine_events", "task_usage"]))
def test_any_damage_is_an_error_of_ours_or_a_counted_workload(mutations, table):
    with TemporaryDirectory() as folder:
        root = write(
            Path(folder),
            EVENTS[:30],
            [machine(0, 5, ADD), machine(0, 6, ADD)],
            [usage(600, 609, index=i) for i in range(5)],
        )
        path = root / table / "part-00000-of-00001.csv"
        data = path.read_bytes()
        for place, inserted, removed in mutations:
            at = place % (len(data) + 1)
            data = data[:at] + inserted + data[at + removed :]
        path.write_bytes(data)
        found = outcome(root)
        if isinstance(found, InputError):
            assert str(root) in str(found)
        else:
            assert set(found.provenance.quirks) <= set(RULES)
