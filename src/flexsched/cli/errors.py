"""What ends a command, as a message and an exit status."""

from __future__ import annotations

import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from flexsched.cli.signals import Interrupted, interruptible
from flexsched.core.errors import FlexschedError, SettingError

#: Set it (to anything) to see where an error came from.
DEBUG = "FLEXSCHED_DEBUG"
FAILED = 1
WRONG_USAGE = 2
#: What a shell reports of a program that SIGPIPE ended: whoever read the output has left.
NOBODY_READS = 141


class WrongUsageError(SettingError):
    """A setting on the command line that cannot be."""


@contextmanager
def from_command_line() -> Iterator[None]:
    """Settings looked at in here were typed by the user: a bad one is wrong usage.

    Raises:
        WrongUsageError: in place of any SettingError.
    """
    try:
        yield
    except SettingError as error:
        raise WrongUsageError(error.message, where=error.where, remedy=error.remedy) from error


def exit_status(command: Callable[[], object]) -> int:
    """Run a command to its end; says on stderr what went wrong.

    Nothing is said where the reader of stdout leaves early, as ``head`` does.
    """
    try:
        status = _status(command)
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes once more at its end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    return status


def _status(command: Callable[[], object]) -> int:
    """The exit status of a command.

    Raises:
        BrokenPipeError: nobody reads stdout any more.
    """
    try:
        with warnings.catch_warnings(), interruptible():
            warnings.showwarning = _show_warning
            command()
    except BrokenPipeError:
        raise
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # click makes 1 of it
            raise end.__context__ from None
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Interrupted as end:
        _say(f"interrupted by {end.signal.name}, nothing half-written was left behind")
        return _leave(128 + end.signal)
    except Exception as error:
        _say(f"error: {_in_words(error)}")
        if os.environ.get(DEBUG):
            traceback.print_exception(error)
        return WRONG_USAGE if isinstance(error, WrongUsageError) else FAILED
    return 0


def _in_words(error: Exception) -> str:
    if isinstance(error, FlexschedError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory\n  remedy: fewer tasks, or fewer runs at a time (--jobs 1)"
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}"
    return (
        f"unexpected {type(error).__name__}: {error}\n"
        f"  remedy: this is a fault of flexsched; please report it with what {DEBUG}=1 shows"
    )


def _show_warning(message: Warning | str, *_place: object, **_more: object) -> None:
    """A warning without the place in the source that it comes from."""
    _say(f"warning: {message}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _leave(status: int) -> int:
    """The status, unless a thread is still busy (compiling cannot be stopped): then exit here."""
    if threading.active_count() > 1:
        _exit_now(status)
    return status


def _exit_now(status: int) -> NoReturn:
    sys.stdout.flush()
    os._exit(status)
