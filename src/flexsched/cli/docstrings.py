"""What the entries of a docstring's section say, by name."""

from __future__ import annotations

import inspect
import re

_ENTRY = re.compile(r"    (\w+): (.*)")


def entries(owner: object, section: str) -> dict[str, str]:
    """Read a section such as ``Attributes:`` of a docstring in Google style.

    Args:
        owner: class or function.
        section: the section's title.

    Returns:
        Per entry its text on one line; nothing where there is no such section.
    """
    found: dict[str, str] = {}
    _, _, rest = inspect.cleandoc(getattr(owner, "__doc__", None) or "").partition(f"{section}:\n")
    name = ""
    for line in rest.replace("``", "").splitlines():
        if match := _ENTRY.fullmatch(line):
            name = match[1]
            found[name] = match[2]
        elif line.startswith("     ") and name:
            found[name] += f" {line.strip()}"
        else:
            break
    return found


def entries_of_class(kind: type, section: str) -> dict[str, str]:
    """The same of a class and its bases; the class closest to it has the word."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        found |= entries(each, section)
    return found
