"""Pending tasks: in which order they are tried, and when again."""

from __future__ import annotations

from oracle.settings import Settings
from oracle.state import Node, Task


class Queue:
    """All pending tasks, with the round that ``attempts_per_tick`` needs."""

    def __init__(self, settings: Settings, resources: tuple[str, ...], nodes: list[Node]) -> None:
        self.settings = settings
        self.resources = resources
        self.totals = [sum(node.capacity[r] for node in nodes) for r in range(len(resources))]
        self.pending: list[Task] = []
        self.tried_this_round: set[int] = set()

    def rank(self, task: Task) -> tuple[float, float, int]:
        """Sort key: size first for FlexL, else by submission alone; input order breaks ties."""
        size = self.size(task) if self.settings.policy == "flex-l" else 0.0
        return (-size, task.submit_s, task.index)

    def size(self, task: Task) -> float:
        """The figure by which FlexL orders: memory, or the largest share of the whole cluster."""
        if self.settings.order == "memory":
            return task.request[self.resources.index("memory")]
        return max(
            (r / total for r, total in zip(task.request, self.totals, strict=True) if total > 0),
            default=0.0,
        )

    def next_scan(self, t_s: float) -> list[Task]:
        """The tasks to try in this tick, in order and within the limit."""
        ready = [task for task in self.pending if t_s >= task.next_try_s]
        ready.sort(key=lambda task: (task.index in self.tried_this_round, self.rank(task)))
        return ready[: self.settings.attempts_per_tick]

    def note_try(self, task: Task) -> None:
        """Remember a try; once every pending task has had its try, a new round begins.

        Only a limit makes rounds matter: without one, every scan goes by rank alone.
        """
        if self.settings.attempts_per_tick is None:
            return
        self.tried_this_round.add(task.index)
        if all(other.index in self.tried_this_round for other in self.pending):
            self.tried_this_round.clear()

    def end_scan(self, tried: list[Task]) -> None:
        """A scan that got to every pending task was a full round in itself."""
        if all(task in tried for task in self.pending):
            self.tried_this_round.clear()

    def note_failure(self, task: Task, t_s: float) -> None:
        """With Kubernetes' back-off the wait doubles from 1 s up to 10 s."""
        task.failures_in_a_row += 1
        if self.settings.backoff == "kubernetes":
            task.next_try_s = t_s + min(2.0 ** (task.failures_in_a_row - 1), 10.0)
