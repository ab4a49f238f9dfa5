"""FlexL: Flex with the largest request first (paper, section 4.3)."""

from __future__ import annotations

from typing import ClassVar, Literal

from flexsched.core.cluster import Cluster
from flexsched.core.policies._flex import Flex
from flexsched.core.queues import Order, dominant_size, largest_first, memory_size
from flexsched.core.workload import Workload


class FlexL(Flex):
    """Place by penalised usage, largest request first.

    Attributes:
        order: what "largest" means: the memory request, or the largest share of the whole
            cluster's capacity over all resources.
    """

    name: ClassVar[str] = "flex-l"
    title: ClassVar[str] = "FlexL"
    summary: ClassVar[str] = "usage times a learned penalty; largest memory request first"

    order: Literal["memory", "dominant"] = "memory"

    def queue_order(self, workload: Workload, cluster: Cluster) -> Order:
        if self.order == "memory":
            return largest_first(workload, memory_size(workload))
        return largest_first(workload, dominant_size(workload, cluster))
