"""Threads that end together."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from flexsched.experiments.side_by_side import Stop, Stopped, side_by_side


def test_results_come_in_the_order_of_the_pieces() -> None:
    first_may_end = threading.Event()

    def first(_stop: Stop) -> str:
        assert first_may_end.wait(10.0)
        return "first"

    def second(_stop: Stop) -> str:
        first_may_end.set()
        return "second"

    assert side_by_side([first, second], jobs=2) == ["first", "second"]


def test_a_failure_ends_the_others_and_comes_out() -> None:
    ended = threading.Event()

    def fails(_stop: Stop) -> None:
        raise ValueError("broken")

    def goes_on(stop: Stop) -> None:
        try:
            while True:
                stop.check()
        except Stopped:
            ended.set()
            raise

    with pytest.raises(ValueError, match="broken"):
        side_by_side([goes_on, fails], jobs=2)
    assert ended.wait(10.0)


def test_pieces_that_did_not_begin_never_do() -> None:
    begun = []

    def piece(number: int) -> Callable[[Stop], None]:
        def run(_stop: Stop) -> None:
            begun.append(number)
            raise LookupError(number)

        return run

    with pytest.raises(LookupError, match="0"):
        side_by_side([piece(number) for number in range(5)], jobs=1)
    assert begun == [0]
