"""The runs of several policies over one workload, with what one makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexsched import report
from flexsched.core.errors import InputError
from flexsched.experiments.output import find_runs, new_result, write_comparison
from flexsched.simulator import Run, summary_document

if TYPE_CHECKING:
    import altair as alt

#: Entries of ``run.json`` in which the runs of one comparison agree.
_COMMON = ("cluster", "tick_s", "seed", "workload")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs of one workload on one cluster; shows its figures in a notebook.

    Attributes:
        runs: at least one, with distinct labels, in the order asked for.

    Raises:
        InputError: there is no run, a label comes twice, or workload, cluster, tick or
            seed differ.
    """

    runs: tuple[Run, ...]

    def __post_init__(self) -> None:
        if not self.runs:
            raise InputError("expected at least one run, got none")
        labels = [run.label for run in self.runs]
        for label in labels:
            if labels.count(label) > 1:
                raise InputError(f"expected each policy once, got {label} twice")
        first = self.runs[0]
        for run in self.runs[1:]:
            for key in _COMMON:
                if run.info[key] != first.info[key]:
                    raise InputError(
                        f"expected runs with the same {key}, got others in "
                        f"{first.label} and {run.label}",
                        remedy="compare runs of one workload on one cluster",
                    )

    @property
    def summary(self) -> dict[str, Any]:
        """The ``summary.json`` of all policies."""
        return summary_document(list(self.runs))

    def report(self, path: str | Path) -> None:
        """Write the page of the comparison as one self-contained HTML file.

        Raises:
            OutputError: the file cannot be written.
        """
        report.write_report(self.runs, Path(path))

    def save(self, folder: str | Path, *, force: bool = False) -> None:
        """Write runs, summary, report and figures into a new folder, in full or not at all.

        Args:
            folder: ``runs/LABEL/``, ``summary.json``, ``report.html`` and ``figures/`` go there.
            force: replace an older result.

        Raises:
            OutputError: the folder exists, or cannot be written (disk full, no permission).
        """
        with new_result(Path(folder), force=force) as aside:
            write_comparison(self.runs, aside)

    @classmethod
    def load(cls, folders: Sequence[str | Path]) -> Comparison:
        """Read run folders, and all runs of comparison folders.

        Raises:
            InputError: a folder is neither, or the runs do not belong together.
        """
        paths = [path for folder in folders for path in find_runs(Path(folder))]
        return cls(tuple(Run.load(path) for path in paths))

    def note_command(self, command: str) -> None:
        """Keep the command line that repeats all runs, for ``run.json`` and the report."""
        for run in self.runs:
            run.info["command"] = command

    def charts(self) -> dict[str, alt.LayerChart]:
        """The paper's figures 6 to 9 by name, each titled and ready to show or to save."""
        return report.charts(self.runs)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """All figures side by side, for notebooks."""
        return report.overview(self.runs)._repr_mimebundle_(include, exclude)
