"""Results that the Flex paper publishes, to be printed beside ours and never fitted to.

Figures 10 and 11 are the numbers behind the authors' plots; at 4000 nodes and
demand scale 1.0, which is the same experiment, the two differ slightly, and the
headline figures of the abstract follow from figure 11. Requests are relative to
LeastFit; violations are shares (0.007 is 0.7 %); memory usage is a share of capacity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

#: Nodes of the main evaluation (figures 6 to 9).
NODES = 4000
#: Tasks of the main evaluation.
TASKS = 714_030
#: "Violations": how many times fewer FlexF and FlexL have than Oversub (figure 7b).
FEWER_VIOLATIONS = 3.7
#: Usage against LeastFit, the largest gain (section 5, figure 6).
USAGE_GAIN = 1.6
#: Spread of memory usage over the nodes: order of the policies, lowest first (figure 9).
IMBALANCE_RANK: Mapping[str, int] = MappingProxyType(
    {"flex-f": 0, "flex-l": 0, "least-fit": 1, "oversub": 2}
)
#: How names of the built-in workload after the paper's begin.
_WORKLOAD = "google2011"


@dataclass(frozen=True)
class Published:
    """Published results of one policy in one setting.

    Attributes:
        request_ratio: requested CPU relative to LeastFit, None where not published.
        violated_fraction: share of QoS violations.
        memory_usage_fraction: memory used, share of capacity, None where not published.
    """

    request_ratio: float | None
    violated_fraction: float
    memory_usage_fraction: float | None = None


def _results(
    request: tuple[float, ...] | None,
    violated: tuple[float, ...],
    memory: tuple[float, ...] | None = None,
) -> tuple[Published, ...]:
    """Results from parallel columns in percent; None where the paper has no such column."""
    return tuple(
        Published(
            request_ratio=request[i] / 100 if request else None,
            violated_fraction=violated[i] / 100,
            memory_usage_fraction=memory[i] / 100 if memory else None,
        )
        for i in range(len(violated))
    )


_NODE_COUNTS = (3000, 3500, 3600, 3700, 3800, 4000)
_DEMAND_SCALES = (0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5)

#: Figure 10: policy -> number of nodes -> results.
BY_NODES: Mapping[str, Mapping[int, Published]] = MappingProxyType(
    {
        policy: MappingProxyType(dict(zip(_NODE_COUNTS, results, strict=True)))
        for policy, results in {
            "least-fit": _results((100,) * 6, (0,) * 6, (49, 48, 47, 46, 45, 44)),
            "oversub": _results((199, 199, 196, 190, 178, 171), (14.9, 14.1, 9.2, 6.2, 9.9, 2.5)),
            "flex-f": _results(
                (215, 193, 187, 185, 178, 171),
                (1.1, 1.2, 0.9, 1.6, 1.1, 0.7),
                (81, 77, 74, 74, 74, 69),
            ),
            "flex-l": _results((170, 181, 184, 184, 178, 171), (4.4, 2.6, 2.6, 2.2, 1.3, 0.7)),
        }.items()
    }
)

#: Figure 11: policy -> demand scale -> results.
BY_DEMAND_SCALE: Mapping[str, Mapping[float, Published]] = MappingProxyType(
    {
        policy: MappingProxyType(dict(zip(_DEMAND_SCALES, results, strict=True)))
        for policy, results in {
            "least-fit": _results((100,) * 9, (0,) * 9),
            "oversub": _results(None, (0, 0.1, 0.4, 2.6, 7.7, 16.5, 27.6, 38.7, 48.6)),
            "flex-f": _results(
                (174, 174, 174, 174, 164, 154, 142, 141, 114), (0, 0, 0.2, 0.7, 1.7, 2, 1.2, 1, 1.6)
            ),
            "flex-l": _results(
                (174, 174, 174, 174, 166, 133, 123, 98, 89),
                (0, 0, 0.1, 0.7, 2.7, 3.6, 3.2, 3.5, 2.4),
            ),
        }.items()
    }
)


def is_paper_workload(document: Mapping[str, Any]) -> bool:
    """Whether a summary is of the built-in workload after the paper's, in whatever size."""
    workload = document["workload"]
    named = str(workload["name"]).startswith(_WORKLOAD)
    return named and bool(workload["usage_kind"] == "synthetic")


def is_same_experiment(document: Mapping[str, Any]) -> bool:
    """Whether a summary has the paper's workload in full size, on nodes as many as in figure 10."""
    return (
        is_paper_workload(document)
        and document["workload"].get("tasks") == TASKS
        and int(document["cluster"]["nodes"]) in _NODE_COUNTS
    )


def published(policy: str, nodes: int | None) -> Published | None:
    """The paper's results for a policy on so many nodes; None without nodes or results.

    On numbers of nodes that the paper does not have, its results on 4000 nodes.

    At 4000 nodes the requests and violations are figure 11's, on which the headline rests,
    as far as that figure has them.
    """
    by_nodes = BY_NODES.get(policy)
    if by_nodes is None or nodes is None:
        return None
    if nodes in by_nodes and nodes != NODES:
        return by_nodes[nodes]
    main, headline = by_nodes[NODES], BY_DEMAND_SCALE[policy][1.0]
    return Published(
        request_ratio=headline.request_ratio or main.request_ratio,
        violated_fraction=headline.violated_fraction,
        memory_usage_fraction=main.memory_usage_fraction,
    )
