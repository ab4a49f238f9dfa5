"""Which node takes a task, or why none does."""

from __future__ import annotations

from oracle.settings import Settings
from oracle.state import Node, Task


def fits(amount: float, capacity: float) -> bool:
    """The one rule for all comparisons with a capacity."""
    return amount <= capacity * (1 + 1e-9)


def is_too_large(task: Task, nodes: list[Node]) -> bool:
    """No node of the whole run, whatever its life span, could hold the request alone."""
    return not any(
        all(fits(r, c) for r, c in zip(task.request, node.capacity, strict=True)) for node in nodes
    )


def load(node: Node, resource: int, penalty: float, settings: Settings) -> float:
    """What the policy takes for the node's load: penalised usage, or summed requests."""
    if settings.is_flex:
        return node.seen_load(resource, penalty)
    return node.requested(resource)


def has_room(task: Task, node: Node, penalty: float, settings: Settings) -> bool:
    """Whether the task fits the node in every resource (task limit aside)."""
    for r, (request, capacity) in enumerate(zip(task.request, node.capacity, strict=True)):
        if capacity == 0 and request == 0:
            continue
        if not fits(load(node, r, penalty, settings) + request, settings.overbooking * capacity):
            return False
    return True


def score(task: Task, node: Node, penalty: float, settings: Settings) -> float:
    """Larger is better; resources that the node does not have play no part.

    A node that has none at all counts as full, so that it is not preferred as empty.
    """
    owned = [r for r, capacity in enumerate(node.capacity) if capacity > 0]
    if settings.is_flex:
        free = min(
            (
                (node.capacity[r] - load(node, r, penalty, settings)) / node.capacity[r]
                for r in owned
            ),
            default=0.0,
        )
        same_source = sum(1 for other in node.tasks if other.source == task.source)
        return free - settings.same_source_weight * same_source
    if settings.policy == "first-fit":
        return -float(node.index)
    fullest = max(
        ((load(node, r, penalty, settings) + task.request[r]) / node.capacity[r] for r in owned),
        default=1.0,
    )
    return fullest if settings.policy == "best-fit" else -fullest


def choose(task: Task, nodes: list[Node], penalty: float, settings: Settings) -> Node | str:
    """The best node for a task, or the code of the reason why there is none."""
    present = [node for node in nodes if node.present]
    if not present:
        return "no_node"
    roomy = [node for node in present if has_room(task, node, penalty, settings)]
    feasible = [node for node in roomy if len(node.tasks) < node.max_tasks]
    if not feasible:
        if roomy:
            return "task_limit"
        return "usage" if settings.is_flex else "request"
    scores = {node.name: score(task, node, penalty, settings) for node in feasible}
    best = max(scores.values())
    tied = [node for node in feasible if scores[node.name] == best]
    if settings.tie == "last-lexical" and settings.policy != "first-fit":
        return max(tied, key=lambda node: node.name)
    return tied[0]
