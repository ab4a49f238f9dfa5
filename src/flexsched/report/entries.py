"""The policies of a ``summary.json`` in the paper's order, under their written names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flexsched.core.errors import InputError
from flexsched.report.records import display_names, paper_rank, policy_name

#: ``summary.json`` as a dict.
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """A policy's summary under its two names."""

    policy: str
    shown: str
    summary: Mapping[str, Any]

    def mean(self, quantity: str) -> float | None:
        value = (self.summary.get(quantity) or {}).get("mean")
        return None if value is None else float(value)

    def violated(self) -> float | None:
        value = self.summary["qos"]["violated_task_fraction"]
        return None if value is None else float(value)


def summary_resources(document: Document) -> list[str]:
    """Resources named in the summary, CPU and memory first."""
    found = {
        key.removeprefix("request_"): None
        for summary in document["policies"].values()
        for key in summary
        if key.startswith("request_")
    }
    return sorted(found, key=lambda resource: {"cpu": 0, "memory": 1}.get(resource, 2))


def entries_of(document: Document) -> list[Entry]:
    """All policies of a summary, in the paper's order.

    Raises:
        InputError: there is none.
    """
    policies = document["policies"]
    if not policies:
        raise InputError("expected a summary with at least one policy, got none")
    labels = sorted(policies, key=paper_rank)
    return [
        Entry(policy_name(label), shown, policies[label])
        for label, shown in zip(labels, display_names(labels), strict=True)
    ]


def find(entries: Sequence[Entry], policy: str) -> Entry | None:
    """The first entry of a policy, whatever its settings; None without one."""
    return next((entry for entry in entries if entry.policy == policy), None)


def relative(entry: Entry, baseline: Entry | None, quantity: str) -> float | None:
    """Mean of a quantity / that of the baseline; None where either is missing or 0 divides."""
    if baseline is None:
        return None
    value, reference = entry.mean(quantity), baseline.mean(quantity)
    return value / reference if value is not None and reference else None
