"""The public face of the package."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import flexsched as fs


def test_every_public_name_is_there() -> None:
    assert fs.__all__ == sorted(fs.__all__)
    assert dir(fs) == fs.__all__
    for name in fs.__all__:
        assert getattr(fs, name) is not None


def test_functions_stay_functions_whatever_was_imported_before() -> None:
    # A submodule becomes an attribute of its package, under the name of the function in it.
    for module in ("experiments", "simulator.simulate"):
        importlib.import_module(f"flexsched.{module}")
    for name in ("compare", "simulate", "synthesize", "read_workload", "write_workload"):
        assert callable(getattr(fs, name))


def test_other_names_are_no_part_of_it() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sheduler'"):
        _ = fs.Sheduler


def test_the_documented_example(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text("tasks: [{name: t, count: 3, duration: 10m, requests: {cpu: 32}}]")
    workload = fs.read_workload(str(path))
    cluster = fs.Cluster.uniform(2, cpu_cores=64, memory_bytes=128 * 2**30)
    run = fs.simulate(workload, cluster=cluster, policy=fs.FlexF())
    assert run.ticks["running"].to_pylist()[0] == 3
    assert run.ticks.to_pandas is not None
    assert run.summary["counts"]["finished"] == 3
    run_folder = tmp_path / "run"
    run.save(run_folder)
    policies = [fs.LeastFit(), fs.FlexF(target_qos=0.98)]
    comparison = fs.compare(workload, policies=policies, cluster=cluster)
    comparison.report(str(tmp_path / "report.html"))
    assert "FlexF (target_qos=0.98)" in (tmp_path / "report.html").read_text()
