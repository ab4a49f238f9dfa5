from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from google2011_rows import (
    ADD,
    EVICT,
    FINISH,
    KILL,
    SCHEDULE,
    SUBMIT,
    event,
    machine,
    usage,
    write,
)

from flexsched.core.errors import InputError
from flexsched.core.workload import Workload
from flexsched.traces.google2011 import read
from flexsched.traces.google2011.quirks import RULES

GIB = 2**30


def run(index: int, start: float, end: float, *, on: int = 5, kind: int = FINISH) -> list[str]:
    return [
        event(start, SUBMIT, index=index),
        event(start, SCHEDULE, index=index, machine=on),
        event(end, kind, index=index, machine=on),
    ]


def by_time(*rows: str) -> list[str]:
    return sorted(rows, key=lambda row: int(row.split(",")[0]))


def load(root: Path, events: list[str], usages: list[str], **settings: object) -> Workload:
    workload = read([write(root, events, (), usages)], **settings)
    assert set(workload.provenance.quirks) <= set(RULES)
    return workload


def series(workload: Workload, task: int) -> np.ndarray:
    offset, length = workload.usage_offset[task], workload.usage_length[task]
    return np.asarray(workload.usage[offset : offset + length])


def test_g1_usage_is_attached_to_its_tasks(tmp_path):
    events = by_time(*(row for index in range(3) for row in run(index, 600, 1200)))
    usages = [
        usage(begin, begin + 300, index=index, cpu=(index + 1) / 64)
        for begin in (600, 900)
        for index in range(3)
    ]
    workload = load(tmp_path, events, usages)
    assert workload.provenance.counts["usage_rows_joined"] == 6
    assert "usage_without_task" not in workload.provenance.quirks
    assert workload.provenance.usage_kind == "measured"
    for index in range(3):
        assert series(workload, index).tolist() == [[index + 1, 16 * GIB]] * 2


def test_g1_usage_past_the_last_event_belongs_to_what_still_runs(tmp_path):
    events = [event(600, SUBMIT), event(600, SCHEDULE, machine=5)]
    workload = load(tmp_path, events, [usage(600, 900), usage(900, 1200)])
    assert workload.provenance.counts["usage_rows_joined"] == 2
    assert workload.usage_length.tolist() == [2]


def test_e3_usage_that_joins_nothing_is_refused(tmp_path):
    events, usages = run(0, 600, 1200), [usage(600, 900, job=77, index=3)]
    with pytest.raises(InputError) as refused:
        load(tmp_path, events, usages)
    text = str(refused.value)
    assert "task_usage" in text
    assert "77-3" in text
    assert "task_events" in text
    assert "1-0" in text
    assert load(tmp_path, events, usages, usage="request").provenance.usage_kind == "request"


def test_a8_orphans_are_counted_and_invent_nothing(tmp_path):
    usages = [
        usage(600, 900),
        usage(600, 900, index=9088),
        usage(3000, 3300),
    ]
    workload = load(tmp_path, run(0, 600, 1200), usages)
    assert len(workload) == 1
    assert workload.provenance.counts["usage_rows"] == 3
    assert workload.provenance.counts["usage_rows_joined"] == 1
    assert workload.provenance.quirks["usage_without_task"] == 1
    assert workload.provenance.quirks["usage_outside_attempt"] == 1


def test_g3_zero_columns_are_data(tmp_path):
    events = by_time(*(row for index in range(100) for row in run(index, 600, 900)))
    usages = [
        usage(600, 900, index=i, cpu=0 if i < 52 else 0.25, memory=0 if i == 99 else 0.25)
        for i in range(100)
    ]
    workload = load(tmp_path, events, usages)
    assert workload.provenance.counts["usage_rows_joined"] == 100
    assert workload.provenance.quirks["usage_cpu_zero"] == 52
    assert workload.provenance.quirks["usage_memory_zero"] == 1
    assert (workload.usage[:, 0] == 0).sum() == 52


def test_g3_usage_of_a_request_of_zero_has_no_ratio(tmp_path):
    events = [
        event(600, SUBMIT, cpu=0),
        event(600, SCHEDULE, cpu=0, machine=5),
        event(900, FINISH, cpu=0, machine=5),
    ]
    workload = load(tmp_path, events, [usage(600, 900, cpu=0.25)])
    assert series(workload, 0)[0, 0] == 16
    assert workload.provenance.quirks["usage_ratio_cpu_left_out"] == 1
    assert "usage_ratio_memory_left_out" not in workload.provenance.quirks


def test_windows_count_from_the_start_of_the_attempt_and_weigh_by_overlap(tmp_path):
    # Starts at 700: own windows [700, 1000) and [1000, 1300).
    usages = [usage(600, 900, cpu=0.25, memory=0.5), usage(900, 1200, cpu=0.5, memory=0.25)]
    workload = load(tmp_path, run(0, 700, 1300), usages)
    expected = [
        [64 * (0.25 * 200 + 0.5 * 100) / 300, 128 * GIB * (0.5 * 200 + 0.25 * 100) / 300],
        [64 * 0.5, 128 * GIB * 0.25],
    ]
    np.testing.assert_allclose(series(workload, 0), expected, rtol=1e-6)


def test_gaps_hold_the_value_before_and_the_first_one_at_the_beginning(tmp_path):
    usages = [usage(900, 1200, cpu=0.25), usage(1800, 2100, cpu=0.5)]
    workload = load(tmp_path, run(0, 600, 4000), usages)
    assert series(workload, 0)[:, 0].tolist() == [16, 16, 16, 16, 32]
    assert workload.provenance.quirks["series_windows_filled"] == 3
    assert workload.provenance.quirks["series_past_measurement"] == 1


def test_short_long_empty_and_overlapping_windows(tmp_path):
    usages = [
        usage(600, 650, cpu=0.5),
        usage(650, 900, cpu=0.5),
        usage(900, 1300, cpu=0.25),
        usage(900, 1200, cpu=0.75),
        usage(1200, 1200, cpu=1),
        usage(1201, 1200, cpu=1),
    ]
    workload = load(tmp_path, run(0, 600, 2000), usages)
    assert series(workload, 0)[:, 0].tolist() == [32, 32]
    quirks = workload.provenance.quirks
    assert quirks["usage_window_short"] == 2
    assert quirks["usage_window_long"] == 1
    assert quirks["usage_window_empty"] == 2
    assert quirks["series_windows_overlapping"] == 1


def test_empty_fields_and_peaks_below_the_mean_are_counted(tmp_path):
    usages = [
        usage(600, 900, cpu=0.5, peak=0.25, rest=""),
        usage(900, 1200, cpu=""),
        usage(1200, 1500, memory=""),
    ]
    workload = load(tmp_path, run(0, 600, 2000), usages)
    assert workload.usage_length.tolist() == [1]
    quirks = workload.provenance.quirks
    assert quirks["usage_peak_below_mean"] == 1
    assert quirks["usage_value_empty"] == 2
    for name in ("usage_max_io_empty", "usage_cpi_empty", "usage_mai_empty"):
        assert quirks[name] == 1


def test_two_attempts_in_one_window_are_told_apart_by_machine(tmp_path):
    events = run(0, 600, 700, on=5, kind=EVICT) + run(0, 720, 900, on=6)
    usages = [usage(600, 900, machine=5, cpu=0.25), usage(600, 900, machine=6, cpu=0.5)]
    workload = load(tmp_path, events, usages)
    assert [series(workload, task)[:, 0].tolist() for task in (0, 1)] == [[16], [32]]
    assert "usage_other_machine" not in workload.provenance.quirks


def test_unknown_machine_goes_to_the_latest_attempt_in_the_window(tmp_path):
    events = run(0, 600, 700, on=5, kind=EVICT) + run(0, 720, 900, on=6)
    workload = load(tmp_path, events, [usage(600, 900, machine=8, cpu=0.25)])
    assert series(workload, 1)[:, 0].tolist() == [16]
    assert workload.provenance.quirks["usage_other_machine"] == 1
    assert workload.provenance.counts["usage_measured"] == 1
    assert workload.provenance.counts["usage_drawn"] == 1
    assert workload.provenance.usage_kind == "hybrid"


def test_merged_attempts_join_their_series(tmp_path):
    events = run(0, 600, 900, kind=EVICT) + run(0, 1200, 1500)
    usages = [usage(600, 900, cpu=0.25), usage(1200, 1500, cpu=0.5)]
    workload = load(tmp_path, events, usages, merge_attempts=True)
    assert workload.duration_s.tolist() == [600]
    assert series(workload, 0)[:, 0].tolist() == [16, 32]


def test_attempts_of_no_length_take_no_usage(tmp_path):
    events = [*run(0, 700, 700, kind=KILL), *run(1, 700, 1000)]
    workload = load(tmp_path, events, [usage(600, 900), usage(600, 900, index=1)])
    assert workload.provenance.quirks["usage_outside_attempt"] == 1


def test_a2_request_above_its_own_machine_is_shown_with_both_numbers(tmp_path):
    events = [
        event(0, SUBMIT, memory=0.99996),
        event(0, SCHEDULE, memory=0.99996, machine=5),
        event(0, SUBMIT, index=1, memory=0.25),
        event(0, SCHEDULE, index=1, memory=0.25, machine=5),
    ]
    root = write(tmp_path, events, [machine(0, 5, ADD, 0.5, 0.68997)])
    workload = read([root], usage="request", node_memory_bytes=1.0)
    assert workload.request[0, 1] == 0.99996
    assert workload.provenance.quirks["request_above_machine"] == 1
    said = " ".join(workload.provenance.assumptions)
    assert "0.99996" in said
    assert "0.68997" in said
