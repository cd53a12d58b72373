"""A process that opens a lake and does as it is told, until it is killed.

Commands and answers are lines of JSON. A refresh is announced before it begins, so that whoever
wants to kill this process knows that it is at work.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from typing import Any

import rollview
from rollview import RollviewError, Session
from tests.soak.shop import TABLES, VIEWS, View


def main(lake: str, *names: str) -> int:
    views = [view for view in VIEWS if view.name in names]
    try:
        with rollview.connect(lake) as db:
            java = db.spark._jvm.java.lang.ProcessHandle.current().pid()
            say(event="open", java=java)
            for line in sys.stdin:
                command = json.loads(line)
                if command["do"] == "end":
                    break
                say(event="done", **obey(db, views, command))
    except RollviewError as error:
        say(event="error", code=error.code, message=error.message)
        return 1
    return 0


def say(**words: Any) -> None:
    print(json.dumps(words), flush=True)


def obey(db: Session, views: list[View], command: dict[str, Any]) -> dict[str, Any]:
    started = time.monotonic()
    match command["do"]:
        case "set up":
            for statement in TABLES:
                db.spark.sql(statement)
            for view in views:
                db.create_view(view.name, view.query, store=command["store"])
            answer: dict[str, Any] = {}
        case "change":
            for statement in command["statements"]:
                db.sql(statement)  # which sees tables that another process has made
            answer = {}
        case "refresh":
            say(event="began")
            answer = {"problems": refresh(db)}
        case "check":
            answer = {"problems": [problem for view in views for problem in check(db, view)]}
        case other:
            raise ValueError(other)
    return answer | {"seconds": round(time.monotonic() - started, 2)}


def refresh(db: Session) -> list[str]:
    reports = db.refresh()
    return [f"{r.view}: {r.mode}: {r.reason}" for r in reports if r.error is not None]


def check(db: Session, view: View) -> list[str]:
    """The rows that readers see against Spark's own answer now, and `verify`'s word on them."""
    problems = []
    seen = bag(db.spark.sql(f"SELECT * FROM {view.name}"))
    truth = bag(db.spark.sql(view.truth))
    if seen != truth:
        lost, extra = truth - seen, seen - truth
        problems.append(
            f"{view.name}: {lost.total()} rows lost, {extra.total()} too many; for example "
            f"{list(lost.items())[:3]} and {list(extra.items())[:3]}"
        )
    report = db.verify(view.name)
    if not report.correct:
        problems.append(f"{view.name}: verify misses {report.missing}, has {report.unexpected}")
    return problems


def bag(frame: Any) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row) for row in frame.collect())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
