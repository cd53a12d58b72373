"""Results become a page, plots and HTML; what people wrote in the page stays."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks.charts import Chart, Series, shown, svg, ticks
from benchmarks.micro import measures, name_of
from benchmarks.report import (
    BEGIN,
    END,
    charts,
    html,
    largest_costs,
    load,
    markdown,
    phase_rows,
    rewritten,
    target_rows,
    write,
)
from benchmarks.targets import TARGETS, Results

from tests.benchmarks.results import micro, tpch
from tests.docs.pages import DOCS

ALL = Results(
    (tpch(change=0.0001), tpch(), tpch(change=0.01), tpch(scale=10.0)),
    (micro(), micro("iceberg")),
)
NOTHING = Results()
PAGE = f"# Page\n\nbefore\n\n{BEGIN}\n\nold\n\n{END}\n\nafter\n"


def test_every_target_is_measured_by_the_benchmarks() -> None:
    values = [target.value(ALL) for target in TARGETS]
    assert values == [
        pytest.approx(4.6),
        pytest.approx(4.6),
        pytest.approx(4.6),
        pytest.approx(4.6),
        pytest.approx(1 / 4.6),
        0.06,
        0,
        pytest.approx(0.55),
        pytest.approx(0.55),
        pytest.approx(1.1 / 0.6),
        pytest.approx(0.4),
        pytest.approx(1.25),
        0.0,
    ]
    words = [row[3] for row in target_rows(ALL)]
    assert words == ["yes", "no", "yes", "no", *["yes"] * 5, "no", "yes", "yes", "no"]


def test_what_was_not_measured_is_said_so() -> None:
    assert {row[2] for row in target_rows(NOTHING)} == {"not measured"}
    assert {row[3] for row in target_rows(NOTHING)} == {""}
    assert charts(NOTHING) == {}
    assert "To measure: `make bench`" in markdown(NOTHING, [], "plots")


def test_the_targets_need_measures_that_there_are() -> None:
    taken = {(kind, size, source) for kind, size, source in measures([1_000, 100_000])}
    for kind, size in (("aggregate", 100_000), ("join", 100_000), ("many", 1), ("many", 50)):
        assert (kind, size, "delta") in taken
    assert {("base", 1_000_000, "delta"), ("base", 10_000_000, "delta")} <= taken
    assert {size for kind, size, _ in taken if kind == "depth"} == set(range(1, 11))
    assert len({name_of(*one) for one in taken}) == len(taken)


def test_the_largest_costs_are_those_of_affected_views() -> None:
    rows = largest_costs(tpch())
    assert [row[:3] for row in rows] == [
        ["q01", "derive", "1.25 s"],
        ["q01", "commit", "0.83 s"],
        ["q01", "plan", "0.10 s"],
    ]
    assert rows[0][3] == "50%"
    assert [row[0] for row in phase_rows(tpch())] == ["derive", "commit", "plan"]


def test_every_chart_is_a_picture() -> None:
    found = charts(ALL)
    assert set(found) == {
        "change-size",
        "views",
        "view-size",
        "base-size",
        "many-views",
        "depth",
    }
    for chart in found.values():
        root = ElementTree.fromstring(svg(chart))
        texts = [node.text for node in root.iter() if node.tag.endswith("text")]
        assert chart.title in texts
        assert {one.name for one in chart.series} <= set(texts)
        marks = [node for node in root.iter() if node.tag.endswith(("circle", "rect"))]
        assert len(marks) >= sum(len(one.points) for one in chart.series)


def test_points_lie_where_their_values_are() -> None:
    line = Series("a", ((1.0, 1.0), (10.0, 100.0), (100.0, 10.0)))
    root = ElementTree.fromstring(svg(Chart("t", "x", "y", (line,), log_x=True, log_y=True)))
    dots = [node.attrib for node in root.iter() if node.tag.endswith("circle")]
    xs, ys = [float(d["cx"]) for d in dots], [float(d["cy"]) for d in dots]
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.2)
    assert ys[0] > ys[2] > ys[1]  # down is more in SVG


def test_bars_are_as_high_as_their_values() -> None:
    bars = Series("a", ((0.0, 4.0), (1.0, 2.0)))
    root = ElementTree.fromstring(svg(Chart("t", "x", "y", (bars,), names=("one", "two"))))
    heights = [float(n.attrib["height"]) for n in root.iter() if n.attrib.get("fill") == "#1b6ca8"]
    one, two = (height for height in heights if height != 10)
    assert one == pytest.approx(2 * two, abs=0.2)


@pytest.mark.parametrize(
    ("low", "high", "log", "expected"),
    [
        (0, 10, False, (0, 2, 4, 6, 8, 10)),
        (0, 0.9, False, (0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        (1_000, 200_000, True, (1_000, 10_000, 100_000, 1_000_000)),
        (0.01, 10, True, (0.01, 0.1, 1, 10)),
    ],
)
def test_ticks_are_round(low: float, high: float, log: bool, expected: tuple[float, ...]) -> None:
    assert ticks(low, high, log) == pytest.approx(expected)


def test_numbers_are_short() -> None:
    assert [shown(v) for v in (0, 0.5, 20, 1_000_000, 0.0001)] == ["0", "0.5", "20", "1e6", "1e-4"]


def test_equal_points_and_single_ones_can_be_drawn() -> None:
    for points in (((5.0, 2.0),), ((5.0, 2.0), (5.0, 2.0)), ((5.0, 0.0),)):
        for log in (False, True):
            chart = Chart("t", "x", "y", (Series("a", points),), log_x=log, log_y=log)
            ElementTree.fromstring(svg(chart))
    assert "nothing measured" in svg(Chart("t", "x", "y", ()))


def test_names_are_escaped() -> None:
    text = svg(Chart("a < b & c", "x", "y", (Series("<s>", ((1.0, 1.0),)),)))
    assert "a &lt; b &amp; c" in text
    ElementTree.fromstring(text)


def test_only_what_stands_between_the_marks_is_written() -> None:
    again = rewritten(PAGE, "new")
    assert "before" in again
    assert "after" in again
    assert "old" not in again
    assert rewritten(again, "new") == again


@pytest.mark.parametrize("page", ["", BEGIN, f"{END}\n{BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_a_page_without_marks_is_refused(page: str) -> None:
    with pytest.raises(SystemExit, match="the page needs"):
        rewritten(page, "new")


def test_the_files_that_are_written(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    for number, result in enumerate((*ALL.tpch, *ALL.micro)):
        (tmp_path / f"{number}.json").write_text(json.dumps(result))
    (tmp_path / "other.json").write_text('{"benchmark": "planning"}')
    results = load(tmp_path.glob("*.json"))
    assert (len(results.tpch), len(results.micro)) == (4, 2)
    written = write(results, tmp_path / "page.md", tmp_path / "plots")
    assert all(path.is_file() for path in written)
    text = (tmp_path / "page.md").read_text()
    for name in charts(results):
        assert f"(plots/{name}.svg)" in text
        assert (tmp_path / "plots" / f"{name}.svg") in written
    assert "### The largest costs, scale 1, 0.1 % changes, delta store" in text
    assert "commit 1234" in text
    page = (tmp_path / "plots" / "index.html").read_text()
    assert page.count("<svg") == len(charts(results))


def test_the_page_of_html_stands_alone() -> None:
    text = html(ALL, charts(ALL))
    assert "<img" not in text
    assert text.count("<tr>") == 1 + len(TARGETS)


def test_the_page_of_the_project_has_its_marks_and_every_target() -> None:
    text = (DOCS / "performance.md").read_text("utf-8")
    assert rewritten(text, "x") != text
    between = text.split(BEGIN)[1].split(END)[0]
    for target in TARGETS:
        assert f"| {target.name} | {target.wanted()} |" in between
