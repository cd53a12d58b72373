"""Self-maintenance: which changes leave a view without need of its base tables.

Barbier (2007), ch. 6: a view is self-maintainable if its new value follows from its old one and the
changes alone; any set of views becomes so if views are added to it, for which Theorem 6.5 takes a
copy of every base table. Here they are accesses (`cut_down`); the program that carries a kind of
change through the view shows which of them are read.
"""

from __future__ import annotations

from rollview.algebra.expressions import Call, Expression
from rollview.algebra.relations import (
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    Sort,
    Union,
)
from rollview.algebra.traverse import column_names, expressions, inputs, walk
from rollview.analysis.accesses import Access
from rollview.analysis.lineage import origin_of

_INNER = (JoinKind.INNER, JoinKind.CROSS)
_ASKING = (JoinKind.SEMI, JoinKind.ANTI, JoinKind.EXISTENCE, JoinKind.SINGLE)


def only_adds(relation: Relation, tables: frozenset[str]) -> bool:
    """Whether rows that come to these tables only ever add rows to the relation."""
    match relation:
        case _ if not _reads(relation, tables):
            return True
        case Scan():
            return True
        case Project() | Filter() | Sort() | Union() | Generate() | Expand():
            return all(only_adds(child, tables) for child in inputs(relation))
        case Join(kind=kind) if kind in (*_INNER, JoinKind.SEMI):
            return all(only_adds(child, tables) for child in inputs(relation))
        case Join(kind=kind, left=left, right=right) if kind in (*_ASKING, JoinKind.LEFT):
            return not _reads(right, tables) and only_adds(left, tables)
        case _:
            return False


def _reads(relation: Relation, tables: frozenset[str]) -> bool:
    return any(isinstance(node, Scan) and node.source in tables for node in walk(relation))


def exposed(relation: Relation, table: str) -> frozenset[str]:
    """The columns of a table that a condition of the relation is about."""
    found = set()
    names: dict[str, str] = {}
    for node in walk(relation):
        if isinstance(node, Scan) and node.source == table:
            names |= {c.name: f for f, c in zip(node.fields, node.columns, strict=True)}
    for node in walk(relation):
        if isinstance(node, Filter | Join):
            for name in frozenset().union(*(column_names(e) for e in expressions(node))):
                origin = None if name in names else origin_of(node, name)
                if name in names:
                    found.add(names[name])
                elif origin is not None and origin.table == table:
                    found.add(origin.field)
    return frozenset(found)


def shown(relation: Relation, table: str) -> frozenset[str]:
    """The columns of a table that the relation reads, and no condition of it is about."""
    scans = [n for n in walk(relation) if isinstance(n, Scan) and n.source == table]
    return frozenset(field for scan in scans for field in scan.fields) - exposed(relation, table)


# --- how large -------------------------------------------------------------------------------

_PART = {"EqualTo": 0.1, "EqualNullSafe": 0.1, "In": 0.2, "IsNotNull": 0.95, "IsNull": 0.05}
_COMPARED, _UNKNOWN = 0.33, 0.5
_BYTES = {"BOOLEAN": 1, "TINYINT": 1, "SMALLINT": 2, "INT": 4, "FLOAT": 4, "DATE": 4}
_LONG, _TEXT = 8, 20


def part_of(access: Access) -> float:
    """The part of the rows of the table that an access lets through: a guess by its conditions."""
    part = 1.0
    for condition in access.conditions:
        part *= _selected(condition)
    for _, parent in access.parents:
        part *= part_of(parent)
    return part


def _selected(condition: Expression) -> float:
    if not isinstance(condition, Call):
        return _UNKNOWN
    args = condition.args
    match condition.kind:
        case "And":
            return _selected(args[0]) * _selected(args[1])
        case "Or":
            return min(1.0, _selected(args[0]) + _selected(args[1]))
        case "Not":
            return 1.0 - _selected(args[0])
        case "LessThan" | "LessThanOrEqual" | "GreaterThan" | "GreaterThanOrEqual":
            return _COMPARED
        case _:
            return _PART.get(condition.kind, _UNKNOWN)


def width_of(access: Access) -> int:
    """The bytes of a row of an access, by the types of its columns."""
    return sum(_bytes(column.type) for column in access.relation.columns)


def _bytes(type: str) -> int:
    if type.startswith(("STRING", "BINARY", "ARRAY", "MAP", "STRUCT", "VARIANT")):
        return _TEXT
    return _BYTES.get(type, _LONG)
