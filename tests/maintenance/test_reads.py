"""What a program reads of tables, found in the program itself and not in what it says of itself.

A refresh is called incremental if nothing is blamed. Then every table that is read has to stand
beside something small, by an equality: the change, keys, or rows that these have led to.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rollview.algebra.expressions import Call, Expression, Literal, WindowCall, conjuncts
from rollview.algebra.relations import (
    After,
    Before,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedWindow,
    Project,
    Relation,
    Scan,
    Temporary,
    Union,
    Window,
)
from rollview.algebra.traverse import column_names, inputs, walk
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.emptiness import emptied, without_empty
from rollview.maintenance.prepare import prepare
from rollview.maintenance.program import Program
from tests.algebra.examples import (
    DEFINITIONS,
    NAME,
    PAY,
    PEOPLE,
    TEAM,
    TEAMS,
    TITLE,
    ascending,
    join,
    keep,
)
from tests.properties.run import numbered_case
from tests.properties.scalars import cast
from tests.properties.seed import SEED

CASES = 400
FEW = Temporary("few", TEAMS.columns)
MANY = After("people", PEOPLE.fields, PEOPLE.columns)


def leads(condition: Expression | None, left: Relation, right: Relation) -> bool:
    """Whether a value of one input is compared with one of the other."""
    one, two = ({c.name for c in side.columns} for side in (left, right))
    for part in conjuncts(condition):
        if not isinstance(part, Call) or part.kind not in ("EqualTo", "EqualNullSafe"):
            continue
        first, second = (column_names(arg) for arg in part.args)
        if not (first and second):
            continue
        if (first <= one and second <= two) or (first <= two and second <= one):
            return True
    return False


def is_table(relation: Relation) -> bool:
    """A table with at most filters and projections: Spark looks for the keys while it reads it."""
    if isinstance(relation, Project | Filter):
        return is_table(relation.child)
    return isinstance(relation, After | Before)


def whole_reads(relation: Relation) -> list[Relation]:
    """The tables in a relation that nothing small leads to."""
    if isinstance(relation, After | Before):
        return [relation]
    below = [whole_reads(child) for child in inputs(relation)]
    if isinstance(relation, Join) and leads(relation.condition, relation.left, relation.right):
        left, right = below
        by_left = relation.kind is JoinKind.INNER and not left and is_table(relation.right)
        by_right = relation.kind in (JoinKind.INNER, JoinKind.SEMI) and not right
        if by_left or (by_right and is_table(relation.left)):
            return []
    return [table for some in below for table in some]


def compiled(relation: Relation) -> Program:
    """The program for changes of everything that the relation reads."""
    read = {node.source for node in walk(relation) if isinstance(node, Scan)}
    return compile_delta(prepare(relation), read)


def evaluated(program: Program) -> Iterator[Relation]:
    """What a refresh evaluates in which none of the steps that something is blamed on has rows."""
    blamed = frozenset(blame.step for blame in program.blames if blame.step is not None)
    empty = emptied([(step.name, step.relation) for step in program.steps], blamed)
    results = [*program.states.values(), *([] if program.delta is None else [program.delta])]
    for relation in (*(s.relation for s in program.steps if s.name not in empty), *results):
        yield without_empty(relation, empty)


def is_read_by_key(relation: Relation) -> bool | None:
    """Whether tables are read by key; None if it is said that every refresh reads one whole."""
    program = compiled(relation)
    if program.reasons:
        return None
    return not any(whole_reads(one) for one in evaluated(program))


@pytest.mark.parametrize("name", DEFINITIONS)
def test_examples_read_tables_by_key_or_say_that_they_do_not(name: str) -> None:
    assert is_read_by_key(DEFINITIONS[name]) is not False


def test_generated_views_read_tables_by_key_or_say_that_they_do_not() -> None:
    found = {}
    for number in range(CASES):
        relation = numbered_case(SEED, number).relation
        found[number] = is_read_by_key(relation)
    wrong = [number for number, by_key in found.items() if by_key is False]
    assert not wrong, f"ROLLVIEW_SEED={SEED}, cases {wrong}"
    assert sum(by_key is True for by_key in found.values()) > CASES / 4


ONE_PARTITION = Window(
    PEOPLE,
    (Literal("1", "INT"),),
    tuple(ascending(one) for one in (PAY, NAME)),
    (NamedWindow("place", WindowCall(Call("Rank", ("rank()",), (), "INT", False), "")),),
)
NOTHING = cast(Literal("NULL", "VOID", True), "STRING")
UNTITLED = Project(PEOPLE, (Named("title", NOTHING),))
NAMED = keep(TEAMS, TITLE)
BY_TITLE = Window(Union((NAMED, UNTITLED), NAMED.columns), (TITLE,), (), ONE_PARTITION.calls)


@pytest.mark.parametrize("view", [ONE_PARTITION, BY_TITLE], ids=["partition", "union"])
def test_constants_are_no_keys(view: Relation) -> None:
    assert is_read_by_key(view) is not False


def test_a_table_that_nothing_leads_to_is_seen() -> None:
    same = join(JoinKind.INNER).condition
    assert whole_reads(Join(JoinKind.INNER, MANY, FEW, same)) == []
    assert whole_reads(Join(JoinKind.SEMI, MANY, FEW, same)) == []
    assert whole_reads(Join(JoinKind.CROSS, MANY, FEW)) == [MANY]
    assert whole_reads(Join(JoinKind.ANTI, MANY, FEW, same)) == [MANY]
    by_team = Window(MANY, (TEAM,), (), ONE_PARTITION.calls)
    assert whole_reads(Join(JoinKind.SEMI, by_team, FEW, same)) == [MANY]
    assert is_read_by_key(join(JoinKind.CROSS)) is None
