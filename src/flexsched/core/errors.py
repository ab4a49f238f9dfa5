"""The error tree: what a user can be told is wrong, and how to mend it.

"This task cannot be placed" is never an error but a value (see
:mod:`flexsched.core.reasons`); an exception means that the input, a setting or
the program itself is broken.
"""

from __future__ import annotations


class FlexschedError(Exception):
    """Base of every error that flexsched raises on purpose.

    Attributes:
        message: what was expected and what came, in one sentence.
        where: file, line and field as far as they are known, or "".
        remedy: what the user can do about it, or "".
    """

    def __init__(self, message: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}\n  remedy: {self.remedy}" if self.remedy else text


class InputError(FlexschedError):
    """A file, row or value handed in by the user is not what its format says."""


class SettingError(FlexschedError):
    """A setting is unknown, out of range, or contradicts another one."""


class OutputError(FlexschedError):
    """The result cannot be written: the folder exists, is full, or is not writable."""
