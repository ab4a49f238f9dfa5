"""``flexsched trace`` and the catalogues, up to a report on a real trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from flexsched.traces import read_workload

GOOGLE = Path(__file__).parents[1] / "data" / "google2011"


def test_a_real_trace_from_its_files_to_the_report(
    flexsched: Callable[..., Any], tmp_path: Path
) -> None:
    stored, out = tmp_path / "workload", tmp_path / "out"
    imported = flexsched("trace", "import", "google2011", GOOGLE, "--out", stored)
    assert imported.code == 0, imported.err
    assert "hybrid usage" in imported.out
    document = json.loads((stored / "workload.json").read_text())
    assert document["quirks"]
    for name in document["quirks"]:
        assert name.replace("_", " ") in imported.out
    done = flexsched("compare", stored, "--policies", "least-fit,flex-f", "--out", out)
    assert done.code == 0, done.err
    assert "irregularities of the source were skipped, mended or filled in" in done.out
    tasks = pq.read_table(out / "runs" / "flex-f" / "tasks.parquet")
    assert tasks.num_rows == pq.read_table(stored / "tasks.parquet").num_rows
    page = (out / "report.html").read_text()
    assert "Usage is hybrid" in page
    for name in document["quirks"]:
        assert name.replace("_", " ") in page


def test_settings_of_the_reader(flexsched: Callable[..., Any], tmp_path: Path) -> None:
    words = ("trace", "import", "google2011", GOOGLE)
    settings = ("--set", "node_cores=32", "--set", "merge_attempts=true", "--set", "usage=request")
    done = flexsched(*words, *settings, "--json", "--out", tmp_path / "small")
    assert done.code == 0, done.err
    assert json.loads(done.out)["usage_kind"] == "request"
    whole = flexsched(*words, "--out", tmp_path / "whole")
    assert whole.code == 0
    small, large = read_workload(tmp_path / "small"), read_workload(tmp_path / "whole")
    assert small.nodes is not None
    assert large.nodes is not None
    assert small.nodes.capacity[:, 0].max() == large.nodes.capacity[:, 0].max() / 2
    assert len(small) < len(large)
    refused = flexsched(*words, "--set", "node_core=3", "--out", tmp_path / "no")
    assert refused.code == 2
    assert "did you mean node_cores?" in refused.err
    unknown = flexsched("trace", "import", "google2012", GOOGLE, "--out", tmp_path / "no")
    assert unknown.code == 2
    assert "did you mean google2011?" in unknown.err
    assert not (tmp_path / "no").exists()


def test_synthesize_prints_its_fit(flexsched: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "workload"
    words = ("trace", "synthesize", "--tasks", "500", "--hours", "2", "--seed", "4", "--out", out)
    done = flexsched(*words)
    assert done.code == 0, done.err
    header = done.out.splitlines()[0].split()
    assert header == ["figure", "target", "got", "difference"]
    rows = json.loads(flexsched(*words, "--force", "--json").out)
    assert rows
    for row in rows:
        assert set(row) == {"figure", "target", "got", "difference"}
        assert row["figure"] in done.out
    stored = read_workload(out)
    assert (len(stored), stored.horizon_s) == (500, 7200.0)
    refused = flexsched(*words)
    assert refused.code == 1
    assert "--force" in refused.err


def test_check_of_a_workload_with_and_without_an_error(
    flexsched: Callable[..., Any], crowded: Path, endless: Path, tmp_path: Path
) -> None:
    assert flexsched("trace", "check", crowded).out == "nothing looks wrong\n"
    assert json.loads(flexsched("trace", "check", crowded, "--json").out) == []
    fine = flexsched("trace", "check", endless)
    assert fine.code == 0
    assert fine.out.startswith("errors: 0, warnings: 1, notes: 1\n")
    line = next(line for line in fine.out.splitlines() if "endless" in line)
    assert line.split() == ["note", "endless", "10", "100", "%", "t-0"]
    hopeless = tmp_path / "hopeless.yaml"
    hopeless.write_text("nodes: [{name: n, cpu: 1}]\ntasks: [{name: a, requests: {cpu: 2}}]")
    refused = flexsched("trace", "check", hopeless, "--json")
    assert refused.code == 1
    assert "larger_than_every_node" in refused.err
    found = {finding["rule"]: finding for finding in json.loads(refused.out)}
    assert found["larger_than_every_node"]["severity"] == "error"


def test_info(flexsched: Callable[..., Any], crowded: Path) -> None:
    document = json.loads(flexsched("trace", "info", crowded, "--json").out)
    assert document["counts"]["tasks"] == 3
    assert document["resources"]["cpu"]["request"]["mean"] == 2.0
    text = flexsched("trace", "info", crowded).out
    assert text.startswith(document["verdict"])
    lines = [line.split() for line in text.splitlines()]
    assert ["tasks", "3"] in lines
    assert ["request,", "mean", "2", "cores", "1.0GiB"] in lines
    assert ["usage,", "largest", "1", "cores", "512.0MiB"] in lines
    assert ["task", "length,", "mean", "10", "min"] in lines
    fit = flexsched("trace", "info", "synthetic:google2011?tasks=300&hours=1").out
    assert "target" in fit


def test_policies_with_their_settings(flexsched: Callable[..., Any]) -> None:
    found = {policy["name"]: policy for policy in json.loads(flexsched("policies", "--json").out)}
    assert list(found) == ["least-fit", "oversub", "flex-f", "flex-l", "first-fit", "best-fit",
                           "random"]  # fmt: skip
    assert found["flex-f"]["settings"]["alpha"]["default"] == 0.99
    assert found["oversub"]["settings"]["factor"]["default"] == 2.0
    text = flexsched("policies").out
    lines = [line.split() for line in text.splitlines()]
    starts = [" ".join(line[:9]) for line in lines]
    assert "controller flex flex | paper | fixed | none" in starts
    assert "alpha 0.99 number > 0 and < 1 factor" in starts
    assert all(setting["description"] for each in found.values()
               for setting in each["settings"].values())  # fmt: skip
    assert max(map(len, text.splitlines())) <= 160


def test_estimators_and_formats(flexsched: Callable[..., Any]) -> None:
    names = [kind["name"] for kind in json.loads(flexsched("estimators", "--json").out)]
    assert names == ["last", "previous-tick"]
    assert "last measured usage" in flexsched("estimators").out
    (google,) = json.loads(flexsched("formats", "--json").out)
    assert google["name"] == "google2011"
    assert google["settings"]["node_cores"]["default"] == 64.0
    assert google["settings"]["until_s"]["default"] is None
    assert google["settings"]["usage"]["enum"] == ["auto", "request"]
    assert all(setting["description"] for setting in google["settings"].values())
    text = flexsched("formats").out
    assert "CC-BY 4.0" in text
    (line,) = [line.split() for line in text.splitlines() if "node_cores" in line]
    assert line[:4] == ["node_cores", "64", "number", "CPU"]
