import csv
import dataclasses
import io
import itertools

import altair as alt
import numpy as np
import pytest
from fabricated_runs import fabricate, paper_runs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from flexsched.core.errors import InputError
from flexsched.report import charts, overview
from flexsched.report.figures._data import bands, thin, values_at
from flexsched.report.figures._style import policy_styles

PAPER_NAMES = ["LeastFit", "Oversub", "FlexF", "FlexL"]


def layer(chart, *, hover=False):
    """Rows of the drawn lines, or of the hover bands, as dictionaries of text."""
    spec = chart.to_dict()
    (found,) = [
        item
        for item in spec["layer"]
        if ("strokeDash" in item["encoding"] if not hover else "x2" in item["encoding"])
    ]
    return rows_of(spec, found["data"]), found


def rows_of(spec, data):
    """Rows of inline CSV, which Altair moves to the top of a specification."""
    text = spec["datasets"][data["name"]] if "name" in data else data["values"]
    return list(csv.DictReader(io.StringIO(text)))


def series(chart, number):
    rows, _ = layer(chart)
    return [
        (float(row["x"]), float(row["y"]) if row["y"] else None)
        for row in rows
        if row["p"] == str(number)
    ]


def test_names_and_order_are_the_papers():
    assert list(charts(paper_runs(rows=5))) == [
        "figure-6-request-cpu",
        "figure-6-request-memory",
        "figure-6-usage-cpu",
        "figure-6-usage-memory",
        "figure-7a-qos-cdf",
        "figure-7b-violations",
        "figure-7b-time",
        "figure-8-qos",
        "figure-8-penalty",
        "figure-9-imbalance-memory",
        "figure-9-imbalance-cpu",
    ]
    _, drawn = layer(charts(paper_runs(rows=5)[::-1])["figure-8-qos"])
    assert drawn["encoding"]["color"]["scale"]["domain"] == PAPER_NAMES


def test_figure_6_draws_shares_of_capacity_by_hour():
    runs = paper_runs(rows=121)
    drawn = series(charts(runs)["figure-6-request-memory"], 2)
    expected = runs[2].ticks["request_memory_fraction"].to_pylist()
    # Two hours are shown in minutes.
    assert [x for x, _ in drawn] == list(range(121))
    assert [y for _, y in drawn] == pytest.approx(expected, rel=1e-5)


def test_hours_from_three_hours_on():
    chart = charts(paper_runs())["figure-8-qos"]
    _, drawn = layer(chart)
    assert drawn["encoding"]["x"]["title"] == "hours since the start"
    assert drawn["encoding"]["x"]["axis"]["values"] == [0, 3, 6, 9, 12, 15, 18, 21]
    assert series(chart, 0)[-1][0] == pytest.approx(1439 / 60, rel=1e-5)


def test_figure_7a_is_the_share_of_rows_at_or_below():
    run = fabricate(rows=4)
    columns = {name: run.ticks[name] for name in run.ticks.column_names}
    columns["qos"] = [0.9, 1.0, 0.98, 0.9]
    columns["running"] = [1, 1, 0, 1]
    run = dataclasses.replace(run, ticks=type(run.ticks).from_pydict(columns))
    drawn = series(charts([run])["figure-7a-qos-cdf"], 0)
    # The row in which nothing ran says nothing about QoS.
    assert drawn[0][1] == 0
    assert drawn[1:] == [(0.9, pytest.approx(2 / 3, rel=1e-5)), (1.0, 1.0)]


@pytest.mark.parametrize(
    ("figure", "key"),
    [
        ("figure-7b-violations", "violated_task_fraction"),
        ("figure-7b-time", "violated_time_fraction"),
    ],
)
def test_figure_7b_shows_tasks_and_time_on_axes_of_their_own(figure, key):
    runs = paper_runs(rows=50)
    spec = charts(runs)[figure].to_dict()
    rows = rows_of(spec, spec["data"] if "data" in spec else spec["layer"][0]["data"])
    assert [row["p"] for row in rows] == ["0", "1", "2", "3"]
    assert [float(row["y"]) for row in rows] == [
        pytest.approx(run.summary["qos"][key], rel=1e-5) for run in runs
    ]


def test_figure_8_shows_penalties_of_those_who_have_one():
    chart = charts(paper_runs(rows=5))["figure-8-penalty"]
    _, drawn = layer(chart)
    assert drawn["encoding"]["color"]["scale"]["domain"] == ["FlexF", "FlexL"]
    assert "figure-8-penalty" not in charts([fabricate("least-fit", rows=5)])


def test_hover_tells_every_policys_value():
    runs = paper_runs(rows=121)
    rows, bands_layer = layer(charts(runs)["figure-6-request-cpu"], hover=True)
    assert [t["title"] for t in bands_layer["encoding"]["tooltip"]] == ["title", *PAPER_NAMES]
    at_one_hour = rows[60]
    assert at_one_hour["title"] == "1 h"
    for number, run in enumerate(runs):
        share = run.ticks["request_cpu_fraction"][60].as_py()
        assert at_one_hour[f"text{number}"] == f"{100 * share:.0f} %"


def test_bands_touch_and_cover_the_axis():
    left, right = bands(np.array([0.0, 1.0, 4.0]), 1.0)
    assert left.tolist() == [0.0, 0.5, 2.5]
    assert right.tolist() == [0.5, 2.5, 4.0]
    left, right = bands(np.array([3.0]), 2.0)
    assert (left[0], right[0]) == (2.0, 4.0)


@pytest.mark.parametrize(
    "run",
    [
        fabricate(rows=1),
        fabricate("first-fit", rows=2, running=0),
        fabricate("my/policy:<b>=1", rows=3),
    ],
    ids=["one row", "nothing ran", "foreign policy"],
)
def test_small_and_empty_runs_have_charts(run):
    for chart in charts([run]).values():
        assert chart.to_dict()["layer"]


def test_runs_that_end_at_different_times_share_a_chart():
    runs = [fabricate("least-fit", rows=200), fabricate("flex-f", rows=150)]
    rows, _ = layer(charts(runs)["figure-8-qos"], hover=True)
    assert rows[-1]["text1"] == "–"
    assert rows[-1]["text0"] == "100 %"


def test_long_runs_are_thinned_and_keep_their_extremes():
    run = fabricate(rows=43_200)
    drawn = series(charts([run])["figure-6-usage-cpu"], 0)
    values = run.ticks["usage_cpu_fraction"].to_numpy()
    assert len(drawn) <= 1500
    assert max(y for _, y in drawn) == pytest.approx(values.max(), rel=1e-5)
    assert min(y for _, y in drawn) == pytest.approx(values.min(), rel=1e-5)


@settings(max_examples=60, deadline=None)
@given(
    y=hnp.arrays(
        np.float64, st.integers(0, 300), elements=st.floats(-10, 10) | st.just(float("nan"))
    ),
    most=st.integers(4, 40),
)
def test_thinning_keeps_ends_extremes_and_order(y, most):
    x = np.arange(len(y), dtype=np.float64)
    kept_x, kept_y = thin(x, y, most)
    assert len(kept_x) <= max(most, min(len(y), most))
    assert (np.diff(kept_x) > 0).all()
    np.testing.assert_array_equal(y[kept_x.astype(int)], kept_y)
    if len(y):
        assert (kept_x[0], kept_x[-1]) == (0, len(y) - 1)
    if not np.isnan(y).all():
        assert np.nanmax(kept_y) == np.nanmax(y)
        assert np.nanmin(kept_y) == np.nanmin(y)


def test_thinning_to_nothing_is_refused():
    with pytest.raises(ValueError, match="at least 4"):
        thin(np.arange(9.0), np.arange(9.0), most=3)


def test_values_between_points_are_those_of_the_last():
    x, y = np.array([0.0, 2.0]), np.array([5.0, 7.0])
    found = values_at(x, y, np.array([-1.0, 0.0, 1.9, 2.0, 2.1]))
    np.testing.assert_array_equal(found, [np.nan, 5.0, 5.0, 7.0, np.nan])
    assert np.isnan(values_at(x[:0], y[:0], x)).all()


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_colours_can_be_told_from_both_backgrounds_and_each_other():
    styles = policy_styles(["least-fit", "oversub", "flex-f", "flex-l", "a", "b", "c"])
    for style in styles:
        assert contrast(style.colour, "#ffffff") >= 3
        assert contrast(style.colour, "#15191d") >= 3
    many = policy_styles([f"policy-{i}" for i in range(30)])
    assert len({(style.colour, style.dash) for style in many}) == 30


def test_the_papers_policies_keep_their_look():
    alone = policy_styles(["flex-f"])[0]
    crowd = policy_styles(["least-fit", "flex-f", "flex-f:alpha=0.98", "mine"])
    assert crowd[1] == alone
    assert len({style.colour for style in crowd}) == 4
    assert crowd[2].name == "FlexF (alpha=0.98)"


def test_the_same_label_twice_is_told_apart():
    one, two = policy_styles(["flex-f", "flex-f"])
    assert (one.name, two.name) == ("FlexF", "FlexF #2")
    assert one.colour != two.colour


def test_charts_name_the_workload_and_its_kind_of_usage():
    for chart in charts(paper_runs(rows=2)).values():
        assert chart.to_dict()["title"]["subtitle"] == "workload google2011, hybrid usage"


def test_charts_are_the_same_every_time():
    first, second = (
        [chart.to_json() for chart in charts(paper_runs(rows=3)).values()] for _ in range(2)
    )
    assert first == second


def test_overview_is_one_chart_for_a_notebook():
    spec = overview(paper_runs(rows=3)).to_dict()
    assert len(spec["concat"]) == 11
    names = [p["name"] for p in spec["params"]]
    assert len(names) == len(set(names))
    assert isinstance(overview(paper_runs(rows=3)), alt.ConcatChart)


def test_other_resources_have_charts_too():
    run = fabricate(rows=3)
    columns = {name: run.ticks[name] for name in run.ticks.column_names}
    gpu = {
        name.replace("cpu", "nvidia.com/gpu"): run.ticks[name]
        for name in run.ticks.column_names
        if "cpu" in name
    }
    run = dataclasses.replace(run, ticks=type(run.ticks).from_pydict(columns | gpu))
    assert "figure-6-request-nvidia.com-gpu" in charts([run])
    keys = list(charts([run]))
    assert not list(itertools.filterfalse(lambda key: "/" not in key, keys))


def test_no_runs_are_refused():
    with pytest.raises(InputError, match="at least one run"):
        charts([])
