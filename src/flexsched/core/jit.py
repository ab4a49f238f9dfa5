"""Compilation of the kernels: plain Python functions, compiled by Numba, cached per version.

A kernel is the function one reads and debugs: with ``NUMBA_DISABLE_JIT=1`` it runs as
plain Python. Compiled code is cached in a folder named after a hash of the source,
because Numba by itself notices a change only in the file of the outermost function, not in
the functions that it calls.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config as _numba_config
from numba.core import event

# Numba fills its settings in at run time, unseen by type checkers.
_config: Any = _numba_config
_CORE = Path(__file__).resolve().parent
_Function = TypeVar("_Function", bound=Callable[..., Any])


def cache_root() -> Path:
    """Folder under which compiled kernels are kept, NUMBA_CACHE_DIR if that is set."""
    root = os.environ.get("NUMBA_CACHE_DIR") or (
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flexsched"
    )
    return Path(root)


@functools.cache
def cache_folder(package: Path, extra: str = "") -> Path | None:
    """Folder of the kernels compiled from exactly this source, or None if none can be written.

    Args:
        package: folder of the kernel's module; all kernels there and in the core count.
        extra: source text outside flexsched that kernels are specialised for (a user's own
            policy), so that editing it leads to another folder.
    """
    digest = hashlib.blake2b(extra.encode(), digest_size=8)
    for folder in (_CORE, package):
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.read_bytes())
    folder = cache_root() / f"kernels-{digest.hexdigest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


@contextmanager
def compilation_told(tell: Callable[[], None]) -> Iterator[None]:
    """Call ``tell`` once, as soon as a kernel is compiled in here rather than loaded."""
    listener = _FirstCompilation(tell)
    with event.install_listener("numba:compile", listener):
        yield


class _FirstCompilation(event.Listener):
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell: Callable[[], None] | None = tell

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002
        if self._tell is not None:
            tell, self._tell = self._tell, None
            tell()

    def on_end(self, event: event.Event) -> None:
        """Nothing to say."""


def kernel(function: _Function) -> _Function:
    """Compile on first call, releasing the interpreter lock while it runs."""
    return _compile(function, cache_folder(_package_of(function)))


def inlined(function: _Function) -> _Function:
    """A step of a kernel, always inlined and never cached by itself.

    A call would count references to every array it passes; and a step that takes a policy rule
    must not leave a user's rule in the cache that all programs share.
    """
    return numba.njit(forceinline=True, error_model="numpy")(function)  # type: ignore[return-value]


@functools.cache
def _specialised(function: Callable[..., Any], rule_type: type) -> Callable[..., Any]:
    """A kernel of its own for a rule that is not part of this package."""
    try:
        source = inspect.getsource(sys.modules[rule_type.__module__])
    except (OSError, TypeError, KeyError):
        return _compile(function, None)  # typed in by hand: there is no source to go by
    return _compile(function, cache_folder(_package_of(function), rule_type.__module__ + source))


def for_rule(compiled: _Function, rule: tuple[Any, ...]) -> _Function:
    """The kernel to call with this policy rule: ours is shared, a user's gets its own cache.

    Only kernels that are fetched here may take a rule; what they call in turn is ``inlined``.
    """
    if type(rule).__module__.startswith("flexsched.") or _config.DISABLE_JIT:
        return compiled
    return _specialised(compiled.py_func, type(rule))  # type: ignore[attr-defined, return-value]


def _package_of(function: Callable[..., Any]) -> Path:
    return Path(inspect.unwrap(function).__code__.co_filename).resolve().parent


def _compile(function: _Function, folder: Path | None) -> _Function:
    if folder is None:
        return numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)  # type: ignore[return-value]
    # Numba reads the folder when the function is decorated; the setting is put back at once.
    previous = _config.CACHE_DIR
    _config.CACHE_DIR = str(folder)
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True)(function)  # type: ignore[return-value]
    finally:
        _config.CACHE_DIR = previous
