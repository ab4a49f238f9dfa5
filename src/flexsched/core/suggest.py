"""What to offer to someone who misspelt a name."""

from __future__ import annotations

import difflib
from collections.abc import Collection


def suggestion(word: str, known: Collection[str]) -> str:
    """Name the nearest known word, or list all of them where none is near.

    Args:
        word: the unknown name.
        known: names that would have been right, at least one.
    """
    folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), folded, n=1)
    if near:
        return f"did you mean {folded[near[0]]}?"
    return f"known: {', '.join(known)}"
