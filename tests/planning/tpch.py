"""TPC-H 3, 5 and 10 as algebra, with the keys that the benchmark declares."""

from __future__ import annotations

from rollview.algebra.expressions import (
    AggregateCall,
    ColumnRef,
    Expression,
    Literal,
    SortKey,
    binary,
    conjunction,
)
from rollview.algebra.relations import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    Project,
    Relation,
    Scan,
    TopK,
)
from rollview.algebra.schema import Column
from rollview.analysis.constraints import Constraints, ForeignKey
from rollview.analysis.pruning import prune_scans
from rollview.planning.self_maintenance import Facts

_PREFIX = {"lineitem": "l", "orders": "o", "customer": "c", "supplier": "s"}
_PREFIX |= {"nation": "n", "region": "r"}
_MONEY = "DECIMAL(12,2)"
TYPES = {
    "l_orderkey": "BIGINT",
    "l_suppkey": "BIGINT",
    "l_extendedprice": _MONEY,
    "l_discount": _MONEY,
    "l_shipdate": "DATE",
    "l_returnflag": "STRING",
    "o_orderkey": "BIGINT",
    "o_custkey": "BIGINT",
    "o_orderdate": "DATE",
    "o_shippriority": "INT",
    "c_custkey": "BIGINT",
    "c_name": "STRING",
    "c_acctbal": _MONEY,
    "c_phone": "STRING",
    "c_address": "STRING",
    "c_comment": "STRING",
    "c_mktsegment": "STRING",
    "c_nationkey": "INT",
    "s_suppkey": "BIGINT",
    "s_nationkey": "INT",
    "n_nationkey": "INT",
    "n_name": "STRING",
    "n_regionkey": "INT",
    "r_regionkey": "INT",
    "r_name": "STRING",
}
FACTS = {
    "lineitem": Facts(6_001_215, 16),
    "orders": Facts(1_500_000, 9),
    "customer": Facts(150_000, 8),
    "supplier": Facts(10_000, 7),
    "nation": Facts(25, 4),
    "region": Facts(5, 3),
}
KEYS = Constraints(
    (
        ForeignKey("lineitem", ("l_orderkey",), "orders", ("o_orderkey",), rely=True),
        ForeignKey("lineitem", ("l_suppkey",), "supplier", ("s_suppkey",), rely=True),
        ForeignKey("orders", ("o_custkey",), "customer", ("c_custkey",), rely=True),
        ForeignKey("customer", ("c_nationkey",), "nation", ("n_nationkey",), rely=True),
        ForeignKey("supplier", ("s_nationkey",), "nation", ("n_nationkey",), rely=True),
        ForeignKey("nation", ("n_regionkey",), "region", ("r_regionkey",), rely=True),
    )
)


def ref(name: str) -> ColumnRef:
    return ColumnRef(name, TYPES[name], nullable=False)


def table(name: str) -> Scan:
    """A table in all columns that any of the queries reads."""
    fields = tuple(field for field in TYPES if field.startswith(f"{_PREFIX[name]}_"))
    return Scan(name, fields, tuple(Column(f, TYPES[f], False) for f in fields))


def equal(one: str, two: str) -> Expression:
    return binary("EqualTo", "=", ref(one), ref(two), "BOOLEAN")


def compared(kind: str, sign: str, name: str, text: str) -> Expression:
    return binary(kind, sign, ref(name), Literal(text, TYPES[name]), "BOOLEAN")


def _selected(tables: tuple[str, ...], *conditions: Expression) -> Relation:
    """FROM and WHERE, as Spark's plans have them: cross joins under one condition."""
    made: Relation = table(tables[0])
    for name in tables[1:]:
        made = Join(JoinKind.CROSS, made, table(name))
    whole = conjunction(conditions)
    assert whole is not None
    return Filter(made, whole)


def _revenue(rows: Relation, *groups: str) -> Aggregate:
    one = Literal("1", _MONEY)
    rest = binary("Subtract", "-", one, ref("l_discount"), "DECIMAL(13,2)")
    value = binary("Multiply", "*", ref("l_extendedprice"), rest, "DECIMAL(26,4)")
    items = tuple(Named(name, ref(name)) for name in groups)
    made = Project(rows, (*items, Named("value", value)))
    call = AggregateCall(
        "Sum", ("sum(", ")"), (ColumnRef("value", "DECIMAL(26,4)"),), "DECIMAL(36,4)"
    )
    return Aggregate(made, tuple(ref(name) for name in groups), (NamedAggregate("revenue", call),))


def _first(rows: Aggregate, limit: str, *more: str) -> TopK:
    keys = (SortKey(ColumnRef("revenue", "DECIMAL(36,4)"), False, False),)
    return TopK(rows, (*keys, *(SortKey(ref(name)) for name in more)), Literal(limit, "INT"), None)


def q03() -> Relation:
    rows = _selected(
        ("customer", "orders", "lineitem"),
        compared("EqualTo", "=", "c_mktsegment", "'BUILDING'"),
        equal("c_custkey", "o_custkey"),
        equal("l_orderkey", "o_orderkey"),
        compared("LessThan", "<", "o_orderdate", "DATE '1995-03-15'"),
        compared("GreaterThan", ">", "l_shipdate", "DATE '1995-03-15'"),
    )
    groups = ("l_orderkey", "o_orderdate", "o_shippriority")
    return prune_scans(_first(_revenue(rows, *groups), "10", *groups))


def q05() -> Relation:
    rows = _selected(
        ("customer", "orders", "lineitem", "supplier", "nation", "region"),
        equal("c_custkey", "o_custkey"),
        equal("l_orderkey", "o_orderkey"),
        equal("l_suppkey", "s_suppkey"),
        equal("c_nationkey", "s_nationkey"),
        equal("s_nationkey", "n_nationkey"),
        equal("n_regionkey", "r_regionkey"),
        compared("EqualTo", "=", "r_name", "'ASIA'"),
        compared("GreaterThanOrEqual", ">=", "o_orderdate", "DATE '1994-01-01'"),
        compared("LessThan", "<", "o_orderdate", "DATE '1995-01-01'"),
    )
    return prune_scans(_revenue(rows, "n_name"))


def q10() -> Relation:
    rows = _selected(
        ("customer", "orders", "lineitem", "nation"),
        equal("c_custkey", "o_custkey"),
        equal("l_orderkey", "o_orderkey"),
        equal("c_nationkey", "n_nationkey"),
        compared("GreaterThanOrEqual", ">=", "o_orderdate", "DATE '1993-10-01'"),
        compared("LessThan", "<", "o_orderdate", "DATE '1994-01-01'"),
        compared("EqualTo", "=", "l_returnflag", "'R'"),
    )
    groups = ("c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment")
    return prune_scans(_first(_revenue(rows, *groups), "20", *groups))


QUERIES = {"q03": q03(), "q05": q05(), "q10": q10()}
