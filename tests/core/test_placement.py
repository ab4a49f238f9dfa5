"""The index against a full scan: every rule, every shape of cluster, ties, limits, updates."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from flexsched.core import placement
from flexsched.core.cluster import NO_TASK_LIMIT
from flexsched.core.jit import kernel
from flexsched.core.placement import NodeIndex, make_index, mix, rebuild
from flexsched.core.policies import BestFit, FirstFit, FlexF, LeastFit, Oversub

# Steps of kernels are not cached by themselves; as kernels of their own they are.


@kernel
def best_node(rule: Any, index: NodeIndex, request: NDArray[np.float64], draw: int) -> int:
    return placement.best_node(rule, index, request, draw)


@kernel
def add_load(rule: Any, index: NodeIndex, node: int, request: NDArray[np.float64]) -> None:
    placement.add_load(rule, index, node, request)


@kernel
def change_source(
    rule: Any, index: NodeIndex, touched: int, hosts: NDArray[np.int64], count: int
) -> int:
    return placement.change_source(rule, index, touched, hosts, count)


@kernel
def room_ignoring_task_limits(rule: Any, index: NodeIndex, request: NDArray[np.float64]) -> bool:
    return placement.room_ignoring_task_limits(rule, index, request)


Scores = Callable[[list[float], list[float], list[float], int], float]


# -- the rules once more, from their definitions, over plain lists --------------------------------


def requested(load: list[float], request: list[float], capacity: list[float]) -> list[float]:
    """(R + r) / C of the resources that a node has."""
    return [(u + r) / c for u, r, c in zip(load, request, capacity, strict=True) if c > 0]


def least_requested(
    load: list[float], request: list[float], capacity: list[float], _: int
) -> float:
    return -max(requested(load, request, capacity), default=1.0)


def most_requested(load: list[float], request: list[float], capacity: list[float], _: int) -> float:
    return max(requested(load, request, capacity), default=1.0)


def authors_requested(
    load: list[float], request: list[float], capacity: list[float], _: int
) -> float:
    points = [
        math.floor(100.0 * (c - (u + r)) / c)
        for u, r, c in zip(load, request, capacity, strict=True)
        if c > 0
    ]
    return sum(points) / len(points) if points else 0.0


def free(load: list[float], capacity: list[float]) -> float:
    return min(((c - u) / c for u, c in zip(load, capacity, strict=True) if c > 0), default=0.0)


def most_free(load: list[float], _: list[float], capacity: list[float], same_source: int) -> float:
    return free(load, capacity) - 0.01 * same_source


def authors_free(
    load: list[float], _: list[float], capacity: list[float], same_source: int
) -> float:
    return math.floor(100.0 * free(load, capacity)) + 100.0 - same_source


RULES: dict[str, tuple[Any, float, Scores]] = {
    "least-fit": (LeastFit().rule(), 1.0, least_requested),
    "oversub": (Oversub().rule(), 2.0, least_requested),
    "least-fit-authors": (LeastFit(score="authors").rule(), 1.0, authors_requested),
    "oversub-authors": (Oversub(score="authors").rule(), 2.0, authors_requested),
    "best-fit": (BestFit().rule(), 1.0, most_requested),
    "first-fit": (FirstFit().rule(), 1.0, lambda *_: 0.0),
    "flex": (FlexF().rule(), 1.0, most_free),
    "flex-authors": (FlexF(score="authors").rule(), 1.0, authors_free),
}


def candidates(
    index: NodeIndex, request: NDArray[np.float64], factor: float, score: Scores
) -> dict[int, float]:
    """Scores of all nodes that can take the request, by a look at every one of them."""
    asked, found = request.tolist(), {}
    for node, (load, capacity) in enumerate(
        zip(index.load.tolist(), index.capacity.tolist(), strict=True)
    ):
        fits = all(
            u + r <= factor * c * (1 + 1e-9) for u, r, c in zip(load, asked, capacity, strict=True)
        )
        if index.present[node] and index.tasks[node] < index.max_tasks[node] and fits:
            found[node] = score(load, asked, capacity, int(index.same_source[node]))
    return found


def winners(scores: dict[int, float]) -> list[int]:
    return [node for node, score in scores.items() if score == max(scores.values())]


# -- random clusters ------------------------------------------------------------------------------


def draw_index(seed: int, nodes: int, width: int, coarse: bool) -> tuple[NodeIndex, Any]:
    """A filled index (keys not yet built) and its generator; coarse amounts tie often."""
    generator = np.random.default_rng(seed)
    kinds = generator.choice([0.0, 1.0, 2.0, 4.0], (3, width), p=[0.1, 0.3, 0.3, 0.3])
    capacity = kinds[generator.integers(0, 3, nodes)]
    limit = np.where(generator.random(nodes) < 0.2, 3, NO_TASK_LIMIT).astype(np.int64)
    index = make_index(capacity, limit)
    fill = generator.integers(0, 5, (nodes, width)) / 4 if coarse else generator.random(
        (nodes, width)) * 1.3  # fmt: skip
    index.load[:] = fill * capacity
    index.present[:] = generator.random(nodes) < 0.85
    index.tasks[:] = generator.integers(0, 5, nodes)
    index.same_source[:] = np.where(generator.random(nodes) < 0.3, index.tasks, 0)
    return index, generator


def draw_request(generator: Any, width: int, coarse: bool) -> NDArray[np.float64]:
    if coarse:
        return generator.integers(0, 5, width) / 4
    return generator.random(width) * generator.choice([0.05, 0.5, 2.0])


@pytest.mark.parametrize("name", RULES)
@given(
    seed=st.integers(0, 2**32 - 1),
    nodes=st.integers(1, 200),
    width=st.integers(1, 3),
    coarse=st.booleans(),
    by_load=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_best_node_is_that_of_the_full_scan(
    name: str, seed: int, nodes: int, width: int, coarse: bool, by_load: bool
) -> None:
    rule, factor, score = RULES[name]
    index, generator = draw_index(seed, nodes, width, coarse)
    rebuild(rule, index, by_load)
    assert sorted(index.member.tolist()) == list(range(nodes))
    assert index.place[index.member].tolist() == list(range(nodes))
    for draw in range(4):
        request = draw_request(generator, width, coarse)
        best = winners(candidates(index, request, factor, score))
        assert best_node(rule, index, request, -1) == (best[0] if best else -1)
        assert best_node(rule, index, request, draw) in (best or [-1])


def summaries(index: NodeIndex) -> list[list[float]]:
    return [
        array.tolist()
        for array in (index.key, index.block_key, index.block_load, index.block_capacity)
    ]


@pytest.mark.parametrize("name", RULES)
@given(seed=st.integers(0, 2**32 - 1), nodes=st.integers(1, 120), coarse=st.booleans())
@settings(max_examples=30, deadline=None)
def test_kept_up_to_date_is_built_afresh(name: str, seed: int, nodes: int, coarse: bool) -> None:
    """Binds and changes of source in any order leave the index as a rebuild would make it."""
    rule, factor, score = RULES[name]
    index, generator = draw_index(seed, nodes, 2, coarse)
    index.same_source[:] = 0
    rebuild(rule, index, True)
    touched = 0
    for _ in range(25):
        if generator.random() < 0.3:
            hosts = generator.integers(0, nodes, generator.integers(0, 8))
            touched = change_source(rule, index, touched, hosts, len(hosts))
            counted = Counter(hosts.tolist())
            assert index.same_source.tolist() == [counted[node] for node in range(nodes)]
            assert sorted(index.touched[:touched].tolist()) == sorted(counted)
            continue
        request = draw_request(generator, 2, coarse) / 4
        node = best_node(rule, index, request, -1)
        best = winners(candidates(index, request, factor, score))
        assert node == (best[0] if best else -1)
        if node >= 0:
            if index.same_source[node] == 0:
                index.touched[touched] = node
                touched += 1
            index.same_source[node] += 1
            add_load(rule, index, node, request)
    kept = summaries(index)
    rebuild(rule, index)
    assert kept == summaries(index)


def test_binding_adds_the_full_request() -> None:
    rule, index = RULES["flex"][0], make_index(np.array([[4.0, 8.0]]), np.array([2]))
    index.present[:] = True
    rebuild(rule, index)
    add_load(rule, index, 0, np.array([1.5, 0.25]))
    add_load(rule, index, 0, np.array([1.0, 0.0]))
    assert index.load.tolist() == [[2.5, 0.25]]
    assert index.tasks.tolist() == [2]
    # Two tasks are the node's limit: there is room, but not for one more.
    assert index.key.tolist() == [-np.inf]
    assert best_node(rule, index, np.zeros(2), -1) == -1
    assert room_ignoring_task_limits(rule, index, np.array([1.5, 1.0]))
    assert not room_ignoring_task_limits(rule, index, np.array([1.75, 1.0]))


@given(seed=st.integers(0, 2**32 - 1), nodes=st.integers(1, 120), coarse=st.booleans())
@settings(max_examples=60, deadline=None)
def test_room_ignoring_limits_looks_at_present_nodes_only(
    seed: int, nodes: int, coarse: bool
) -> None:
    rule, factor, score = RULES["least-fit"]
    index, generator = draw_index(seed, nodes, 2, coarse)
    rebuild(rule, index)
    request = draw_request(generator, 2, coarse)
    unlimited = index._replace(max_tasks=np.full(nodes, NO_TASK_LIMIT))
    expected = bool(candidates(unlimited, request, factor, score))
    assert room_ignoring_task_limits(rule, index, request) == expected


def test_no_node_present() -> None:
    rule = RULES["least-fit"][0]
    index = make_index(np.ones((5, 2)), np.full(5, NO_TASK_LIMIT))
    rebuild(rule, index)
    assert best_node(rule, index, np.zeros(2), -1) == -1
    assert not room_ignoring_task_limits(rule, index, np.zeros(2))


def test_a_node_without_a_resource_takes_requests_of_none_of_it() -> None:
    rule = RULES["flex"][0]
    index = make_index(np.array([[0.0, 4.0], [2.0, 4.0]]), np.full(2, NO_TASK_LIMIT))
    index.present[:] = True
    index.load[1] = (1.0, 2.0)
    rebuild(rule, index)
    assert best_node(rule, index, np.array([0.0, 1.0]), -1) == 0
    assert best_node(rule, index, np.array([0.5, 1.0]), -1) == 1


# -- ties -----------------------------------------------------------------------------------------


def equal_nodes(nodes: int, present: list[int]) -> NodeIndex:
    index = make_index(np.ones((nodes, 2)), np.full(nodes, NO_TASK_LIMIT))
    index.present[present] = True
    rebuild(RULES["flex"][0], index)
    return index


def drawn(index: NodeIndex, draw: int) -> int:
    return best_node(RULES["flex"][0], index, np.full(2, 0.5), draw)


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 10, 99, 200])
def test_first_node_wins_unless_drawn(nodes: int) -> None:
    assert drawn(equal_nodes(nodes, list(range(nodes))), -1) == 0
    assert drawn(equal_nodes(nodes, [nodes - 1]), -1) == nodes - 1


def chi_square(counts: list[int]) -> float:
    """Pearson's statistic against equal frequencies."""
    mean = sum(counts) / len(counts)
    return sum((count - mean) ** 2 / mean for count in counts)


#: Chi-square limits exceeded by chance in one case of ten thousand.
@pytest.mark.parametrize(("nodes", "limit"), [(2, 15.1), (7, 27.9), (10, 33.7), (50, 99.4)])
def test_drawn_ties_are_uniform(nodes: int, limit: float) -> None:
    index = equal_nodes(nodes, list(range(nodes)))
    wins = Counter(drawn(index, mix(7, task, 3)) for task in range(400 * nodes))
    assert chi_square([wins[node] for node in range(nodes)]) < limit


def test_draws_of_neighbouring_tasks_are_independent() -> None:
    """Pairs of winners of consecutive tasks, and of the same task in consecutive ticks."""
    index = equal_nodes(4, [0, 1, 2, 3])
    by_task = [drawn(index, mix(1, task, 0)) for task in range(6400)]
    by_tick = [drawn(index, mix(1, 0, tick)) for tick in range(6400)]
    for series in (by_task, by_tick):
        pairs = Counter(zip(series[::2], series[1::2], strict=True))
        assert chi_square([pairs[a, b] for a in range(4) for b in range(4)]) < 45.9


@given(st.integers(0, 2**31 - 1), st.sets(st.integers(0, 39), min_size=1), st.integers(40, 300))
@settings(max_examples=100, deadline=None)
def test_a_draw_does_not_depend_on_blocks_or_on_the_losers(
    draw: int, tied: set[int], nodes: int
) -> None:
    winner = drawn(equal_nodes(40, sorted(tied)), draw)
    assert winner in tied
    # The same nodes in a larger cluster, whose blocks have another size.
    assert drawn(equal_nodes(nodes, sorted(tied)), draw) == winner
    # Whoever loses may as well be absent.
    for loser in sorted(tied - {winner})[:3]:
        assert drawn(equal_nodes(40, sorted(tied - {loser})), draw) == winner


# -- plain Python against compiled ----------------------------------------------------------------

PLAIN_PYTHON = """
import json, numba
from test_placement import some_answers
assert numba.config.DISABLE_JIT
print(json.dumps(some_answers()))
"""


def some_answers() -> dict[str, list[list[int]]]:
    """Nodes chosen by every rule in fixed situations, first and drawn, with binds in between."""
    answers: dict[str, list[list[int]]] = {}
    for name, (rule, _, _) in RULES.items():
        for seed in range(6):
            index, generator = draw_index(seed, 30 + 5 * seed, 2, coarse=seed % 2 == 0)
            rebuild(rule, index)
            chosen = []
            for draw in [-1, mix(seed, 5, 9), -1, mix(seed, 2**40 + 1, 0)]:
                request = draw_request(generator, 2, coarse=True) / 2
                chosen.append(int(best_node(rule, index, request, draw)))
                if chosen[-1] >= 0:
                    add_load(rule, index, chosen[-1], request)
            answers.setdefault(name, []).append(chosen)
    return answers


def test_plain_python_chooses_the_same_nodes() -> None:
    here = Path(__file__).resolve().parent
    done = subprocess.run(
        [sys.executable, "-c", PLAIN_PYTHON],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(here)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == some_answers()
