"""Claims of self-maintenance, proved: the program gives the query's result without the tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import duckdb
import pytest

from rollview.analysis.constraints import Constraints
from rollview.analysis.cut_down import accesses
from rollview.planning.self_maintained import KINDS, Kind
from rollview.planning.self_maintenance import Analysed
from tests.properties.bags import assert_same, bag
from tests.properties.cases import Case
from tests.properties.duckdb_engine import DuckEngine, connect
from tests.properties.keyed import keyed_case
from tests.properties.maintained import create
from tests.properties.one_kind import batch_of
from tests.properties.run import numbered_case
from tests.properties.seed import SEED
from tests.properties.self_maintained import SelfMaintained, out_of_reach
from tests.properties.show import shown

CASES, PARTS = 200, 4
PROOF = 3_000


def trusted(case: Case) -> Case:
    """The same, with nothing checked: a check reads tables."""
    every = tuple(replace(one, rely=True) for one in case.constraints.all)
    return replace(case, constraints=Constraints(every))


def any_case(number: int) -> Case:
    """Any view, or one with declared keys."""
    if number % 2:
        return numbered_case(SEED, number)
    return trusted(keyed_case(Random(f"{SEED}-self-{number}")))


def check_any_change(case: Case, connection: duckdb.DuckDBPyConnection) -> None:
    """With every access kept, no change needs a table."""
    found = accesses(case.relation)
    kept = SelfMaintained(case, connection, found, found.all, out_of_reach(found))
    for batch in case.batches:
        kept.refresh(batch)
    kept.check_prepared()


def check_accesses(case: Case, connection: duckdb.DuckDBPyConnection) -> None:
    """Cut down, the tables give the same view, with foreign keys and without."""
    engine, names = DuckEngine(connection), {}
    for name, table in case.tables.items():
        create(connection, f"{name}_cut", table.columns, table.rows)
        names[name] = f"{name}_cut"
    wanted = bag(engine.recomputed(case.relation, names))
    for constraints in (Constraints(), case.constraints):
        found = accesses(case.relation, constraints).relation
        assert_same("the relation with accesses", bag(engine.recomputed(found, names)), wanted)


def check_kinds(
    case: Case, connection: duckdb.DuckDBPyConnection, rng: Random
) -> Counter[tuple[Kind, str]]:
    """Each kind of change of each table, with what it is said to need and nothing else."""
    seen: Counter[tuple[Kind, str]] = Counter()
    view = Analysed(case.relation, case.constraints)
    for table in view.tables:
        for kind in KINDS:
            columns = view.columns(table, kind)
            if kind in (Kind.UPDATE, Kind.EXPOSED) and not columns:
                continue
            batch = batch_of(rng, case, table, kind, columns)
            if batch:
                found = view.finding(table, kind)
                kept = SelfMaintained(case, connection, found.accesses, found.needs, found.missing)
                kept.refresh(batch)
                seen[kind, "no" if found.missing else "with" if found.needs else "yes"] += 1
    return seen


def fail(case: Case, error: BaseException) -> None:
    pytest.fail(f"ROLLVIEW_SEED={SEED}\n{error!r}\n{shown(case)}", pytrace=False)


def assert_all_hold(numbers: range) -> None:
    connection = connect()
    for number in numbers:
        case = any_case(number)
        try:
            check_accesses(case, connection)
            check_any_change(case, connection)
        except Exception as error:
            fail(case, error)


@pytest.mark.parametrize("part", range(PARTS))
def test_with_every_access_kept_no_table_is_read(part: int) -> None:
    assert_all_hold(range(part, CASES, PARTS))


@pytest.mark.proof
@pytest.mark.timeout(0)
def test_with_every_access_kept_no_table_is_read_in_every_case_that_is_asked_for() -> None:
    assert_all_hold(range(PROOF))


def test_kinds_of_changes_need_what_is_said() -> None:
    connection = connect()
    seen: Counter[tuple[Kind, str]] = Counter()
    for number in range(CASES // 2):
        case = trusted(keyed_case(Random(f"{SEED}-kinds-{number}"), depth=2))
        try:
            seen += check_kinds(case, connection, Random(number))
        except Exception as error:
            fail(case, error)
    for kind in KINDS:
        assert seen[kind, "with"] > 3, seen
    for kind in (Kind.INSERT, Kind.DELETE, Kind.UPDATE):  # others seldom need nothing
        assert seen[kind, "yes"] > 3, seen
