"""YAML and JSON values that know their file, line and key, for errors that help."""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, ReusedAnchorWarning, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from flexsched.core.errors import InputError
from flexsched.core.quantities import parse_duration_s, parse_quantity
from flexsched.core.suggest import suggestion

_NULL_TAG = "tag:yaml.org,2002:null"


@dataclass(frozen=True, eq=False)
class Marked:
    """One value of a file, read as text: quantities keep the spelling of their author.

    Attributes:
        file: path as the user gave it.
        line: line of the value's key, or of the value itself in a list; from 1.
        key: path from the top of the file, such as ``tasks[0].usage.cpu``; "" at the top.
        node: the parser's node.
    """

    file: str
    line: int
    key: str
    node: Any

    def error(self, message: str, *, remedy: str = "") -> InputError:
        """Make an error that points here."""
        where = f"{self.file}, line {self.line}"
        return InputError(
            message, where=f"{where}, key {self.key}" if self.key else where, remedy=remedy
        )

    def is_list(self) -> bool:
        """Tell whether the value is a list."""
        return isinstance(self.node, SequenceNode)

    def mapping(self, known: Collection[str] | None = None) -> dict[str, Marked]:
        """Read keys and values, in file order.

        Raises:
            InputError: not a mapping, a key twice, or one that is not among ``known``.
        """
        if not isinstance(self.node, MappingNode):
            raise self.error(f"expected keys and values, got {self._kind()}")
        entries: dict[str, Marked] = {}
        for key, value in self._entries():
            if key in entries:
                raise value.error(f"expected each key once, got {key} in line {entries[key].line}")
            if known is not None and key not in known:
                raise value.error(f"unknown key {key!r}", remedy=suggestion(key, known))
            entries[key] = value
        return entries

    def items(self) -> list[Marked]:
        """Read a list.

        Raises:
            InputError: not a list.
        """
        if not isinstance(self.node, SequenceNode):
            raise self.error(f"expected a list, got {self._kind()}")
        return [
            Marked(self.file, item.start_mark.line + 1, f"{self.key}[{index}]", item)
            for index, item in enumerate(self.node.value)
        ]

    def text(self) -> str:
        """Read a single value as text.

        Raises:
            InputError: nothing there, null, or keys or a list instead.
        """
        if not isinstance(self.node, ScalarNode) or self.node.tag == _NULL_TAG:
            raise self.error(f"expected a value, got {self._kind()}")
        return _joined_surrogates(self.node.value, self)

    def name(self) -> str:
        """Read a name: text that is not blank.

        Raises:
            InputError: blank, or no text.
        """
        text = self.text()
        if not text.strip():
            raise self.error("expected a name, got blank text")
        return text

    def quantity(self) -> float:
        """Read a finite quantity >= 0 (see :func:`flexsched.core.quantities.parse_quantity`)."""
        text = self.text()
        try:
            return parse_quantity(text)
        except InputError as error:
            raise self.error(error.message, remedy=error.remedy) from None

    def duration_s(self, *, allow_negative: bool = False) -> float:
        """Read a finite duration in seconds."""
        text = self.text()
        try:
            return parse_duration_s(text, allow_negative=allow_negative)
        except InputError as error:
            raise self.error(error.message, remedy=error.remedy) from None

    def integer(self, low: int, high: int) -> int:
        """Read a whole number within [low, high].

        Raises:
            InputError: no whole number, or out of range.
        """
        text = self.text()
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise self.error(f"expected a whole number from {low} to {high}, got {text[:100]!r}")
        return value

    def _entries(self) -> Iterator[tuple[str, Marked]]:
        for key_node, value_node in self.node.value:
            line = key_node.start_mark.line + 1
            here = Marked(self.file, line, self.key, key_node)
            if not isinstance(key_node, ScalarNode):
                raise here.error("expected text as key")
            name = _joined_surrogates(key_node.value, here)
            path = f"{self.key}.{name}" if self.key else name
            yield name, Marked(self.file, line, path, value_node)

    def _kind(self) -> str:
        if isinstance(self.node, MappingNode):
            return "keys and values"
        if isinstance(self.node, SequenceNode):
            return "a list"
        return "nothing" if self.node.tag == _NULL_TAG else f"{self.node.value[:100]!r}"


def read_marked(path: Path) -> Marked:
    """Read a YAML file, or a JSON file if its name ends in ``.json``.

    Raises:
        InputError: unreadable, not UTF-8, empty, or not YAML (JSON).
    """
    text = _text_of(path)
    if path.suffix == ".json":
        _check_json(text, path)
    try:
        with warnings.catch_warnings():
            # An anchor may be given anew; what follows refers to the later one.
            warnings.simplefilter("ignore", ReusedAnchorWarning)
            node = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        raise InputError(f"expected YAML: {reason}", where=f"{path}{line}") from None
    # The parser answers some broken input with errors that are not its own.
    except (YAMLError, ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise InputError(f"expected YAML: {error}", where=str(path)) from None
    if node is None:
        raise InputError("expected a scenario, got an empty file", where=str(path))
    return Marked(str(path), node.start_mark.line + 1, "", node)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read: {error.strerror}", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"expected UTF-8 text, got byte {error.object[error.start]:#04x} at {error.start}",
            where=str(path),
        ) from None


def _check_json(text: str, path: Path) -> None:
    """Refuse what JSON does not allow; its values are then read as YAML, which includes JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"expected JSON: {error.msg}", where=f"{path}, line {error.lineno}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"expected JSON: {error}", where=str(path)) from None


def _joined_surrogates(text: str, where: Marked) -> str:
    """JSON writes characters beyond 16 bits as two escapes, which YAML reads as two characters."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise where.error("expected Unicode text, got half a surrogate pair") from None
