"""Rows that enter and leave by the clock, below and above every kind of operator."""

from __future__ import annotations

import datetime
from dataclasses import replace
from random import Random

import pytest

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    SortKey,
    WindowCall,
    binary,
)
from rollview.algebra.printer import show
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Relation,
    Scan,
    TableFunction,
    TopK,
    Union,
    Values,
    Window,
)
from rollview.algebra.schema import Column
from rollview.algebra.traverse import walk
from rollview.maintenance.clock import CLOCK, is_only_filtered_by
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from tests.maintenance.people import connection
from tests.properties.cases import Case, Change, Row, Table
from tests.properties.maintained import Maintained
from tests.properties.seed import SEED

TODAY = Call("CurrentDate", ("current_date()",), (), "DATE", False)
DAYS = [datetime.date(2024, 1, day) for day in range(1, 9)]


def events(suffix: str = "") -> Scan:
    columns = (Column(f"id{suffix}", "INT"), Column(f"day{suffix}", "DATE"))
    return Scan("events", ("id", "day"), columns)


def day(suffix: str = "") -> ColumnRef:
    return ColumnRef(f"day{suffix}", "DATE")


def key(suffix: str = "") -> ColumnRef:
    return ColumnRef(f"id{suffix}", "INT")


def recent(suffix: str = "") -> Filter:
    until = binary("DateAdd", "+", day(suffix), Literal("2", "INT"), "DATE")
    return Filter(events(suffix), binary("GreaterThanOrEqual", ">=", until, TODAY, "BOOLEAN"))


def before_today(days: int, *, nullable: bool = False) -> Expression:
    """A day as the clock has it; on some of them there is none, if it may be NULL."""
    text = Literal(str(days), "INT")
    limit = binary("DateSub", "-", TODAY, text, "DATE")
    if not nullable:
        return replace(limit, nullable=False)
    parts = ("nullif(", ", DATE '2024-01-03')")
    return Call("NullIf", parts, (limit,), "DATE", True)


def compared(kind: str, sign: str, one: Expression, two: Expression) -> Expression:
    return binary(kind, sign, one, two, "BOOLEAN")


SINCE = compared("GreaterThanOrEqual", ">=", day(), before_today(3))
UNTIL = compared("GreaterThan", ">", before_today(1), day())
SOME = compared("LessThan", "<", key(), Literal("3", "INT"))
RANGES = {
    "since": SINCE,
    "until": UNTIL,
    "between": compared("And", "AND", compared("And", "AND", SINCE, SOME), UNTIL),
    "on": compared("EqualTo", "=", day(), TODAY),
    "after": compared("LessThan", "<", TODAY, day()),
    "not after": compared("LessThanOrEqual", "<=", day(), TODAY),
    "since maybe": compared("GreaterThan", ">", day(), before_today(1, nullable=True)),
}


def joined(kind: JoinKind, left: Relation, right: Relation) -> Join:
    return Join(kind, left, right, binary("EqualTo", "=", key(), key("_2"), "BOOLEAN"))


def counted(relation: Relation) -> Aggregate:
    count = AggregateCall("Count", ("count(", ")"), (Literal("1", "INT"),), "BIGINT", False)
    last = AggregateCall("Max", ("max(", ")"), (day(),), "DATE")
    calls = (NamedAggregate("n", count), NamedAggregate("last", last))
    return Aggregate(relation, (key(),), calls)


def ranked(relation: Relation) -> Window:
    rank = Call("Rank", ("rank()",), (), "INT", False)
    order = (SortKey(day()),)
    return Window(relation, (key(),), order, (NamedWindow("r", WindowCall(rank, "")),))


_LATE = binary("LessThan", "<", ColumnRef("last", "DATE"), TODAY, "BOOLEAN")
VIEWS = {
    "filter": recent(),
    "twice": Filter(recent(), binary("LessThanOrEqual", "<=", day(), TODAY, "BOOLEAN")),
    "equality": Filter(events(), binary("EqualTo", "=", day(), TODAY, "BOOLEAN")),
    "aggregate": counted(recent()),
    "having": Filter(counted(events()), _LATE),
    "global": Aggregate(recent(), (), counted(recent()).calls),
    "inner": joined(JoinKind.INNER, recent(), recent("_2")),
    "above inner": Filter(
        joined(JoinKind.INNER, events(), events("_2")),
        binary("LessThan", "<", day("_2"), TODAY, "BOOLEAN"),
    ),
    "left": joined(JoinKind.LEFT, events(), recent("_2")),
    "full": joined(JoinKind.FULL, recent(), recent("_2")),
    "anti": joined(JoinKind.ANTI, events(), recent("_2")),
    "distinct": Distinct(recent()),
    "window": ranked(recent()),
    "top": TopK(recent(), (SortKey(day()), SortKey(key())), Literal("2", "INT"), None),
    **{name: Filter(events(), condition) for name, condition in RANGES.items()},
    "range of a projection": Filter(
        Project(events(), (Named("day", day()), Named("twice", key()))), SINCE
    ),
    "range of a join": Filter(joined(JoinKind.INNER, events(), events("_2")), RANGES["between"]),
    "union": Union(
        (recent(), Project(recent("_2"), (Named("a", key("_2")), Named("b", day("_2"))))),
        recent().columns,
    ),
}


def random_row(chance: Random) -> Row:
    return (chance.randint(1, 3), chance.choice([None, *DAYS]))


def reading(date: datetime.date) -> dict[str, str]:
    return {"CurrentDate": f"DATE '{date}'"}


@pytest.mark.parametrize("name", VIEWS)
def test_the_clock_goes_on(name: str) -> None:
    chance = Random(f"{SEED} {name}")
    for _ in range(6):
        rows = [random_row(chance) for _ in range(chance.randint(0, 9))]
        case = Case({"events": Table(events().columns, tuple(rows))}, VIEWS[name], ())
        view = Maintained(case, connection(), reading(chance.choice(DAYS)))
        for _ in range(4):
            batch = _batch(chance, rows) if chance.random() < 0.5 else ()
            ticks = chance.random() < 0.8
            view.refresh(batch, reading(chance.choice(DAYS)) if ticks else None)


def _batch(chance: Random, rows: list[Row]) -> tuple[Change, ...]:
    new = random_row(chance)
    batch = [Change("events", new, 1)]
    if rows:
        old = rows.pop(chance.randrange(len(rows)))
        batch.append(Change("events", old, -1))
    rows.append(new)
    return tuple(batch)


def test_only_what_enters_and_leaves_is_changed() -> None:
    rows: tuple[Row, ...] = tuple((number, date) for number, date in enumerate(DAYS))
    case = Case({"events": Table(events().columns, rows)}, recent(), ())
    view = Maintained(case, connection(), reading(DAYS[4]))
    assert view.refresh((), reading(DAYS[5])).delta == {rows[2]: -1}
    assert view.refresh((), reading(DAYS[3])).delta == {rows[1]: 1, rows[2]: 1}
    assert not view.refresh((), reading(DAYS[3])).delta


@pytest.mark.parametrize("name", RANGES)
def test_a_column_is_compared_within_a_range(name: str) -> None:
    """Nothing but comparisons of the column, so that files outside of the range are skipped."""
    filter = Filter(events(), RANGES[name])
    program = compile_delta(prepare(filter), {CLOCK})
    assert not program.reasons
    assert program.notes[filter].reads == (
        "before of events under day, for rows that enter or leave",
    )
    assert program.delta is not None
    conditions = [node.condition for node in walk(program.delta) if isinstance(node, Filter)]
    assert len(conditions) == 2
    texts = [show(condition) for condition in conditions]
    assert not any("IS NOT TRUE" in text for text in texts), texts


@pytest.mark.parametrize(
    "filter",
    [
        recent(),
        Filter(events(), compared("Or", "OR", SINCE, SOME)),
        Filter(events(), compared("And", "AND", UNTIL, compared("Or", "OR", SINCE, SOME))),
        Filter(joined(JoinKind.INNER, events(), events("_2")), SINCE),
        Filter(Project(events(), (Named("day", before_today(1)),)), SINCE),
    ],
)
def test_other_conditions_compare_all_rows_and_that_is_said(filter: Filter) -> None:
    program = compile_delta(prepare(filter), {CLOCK})
    assert [reason.code for reason in program.reasons] == [ReasonCode.NO_KEY]
    assert not compile_delta(prepare(filter), {"events"}).reasons


def test_rows_that_are_kept_are_compared_without_a_reason() -> None:
    past = compared("LessThan", "<", ColumnRef("last", "DATE"), TODAY)
    assert not compile_delta(prepare(Filter(counted(events()), past)), {CLOCK}).reasons


@pytest.mark.parametrize(
    ("relation", "is_so"),
    [
        (recent(), True),
        (counted(recent()), True),
        (Project(events(), (Named("now", TODAY),)), False),
        (Values((Column("v", "DATE"),), ((TODAY,),)), False),
        (Join(JoinKind.LEFT, events(), events("_2"), _LATE), False),
        (TableFunction("range(day(current_date()))", ("id",), (Column("n", "BIGINT"),)), False),
    ],
)
def test_where_the_clock_may_be_asked(relation: Relation, is_so: bool) -> None:
    assert is_only_filtered_by(relation) == is_so
