"""Which operators can be cut at any position: every relation of the algebra is told of."""

from __future__ import annotations

import pytest

from rollview.algebra.expressions import AggregateCall, ColumnRef, Literal, SortKey, binary
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    Project,
    Relation,
    Sort,
    Union,
)
from rollview.algebra.traverse import walk
from rollview.rolling.cuts import bound_to_steps, can_be_cut, summed_part
from tests.algebra.examples import DEFINITIONS, PROGRAM_LEAVES, relation_classes
from tests.rolling.views import INT, chain, scan

K1, V1 = ColumnRef("k1", INT, False), ColumnRef("v1", INT)
CUT = {
    "Scan",
    "Values",
    "TableFunction",
    "Project",
    "Filter",
    "Union",
    "Expand",
    "Generate",
    "Sort",
}
BY_KIND = {"Join", "Aggregate"}


def grouped(child: Relation, *kinds: str, distinct: bool = False) -> Aggregate:
    calls = tuple(
        NamedAggregate(
            f"out_{kind}",
            AggregateCall(kind, (f"{kind.lower()}(", ")"), (V1,), "BIGINT", distinct=distinct),
        )
        for kind in kinds
    )
    return Aggregate(child, (K1,), calls)


JOINED = chain(["r", "s"])
OVER_SIX = binary("GreaterThan", ">", ColumnRef("out_Sum", "BIGINT"), Literal("6", INT), "BOOLEAN")


@pytest.mark.parametrize(
    "relation",
    [
        JOINED,
        Filter(JOINED, binary("LessThan", "<", V1, K1, "BOOLEAN")),
        Union((scan("r", 1), scan("s", 1)), scan("r", 1).columns),
        Project(JOINED, (Named("x", K1),)),
        grouped(JOINED, "Sum", "Count"),
        Sort(Filter(grouped(JOINED, "Sum"), OVER_SIX), (SortKey(K1),)),
    ],
)
def test_what_can_be_cut(relation: Relation) -> None:
    assert can_be_cut(relation)


OUTER = Join(JoinKind.LEFT, scan("r", 1), scan("s", 2), None)
HIGHEST = grouped(JOINED, "Max")


@pytest.mark.parametrize(
    ("relation", "bound"),
    [
        (OUTER, (OUTER,)),
        (Distinct(JOINED), (Distinct(JOINED),)),
        (HIGHEST, (HIGHEST,)),
        (grouped(OUTER, "Sum"), (OUTER,)),
        (grouped(JOINED, "Count", distinct=True), (grouped(JOINED, "Count", distinct=True),)),
        (Project(HIGHEST, (Named("k", K1),)), (HIGHEST,)),
    ],
)
def test_what_is_bound_to_step_ends(relation: Relation, bound: tuple[Relation, ...]) -> None:
    assert bound_to_steps(relation) == bound


def test_sums_below_a_join_are_bound_to_step_ends() -> None:
    """A group is another row at every position: there is no sum to cut any more."""
    sums = grouped(scan("r", 1), "Sum")
    joined = Join(JoinKind.CROSS, sums, scan("s", 2))
    assert bound_to_steps(joined) == (sums,)
    assert summed_part(joined) is None


def test_sums_of_floats_depend_on_the_order() -> None:
    value = ColumnRef("v1", "DOUBLE")
    call = AggregateCall("Sum", ("sum(", ")"), (value,), "DOUBLE")
    assert not can_be_cut(Aggregate(JOINED, (K1,), (NamedAggregate("x", call),)))


def test_every_operator_is_told_of() -> None:
    names = {kind.__name__ for kind in relation_classes()} - {k.__name__ for k in PROGRAM_LEAVES}
    nodes = [node for relation in DEFINITIONS.values() for node in walk(relation)]
    assert {type(node).__name__ for node in nodes} == names
    cut = {type(node).__name__ for node in nodes if node not in bound_to_steps(node)}
    assert cut - BY_KIND == CUT
