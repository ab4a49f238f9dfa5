"""FlexF: Flex with the first-come-first-served queue (paper, section 4.3)."""

from __future__ import annotations

from typing import ClassVar

from flexsched.core.policies._flex import Flex


class FlexF(Flex):
    """Place by penalised usage, first come, first served."""

    name: ClassVar[str] = "flex-f"
    title: ClassVar[str] = "FlexF"
    summary: ClassVar[str] = "usage times a learned penalty; first come, first served"
