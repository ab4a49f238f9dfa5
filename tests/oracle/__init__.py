"""A second, slow and obvious simulator: the product must agree with it row by row.

Written from the rules alone (semantics, sections 1 to 7 and 11), with Python lists and
floats, full scans and a full retry of every pending task in every tick. It shares no
code with ``flexsched`` beyond the two input types.
"""

from oracle.engine import Outcome, simulate
from oracle.settings import Settings

__all__ = ["Outcome", "Settings", "simulate"]
