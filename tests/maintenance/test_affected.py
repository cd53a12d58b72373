"""Only what a change concerns is evaluated: the groups, the partitions, and one term per input."""

from __future__ import annotations

from itertools import combinations

import pytest

from rollview.algebra.expressions import AggregateCall, Call, WindowCall, column
from rollview.algebra.relations import (
    Aggregate,
    Changes,
    Join,
    JoinKind,
    NamedAggregate,
    NamedWindow,
    Relation,
    Scan,
    Union,
    Window,
)
from rollview.algebra.schema import Column
from rollview.algebra.traverse import walk
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from rollview.maintenance.program import Note, Program
from tests.algebra.examples import ID, NAME, PAY, PEOPLE, TEAM, ascending, keep
from tests.maintenance.people import ANN, BEN, CAT, FAY, connection, hired, left, refresh
from tests.properties.cases import Change, Row
from tests.properties.scalars import equal, ref

MEDIAN = AggregateCall("Median", ("median(", ")"), (PAY,), "DOUBLE")
DISTINCT = AggregateCall("Count", ("count(DISTINCT ", ")"), (PAY,), "BIGINT", False, distinct=True)
LEAST = AggregateCall("Min", ("min(", ")"), (PAY,), "INT")
FLOATS = AggregateCall(
    "Sum", ("sum(", ")"), (Call("Cast", ("CAST(", " AS DOUBLE)"), (PAY,), "DOUBLE"),), "DOUBLE"
)
# Evaluated in every changed group; and in those that may have lost what their value rests on.
ALWAYS = {"median": MEDIAN, "distinct": DISTINCT}
AFTER_A_LOSS = {"min": LEAST, "floating sum": FLOATS}


def by_team(call: AggregateCall) -> Aggregate:
    return Aggregate(PEOPLE, (TEAM,), (NamedAggregate("value", call),))


def evaluated(view: Relation, step: str, *changes: list[Change]) -> list[Row]:
    """The groups in the first step of a name, of a refresh that is checked as all others are."""
    done = refresh(view, *changes)
    assert f"{step}_1" in done.steps, done.steps
    return connection().execute(f"SELECT team FROM step_{step}_1 ORDER BY ALL").fetchall()


def note_of(view: Relation) -> Note:
    prepared = prepare(view)
    return compile_delta(prepared, {"people"}).notes[prepared.speaker(view)]


@pytest.mark.parametrize("name", ALWAYS)
def test_functions_without_an_inverse_are_evaluated_in_changed_groups_alone(name: str) -> None:
    view = by_team(ALWAYS[name])
    assert evaluated(view, "groups", left(ANN)) == [("a",)]
    assert evaluated(view, "groups", left(CAT), hired(FAY)) == [("c",)]
    assert note_of(view).reads == ("state under team", "after of people under team")


@pytest.mark.parametrize("name", AFTER_A_LOSS)
def test_what_lost_its_value_is_evaluated_in_its_group_alone(name: str) -> None:
    view = by_team(AFTER_A_LOSS[name])
    found = evaluated(view, "anew", left(BEN), hired(FAY, (9, "gus", "b", 5)))
    assert found == [("a",)], "b and c go on from what is added"


RANK = NamedWindow("place", WindowCall(Call("Rank", ("rank()",), (), "INT", False), ""))
PLACES = Window(PEOPLE, (TEAM,), (ascending(PAY),), (RANK,))


def test_windows_are_evaluated_in_changed_partitions_alone() -> None:
    done = refresh(PLACES, left(ANN), hired(FAY))
    keys = connection().execute("FROM step_keys_1 ORDER BY ALL").fetchall()
    assert keys == [("a",), ("c",)]
    assert not done.program.blames
    reads = note_of(PLACES).reads
    assert reads
    assert all(text.endswith("under team") for text in reads), reads


def test_a_group_above_a_group_is_found_by_its_own_key() -> None:
    """The most that any team pays for one name: groups of groups."""
    inner = Aggregate(PEOPLE, (TEAM, NAME), (NamedAggregate("least", LEAST),))
    most = AggregateCall("Max", ("max(", ")"), (column("least", "INT"),), "INT")
    view = Aggregate(inner, (TEAM,), (NamedAggregate("most", most),))
    done = refresh(view, left(ANN))
    assert done.delta == {("a", 100): -1, ("a", 40): 1}
    assert not done.program.blames


def table(number: int) -> Scan:
    return Scan(f"t{number}", ("k",), (Column(f"k{number}", "INT"),))


def chain(inputs: int) -> Relation:
    """So many tables, each joined to the one before it."""
    made: Relation = table(0)
    for number in range(1, inputs):
        other = table(number)
        on = equal(ref(made.columns[-1]), ref(other.columns[0]))
        made = Join(JoinKind.INNER, made, other, on)
    return made


def terms(program: Program) -> int:
    """How many joins are added up."""
    assert program.delta is not None
    tops = [n for n in walk(program.delta) if isinstance(n, Union)]
    assert len(tops) <= 1
    return len(tops[0].inputs) if tops else 1


@pytest.mark.parametrize("inputs", [2, 3, 5])
def test_as_many_terms_as_inputs_changed(inputs: int) -> None:
    prepared = prepare(chain(inputs))
    names = [f"t{number}" for number in range(inputs)]
    for many in range(1, inputs + 1):
        for changed in combinations(names, many):
            program = compile_delta(prepared, changed)
            assert terms(program) == many, changed
            steps = [step.relation for step in program.steps]
            read = [n for r in (*steps, program.delta) for n in walk(r) if isinstance(n, Changes)]
            assert sorted(node.source for node in read) == sorted(changed)


def test_a_table_that_is_joined_to_itself_has_a_term_for_each_place() -> None:
    other = Scan("people", ("id", "team"), (Column("id_2", "INT"), Column("team_2", "STRING")))
    twice = Join(
        JoinKind.INNER, keep(PEOPLE, ID, TEAM), other, equal(TEAM, column("team_2", "STRING"))
    )
    assert terms(compile_delta(prepare(twice), {"people"})) == 2
