"""One small, runnable example of every relation, by hand.

Over ``people`` (id, name, team, pay) and ``teams`` (code, title); expected rows stand in
tests/sql, which runs them on DuckDB. A relation that only programs have stands for the changes of
``people``, for its rows before or after, or for rows that something else has kept.
"""

from __future__ import annotations

import typing

from rollview.algebra import relations
from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Literal,
    SortKey,
    WindowCall,
    binary,
    column,
    function,
)
from rollview.algebra.relations import (
    After,
    Aggregate,
    Before,
    Changes,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    SingleRow,
    Sort,
    State,
    TableFunction,
    Temporary,
    TopK,
    Union,
    Values,
    Window,
)
from rollview.algebra.schema import Column
from rollview.algebra.traverse import walk

ID = column("id", "INT", nullable=False)
NAME = column("name", "STRING")
TEAM = column("team", "STRING")
PAY = column("pay", "INT")
CODE = column("code", "STRING")
TITLE = column("title", "STRING")


def number(value: int) -> Literal:
    return Literal(str(value), "INT")


def schema(*references: ColumnRef) -> tuple[Column, ...]:
    return tuple(Column(r.name, r.type, r.nullable) for r in references)


def keep(relation: Relation, *references: ColumnRef) -> Project:
    """The relation cut down to some of its columns."""
    return Project(relation, tuple(Named(r.name, r) for r in references))


def ascending(reference: ColumnRef) -> SortKey:
    return SortKey(reference, ascending=True, nulls_first=True)


def total(reference: ColumnRef, name: str, **more: typing.Any) -> NamedAggregate:
    call = AggregateCall("Sum", ("sum(", ")"), (reference,), "BIGINT", **more)
    return NamedAggregate(name, call)


PEOPLE = Scan("people", ("id", "name", "team", "pay"), schema(ID, NAME, TEAM, PAY))
TEAMS = Scan("teams", ("code", "title"), schema(CODE, TITLE))
SAME_TEAM = binary("EqualTo", "=", TEAM, CODE, "BOOLEAN")
RICH = binary("GreaterThan", ">", PAY, number(50), "BOOLEAN")
COUNTER = column("i", "INT")
WEIGHT = column("__weight", "BIGINT", nullable=False)
TOTAL = column("total", "BIGINT")


def join(kind: JoinKind) -> Join:
    condition = None if kind is JoinKind.CROSS else SAME_TEAM
    flag = "has_team" if kind is JoinKind.EXISTENCE else None
    return Join(kind, PEOPLE, TEAMS, condition, flag)


def set_operation(kind: SetKind, all: bool) -> SetOperation:
    known = keep(TEAMS, CODE)
    return SetOperation(kind, all, keep(PEOPLE, TEAM), known, schema(column("either", "STRING")))


def counting(anchor: Relation) -> Recursion:
    """Every number of the anchor, and all after it up to four."""
    few = binary("LessThan", "<", COUNTER, number(4), "BOOLEAN")
    step = Project(
        Filter(RecursionInput("counting", ("i",), schema(COUNTER)), few),
        (Named("next", binary("Add", "+", COUNTER, number(1), "INT")),),
    )
    return Recursion("counting", anchor, step, schema(COUNTER))


def running(*partition: ColumnRef) -> Project:
    call = WindowCall(
        AggregateCall("Sum", ("sum(", ")"), (PAY,), "BIGINT"),
        "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    )
    window = Window(PEOPLE, partition, (ascending(ID),), (NamedWindow("running", call),))
    return keep(window, ID, column("running", "BIGINT"))


def cheapest() -> Filter:
    """The first two of every team by pay."""
    rank = WindowCall(Call("Rank", ("rank()",), (), "INT", False), "")
    window = Window(PEOPLE, (TEAM,), (ascending(PAY),), (NamedWindow("nth", rank),))
    nth = column("nth", "INT", nullable=False)
    return Filter(window, binary("LessThanOrEqual", "<=", nth, number(2), "BOOLEAN"))


def mixed(reference: ColumnRef) -> NamedAggregate:
    """A call without an inverse."""
    return NamedAggregate(
        "mixed", AggregateCall("Median", ("median(", ")"), (reference,), "DOUBLE")
    )


def richest(limit: int, offset: Literal | None = None) -> Project:
    order = (SortKey(PAY, False, False), ascending(ID))
    return keep(TopK(PEOPLE, order, number(limit), offset), ID)


EXAMPLES: dict[str, Relation] = {
    "scan": PEOPLE,
    "values": Values(schema(ID, NAME), ((number(1), Literal("'x'", "STRING")),)),
    "table_function": TableFunction("range(3)", ("id",), schema(column("n", "BIGINT"))),
    "project": Project(PEOPLE, (Named("id", ID), Named("more", function("abs", PAY, type="INT")))),
    "filter": keep(Filter(PEOPLE, RICH), ID),
    "filter_rank": cheapest(),
    **{f"join_{kind.value}": join(kind) for kind in JoinKind},
    "aggregate": Aggregate(PEOPLE, (TEAM,), (total(PAY, "total"), total(PAY, "rich", filter=RICH))),
    "aggregate_global": Aggregate(PEOPLE, (), (total(PAY, "total"),)),
    "aggregate_without_inverse": Aggregate(PEOPLE, (), (mixed(PAY),)),
    "distinct": Distinct(keep(PEOPLE, TEAM)),
    "union": Union((keep(PEOPLE, TEAM), keep(TEAMS, CODE)), schema(column("either", "STRING"))),
    "intersect": set_operation(SetKind.INTERSECT, all=False),
    "intersect_all": set_operation(SetKind.INTERSECT, all=True),
    "except": set_operation(SetKind.EXCEPT, all=False),
    "except_all": set_operation(SetKind.EXCEPT, all=True),
    "window": running(TEAM),
    "window_global": running(),
    "expand": Expand(
        PEOPLE,
        ((ID, TEAM), (ID, Literal("CAST(NULL AS STRING)", "STRING", nullable=True))),
        schema(column("key", "INT"), column("grouped", "STRING")),
    ),
    "generate": keep(
        Generate(
            PEOPLE,
            Call(
                "Explode", ("explode(", ")"), (function("array", ID, PAY, type="ARRAY<INT>"),), ""
            ),
            outer=False,
            produced=schema(column("item", "INT")),
        ),
        ID,
        column("item", "INT"),
    ),
    "sort": keep(Sort(PEOPLE, (ascending(PAY),)), ID),
    "top_k": richest(2),
    "top_k_offset": richest(2, number(1)),
    "single_row": SingleRow(Aggregate(PEOPLE, (), (total(PAY, "total"),)), "answer"),
    "recursion": counting(keep(PEOPLE, ID)),
    "recursion_constant": counting(Values(schema(column("first", "INT")), ((number(1),),))),
    "changes": Changes(
        "people", ("id", "name", "team", "pay", "__weight"), schema(ID, NAME, TEAM, PAY, WEIGHT)
    ),
    "before": Before("people", ("id", "name", "team", "pay"), schema(ID, NAME, TEAM, PAY)),
    "after": After("people", ("id", "name", "team", "pay"), schema(ID, NAME, TEAM, PAY)),
    "state": State("aggregate_1", schema(TEAM, TOTAL)),
    "temporary": Temporary("keys_1", schema(TEAM)),
}

LEAVES = {
    "people": "people",
    "teams": "teams",
    "changes people": "changes_people",
    "before people": "before_people",
    "after people": "after_people",
    "state aggregate_1": "state_aggregate_1",
    "temporary keys_1": "keys_1",
}
"""What stands for every leaf of the examples."""

PROGRAM_LEAVES = (Changes, Before, After, State, Temporary)
"""Relations that programs have and definitions have not."""

DEFINITIONS = {
    name: relation
    for name, relation in EXAMPLES.items()
    if not any(isinstance(node, PROGRAM_LEAVES) for node in walk(relation))
}
"""The examples that can be the relation of a definition."""


def relation_classes() -> list[type]:
    """Every class that the algebra calls a relation."""
    return list(typing.get_args(relations.Relation))
