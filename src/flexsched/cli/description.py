"""``flexsched trace info`` for people: the figures of a workload with their units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flexsched.cli.tables import print_table
from flexsched.core.quantities import format_bytes, format_cores
from flexsched.report.wording import count, duration, number, percent, resource_name

#: Quirks named; all of them are in the JSON and in ``trace check``.
_QUIRKS_NAMED = 3
_UNKNOWN = "unknown"


def print_description(document: Mapping[str, Any]) -> None:
    """Print what :func:`flexsched.traces.quality.describe` found, without the calibration."""
    print(f"{document['verdict']}\n")
    facts = [*_origin(document), *_counts(document), *_times(document), *_lengths(document)]
    print_table(["", ""], facts, sentences=(1,))
    print()
    _print_resources(document["resources"])
    if document["assumptions"]:
        print("\nAssumed:")
        for sentence in document["assumptions"]:
            print(f"- {sentence}")


def _origin(document: Mapping[str, Any]) -> list[list[str]]:
    return [
        ["name", document["name"]],
        ["source", document["source"] or _UNKNOWN],
        ["licence", document["licence"] or "none stated"],
        ["usage", document["usage_kind"]],
        ["irregularities", _quirks(document["quirks"])],
    ]


def _quirks(quirks: Mapping[str, int]) -> str:
    if not quirks:
        return "none"
    most = sorted(quirks, key=lambda name: -quirks[name])[:_QUIRKS_NAMED]
    named = ", ".join(f"{name.replace('_', ' ')} ({count(quirks[name])})" for name in most)
    more = "; flexsched trace check lists them all" if len(quirks) > len(most) else ""
    return f"{count(sum(quirks.values()))} of {len(quirks)} kinds, most often {named}{more}"


def _counts(document: Mapping[str, Any]) -> list[list[str]]:
    counts = document["counts"]
    rows = [[name.replace("_", " "), count(value)] for name, value in counts.items()]
    larger = document["tasks_larger_than_every_node"]
    if larger is not None:
        rows.append(["tasks larger than every node", count(larger)])
    return rows


def _times(document: Mapping[str, Any]) -> list[list[str]]:
    times = document["time"]
    rows = [
        [title, _time(times[f"{key}_s"], times.get(key))]
        for title, key in (
            ("first submission", "first_submit"),
            ("last submission", "last_submit"),
            ("last end", "last_end"),
        )
    ]
    return [["time zero", times["origin"] or _UNKNOWN], *rows]


def _time(seconds: float | None, date: str | None) -> str:
    if seconds is None:
        return _UNKNOWN
    return f"{duration(seconds)} after time zero" + (f" ({date})" if date else "")


def _lengths(document: Mapping[str, Any]) -> list[list[str]]:
    lengths = document["duration"]
    return [
        ["task length, mean", duration(lengths["mean_s"])],
        ["task length, median", duration(lengths["p50_s"])],
        ["task length, longest", duration(lengths["max_s"])],
        ["tasks of zero length", percent(lengths["zero_length_share"])],
        ["endless tasks", percent(lengths["endless_share"])],
    ]


def _print_resources(resources: Mapping[str, Any]) -> None:
    columns = [_resource(entry) for entry in resources.values()]
    print_table(
        ["", *map(resource_name, resources)],
        [[title, *(column[title] for column in columns)] for title in columns[0]],
        numbers=range(1, len(columns) + 1),
    )


def _resource(entry: Mapping[str, Any]) -> dict[str, str]:
    """The figures of one resource by title."""
    request, usage = entry["request"], entry["usage"] or {}
    return {
        "request, mean": _amount(request["mean"], entry["unit"]),
        "request, largest": _amount(request["max"], entry["unit"]),
        "tasks that request none": percent(request["zero_share"]),
        "usage, mean": _amount(usage.get("mean"), entry["unit"]),
        "usage, largest": _amount(usage.get("max"), entry["unit"]),
        "windows without usage": percent(usage.get("zero_share")),
        "windows above the request": percent(usage.get("above_request_share")),
        "usage / request, mean": number(usage.get("to_request_mean")),
    }


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return _UNKNOWN
    if unit == "bytes":
        return f"{format_bytes(value)}B"
    return f"{format_cores(value)} {unit}"
