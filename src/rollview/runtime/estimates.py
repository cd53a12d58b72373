"""What a refresh is expected to take, and what it took: sizes and the past in, one choice out.

Sizes come from logs and file statistics, the past from the history files; the model itself, which
knows neither, is in `planning/`. What was expected and what came out is kept in the report of every
refresh, for the next ones and for `python -m benchmarks.fit_costs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from rollview.algebra.definition import Definition, Source
from rollview.errors import RollviewError
from rollview.maintenance.clock import CLOCK, SYMBOLIC, Clock
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Program
from rollview.planning.candidates import (
    CHANGES,
    Estimate,
    Piece,
    Question,
    applied,
    cheapest,
    choose,
    estimates,
    programs,
    whole,
)
from rollview.planning.cost import Way
from rollview.planning.overrides import OURS, Overrides, overrides
from rollview.planning.past import Observation, past_of
from rollview.planning.statistics import ChangeSize, Size, Statistics
from rollview.planning.verdict import maintained
from rollview.runtime import history, moves
from rollview.runtime.catalog import StoredView
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run
from rollview.runtime.report import Policy, RefreshReport
from rollview.storage.vector import State, Vector
from rollview.storage.view_store import Watermark

_Answer = TypeVar("_Answer")
LOOKED_AT = 20  # refreshes of the past that count

_done: set[tuple[str, str]] = set()  # the pieces of views that this process has done before


@dataclass(frozen=True)
class Estimator:
    """The estimates of one refresh: for a choice before and after the changes were read."""

    question: Question
    policy: str
    wanted: Overrides
    view_id: str
    changed: tuple[str, ...] = ()
    clock: Clock | None = None
    pieces: list[tuple[Piece, float]] = field(default_factory=list)
    told: list[Estimate] = field(default_factory=list)

    def first(self) -> Estimate:
        """The choice by what the logs tell."""
        return self._chosen(self.question, self._programs(self.changed), read=False)

    def after_reading(self, changed: Mapping[str, int]) -> tuple[Estimate, dict[str, Program]]:
        """The choice by the rows that have changed, and the programs that there are for them."""
        statistics = self.question.statistics.with_read(changed)
        moved = [source for source, rows in changed.items() if rows]
        by = self._programs((*moved, *(name for name in self.changed if name == CLOCK)))
        return self._chosen(replace(self.question, statistics=statistics), by, read=True), by

    def whole(self) -> Estimate:
        """All rows anew."""
        return whole(self.question)

    def way(self, added: int, removed: int) -> Way:
        """The way to apply a delta that adds and removes so many rows."""
        return cheapest(self.question, added, removed, self.wanted)

    def took(self, piece: Piece, seconds: float) -> None:
        """Note what a piece took."""
        self.pieces.append((piece, seconds))

    def committed(self, way: Way, added: int, removed: int, seconds: float) -> None:
        """Note what it took to apply a change."""
        self.took(applied(self.question, way, added, removed), seconds)

    def record(self) -> dict[str, Any]:
        """What was expected and what it took, as the history keeps it."""
        found: dict[str, Any] = {"candidates": [one.summary() for one in self.told]}
        if self.told and self.pieces:
            found["expected"] = round(sum(piece.seconds for piece, _ in self.pieces), 3)
        found["pieces"] = [
            {**piece.to_dict(), "took": round(took, 3), "first": self._is_first(piece.name)}
            for piece, took in self.pieces
        ]
        _done.update((self.view_id, piece.name) for piece, _ in self.pieces)
        return found

    def _programs(self, changed: Sequence[str]) -> dict[str, Program]:
        prepared = self.question.prepared
        return {} if prepared is None else programs(prepared, changed, self.clock or SYMBOLIC)

    def _chosen(self, question: Question, by: Mapping[str, Program], *, read: bool) -> Estimate:
        self.told[:] = estimates(question, by)
        return choose(self.told, self.policy, self.wanted, read=read)

    def _is_first(self, piece: str) -> bool:
        return (self.view_id, piece) not in _done


@dataclass(frozen=True)
class Subject:
    """The definition that is estimated, at which positions, and the view of it if there is one."""

    run: Run
    session: SparkSession
    definition: Definition
    policy: str
    vector: Vector
    view: StoredView | None = None
    watermark: Watermark | None = None

    @property
    def view_id(self) -> str:
        """The view's, or nobody's."""
        return "" if self.view is None else self.view.view_id

    @property
    def prepared(self) -> Prepared | None:
        """The form that is maintained; a view of policy full keeps no state."""
        return None if self.policy == Policy.FULL else maintained(self.definition)


def estimator(
    about: Subject,
    moved: Iterable[Source] = (),
    old: Vector | None = None,
    clock: Clock | None = None,
    *,
    ticked: bool = False,
) -> Estimator:
    """The estimates for a view whose sources have moved from their old positions.

    The clock is one of them if it has gone on for the view (``ticked``).
    """
    lake = about.run.lake
    wanted = overrides_of(lake)
    sources = tuple(moved)
    tables = {source.id: _table_size(about, source) for source in about.definition.sources}
    changes = {source.id: _change_size(about, source, old or {}) for source in sources}
    states = {} if about.watermark is None else state_sizes(about.watermark.state)
    statistics = Statistics(tables, changes, states, _view_size(about))
    past = past_of(observations(history.read(lake, about.view_id, LOOKED_AT) if about.view else []))
    relation = about.definition.relation
    question = Question(relation, about.prepared, statistics, wanted.constants, past)
    ids = (*(source.id for source in sources), *((CLOCK,) if ticked else ()))
    return Estimator(question, about.policy, wanted, about.view_id, ids, clock)


def computed(about: Subject, seconds: float) -> dict[str, Any]:
    """What it was expected to take, and took, to compute a view for the first time."""
    found = estimator(about)
    found.took(pieces_of(found.whole())["recompute"], seconds)
    return found.record()


def observations(reports: Sequence[RefreshReport]) -> list[Observation]:
    """What the reports of a view, the newest first, say of the model.

    Of the time that views were refreshed side by side, each has had its share.
    """
    found = []
    for age, report in enumerate(reports):
        total, share = report.seconds.get("total"), report.seconds.get("share")
        part = share / total if total and share is not None else 1.0
        for one in (report.costs or {}).get("pieces", ()):
            seconds = float(one["took"]) * part
            found.append(
                Observation(one["piece"], float(one["model"]), seconds, age, bool(one["first"]))
            )
    return found


def state_sizes(state: State) -> dict[str, Size]:
    """How large each kept operator is; rows that a delta takes away are counted as if it added."""
    return {
        name: Size(
            sum(s.rows for s in segments if not s.signed) or sum(s.rows for s in segments),
            sum(s.bytes for s in segments),
            len(segments),
        )
        for name, segments in state.items()
    }


def overrides_of(lake: Lake) -> Overrides:
    """What the session of a lake sets for the model. Raises BadOption."""
    pairs = lake.spark._jsparkSession.conf().getAllAsJava()
    return overrides({str(k): str(pairs[k]) for k in pairs if str(k).startswith(OURS)})


def why_whole(chosen: Estimate, told: Iterable[Estimate], *, read: bool = False) -> str:
    """Why a view is recomputed, in a sentence."""
    others = [one for one in told if not one.is_whole]
    best = min((one.rest if read else one.seconds for one in others), default=0.0)
    return (
        f"recomputing the view is expected to take {chosen.seconds:.1f} s, and deriving its "
        f"change {best:.1f} s{' more' if read else ''}"
    )


def pieces_of(chosen: Estimate) -> dict[str, Piece]:
    """The pieces of a candidate by what they are: the changes, the derivation, the commit."""
    names = ("recompute",) if chosen.is_whole else (CHANGES, "derive", "apply")
    return dict(zip(names, chosen.pieces, strict=True))


def _view_size(about: Subject) -> Size:
    watermark, view = about.watermark, about.view
    if watermark is None or view is None:
        return Size()
    lake = about.run.lake
    stored = lake.view_rows(about.session, view.name, view.view_id, view.store, view.schema)
    found = _told(lambda: stored.size(watermark.version), Size())
    return found if watermark.rows is None else replace(found, rows=watermark.rows)


def _table_size(about: Subject, source: Source) -> Size:
    def ask() -> Size:
        return moves.size(about.run, about.session, source, about.vector[source.id])

    return _told(ask, Size())


def _change_size(about: Subject, source: Source, old: Vector) -> ChangeSize:
    def ask() -> ChangeSize:
        before, after = old[source.id], about.vector[source.id]
        return moves.change_size(about.run, about.session, source, before, after)

    return _told(ask, ChangeSize()) if source.id in old else ChangeSize()


def _told(ask: Callable[[], _Answer], unknown: _Answer) -> _Answer:
    """What storage tells; no estimate is worth a refresh that fails."""
    try:
        return ask()
    except (PySparkException, Py4JJavaError, RollviewError, ValueError):
        return unknown
