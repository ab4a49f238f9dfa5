"""``compare`` and what it hands back."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

import flexsched as fs
from flexsched.core.errors import InputError, OutputError, SettingError
from flexsched.experiments import Comparison, reproduce
from flexsched.experiments.output import find_runs, folder_name
from flexsched.simulator import Row
from flexsched.traces.synthetic import paper_nodes


@pytest.fixture(scope="module")
def workload() -> fs.Workload:
    return fs.synthesize(tasks=300, hours=1)


CLUSTER = fs.Cluster.uniform(3)
POLICIES = (fs.FlexL(), fs.LeastFit(), fs.FlexF(alpha=0.9))


def test_each_run_is_what_simulate_gives(workload: fs.Workload) -> None:
    comparison = fs.compare(workload, POLICIES, cluster=CLUSTER, tick_s=120.0, seed=4, jobs=2)
    assert [run.label for run in comparison.runs] == ["flex-l", "least-fit", "flex-f:alpha=0.9"]
    for policy, run in zip(POLICIES, comparison.runs, strict=True):
        alone = fs.simulate(workload, CLUSTER, policy, tick_s=120.0, seed=4)
        assert run.ticks.equals(alone.ticks)
        assert run.tasks.equals(alone.tasks)
    assert list(comparison.summary["policies"]) == [run.label for run in comparison.runs]


def test_settings_reach_the_runs(workload: fs.Workload) -> None:
    comparison = fs.compare(
        workload, [fs.FlexF()], cluster=CLUSTER, horizon_s=600.0, contention="paper",
        demand_scale=1.2,
    )  # fmt: skip
    info = comparison.runs[0].info
    assert (info["horizon_s"], info["contention"], info["demand_scale"]) == (600.0, "paper", 1.2)


def test_progress_hears_every_row_of_every_run(workload: fs.Workload) -> None:
    seen: dict[str, list[float]] = {}
    threads = set()

    def progress(label: str, row: Row) -> None:
        seen.setdefault(label, []).append(row.t_s)
        threads.add(threading.current_thread())

    fs.compare(workload, POLICIES, cluster=CLUSTER, jobs=1, progress=progress)
    assert seen == {p.label(): [60.0 * i for i in range(60)] for p in POLICIES}
    assert len(threads) == 1


def test_what_progress_raises_ends_all_runs(workload: fs.Workload) -> None:
    rows: dict[str, int] = {}

    def progress(label: str, row: Row) -> None:
        rows[label] = rows.get(label, 0) + 1
        if label == "flex-l" and row.t_s == 300.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fs.compare(workload, POLICIES, cluster=CLUSTER, jobs=1, progress=progress)
    assert rows == {"flex-l": 6}


def test_what_cannot_be_compared(workload: fs.Workload) -> None:
    with pytest.raises(SettingError, match="at least one policy"):
        fs.compare(workload, [], cluster=CLUSTER)
    with pytest.raises(SettingError, match="got flex-f twice"):
        fs.compare(workload, [fs.FlexF(), fs.FlexF()], cluster=CLUSTER)
    with pytest.raises(SettingError, match="jobs"):
        fs.compare(workload, [fs.FlexF()], cluster=CLUSTER, jobs=0)
    with pytest.raises(SettingError, match="brings no nodes"):
        fs.compare(workload, POLICIES)


def test_save_and_load(workload: fs.Workload, tmp_path: Path) -> None:
    comparison = fs.compare(workload, POLICIES, cluster=CLUSTER)
    comparison.save(tmp_path / "out")
    again = Comparison.load([tmp_path / "out"])
    assert {run.label: run.summary for run in again.runs} == comparison.summary["policies"]
    by_label = {run.label: run for run in again.runs}
    for run in comparison.runs:
        assert by_label[run.label].tasks.equals(run.tasks)
    with pytest.raises(OutputError, match="exists"):
        comparison.save(tmp_path / "out")
    comparison.save(tmp_path / "out", force=True)
    assert find_runs(tmp_path / "out" / "runs" / "flex-l") == [tmp_path / "out" / "runs" / "flex-l"]
    # A run that was not finished is no run.
    (tmp_path / "out" / "runs" / "flex-l" / "ticks.parquet").unlink()
    with pytest.raises(InputError, match="expected a run folder"):
        Comparison.load([tmp_path / "out"])


def test_a_comparison_needs_runs_that_belong_together(workload: fs.Workload) -> None:
    one = fs.simulate(workload, CLUSTER, fs.LeastFit())
    other = fs.simulate(workload, fs.Cluster.uniform(4), fs.FlexF())
    with pytest.raises(InputError, match="same cluster"):
        Comparison((one, other))
    with pytest.raises(InputError, match="got least-fit twice"):
        Comparison((one, one))
    with pytest.raises(InputError, match="at least one run"):
        Comparison(())


def test_it_shows_itself_in_a_notebook(workload: fs.Workload) -> None:
    comparison = fs.compare(workload, POLICIES[:2], cluster=CLUSTER)
    shown = comparison._repr_mimebundle_()
    bundle = shown[0] if isinstance(shown, tuple) else shown
    assert any("vega" in kind or "html" in kind for kind in bundle)
    assert "figure-8-qos" in comparison.charts()


def test_reproduce_compares_the_papers_policies_on_its_load() -> None:
    comparison = reproduce(tasks=400, hours=1, seed=1)
    assert list(comparison.summary["policies"]) == ["least-fit", "oversub", "flex-f", "flex-l"]
    assert comparison.summary["cluster"]["nodes"] == paper_nodes(400, 1)
    fewer = reproduce(nodes=2, tasks=400, hours=1, seed=1)
    assert fewer.summary["cluster"] == {
        "nodes": 2, "cpu_cores": 128.0, "memory_bytes": 256.0 * 2**30
    }  # fmt: skip
    json.dumps(fewer.summary, allow_nan=False)


def test_labels_as_folder_names() -> None:
    assert folder_name("flex-f:alpha=0.98,beta=2") == "flex-f:alpha=0.98,beta=2"
    assert "/" not in folder_name("flex-f:estimator=a/b")
    assert folder_name("x:estimator=a/b") != folder_name("x:estimator=a-b")
    long = "flex-f:" + "x" * 400
    assert len(folder_name(long)) < 255
    assert folder_name(long) != folder_name(long + "y")
