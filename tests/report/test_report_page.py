import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from fabricated_runs import BUILT_IN, fabricate, paper_runs

from flexsched.core.errors import InputError, OutputError
from flexsched.report import write_report
from flexsched.report.page import render_report
from flexsched.simulator.run import Run

#: Attributes by which a page loads something.
LOADING = {"src", "href", "srcset", "data", "action", "poster", "background"}


class Reader(HTMLParser):
    """Text of a page by section, its tags, and all that it would load."""

    def __init__(self, html):
        super().__init__()
        self.loads, self.tags, self.scripts, self.text, self.tables = [], [], [], {}, {}
        self._section, self._skip, self._cells = "header", None, None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.loads += [(tag, n, v) for n, v in attributes if n in LOADING]
        if tag == "section":
            self._section = dict(attributes)["id"]
        if tag in ("script", "style"):
            self._skip = tag
        if tag == "tr":
            self._cells = []
        if tag in ("td", "th") and self._cells is not None:
            self._cells.append("")

    def handle_endtag(self, tag):
        if tag == self._skip:
            self._skip = None
        if tag == "tr":
            self.tables.setdefault(self._section, []).append(self._cells)
            self._cells = None

    def handle_data(self, data):
        if self._skip == "script":
            self.scripts.append(data)
        if self._skip is None:
            self.text[self._section] = self.text.get(self._section, "") + data
            if self._cells:
                self._cells[-1] += data


@pytest.fixture(scope="module")
def page():
    return render_report(paper_runs())


@pytest.fixture(scope="module")
def read(page):
    return Reader(page)


def test_headline_and_offered_load_lead_the_page(read):
    header = read.text["header"].replace("\N{NO-BREAK SPACE}", " ")
    assert re.search(r"FlexF admits 1\.78x the requests of LeastFit at 99\.\d+ % QoS", header)
    assert "the workload requests 187 % of the CPU and 137 % of the memory" in header
    assert "hybrid usage" in header
    assert "714,030 tasks" in header
    assert "4,000 nodes, 256,000 cores, 500Ti of memory" in header


def test_the_papers_values_stand_in_the_table():
    read = Reader(render_report(paper_runs(rows=5, workload=BUILT_IN)))
    (row,) = [r for r in read.tables["paper"] if r[0].startswith("CPU requested")]
    assert row[1] == ""
    assert "paper 1.74x" in row[3]
    assert "docs/validation.md" in read.text["paper"]


def test_the_papers_values_are_left_out_beside_other_workloads(read):
    assert "paper 1.74x" not in read.text["paper"]
    assert "docs/validation.md" not in read.text["paper"]
    assert "left out" in read.text["paper"]


def test_a_synthetic_workload_is_called_so_and_counted_once():
    header = Reader(render_report([fabricate(rows=2, workload=BUILT_IN)])).text["header"]
    assert "synthetic workload" in header
    assert header.count("714,030 tasks") == 1


def test_runs_that_ended_at_different_times_are_named():
    runs = [fabricate("least-fit", rows=180), fabricate("flex-f", rows=120)]
    said = "The runs ended at different times (LeastFit after 3 h, FlexF after 2 h)"
    assert said in Reader(render_report(runs)).text["results"]
    assert "different times" not in Reader(render_report(runs[:1])).text["results"]


def test_a_setting_left_to_its_default_reads_so():
    run = fabricate(rows=2)
    run.info["horizon_s"] = None
    run.info["settings"]["penalty_min"] = None
    assert ["settings.penalty_min", "default"] in Reader(render_report([run])).tables["repeat"]
    assert ["horizon_s", "null"] in Reader(render_report([run])).tables["repeat"]
    run.info["settings"]["penalty_min"] = 1.1
    assert ["settings.penalty_min", "1.1"] in Reader(render_report([run])).tables["repeat"]


def test_capacity_table_keeps_idle_and_overcommitment_apart(read):
    rows = [r for r in read.tables["capacity"] if r[0] == "FlexF"]
    run = paper_runs()[2]
    used = run.ticks["usage_cpu_fraction"].to_pylist()
    idle = sum(max(0.0, 1 - share) for share in used) / len(used)
    assert rows[0][3] == f"{100 * idle:.0f} %"
    assert rows[0][5] == "0 %"
    assert rows[0][6] == "74 %"


def test_e2_page_and_summary_count_the_same(read):
    summary = paper_runs(rows=2)[0].summary["counts"]
    (counts,) = [r for r in read.tables["unplaced"] if r[0] == "LeastFit" and len(r) == 8]
    assert [int(cell) for cell in counts[1:]] == list(summary.values())
    reasons = [r for r in read.tables["unplaced"] if len(r) in (4, 5)][1:4]
    assert [int(r[-4]) for r in reasons] == [5, 1, 2]
    assert "larger than every node of the run" in reasons[2][-2]


def test_what_was_assumed_is_said(read):
    said = read.text["assumptions"]
    assert "Usage is hybrid" in said
    assert "Google cluster trace 2011 (licence: CC-BY)" in said
    assert "usage shapes were drawn from virtual machines" in said
    assert "the cluster was replaced by another" in said
    assert ["rows without request", "17"] in read.tables["assumptions"]
    assert ["mean CPU request", "0.053", "0.0541", "+2.1 %"] in read.tables["assumptions"]


def test_commands_repeat_the_runs():
    html = render_report([fabricate("flex-f:alpha=0.98", rows=2)])
    assert (
        "flexsched simulate google2011 --policy flex-f --set alpha=0.98 --nodes 4000 --seed 7"
        in Reader(html).text["repeat"]
    )


def test_t8_no_calendar_from_relative_time(page):
    visible = " ".join(Reader(page).text.values())
    assert not re.search(r"\b(19|20)\d\d-\d\d|\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day", visible)
    with_origin = render_report(
        [fabricate(rows=2, workload={"time_origin": "2019-05-01T00:00:00-07:00"})]
    )
    assert "Time 0 is 2019-05-01T00:00:00-07:00" in Reader(with_origin).text["assumptions"]


def test_the_page_loads_nothing(page, read):
    assert read.loads == []
    assert not {"link", "img", "iframe", "object", "embed"} & set(read.tags)
    style = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert "default-src 'none'" in page


def test_the_library_stands_in_the_page_once(page):
    assert page.count("window.vegaEmbed=") == 1


def test_names_are_never_markup():
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    run = fabricate(
        f"mine:{evil}", rows=3, task_prefix=evil,
        workload={
            "name": evil, "source": evil, "licence": evil, "assumptions": [evil],
            "quirks": {evil: 1}, "counts": {evil: 1},
            "calibration": [{"figure": evil, "target": evil, "got": 1}],
        },
    )  # fmt: skip
    harmless, read = Reader(render_report([fabricate("mine:x", rows=3)])), None
    read = Reader(render_report([run]))
    assert "img" not in read.tags
    assert read.tags.count("script") == harmless.tags.count("script")
    specs = [script for script in read.scripts if script.startswith('{"')]
    assert len(specs) == read.tags.count("figure")
    for spec in specs:
        assert "<" not in spec
        json.loads(spec)


@pytest.mark.parametrize("kind", ["measured", "synthetic", "hybrid", "request"])
def test_the_kind_of_usage_shows_at_every_chart(kind):
    html = render_report([fabricate(rows=2, workload={"usage_kind": kind})])
    shown = Reader(html)
    said = "synthetic workload" if kind == "synthetic" else f"{kind} usage"
    assert shown.text["figures"].count(said) == shown.tags.count("figure")


@pytest.mark.parametrize(
    "run",
    [
        fabricate(rows=1, unplaced={}),
        fabricate("least-fit", rows=3, running=0),
        fabricate(rows=2, workload={"offered_load": None, "calibration": [], "quirks": {}}),
    ],
    ids=["one row", "nothing ran", "little known"],
)
def test_small_runs_have_a_page(run):
    assert "<h1>" in render_report([run])


def test_a_workload_may_say_little_about_itself():
    run = fabricate(rows=2)
    run.info["workload"] = {"name": "mine", "usage_kind": "request"}
    said = Reader(render_report([run])).text["assumptions"]
    assert "every task is taken to use exactly what it requests" in said
    assert "Nothing was skipped" not in said
    run.info["workload"] |= {"quirks": {}}
    assert "Nothing was skipped" in Reader(render_report([run])).text["assumptions"]


def test_a_stored_run_can_be_reported_again(tmp_path):
    made = fabricate(rows=3)
    run = Run(**{name: getattr(made, name) for name in made.__dataclass_fields__})
    run.write_into(tmp_path)
    assert render_report([Run.load(tmp_path)]) == render_report([run])


def test_the_file_appears_complete_or_not_at_all(tmp_path):
    write_report([fabricate(rows=2)], tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(OutputError, match="place to write the report to"):
        write_report([fabricate(rows=2)], tmp_path / "missing" / "report.html")


def test_nothing_to_report_is_refused(tmp_path):
    with pytest.raises(InputError, match="at least one run"):
        write_report([], tmp_path / "report.html")


def test_the_terminal_table_does_not_load_altair():
    code = "import sys, flexsched.report; sys.exit('altair' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
