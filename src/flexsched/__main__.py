"""``python -m flexsched``."""

from __future__ import annotations

import sys

from flexsched.cli import main

if __name__ == "__main__":
    sys.exit(main())
