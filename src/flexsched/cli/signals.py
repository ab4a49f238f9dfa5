"""Ctrl-C and SIGTERM as an exception of their own, once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """The user or the system asked the command to end.

    Attributes:
        signal: how.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise :class:`Interrupted` at the first signal; later ones must not cut the clean-up short.

    Signals reach the main thread only; elsewhere this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.getsignal(number) for number in _SIGNALS}

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise Interrupted(number)

    for number in _SIGNALS:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
