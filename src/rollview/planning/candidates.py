"""The ways one refresh could go, what each is expected to take, and which one is taken.

A candidate is a strategy that derives the change, together with a way to apply it; or all rows
anew. Each consists of pieces whose time is measured apart, so that each is corrected by its own
past (`planning/past.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rollview.algebra.relations import Aggregate, Relation
from rollview.maintenance.clock import SYMBOLIC, Clock
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.counting.aggregate import goes_on_from_state
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Program, RuleName
from rollview.planning.cardinality import Cardinalities
from rollview.planning.cost import Constants, Way, Work
from rollview.planning.overrides import Overrides
from rollview.planning.past import NO_PAST, Past
from rollview.planning.statistics import Statistics
from rollview.planning.verdict import COUNTING, FULL, INCREMENTAL, KEY_SCOPED, PARTIAL, RECOMPUTE
from rollview.planning.work import apply, derive, read_changes, recompute, ways

CHANGES = "changes"
_AUTO = "auto"
# Rules under which rows that come below let rows come, and none go.
_ONLY_ADD = (RuleName.CHANGES, RuleName.LINEAR, RuleName.TELESCOPED, RuleName.CONSTANT)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a refresh that is timed by itself: its work, what the model says, and corrected."""

    name: str
    work: Work
    model: float
    seconds: float

    def to_dict(self) -> dict[str, object]:
        return {
            "piece": self.name,
            "work": self.work.to_dict(),
            "model": round(self.model, 3),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class Estimate:
    """One candidate."""

    mode: str
    strategy: str
    way: Way
    pieces: tuple[Piece, ...]

    @property
    def seconds(self) -> float:
        """What the whole refresh is expected to take, but for what all candidates have to do."""
        return sum(piece.seconds for piece in self.pieces)

    @property
    def rest(self) -> float:
        """What is left to do once the changes were read."""
        return sum(piece.seconds for piece in self.pieces if piece.name != CHANGES)

    @property
    def is_whole(self) -> bool:
        return self.strategy == RECOMPUTE

    def summary(self) -> dict[str, object]:
        """The candidate as plain data, without its pieces."""
        return {
            "mode": self.mode,
            "strategy": self.strategy,
            "apply": self.way.value,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be estimated: a view, what is known of sizes, and what its past says.

    ``relation`` is None for what is kept as Spark's own plan.
    """

    relation: Relation | None
    prepared: Prepared | None
    statistics: Statistics
    constants: Constants
    past: Past = NO_PAST

    def rows(self) -> Cardinalities:
        """Estimates of rows, to be used for one program."""
        kept = () if self.prepared is None else self.prepared.kept
        return Cardinalities(self.statistics, self.constants, kept)

    def piece(self, name: str, work: Work) -> Piece:
        """A piece with its estimate, corrected by its past."""
        model = self.constants.seconds(work)
        return Piece(name, work, model, model * self.past.factor(name, self.constants))


def programs(
    prepared: Prepared, changed: Sequence[str], clock: Clock = SYMBOLIC
) -> dict[str, Program]:
    """The programs that could derive the change of a view, by strategy."""
    found = {COUNTING: compile_delta(prepared, changed, clock)}
    if can_be_scoped(prepared):
        found[KEY_SCOPED] = compile_delta(prepared, changed, clock, key_scoped=True)
    return found


def can_be_scoped(prepared: Prepared) -> bool:
    """Whether there are groups that go on from their state, and could be evaluated anew instead."""
    aggregates = (kept.relation for kept in prepared.kept if isinstance(kept.relation, Aggregate))
    return any(one.groups and goes_on_from_state(one) for one in aggregates)


def estimates(question: Question, by: Mapping[str, Program]) -> tuple[Estimate, ...]:
    """Every candidate with its estimate: all that the programs allow, and all rows anew."""
    found: list[Estimate] = []
    for strategy, program in by.items():
        found += derived(question, strategy, program)
    return (*found, whole(question))


def derived(question: Question, strategy: str, program: Program) -> list[Estimate]:
    """The candidates of one program, one for each way to apply what it derives."""
    rows = question.rows()
    changes = question.piece(CHANGES, read_changes(question.statistics, rows))
    work = derive(program, rows, question.constants)
    computed = question.piece(derive_piece(strategy), work)
    changed = 0.0 if program.delta is None else rows.of(program.delta).rows
    removes = not _only_adds(program, question.statistics)
    added, removed = (changed / 2, changed / 2) if removes else (changed, 0.0)
    mode = PARTIAL if program.reasons else INCREMENTAL
    return [
        Estimate(mode, strategy, way, (changes, computed, applied(question, way, added, removed)))
        for way in ways(question.statistics.view, removes)
    ]


def applied(question: Question, way: Way, added: float, removed: float) -> Piece:
    """The commit of a change of so many rows."""
    work = apply(way, question.statistics.view, added, removed)
    return question.piece(apply_piece(way), work)


def cheapest(question: Question, added: float, removed: float, wanted: Overrides) -> Way:
    """The way to apply a delta of so many rows: the one asked for if it can, or the fastest."""
    possible = ways(question.statistics.view, removed > 0)
    if wanted.way in possible:
        return wanted.way
    return min(possible, key=lambda way: applied(question, way, added, removed).seconds)


def whole(question: Question) -> Estimate:
    """All rows anew."""
    rows = question.rows()
    work = Work(statement=1, replace=1)
    if question.relation is not None:
        statistics, constants = question.statistics, question.constants
        work = recompute(question.relation, question.prepared, statistics, rows, constants)
    return Estimate(FULL, RECOMPUTE, Way.REPLACE, (question.piece(RECOMPUTE, work),))


def choose(
    candidates: Iterable[Estimate], policy: str, wanted: Overrides, *, read: bool = False
) -> Estimate:
    """The candidate that takes the least time, of those that the policy and the session allow.

    Only under ``auto`` does time speak for recomputing. What was asked for and cannot be had is
    passed over. With ``read``, the changes were read, and their reading does not count any more.
    """
    found = list(candidates)
    by_changes = [one for one in found if not one.is_whole]
    by_changes = [one for one in by_changes if wanted.way in (None, one.way)] or by_changes
    recomputed = [one for one in found if one.is_whole]
    allowed = by_changes + recomputed if policy == _AUTO else by_changes or recomputed
    allowed = [one for one in allowed if wanted.strategy in (None, one.strategy)] or allowed
    return min(allowed, key=lambda one: one.rest if read else one.seconds)


def derive_piece(strategy: str) -> str:
    """The name of deriving a change by a strategy."""
    return f"derive by {strategy}"


def apply_piece(way: Way) -> str:
    """The name of applying a change in a way."""
    return f"apply by {way.value}"


def _only_adds(program: Program, statistics: Statistics) -> bool:
    """Whether the change of the view can have no row that goes."""
    rules = {note.rule for note in program.notes.values()}
    return bool(statistics.changes) and statistics.only_adds and rules <= set(_ONLY_ADD)
