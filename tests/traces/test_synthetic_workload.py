"""The synthetic workload as a whole: same bytes, all sizes, its shape."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from flexsched.core.errors import OutputError, SettingError
from flexsched.core.workload import Workload
from flexsched.traces import synthetic
from flexsched.traces.synthetic import series, usage
from flexsched.traces.synthetic.google2011 import generate

SMALL = 3000


@pytest.fixture(scope="module")
def small() -> Workload:
    return synthetic.synthesize(tasks=SMALL)


def content(workload: Workload) -> str:
    names = "".join(workload.task_names.to_pylist())
    return f"{workload.digest} {workload.task_class.tobytes().hex()} {names}"


def test_same_seed_same_bytes_other_seed_other_bytes(small: Workload) -> None:
    assert content(synthetic.synthesize(tasks=SMALL)) == content(small)
    assert content(synthetic.synthesize(tasks=SMALL, seed=1)) != content(small)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_do_not_matter(
    workers: int, small: Workload, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "CHUNK_ROWS", 1000)
    got = generate(SMALL, 24.0, 0, None, 1.0, None, workers)
    assert got.usage.tobytes() == small.usage.tobytes()


def test_large_usage_goes_through_a_file_without_a_name(
    small: Workload, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(usage, "LARGEST_IN_MEMORY_BYTES", 0)
    monkeypatch.setattr(usage, "CHUNK_ROWS", 5000)
    got = synthetic.synthesize(tasks=SMALL, scratch=tmp_path)
    assert isinstance(got.usage, np.memmap)
    assert not got.usage.flags.writeable
    assert got.digest == small.digest
    assert got.provenance == small.provenance
    assert list(tmp_path.iterdir()) == []


def test_scratch_that_cannot_be_written_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(usage, "LARGEST_IN_MEMORY_BYTES", 0)
    with pytest.raises(OutputError, match="MiB of usage series"):
        synthetic.synthesize(tasks=10, scratch=tmp_path / "missing")


def test_rows_are_laid_out_without_gaps_or_overlaps(small: Workload) -> None:
    assert small.usage_offset[0] == 0
    assert (small.usage_offset[1:] == (small.usage_offset + small.usage_length)[:-1]).all()
    assert small.usage_length.sum() == len(small.usage)
    for task in range(0, SMALL, 7):
        seen_s = min(small.duration_s[task], 86_400 - small.submit_s[task])
        assert small.usage_length[task] == max(1, -(-seen_s // 300))
    assert small.usage_length.max() == 288
    assert small.usage.dtype == np.float32


def test_tasks_are_in_order_of_submission_and_named_by_job(small: Workload) -> None:
    assert (np.diff(small.submit_s) >= 0).all()
    assert (small.start_node == -1).all()
    assert len(set(small.task_names.to_pylist())) == SMALL
    last = small.source[-1]
    number = np.count_nonzero(small.source == last) - 1
    assert small.task_names[SMALL - 1].as_py() == f"job-{last}/{number}"
    assert small.source_names[int(last)].as_py() == f"job-{last}"


def test_tasks_of_a_job_share_submission_request_and_priority(small: Workload) -> None:
    for column in (small.submit_s, small.priority, *small.request.T):
        lowest = np.full(len(small.source_names), np.inf)
        highest = np.full(len(small.source_names), -np.inf)
        np.minimum.at(lowest, small.source, column)
        np.maximum.at(highest, small.source, column)
        assert (lowest == highest).all()


def test_classes_follow_priorities(small: Workload) -> None:
    for priority, name in ((0, "batch"), (2, "batch"), (9, "production"), (11, "system")):
        classes = small.task_class[small.priority == priority]
        assert {small.class_names[index] for index in classes} == {name}


def test_demand_scale_changes_usage_only(small: Workload) -> None:
    double = synthetic.synthesize(tasks=SMALL, demand_scale=2.0)
    assert (double.request == small.request).all()
    assert (double.submit_s == small.submit_s).all()
    np.testing.assert_allclose(double.usage, small.usage * 2, rtol=1e-6)


@pytest.mark.parametrize("tasks", [1, 2, 3, 17])
@pytest.mark.parametrize("hours", [1.0, 24.0, 0.01])
def test_smallest_sizes(tasks: int, hours: float) -> None:
    workload = synthetic.synthesize(tasks=tasks, hours=hours)
    assert len(workload) == tasks
    assert workload.submit_s.max() <= hours * 3600
    assert np.isfinite(workload.usage).all()
    assert workload.provenance.counts["nodes"] >= 1


def test_nodes_alone_set_the_tasks_and_beside_tasks_change_nothing(small: Workload) -> None:
    by_nodes = synthetic.synthesize(nodes=40)
    assert len(by_nodes) == 7140
    crowded = synthetic.synthesize(tasks=SMALL, nodes=10)
    assert crowded.digest == small.digest
    assert crowded.provenance.counts["nodes"] == 10


def test_paper_nodes() -> None:
    assert synthetic.paper_nodes(714_030) == 4000
    assert synthetic.paper_nodes(7_140_300) == 40_000
    assert synthetic.paper_nodes(1) == 1
    # One hour holds the base of 144,339 tasks and a 24th of the 569,691 arrivals.
    assert synthetic.paper_nodes(144_339 + 23_737, 1.0) == 4000


@pytest.mark.parametrize(
    ("setting", "value"),
    [("tasks", 0), ("tasks", 1.5), ("hours", 0), ("hours", float("inf")), ("hours", float("nan")),
     ("seed", -1), ("nodes", 0), ("demand_scale", -1.0)],
)  # fmt: skip
def test_impossible_settings_are_refused(setting: str, value: float) -> None:
    with pytest.raises(SettingError, match=setting):
        synthetic.synthesize(**{"tasks": 10, setting: value})


def test_unknown_name_is_refused_with_the_known_ones() -> None:
    assert synthetic.catalogue() == ("google2011",)
    with pytest.raises(SettingError, match="google2011"):
        synthetic.synthesize("borg")


def test_tasks_of_a_job_peak_together() -> None:
    """Correlation of CPU series over a day: far higher within jobs than across (oracle)."""
    workload = synthetic.synthesize(tasks=20_000)
    whole = np.flatnonzero((workload.usage_length == 288) & (workload.request[:, 0] > 0))
    within, across = [], []
    for task, other in pairwise(whole):
        same = workload.source[task] == workload.source[other]
        (within if same else across).append(correlation(workload, task, other))
    assert min(len(within), len(across)) > 50
    assert np.mean(within) > np.mean(across) + 0.15


def correlation(workload: Workload, task: int, other: int) -> float:
    first, second = (
        workload.usage[workload.usage_offset[t] : workload.usage_offset[t] + 288, 0].astype(float)
        for t in (task, other)
    )
    return float(np.corrcoef(first, second)[0, 1])


def test_plain_python_gives_the_same_rows_as_the_compiled_kernel() -> None:
    kernel = series.fill_jobs
    plain = getattr(kernel, "py_func", kernel)
    arguments = (
        np.array([0, 2, 3]), np.array([3, 1, 5]), np.full((3, 2), 0.5), np.array([64.0, 64.0]),
        np.array([0.0, 0.25]), 1 / 288, np.array([0, 1]), usage._shapes(),
        np.array([11, 12], np.uint64), np.array([1, 2, 3], np.uint64),
    )  # fmt: skip
    rows, expected = np.empty((9, 2), np.float32), np.empty((9, 2), np.float32)
    kernel(rows, *arguments)
    plain(expected, *arguments)
    np.testing.assert_array_equal(rows, expected)
