"""Which changes need which part of the base tables: small views, a set of views, TPC-H."""

from __future__ import annotations

from functools import cache
from importlib import resources

import duckdb
import pytest

from rollview.algebra.expressions import Literal, binary
from rollview.algebra.relations import Aggregate, Filter, JoinKind, NamedAggregate, Relation
from rollview.analysis.accesses import Access
from rollview.analysis.constraints import NONE, Constraints, ForeignKey
from rollview.planning.self_maintained import Finding, Kind, SelfMaintenance
from rollview.planning.self_maintenance import Facts, self_maintenance
from rollview.sql.render import render
from tests.algebra.examples import CODE, EXAMPLES, ID, PAY, PEOPLE, TEAM, TITLE, join, keep
from tests.maintenance.test_aggregate import call
from tests.maintenance.test_recursion import tree
from tests.planning.tpch import FACTS, KEYS, QUERIES
from tests.properties.dialect import to_duckdb

MEMBER = Constraints((ForeignKey("people", ("team",), "teams", ("code",)),))
NO_EXPOSED = (Kind.INSERT, Kind.DELETE, Kind.UPDATE)


def told(relation: Relation, constraints: Constraints = NONE) -> SelfMaintenance:
    return self_maintenance({"view": relation}, constraints)


def of(found: SelfMaintenance, table: str, kind: Kind) -> Finding:
    (one,) = [f for f in found.findings if (f.table, f.kind) == (table, kind)]
    return one


def test_one_table_needs_nothing() -> None:
    found = told(keep(PEOPLE, TEAM, PAY))
    assert all(one.alone for one in found.findings)
    assert found.auxiliaries == ()


def test_a_sum_goes_on_from_its_stored_value() -> None:
    assert all(one.alone for one in told(EXAMPLES["aggregate"]).findings)


def test_a_minimum_needs_the_rows_when_some_are_removed() -> None:
    least = NamedAggregate("least", call("min", PAY, type="INT"))
    found = told(Aggregate(PEOPLE, (TEAM,), (least,)))
    assert of(found, "people", Kind.INSERT).alone
    removed = of(found, "people", Kind.DELETE)
    assert removed.needs == ("SELECT team, pay FROM people",)


def test_a_join_needs_the_other_side_without_a_foreign_key() -> None:
    found = told(keep(join(JoinKind.INNER), ID, CODE))
    assert of(found, "teams", Kind.INSERT).needs == ("SELECT id, team FROM people",)
    assert of(found, "people", Kind.DELETE).needs == ("SELECT code FROM teams",)


def test_along_a_foreign_key_parents_come_and_go_alone() -> None:
    found = told(join(JoinKind.INNER), MEMBER)
    assert of(found, "teams", Kind.INSERT).alone
    assert of(found, "teams", Kind.DELETE).alone
    assert not of(found, "teams", Kind.UPDATE).alone
    assert of(found, "teams", Kind.UPDATE).columns == ("title",)
    assert of(found, "teams", Kind.EXPOSED).columns == ("code",)


def test_rows_without_a_selected_parent_are_left_out() -> None:
    titled = binary("EqualTo", "=", TITLE, Literal("'x'", "STRING"), "BOOLEAN")
    found = told(keep(Filter(join(JoinKind.INNER), titled), ID, CODE), MEMBER)
    (code,) = of(found, "people", Kind.INSERT).needs
    assert code == "SELECT code FROM teams WHERE (title = 'x')"
    least = NamedAggregate("least", call("min", PAY, type="INT"))
    found = told(Aggregate(Filter(join(JoinKind.INNER), titled), (CODE,), (least,)), MEMBER)
    people = [name for name in of(found, "people", Kind.DELETE).needs if "people" in name]
    assert people == [f"SELECT team, pay FROM people WHERE team IN ({code})"]
    exposed = [name for name in of(found, "teams", Kind.EXPOSED).needs if "people" in name]
    assert exposed == ["SELECT team, pay FROM people"], "a title may become x"


def test_a_view_may_hold_what_another_needs() -> None:
    both = keep(join(JoinKind.INNER), ID, CODE)
    alone = self_maintenance({"both": both}, NONE)
    assert not of(alone, "teams", Kind.INSERT).alone
    members = keep(PEOPLE, TEAM, ID)
    together = self_maintenance({"both": both, "members": members}, NONE)
    assert of(together, "teams", Kind.INSERT).alone
    assert not of(together, "people", Kind.INSERT).alone


def test_a_full_copy_is_called_one() -> None:
    found = self_maintenance({"view": join(JoinKind.INNER)}, NONE, {"people": Facts(10, 4)})
    (people,) = [one for one in found.auxiliaries if one.access.table == "people"]
    assert people.is_copy
    assert (people.rows, people.bytes) == (10, 10 * (4 + 20 + 20 + 4))
    assert "a full copy" in str(found)
    more = self_maintenance({"view": join(JoinKind.INNER)}, NONE, {"people": Facts(10, 5)})
    assert not any(one.is_copy for one in more.auxiliaries if one.access.table == "people")


def test_what_cannot_be_kept_is_read() -> None:
    found = told(tree())
    assert all(one.missing == ("people",) for one in found.findings)
    assert "no: reads people" in str(found)


def test_as_data() -> None:
    data = told(join(JoinKind.INNER), MEMBER).to_dict()
    changes = data["changes"]
    assert isinstance(changes, list)
    assert changes[0]["auxiliary_views"] == ["SELECT code, title FROM teams"]
    assert set(changes[0]) >= {"table", "change", "columns", "self_maintainable", "reads", "unless"}


# --- TPC-H ------------------------------------------------------------------------------------


@cache
def tpch(name: str) -> SelfMaintenance:
    return self_maintenance({name: QUERIES[name]}, KEYS, FACTS)


@pytest.mark.parametrize("name", QUERIES)
def test_tpch_parents_come_and_go_alone(name: str) -> None:
    for table in {one.table for one in tpch(name).findings} - {"lineitem"}:
        assert of(tpch(name), table, Kind.INSERT).alone
        assert of(tpch(name), table, Kind.DELETE).alone


@pytest.mark.parametrize("name", QUERIES)
def test_tpch_no_change_needs_more_than_can_be_kept(name: str) -> None:
    assert all(not one.missing for one in tpch(name).findings)


@pytest.mark.parametrize("name", QUERIES)
def test_tpch_columns_and_rows_are_both_reduced(name: str) -> None:
    needed = tpch(name).needed(NO_EXPOSED)
    assert needed
    for one in needed:
        assert not one.is_copy
        assert len(one.access.fields) < FACTS[one.access.table].columns
    large = [one for one in needed if one.access.table in ("lineitem", "orders")]
    assert {one.access.table for one in large} >= {"orders"}
    assert all(one.part < 0.2 for one in large)


@pytest.fixture(scope="module")
def data() -> duckdb.DuckDBPyConnection:
    """A tiny TPC-H, by the extension from its package, which needs no network."""
    package = resources.files("duckdb_extension_tpch")
    file = package.joinpath("extensions", f"v{duckdb.__version__}", "tpch.duckdb_extension")
    connection = duckdb.connect()
    with resources.as_file(file) as path:
        connection.execute(f"LOAD '{path}'")
    connection.execute("CALL dbgen(sf = 0.01)")
    return connection


def held(access: Access, data: duckdb.DuckDBPyConnection) -> int:
    text = to_duckdb(render(access.relation, {table: table for table in FACTS}))
    return int(data.execute(f"SELECT count(*) FROM ({text})").fetchall()[0][0])


@pytest.mark.parametrize("name", QUERIES)
def test_tpch_rows_are_reduced_in_the_data(name: str, data: duckdb.DuckDBPyConnection) -> None:
    sizes: dict[str, int] = {}
    for one in tpch(name).needed(NO_EXPOSED):
        sizes[one.access.table] = max(sizes.get(one.access.table, 0), held(one.access, data))
    for table, rows in sizes.items():
        all_rows = data.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
        whole = name == "q10" and table in ("customer", "nation")  # of which it selects none
        assert rows == all_rows if whole else rows < all_rows / 2, (table, rows, all_rows)
    every = sum(data.execute(f"SELECT count(*) FROM {t}").fetchall()[0][0] for t in FACTS)
    assert sum(sizes.values()) < every / 10
