import dataclasses
import math

import pyarrow as pa
import pytest
from fabricated_runs import fabricate

from flexsched.core.errors import InputError
from flexsched.report.tables import (
    calibration_rows,
    capacity_rows,
    flat_settings,
    overview_rows,
    unplaced_rows,
)
from flexsched.report.wording import percent


def with_shares(requested, used):
    run = fabricate(rows=len(requested))
    ticks = pa.table(
        {
            "request_cpu_fraction": pa.array(requested, pa.float64()),
            "usage_cpu_fraction": pa.array(used, pa.float64()),
        }
    )
    return dataclasses.replace(run, ticks=ticks)


def test_r1_idle_is_never_negative():
    (row,) = capacity_rows(with_shares([1.0], [10.0000000001 / 10]), ["cpu"])
    assert row.idle_fraction == 0
    assert math.copysign(1, row.idle_fraction) == 1
    assert percent(row.idle_fraction) == "0 %"


def test_r2_idle_under_overcommit():
    (row,) = capacity_rows(with_shares([1.74], [0.69]), ["cpu"])
    assert row.idle_fraction == pytest.approx(0.31)
    assert row.free_to_request_fraction == 0
    assert row.overcommit_fraction == pytest.approx(0.74)


def test_room_and_overcommitment_do_not_offset_each_other():
    (row,) = capacity_rows(with_shares([0.5, 1.5, None], [0.5, 0.7, None]), ["cpu"])
    assert row.requested_fraction == pytest.approx(1.0)
    assert row.free_to_request_fraction == pytest.approx(0.25)
    assert row.overcommit_fraction == pytest.approx(0.25)
    assert row.idle_fraction == pytest.approx(0.4)


def test_without_any_capacity_there_are_no_shares():
    (row,) = capacity_rows(with_shares([None], [None]), ["cpu"])
    assert percent(row.idle_fraction) == "–"


def test_e2_reasons_are_counted_from_the_tasks():
    rows = unplaced_rows(fabricate())
    assert [(row.state, row.reason, row.tasks) for row in rows] == [
        ("pending", "request", 5),
        ("pending", "", 1),
        ("rejected", "too_large", 2),
    ]
    # 20 finished and 3 running tasks come first.
    assert [row.example_name for row in rows] == ["task-23", "task-28", "task-29"]
    assert rows[0].example_detail == "memory short on 4000 of 4000 nodes (request)"
    assert rows[1].example_detail == ""


def test_e2_a_summary_that_counts_otherwise_is_refused():
    run = fabricate()
    run.summary["counts"]["pending"] = 7
    with pytest.raises(InputError, match="summary's 7 pending tasks, got 6"):
        unplaced_rows(run)


def test_nothing_unplaced():
    assert unplaced_rows(fabricate(unplaced={})) == []


def test_overview_has_one_value_per_run():
    runs = [fabricate("least-fit", rows=5), fabricate("flex-f", rows=5)]
    table = dict(overview_rows(runs, ["cpu", "memory"]))
    assert table["CPU requested, mean"][0] == percent(
        sum(runs[0].ticks["request_cpu_fraction"].to_pylist()) / 5
    )
    assert table["Estimation penalty, mean"][0] == "–"
    assert table["Wait, 95 of 100 tasks below"] == ["2 min", "2 min"]


def test_figures_that_miss_their_target_say_so():
    rows = [
        {"figure": "near", "target": 0.5, "got": 0.503, "difference": 0.006},
        {"figure": "far", "target": 10.0, "got": 7.412, "difference": -0.2588},
        {"figure": "words", "target": "a few", "got": 3.0, "difference": None},
    ]
    assert calibration_rows(rows) == [
        ("near", "0.5", "0.503", "+0.6 %"),
        ("far", "10", "7.41", "-26 %, misses"),
        ("words", "a few", "3", "–"),
    ]


def test_settings_are_flattened():
    nested = {"seed": 7, "settings": {"alpha": 0.98, "tie": "first"}, "none": None}
    assert list(flat_settings(nested)) == [
        ("seed", "7"), ("settings.alpha", "0.98"), ("settings.tie", "first"), ("none", "null"),
    ]  # fmt: skip
