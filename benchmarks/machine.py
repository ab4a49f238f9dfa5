"""Facts about the machine without which a figure means little."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path


def facts() -> dict[str, str]:
    """Processor, cores, memory, versions, and how busy the machine is right now."""
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    packages = ", ".join(f"{name} {version(name)}" for name in ("flexsched", "numba", "numpy"))
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory_bytes / 2**30:.1f} GiB",
        "system": platform.platform(),
        "versions": f"Python {platform.python_version()}, {packages}",
        "load average at the start": load_average(),
    }


def load_average() -> str:
    """Of the last 1, 5 and 15 minutes."""
    return ", ".join(f"{load:.2f}" for load in os.getloadavg())


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
