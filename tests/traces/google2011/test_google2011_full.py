"""Reads the real files (see the shared_data fixture); figures are those published with them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from flexsched.core.workload import Workload
from flexsched.traces.google2011 import read


@pytest.fixture(scope="module")
def workload(shared_data: Path) -> Workload:
    return read([shared_data / "google2011"], node_cores=1.0, node_memory_bytes=1.0)


def test_rows_tasks_and_jobs(workload):
    counts = workload.provenance.counts
    assert counts["event_rows"] == 803_964
    assert counts["tasks"] == 274_536
    assert counts["jobs"] == 8_464
    # One attempt per SUBMIT row.
    assert counts["attempts"] == len(workload) == 322_739


def test_population_at_time_zero(workload):
    counts = workload.provenance.counts
    assert counts["running_at_start"] == (workload.start_node >= 0).sum() == 132_982
    assert counts["pending_at_start"] == 11_357
    running = workload.request[workload.start_node >= 0].sum(axis=0)
    np.testing.assert_allclose(running / [6603.25, 5862.75], [1.13, 0.93], atol=0.005)


def test_machines_at_time_zero(workload):
    nodes, quirks = workload.nodes, workload.provenance.quirks
    assert nodes is not None
    assert quirks["machine_inferred"] == 13
    at_start = np.flatnonzero(nodes.from_s == 0)
    assert len(at_start) == 12_477 + 13
    # The 13 come first; each has half a CPU, as its own later row or most machines.
    listed = nodes.capacity[at_start[13:]].sum(axis=0)
    np.testing.assert_allclose(listed, [6603.25, 5862.75], atol=0.01)
    assert (nodes.capacity[:13, 0] == 0.5).all()


def test_quirks_of_the_data_sets_own_list(workload):
    quirks = workload.provenance.quirks
    expected = {
        "request_changed_at_schedule": 37_313,
        "missing_info_exists_but_no_creation": 291,
        "request_empty_rows": 291,
        "task_events_scientific_notation": 376,
        "request_cpu_zero_rows": 3_291,
        "request_memory_zero_rows": 207,
        "machine_add_without_capacity": 32,
        # Event types as in the format document: 3 is FAIL, 5 is KILL.
        "resubmit_after_kill": 20_610,
        "resubmit_after_evict": 19_825,
        "resubmit_after_fail": 6_510,
        "resubmit_after_finish": 1_258,
        "usage_window_short": 10,
        "usage_peak_below_mean": 4,
        "usage_cpu_zero": 272,
        "usage_memory_zero": 271,
    }
    assert {name: quirks[name] for name in expected} == expected


def test_tasks_by_priority_at_time_zero(workload):
    at_start = workload.priority[workload.submit_s == 0]
    expected = {0: 42_226, 1: 17_566, 2: 25_385, 8: 3_108, 9: 48_702, 10: 811, 11: 6_541}
    assert Counter(at_start.tolist()) == expected


def test_all_usage_rows_join(workload):
    counts = workload.provenance.counts
    assert counts["usage_rows"] == counts["usage_rows_joined"] == 10_000
    assert counts["usage_measured"] == 10_000
    assert workload.provenance.usage_kind == "hybrid"


def test_lengths_of_attempts(workload):
    lasted = workload.duration_s[(workload.submit_s > 0) & np.isfinite(workload.duration_s)]
    lasted = lasted[lasted != 259]
    # Attempts that waited at time 0 are left out here, and change little.
    np.testing.assert_allclose(np.percentile(lasted, [25, 50, 75]), [92, 259, 667], rtol=0.05)


def test_running_tasks_use_the_published_share_of_their_requests(workload):
    facts = workload.provenance.counts
    assert facts["outlive_the_data"] == 140_502
    drawn = (workload.usage_length > 3) & (workload.start_node >= 0)
    total = np.zeros(2)
    for window in range(4, 60, 11):
        alive = drawn & (workload.usage_length > window)
        at = workload.usage_offset[alive] + window
        total += workload.usage[at].sum(axis=0, dtype=np.float64) / workload.request[alive].sum(
            axis=0
        )
    # Mean of six moments of the day's first hours; the shapes' own day goes up and down 10 %.
    np.testing.assert_allclose(total / 6, [0.39, 0.56], rtol=0.1)


def test_first_hour(shared_data: Path, workload: Workload):
    hour = read([shared_data / "google2011"], node_cores=1.0, node_memory_bytes=1.0, until_s=3600)
    assert len(hour) == (workload.submit_s < 3600).sum()
    ended = np.isfinite(hour.duration_s) & (hour.duration_s != 259)
    np.testing.assert_array_equal(hour.duration_s[ended], workload.duration_s[: len(hour)][ended])
