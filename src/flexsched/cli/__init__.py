"""The command ``flexsched``: one file per group of commands.

Results go to stdout, progress and messages to stderr. Exit status: 0 done, 1 could not,
2 wrong usage, 3 done but tasks were left unplaced and ``--require-all`` was given, 128 + n
ended by signal n.
"""

from __future__ import annotations

from flexsched.cli.app import main

__all__ = ["main"]
