from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import google2011_oracle as oracle
import numpy as np
import pytest
from google2011_rows import (
    AFTER_END,
    EVICT,
    FAIL,
    FINISH,
    KILL,
    SCHEDULE,
    SUBMIT,
    UPDATE_PENDING,
    UPDATE_RUNNING,
    event,
    write,
    write_part,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from flexsched.core.workload import Workload
from flexsched.traces.google2011 import read, tables
from flexsched.traces.google2011.events import AttemptStream, until_us
from flexsched.traces.google2011.lives import ATTEMPT
from flexsched.traces.google2011.quirks import RULES

ROWS = st.lists(
    st.builds(
        event,
        st.integers(0, 20),
        st.integers(0, 8),
        job=st.integers(1, 2),
        index=st.integers(0, 2),
        machine=st.sampled_from(["", 5, 6]),
        priority=st.integers(0, 11),
        cpu=st.sampled_from(["", 0, 0.125, 6.25e-05]),
        memory=st.sampled_from(["", 0.25, 0.5]),
    ),
    min_size=1,
    max_size=60,
).map(lambda rows: sorted(rows, key=lambda row: int(row.split(",")[0])))


def stream(path: Path) -> tuple[np.ndarray, Counter[str]]:
    quirks: Counter[str] = Counter()
    found = np.concatenate(list(AttemptStream([path], until_us(None), quirks)))
    return found[np.argsort(found["row"])], quirks


def plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def as_oracle(record: np.void) -> oracle.Attempt:
    def known(field: str) -> int | None:
        return None if record[field] == -1 else int(record[field])

    started = record["start_us"] != -1
    return oracle.Attempt(
        job=int(record["key"]) >> 20,
        index=int(record["key"]) & (2**20 - 1),
        submit_us=int(record["submit_us"]),
        cpu=plain(record["cpu"]),
        memory=plain(record["memory"]),
        priority=int(record["priority"]),
        start_us=known("start_us"),
        end_us=known("end_us"),
        machine=int(record["machine"]) if started else None,
        end_event=known("end_event"),
    )


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, block_bytes=st.sampled_from([1, 100, 1000, 2**20]))
def test_stream_equals_the_slow_oracle_whatever_the_block(rows: list[str], block_bytes: int):
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "BLOCK_BYTES", block_bytes)
        found, quirks = stream(write_part(Path(folder) / "task_events.csv", rows))
    expected, met = oracle.attempts(rows)
    assert [as_oracle(record) for record in found] == expected
    assert {name: count for name, count in quirks.items() if count and name in met} == met
    assert set(quirks) <= set(RULES)


def lives(tmp_path: Path, *rows: str, **settings: object) -> Workload:
    return read([write(tmp_path, rows)], usage="request", **settings)


def test_one_attempt_lasts_from_schedule_to_its_end(tmp_path):
    workload = lives(
        tmp_path, event(600, SUBMIT), event(650, SCHEDULE, machine=5), event(700.5, FINISH)
    )
    assert workload.submit_s.tolist() == [600.0]
    assert workload.duration_s.tolist() == [50.5]
    assert workload.request.tolist() == [[8.0, 32 * 2**30]]
    assert list(map(str, workload.task_names)) == ["1-0"]


def test_resubmits_are_attempts_of_one_task_counted_by_what_came_before(tmp_path):
    rows = []
    for number, end in enumerate((EVICT, FAIL, FAIL, FINISH, KILL)):
        begin = 600 + 100 * number
        rows += [event(begin, SUBMIT), event(begin + 1, SCHEDULE), event(begin + 11, end)]
    rows.append(event(2000, SUBMIT))
    workload = lives(tmp_path, *rows)
    assert len(workload) == 6
    assert len(set(workload.trace_task.tolist())) == 1
    assert list(map(str, workload.task_names)) == ["1-0", *(f"1-0#{k}" for k in range(2, 7))]
    quirks = workload.provenance.quirks
    assert [quirks[f"resubmit_after_{end}"] for end in ("evict", "fail", "finish", "kill")] == [
        1, 2, 1, 1,
    ]  # fmt: skip
    assert workload.provenance.counts["tasks"] == 1


def test_population_at_time_zero_is_running_or_pending(tmp_path):
    workload = lives(
        tmp_path,
        event(0, SUBMIT, index=0, machine=5),
        event(0, SCHEDULE, index=0, machine=5, cpu=0.5),
        event(0, SUBMIT, index=1),
        event(900, FINISH, index=0, machine=5),
        event(950, SCHEDULE, index=1, machine=5),
    )
    assert workload.submit_s.tolist() == [0, 0]
    assert workload.duration_s.tolist() == [900, np.inf]
    counts = workload.provenance.counts
    assert (counts["running_at_start"], counts["pending_at_start"]) == (1, 1)
    assert workload.provenance.quirks["time_zero_rows"] == 3
    assert workload.nodes is None
    assert any("1 tasks running at time 0" in said for said in workload.provenance.assumptions)


def test_schedule_row_overrides_the_request_of_the_submit_row(tmp_path):
    workload = lives(
        tmp_path,
        event(600, SUBMIT, cpu=0.125, memory=0.25),
        event(601, SCHEDULE, cpu=0.25, memory=""),
        event(600 + 2, SUBMIT, index=1, cpu="", memory="", missing=2),
        event(603, SCHEDULE, index=1, cpu=0.5, memory=0.5),
    )
    assert workload.request.tolist() == [[16, 32 * 2**30], [32, 64 * 2**30]]
    quirks = workload.provenance.quirks
    assert quirks["request_changed_at_schedule"] == 1
    assert quirks["request_first_known_at_schedule"] == 1
    assert quirks["missing_info_exists_but_no_creation"] == 1
    assert quirks["request_empty_rows"] == 2


def test_updates_count_until_the_start_only(tmp_path):
    workload = lives(
        tmp_path,
        event(600, SUBMIT, cpu=0.125, priority=0),
        event(601, UPDATE_PENDING, cpu=0.25, priority=9),
        event(602, SCHEDULE, cpu=0.25, priority=9),
        event(603, UPDATE_RUNNING, cpu=0.5, priority=9),
        event(604, UPDATE_RUNNING, cpu=0.25, priority=9),
        event(605, UPDATE_RUNNING, index=7),
    )
    assert workload.request[0, 0] == 16
    assert workload.class_names[workload.task_class[0]] == "production"
    quirks = workload.provenance.quirks
    assert quirks["update_pending"] == 1
    assert quirks["update_running"] == 2
    assert quirks["update_running_request_ignored"] == 1
    assert quirks["update_without_submit"] == 1


def test_classes_follow_priority(tmp_path):
    rows = [event(600, SUBMIT, index=p, priority=p) for p in range(12)]
    workload = lives(tmp_path, *rows)
    names = [workload.class_names[c] for c in workload.task_class]
    assert names == ["batch"] * 9 + ["production", "system", "system"]


def test_attempts_that_never_started_get_the_fallback_length(tmp_path):
    rows = (event(600, SUBMIT), event(700, KILL), event(701, SUBMIT, index=1))
    workload = lives(tmp_path, *rows, fallback_duration_s=42.0)
    assert workload.duration_s.tolist() == [42, 42]
    quirks = workload.provenance.quirks
    assert quirks["never_started"] == 1
    assert quirks["never_started_pending_at_end"] == 1
    assert quirks["machine_empty_on_end"] == 1
    assert quirks["machine_empty_on_submit"] == 2


def test_rows_after_the_end_of_the_trace_leave_the_attempt_running(tmp_path):
    workload = lives(
        tmp_path, event(600, SUBMIT), event(601, SCHEDULE), event(AFTER_END, KILL, machine=5)
    )
    assert workload.duration_s.tolist() == [np.inf]
    assert workload.provenance.quirks["after_trace_end_rows"] == 1
    assert workload.provenance.counts["event_rows"] == 2


def test_request_that_no_row_tells_is_the_median_of_the_others(tmp_path):
    rows = [event(600, SUBMIT, index=i, cpu=c) for i, c in enumerate((0.125, 0.25, 0.5, ""))]
    workload = lives(tmp_path, *rows)
    assert workload.request[:, 0].tolist() == [8, 16, 32, 16]
    assert workload.provenance.quirks["request_filled_with_median"] == 1


def test_l4_zero_length_and_zero_request_are_data(tmp_path):
    workload = lives(
        tmp_path,
        event(600, SUBMIT, cpu=0, memory=0),
        event(601, SCHEDULE, cpu=0, memory=0),
        event(601, FINISH, cpu=0, memory=0),
    )
    assert workload.duration_s.tolist() == [0]
    assert workload.request.tolist() == [[0, 0]]
    assert workload.provenance.counts["zero_length"] == 1
    assert workload.provenance.quirks["request_cpu_zero_rows"] == 3
    assert workload.provenance.quirks["request_memory_zero_rows"] == 3


def test_merged_attempts_run_as_long_as_all_of_them(tmp_path):
    workload = lives(
        tmp_path,
        event(600, SUBMIT, job=2),
        event(600, SUBMIT, cpu=0.125),
        event(610, SCHEDULE),
        event(630, EVICT),
        event(640, SUBMIT, cpu=0.25),
        event(700, SCHEDULE, cpu=0.25),
        event(705, FINISH, cpu=0.25),
        event(800, SUBMIT, index=1),
        event(810, SCHEDULE, index=1),
        event(820, FAIL, index=1),
        event(830, SUBMIT, index=1),
        event(840, SCHEDULE, index=1),
        merge_attempts=True,
        fallback_duration_s=7,
    )
    assert list(map(str, workload.task_names)) == ["2-0", "1-0", "1-1"]
    assert workload.submit_s.tolist() == [600, 600, 800]
    assert workload.duration_s.tolist() == [7, 25, np.inf]
    assert workload.request[:, 0].tolist() == [8, 16, 8]


def test_g2_first_hour_stops_early(tmp_path):
    early = [event(600, SUBMIT), event(601, SCHEDULE)]
    write_part(tmp_path / "task_events" / "part-0.csv", early)
    # Never reached: only its first row is looked at, to know its place in time.
    write_part(tmp_path / "task_events" / "part-1.csv", [event(3600, KILL), "broken"])
    workload = read([tmp_path], until_s=3600, usage="request")
    assert workload.duration_s.tolist() == [np.inf]
    assert workload.provenance.counts["event_rows"] == 2


def test_record_of_an_attempt_stays_small():
    assert ATTEMPT.itemsize <= 72
