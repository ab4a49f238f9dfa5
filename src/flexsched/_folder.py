"""Folders that are either there in full or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flexsched.core.errors import OutputError


@contextmanager
def new_folder(folder: Path, *, marker: str, force: bool = False) -> Iterator[Path]:
    """Fill a hidden sibling of ``folder``, and give it that name once all went well.

    Whatever ends the block early (an error, Ctrl-C) leaves nothing behind, and an
    older result in place.

    Args:
        folder: where the result belongs; parent folders are made.
        marker: a file that every result of this kind holds. Without it an existing
            folder is somebody's own data, and is not replaced even with ``force``.
        force: replace an older result.

    Yields:
        The folder to write into.

    Raises:
        OutputError: ``folder`` exists, or writing failed (disk full, no permission).
    """
    check_target(folder, marker=marker, force=force)
    aside: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        content = aside / "new"
        content.mkdir()
        yield content
        check_target(folder, marker=marker, force=force)
        _exchange(content, folder, aside / "old")
    except OSError as error:
        raise OutputError(
            f"cannot write: {error.strerror or error}",
            where=str(folder),
            remedy="check free space and permissions, or choose another folder",
        ) from error
    finally:
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)


def _exchange(content: Path, folder: Path, old: Path) -> None:
    """Put ``content`` in the place of ``folder``, which moves to ``old`` or stays on failure."""
    if folder.exists():
        folder.rename(old)
    try:
        content.rename(folder)
    except BaseException:
        if old.exists():
            old.rename(folder)
        raise


def check_target(folder: Path, *, marker: str, force: bool = False) -> None:
    """Refuse a place for a result; arguments as in :func:`new_folder`.

    Raises:
        OutputError: ``folder`` exists and may not be replaced.
    """
    if not folder.exists():
        return
    if not force:
        raise OutputError(
            "expected a new folder, got one that exists",
            where=str(folder),
            remedy="choose another folder, or replace it with --force",
        )
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / marker).is_file()):
        raise OutputError(
            f"expected an older result to replace (a folder with {marker}), got something else",
            where=str(folder),
            remedy="choose another folder, or remove this one by hand",
        )
