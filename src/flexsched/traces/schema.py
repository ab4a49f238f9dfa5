"""What a trace reader is, for ours and for those of other packages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from flexsched.core.workload import Workload


@runtime_checkable
class TraceFormat(Protocol):
    """A reader of one data set's files, installed under an entry point of ``flexsched.traces``.

    Attributes:
        name: what ``flexsched trace import`` calls it, such as ``google2011``.
        title: the data set in words.
        licence: its terms of use.
        units: what its figures are in, in words.
        description: which of its files the reader takes.
    """

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def licence(self) -> str: ...

    @property
    def units(self) -> str: ...

    @property
    def description(self) -> str: ...

    def read(self, paths: Sequence[Path], /) -> Workload:
        """Read files or folders of the data set; further arguments must have defaults.

        Every row that is skipped, mended or filled in is counted by kind in the
        workload's ``provenance.quirks``.

        Raises:
            InputError: a file is not what the data set's documentation says.
        """
        ...
