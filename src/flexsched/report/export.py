"""The charts as SVG, PDF and PNG files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import altair as alt
import vl_convert

from flexsched.core.errors import OutputError
from flexsched.report.figures import charts, without_hover
from flexsched.report.records import RunRecord

#: Pixels of the PNG per pixel of the chart: sharp on paper and dense screens.
PNG_SCALE = 2.0


def vega_lite_version() -> str:
    """The Vega-Lite version that Altair writes, as vl-convert spells it."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def write_figures(runs: Sequence[RunRecord], folder: Path) -> list[Path]:
    """Write every chart as NAME.svg, NAME.pdf and NAME.png; names are those of ``charts``.

    A chart is drawn once; PDF and PNG are converted from the SVG.

    Args:
        runs: one or more runs of one workload, in any order.
        folder: created if missing.

    Returns:
        The files written.

    Raises:
        InputError: there is no run, or a table lacks a column.
        OutputError: a file cannot be written.
    """
    version = vega_lite_version()
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, chart in charts(runs).items():
            svg = vl_convert.vegalite_to_svg(without_hover(chart).to_dict(), version)
            files = {
                "svg": svg.encode(),
                "pdf": vl_convert.svg_to_pdf(svg),
                "png": vl_convert.svg_to_png(svg, scale=PNG_SCALE),
            }
            for suffix, content in files.items():
                path = folder / f"{name}.{suffix}"
                path.write_bytes(content)
                written.append(path)
    except OSError as error:
        raise OutputError(
            f"expected a folder to write figures to, got: {error.strerror}",
            where=str(folder),
            remedy="choose another folder or free some space",
        ) from error
    return written
