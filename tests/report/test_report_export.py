import re
import struct
from xml.etree import ElementTree as ET

import pytest
from fabricated_runs import fabricate, paper_runs

from flexsched.core.errors import OutputError
from flexsched.report import charts, write_figures

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    runs = paper_runs(rows=120)
    return folder, runs, write_figures(runs, folder)


def test_every_chart_comes_in_three_formats(exported):
    folder, runs, written = exported
    expected = {f"{name}.{kind}" for name in charts(runs) for kind in ("svg", "pdf", "png")}
    assert {path.name for path in folder.iterdir()} == expected
    assert {path.name for path in written} == expected


def test_svg_files_hold_lines_and_names(exported):
    folder, _, _ = exported
    root = ET.parse(folder / "figure-6-request-cpu.svg").getroot()
    assert root.tag == f"{SVG}svg"
    texts = {element.text for element in root.iter(f"{SVG}text")}
    assert {"LeastFit", "Oversub", "FlexF", "FlexL", "minutes since the start"} <= texts
    assert "workload google2011, hybrid usage" in texts
    lines = [
        group for group in root.iter(f"{SVG}g") if "mark-line role-mark" in group.get("class", "")
    ]
    paths = [path for group in lines for path in group.iter(f"{SVG}path")]
    assert len(paths) == 4
    assert all(path.get("d", "").count("L") >= 100 for path in paths)


def test_pdf_files_are_one_page_each(exported):
    folder, _, _ = exported
    for path in folder.glob("*.pdf"):
        content = path.read_bytes()
        assert content.startswith(b"%PDF-1.")
        assert b"%%EOF" in content[-32:]
        assert len(re.findall(rb"/Type\s*/Page\b", content)) == 1


def test_png_files_are_sharp(exported):
    folder, _, _ = exported
    for path in folder.glob("*.png"):
        content = path.read_bytes()
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", content[16:24])
        # Plots of 480 by 240 at scale 2, and room for axes, title and legend.
        assert 960 < width < 1300
        assert 480 < height < 800


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="folder to write figures to"):
        write_figures([fabricate(rows=1)], tmp_path / "file" / "figures")
