"""Help, version, usage errors, and how much a start loads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pytest

COMMANDS = ("reproduce", "compare", "simulate", "report", "policies", "estimators", "formats")
TRACE_COMMANDS = ("synthesize", "import", "check", "info")
#: What makes a start slow.
HEAVY = {"numpy", "numba", "pyarrow", "pydantic", "altair", "jinja2", "vl_convert", "rich.console"}


@pytest.mark.parametrize(
    "words",
    [(), *((name,) for name in COMMANDS), ("trace",), *(("trace", n) for n in TRACE_COMMANDS)],
)
def test_every_help_has_an_example(flexsched: Callable[..., Any], words: tuple[str, ...]) -> None:
    shown = flexsched(*words, "--help")
    assert shown.code == 0
    (example,) = shown.out.partition("Example:\n")[2].strip().splitlines()
    assert example.strip().startswith(" ".join(("flexsched", *words)))


def test_there_are_the_commands_of_this_version_and_no_others(
    flexsched: Callable[..., Any],
) -> None:
    assert _listed(flexsched("--help").out) == {*COMMANDS, "trace"}
    assert _listed(flexsched("trace", "--help").out) == set(TRACE_COMMANDS)


def _listed(text: str) -> set[str]:
    section = text.split("Commands:\n")[1].partition("\n\n")[0]
    return {line.split()[0] for line in section.splitlines()}


def test_the_version(flexsched: Callable[..., Any]) -> None:
    shown = flexsched("--version")
    assert (shown.code, shown.out) == (0, f"flexsched {version('flexsched')}\n")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("size",),
        ("compare",),
        ("compare", "x.yaml"),
        ("simulate", "x.yaml", "--policy"),
        ("simulate", "x.yaml", "--policy", "flex-f", "--nodes", "0"),
        ("simulate", "x.yaml", "--policy", "flex-f", "--nodes", "3", "--cluster", "y.yaml"),
        ("simulate", "x.yaml", "--policy", "flex-f", "--node-history"),
        ("report", "a", "b"),
        ("reproduce", "--figures", "all"),
        ("reproduce", "--figures", "5"),
        ("reproduce", "--colour"),
        ("reproduce", "--hours", "-1"),
        ("trace",),
        ("trace", "synthesize"),
    ],
)
def test_wrong_usage_is_2(flexsched: Callable[..., Any], words: tuple[str, ...]) -> None:
    refused = flexsched(*words)
    assert refused.code == 2
    assert "Usage: flexsched" in refused.out + refused.err or "Error: Option" in refused.err


def test_figures_of_a_later_command_are_refused_with_the_reason(
    flexsched: Callable[..., Any],
) -> None:
    refused = flexsched("reproduce", "--figures", "all")
    assert "10 and 11 come with the sweep command" in refused.err


@pytest.mark.parametrize("words", [["-c", "import flexsched"], ["-m", "flexsched", "--help"]])
def test_a_start_loads_nothing_heavy(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "flexsched" in loaded
    assert not loaded & HEAVY


def test_the_debug_switch_shows_where_an_error_came_from(
    flexsched: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("simulate", "missing.yaml", "--policy", "flex-f")
    assert "Traceback" not in flexsched(*words).err
    monkeypatch.setenv("FLEXSCHED_DEBUG", "1")
    assert "Traceback" in flexsched(*words).err


def test_the_unexpected_ends_in_a_message(
    flexsched: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down() -> None:
        raise ZeroDivisionError("one over nothing")

    monkeypatch.setattr("flexsched.core.policies.policies", break_down)
    failed = flexsched("policies")
    assert failed.code == 1
    assert failed.err.startswith("error: unexpected ZeroDivisionError: one over nothing\n")
    assert "FLEXSCHED_DEBUG=1" in failed.err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "error: out of memory"),
        (OSError(28, os.strerror(28), "scratch"), "error: scratch: No space left on device"),
    ],
)
def test_a_machine_at_its_limit_is_named(
    flexsched: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    def break_down() -> None:
        raise error

    monkeypatch.setattr("flexsched.core.policies.policies", break_down)
    failed = flexsched("policies")
    assert failed.code == 1
    assert failed.err.startswith(said)
