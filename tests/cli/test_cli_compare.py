"""``flexsched compare``, ``reproduce`` and ``report``: folders, output, what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

TABLES = ("ticks.parquet", "tasks.parquet", "nodes.parquet")


def _figures(folder: Path) -> set[str]:
    return {path.stem for path in folder.iterdir()}


def test_the_comparison_folder_is_as_documented(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    policies = "least-fit,flex-f:alpha=0.98,beta=2,flex-l"
    done = flexsched("compare", crowded, "--policies", policies, "--out", out)
    assert done.code == 0, done.err
    labels = ["flex-f:alpha=0.98,beta=2", "flex-l", "least-fit"]
    assert sorted(path.name for path in (out / "runs").iterdir()) == labels
    for label in labels:
        found = {path.name for path in (out / "runs" / label).iterdir()}
        assert found == {"run.json", "summary.json", *TABLES}
    assert {path.name for path in out.iterdir()} == {
        "runs", "summary.json", "report.html", "figures"
    }  # fmt: skip
    suffixes = {path.suffix for path in (out / "figures").iterdir()}
    assert suffixes == {".svg", ".pdf", ".png"}
    assert {"figure-6-request-cpu", "figure-7b-violations", "figure-8-penalty"} <= _figures(
        out / "figures"
    )
    summary = json.loads((out / "summary.json").read_text())
    assert list(summary["policies"]) == ["least-fit", "flex-f:alpha=0.98,beta=2", "flex-l"]
    for label in labels:
        own = json.loads((out / "runs" / label / "summary.json").read_text())
        assert own["policies"][label] == summary["policies"][label]
    page = (out / "report.html").read_text()
    assert page.count(f"flexsched compare {crowded}") == 1
    assert str(out / "report.html") in done.out


def test_without_a_folder_nothing_is_written(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = flexsched("compare", crowded, "--policies", "least-fit,flex-f", "--json")
    document = json.loads(done.out)
    assert set(document["policies"]) == {"least-fit", "flex-f"} == set(document["unplaced"])
    assert [path.name for path in tmp_path.iterdir()] == ["crowded.yaml"]


def test_any_number_of_jobs_gives_the_same_bytes(
    flexsched: Callable[..., Any], tmp_path: Path
) -> None:
    workload = "synthetic:google2011?tasks=400&hours=1"
    policies = ("random,least-fit,flex-f", "flex-f,random,least-fit")
    for jobs, order in zip(("1", "3"), policies, strict=True):
        done = flexsched("compare", workload, "--nodes", "3", "--policies", order,
                         "--jobs", jobs, "--seed", "5", "--out", tmp_path / jobs)  # fmt: skip
        assert done.code == 0, done.err
    for run in (tmp_path / "1" / "runs").iterdir():
        for table in TABLES:
            other = tmp_path / "3" / "runs" / run.name / table
            assert (run / table).read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    ("policies", "said"),
    [
        ("flex-f,lest-fit", "unknown policy lest-fit, did you mean least-fit?"),
        ("flex-f,flex-f", "got flex-f twice"),
        ("flex-f:alpha", "expected key=value, got 'alpha'"),
        ("flex-f:alpha=0.9,alhpa=2", "unknown setting 'alhpa' of flex-f"),
        ("", "unknown policy"),
        ("alpha=0.9", "unknown policy alpha=0.9"),
    ],
)
def test_policies_that_cannot_be_are_refused(
    flexsched: Callable[..., Any], crowded: Path, policies: str, said: str
) -> None:
    refused = flexsched("compare", crowded, "--policies", policies)
    assert refused.code == 2
    assert said in refused.err


def test_an_existing_comparison_is_refused_before_any_work(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    asked = ("compare", crowded, "--policies", "flex-f", "--out", tmp_path / "out")
    refused = flexsched(*asked)
    assert (refused.code, "simulating" in refused.err) == (1, False)
    assert flexsched(*asked, "--force").code == 1
    assert (tmp_path / "out" / "mine.txt").read_text() == "mine"


def test_reproduce_small(flexsched: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = flexsched("reproduce", "--tasks", "600", "--hours", "1", "--seed", "2", "--out", out)
    assert done.code == 0, done.err
    summary = json.loads((out / "summary.json").read_text())
    assert list(summary["policies"]) == ["least-fit", "oversub", "flex-f", "flex-l"]
    assert summary["seed"] == 2
    assert summary["workload"]["usage_kind"] == "synthetic"
    assert summary["policies"]["least-fit"]["counts"]["submitted"] == 600
    ticks = pq.read_table(out / "runs" / "flex-f" / "ticks.parquet")
    assert ticks["t_s"].to_pylist() == [60.0 * i for i in range(60)]
    for text in ("FlexF admits", "Offered load", "1.74x", "difference",
                 "Usage series are synthetic", f"Report: {out / 'report.html'}"):  # fmt: skip
        assert text in done.out
    assert {"figure-6-usage-memory", "figure-7a-qos-cdf", "figure-8-qos",
            "figure-9-imbalance-memory"} <= _figures(out / "figures")  # fmt: skip


def test_reproduce_refuses_nonsense(flexsched: Callable[..., Any], tmp_path: Path) -> None:
    refused = flexsched("reproduce", "--tasks", "10", "--hours", "-1", "--out", tmp_path / "out")
    assert refused.code == 2
    assert "hours" in refused.err
    assert list(tmp_path.iterdir()) == []


def test_report_is_rebuilt_from_what_is_there(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    flexsched("compare", crowded, "--policies", "least-fit,flex-f", "--out", out)
    page, figures = (out / "report.html").read_text(), _figures(out / "figures")
    (out / "report.html").write_text("spoilt")
    (out / "figures" / "figure-8-qos.svg").write_text("spoilt")
    done = flexsched("report", out)
    assert (done.code, done.out) == (0, f"Report: {out / 'report.html'}\n")
    assert (out / "report.html").read_text() == page
    assert _figures(out / "figures") == figures
    document = json.loads(flexsched("report", out, "--json").out)
    assert document["report"] == str(out / "report.html")
    assert {Path(path).stem for path in document["figures"]} == figures
    assert document["summary"] == json.loads((out / "summary.json").read_text())
    assert "</svg>" in (out / "figures" / "figure-8-qos.svg").read_text()


def test_report_of_one_run_and_of_several(
    flexsched: Callable[..., Any], crowded: Path, tmp_path: Path
) -> None:
    for policy in ("least-fit", "flex-f"):
        words = ("--policy", policy, "--out", tmp_path / policy)
        flexsched("simulate", crowded, *words)
    assert flexsched("report", tmp_path / "flex-f").code == 0
    assert (tmp_path / "flex-f" / "report.html").is_file()
    runs = (tmp_path / "least-fit", tmp_path / "flex-f")
    both = flexsched("report", *runs, "--out", tmp_path / "both")
    assert both.code == 0, both.err
    summary = json.loads((tmp_path / "both" / "summary.json").read_text())
    assert list(summary["policies"]) == ["least-fit", "flex-f"]
    twice = flexsched("report", *runs, tmp_path / "both", "--out", tmp_path / "twice")
    assert twice.code == 1
    assert "got least-fit twice" in twice.err
    assert not (tmp_path / "twice").exists()


def test_report_refuses_what_does_not_belong_together(
    flexsched: Callable[..., Any], crowded: Path, endless: Path, tmp_path: Path
) -> None:
    flexsched("simulate", crowded, "--policy", "least-fit", "--out", tmp_path / "a")
    flexsched("simulate", endless, "--policy", "flex-f", "--out", tmp_path / "b")
    refused = flexsched("report", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "both")
    assert refused.code == 1
    assert "expected runs with the same cluster" in refused.err
    for name in ("missing", "."):
        refused = flexsched("report", tmp_path / name)
        assert refused.code == 1
        assert "expected a folder with run.json" in refused.err
