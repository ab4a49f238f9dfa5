"""Whether policies come in the paper's order, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, groupby


@dataclass(frozen=True)
class Placed:
    """A policy, as displayed, with the paper's value or rank and with ours."""

    shown: str
    theirs: float
    ours: float


def order_sentence(policies: Sequence[Placed]) -> str:
    """The paper's order and ours, lowest first; "" where fewer than two are compared.

    Policies that are equal in the paper may come either way round.
    """
    if len(policies) < 2:
        return ""
    ranked = sorted(policies, key=lambda policy: policy.theirs)
    theirs = ", ".join(
        " and ".join(policy.shown for policy in group)
        for _, group in groupby(ranked, key=lambda policy: policy.theirs)
    )
    if not order_differs(policies):
        return f"the order is the paper's, lowest first: {theirs}"
    ours = ", ".join(policy.shown for policy in sorted(policies, key=lambda policy: policy.ours))
    return f"the order differs from the paper's; lowest first, the paper has {theirs}, here {ours}"


def order_differs(policies: Sequence[Placed]) -> bool:
    """Two policies that differ in the paper come the other way round here."""
    return any(
        (one.theirs - other.theirs) * (one.ours - other.ours) < 0
        for one, other in combinations(policies, 2)
    )
