"""Every operator by itself: generated cases with it on top, over inputs of a small depth."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

import duckdb
import pytest

from rollview.algebra.relations import (
    Join,
    JoinKind,
    RecursionInput,
    Relation,
    SetKind,
    SetOperation,
)
from tests.algebra.examples import PROGRAM_LEAVES, relation_classes
from tests.properties.cases import Case, random_case
from tests.properties.duckdb_engine import connect
from tests.properties.run import failure
from tests.properties.seed import SEED
from tests.properties.show import shown
from tests.properties.shrink import shrink
from tests.properties.trees import MAKERS, view_with
from tests.properties.ways import way_of

CASES, DEPTH = 6, 2
Wanted = Callable[[Relation], bool]


def _is_join(kind: JoinKind, relation: Relation) -> bool:
    return isinstance(relation, Join) and relation.kind is kind


def _is_set(kind: SetKind, all: bool, relation: Relation) -> bool:
    return isinstance(relation, SetOperation) and (relation.kind, relation.all) == (kind, all)


TOPS: dict[str, tuple[type, Wanted]] = {
    **{k.__name__: (k, lambda _: True) for k in MAKERS if k not in (Join, SetOperation)},
    **{f"Join {k}": (Join, partial(_is_join, k)) for k in JoinKind},
    **{
        f"{k}{' all' if every else ''}": (SetOperation, partial(_is_set, k, every))
        for k in SetKind
        for every in (True, False)
    },
}


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return connect()


def case_with(top: str, number: int) -> Case:
    """The case of a number with an operator on top."""
    kind, is_wanted = TOPS[top]
    rng = Random(f"{SEED}-{top}-{number}")
    while True:
        case = random_case(rng, DEPTH, partial(view_with, kind))
        if isinstance(case.relation, kind) and is_wanted(case.relation):
            return case


@pytest.mark.parametrize("top", TOPS)
def test_laws_hold_with_the_operator_on_top(
    top: str, connection: duckdb.DuckDBPyConnection
) -> None:
    for number in range(CASES):
        case, way = case_with(top, number), way_of(number)
        if failure(case, connection, way) is not None:
            small = shrink(case, lambda other, way=way: failure(other, connection, way))  # type: ignore[misc]
            pytest.fail(f"ROLLVIEW_SEED={SEED} {way}\n{shown(small)}", pytrace=False)


def test_every_operator_can_be_on_top() -> None:
    assert {*MAKERS, RecursionInput, *PROGRAM_LEAVES} == set(relation_classes())
