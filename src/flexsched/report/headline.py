"""The result of a comparison in one sentence, and the offered load it stands beside."""

from __future__ import annotations

from collections.abc import Sequence

from flexsched.report.entries import Document, Entry, entries_of, find, relative, summary_resources
from flexsched.report.wording import percent, quality, ratio, resource_name


def headline(document: Document) -> str:
    """The result in one sentence: "FlexF admits 1.74x the requests of LeastFit at 99.2 % QoS".

    Requests are those of CPU (or of the first resource where there is no CPU), mean
    over time. Speaks of FlexF, else of FlexL, else of the policy that admits most;
    without LeastFit, or when that admits nothing, relative to the cluster's capacity.

    Args:
        document: ``summary.json`` of all policies.

    Raises:
        InputError: the summary holds no policy.
    """
    entries = entries_of(document)
    resource = summary_resources(document)[0]
    baseline = find(entries, "least-fit")
    chosen = _protagonist(entries, resource)
    service = f"at {quality(chosen.summary['qos']['mean'])} QoS"
    gain = relative(chosen, baseline, f"request_{resource}") if baseline is not chosen else None
    if gain is not None and baseline is not None:
        return f"{chosen.shown} admits {ratio(gain)} the requests of {baseline.shown} {service}"
    requested = percent(chosen.mean(f"request_{resource}"))
    return (
        f"{chosen.shown} admits requests for {requested} of the cluster's "
        f"{resource_name(resource)} {service}"
    )


def offered_load(document: Document) -> str | None:
    """What the workload asks for, or None where it is unknown.

    It bounds what any policy can admit only where the summary says so (``is_bound``):
    over a fixed time, on nodes that are there throughout.

    Args:
        document: ``summary.json`` of all policies.

    Raises:
        InputError: the summary holds no policy.
    """
    offered = document["workload"].get("offered_load") or {}
    parts = {
        resource: float(offered[f"request_{resource}_fraction"])
        for resource in summary_resources(document)
        if offered.get(f"request_{resource}_fraction") is not None
    }
    if not parts:
        return None
    shares = " and ".join(
        f"{percent(share)} of the {resource_name(resource)}" for resource, share in parts.items()
    )
    sentence = f"Offered load: the workload requests {shares} of this cluster"
    if not offered.get("is_bound", False):
        return f"{sentence}."
    baseline = find(entries_of(document), "least-fit")
    resource, share = next(iter(parts.items()))
    admitted = baseline.mean(f"request_{resource}") if baseline else None
    if not baseline or not admitted:
        return f"{sentence}; no policy can admit more."
    bound = f"{ratio(share / admitted)} the {resource_name(resource)} requests"
    return f"{sentence}; no policy can admit more than {bound} of {baseline.shown}."


def _protagonist(entries: Sequence[Entry], resource: str) -> Entry:
    others = [entry for entry in entries if entry.policy != "least-fit"] or list(entries)
    most = max(others, key=lambda entry: entry.mean(f"request_{resource}") or 0.0)
    return find(entries, "flex-f") or find(entries, "flex-l") or most
