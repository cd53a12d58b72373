"""Whether declared keys and foreign keys hold of rows, said in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rollview.algebra.schema import Schema
from rollview.analysis.constraints import Constraint, Key
from tests.properties.cases import Case, Row

Rows = Mapping[str, Sequence[Row]]


def all_hold(case: Case, rows: Rows) -> bool:
    """Whether everything that the case declares holds."""
    schemas = {name: table.columns for name, table in case.tables.items()}
    return all(holds(one, schemas, rows) for one in case.constraints.all)


def holds(one: Constraint, schemas: Mapping[str, Schema], rows: Rows) -> bool:
    """Whether one declaration holds; NULL is a value of a key, and refers to nothing."""
    if isinstance(one, Key):
        found = Counter(values(one.columns, schemas[one.table], rows[one.table]))
        return all(count == 1 for count in found.values())
    there = set(values(one.parent_columns, schemas[one.parent], rows[one.parent]))
    used = values(one.columns, schemas[one.table], rows[one.table])
    return holds(one.key, schemas, rows) and all(v in there for v in used if None not in v)


def values(columns: Sequence[str], schema: Schema, rows: Sequence[Row]) -> list[Row]:
    """These columns of the rows."""
    names = [column.name for column in schema]
    places = [names.index(name) for name in columns]
    return [tuple(row[place] for place in places) for row in rows]


def fields_of(one: Constraint, table: str) -> tuple[str, ...]:
    """The columns of a table that a declaration is about."""
    own = one.columns if one.table == table else ()
    if isinstance(one, Key) or one.parent != table:
        return own
    return (*own, *one.parent_columns)
