"""Programs stay small: steps grow with the view, not with the ways through it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    Literal,
    SortKey,
    WindowCall,
    binary,
)
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    SingleRow,
    TopK,
    Union,
    Window,
)
from rollview.algebra.schema import Column
from rollview.algebra.traverse import walk
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from rollview.maintenance.program import Program
from tests.properties.growth import keep
from tests.properties.scalars import cast, equal, ref

TABLES = ("t0", "t1", "t2")
Level = Callable[[Relation, int], Relation]


def scan(number: int) -> Scan:
    """A table under names of its own."""
    columns = (Column(f"k{number}", "INT"), Column(f"v{number}", "INT"))
    return Scan(TABLES[number % 3], ("k", "v"), columns)


def joined(kind: JoinKind, below: Relation, number: int) -> Relation:
    other = scan(number)
    return Join(kind, below, other, equal(ref(below.columns[0]), ref(other.columns[0])))


def joined_from_right(kind: JoinKind, below: Relation, number: int) -> Relation:
    other = scan(number)
    condition = equal(ref(other.columns[0]), ref(below.columns[0]))
    return two_columns(Join(kind, other, below, condition))


def two_columns(relation: Relation) -> Relation:
    return keep(relation, (relation.columns[0], relation.columns[-1]))


def grouped(name: str, below: Relation, number: int) -> Relation:
    """An aggregate, brought back to two integers."""
    kind = {"sum": "Sum", "max": "Max", "bit_xor": "BitXorAgg"}[name]
    group, value = (ref(c) for c in (below.columns[0], below.columns[-1]))
    type = "BIGINT" if name == "sum" else "INT"
    call = AggregateCall(kind, (f"{name}(", ")"), (value,), type)
    made = Aggregate(below, (group,), (NamedAggregate(f"a{number}", call),))
    items = (Named(f"g{number}", group), Named(f"i{number}", cast(ref(made.columns[1]), "INT")))
    return Project(made, items)


def windowed(below: Relation, number: int) -> Relation:
    rank = NamedWindow(f"w{number}", WindowCall(Call("Rank", ("rank()",), (), "INT", False), ""))
    first, last = (ref(c) for c in (below.columns[0], below.columns[-1]))
    return two_columns(Window(below, (first,), (SortKey(last),), (rank,)))


def compared_with_scalar(below: Relation, number: int) -> Relation:
    other = scan(number)
    call = AggregateCall("Max", ("max(", ")"), (ref(other.columns[1]),), "INT")
    largest = Aggregate(other, (), (NamedAggregate(f"m{number}", call),))
    scalar = SingleRow(largest, f"s{number}")
    less = binary("LessThan", "<", ref(below.columns[1]), ref(scalar.columns[0]), "BOOLEAN")
    return keep(Filter(Join(JoinKind.CROSS, below, scalar), less), below.columns)


def combined(kind: SetKind, every: bool) -> Level:
    return lambda below, n: SetOperation(kind, every, below, scan(n), below.columns)


def first_three(below: Relation, number: int) -> Relation:
    order = tuple(SortKey(ref(c)) for c in below.columns)
    return TopK(below, order, Literal("3", "INT"), None)


def on_top(one: Level, two: Level) -> Level:
    return lambda below, n: two(one(below, n), n + 1000)


LEVELS: dict[str, Level] = {
    **{
        f"{kind.value} join": lambda below, n, kind=kind: joined(kind, below, n)
        for kind in JoinKind
        if kind not in (JoinKind.CROSS, JoinKind.EXISTENCE, JoinKind.SINGLE)
    },
    **{
        f"{kind.value} join from the right": lambda below, n, kind=kind: joined_from_right(
            kind, below, n
        )
        for kind in (JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL, JoinKind.ANTI)
    },
    **{
        name: lambda below, n, name=name: grouped(name, below, n)
        for name in ("sum", "max", "bit_xor")
    },
    "window": windowed,
    "window and full join": on_top(
        windowed, lambda below, n: two_columns(joined(JoinKind.FULL, below, n))
    ),
    "max and left join": on_top(
        lambda below, n: grouped("max", below, n),
        lambda below, n: two_columns(joined(JoinKind.LEFT, below, n)),
    ),
    "union and full join": on_top(
        lambda below, n: Union((below, scan(n)), below.columns),
        lambda below, n: two_columns(joined(JoinKind.FULL, below, n)),
    ),
    "except": combined(SetKind.EXCEPT, every=False),
    "intersect all": combined(SetKind.INTERSECT, every=True),
    "scalar subquery": compared_with_scalar,
    "top-k": first_three,
}


def compiled(level: Level, depth: int) -> Program:
    relation: Relation = scan(0)
    for number in range(1, depth + 1):
        relation = level(relation, number)
    return compile_delta(prepare(relation), TABLES)


def nodes(program: Program) -> int:
    relations = [step.relation for step in program.steps]
    relations += [r for r in (program.delta, *program.states.values()) if r is not None]
    return sum(1 for relation in relations for _ in walk(relation))


# Joined by the side that may be NULL, every level finds the keys of the next one first.
LEADING_THROUGH_LEVELS = "right join from the right"


@pytest.mark.parametrize("name", [n for n in LEVELS if n != LEADING_THROUGH_LEVELS])
def test_steps_grow_with_the_depth_of_a_view(name: str) -> None:
    three, six, nine = (len(compiled(LEVELS[name], depth).steps) for depth in (3, 6, 9))
    assert nine - six <= six - three + 2, (three, six, nine)


def test_steps_that_lead_through_levels_grow_with_the_square_of_the_depth() -> None:
    level = LEVELS[LEADING_THROUGH_LEVELS]
    four, eight = (len(compiled(level, depth).steps) for depth in (4, 8))
    assert eight <= 5 * four, (four, eight)


@pytest.mark.parametrize("name", LEVELS)
def test_nodes_do_not_double_with_every_level(name: str) -> None:
    """Every changed input is joined with all others, so a power of the depth is what it takes."""
    four, eight = (nodes(compiled(LEVELS[name], depth)) for depth in (4, 8))
    assert eight <= 10 * four, (four, eight)


def test_one_changed_input_of_many_gives_one_term() -> None:
    relation: Relation = Scan("other", ("k", "v"), (Column("k", "INT"), Column("v", "INT")))
    for number in range(1, 9):
        relation = joined(JoinKind.INNER, relation, number)
    program = compile_delta(prepare(relation), ["other"])
    assert nodes(program) <= 3 * sum(1 for _ in walk(relation))


def test_nothing_is_derived_from_sources_that_did_not_change() -> None:
    relation = joined(JoinKind.LEFT, grouped("max", scan(0), 0), 1)
    program = compile_delta(prepare(relation), ["another"])
    assert program.delta is None
    assert not program.steps
    assert not program.states
