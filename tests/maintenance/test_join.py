"""Joins: one term per changed input, or the rows whose matches may have changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rollview.algebra.definition import ReasonCode
from rollview.algebra.expressions import Call, binary, column
from rollview.algebra.relations import (
    After,
    Aggregate,
    Before,
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    Scan,
)
from rollview.algebra.traverse import walk
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.prepare import prepare
from rollview.maintenance.program import RuleName
from tests.algebra.examples import (
    CODE,
    ID,
    NAME,
    PEOPLE,
    SAME_TEAM,
    TEAM,
    TEAMS,
    TITLE,
    join,
    keep,
    schema,
)
from tests.maintenance.people import (
    ALPHA,
    ANN,
    BEN,
    BETA,
    CAT,
    DAN,
    EVE,
    FAY,
    GAMMA,
    NONE,
    ZETA,
    closed,
    founded,
    hired,
    left,
    maintained,
    refresh,
    tables_read,
)

NOTHING = (None, None)
NOBODY = (None, None, None, None)


def test_inner_both_sides_change() -> None:
    done = refresh(join(JoinKind.INNER), hired(FAY), left(ANN), closed(ALPHA))
    assert done.delta == {(*FAY, *GAMMA): 1, (*ANN, *ALPHA): -1, (*BEN, *ALPHA): -1}


def test_a_pair_whose_both_halves_are_new_comes_once() -> None:
    member, team = (7, "gil", "n", 1), ("n", "New")
    assert refresh(join(JoinKind.INNER), hired(member), founded(team)).delta == {
        (*member, *team): 1
    }


def test_cross() -> None:
    done = refresh(join(JoinKind.CROSS), left(ANN), founded(ZETA))
    gone = {(*ANN, *team): -1 for team in (ALPHA, BETA, GAMMA, NONE)}
    assert done.delta == {**gone, **{(*one, *ZETA): 1 for one in (BEN, CAT, DAN, EVE)}}


def test_left_rows_lose_and_find_their_only_match() -> None:
    done = refresh(join(JoinKind.LEFT), closed(BETA), founded(ZETA))
    assert done.delta == {
        (*CAT, *BETA): -1,
        (*CAT, *NOTHING): 1,
        (*EVE, *NOTHING): -1,
        (*EVE, *ZETA): 1,
    }


def test_a_second_match_is_only_added() -> None:
    second = ("b", "Better")
    assert refresh(join(JoinKind.LEFT), founded(second)).delta == {(*CAT, *second): 1}


def test_right() -> None:
    done = refresh(join(JoinKind.RIGHT), left(CAT), hired(FAY))
    assert done.delta == {
        (*CAT, *BETA): -1,
        (*NOBODY, *BETA): 1,
        (*NOBODY, *GAMMA): -1,
        (*FAY, *GAMMA): 1,
    }


def test_full_both_sides_change() -> None:
    done = refresh(join(JoinKind.FULL), left(CAT), hired(FAY), closed(BETA), founded(ZETA))
    assert done.delta == {
        (*CAT, *BETA): -1,
        (*NOBODY, *GAMMA): -1,
        (*FAY, *GAMMA): 1,
        (*EVE, *NOTHING): -1,
        (*EVE, *ZETA): 1,
    }


def test_semi_counts_left_rows_once() -> None:
    done = refresh(join(JoinKind.SEMI), founded(ALPHA, ZETA), closed(BETA))
    assert done.delta == {EVE: 1, CAT: -1}


def test_anti_is_the_rest() -> None:
    done = refresh(join(JoinKind.ANTI), founded(ZETA), closed(BETA), left(DAN))
    assert done.delta == {EVE: -1, CAT: 1, DAN: -1}


def test_existence_is_a_flag() -> None:
    done = refresh(join(JoinKind.EXISTENCE), founded(ZETA), closed(BETA))
    assert done.delta == {
        (*EVE, False): -1,
        (*EVE, True): 1,
        (*CAT, True): -1,
        (*CAT, False): 1,
    }


def test_single_has_one_match_or_none() -> None:
    assert refresh(join(JoinKind.SINGLE), founded(ZETA), closed(BETA)).delta == {
        (*EVE, *NOTHING): -1,
        (*EVE, *ZETA): 1,
        (*CAT, *BETA): -1,
        (*CAT, *NOTHING): 1,
    }


def not_in() -> Join:
    unknown = Call("IsNull", ("(", " IS NULL)"), (SAME_TEAM,), "BOOLEAN", False)
    condition = binary("Or", "OR", SAME_TEAM, unknown, "BOOLEAN")
    return Join(JoinKind.ANTI, PEOPLE, TEAMS, condition)


def test_not_in_waits_until_the_last_null_is_gone() -> None:
    assert not refresh(not_in(), closed(BETA)).delta
    assert refresh(not_in(), closed(NONE)).delta == {EVE: 1}
    assert refresh(not_in(), closed(NONE, BETA)).delta == {EVE: 1, CAT: 1}


def test_not_in_reads_the_left_whole_only_where_rows_or_nulls_come_and_go() -> None:
    """Everybody is there while there is no team, nobody while there is a team without a code."""
    view = maintained(not_in())
    steps = [
        (closed(NONE), True),
        (closed(BETA), False),
        (founded(ZETA, BETA) + hired(FAY), False),
        (closed(ZETA) + left(EVE, CAT), False),
        (closed(ALPHA, BETA, GAMMA), True),
        (hired(EVE), False),
        (founded(ALPHA, ALPHA), True),
        (founded(NONE), True),
        (founded(NONE) + hired(CAT), False),
        (closed(NONE), False),
        (closed(NONE), True),
    ]
    for changes, whole in steps:
        found = view.refresh(tuple(changes))
        assert [reason.code for reason in found.reasons] == [ReasonCode.NO_KEY] * whole, changes
        assert found.reasons == found.program.at_times[: len(found.reasons)]


OTHERS = Scan("people", ("id", "team"), schema(column("id_2", "INT"), column("team_2", "STRING")))
PAIRS = Join(
    JoinKind.INNER,
    PEOPLE,
    OTHERS,
    binary("EqualTo", "=", TEAM, column("team_2", "STRING"), "BOOLEAN"),
)


def not_in_of_pairs() -> Join:
    return replace(not_in(), left=keep(PAIRS, ID, TEAM, column("id_2", "INT")))


def test_not_in_does_not_evaluate_what_is_below_it() -> None:
    program = compile_delta(prepare(not_in_of_pairs()), {"teams"})
    assert tables_read(program) == {"teams"}
    assert not program.blames
    view = maintained(not_in_of_pairs())
    for changes in (
        closed(NONE),
        founded(ZETA) + hired(FAY),
        closed(ALPHA, BETA, GAMMA, ZETA),
        left(ANN) + hired((7, "gil", "a", 1)),
        founded(BETA),
        founded(NONE) + left(BEN, EVE),
        closed(NONE) + hired(ANN, ANN),
    ):
        found = view.refresh(tuple(changes))
        assert not found.reasons, changes


def test_not_in_over_rows_that_cannot_be_counted_reads_them_whole() -> None:
    label = column("label", "MAP<STRING, INT>")
    named = Call("Map", ("map(", ", 1)"), (TEAM,), label.type)
    pairs = Project(PAIRS, (Named("team", TEAM), Named("label", named)))
    view = replace(not_in(), left=pairs)
    kinds = [type(kept.relation) for kept in prepare(view).kept]
    assert kinds == [Aggregate]
    assert compile_delta(prepare(view), {"teams"}).at_times


def test_not_in_of_a_column_that_is_never_null_counts_rows_alone() -> None:
    numbers = (column("id_2", "INT", nullable=False),)
    others = Scan("people", ("id",), schema(*numbers))
    nullable = column("pay", "INT")
    same = binary("EqualTo", "=", nullable, numbers[0], "BOOLEAN")
    unknown = Call("IsNull", ("(", " IS NULL)"), (same,), "BOOLEAN", False)
    view = Join(JoinKind.ANTI, PEOPLE, others, binary("Or", "OR", same, unknown, "BOOLEAN"))
    assert refresh(view, left(EVE)).delta == {}
    assert refresh(view, hired((40, "x", None, 3))).delta == {BEN: -1}
    assert refresh(view, left(ANN, BEN, CAT, DAN, EVE)).delta == {
        ANN: -1,
        BEN: -1,
        CAT: -1,
        DAN: -1,
    }


def test_without_a_condition_any_row_matches() -> None:
    empty = Join(JoinKind.ANTI, keep(PEOPLE, ID), Project(TEAMS, ()))
    assert not refresh(empty, closed(ALPHA, BETA, GAMMA)).delta
    everybody = {(number,): 1 for number in range(1, 6)}
    assert refresh(empty, closed(ALPHA, BETA, GAMMA, NONE)).delta == everybody


OTHER = (column("id_2", "INT", nullable=False), column("team_2", "STRING"))
SELF = Join(
    JoinKind.INNER,
    keep(PEOPLE, ID, TEAM),
    Scan("people", ("id", "team"), schema(*OTHER)),
    binary("EqualTo", "=", TEAM, OTHER[1], "BOOLEAN"),
)


def test_self_join() -> None:
    assert refresh(SELF, left(BEN)).delta == {
        (1, "a", 2, "a"): -1,
        (2, "a", 1, "a"): -1,
        (2, "a", 2, "a"): -1,
    }


@pytest.mark.parametrize("kind", list(JoinKind))
def test_null_keys_do_not_match(kind: JoinKind) -> None:
    nobody = (8, "hal", None, 5)
    done = refresh(join(kind), hired(nobody))
    expected: dict[JoinKind, dict[tuple[object, ...], int]] = {
        JoinKind.INNER: {},
        JoinKind.CROSS: {(*nobody, *team): 1 for team in (ALPHA, BETA, GAMMA, NONE)},
        JoinKind.LEFT: {(*nobody, *NOTHING): 1},
        JoinKind.RIGHT: {},
        JoinKind.FULL: {(*nobody, *NOTHING): 1},
        JoinKind.SEMI: {},
        JoinKind.ANTI: {nobody: 1},
        JoinKind.EXISTENCE: {(*nobody, False): 1},
        JoinKind.SINGLE: {(*nobody, *NOTHING): 1},
    }
    assert done.delta == expected[kind]


@pytest.mark.parametrize(
    "kind", [JoinKind.SEMI, JoinKind.ANTI, JoinKind.LEFT, JoinKind.EXISTENCE, JoinKind.SINGLE]
)
def test_what_cannot_be_streamed_past_the_change_is_cut_down_first(kind: JoinKind) -> None:
    """Spark broadcasts the right of these joins only: it must not be a whole table."""
    program = compile_delta(prepare(join(kind)), ["people"])
    assert program.delta is not None
    for node in walk(program.delta):
        if isinstance(node, Join) and node.kind not in (JoinKind.INNER, JoinKind.SEMI):
            assert not isinstance(node.right, After | Before)


def test_changes_without_a_key_concern_nobody() -> None:
    done = refresh(join(JoinKind.SEMI), founded((None, "nil")))
    assert not any(step.startswith("concerned") for step in done.steps)


def test_null_safe_keys_do_match() -> None:
    same = Call("EqualNullSafe", ("(", " <=> ", ")"), (TEAM, CODE), "BOOLEAN", False)
    view = Join(JoinKind.SEMI, PEOPLE, TEAMS, same)
    assert refresh(view, closed(NONE)).delta == {DAN: -1}


def inequality(kind: JoinKind) -> Relation:
    before = binary("LessThan", "<", NAME, TITLE, "BOOLEAN")
    return Join(kind, keep(PEOPLE, NAME), keep(TEAMS, TITLE), before)


def test_without_an_equality() -> None:
    assert refresh(inequality(JoinKind.SEMI), closed(NONE)).delta == {
        ("ann",): -1,
        ("ben",): -1,
        ("cat",): -1,
        ("eve",): -1,
    }
    assert refresh(inequality(JoinKind.LEFT), closed(NONE), left(ANN)).delta == {
        ("ann", "none"): -1,
        **{(name, "none"): -1 for name in ("ben", "cat", "eve")},
        **{(name, None): 1 for name in ("ben", "cat", "eve")},
    }


@pytest.mark.parametrize("kind", [k for k in JoinKind if k is not JoinKind.EXISTENCE])
def test_without_an_equality_an_input_is_read_whole_and_that_is_said(kind: JoinKind) -> None:
    view = join(kind) if kind is JoinKind.CROSS else inequality(kind)
    for changes in (founded(ALPHA), hired(ANN)):
        program = compile_delta(prepare(view), {change.table for change in changes})
        assert {reason.code for reason in program.reasons} == {ReasonCode.NO_KEY}
        assert {blame.relation for blame in program.blames} == {view}


@pytest.mark.parametrize("kind", [k for k in JoinKind if k is not JoinKind.CROSS])
def test_with_an_equality_nothing_is_read_whole(kind: JoinKind) -> None:
    program = compile_delta(prepare(join(kind)), ("people", "teams"))
    assert not program.blames
    assert all("under" in text for text in program.notes[join(kind)].reads)


def test_a_join_tells_what_it_reads_at_which_moment() -> None:
    program = compile_delta(prepare(join(JoinKind.INNER)), ("people", "teams"))
    assert program.notes[join(JoinKind.INNER)].reads == (
        "after of teams under code",
        "before of people under team",
    )
    program = compile_delta(prepare(join(JoinKind.ANTI)), ("people", "teams"))
    assert program.notes[join(JoinKind.ANTI)].reads == (
        "before and after of teams under code",
        "before of people under team",
    )


def test_inner_joins_below_an_inner_join_are_part_of_it() -> None:
    third = Scan("teams", ("code",), schema(column("third", "STRING")))
    lower = keep(join(JoinKind.INNER), ID, CODE)
    same = binary("EqualTo", "=", CODE, column("third", "STRING"), "BOOLEAN")
    view = Join(JoinKind.INNER, lower, third, same)
    notes = compile_delta(prepare(view), ("people", "teams")).notes
    assert [notes[node].rule for node in (view, lower, lower.child)] == [
        RuleName.TELESCOPED,
        RuleName.LINEAR,
        RuleName.TELESCOPED,
    ]
    assert notes[view].reads[0] == "before and after of teams under code or third"
    assert not notes[lower.child].reads
