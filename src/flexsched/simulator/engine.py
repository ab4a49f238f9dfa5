"""The simulator: one policy, one workload, one cluster, tick by tick.

Order within a tick: completions, departures and joins of nodes, arrivals, scan, measurement,
row, update of the penalty. Everything heavy is in kernels that release the interpreter lock,
so runs in threads of one process share the cores and one copy of the workload.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from flexsched.core.cluster import MEMORY, NO_TASK_LIMIT, Cluster
from flexsched.core.errors import SettingError
from flexsched.core.estimators import Measurement
from flexsched.core.jit import for_rule
from flexsched.core.placement import make_index, rebuild
from flexsched.core.policies import FIT_TOLERANCE, Policy
from flexsched.core.qos import quality
from flexsched.core.queues import merge
from flexsched.core.reasons import Reason
from flexsched.core.reasons import State as TaskState
from flexsched.core.workload import Workload
from flexsched.simulator import lifecycle
from flexsched.simulator.measure import later_change_s, make_statistics, measure, summarise
from flexsched.simulator.recorder import Row
from flexsched.simulator.scan import ScanSettings, scan
from flexsched.simulator.settings import Settings
from flexsched.simulator.state import NONE, Count, make_state, read_only, with_room

#: Ticks that a run can have at most; their numbers are kept in 32 bits.
MOST_TICKS = 2**30
_UNLIMITED = np.iinfo(np.int64).max


class Simulation:
    """A simulation that has not ended; :meth:`rows` runs it.

    Attributes:
        order: (N,) file position of each node row (rows stand in tie order).
        too_large: (T,) tasks that are rejected, because no node of the run could hold them.
        notes: sentences about the run that its reader must know.
    """

    def __init__(
        self, workload: Workload, cluster: Cluster, policy: Policy, settings: Settings
    ) -> None:
        if len(cluster) == 0:
            raise SettingError("expected a cluster with nodes, got none")
        if cluster.resources != workload.resources:
            raise SettingError(
                f"expected a cluster with the workload's resources "
                f"({', '.join(workload.resources)}), got {', '.join(cluster.resources)}"
            )
        _check_times(workload, cluster, settings)
        self.workload, self.cluster, self.policy, self.settings = (
            workload, cluster, policy, settings)  # fmt: skip
        self.notes: list[str] = []
        self.order = _tie_order(cluster, policy)
        self.index = make_index(cluster.capacity[self.order], cluster.max_tasks[self.order])
        self._lacking = self.index.capacity == 0.0
        self.from_s, self.until_s = cluster.from_s[self.order], cluster.until_s[self.order]
        self.state = make_state(workload, len(cluster))
        self._series = read_only(workload.usage)
        self.statistics = make_statistics(len(cluster), len(cluster.resources))
        self.rule = policy.rule()
        self.controller = policy.make_controller(settings.tick_s)
        self.estimator = policy.make_estimator()
        self.penalty = (
            policy.fixed_penalty() if self.controller is None else self.controller.penalty
        )
        self.seconds = {"placement": 0.0, "demand": 0.0}
        self.last_t_s = 0.0
        self._tick = 0
        self._rank_to_task = policy.queue_order(workload, cluster)
        self._task_to_rank = np.empty_like(self._rank_to_task)
        self._task_to_rank[self._rank_to_task] = np.arange(len(workload), dtype=np.int32)
        self._pending = np.empty(0, np.int32)
        self.too_large = _too_large(workload, cluster)
        self._hosts = np.empty(0, np.int64)
        self._scan_settings = _scan_settings(policy, settings, cluster)
        self._quiet_from = 0
        self._begun = 0
        self._unmeasured: NDArray[np.float64] | None = None
        self.index.present[self.from_s <= 0.0] = True
        self._start_running_tasks()
        started = self.state.book.state == int(TaskState.RUNNING)
        waiting = np.flatnonzero(~started)
        arrival_order = waiting[np.argsort(workload.submit_s[waiting], kind="stable")]
        if settings.horizon_s is not None:
            in_time = workload.submit_s[arrival_order] < settings.horizon_s
            if not in_time.all():
                self.notes.append(
                    f"{int((~in_time).sum())} tasks that are submitted at or after the horizon "
                    f"of {settings.horizon_s:g} s have no part in the run"
                )
            arrival_order = arrival_order[in_time]
        self._arrivals = arrival_order
        self._arrival_s = np.maximum(workload.submit_s[arrival_order], 0.0)
        self._arrived = 0

    def rows(self, on_row: Callable[[Row], None]) -> None:
        """Run to the end; ``on_row`` is called once per tick, when the tick is settled."""
        while True:
            t_s = self._tick * self.settings.tick_s
            if self.settings.horizon_s is not None and t_s >= self.settings.horizon_s:
                break
            row = self._step(t_s)
            if row is None:
                break
            self.last_t_s = t_s
            on_row(row)
            if self._nothing_can_happen():
                break
            if self.controller is not None:
                self.penalty = self.controller.penalty
            self._tick += 1
        self._close()

    # -- one tick -----------------------------------------------------------------------------

    def _step(self, t_s: float) -> Row | None:
        state, index, counters = self.state, self.index, self.state.counters
        counters[Count.ATTEMPTS :] = 0
        arrivals = self._begun if self._tick == 0 else 0
        lifecycle.complete_due(state, index, self._tick, t_s)
        changed = self._move_nodes(t_s)
        submitted, rejected = self._submit(t_s)
        arrivals += submitted
        lifecycle.settle(state)
        if changed or counters[Count.FINISHED]:
            self._quiet_from = self._tick
        self._scan()
        running, pending = int(counters[Count.LIVE]), len(self._pending)
        over = self._arrived == len(self._arrivals) and self.settings.horizon_s is None
        if over and not (running or pending or arrivals):
            return None
        violated = self._measure()
        sums = summarise(state, index, self.statistics)
        qos = quality(violated, running)
        scanned_with = self.penalty
        if self.controller is not None:
            self.controller.update(qos)
        if self.estimator is not None:
            self.estimator.update(
                Measurement(t_s, state.totals.usage, state.totals.demand, state.totals.request)
            )
        shows_penalty = getattr(self.policy, "controller", "none") != "none"
        return Row(
            t_s=t_s,
            running=running,
            pending=pending,
            arrivals=arrivals,
            placed=int(counters[Count.PLACED]),
            finished=int(counters[Count.FINISHED]),
            rejected=rejected,
            failed=int(counters[Count.FAILED]),
            evicted=int(counters[Count.EVICTED]),
            attempts=int(counters[Count.ATTEMPTS]),
            sums=sums,
            violated=violated,
            qos=qos,
            penalty=scanned_with if shows_penalty else None,
        )

    def _move_nodes(self, t_s: float) -> bool:
        """Nodes leave, then join; displaced tasks are queued again with their old rank."""
        leaving = self.index.present & (self.until_s <= t_s)
        joining = ~self.index.present & (self.from_s <= t_s) & (t_s < self.until_s)
        if leaving.any():
            displaced = np.empty(len(self.state.running.node), np.int64)
            count = lifecycle.displace(
                self.state, self.index, leaving, t_s, self.settings.tick_s, displaced
            )
            self.index.present[leaving] = False
            self._queue(displaced[:count])
        self.index.present[joining] = True
        return bool(leaving.any() or joining.any())

    def _submit(self, t_s: float) -> tuple[int, int]:
        """Queue the tasks submitted up to now; reject those that no node could ever hold."""
        first = self._arrived
        self._arrived = int(np.searchsorted(self._arrival_s, t_s, side="right"))
        tasks = self._arrivals[first : self._arrived]
        book = self.state.book
        hopeless = tasks[self.too_large[tasks]]
        book.state[hopeless] = int(TaskState.REJECTED)
        book.reason[hopeless] = int(Reason.TOO_LARGE)
        queued = tasks[~self.too_large[tasks]] if hopeless.size else tasks
        book.state[queued] = int(TaskState.PENDING)
        book.life.pending_since_s[queued] = np.maximum(self.workload.submit_s[queued], 0.0)
        self._queue(queued)
        return len(tasks), len(hopeless)

    def _queue(self, tasks: NDArray[np.int64]) -> None:
        self._pending = merge(self._pending, np.sort(self._task_to_rank[tasks]))

    def _next_load(self) -> NDArray[np.float64]:
        """(N, R) load that a scan at this moment starts from; see ``NodeIndex.load``."""
        if self.estimator is None:
            load = self.state.totals.request.copy()
        else:
            load = self.penalty_of_next_scan() * self.estimator.estimate(self.state.totals.usage)
            if self._unmeasured is not None:
                load += self._unmeasured
        load[self._lacking] = 0.0
        return load

    def penalty_of_next_scan(self) -> float:
        """P as the controller has it now."""
        return self.penalty if self.controller is None else self.controller.penalty

    def _scan(self) -> None:
        began = perf_counter()
        if self._tick == 0:
            # Nothing is measured yet: what runs already counts at its full request.
            self._unmeasured = self.state.totals.request.copy()
        self.index.load[:] = self._next_load()
        for_rule(rebuild, self.rule)(self.rule, self.index, self._scan_settings.by_load)
        if len(self._pending):
            self.state = with_room(self.state, len(self._pending))
            if len(self._hosts) < len(self.state.running.node):
                self._hosts = np.empty(len(self.state.running.node), np.int64)
            left = for_rule(scan, self.rule)(
                self.rule, self.index, self.state, self._scan_settings, self._rank_to_task,
                self._pending, self._hosts, self._tick, self.settings.tick_s,
            )  # fmt: skip
            self._pending = self._pending[:left]
        self.seconds["placement"] += perf_counter() - began

    def _measure(self) -> int:
        began = perf_counter()
        wraps = self.settings.contention == "paper" and MEMORY in self.workload.resources
        violated = measure(
            self.state, self.index, self._series, self._tick, self.settings.tick_s,
            self.settings.demand_scale, self.workload.resources.index(MEMORY) if wraps else NONE,
        )  # fmt: skip
        self._unmeasured = None
        self.seconds["demand"] += perf_counter() - began
        return int(violated)

    # -- beginning and end ----------------------------------------------------------------------

    def _start_running_tasks(self) -> None:
        """Put tasks that run at the start where they are, if the cluster is the workload's own."""
        starting = np.flatnonzero(self.workload.start_node >= 0)
        if starting.size == 0:
            return
        if self.cluster is not self.workload.nodes:
            self.notes.append(
                f"{starting.size} tasks that ran at the start are queued at t = 0, because "
                "the cluster is not the one they ran on"
            )
            return
        row_of_file = np.empty_like(self.order)
        row_of_file[self.order] = np.arange(len(self.order))
        rows = row_of_file[self.workload.start_node[starting]]
        there = self.index.present[rows] & (self.until_s[rows] > 0.0)
        if not there.all():
            self.notes.append(
                f"{int((~there).sum())} tasks that ran at the start are queued at t = 0, because "
                "their node is absent then"
            )
        self.state = with_room(self.state, int(there.sum()))
        for task, row in zip(starting[there], rows[there], strict=True):
            lifecycle.start(
                self.state, task, row, self.workload.submit_s[task], self.settings.tick_s
            )
            self.index.tasks[row] += 1
        self._begun = int(there.sum())

    def _nothing_can_happen(self) -> bool:
        """Whether every further tick would be like this one."""
        counters = self.state.counters
        if self.settings.horizon_s is not None:
            return False
        if not np.array_equal(self._next_load(), self.index.load):
            self._quiet_from = self._tick + 1
        if self._arrived < len(self._arrivals):
            return False
        if counters[Count.LIVE] > counters[Count.ENDLESS]:
            return False
        if len(self._pending) == 0:
            return bool(counters[Count.LIVE] > 0)
        now_s = self._tick * self.settings.tick_s
        if ((self.until_s > now_s) & np.isfinite(self.until_s)).any() or (
            self.from_s > now_s
        ).any():
            return False
        if self.controller is not None and self.controller.can_change():
            return False
        if self._oldest_try() < self._quiet_from:
            return False
        return bool(later_change_s(self.state, self._series) <= now_s)

    def _oldest_try(self) -> int:
        """Number of the tick in which the pending task not tried for longest was tried."""
        if self._scan_settings.every_tick:
            return self._tick
        return int(self.state.book.last_try[self._rank_to_task[self._pending]].min())

    def _close(self) -> None:
        """Bring every task into its final state."""
        book, horizon_s = self.state.book, self.settings.horizon_s
        end_s = self.last_t_s if horizon_s is None else horizon_s
        running = book.state == int(TaskState.RUNNING)
        book.state[running & (book.life.end_s <= end_s)] = int(TaskState.FINISHED)
        unseen = self._arrivals[self._arrived :]
        book.state[unseen] = int(TaskState.PENDING)
        book.life.pending_since_s[unseen] = self.workload.submit_s[unseen]
        pending = np.flatnonzero(book.state == int(TaskState.PENDING))
        book.life.wait_s[pending] += np.maximum(end_s - book.life.pending_since_s[pending], 0.0)
        never_tried = pending[book.attempts[pending] == 0]
        book.reason[never_tried] = int(Reason.HORIZON)
        displaced = pending[book.life.node[pending] != NONE]
        book.state[displaced] = int(TaskState.EVICTED)


def _check_times(workload: Workload, cluster: Cluster, settings: Settings) -> None:
    """Refuse times that no run could ever reach.

    Raises:
        SettingError: a finite time lies beyond the last tick that can be numbered.
    """
    last_s = MOST_TICKS * settings.tick_s
    for what, times in (
        ("horizon", np.array([settings.horizon_s or 0.0])),
        ("submit time of a task", workload.submit_s),
        ("length of a task", workload.duration_s),
        ("from of a node", cluster.from_s),
        ("until of a node", cluster.until_s),
    ):
        beyond = np.isfinite(times) & (np.abs(times) > last_s)
        if beyond.any():
            raise SettingError(
                f"expected times within {MOST_TICKS:,} ticks of {settings.tick_s:g} s, "
                f"got {times[np.argmax(beyond)]:g} s as {what}",
                remedy="leave the duration out for a task without an end, or take a longer tick",
            )


def _tie_order(cluster: Cluster, policy: Policy) -> NDArray[np.int64]:
    """(N,) file positions in the order in which equal scores are decided."""
    if policy.tie == "last-lexical":
        return np.argsort(np.array(cluster.names), kind="stable")[::-1].astype(np.int64)
    return np.arange(len(cluster), dtype=np.int64)


def _too_large(workload: Workload, cluster: Cluster) -> NDArray[np.bool_]:
    """(T,) tasks that no node of the whole run could hold, even empty."""
    homeless = np.ones(len(workload), np.bool_)
    for capacity in np.unique(cluster.capacity, axis=0):
        homeless &= (workload.request > capacity * (1.0 + FIT_TOLERANCE)).any(axis=1)
    return homeless


def _scan_settings(policy: Policy, settings: Settings, cluster: Cluster) -> ScanSettings:
    limited = policy.attempts_per_tick is not None or policy.failures_per_tick is not None
    return ScanSettings(
        seed=settings.seed if policy.tie == "seeded" else -1,
        by_source=policy.load == "usage",
        by_load=policy.searches_by_load,
        task_limits=bool((cluster.max_tasks < NO_TASK_LIMIT).any()),
        short_reason=int(Reason.USAGE if policy.load == "usage" else Reason.REQUEST),
        max_attempts=policy.attempts_per_tick or _UNLIMITED,
        max_failures=policy.failures_per_tick or _UNLIMITED,
        limited=limited,
        every_tick=not limited and policy.backoff != "kubernetes",
        backs_off=policy.backoff == "kubernetes",
        gives_up=policy.backoff == "fail",
    )


def check_policies(policies: Sequence[Policy]) -> None:
    """Refuse two policies with the same label.

    Raises:
        SettingError: a label occurs twice.
    """
    labels = [policy.label() for policy in policies]
    for label in labels:
        if labels.count(label) > 1:
            raise SettingError(f"expected distinct policies, got {label} twice")
