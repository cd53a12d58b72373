"""Joins along foreign keys: which tables are read for which changes, and what breaks them."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import is_known, same
from rollview.algebra.relations import Distinct, Filter, Join, JoinKind, Relation
from rollview.analysis.constraints import Constraints, ForeignKey, Key
from rollview.maintenance.compiler import compile_delta, made_use_of
from rollview.maintenance.prepare import prepare
from rollview.maintenance.relevant import relevant_changes
from rollview.maintenance.strategies import choose, prepared
from tests.algebra.examples import (
    CODE,
    ID,
    PEOPLE,
    RICH,
    SAME_TEAM,
    TEAM,
    TEAMS,
    TITLE,
    join,
    keep,
)
from tests.maintenance.people import (
    ALPHA,
    ANN,
    BEN,
    BETA,
    CAT,
    DAN,
    FAY,
    GAMMA,
    closed,
    connection,
    founded,
    hired,
    left,
)
from tests.properties.cases import Case, Change, Table
from tests.properties.maintained import Maintained, Refresh

MEMBER = ForeignKey("people", ("team",), "teams", ("code",))
TRUSTED = ForeignKey("people", ("team",), "teams", ("code",), rely=True)
ROWS = {
    "people": Table(PEOPLE.columns, (ANN, BEN, CAT, DAN)),
    "teams": Table(TEAMS.columns, (ALPHA, BETA, GAMMA)),
}
ALONG = (JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL, JoinKind.SEMI, JoinKind.ANTI)
NEW, NEWCOMER = ("n", "New"), (7, "gil", "n", 1)
RENAMED = ("a", "Omega")


def view(relation: Relation, *declared: ForeignKey | Key, breaks: bool = False) -> Maintained:
    case = Case(ROWS, relation, (), Constraints(declared), breaks)
    return Maintained(case, connection())


def refresh(relation: Relation, *changes: list[Change]) -> Refresh:
    """With the foreign key checked and trusted: both find the same."""
    batch = tuple(change for some in changes for change in some)
    checked = view(relation, MEMBER).refresh(batch)
    trusted = view(relation, TRUSTED).refresh(batch)
    assert checked.delta == trusted.delta
    assert len(trusted.steps) < len(checked.steps)
    return trusted


def reads_people(done: Refresh) -> bool:
    """Whether people are read as they were: that hangs on changes of parents that stay."""
    steps = [s.name for s in done.program.steps if s.name.startswith(("stayed", "regained"))]
    assert steps, "no foreign key was made use of"
    return any(connection().execute(f"FROM step_{name}").fetchall() for name in steps)


@pytest.mark.parametrize("kind", ALONG)
def test_new_and_gone_parents_do_not_read_the_children(kind: JoinKind) -> None:
    done = refresh(join(kind), founded(NEW), hired(NEWCOMER), left(CAT), closed(BETA))
    assert done.program.relies == (TRUSTED,)
    assert not reads_people(done)


@pytest.mark.parametrize("kind", ALONG)
def test_a_parent_that_stays_does_if_it_is_shown(kind: JoinKind) -> None:
    done = refresh(join(kind), closed(ALPHA), founded(RENAMED))
    assert reads_people(done) == (kind not in (JoinKind.SEMI, JoinKind.ANTI))


def test_what_a_new_and_a_gone_parent_do() -> None:
    done = refresh(
        join(JoinKind.INNER), founded(NEW), hired(NEWCOMER, FAY), left(CAT), closed(BETA)
    )
    assert done.delta == {(*NEWCOMER, *NEW): 1, (*FAY, *GAMMA): 1, (*CAT, *BETA): -1}


def test_a_row_that_leaves_a_filter_is_not_gone() -> None:
    titled = Filter(TEAMS, is_known(TITLE))
    both = Join(JoinKind.INNER, PEOPLE, titled, SAME_TEAM)
    done = refresh(both, closed(ALPHA), founded(("a", None)))
    assert done.delta == {(*ANN, *ALPHA): -1, (*BEN, *ALPHA): -1}


def test_a_row_that_enters_a_filter_is_not_new() -> None:
    titled = Filter(TEAMS, is_known(TITLE))
    both = Join(JoinKind.INNER, PEOPLE, titled, SAME_TEAM)
    kept = view(both, TRUSTED)
    kept.refresh(tuple(hired(FAY)))
    done = kept.refresh(tuple(closed(GAMMA) + founded(("c", "Gamma"))))
    assert done.delta == {(*FAY, "c", "Gamma"): 1}


def test_an_equality_that_finds_nulls_is_not_along_the_key() -> None:
    found = same(TEAM, CODE)
    assert found.kind == "EqualNullSafe"
    both = Join(JoinKind.INNER, PEOPLE, TEAMS, found)
    assert not made_use_of(both, Constraints((MEMBER,)), ("people", "teams"))


def test_only_what_is_made_use_of_is_checked() -> None:
    declared = Constraints((MEMBER, Key("people", ("id",))))
    assert made_use_of(join(JoinKind.INNER), declared, ROWS).all == (MEMBER,)
    twice = Distinct(keep(PEOPLE, ID, TEAM))
    assert made_use_of(twice, declared, ROWS).all == (Key("people", ("id",)),)


def test_rows_that_a_key_tells_apart_are_not_counted() -> None:
    twice = Distinct(keep(PEOPLE, ID, TEAM))
    declared = Constraints((Key("people", ("id",)),))
    assert prepare(twice).kept
    assert not prepare(twice, constraints=declared).kept
    done = view(twice, *declared.all).refresh(tuple(hired(FAY) + left(ANN)))
    assert done.delta == {(6, "c"): 1, (1, "a"): -1}


TABLE = choose("counting", join_terms="truth_table")


def test_rows_of_the_truth_table_make_no_use_of_foreign_keys() -> None:
    declared = Constraints((MEMBER,))
    assert not made_use_of(join(JoinKind.INNER), declared, ROWS, TABLE)
    assert made_use_of(join(JoinKind.SEMI), declared, ROWS, TABLE) == declared


@pytest.mark.parametrize("strategy", ["algebraic", "change_table"])
def test_other_strategies_make_no_use_of_what_is_declared(strategy: str) -> None:
    way, declared = choose(strategy), Constraints((MEMBER, Key("people", ("id",))))
    for relation in (Distinct(keep(PEOPLE, ID, TEAM)), join(JoinKind.LEFT)):
        assert not made_use_of(relation, declared, ROWS, way)
        form = prepared(relation, way, constraints=declared)
        assert form == prepared(relation, way)
        assert not compile_delta(form, ROWS).checks


BROKEN = {
    "a child without a parent": hired(NEWCOMER),
    "a parent that goes and leaves children": closed(ALPHA),
    "two parents with one key": founded(("b", "Other")),
}


@pytest.mark.parametrize("change", BROKEN)
def test_what_is_broken_is_said_and_the_view_is_right(change: str) -> None:
    kept = view(join(JoinKind.INNER), MEMBER, breaks=True)
    kept.refresh(tuple(BROKEN[change]))
    assert kept.violations == 1
    kept.refresh(tuple(founded(NEW) + closed(GAMMA)))
    assert kept.violations == 1, "it is not made use of any more"


RICH_MEMBERS = Join(JoinKind.INNER, Filter(PEOPLE, RICH), TEAMS, SAME_TEAM)


def test_a_row_that_cannot_matter_to_the_view_breaks_what_is_declared_all_the_same() -> None:
    kept = view(RICH_MEMBERS, MEMBER, breaks=True)
    poor = (8, "hal", "nowhere", 1)
    done = kept.refresh(tuple(hired(poor)))
    assert kept.violations == 1
    assert not any(done.delta.values())


def test_changes_of_declared_tables_are_handed_over_whole() -> None:
    """Of a trusted foreign key those of the parent: what became of its keys is seen in them."""
    found = {}
    for declared in ((MEMBER,), (TRUSTED,), (Key("people", ("id",), rely=True),), ()):
        form = prepare(RICH_MEMBERS, constraints=Constraints(declared))
        found[declared] = relevant_changes(form).whole
    assert list(found.values()) == [{"people", "teams"}, {"teams"}, set(), set()]
    whole = relevant_changes(prepare(RICH_MEMBERS, constraints=Constraints((MEMBER,))))
    assert whole.of_source("people") is None
    assert relevant_changes(prepare(RICH_MEMBERS)).of_source("people") is not None


def test_a_child_alone_is_checked_although_the_parent_did_not_change() -> None:
    program = compile_delta(
        prepare(join(JoinKind.INNER), constraints=Constraints((MEMBER,))), ("people",)
    )
    assert program.relies == ()
    assert [check.constraint for check in program.checks] == [MEMBER]


def test_a_repeated_row_breaks_a_key() -> None:
    kept = view(Distinct(keep(PEOPLE, ID, TEAM)), Key("people", ("id",)), breaks=True)
    kept.refresh(tuple(hired(ANN)))
    assert kept.violations == 1
    kept.refresh(tuple(left(ANN)))
