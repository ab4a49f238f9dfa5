"""Measuring one tick: demand from the series, allocation under contention, who is served."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexsched.core.contention import allocation, guarantee, wrapped_guarantee
from flexsched.core.jit import kernel
from flexsched.core.placement import NodeIndex
from flexsched.core.qos import served
from flexsched.simulator.state import NEVER, NONE, Count, Flags, Floats, Ints, Ranks, Series, State


@kernel
def _demand(state: State, series: Series, tick: int, tick_s: float, demand_scale: float) -> None:
    """Bring every running task's demand up to date and sum it per node."""
    # Kernels name the arrays of their loops first: each look-up in a tuple of arrays inside a
    # loop costs more than the arithmetic.
    node_of, check_tick, series_of = (
        state.running.node, state.running.check_tick, state.running.series)  # fmt: skip
    demand, usage, total = state.running.demand, state.running.usage, state.totals.demand
    request = state.running.request
    width, ticks_per_s = demand.shape[1], 1.0 / tick_s
    for node in range(total.shape[0]):
        for resource in range(width):
            total[node, resource] = 0.0
    for slot in range(state.counters[Count.SLOTS]):
        node = node_of[slot]
        if node == NONE:
            continue
        if tick >= check_tick[slot]:
            own = series_of[slot]
            last = own.length - 1
            window = int((tick * tick_s - own.start_s) / own.window_s)
            row = own.first + min(window, last)
            for resource in range(width):
                value = series[row, resource] if last >= 0 else request[slot, resource]
                demand[slot, resource] = value * demand_scale
                usage[slot, resource] = value * demand_scale
            check_tick[slot] = NEVER
            if window < last:
                # Rounded down: a look too early changes nothing, one too late would.
                boundary_s = own.start_s + (window + 1) * own.window_s
                check_tick[slot] = max(tick + 1, int(boundary_s * ticks_per_s + 1e-9))
        for resource in range(width):
            total[node, resource] += demand[slot, resource]


@kernel
def measure(
    state: State,
    index: NodeIndex,
    series: Series,
    tick: int,
    tick_s: float,
    demand_scale: float,
    wrapped_resource: int,
) -> int:
    """Measure every running task at the start of a tick's interval.

    Args:
        state: the simulation; its usage, demand and ``violated_s`` are updated.
        index: the nodes (capacity only).
        series: (W, R) usage rows of the workload.
        tick: number of the tick.
        tick_s: length of a tick.
        demand_scale: factor on every series.
        wrapped_resource: resource whose guarantee wraps as in the authors' code, or -1.

    Returns:
        How many running tasks are violated.
    """
    _demand(state, series, tick, tick_s, demand_scale)
    demand, usage, capacity = state.totals.demand, state.totals.usage, index.capacity
    contended = state.totals.contended
    # A node that was contended before holds usages below demand that may be over now.
    special = contended.copy()
    for node in range(contended.shape[0]):
        contended[node] = False
        for resource in range(capacity.shape[1]):
            contended[node] |= demand[node, resource] > capacity[node, resource]
            usage[node, resource] = demand[node, resource]
        special[node] |= contended[node]
    if not special.any():
        return 0
    slots = np.empty(state.counters[Count.LIVE], np.int32)
    count = _guarantee(state, index, special, wrapped_resource, slots)
    return _share_leftover(state, index, special, slots[:count], tick * tick_s, tick_s)


@kernel
def _guarantee(
    state: State, index: NodeIndex, special: Flags, wrapped_resource: int, slots: Ranks
) -> int:
    """First half of the split: ``usage`` of the special nodes' tasks becomes their guarantee.

    Returns:
        How many slots those tasks have; ``slots`` receives them.
    """
    node_of, demand = state.running.node, state.running.demand
    usage, request = state.running.usage, state.running.request
    capacity, requested, demanded = index.capacity, state.totals.request, state.totals.demand
    guaranteed, unmet = state.totals.guaranteed, state.totals.unmet
    for node in range(guaranteed.shape[0]):
        for resource in range(guaranteed.shape[1]):
            guaranteed[node, resource] = 0.0
            unmet[node, resource] = 0.0
    count = 0
    for slot in range(state.counters[Count.SLOTS]):
        node = node_of[slot]
        if node == NONE or not special[node]:
            continue
        slots[count] = slot
        count += 1
        for resource in range(capacity.shape[1]):
            wanted, ensured = demand[slot, resource], demand[slot, resource]
            room, asked = capacity[node, resource], request[slot, resource]
            if demanded[node, resource] > room:
                if resource == wrapped_resource:
                    ensured = wrapped_guarantee(wanted, asked, room, requested[node, resource])
                else:
                    ensured = guarantee(wanted, asked, room, requested[node, resource])
            usage[slot, resource] = ensured
            guaranteed[node, resource] += ensured
            unmet[node, resource] += wanted - ensured
    return count


@kernel
def _share_leftover(
    state: State, index: NodeIndex, special: Flags, slots: Ranks, t_s: float, tick_s: float
) -> int:
    """Second half of the split: guarantees become allocations; counts violated tasks."""
    node_of, task_of, demand = state.running.node, state.running.task, state.running.demand
    usage, request = state.running.usage, state.running.request
    capacity, total = index.capacity, state.totals.usage
    guaranteed, unmet = state.totals.guaranteed, state.totals.unmet
    life = state.book.life
    for node in range(special.shape[0]):
        if special[node]:
            for resource in range(capacity.shape[1]):
                total[node, resource] = 0.0
    violated = 0
    for slot in slots:
        node = node_of[slot]
        satisfied = True
        for resource in range(capacity.shape[1]):
            wanted = demand[slot, resource]
            allocated = allocation(
                wanted,
                usage[slot, resource],
                capacity[node, resource],
                guaranteed[node, resource],
                unmet[node, resource],
            )
            usage[slot, resource] = allocated
            total[node, resource] += allocated
            satisfied &= served(allocated, wanted, request[slot, resource])
        if not satisfied:
            task = task_of[slot]
            violated += 1
            life[task].violated_s += min(tick_s, life[task].end_s - t_s)
    return violated


class NodeStatistics(NamedTuple):
    """Running summaries per node of usage and request (Welford 1962); never a full history.

    ``rows`` is (N,), rows with the node present; the rest are (2, N, R): usage, then request.
    """

    rows: Ints
    mean: Floats
    squares: Floats
    least: Floats
    most: Floats


def make_statistics(nodes: int, width: int) -> NodeStatistics:
    """Summaries of no measurement yet."""
    shape = (2, nodes, width)
    return NodeStatistics(
        rows=np.zeros(nodes, np.int64),
        mean=np.zeros(shape),
        squares=np.zeros(shape),
        least=np.full(shape, np.inf),
        most=np.full(shape, -np.inf),
    )


@kernel
def summarise(state: State, index: NodeIndex, statistics: NodeStatistics) -> Floats:
    """Fold a measurement into the node statistics and sum it over the cluster.

    Returns:
        (5, R): request, usage, demand, capacity of the present nodes, and imbalance, the
        population standard deviation of usage/capacity over its mean (nan where that is 0).
    """
    request, usage, demand = state.totals.request, state.totals.usage, state.totals.demand
    capacity, present, rows = index.capacity, index.present, statistics.rows
    sums = np.zeros((5, capacity.shape[1]))
    for node in range(capacity.shape[0]):
        if not present[node]:
            continue
        rows[node] += 1
        for resource in range(capacity.shape[1]):
            sums[0, resource] += request[node, resource]
            sums[1, resource] += usage[node, resource]
            sums[2, resource] += demand[node, resource]
            sums[3, resource] += capacity[node, resource]
    _fold(usage, present, rows, 0, statistics)
    _fold(request, present, rows, 1, statistics)
    for resource in range(capacity.shape[1]):
        sums[4, resource] = _imbalance(usage, capacity, present, resource)
    return sums


@kernel
def _fold(
    values: Floats, present: Flags, rows: Ints, kind: int, statistics: NodeStatistics
) -> None:
    mean, squares = statistics.mean[kind], statistics.squares[kind]
    least, most = statistics.least[kind], statistics.most[kind]
    for node in range(values.shape[0]):
        if not present[node]:
            continue
        for resource in range(values.shape[1]):
            value = values[node, resource]
            delta = value - mean[node, resource]
            mean[node, resource] += delta / rows[node]
            squares[node, resource] += delta * (value - mean[node, resource])
            least[node, resource] = min(least[node, resource], value)
            most[node, resource] = max(most[node, resource], value)


@kernel
def _imbalance(usage: Floats, capacity: Floats, present: Flags, resource: int) -> float:
    """Population standard deviation of usage/capacity over its mean; nan where that is 0."""
    count, mean, spread = 0, 0.0, 0.0
    for node in range(usage.shape[0]):
        if present[node] and capacity[node, resource] > 0.0:
            count += 1
            mean += usage[node, resource] / capacity[node, resource]
    if mean <= 0.0:
        return np.nan
    mean /= count
    for node in range(usage.shape[0]):
        if present[node] and capacity[node, resource] > 0.0:
            off = usage[node, resource] / capacity[node, resource] - mean
            spread += off * off
    return np.sqrt(spread / count) / mean


@kernel
def later_change_s(state: State, series: Series) -> float:
    """Last time at which the demand of a task that runs now differs from before, or -inf."""
    latest = -np.inf
    tasks = state.tasks
    for slot in range(state.counters[Count.SLOTS]):
        if state.running.node[slot] == NONE:
            continue
        task = state.running.task[slot]
        first = tasks.usage_offset[task]
        for window in range(tasks.usage_length[task] - 1, 0, -1):
            differs = False
            for resource in range(series.shape[1]):
                differs |= series[first + window, resource] != series[first + window - 1, resource]
            if differs:
                change_s = state.book.life[task].start_s + window * tasks.window_s[task]
                latest = max(latest, change_s)
                break
    return latest
