"""``d(R) = R(after) under K - R(before) under K``, K the values that a change concerns."""

from __future__ import annotations

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import binary, column, is_known
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Scan,
)
from rollview.algebra.traverse import walk
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from rollview.maintenance.program import RuleName
from tests.algebra.examples import EXAMPLES, ID, PEOPLE, TEAM, number, schema
from tests.maintenance.people import (
    ANN,
    BEN,
    CAT,
    EVE,
    hired,
    left,
    maintained,
    refresh,
    tables_read,
)
from tests.planning.views import explained

UP_TO_FOUR = EXAMPLES["recursion"]
ROOT, MEMBER = column("root", "INT"), column("member", "INT")
ROOT_1, MEMBER_1 = column("root_1", "INT"), column("member_1", "INT")
REPORT, BOSS = column("report", "INT"), column("boss", "INT")
REPORTS = Scan("people", ("id", "pay"), schema(REPORT, BOSS))
ROUND = RecursionInput("tree", ("root", "member"), schema(ROOT_1, MEMBER_1))
FIRST = Filter(PEOPLE, binary("LessThan", "<", ID, number(6), "BOOLEAN"))


def tree(kind: JoinKind = JoinKind.INNER, before: Relation = ROUND) -> Recursion:
    """Everybody with an id below six, and whoever is paid by the number of one reached already."""
    below = Join(kind, before, REPORTS, binary("EqualTo", "=", MEMBER_1, BOSS, "BOOLEAN"))
    anchor = Project(FIRST, (Named("first", ID), Named("too", ID)))
    step = Project(below, (Named("next_root", ROOT_1), Named("next", REPORT)))
    return Recursion("tree", anchor, step, schema(ROOT, MEMBER))


def counted(anchor: Relation) -> Recursion:
    """For every team of the anchor the numbers up to three: the step reads no table."""
    team, at = column("team_1", "STRING"), column("at", "INT")
    again = RecursionInput("counting", ("team", "n"), schema(team, at))
    few = Filter(again, binary("LessThan", "<", at, number(3), "BOOLEAN"))
    more = binary("Add", "+", at, number(1), "INT")
    step = Project(few, (Named("team_2", team), Named("more", more)))
    start = Project(anchor, (Named("team", TEAM), Named("n", number(1))))
    return Recursion("counting", start, step, schema(TEAM, column("n", "INT")))


def test_old_and_new_rows_are_compared() -> None:
    assert refresh(UP_TO_FOUR, left(CAT), hired((9, None, None, None))).delta == {
        (3,): -1,
        (4,): -1,
        (9,): 1,
    }


def test_it_is_said_that_this_is_not_incremental() -> None:
    program = refresh(UP_TO_FOUR, left(EVE)).program
    assert [reason.code for reason in program.reasons] == [ReasonCode.NO_RULE]
    assert program.notes[UP_TO_FOUR].rule is RuleName.RECOMPUTE


def test_only_the_roots_that_a_change_concerns_are_evaluated() -> None:
    program = compile_delta(prepare(tree()), {"people"})
    note = program.notes[tree()]
    assert note.rule is RuleName.PARTITIONS
    assert note.reads == ("changes of people", "state under root", "after of people, whole")
    (anchor,) = [step.relation for step in program.steps if step.name.startswith("anchor")]
    assert any(isinstance(n, Join) and n.kind is JoinKind.SEMI for n in walk(anchor)), "by key"
    assert [reason.code for reason in program.reasons] == [ReasonCode.NO_RULE]
    view = maintained(tree())
    ten, eleven, twelve = (10, "x", None, 3), (11, "y", None, 10), (12, "z", None, 11)
    for changes, delta in (
        (hired(ten), {(3, 10): 1}),
        (hired(twelve, (13, "w", None, 99)), {}),
        (hired(eleven), {(3, 11): 1, (3, 12): 1}),
        (left(ten) + hired((10, "x", None, 1)), {**_all(3, -1), **_all(1, 1)}),
        (left(ANN), {(1, 1): -1, **_all(1, -1)}),
        (hired(ANN, (14, "v", None, 12)), {(1, 1): 1, **_all(1, 1), (1, 14): 1}),
        (left(eleven, BEN), {(1, 11): -1, (1, 12): -1, (1, 14): -1, (2, 2): -1}),
    ):
        assert view.refresh(tuple(changes)).delta == delta, changes


def _all(root: int, weight: int) -> dict[tuple[object, ...], int]:
    return {(root, member): weight for member in (10, 11, 12)}


def test_a_change_that_concerns_no_root_evaluates_nothing() -> None:
    done = refresh(tree(), hired((13, "w", None, 99)))
    assert not done.delta
    assert not done.reasons
    assert not any(step.startswith("recursion") for step in done.steps)


def test_rows_without_a_match_are_handed_down_too() -> None:
    known = Filter(ROUND, is_known(MEMBER_1))  # or a row without a report would go on for ever
    view = maintained(tree(JoinKind.LEFT, known))
    assert view.view[(1, None)] == 1
    for changes in (hired((10, "x", None, 3)), left(CAT), hired(CAT) + left(BEN)):
        view.refresh(tuple(changes))


def test_a_step_without_tables_reads_the_anchor_under_keys_alone() -> None:
    program = compile_delta(prepare(counted(PEOPLE)), {"people"})
    assert not program.reasons
    view = maintained(counted(PEOPLE))
    assert view.refresh(tuple(left(CAT))).delta == {("b", n): -1 for n in (1, 2, 3)}
    assert view.refresh(tuple(hired(ANN))).delta == {("a", n): 1 for n in (1, 2, 3)}


def test_what_the_recursion_starts_from_keeps_its_own_state() -> None:
    teams = Distinct(Project(PEOPLE, (Named("team", TEAM),)))
    prepared = prepare(counted(teams))
    assert [type(kept.relation) for kept in prepared.kept] == [Aggregate, Recursion]
    assert not tables_read(compile_delta(prepared, {"people"}))
    view = maintained(counted(teams))
    assert not view.refresh(tuple(left(ANN))).delta
    assert view.refresh(tuple(left(BEN))).delta == {("a", n): -1 for n in (1, 2, 3)}
    rules = [(one.kind, one.rule) for one in explained(counted(teams)).operators]
    assert rules == [
        ("Recursion", RuleName.PARTITIONS),
        ("Project", RuleName.LINEAR),
        ("Distinct", RuleName.GROUPS),
        ("Project", RuleName.LINEAR),
        ("Scan", RuleName.CHANGES),
        ("Project", RuleName.PARTITIONS),
        ("Filter", RuleName.PARTITIONS),
        ("RecursionInput", RuleName.PARTITIONS),
    ]
