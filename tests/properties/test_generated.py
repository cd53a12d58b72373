"""What is generated: every operator, well formed, the same from the same seed."""

from __future__ import annotations

from collections import Counter

from rollview.algebra.relations import (
    Aggregate,
    Join,
    JoinKind,
    Scan,
    SetKind,
    SetOperation,
    Window,
)
from rollview.algebra.traverse import inputs, walk
from rollview.analysis.order import Open, left_open
from tests.algebra.examples import PROGRAM_LEAVES, relation_classes
from tests.properties.cases import Case
from tests.properties.laws import otherwise_split
from tests.properties.run import numbered_case
from tests.properties.seed import SEED
from tests.properties.shrink import is_consistent
from tests.properties.simpler import is_well_formed
from tests.properties.values import VALUES

CASES = [numbered_case(SEED, number) for number in range(600)]
NODES = [node for case in CASES for node in walk(case.relation)]


def depth(case: Case) -> int:
    def below(relation: object) -> int:
        return 1 + max((below(child) for child in inputs(relation)), default=0)  # type: ignore[arg-type]

    return below(case.relation)


def test_every_operator_is_generated() -> None:
    wanted = set(relation_classes()) - set(PROGRAM_LEAVES)
    assert {type(node) for node in NODES} == wanted


def test_every_kind_of_join_and_set_operation_is_generated() -> None:
    kinds = Counter(node.kind for node in NODES if isinstance(node, Join))
    assert kinds.keys() == set(JoinKind)
    pairs = {(node.kind, node.all) for node in NODES if isinstance(node, SetOperation)}
    assert pairs == {(kind, every) for kind in SetKind for every in (True, False)}


def test_groups_and_partitions_of_every_width() -> None:
    assert {len(n.groups) for n in NODES if isinstance(n, Aggregate)} >= {0, 1, 2, 3}
    assert {len(n.partition) for n in NODES if isinstance(n, Window)} >= {0, 1, 2}


def test_views_are_deep_and_well_formed() -> None:
    assert max(depth(case) for case in CASES) > 5
    assert all(is_well_formed(case.relation) for case in CASES)


def test_results_do_not_depend_on_chance() -> None:
    assert all(left_open(case.relation) == Open() for case in CASES)


def test_changes_can_be_made() -> None:
    assert all(is_consistent(case) for case in CASES)
    assert {len({c.table for batch in case.batches for c in batch}) for case in CASES} >= {1, 2, 3}


def test_the_same_seed_makes_the_same_case() -> None:
    assert numbered_case(7, 3).relation == numbered_case(7, 3).relation
    assert numbered_case(7, 3).relation != numbered_case(8, 3).relation


def test_every_kind_of_value_is_generated() -> None:
    types = {c.type for case in CASES for table in case.tables.values() for c in table.columns}
    assert types == set(VALUES)
    read = {c.type for node in NODES if isinstance(node, Scan) for c in node.columns}
    assert read == set(VALUES)


def test_whatever_has_two_changes_is_split_otherwise() -> None:
    for case in CASES:
        changes = [change for batch in case.batches for change in batch]
        parts = otherwise_split(case.batches)
        assert [change for part in parts for change in part] == changes
        assert (parts != case.batches) or len(case.batches[0]) == 1
    assert {len(otherwise_split(c.batches)) for c in CASES if len(c.batches) == 3} >= {1, 3, 4}
    assert {len(otherwise_split(c.batches)) for c in CASES if len(c.batches) == 1} == {1, 2}
