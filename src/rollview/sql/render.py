"""Algebra to readable Spark SQL: one CTE per operator, every column named.

The rendered statement gives the same bag as the relation; ``leaves`` says what stands for each
source: a table, or the name of a temporary view. A leaf of a delta is known by its kind and name:
``changes orders``, ``before orders``, ``after orders``, ``state a1``, ``temporary t1``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import assert_never

from rollview.algebra.expressions import ColumnRef, Expression
from rollview.algebra.relations import (
    After,
    Aggregate,
    Before,
    Changes,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Named,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Scan,
    SetOperation,
    Side,
    SingleRow,
    Sort,
    State,
    TableFunction,
    Temporary,
    TopK,
    Union,
    Values,
    Window,
)
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import inputs
from rollview.errors import InternalError
from rollview.sql.expressions import order_text, text, window_text
from rollview.sql.quoting import quoted

_NO_COLUMNS = "1 AS no_columns"
# A line break, or a quoted name or string, which may hold what looks like one.
_BREAKS = re.compile(r"\n|`[^`]*`|'(?:[^'\\]|\\.)*'", re.DOTALL)
_TABLE_FUNCTIONS_ONLY = frozenset({"VariantExplode"})
_JOINS = {
    JoinKind.INNER: "JOIN",
    JoinKind.CROSS: "CROSS JOIN",
    JoinKind.LEFT: "LEFT JOIN",
    JoinKind.RIGHT: "RIGHT JOIN",
    JoinKind.FULL: "FULL JOIN",
    JoinKind.SEMI: "LEFT SEMI JOIN",
    JoinKind.ANTI: "LEFT ANTI JOIN",
}


def render(relation: Relation, leaves: Mapping[str, str]) -> str:
    """One statement that selects the columns of the relation."""
    program = _Program(leaves, _column_names(relation))
    last = program.add(relation)
    return program.statement(f"SELECT {_columns(relation.columns)}\nFROM {last}")


def _column_names(relation: Relation) -> frozenset[str]:
    """The names of all columns within the relation, parts that stand there twice looked at once."""
    found: set[str] = set()
    seen: set[int] = set()
    left = [relation]
    while left:
        node = left.pop()
        if id(node) not in seen:
            seen.add(id(node))
            found |= {column.name.lower() for column in node.columns}
            left += inputs(node)
    return frozenset(found)


class _Program:
    """The CTEs of a statement, in the order they are needed."""

    def __init__(self, leaves: Mapping[str, str], taken: frozenset[str]) -> None:
        self._leaves = leaves
        self._taken = taken
        self._ctes: list[tuple[str, str]] = []
        self._written: dict[Relation, str] = {}
        self._counts: dict[str, int] = {}
        self._recursive = False

    def statement(self, body: str) -> str:
        if not self._ctes:
            return body
        keyword = "WITH RECURSIVE" if self._recursive else "WITH"
        ctes = ",\n".join(f"{head} AS (\n{_indented(query)}\n)" for head, query in self._ctes)
        return f"{keyword} {ctes}\n{body}"

    def add(self, relation: Relation) -> str:
        """The name under which the relation can be selected from."""
        if relation in self._written:
            return self._written[relation]
        name = self._write(relation)
        self._written[relation] = name
        return name

    def _write(self, relation: Relation) -> str:  # noqa: C901 - one case per relation
        match relation:
            case Scan():
                return self._scan(relation)
            case Changes(source=source, fields=fields, columns=columns):
                return self._leaf("changes", source, fields, columns)
            case Before(source=source, fields=fields, columns=columns):
                return self._leaf("before", source, fields, columns)
            case After(source=source, fields=fields, columns=columns):
                return self._leaf("after", source, fields, columns)
            case State(name=name, columns=columns):
                return self._leaf("state", name, _own_names(columns), columns)
            case Temporary(name=name, columns=columns):
                return self._leaf("temporary", name, _own_names(columns), columns)
            case Values():
                return self._named("values", _values(relation))
            case TableFunction(text=function, fields=fields, columns=columns):
                return self._named("function", _renaming(fields, columns, function))
            case RecursionInput(name=name, fields=fields, columns=columns):
                return self._named("previous", _renaming(fields, columns, name))
            case Project(child=child, items=items):
                return self._named("project", f"SELECT {_items(items)}\nFROM {self.add(child)}")
            case Filter(child=child, condition=condition):
                source = self.add(child)
                where = f"FROM {source}\nWHERE {text(condition)}"
                return self._named("filter", f"SELECT {_columns(child.columns)}\n{where}")
            case Join():
                return self._join(relation)
            case Aggregate():
                return self._aggregate(relation)
            case Distinct(child=child):
                select = f"SELECT DISTINCT {_columns(child.columns)}\nFROM {self.add(child)}"
                return self._named("distinct", select)
            case Union(inputs=many, columns=columns):
                return self._combined("union", "UNION ALL", many, columns)
            case SetOperation(kind=kind, all=all, left=left, right=right, columns=columns):
                operator = f"{kind.upper()} {'ALL' if all else 'DISTINCT'}"
                return self._combined(kind.value, operator, (left, right), columns)
            case Window():
                return self._window(relation)
            case Expand():
                return self._expand(relation)
            case Generate():
                return self._generate(relation)
            case Sort(child=child, order=order):
                select = f"SELECT {_columns(child.columns)}\nFROM {self.add(child)}"
                return self._named("sort", f"{select}\nORDER BY {order_text(order)}")
            case TopK():
                return self._top(relation)
            case SingleRow(child=child, name=name):
                inner = f"SELECT {quoted(child.columns[0].name)} FROM {self.add(child)}"
                return self._named("single_row", f"SELECT ({inner}) AS {quoted(name)}")
            case Recursion():
                return self._recursion(relation)
            case _:
                assert_never(relation)

    def _named(self, kind: str, query: str) -> str:
        name = self._unlike_columns(kind)
        self._ctes.append((name, query))
        return name

    def _unlike_columns(self, kind: str) -> str:
        """A new name that no column has: ``name.field`` may be meant of a struct."""
        while True:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            name = f"{kind}_{self._counts[kind]}"
            if name not in self._taken:
                return name

    def _scan(self, scan: Scan) -> str:
        if scan.source not in self._leaves:
            raise InternalError(f"nothing stands for the source {scan.source}")
        return self._named("scan", _renaming(scan.fields, scan.columns, self._leaves[scan.source]))

    def _leaf(self, kind: str, name: str, fields: tuple[str, ...], columns: Schema) -> str:
        """A leaf of a delta: ``leaves`` knows it as its kind and name, ``before orders``."""
        stands = self._leaves.get(f"{kind} {name}")
        if stands is None:
            raise InternalError(f"nothing stands for {kind} {name}")
        return self._named(kind, _renaming(fields, columns, stands))

    def _join(self, join: Join) -> str:
        left, right = self.add(join.left), self.add(join.right)
        if join.kind is JoinKind.EXISTENCE:
            return self._existence(join, left, right)
        if join.kind is JoinKind.SINGLE:
            return self._single(join, left, right)
        hint = ""
        if join.broadcast is not None:
            hint = f"/*+ BROADCAST({left if join.broadcast is Side.LEFT else right}) */ "
        selected = f"{hint}{_columns(join.columns)}"
        query = f"SELECT {selected}\nFROM {left}\n{_JOINS[join.kind]} {right}"
        if join.condition is not None:
            query += f"\n  ON {text(join.condition)}"
        elif join.kind is not JoinKind.CROSS:
            query += "\n  ON TRUE"
        return self._named("join", query)

    def _existence(self, join: Join, left: str, right: str) -> str:
        where = "" if join.condition is None else f" WHERE {text(join.condition)}"
        flag = f"EXISTS (SELECT 1 FROM {right}{where}) AS {quoted(join.flag or '')}"
        columns = [quoted(c.name) for c in join.left.columns]
        return self._named("join", f"SELECT {', '.join([*columns, flag])}\nFROM {left}")

    def _single(self, join: Join, left: str, right: str) -> str:
        """A correlated scalar subquery keeps Spark's error for a second match."""
        where = "" if join.condition is None else f" WHERE {text(join.condition)}"
        fields = ", ".join(f"'{i}', {quoted(c.name)}" for i, c in enumerate(join.right.columns))
        found = self._unlike_columns("single_match")
        match = f"(SELECT named_struct({fields}) FROM {right}{where}) AS {found}"
        matched = self._named(
            "match", f"SELECT {_columns(join.left.columns, more=True)}{match}\nFROM {left}"
        )
        parts = [quoted(c.name) for c in join.left.columns]
        parts += [f"{found}.`{i}` AS {quoted(c.name)}" for i, c in enumerate(join.right.columns)]
        return self._named("join", f"SELECT {', '.join(parts)}\nFROM {matched}")

    def _aggregate(self, aggregate: Aggregate) -> str:
        source = self.add(aggregate.child)
        parts = [quoted(group.name) for group in aggregate.groups]
        parts += [f"{text(call.call)} AS {quoted(call.name)}" for call in aggregate.calls]
        query = f"SELECT {', '.join(parts) or _NO_COLUMNS}\nFROM {source}"
        if aggregate.groups:
            query += f"\nGROUP BY {', '.join(quoted(g.name) for g in aggregate.groups)}"
        elif not aggregate.calls:
            query = f"SELECT {_NO_COLUMNS}"
        return self._named("aggregate", query)

    def _combined(
        self, kind: str, operator: str, many: tuple[Relation, ...], columns: Schema
    ) -> str:
        """A positional operator; the first input names the columns of the result."""
        selects = []
        for index, relation in enumerate(many):
            source = self.add(relation)
            names = tuple(c.name for c in relation.columns)
            listed = _renamed(names, columns) if index == 0 else _columns(relation.columns)
            selects.append(f"SELECT {listed} FROM {source}")
        return self._named(kind, f"\n{operator}\n".join(selects))

    def _window(self, window: Window) -> str:
        source = self.add(window.child)
        parts = [quoted(c.name) for c in window.child.columns]
        parts += [
            f"{window_text(call.call, window.partition, window.order)} AS {quoted(call.name)}"
            for call in window.calls
        ]
        return self._named("window", f"SELECT {', '.join(parts)}\nFROM {source}")

    def _expand(self, expand: Expand) -> str:
        """One array of structs per row, exploded: the input is read once."""
        source = self.add(expand.child)
        structs = []
        for row in expand.projections:
            cells = ", ".join(
                f"'{i}', CAST({text(cell)} AS {column.type})"
                for i, (cell, column) in enumerate(zip(row, expand.columns, strict=True))
            )
            structs.append(f"named_struct({cells})")
        rows = ",\n  ".join(structs)
        cell = self._unlike_columns("expanded")
        names = ", ".join(f"{cell}.`{i}` AS {quoted(c.name)}" for i, c in enumerate(expand.columns))
        view = f"LATERAL VIEW explode(array(\n  {rows}\n)) exploded AS {cell}"
        return self._named("expand", f"SELECT {names}\nFROM {source}\n{view}")

    def _generate(self, generate: Generate) -> str:
        source = self.add(generate.child)
        outer = "OUTER " if generate.outer else ""
        names = ", ".join(quoted(c.name) for c in generate.produced)
        view = f"LATERAL VIEW {outer}{text(generate.generator)} generated AS {names}"
        if generate.generator.kind in _TABLE_FUNCTIONS_ONLY:
            join = "LEFT JOIN" if generate.outer else "CROSS JOIN"
            view = f"{join} LATERAL {text(generate.generator)} generated ({names})"
        select = f"SELECT {_columns(generate.columns)}\nFROM {source}\n{view}"
        return self._named("generate", select)

    def _top(self, top: TopK) -> str:
        query = f"SELECT {_columns(top.columns)}\nFROM {self.add(top.child)}"
        if top.order:
            query += f"\nORDER BY {order_text(top.order)}"
        if top.limit is not None:
            query += f"\nLIMIT {text(top.limit)}"
        if top.offset is not None:
            query += f"\nOFFSET {text(top.offset)}"
        return self._named("top", query)

    def _recursion(self, recursion: Recursion) -> str:
        """The anchor and the step are statements of their own inside the recursive CTE."""
        anchor, step = (_Program(self._leaves, self._taken) for _ in range(2))
        halves = []
        for program, relation in ((anchor, recursion.anchor), (step, recursion.step)):
            last = program.add(relation)
            halves.append(program.statement(f"SELECT {_columns(relation.columns)} FROM {last}"))
        self._recursive = True
        names = ", ".join(quoted(c.name) for c in recursion.columns)
        depth = f" MAX RECURSION LEVEL {recursion.depth}" if recursion.depth else ""
        body = "\nUNION ALL\n".join(f"(\n{_indented(half)}\n)" for half in halves)
        self._ctes.append((f"{recursion.name} ({names}){depth}", body))
        return recursion.name


def _columns(columns: Schema, more: bool = False) -> str:
    names = [quoted(column.name) for column in columns]
    if more:
        return "".join(f"{name}, " for name in names)
    return ", ".join(names) or _NO_COLUMNS


def _items(items: tuple[Named, ...]) -> str:
    return ", ".join(_item(item.name, item.expression) for item in items) or _NO_COLUMNS


def _item(name: str, expression: Expression) -> str:
    if isinstance(expression, ColumnRef) and expression.name == name:
        return quoted(name)
    return f"{text(expression)} AS {quoted(name)}"


def _renamed(fields: tuple[str, ...], columns: Schema) -> str:
    pairs = zip(fields, columns, strict=True)
    return (
        ", ".join(
            quoted(field) if field == column.name else f"{quoted(field)} AS {quoted(column.name)}"
            for field, column in pairs
        )
        or _NO_COLUMNS
    )


def _own_names(columns: Schema) -> tuple[str, ...]:
    return tuple(column.name for column in columns)


def _renaming(fields: tuple[str, ...], columns: Schema, source: str) -> str:
    return f"SELECT {_renamed(fields, columns)}\nFROM {source}"


def _values(values: Values) -> str:
    if not values.columns:
        return f"SELECT {_NO_COLUMNS}" + ("" if values.rows else " WHERE false")
    if not values.rows:
        nulls = ", ".join(f"CAST(NULL AS {c.type}) AS {quoted(c.name)}" for c in values.columns)
        return f"SELECT {nulls} WHERE false"
    rows = ",\n  ".join(f"({', '.join(text(cell) for cell in row)})" for row in values.rows)
    names = ", ".join(quoted(column.name) for column in values.columns)
    return f"SELECT {names}\nFROM VALUES\n  {rows}\nAS constant ({names})"


def _indented(query: str) -> str:
    """The text two to the right; a name may hold line breaks, which stay as they are."""
    return "  " + _BREAKS.sub(lambda found: found[0] + ("  " if found[0] == "\n" else ""), query)
