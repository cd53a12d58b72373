"""What refreshes are to reach, and what was measured of it: one line each, from the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.measuring import ratio
from benchmarks.tpch_summary import NOT_WORSE

Result = dict[str, Any]
SMALL_CHANGE = 0.001
GROUPS = 100_000
SMALL_BASE, LARGE_BASE = 1_000_000, 10_000_000


@dataclass(frozen=True)
class Results:
    """All results of one report: those of TPC-H, and the micro measures."""

    tpch: Sequence[Result] = ()
    micro: Sequence[Result] = ()

    def run(self, scale: float, change: float = SMALL_CHANGE) -> Result | None:
        """The run of a scale and a change under policy auto, stored as Delta if there are both."""
        wanted = [r for r in self.tpch if (r["scale"], r["change"]) == (scale, change)]
        wanted = [r for r in wanted if r["policy"] == "auto"]
        return min(wanted, key=lambda result: result["store"] != "delta", default=None)

    def measure(
        self, kind: str, size: int, store: str = "delta", source: str = "delta"
    ) -> Result | None:
        """One micro measure."""
        for result in self.micro:
            for one in result["measures"]:
                key = (one["kind"], one["size"], one["source"], result["store"])
                if key == (kind, size, source, store):
                    return dict(one)
        return None


@dataclass(frozen=True)
class Target:
    """A measure, what it is to be, and how to find it; ``at_least`` or at most the limit."""

    name: str
    limit: float
    at_least: bool
    value: Callable[[Results], float | None]
    form: str = "{:.2f}"

    def wanted(self) -> str:
        word = "at least" if self.at_least else "at most"
        return f"{word} {self.form.format(self.limit)}"

    def shown(self, results: Results) -> str:
        value = self.value(results)
        return "not measured" if value is None else self.form.format(value)

    def is_met(self, results: Results) -> bool | None:
        """Whether it is reached; None if it was not measured."""
        value = self.value(results)
        if value is None:
            return None
        return value >= self.limit if self.at_least else value <= self.limit


def _run(scale: float) -> Callable[[Results], float | None]:
    def value(results: Results) -> float | None:
        found = results.run(scale)
        return None if found is None else found["run"]["ratio"]

    return value


def _alone(scale: float) -> Callable[[Results], float | None]:
    def value(results: Results) -> float | None:
        found = results.run(scale)
        return None if found is None else found["alone"]["geometric_mean"]

    return value


def _slowest(results: Results) -> float | None:
    """The largest refresh / recomputation of any view in any run under policy auto."""
    runs = [result for result in results.tpch if result["policy"] == "auto"]
    worst = [result["alone"]["worst"] for result in runs if result["alone"]["worst"]]
    return 1 / min(worst) if worst else None


def _idle(field: str) -> Callable[[Results], float | None]:
    def value(results: Results) -> float | None:
        known = [r["idle"][field] for r in results.tpch if r["idle"][field] is not None]
        return max(known, default=None)

    return value


def _beside(kind: str, store: str, *others: str) -> Callable[[Results], float | None]:
    def value(results: Results) -> float | None:
        found = results.measure(kind, GROUPS, store)
        if found is None:
            return None
        return ratio(found["seconds"]["refresh"], sum(found["seconds"][name] for name in others))

    return value


def _refresh(results: Results, kind: str, size: int) -> float | None:
    found = results.measure(kind, size)
    return None if found is None else found["seconds"]["refresh"]


def _many(results: Results) -> float | None:
    one = _refresh(results, "many", 1)
    return ratio(_refresh(results, "many", 50), None if one is None else 50 * one)


def _base(results: Results) -> float | None:
    return ratio(_refresh(results, "base", LARGE_BASE), _refresh(results, "base", SMALL_BASE))


def _regret(results: Results) -> float | None:
    """The share of all views of all runs whose chosen way is about as fast as the best."""
    known = [v["regret"] for r in results.tpch for v in r["views"] if v["regret"] is not None]
    return sum(value <= NOT_WORSE for value in known) / len(known) if known else None


TARGETS = (
    Target("TPC-H, 0.1 % changes, one run: recomputation / refresh, scale 1", 4, True, _run(1)),
    Target("the same at scale 10", 10, True, _run(10)),
    Target("each view alone, geometric mean over affected views, scale 1", 2.5, True, _alone(1)),
    Target("the same at scale 10", 6, True, _alone(10)),
    Target(
        "any single view, any change size, policy auto: refresh / recomputation",
        NOT_WORSE,
        False,
        _slowest,
    ),
    Target("a view that nothing concerns: seconds", 0.1, False, _idle("seconds")),
    Target("a view that nothing concerns: Spark jobs", 0, False, _idle("jobs"), "{:.0f}"),
    Target(
        "10 changed rows, aggregate view of 100,000 groups: refresh / bare Delta MERGE",
        1.3,
        False,
        _beside("aggregate", "delta", "merge"),
    ),
    Target("the same, Iceberg store", 1.0, False, _beside("aggregate", "iceberg", "merge")),
    Target(
        "10 inserted rows, select-project-join view: refresh / (one read of the changes + one bare "
        "append)",
        1.5,
        False,
        _beside("join", "delta", "read", "append"),
    ),
    Target("50 views over one source: total refresh time / (50 x one)", 0.5, False, _many),
    Target("ten times the base table, change fixed, clustered by key: cost", 1.5, False, _base),
    Target(
        "chosen way within 15 % of the best candidate: share of cases", 0.9, True, _regret, "{:.0%}"
    ),
)
