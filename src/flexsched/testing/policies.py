"""The conformance suite for placement policies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.core.cluster import Cluster
from flexsched.core.jit import for_rule, kernel
from flexsched.core.placement import NodeIndex, add_load, best_node, rebuild
from flexsched.core.policies import Policy, make_policy, policies
from flexsched.testing._conformance import require
from flexsched.testing._situations import Situation, draw_situation, draw_workload

_BINDS = 4


def check_policy(policy: Policy, *, seed: int = 0, situations: int = 200) -> None:
    """Hold a policy to its contract in random situations.

    Checked in this order: names and settings; the queue order; then of the rule that it
    changes nothing and repeats itself, that ``fits`` never gets better with more load, a larger
    request or less capacity, that scores are numbers and both ceilings bound them; last that
    compiled code agrees with plain Python, and the search through the index with a full scan.

    Args:
        policy: with the settings to check.
        seed: of the situations, >= 0.
        situations: how many, >= 1.

    Raises:
        ConformanceError: a contract is broken; the message says which, with the numbers.
    """
    who = f"policy {type(policy).__name__}"
    generator = np.random.default_rng(seed)
    _check_settings(policy, who)
    _check_queue(policy, who, generator)
    rule = policy.rule()
    drawn = [draw_situation(generator) for _ in range(situations)]
    for situation in drawn:
        _check_purity(rule, situation, who)
        _check_fits(rule, situation, who, generator)
        _check_ceilings(rule, situation, who)
    for situation in drawn:
        _check_compiled(rule, situation, who)
        _check_index(rule, situation, who)


# -- the policy -------------------------------------------------------------------------------


def _check_settings(policy: Policy, who: str) -> None:
    kind = type(policy)
    for name in ("name", "title", "summary"):
        text = getattr(kind, name, "")
        require(isinstance(text, str) and text != "", who, f"{name} is a text", repr(text))
    require(kind.load in ("usage", "request"), who, "load is usage or request", repr(kind.load))
    settings = policy.model_dump()
    try:
        json.dumps(settings, allow_nan=False)
    except (TypeError, ValueError) as error:
        require(False, who, "its settings can be written as JSON", str(error))
    again = kind.model_validate(settings)
    require(again == policy, who, "its settings read back are the same", repr(again))
    require(policy.label().startswith(kind.name), who, "its label starts with its name",
            policy.label())  # fmt: skip
    if policies().get(kind.name) is kind:
        require(make_policy(kind.name, settings) == policy, who, "its name leads to it")
    if kind.load == "usage":
        first, second = policy.make_estimator(), policy.make_estimator()
        require(first is not None and first is not second, who,
                "a policy that goes by usage makes a fresh estimator for each run")  # fmt: skip
    controller = policy.make_controller(60.0)
    require(controller is None or controller is not policy.make_controller(60.0), who,
            "it makes a fresh controller for each run")  # fmt: skip


def _check_queue(policy: Policy, who: str, generator: np.random.Generator) -> None:
    workload, cluster = draw_workload(generator), Cluster.uniform(3)
    order = policy.queue_order(workload, cluster)
    everyone = np.arange(len(workload))
    require(np.array_equal(np.sort(order), everyone), who,
            "queue_order names every task once", str(order))  # fmt: skip
    require(np.array_equal(order, policy.queue_order(workload, cluster)), who,
            "queue_order gives the same order again")  # fmt: skip


# -- the rule in plain Python ------------------------------------------------------------------


def _fits(rule: Any, index: NodeIndex, node: int, request: NDArray[np.float64]) -> bool:
    return bool(rule.fits(index.load, node, request, index.capacity))


def _score(rule: Any, index: NodeIndex, node: int, request: NDArray[np.float64]) -> float:
    same_source = float(index.same_source[node])
    return float(rule.score(index.load, node, request, index.capacity, same_source))


def _ceiling(rule: Any, index: NodeIndex, node: int) -> float:
    same_source = float(index.same_source[node])
    return float(rule.ceiling(index.load, node, index.capacity, same_source))


def _same(first: Sequence[float], second: Sequence[float]) -> bool:
    return np.array_equal(first, second, equal_nan=True)


def _case(situation: Situation, node: int) -> str:
    index = situation.nodes
    return (
        f"load {index.load[node].tolist()}, capacity {index.capacity[node].tolist()}, "
        f"request {situation.request.tolist()}, {index.same_source[node]} tasks of the source"
    )


def _check_purity(rule: Any, situation: Situation, who: str) -> None:
    index, request = situation
    before = index.load.copy(), index.capacity.copy(), request.copy()
    for node in range(len(index.load)):
        asked = [
            (_fits(rule, index, node, request), _score(rule, index, node, request),
             _ceiling(rule, index, node))
            for _ in range(2)
        ]  # fmt: skip
        require(_same(asked[0], asked[1]), who, "the rule repeats itself",
                _case(situation, node))  # fmt: skip
    kept = all(map(np.array_equal, (index.load, index.capacity, request), before))
    require(kept, who, "the rule changes none of the arrays it is handed")


def _check_fits(rule: Any, situation: Situation, who: str, generator: np.random.Generator) -> None:
    index, request = situation
    more = index.capacity * generator.choice((0.0, 0.25), index.load.shape)
    harder: Sequence[tuple[str, NDArray[Any], NDArray[Any], NDArray[Any]]] = (
        ("more load", index.load + more, request, index.capacity),
        ("a larger request", index.load, request + more[0], index.capacity),
        ("less capacity", index.load, request, np.maximum(index.capacity - more, 0.0)),
    )
    for node in range(len(index.load)):
        if _fits(rule, index, node, request):
            continue
        for change, load, asked, capacity in harder:
            fits = bool(rule.fits(load, node, asked, capacity))
            numbers = (
                f"a fit at load {load[node].tolist()}, request {asked.tolist()}, capacity "
                f"{capacity[node].tolist()}, and none at {_case(situation, node)}"
            )
            require(not fits, who, f"{change} never makes a request fit", numbers,
                    "failures are pruned and nodes passed over on that ground")  # fmt: skip


def _check_ceilings(rule: Any, situation: Situation, who: str) -> None:
    index, request = situation
    keys = [_ceiling(rule, index, node) for node in range(len(index.load))]
    least, largest = index.load.min(axis=0)[np.newaxis], index.capacity.max(axis=0)[np.newaxis]
    bound = float(rule.block_ceiling(max(keys), least, 0, request, largest))
    for node, key in enumerate(keys):
        if not _fits(rule, index, node, request):
            continue
        score, case = _score(rule, index, node, request), _case(situation, node)
        require(np.isfinite(score), who, "a score is a finite number", f"{score} at {case}")
        require(score <= key, who, "no score is above the node's ceiling",
                f"{score!r} above {key!r} at {case}",
                "return inf from ceiling if no better bound is known")  # fmt: skip
        require(score <= bound, who, "no score is above the ceiling of its block",
                f"{score!r} above {bound!r} at {case}",
                "return the key from block_ceiling if no better bound is known")  # fmt: skip


# -- the rule compiled -------------------------------------------------------------------------


@kernel
def _evaluate(
    rule: Any, index: NodeIndex, request: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Fill (N, 3) ``out`` with fits, score and ceiling of every node."""
    for node in range(out.shape[0]):
        same_source = float(index.same_source[node])
        out[node, 0] = 1.0 if rule.fits(index.load, node, request, index.capacity) else 0.0
        out[node, 1] = rule.score(index.load, node, request, index.capacity, same_source)
        out[node, 2] = rule.ceiling(index.load, node, index.capacity, same_source)


@kernel
def _find(rule: Any, index: NodeIndex, request: NDArray[np.float64], draw: int) -> int:
    return best_node(rule, index, request, draw)


@kernel
def _bind(rule: Any, index: NodeIndex, node: int, request: NDArray[np.float64]) -> None:
    add_load(rule, index, node, request)


def _check_compiled(rule: Any, situation: Situation, who: str) -> None:
    index, request = situation
    compiled = np.zeros((len(index.load), 3))
    for_rule(_evaluate, rule)(rule, index, request, compiled)
    for node, (fits, score, ceiling) in enumerate(compiled.tolist()):
        plain = (float(_fits(rule, index, node, request)), _score(rule, index, node, request),
                 _ceiling(rule, index, node))  # fmt: skip
        require(_same((fits, score, ceiling), plain), who,
                "compiled code gives fits, score and ceiling as plain Python does",
                f"{(fits, score, ceiling)} and {plain} at {_case(situation, node)}")  # fmt: skip


def _check_index(rule: Any, situation: Situation, who: str) -> None:
    """A few binds in a row, each on the node that a scan over all nodes would take."""
    index, request = situation
    for_rule(rebuild, rule)(rule, index)
    for draw in range(_BINDS):
        best = _best_nodes(rule, index, request)
        first = for_rule(_find, rule)(rule, index, request, -1)
        drawn = for_rule(_find, rule)(rule, index, request, draw)
        require(first == (best[0] if best else -1) and drawn in (best or [-1]), who,
                "the search finds a best node of all nodes, the first unless drawn",
                f"nodes {first} and {drawn} instead of {best or 'none'}")  # fmt: skip
        if not best:
            return
        index.same_source[first] += 1
        for_rule(_bind, rule)(rule, index, first, request)


def _best_nodes(rule: Any, index: NodeIndex, request: NDArray[np.float64]) -> list[int]:
    """Every node with the highest score among those that can take the request."""
    scores = {
        node: _score(rule, index, node, request)
        for node in range(len(index.load))
        if index.present[node]
        and index.tasks[node] < index.max_tasks[node]
        and _fits(rule, index, node, request)
    }
    highest = max(scores.values(), default=0.0)
    return [node for node, score in scores.items() if score == highest]
