"""The text of errors: where, what, remedy; and one tree for all of them."""

from __future__ import annotations

import pytest

import flexsched as fs
from flexsched.core.errors import FlexschedError, InputError, OutputError, SettingError


@pytest.mark.parametrize(
    ("where", "remedy", "text"),
    [
        ("", "", "expected 2, got 3"),
        ("a.yaml, line 4, key cpu", "", "a.yaml, line 4, key cpu: expected 2, got 3"),
        ("", "write 2", "expected 2, got 3\n  remedy: write 2"),
        ("a.yaml", "write 2", "a.yaml: expected 2, got 3\n  remedy: write 2"),
    ],
)
def test_text(where: str, remedy: str, text: str) -> None:
    error = InputError("expected 2, got 3", where=where, remedy=remedy)
    assert str(error) == text
    assert (error.message, error.where, error.remedy) == ("expected 2, got 3", where, remedy)


@pytest.mark.parametrize("kind", [InputError, SettingError, OutputError])
def test_one_tree(kind: type[FlexschedError]) -> None:
    with pytest.raises(FlexschedError, match="broken"):
        raise kind("broken")
    assert not issubclass(kind, ValueError)
    assert getattr(fs, kind.__name__) is kind
