"""The table beside the paper's figures, as data for page and terminal alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from flexsched.report import paper
from flexsched.report.entries import Document, Entry, entries_of, find, relative, summary_resources
from flexsched.report.order import Placed, order_sentence
from flexsched.report.wording import (
    decimal,
    percent,
    points,
    ratio,
    resource_name,
    sentence_start,
    signed,
)


@dataclass(frozen=True)
class ComparisonRow:
    """One result beside the paper's.

    Attributes:
        figure: figure of the paper that shows it.
        quantity: what is compared, with its unit.
        policy: policy as displayed.
        kind: how the values are written.
        published: the paper's value, None where it publishes none.
        ours: the value of this comparison, None where it cannot be computed.
        note: what a reader must know about either value.
        comparable: the paper's value is of as many tasks and nodes as ours.
    """

    figure: str
    quantity: str
    policy: str
    kind: Literal["ratio", "fraction", "number"]
    published: float | None
    ours: float | None
    note: str = ""
    comparable: bool = True

    @property
    def difference(self) -> float | None:
        """Ours minus published, None unless of one experiment; fractions differ in fractions."""
        if self.published is None or self.ours is None or not self.comparable:
            return None
        return self.ours - self.published

    def cells(self) -> tuple[str, str, str, str, str]:
        """The row in words: quantity, policy, published, ours, difference."""
        in_words: dict[str, Callable[[float | None], str]] = {
            "ratio": ratio,
            "fraction": percent,
            "number": decimal,
        }
        value = in_words[self.kind]
        change = points if self.kind == "fraction" else signed
        return (
            self.quantity,
            self.policy,
            value(self.published),
            value(self.ours),
            change(self.difference),
        )


def comparison_rows(document: Document) -> list[ComparisonRow]:
    """Our results beside the paper's, in the order of its figures.

    Published values stand only beside the built-in workload after the paper's. They are
    those for the same number of nodes where the paper has them (figure 10), else those of
    its main experiment with 4000 nodes, without a difference.

    Args:
        document: ``summary.json`` of all policies.

    Raises:
        InputError: the summary holds no policy.
    """
    entries = entries_of(document)
    names = summary_resources(document)
    nodes = _paper_nodes(document)
    rows = [
        *_relative_rows(entries, names, nodes),
        *(_usage_rows(entries, nodes) if "memory" in names else ()),
        *_violation_rows(entries, nodes),
        *_violation_ratio_rows(entries, nodes),
        *(_imbalance_rows(entries, beside_paper=bool(nodes)) if "memory" in names else ()),
    ]
    same = paper.is_same_experiment(document)
    return [row if same else replace(row, comparable=False) for row in rows]


def _paper_nodes(document: Document) -> int | None:
    """Nodes of the paper's experiment to print beside ours, None where none is like it."""
    if not paper.is_paper_workload(document):
        return None
    same = paper.is_same_experiment(document)
    return int(document["cluster"]["nodes"]) if same else paper.NODES


def _relative_rows(
    entries: Sequence[Entry], names: Sequence[str], nodes: int | None
) -> Iterator[ComparisonRow]:
    """Requests and usage relative to LeastFit (figure 6)."""
    baseline = find(entries, "least-fit")
    if baseline is None:
        return
    others = [entry for entry in entries if entry is not baseline]
    for what, verb in (("request", "requested"), ("usage", "used")):
        for resource in names:
            named = sentence_start(resource_name(resource))
            for entry in others:
                yield ComparisonRow(
                    figure="6",
                    quantity=f"{named} {verb}, relative to LeastFit",
                    policy=entry.shown,
                    kind="ratio",
                    published=_published_relative(entry.policy, what, resource, nodes),
                    ours=relative(entry, baseline, f"{what}_{resource}"),
                )
    for entry in others:
        gains = [relative(entry, baseline, f"usage_{resource}") for resource in names]
        yield ComparisonRow(
            figure="6",
            quantity="Largest gain in usage, relative to LeastFit",
            policy=entry.shown,
            kind="ratio",
            published=paper.USAGE_GAIN if nodes and entry.policy in ("flex-f", "flex-l") else None,
            ours=max((gain for gain in gains if gain is not None), default=None),
            note="the paper says “up to”" if nodes else "",
        )


def _published_relative(policy: str, what: str, resource: str, nodes: int | None) -> float | None:
    theirs = paper.published(policy, nodes)
    if theirs is None:
        return None
    if (what, resource) == ("request", "cpu"):
        return theirs.request_ratio
    baseline = paper.published("least-fit", nodes)
    if (what, resource) == ("usage", "memory") and theirs.memory_usage_fraction and baseline:
        reference = baseline.memory_usage_fraction
        return theirs.memory_usage_fraction / reference if reference else None
    return None


def _usage_rows(entries: Sequence[Entry], nodes: int | None) -> Iterator[ComparisonRow]:
    """Memory usage as a share of capacity (figures 6 and 10)."""
    for entry in entries:
        theirs = paper.published(entry.policy, nodes)
        yield ComparisonRow(
            figure="6",
            quantity="Memory used, share of capacity",
            policy=entry.shown,
            kind="fraction",
            published=theirs.memory_usage_fraction if theirs else None,
            ours=entry.mean("usage_memory"),
        )


def _violation_rows(entries: Sequence[Entry], nodes: int | None) -> Iterator[ComparisonRow]:
    """Shares of violations (figure 7b)."""
    for entry in entries:
        theirs = paper.published(entry.policy, nodes)
        yield ComparisonRow(
            figure="7b",
            quantity="Violated tasks, share of running tasks",
            policy=entry.shown,
            kind="fraction",
            published=theirs.violated_fraction if theirs else None,
            ours=entry.violated(),
            note="the paper does not say whether its figure counts tasks or time" if nodes else "",
        )
    for entry in entries:
        yield ComparisonRow(
            figure="7b",
            quantity="Time below the QoS target",
            policy=entry.shown,
            kind="fraction",
            published=None,
            ours=entry.summary["qos"]["violated_time_fraction"],
        )


def _violation_ratio_rows(entries: Sequence[Entry], nodes: int | None) -> Iterator[ComparisonRow]:
    """How many times more violations Oversub has (figure 7b)."""
    oversub = find(entries, "oversub")
    if oversub is None:
        return
    for entry in entries:
        if entry.policy not in ("flex-f", "flex-l"):
            continue
        ours, reference = entry.violated(), oversub.violated()
        yield ComparisonRow(
            figure="7b",
            quantity="Violated tasks, Oversub relative to the policy",
            policy=entry.shown,
            kind="ratio",
            published=_published_violation_ratio(entry.policy, nodes),
            ours=reference / ours if ours and reference is not None else None,
            note="" if ours else "without any violation there is no ratio",
        )


def _published_violation_ratio(policy: str, nodes: int | None) -> float | None:
    if nodes is None:
        return None
    if nodes == paper.NODES:
        return paper.FEWER_VIOLATIONS
    by_nodes = paper.BY_NODES
    return by_nodes["oversub"][nodes].violated_fraction / by_nodes[policy][nodes].violated_fraction


def _imbalance_rows(entries: Sequence[Entry], *, beside_paper: bool) -> Iterator[ComparisonRow]:
    """Spread of memory usage over the nodes (figure 9), of which the paper shows the order."""
    values = [(e.policy, e.shown, e.summary.get("imbalance_memory")) for e in entries]
    known = [
        Placed(shown, float(paper.IMBALANCE_RANK[policy]), float(ours))
        for policy, shown, ours in values
        if policy in paper.IMBALANCE_RANK and ours is not None
    ]
    for _, shown, ours in values:
        yield ComparisonRow(
            figure="9",
            quantity="Memory usage over the nodes, deviation / mean",
            policy=shown,
            kind="number",
            published=None,
            ours=ours,
            note=order_sentence(known) if beside_paper else "",
        )
