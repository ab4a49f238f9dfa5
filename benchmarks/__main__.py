"""``python -m benchmarks``: every figure beside its target."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator

from benchmarks import demand, growth, machine, paper_size, reproduce, retries, start
from benchmarks.figures import Figure, document, print_table

#: Groups whose size is fixed, and those that have the paper's unless told otherwise.
_FIXED: dict[str, Callable[[], Iterator[Figure]]] = {
    "start": start.figures,
    "retries": retries.figures,
}
_SIZED: dict[str, Callable[[int | None], Iterator[Figure]]] = {
    "reproduce": reproduce.figures,
    "paper_size": paper_size.figures,
    "demand": demand.figures,
    "growth": growth.figures,
}
_ALWAYS = ("start", "reproduce", "paper_size", "retries", "demand")


def main() -> None:
    """Measure what was asked for and print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    known = [*_ALWAYS, "growth"]
    add("--only", nargs="+", choices=known, metavar="GROUP", help=f"some of {', '.join(known)}")
    add("--growth", action="store_true", help="ten times the size too: many minutes, up to 20 GiB")
    add("--tasks", type=int, help="another size than the paper's 714,030 tasks")
    add("--json", action="store_true", help="print JSON instead of the table")
    asked = parser.parse_args()
    groups = asked.only or [*_ALWAYS, *(["growth"] if asked.growth else [])]
    facts = machine.facts()
    found: list[Figure] = []
    for group in groups:
        print(f"measuring: {group} ...", file=sys.stderr, flush=True)
        found += _FIXED[group]() if group in _FIXED else _SIZED[group](asked.tasks)
    facts["load average at the end"] = machine.load_average()
    if asked.json:
        print(json.dumps(document(facts, found), indent=2))
    else:
        print_table(facts, found)


if __name__ == "__main__":
    main()
