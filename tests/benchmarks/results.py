"""Journals and results of benchmarks as they would be measured."""

from __future__ import annotations

from typing import Any

from benchmarks.measuring import Entry
from benchmarks.tpch_summary import Rounds, summary

ROUNDS = Rounds(2, (1, 2))


def refreshed(
    seconds: float, way: tuple[str, str] = ("counting", "merge"), mode: str = "incremental"
) -> Entry:
    return {
        "mode": mode,
        "strategy": way[0],
        "apply": way[1],
        "seconds": seconds,
        "expected": seconds * 1.1,
        "phases": {"plan": 0.1, "derive": seconds / 2, "commit": seconds / 3, "total": seconds},
        "jobs": 12,
        "bytes_read": 2**21,
        "rows_read": 5_000,
        "rows_changed": 60,
    }


def journal() -> dict[str, Entry]:
    """Two views: q01 is refreshed in 2, 3 and 9 s (which warms up), q02 has nothing to do."""
    entries: dict[str, Entry] = {}
    for number, seconds in ((0, 9.0), (1, 2.0), (2, 3.0)):
        entries[f"alone {number} q01"] = refreshed(seconds)
        entries[f"alone {number} q02"] = {**refreshed(0.05, mode="noop"), "jobs": 0}
        entries[f"recomputed {number} q01"] = {"seconds": 10.0 + number}
        entries[f"recomputed {number} q02"] = {"seconds": 1.0}
        entries[f"together {number}"] = {"seconds": seconds}
    forced = {"view": "q01", **refreshed(2.0, ("key-scoped", "rewrite"))}
    entries["forced key-scoped rewrite q01"] = forced
    entries["forced recompute auto q01"] = {
        "view": "q01",
        **refreshed(12.0, ("recompute", "replace"), "full"),
    }
    # Asked for and not possible: what was done instead is one more time of that.
    entries["forced counting append q01"] = {"view": "q01", **refreshed(2.5)}
    for view in ("q01", "q02"):
        entries[f"idle {view}"] = {"seconds": 0.04 if view == "q01" else 0.06, "jobs": 0}
        entries[f"verified {view}"] = {"correct": True}
    return entries


def tpch(scale: float = 1.0, change: float = 0.001, **more: Any) -> dict[str, Any]:
    """A result of the TPC-H benchmark."""
    found = summary(journal(), ["q01", "q02"], ROUNDS)
    settings = {"scale": scale, "change": change, "policy": "auto", "store": "delta"}
    return {**found, **settings, "sources": "commit 1234", **more}


def micro(store: str = "delta") -> dict[str, Any]:
    """A result of the micro benchmark."""

    def one(kind: str, size: int, refresh: float, source: str = "delta", **beside: float) -> Entry:
        return {
            "name": f"{kind} {size} {source}",
            "kind": kind,
            "size": size,
            "source": source,
            "seconds": {"refresh": refresh, **beside},
            "jobs": 9,
            "correct": True,
        }

    bare = {"merge": 2.0, "append": 0.2, "read": 0.4}
    measures = [
        *(
            one(k, s, 1.0 + s / 1e6, **bare)
            for k in ("aggregate", "join")
            for s in (1_000, 100_000)
        ),
        one("join", 1_000, 1.5, "iceberg", **bare),
        one("base", 1_000_000, 2.0),
        one("base", 10_000_000, 2.5),
        one("many", 1, 1.0),
        one("many", 50, 20.0),
        *(one("depth", levels, float(levels)) for levels in (1, 2, 3)),
    ]
    return {"measures": measures, "store": store, "rounds": 2, "sources": "commit 1234"}
