"""Independent pieces of work in threads, ended together when one of them fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TypeVar

_Result = TypeVar("_Result")
#: How long an interrupted call waits for its threads to notice; compiling ones never do.
_GRACE_S = 1.0


class Stopped(Exception):  # noqa: N818 - no error of its own, it ends a thread
    """A piece of work was ended because another one failed or the user interrupted."""


class Stop:
    """Tells the pieces of work that it is over."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """End every piece at its next :meth:`check`."""
        self._event.set()

    def check(self) -> None:
        """Go on, or raise.

        Raises:
            Stopped: it is over.
        """
        if self._event.is_set():
            raise Stopped


def side_by_side(pieces: Sequence[Callable[[Stop], _Result]], jobs: int) -> list[_Result]:
    """Run pieces of work in at most ``jobs`` threads.

    Whatever ends the wait early (a failure, Ctrl-C) ends all pieces at their next
    ``check`` and leaves this function with that exception.

    Args:
        pieces: each is called once, and calls ``check`` of what it is handed now and then.
        jobs: threads, >= 1.

    Returns:
        Their results, in the order of the pieces.
    """
    stop = Stop()
    executor = ThreadPoolExecutor(min(jobs, len(pieces)), "flexsched-run")
    futures = [executor.submit(_run, piece, stop) for piece in pieces]
    try:
        wait(futures, return_when=FIRST_EXCEPTION)
        _raise_failure(futures)
        return [future.result() for future in futures]
    finally:
        stop.set()
        executor.shutdown(wait=False, cancel_futures=True)
        wait(futures, timeout=_GRACE_S)


def _run(piece: Callable[[Stop], _Result], stop: Stop) -> _Result:
    """One piece; its failure is known to the others before the next one can begin."""
    stop.check()
    try:
        return piece(stop)
    except BaseException:
        stop.set()
        raise


def _raise_failure(futures: Sequence[Future[_Result]]) -> None:
    """Raise what failed, not what was stopped because of it."""
    failures = [future.exception() for future in futures if future.done()]
    for failure in failures:
        if failure is not None and not isinstance(failure, Stopped):
            raise failure
