"""Conformance suites: what a policy or an estimator of another package must hold to.

Call them from a test of your own::

    from flexsched.testing import check_estimator, check_policy


    def test_my_policy() -> None:
        check_policy(MyPolicy())
"""

from __future__ import annotations

from flexsched.testing._conformance import ConformanceError
from flexsched.testing.estimators import check_estimator
from flexsched.testing.policies import check_policy

__all__ = ["ConformanceError", "check_estimator", "check_policy"]
