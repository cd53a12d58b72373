"""Joins by truth table: a term for every choice of changed inputs, partial results shared."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import Expression, binary, column
from rollview.algebra.relations import (
    After,
    Changes,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    Scan,
    Temporary,
    Union,
)
from rollview.algebra.schema import Column
from rollview.algebra.traverse import walk
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.program import Program, RuleName
from rollview.maintenance.signed import references
from rollview.maintenance.strategies import choose, prepared
from tests.algebra.examples import join
from tests.maintenance.people import (
    ALPHA,
    ANN,
    BEN,
    BETA,
    CAT,
    FAY,
    GAMMA,
    closed,
    founded,
    hired,
    left,
    maintained,
)

TABLE, TELESCOPED = choose("counting", join_terms="truth_table"), choose("counting")


def chain(inputs: int) -> Relation:
    """Tables t0, t1, ..., each joined with the next by a key."""

    def table(number: int) -> Scan:
        names = (f"k{number}", f"v{number}")
        return Scan(f"t{number}", names, tuple(Column(name, "INT", False) for name in names))

    def equal(number: int) -> Expression:
        before, here = (column(f"k{n}", "INT", nullable=False) for n in (number - 1, number))
        return binary("EqualTo", "=", before, here, "BOOLEAN")

    relation: Relation = table(0)
    for number in range(1, inputs):
        relation = Join(JoinKind.INNER, relation, table(number), equal(number))
    return relation


def compiled(inputs: int, changed: int) -> Program:
    return compile_delta(prepared(chain(inputs), TABLE), [f"t{n}" for n in range(changed)])


def terms(program: Program) -> list[Relation]:
    assert program.delta is not None
    return list(program.delta.inputs) if isinstance(program.delta, Union) else [program.delta]


@pytest.mark.parametrize(("inputs", "changed"), [(2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (4, 4)])
def test_there_is_a_term_for_every_row_of_the_table(inputs: int, changed: int) -> None:
    program = compiled(inputs, changed)
    assert len(terms(program)) == 2**changed - 1
    telescoped = compile_delta(
        prepared(chain(inputs), TELESCOPED), [f"t{n}" for n in range(changed)]
    )
    assert len(terms(telescoped)) == changed


def test_tables_that_changed_are_read_as_they_were() -> None:
    program = compiled(4, 3)
    read = [step.relation for step in program.steps] + terms(program)
    now = {n.source for relation in read for n in walk(relation) if isinstance(n, After)}
    assert now == {"t3"}


def joins(program: Program) -> int:
    read = [step.relation for step in program.steps] + terms(program)
    return sum(isinstance(node, Join) for relation in read for node in walk(relation))


@pytest.mark.parametrize("changed", [3, 4, 5])
def test_rows_that_begin_alike_share_what_they_have_in_common(changed: int) -> None:
    """Each row of the table by itself would take a join for every input but one."""
    program = compiled(changed, changed)
    alone = (2**changed - 1) * (changed - 1)
    assert joins(program) < alone
    reached = [step.name for step in program.steps if step.name.startswith("reached")]
    used = [
        node.name
        for relation in [*(step.relation for step in program.steps), *terms(program)]
        for node in walk(relation)
        if isinstance(node, Temporary)
    ]
    assert reached
    assert all(used.count(name) == 2 for name in reached)


def test_each_change_is_read_once() -> None:
    program = compiled(3, 3)
    read = [step.relation for step in program.steps] + terms(program)
    changes = [n.source for relation in read for n in walk(relation) if isinstance(n, Changes)]
    assert sorted(changes) == ["t0", "t1", "t2"]


def test_explain_names_the_terms() -> None:
    view = prepared(join(JoinKind.INNER), TABLE)
    assert compile_delta(view, ["people"]).notes[view.relation].rule is RuleName.TRUTH_TABLE
    view = prepared(join(JoinKind.INNER), TELESCOPED)
    assert compile_delta(view, ["people"]).notes[view.relation].rule is RuleName.TELESCOPED


BATCHES = (
    hired((7, "amy", "a", 1), FAY) + left(BEN) + founded(("c", "Other"), BETA) + closed(ALPHA),
    left(CAT, ANN) + closed(BETA, GAMMA) + founded(ALPHA) + hired(BEN, BEN),
)


@pytest.mark.parametrize("kind", [JoinKind.INNER, JoinKind.CROSS, JoinKind.LEFT, JoinKind.FULL])
def test_both_kinds_of_terms_give_the_same(kind: JoinKind) -> None:
    """All signs meet: what comes meets what comes, what goes, and what goes meets what goes."""
    found = []
    for way in (TABLE, TELESCOPED):
        view = maintained(join(kind), way)
        found.append([view.refresh(tuple(changes)).delta for changes in BATCHES])
    assert found[0] == found[1]
    assert all(found[0])


def test_a_self_join_has_a_change_on_both_sides() -> None:
    people = join(JoinKind.INNER).left
    renamed = Project(people, tuple(Named(f"{r.name}_2", r) for r in references(people.columns)))
    same = binary("EqualTo", "=", column("team", "STRING"), column("team_2", "STRING"), "BOOLEAN")
    view = maintained(Join(JoinKind.INNER, people, renamed, same), TABLE)
    done = view.refresh(tuple(hired((7, "amy", "b", 1)) + left(ANN)))
    assert done.delta[(*CAT, 7, "amy", "b", 1)] == 1
    assert done.delta[(7, "amy", "b", 1, 7, "amy", "b", 1)] == 1
    assert done.delta[(*ANN, *ANN)] == -1
