"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

#: Set (to anything) where a missing tool or data set must fail a test, not skip it.
STRICT = "FLEXSCHED_TESTS_STRICT"


# Where a change is judged, the same examples are drawn each time; elsewhere new ones.
hypothesis.settings.register_profile("judged", derandomize=True, deadline=None)
if os.environ.get("CI"):
    hypothesis.settings.load_profile("judged")


def unavailable(reason: str) -> None:
    """Skip the running test with its reason, or fail it where nothing may be missing."""
    if os.environ.get(STRICT):
        pytest.fail(f"{STRICT} is set, yet {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session", name="unavailable")
def _unavailable() -> Callable[[str], None]:
    """The function of that name, for folders whose own conftest hides this module."""
    return unavailable


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder with the full public data sets (FLEXSCHED_SHARED_DATA, or beside the checkout)."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("FLEXSCHED_SHARED_DATA", beside))
    if not folder.is_dir():
        unavailable("the full data sets are not here (set FLEXSCHED_SHARED_DATA to their folder)")
    return folder
