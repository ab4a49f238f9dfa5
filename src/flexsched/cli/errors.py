"""What ends a command, as a message and an exit status."""

from __future__ import annotations

import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import NoReturn

from flexsched.cli.signals import Interrupted, interruptible
from flexsched.core.errors import FlexschedError

#: Set it (to anything) to see where an error came from.
DEBUG = "FLEXSCHED_DEBUG"
FAILED = 1


def exit_status(command: Callable[[], object]) -> int:
    """Run a command to its end; says on stderr what went wrong."""
    try:
        with warnings.catch_warnings(), interruptible():
            warnings.showwarning = _show_warning
            command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Interrupted as end:
        _say(f"interrupted by {end.signal.name}, nothing half-written was left behind")
        return _leave(128 + end.signal)
    except Exception as error:
        _say(f"error: {_in_words(error)}")
        if os.environ.get(DEBUG):
            traceback.print_exception(error)
        return FAILED
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
