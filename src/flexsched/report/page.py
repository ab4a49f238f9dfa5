"""The page of a comparison: one HTML file that needs no network and no other file."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import vl_convert
from markupsafe import Markup

from flexsched.core.errors import OutputError
from flexsched.report import paper, wording
from flexsched.report.comparison import ComparisonRow, comparison_rows
from flexsched.report.export import vega_lite_version
from flexsched.report.figures import PAGE_CONFIG, Figure, figures
from flexsched.report.headline import headline, offered_load
from flexsched.report.order import Placed, order_differs, order_sentence
from flexsched.report.records import RunRecord, display_names, ordered, policy_name, resources
from flexsched.report.tables import (
    calibration_rows,
    capacity_rows,
    ends_sentence,
    flat_settings,
    overview_rows,
    unplaced_rows,
)
from flexsched.report.workloads import kind_chip, name_and_size, workload_line

#: What the codes of the last failed try mean, for people.
REASONS = {
    "usage": "estimated usage, with its penalty, left no room on any node",
    "request": "summed requests left no room on any node",
    "too_large": "larger than every node of the run",
    "no_node": "no node was present",
    "task_limit": "the nodes with room had reached their task limit",
    "horizon": "the run ended before the first try",
    "": "never failed a try",
}
USAGE_KINDS = {
    "measured": "Usage is measured: every series comes from the trace.",
    "synthetic": "The workload is synthetic: arrivals, requests and usage were drawn from "
    "published distributions, not measured.",
    "hybrid": "Usage is hybrid: requests come from the trace, some or all usage was drawn "
    "from published distributions.",
    "request": "No usage is known: every task is taken to use exactly what it requests.",
}

#: What a run may leave unsaid about its workload; None: unknown, which is not "none".
_UNSAID: Mapping[str, Any] = {
    "source": "not stated",
    "licence": "",
    "time_origin": None,
    "assumptions": (),
    "counts": None,
    "quirks": None,
    "calibration": (),
}
#: The library's whole public side that the page's own script needs.
_EXPOSE_EMBED = "window.vegaEmbed = vegaEmbed;"


def write_report(runs: Sequence[RunRecord], path: Path) -> None:
    """Write the page of a comparison as one self-contained HTML file.

    Args:
        runs: one or more runs of one workload on one cluster, in any order.
        path: the file; it appears only once it is complete.

    Raises:
        InputError: there is no run, or tables and summary of a run contradict each other.
        OutputError: the file cannot be written.
    """
    page = render_report(runs)
    aside = path.with_name(f".{path.name}.part")
    try:
        aside.write_text(page, encoding="utf-8")
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise OutputError(
            f"expected a place to write the report to, got: {error.strerror}",
            where=str(path),
            remedy="choose another file or free some space",
        ) from error


def render_report(runs: Sequence[RunRecord]) -> str:
    """The page of a comparison as HTML.

    Args:
        runs: one or more runs of one workload on one cluster, in any order.

    Raises:
        InputError: there is no run, or tables and summary of a run contradict each other.
    """
    runs = ordered(runs)
    document = _document(runs)
    rows = comparison_rows(document)
    names = resources(runs)
    shown = display_names([run.label for run in runs])
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("flexsched.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": wording.percent,
        "count": wording.count,
        "resource": wording.resource_name,
        "together": _together,
    }
    return environment.get_template("report.html.jinja").render(
        resources=names,
        headline=headline(document),
        offered=offered_load(document),
        workload={**_UNSAID, **document["workload"]},
        workload_line=workload_line(runs),
        workload_chip=name_and_size(document["workload"]),
        kind_chip=kind_chip(document["workload"]),
        calibration=calibration_rows(document["workload"].get("calibration", ())),
        usage_sentence=USAGE_KINDS[document["workload"]["usage_kind"]],
        cluster=_cluster_sentence(document["cluster"]),
        tick=wording.duration(document["tick_s"]),
        seed=document["seed"],
        policies=shown,
        overview=overview_rows(runs, names),
        ends=ends_sentence(runs),
        beside_paper=any(row.published is not None for row in rows),
        comparison=_pivot(rows),
        comparison_notes=_comparison_notes(rows),
        paper=paper,
        figures=[_embedded(figure) for figure in figures(runs)],
        capacity=dict(zip(shown, (capacity_rows(run, names) for run in runs), strict=True)),
        unplaced=dict(zip(shown, (unplaced_rows(run) for run in runs), strict=True)),
        counts=dict(zip(shown, (run.summary["counts"] for run in runs), strict=True)),
        reasons=REASONS,
        notes=_notes(runs),
        commands=list(dict.fromkeys(_command(run) for run in runs)),
        settings=dict(zip(shown, (_settings(run) for run in runs), strict=True)),
        script=Markup(vl_convert.javascript_bundle(_EXPOSE_EMBED, vega_lite_version())),
    )


def _document(runs: Sequence[RunRecord]) -> dict[str, Any]:
    """The ``summary.json`` of the runs; a label that comes again keeps its first run."""
    first = runs[0].info
    policies: dict[str, Any] = {}
    for run in runs:
        policies.setdefault(run.label, run.summary)
    return {key: first[key] for key in ("workload", "cluster", "tick_s", "seed")} | {
        "policies": policies
    }


def _embedded(figure: Figure) -> dict[str, Any]:
    """A figure for the page: it fills its container and takes its colours from the page."""
    spec = figure.chart.properties(width="container").to_dict()
    spec["config"] = PAGE_CONFIG
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    spec["description"] = figure.title
    # A "<" inside a string can be written as an escape, so no name can close the script.
    text = json.dumps(spec, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return {
        "key": figure.key,
        "number": figure.number,
        "title": figure.title,
        "styles": figure.styles,
        "spec": Markup(text),
    }


def _pivot(rows: Sequence[ComparisonRow]) -> dict[str, dict[str, ComparisonRow]]:
    """Rows by quantity and then by policy."""
    table: dict[str, dict[str, ComparisonRow]] = {}
    for row in rows:
        table.setdefault(row.quantity, {})[row.policy] = row
    return table


def _comparison_notes(rows: Sequence[ComparisonRow]) -> list[str]:
    """What a reader must know about a row, each sentence once."""
    notes = [f"{row.quantity}: {row.note}." for row in rows if row.note]
    for quantity, row_of in _pivot(rows).items():
        placed = [
            Placed(row.policy, row.published, row.ours)
            for row in row_of.values()
            if row.published is not None and row.ours is not None
        ]
        if order_differs(placed):
            notes.append(f"{quantity}: {order_sentence(placed)}.")
    return list(dict.fromkeys(notes))


def _cluster_sentence(cluster: Mapping[str, Any]) -> str:
    nodes = int(cluster["nodes"])
    parts = [f"{nodes:,} node{'' if nodes == 1 else 's'}"]
    if cluster.get("cpu_cores") is not None:
        parts.append(f"{wording.number(cluster['cpu_cores'])} cores")
    if cluster.get("memory_bytes") is not None:
        parts.append(f"{wording.size(cluster['memory_bytes'])} of memory")
    return ", ".join(parts)


def _notes(runs: Sequence[RunRecord]) -> list[str]:
    """What the runs say about themselves, each sentence once."""
    return list(dict.fromkeys(note for run in runs for note in run.info.get("notes", ())))


def _command(run: RunRecord) -> str:
    """A command line that repeats the run."""
    if run.info.get("command"):
        return str(run.info["command"])
    _, _, settings = run.label.partition(":")
    words = ["flexsched", "simulate", str(run.info["workload"]["name"])]
    words += ["--policy", policy_name(run.label)]
    for setting in filter(None, re.split(r",\s*", settings)):
        words += ["--set", setting]
    words += ["--nodes", str(run.info["cluster"]["nodes"]), "--seed", str(run.info["seed"])]
    return shlex.join(words)


def _settings(run: RunRecord) -> list[tuple[str, str]]:
    """Everything in run.json but what the page already shows."""
    shown = ("workload", "notes", "label", "command")
    rows = flat_settings({k: v for k, v in run.info.items() if k not in shown})
    return [
        (name, "default" if name.startswith("settings.") and value == "null" else value)
        for name, value in rows
    ]


def _together(text: str) -> str:
    """Text in which no line breaks between a number and its percent sign."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")
