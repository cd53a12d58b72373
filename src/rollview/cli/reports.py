"""Reports of refreshes and checks as tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rollview.cli.output import print_table, print_text
from rollview.runtime.report import Mode, RefreshReport, VerifyReport, ViewInfo, ViewStatus

if TYPE_CHECKING:
    from rollview.session import View


def print_refreshes(reports: Sequence[RefreshReport], *, when: bool = False) -> None:
    """One line per refresh; errors and reasons follow."""
    if not reports:
        print_text("no refreshes" if when else "no views: create one with rollview create")
        return
    header = ["view", "mode", "rows", "inserted", "updated", "deleted", "seconds", "reason"]
    rows = [
        [
            report.view,
            report.mode.value,
            count(report.rows),
            count(report.rows_inserted),
            count(report.rows_updated),
            count(report.rows_deleted),
            f"{total_seconds(report):.2f}",
            report.reason or "",
        ]
        for report in reports
    ]
    if when:
        header.insert(0, "finished")
        for row, report in zip(rows, reports, strict=True):
            row.insert(0, f"{report.finished_at:%Y-%m-%d %H:%M:%S}" if report.finished_at else "")
    print_table(header, rows, right=("rows", "inserted", "updated", "deleted", "seconds"))
    if not when:
        for report in reports:
            if report.mode is Mode.FAILED and report.error:
                print_problem(report.view, report.error)


def print_problem(view: str, error: dict[str, str | None]) -> None:
    """An error that belongs to one view, on stderr."""
    print(f"error: {view}: {error.get('message')}", file=sys.stderr)
    if error.get("hint"):
        print(f"  hint: {error['hint']}", file=sys.stderr)


def print_checks(reports: Sequence[VerifyReport]) -> None:
    """One line per checked view, and a few of the rows that differ."""
    if not reports:
        print_text("no views to check")
        return
    print_table(
        ["view", "correct", "rows", "missing", "unexpected", "seconds", "note"],
        [
            [
                report.view,
                "?" if report.problem else "yes" if report.correct else "NO",
                count(report.rows),
                count(report.missing),
                count(report.unexpected),
                f"{report.seconds:.2f}",
                report.note or "",
            ]
            for report in reports
        ],
        right=("rows", "missing", "unexpected", "seconds"),
    )
    for report in reports:
        samples = (("missing", report.missing_sample), ("unexpected", report.unexpected_sample))
        for kind, sample in samples:
            if sample:
                print_text(f"{report.view}: {kind} rows, for example")
                print_table(list(sample[0]), [list(row.values()) for row in sample])
        if report.problem:
            print_problem(report.view, report.problem)


def print_status(states: Sequence[ViewStatus]) -> None:
    """One line per view: is it fresh, and which sources have moved on."""
    if not states:
        print_text("no views: create one with rollview create")
        return
    print_table(
        ["view", "state", "rows", "last refresh", "behind"],
        [
            [
                state.name,
                "problem" if state.problem else "fresh" if state.fresh else "stale",
                count(state.rows),
                f"{state.last_refresh:%Y-%m-%d %H:%M:%S}" if state.last_refresh else "",
                ", ".join(_behind(state)),
            ]
            for state in states
        ],
        right=("rows",),
    )
    for state in states:
        if state.problem:
            print_problem(state.name, state.problem)


def print_views(views: Sequence[ViewInfo]) -> None:
    """One line per view: what it reads and how it is kept."""
    if not views:
        print_text("no views: create one with rollview create")
        return
    print_table(
        ["view", "policy", "store", "reads", "created"],
        [
            [
                view.name,
                view.policy.value,
                view.store,
                ", ".join(map(short_name, view.sources)),
                f"{view.created_at:%Y-%m-%d %H:%M:%S}",
            ]
            for view in views
        ],
    )


def created(view: View) -> dict[str, object]:
    """A new view as plain data."""
    return {"view": view.name, "policy": view.policy.value, "columns": view.columns}


def print_created(view: View) -> None:
    """A new view in one line."""
    print_text(f"created {view.name} ({', '.join(view.columns)})")


def print_view(view: ViewInfo) -> None:
    """All there is to know about one view."""
    print_views([view])
    print_text("columns:")
    for column in view.columns:
        print_text(f"  {column}")
    print_text("query:")
    for line in view.query.splitlines():
        print_text(f"  {line}")


def short_name(source: str) -> str:
    """The name of a source without the catalog and schema that everything is in by default."""
    return source.removeprefix("spark_catalog.").removeprefix("default.")


def total_seconds(report: RefreshReport) -> float:
    """The time of a whole refresh; phases may be reported with or without their total."""
    return report.seconds.get("total", sum(report.seconds.values()))


def count(number: int | None) -> str:
    """A count for a table; empty where it is not known."""
    return "" if number is None else f"{number:,}"


def _behind(state: ViewStatus) -> list[str]:
    return [
        f"{short_name(source)} {state.reflects.get(source)} -> {version}"
        for source, version in state.current.items()
        if state.reflects.get(source) != version
    ]
