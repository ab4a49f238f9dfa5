"""Ctrl-C and SIGTERM as an exception of their own, once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: How soon a signal is looked at again that came at a moment when nothing can be raised.
_RETRY_S = 0.02


class Interrupted(BaseException):
    """The user or the system asked the command to end.

    Attributes:
        signal: how.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)


def _called_from_c(frame: FrameType | None) -> bool:
    """Whether the main thread is where LLVM calls Python back, and an exception would be lost."""
    while frame is not None:
        if frame.f_code.co_name.startswith("_raw_object_cache"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise :class:`Interrupted` at the first signal; later ones must not cut the clean-up short.

    Signals reach the main thread only; elsewhere this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.getsignal(number) for number in _SIGNALS}

    def interrupt(number: int, frame: FrameType | None) -> None:
        if _called_from_c(frame):
            again = threading.Timer(_RETRY_S, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
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
