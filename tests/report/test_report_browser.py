"""The page in a real headless Chromium, without any network."""

import re

import pytest
from fabricated_runs import BUILT_IN, fabricate, paper_runs
from playwright.sync_api import expect

from flexsched.report import write_report

pytestmark = pytest.mark.browser

DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
DARK = DESKTOP | {"color_scheme": "dark"}


@pytest.fixture(scope="module")
def report_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(paper_runs(workload=BUILT_IN), path)
    return path


@pytest.fixture
def visit(chromium):
    """Open a file in a fresh offline context; any console error fails the test."""
    contexts, complaints = [], []

    def opened(path, **options):
        context = chromium.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.extend(
            [] if request.url.startswith("file:") else [f"loads {request.url[:80]}"]))  # fmt: skip
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-charts=drawn]", timeout=60_000)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def marks(page, figure, kind):
    return page.locator(f"figure[data-figure='{figure}'] svg g.mark-{kind}.role-mark path")


def test_every_chart_is_drawn_with_data(visit, report_file):
    page = visit(report_file, **DESKTOP)
    drawn = page.eval_on_selector_all(
        "figure[data-figure]", "all => all.map(figure => figure.dataset.figure)"
    )
    assert len(drawn) == 11
    for figure in drawn:
        if figure.startswith("figure-7b"):
            assert marks(page, figure, "rect").count() == 4
            continue
        lines = marks(page, figure, "line")
        assert lines.count() == (2 if figure == "figure-8-penalty" else 4)
        for line in lines.all():
            assert len(re.findall("[LHV]", line.get_attribute("d"))) >= 2, figure


def test_hover_shows_values(visit, report_file):
    page = visit(report_file, **DESKTOP)
    bands = marks(page, "figure-6-request-cpu", "rect")
    assert bands.count() == 144
    bands.nth(36).scroll_into_view_if_needed()
    bands.nth(36).hover()
    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip).to_be_visible()
    text = tooltip.inner_text()
    share = paper_runs()[2].ticks["request_cpu_fraction"][360].as_py()
    assert "6 h" in text
    assert re.search(rf"FlexF\s+{100 * share:.0f} %", text)


def test_hover_over_a_bar_shows_its_share(visit, report_file):
    page = visit(report_file, **DESKTOP)
    bar = marks(page, "figure-7b-time", "rect").nth(1)
    bar.scroll_into_view_if_needed()
    bar.hover()
    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip).to_be_visible()
    assert re.search(r"Oversub.*time below target.*\d %", tooltip.inner_text(), re.DOTALL)


def test_a_phone_needs_no_sideways_scrolling(visit, report_file):
    page = visit(report_file, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for chart in page.locator("figure .chart svg.marks").all():
        box = chart.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["width"] > 300


def test_a_wide_table_says_so_and_keeps_its_first_column(visit, report_file):
    page = visit(report_file, **PHONE)
    box = page.locator("#capacity .scroll")
    assert "wide" in box.get_attribute("class")
    hint = box.evaluate("box => getComputedStyle(box, '::before').content")
    assert "Scroll sideways" in hint
    box.evaluate("box => box.scrollTo(1000, 0)")
    first = box.locator("tbody th[scope=rowgroup]").first.bounding_box()
    assert first["x"] >= box.bounding_box()["x"]
    assert box.locator("tbody td").nth(0).bounding_box()["x"] < first["x"] + first["width"]


def test_scroll_boxes_can_be_reached_and_are_named(visit, report_file):
    page = visit(report_file, **DESKTOP)
    for box in page.locator(".scroll").all():
        assert box.get_attribute("tabindex") == "0"
        assert box.get_attribute("role") == "region"
        assert box.get_attribute("aria-label")
    assert page.locator(".scroll.wide").count() == 0


def test_a_touch_shows_values(visit, report_file):
    page = visit(report_file, **PHONE)
    band = marks(page, "figure-8-qos", "rect").nth(72)
    band.scroll_into_view_if_needed()
    box = band.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip).to_be_visible()
    assert re.search(r"LeastFit\s+100 %", tooltip.inner_text())
    page.touchscreen.tap(5, 5)
    expect(tooltip).to_be_hidden()


def channels(colour):
    return [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("options", [DESKTOP, DARK], ids=["light", "dark"])
def test_text_is_readable_in_both_themes(visit, report_file, options):
    page = visit(report_file, **options)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (luminance(background) < 0.05) == ("color_scheme" in options)
    for selector, property_ in (
        ("body", "color"),
        (".note", "color"),
        (".theirs", "color"),
        ("figure .role-axis-label text", "fill"),
        ("figure .role-axis-title text", "fill"),
        ("figure[data-figure='figure-7b-violations'] .mark-text.role-mark text", "fill"),
    ):
        colour = page.eval_on_selector(
            selector, f"element => getComputedStyle(element).{property_}"
        )
        assert contrast(colour, background) >= 4.5, (selector, colour)


def test_the_theme_can_change_while_the_page_is_open(visit, report_file):
    page = visit(report_file, **DESKTOP)
    label = "figure .role-axis-label text"
    fill = "element => getComputedStyle(element).fill"
    before = page.eval_on_selector(label, fill)
    page.emulate_media(color_scheme="dark")
    after = page.eval_on_selector(label, fill)
    assert luminance(before) < 0.1 < luminance(after)


def test_print_is_dark_on_white_and_shows_every_chart(visit, report_file):
    page = visit(report_file, **DARK)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF-")
    assert page.locator("details:not([open])").count() == 0


def test_evil_names_do_nothing(visit, tmp_path):
    evil = "</script><script>document.title='owned'</script><img src=x onerror=alert(2)>\"'\\"
    runs = [fabricate(f"mine:{evil}", rows=50, task_prefix=evil, workload={"name": evil})]
    write_report(runs, tmp_path / "evil.html")
    page = visit(tmp_path / "evil.html", **DESKTOP)
    assert page.title() != "owned"
    assert page.locator("img").count() == 0
    band = marks(page, "figure-8-qos", "rect").nth(20)
    band.scroll_into_view_if_needed()
    band.hover()
    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip).to_be_visible()
    assert "onerror" in tooltip.inner_text()
    assert page.locator("img").count() == 0


@pytest.mark.parametrize(
    "run",
    [fabricate(rows=1), fabricate("least-fit", rows=3, running=0)],
    ids=["one row", "nothing ran"],
)
def test_small_runs_draw_without_complaint(visit, tmp_path, run):
    write_report([run], tmp_path / "report.html")
    page = visit(tmp_path / "report.html", **DESKTOP)
    assert page.locator("figure svg.marks").count() == page.locator("figure").count()
