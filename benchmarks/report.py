"""Turn the results of the benchmarks into docs/performance.md, plots and a page of HTML.

    python -m benchmarks.report [RESULT ...] [--page docs/performance.md] [--plots docs/plots]

Results are the JSON files that the benchmarks write, by default all in build/bench. The page keeps
what people wrote in it: only what stands between the two marks is written anew. Plots are SVG, also
within one page of HTML, and PNG where Matplotlib is installed. Needs no Spark.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from benchmarks.charts import Chart, Series, png, svg
from benchmarks.measuring import say
from benchmarks.targets import SMALL_CHANGE, TARGETS, Result, Results

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
LARGEST = 5
_KINDS = ("aggregate", "join")


def load(paths: Iterable[Path]) -> Results:
    """The results in some files; files that are no result are passed over."""
    tpch: list[Result] = []
    micro: list[Result] = []
    for path in sorted(paths):
        found = json.loads(path.read_text())
        if "views" in found and "run" in found:
            tpch.append(found)
        elif "measures" in found:
            micro.append(found)
    tpch.sort(key=lambda result: (result["scale"], result["change"]))
    return Results(tuple(tpch), tuple(micro))


# --- tables -----------------------------------------------------------------------------------


def target_rows(results: Results) -> list[list[str]]:
    """One row per target: what it is, what is wanted, what was measured, and whether it is met."""
    words = {True: "yes", False: "no", None: ""}
    return [
        [one.name, one.wanted(), one.shown(results), words[one.is_met(results)]] for one in TARGETS
    ]


def run_rows(results: Results) -> list[list[str]]:
    """One row per run of TPC-H."""
    return [
        [
            f"{one['scale']:g}",
            f"{one['change']:.2%}",
            one["store"],
            _seconds(one["run"]["recompute_seconds"]),
            _seconds(one["run"]["refresh_seconds"]),
            _number(one["run"]["ratio"]),
            _number(one["alone"]["geometric_mean"]),
            _number(one["alone"]["worst"]),
            "" if one["regret"]["within"] is None else f"{one['regret']['within']:.0%}",
            "yes" if one["correct"] else "NO",
        ]
        for one in results.tpch
    ]


def view_rows(result: Result) -> list[list[str]]:
    """One row per view of a run."""
    return [
        [
            one["view"],
            one["mode"],
            f"{one['strategy']}, {one['apply']}",
            _seconds(one["recompute_seconds"]),
            _seconds(one["refresh_seconds"]),
            _number(one["ratio"]),
            _seconds(one["expected_seconds"]),
            f"{one['jobs']:.0f}",
            f"{one['bytes_read'] / 2**20:.1f}",
            f"{one['rows_read']:,.0f}",
            f"{one['rows_changed']:,.0f}",
            _number(one["regret"]),
            "yes" if one["correct"] else "NO",
        ]
        for one in result["views"]
    ]


def micro_rows(results: Results) -> list[list[str]]:
    """One row per micro measure."""
    rows = []
    for result in results.micro:
        for one in result["measures"]:
            seconds = one["seconds"]
            beside = ", ".join(f"{k} {v:.2f} s" for k, v in seconds.items() if k != "refresh")
            rows.append(
                [
                    f"{one['kind']} {one['size']:,}",
                    one["source"],
                    result["store"],
                    _seconds(seconds["refresh"]),
                    f"{one['jobs']:.0f}",
                    beside,
                    "yes" if one["correct"] else "NO",
                ]
            )
    return rows


def largest_costs(result: Result) -> list[list[str]]:
    """The phases of views that take most of the time of a run, each view refreshed alone."""
    spent = [
        (seconds, one["view"], phase)
        for one in result["views"]
        if one["affected"]
        for phase, seconds in one["phases"].items()
        if phase not in ("total", "share")
    ]
    total = sum(one["refresh_seconds"] or 0.0 for one in result["views"] if one["affected"])
    largest = sorted(spent, reverse=True)[:LARGEST]
    return [
        [view, phase, _seconds(seconds), f"{seconds / total:.0%}" if total else ""]
        for seconds, view, phase in largest
    ]


def phase_rows(result: Result) -> list[list[str]]:
    """All affected views together, phase by phase, the longest first."""
    spent: dict[str, float] = {}
    for one in result["views"]:
        for phase, seconds in one["phases"].items() if one["affected"] else ():
            if phase not in ("total", "share"):
                spent[phase] = spent.get(phase, 0.0) + seconds
    total = sum(spent.values())
    ranked = sorted(spent.items(), key=lambda item: -item[1])
    return [[phase, _seconds(s), f"{s / total:.0%}" if total else ""] for phase, s in ranked]


# --- charts -----------------------------------------------------------------------------------


def charts(results: Results) -> dict[str, Chart]:
    """Every chart that there are numbers for, by the name of its file."""
    found = {
        "change-size": _by_change(results),
        "views": _by_view(results),
        "view-size": _by_view_size(results),
        "base-size": _line_of(results, "base", "cost against the base table", "rows of the base"),
        "many-views": _line_of(results, "many", "views over one source, together", "views"),
        "depth": _line_of(results, "depth", "chains of views", "views in the chain"),
    }
    return {name: chart for name, chart in found.items() if any(s.points for s in chart.series)}


def _by_change(results: Results) -> Chart:
    series = []
    for scale in sorted({result["scale"] for result in results.tpch}):
        runs = [r for r in results.tpch if r["scale"] == scale and r["policy"] == "auto"]
        for name, label in (("refresh_seconds", "refresh"), ("recompute_seconds", "recompute")):
            points = tuple((100 * r["change"], _sum(r, name)) for r in runs)
            series.append(Series(f"{label}, scale {scale:g}", points))
    title = "TPC-H: all affected views, each alone"
    return Chart(title, "changed rows, %", "seconds", tuple(series), log_x=True, log_y=True)


def _sum(result: Result, name: str) -> float:
    return float(sum(one[name] or 0.0 for one in result["views"] if one["affected"]))


def _by_view(results: Results) -> Chart:
    runs = [r for r in results.tpch if r["change"] == SMALL_CHANGE and r["policy"] == "auto"]
    names = tuple(dict.fromkeys(one["view"] for run in runs for one in run["views"]))
    series = [
        Series(
            f"scale {run['scale']:g}, {run['store']}",
            tuple(
                (float(names.index(one["view"])), float(one["ratio"]))
                for one in run["views"]
                if one["affected"] and one["ratio"] is not None
            ),
        )
        for run in runs
    ]
    return Chart(
        "TPC-H, 0.1 % changes", "view", "recomputation / refresh", tuple(series), names=names
    )


def _by_view_size(results: Results) -> Chart:
    """Refreshes beside bare commits; these are of one format, whatever the sources are."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for result in results.micro:
        for one in result["measures"]:
            if one["kind"] not in _KINDS:
                continue
            label = f"{one['kind']}, {one['source']} source"
            for what, seconds in one["seconds"].items():
                if what == "refresh":
                    name = f"{label}, {result['store']} store"
                elif one["source"] == "delta" and what in ("merge", "append"):
                    name = f"bare {what}, {one['kind']} rows"
                else:
                    continue
                lines.setdefault(name, []).append((one["size"], seconds))
    series = tuple(Series(name, tuple(sorted(points))) for name, points in lines.items())
    title = "10 changed rows into views of some size"
    return Chart(title, "rows of the view", "seconds", series, log_x=True, log_y=True)


def _line_of(results: Results, kind: str, title: str, x: str) -> Chart:
    series = [
        Series(
            f"refresh, {result['store']} store",
            tuple(
                sorted(
                    (float(one["size"]), float(one["seconds"]["refresh"]))
                    for one in result["measures"]
                    if one["kind"] == kind
                )
            ),
        )
        for result in results.micro
    ]
    return Chart(title, x, "seconds", tuple(series), log_x=kind == "base")


# --- the page ---------------------------------------------------------------------------------


def markdown(results: Results, plots: Sequence[str], folder: str) -> str:
    """What stands between the marks of the page."""
    parts = [
        "## What refreshes are to reach",
        "Ratios in one run, warm, on 2 cores.",
        _table(["measure", "target", "measured", "met"], target_rows(results)),
    ]
    if results.tpch:
        parts += _tpch_parts(results)
    if results.micro:
        head = ["what", "source", "store", "refresh", "jobs", "beside it", "correct"]
        parts += ["## Refreshes of little", _table(head, micro_rows(results))]
    if plots:
        parts.append("## Plots")
        parts.append(f"All on one page: [{folder}/index.html]({folder}/index.html).")
        parts += [f"![{name}]({folder}/{name}.svg)" for name in plots]
    parts.append(_origin(results))
    return "\n\n".join(part for part in parts if part)


def _tpch_parts(results: Results) -> list[str]:
    head = ["scale", "change", "store", "recompute", "refresh", "ratio", "alone, mean"]
    parts = [
        "## TPC-H",
        "`recompute` and `refresh` are all affected views, one after the other and in one run; "
        "`alone` is recomputation / refresh of single views.",
        _table([*head, "worst", "chosen well", "correct"], run_rows(results)),
    ]
    for result in results.tpch:
        if result["change"] == SMALL_CHANGE:
            what = f"scale {result['scale']:g}, 0.1 % changes, {result['store']} store"
            head = [
                "view",
                "mode",
                "way",
                "recompute",
                "refresh",
                "ratio",
                "expected",
                "jobs",
                "MB",
            ]
            head += ["rows read", "rows changed", "regret", "correct"]
            parts += [f"### Views, {what}", _table(head, view_rows(result))]
            parts += [
                f"### The largest costs, {what}",
                _table(["view", "phase", "seconds", "of all"], largest_costs(result)),
                _table(["phase, all views", "seconds", "of all"], phase_rows(result)),
            ]
    return parts


def _origin(results: Results) -> str:
    sources = dict.fromkeys(one["sources"] for one in (*results.tpch, *results.micro))
    if not sources:
        return "To measure: `make bench`, then `python -m benchmarks.report`."
    said = "; ".join(sources)
    return f"Measured by `make bench`, written by `python -m benchmarks.report`: {said}."


def html(results: Results, found: dict[str, Chart]) -> str:
    """One page with the table of targets and all plots, which needs no other file."""
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in target_rows(results)
    )
    heads = "".join(f"<th>{head}</th>" for head in ("measure", "target", "measured", "met"))
    style = "body{font-family:sans-serif;margin:2em}td,th{padding:.2em .8em;text-align:left}"
    pictures = "\n".join(svg(chart) for chart in found.values())
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>rollview: measured'
        f"</title><style>{style}</style></head>\n<body><h1>What was measured</h1>\n"
        f"<table><tr>{heads}</tr>\n{rows}\n</table>\n{pictures}</body></html>\n"
    )


def rewritten(page: str, text: str) -> str:
    """The page with another text between its marks."""
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise SystemExit(f"the page needs one line {BEGIN} and after it one {END}")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def write(results: Results, page: Path, plots: Path) -> list[Path]:
    """Write the page and the plots; returns the files that were written."""
    found = charts(results)
    written = [page]
    if found:
        plots.mkdir(parents=True, exist_ok=True)
    for name, chart in found.items():
        (plots / f"{name}.svg").write_text(svg(chart))
        written.append(plots / f"{name}.svg")
        if png(chart, plots / f"{name}.png"):
            written.append(plots / f"{name}.png")
    if found:
        (plots / "index.html").write_text(html(results, found))
        written.append(plots / "index.html")
    folder = plots.relative_to(page.parent).as_posix()
    page.write_text(rewritten(page.read_text(), markdown(results, list(found), folder)))
    return written


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [head, ["---"] * len(head), *rows]
    return (
        "\n".join(f"| {' | '.join(line)} |" for line in lines)
        .replace("| --- ", "|---")
        .replace("|--- |", "|---|")
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("results", nargs="*", type=Path)
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "performance.md")
    parser.add_argument("--plots", type=Path, default=ROOT / "docs" / "plots")
    options = parser.parse_args()
    paths = options.results or list((ROOT / "build" / "bench").glob("*.json"))
    for path in write(load(paths), options.page, options.plots):
        say(f"written: {path}")


if __name__ == "__main__":
    main()
