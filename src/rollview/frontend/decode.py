"""From the exported plan (plain JSON) to algebra. Knows Catalyst's operators, not Spark itself."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    SortKey,
    WindowCall,
)
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Recursion,
    RecursionInput,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    SingleRow,
    Sort,
    TableFunction,
    TopK,
    Union,
    Values,
    Window,
)
from rollview.algebra.schema import Column, Schema
from rollview.errors import InternalError

Json = dict[str, Any]

_JOIN_KINDS = {
    "Inner": JoinKind.INNER,
    "Cross": JoinKind.CROSS,
    "LeftOuter": JoinKind.LEFT,
    "RightOuter": JoinKind.RIGHT,
    "FullOuter": JoinKind.FULL,
    "LeftSemi": JoinKind.SEMI,
    "LeftAnti": JoinKind.ANTI,
    "ExistenceJoin": JoinKind.EXISTENCE,
    "LeftSingle": JoinKind.SINGLE,
}


class NotDecoded(Exception):
    """An operator that the algebra has no relation for."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def decode(plan: Json, public: tuple[str, ...], sources: dict[str, str]) -> Relation:
    """The algebra of an exported plan; its columns carry the ``public`` names.

    ``sources`` maps the exporter's key of a source to the id that scans use.
    """
    return _Decoder(sources).root(plan, public)


class _Decoder:
    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        self._loops: dict[str, tuple[str, ...]] = {}
        self._recursions = 0

    # --- names ------------------------------------------------------------------------------

    def _unique(self, wanted: str) -> str:
        base = re.sub(r"\W", "_", wanted, flags=re.ASCII).strip("_") or "column"
        base = f"c{base}" if base[0].isdigit() else base[:60]
        name, number = base, 2
        while name.lower() in self._taken:
            name, number = f"{base}_{number}", number + 1
        self._taken.add(name.lower())
        return name

    def _name(self, attribute: Json) -> str:
        key = attribute["c"]
        if key not in self._names:
            self._names[key] = self._unique(attribute["n"])
        return self._names[key]

    def _column(self, attribute: Json) -> Column:
        return Column(self._name(attribute), attribute["t"], attribute["u"])

    def _columns(self, attributes: list[Json]) -> Schema:
        return tuple(self._column(attribute) for attribute in attributes)

    # --- the tree ---------------------------------------------------------------------------

    def root(self, plan: Json, public: tuple[str, ...]) -> Relation:
        plan = _without_top_sort(plan)
        for attribute, name in zip(plan["output"], public, strict=True):
            if attribute["c"] not in self._names and re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
                self._names[attribute["c"]] = self._unique(name)
        relation = _narrowed(self.relation(plan), self._columns(plan["output"]))
        if tuple(column.name for column in relation.columns) == public:
            return relation
        items = tuple(
            Named(name, _reference(column))
            for name, column in zip(public, self._columns(plan["output"]), strict=True)
        )
        if isinstance(relation, Project):
            mine = {item.name: item.expression for item in relation.items}
            items = tuple(Named(i.name, mine[_column_name(i.expression)]) for i in items)
            return Project(relation.child, items)
        return Project(relation, items)

    def relation(self, node: Json) -> Relation:
        method = getattr(self, f"_{node['op'].lower()}", None)
        if method is None:
            raise NotDecoded(node["op"], node["op"])
        relation: Relation = method(node)
        return relation

    def _child(self, node: Json) -> Relation:
        return self.relation(node["children"][0])

    def _same(self, node: Json) -> Relation:
        return self._child(node)

    def _logicalrelation(self, node: Json) -> Relation:
        fields = tuple(attribute["n"] for attribute in node["output"])
        return Scan(self._sources[node["source"]], fields, self._columns(node["output"]))

    def _localrelation(self, node: Json) -> Relation:
        rows = tuple(tuple(_literal(cell) for cell in row) for row in node["rows"])
        return Values(self._columns(node["output"]), rows)

    def _onerowrelation(self, node: Json) -> Relation:
        return Values((), ((),))

    def _range(self, node: Json) -> Relation:
        fields = tuple(attribute["n"] for attribute in node["output"])
        return TableFunction(node["text"], fields, self._columns(node["output"]))

    def _project(self, node: Json) -> Relation:
        scope = _Scope(self, self._child(node))
        items = tuple(
            Named(self._name(item["as"]), scope.expression(item["e"])) for item in node["items"]
        )
        return Project(scope.child, items)

    def _filter(self, node: Json) -> Relation:
        scope = _Scope(self, self._child(node))
        condition = scope.expression(node["condition"])
        return scope.restored(Filter(scope.child, condition))

    def _join(self, node: Json) -> Relation:
        left, right = (self.relation(child) for child in node["children"])
        if node["kind"] not in _JOIN_KINDS:
            raise NotDecoded("Join", node["kind"])
        kind = _JOIN_KINDS[node["kind"]]
        scope = _Scope(self, left)
        condition = scope.expression(node["condition"]) if "condition" in node else None
        flag = self._name(node["flag"]) if "flag" in node else None
        if kind is JoinKind.INNER and condition is None:
            kind = JoinKind.CROSS
        if kind is JoinKind.CROSS and condition is not None:
            kind = JoinKind.INNER
        join = Join(kind, scope.child, right, condition, flag)
        return _narrowed(join, self._columns(node["output"])) if scope.lifted else join

    def _aggregate(self, node: Json) -> Relation:
        scope = _Scope(self, self._child(node))
        groups: dict[str, ColumnRef] = {}
        extra: list[Named] = []
        for group in node["groups"]:
            expression = scope.expression(group)
            if not isinstance(expression, ColumnRef):
                extra.append(Named(self._unique("group"), expression))
                expression = _reference(extra[-1].column)
            groups.setdefault(expression.name, expression)
        calls: dict[AggregateCall, str] = {}
        outer = _Aggregated(self, scope, calls)
        items = [
            Named(self._name(item["as"]), outer.expression(item["e"], self._name(item["as"])))
            for item in node["items"]
        ]
        child = scope.child
        if extra:
            kept = tuple(Named(c.name, _reference(c)) for c in child.columns)
            child = Project(child, (*kept, *extra))
        named = tuple(NamedAggregate(name, call) for call, name in calls.items())
        aggregate = Aggregate(child, tuple(groups.values()), named)
        return _projected(outer.wrap(aggregate), tuple(items))

    def _distinct(self, node: Json) -> Relation:
        return Distinct(self._exact(node["children"][0]))

    def _exact(self, node: Json) -> Relation:
        """The relation with exactly its plan's output columns, for positional operators."""
        return _narrowed(self.relation(node), self._columns(node["output"]))

    def _union(self, node: Json) -> Relation:
        many = tuple(self._exact(child) for child in node["children"])
        return Union(many, self._columns(node["output"]))

    def _intersect(self, node: Json) -> Relation:
        return self._set_operation(node, SetKind.INTERSECT)

    def _except(self, node: Json) -> Relation:
        return self._set_operation(node, SetKind.EXCEPT)

    def _set_operation(self, node: Json, kind: SetKind) -> Relation:
        left, right = (self._exact(child) for child in node["children"])
        return SetOperation(kind, node["all"], left, right, self._columns(node["output"]))

    def _window(self, node: Json) -> Relation:
        scope = _Scope(self, self._child(node))
        partition = tuple(scope.expression(e) for e in node["partition"])
        order = scope.order(node["order"])
        calls = []
        for item in node["items"]:
            window = item["e"]
            if "w" not in window:
                raise NotDecoded("Window", str(item["as"]["n"]))
            calls.append(NamedWindow(self._name(item["as"]), scope.window(window)))
        return scope.restored(Window(scope.child, partition, order, tuple(calls)))

    def _expand(self, node: Json) -> Relation:
        scope = _Scope(self, self._child(node))
        rows = tuple(tuple(scope.expression(e) for e in row) for row in node["projections"])
        return Expand(scope.child, rows, self._columns(node["output"]))

    def _generate(self, node: Json) -> Relation:
        scope = _Scope(self, self._child(node))
        generator = scope.expression(node["generator"])
        if not isinstance(generator, Call):
            raise NotDecoded("Generate", str(node["generator"]))
        produced = self._columns(node["produced"])
        return scope.restored(Generate(scope.child, generator, node["outer"], produced))

    def _sort(self, node: Json) -> Relation:
        if not node["global"]:
            return self._child(node)
        scope = _Scope(self, self._child(node))
        order = scope.order(node["order"])
        return scope.restored(Sort(scope.child, order))

    def _locallimit(self, node: Json) -> Relation:
        return self._globallimit(node)

    def _offset(self, node: Json) -> Relation:
        return self._limited(node["children"][0], None, node["offset"])

    def _globallimit(self, node: Json) -> Relation:
        inner = node["children"][0]
        if inner["op"] == "LocalLimit" and inner["limit"] == node["limit"]:
            inner = inner["children"][0]
        if inner["op"] == "Offset":
            return self._limited(inner["children"][0], node["limit"], inner["offset"])
        return self._limited(inner, node["limit"], None)

    def _limited(self, node: Json, limit: Json | None, offset: Json | None) -> Relation:
        """LIMIT and OFFSET joined with the ORDER BY below, through projections in between."""
        if node["op"] == "Project" and _is_ordered(node):
            below = self._limited(node["children"][0], limit, offset)
            scope = _Scope(self, below)
            items = tuple(
                Named(self._name(item["as"]), scope.expression(item["e"])) for item in node["items"]
            )
            return Project(scope.child, items)
        is_sorted = node["op"] == "Sort" and node["global"]
        scope = _Scope(self, self._child(node) if is_sorted else self.relation(node))
        order = scope.order(node["order"]) if is_sorted else ()
        if not order and isinstance(scope.child, TopK):
            order = scope.child.order
        first = None if limit is None else scope.expression(limit)
        skipped = None if offset is None else scope.expression(offset)
        return scope.restored(TopK(scope.child, order, first, skipped))

    def _unionloop(self, node: Json) -> Relation:
        if node["limited"]:
            raise NotDecoded("UnionLoop", "a recursive CTE with a limit inside")
        columns = self._columns(node["output"])
        self._recursions += 1
        name = f"recursion_{self._recursions}"
        self._loops[node["loop"]] = (name, *(column.name for column in columns))
        anchor, step = (self._exact(child) for child in node["children"])
        return Recursion(name, anchor, step, columns, node.get("depth"))

    def _unionloopref(self, node: Json) -> Relation:
        name, *fields = self._loops[node["loop"]]
        return RecursionInput(name, tuple(fields), self._columns(node["output"]))


class _Scope:
    """Expressions over one input; scalar subqueries in them become joins with that input."""

    def __init__(self, decoder: _Decoder, child: Relation) -> None:
        self._decoder = decoder
        self._original = child.columns
        self.child = child
        self._scalars: dict[str, ColumnRef] = {}

    @property
    def lifted(self) -> bool:
        return bool(self._scalars)

    def expression(self, data: Json) -> Expression:
        if "c" in data:
            return ColumnRef(self._decoder._name(data), data["t"], data["u"])
        if "l" in data:
            return _literal(data)
        if "s" in data:
            return self._scalar(data)
        if "k" in data and "g" not in data:
            args = tuple(self.expression(arg) for arg in data["a"])
            return Call(data["k"], tuple(data["p"]), args, data["t"], data["u"], data["d"])
        raise NotDecoded("Expression", str(data.get("k", "window function")))

    def aggregate(self, data: Json) -> AggregateCall:
        args = tuple(self.expression(arg) for arg in data["a"])
        condition = self.expression(data["filter"]) if "filter" in data else None
        parts = tuple(data["p"])
        kind, distinct = data["k"], data["distinct"]
        return AggregateCall(
            kind, parts, args, data["t"], data["u"], data["d"], distinct, condition
        )

    def window(self, data: Json) -> WindowCall:
        function = data["w"]
        if "g" in function:
            return WindowCall(self.aggregate(function), data["frame"])
        return WindowCall(self.expression(function), data["frame"])

    def order(self, keys: list[Json]) -> tuple[SortKey, ...]:
        return tuple(SortKey(self.expression(k["e"]), k["asc"], k["first"]) for k in keys)

    def restored(self, relation: Relation) -> Relation:
        """The relation without the columns that lifted subqueries added to its input."""
        if not self.lifted:
            return relation
        added = {c.name for c in self.child.columns} - {c.name for c in self._original}
        kept = tuple(c for c in relation.columns if c.name not in added)
        return _narrowed(relation, kept)

    def _scalar(self, data: Json) -> Expression:
        """The value of a scalar subquery; the same one twice is joined once."""
        key = json.dumps(data["s"], sort_keys=True)
        if key not in self._scalars:
            plan = self._decoder._exact(data["s"])
            if not _is_one_row(plan):
                plan = SingleRow(plan, self._decoder._unique("scalar"))
            self.child = Join(JoinKind.CROSS, self.child, plan)
            self._scalars[key] = replace(_reference(plan.columns[0]), nullable=True)
        return self._scalars[key]


class _Aggregated:
    """The output expressions of an aggregate: calls become columns, the rest stays above."""

    def __init__(self, decoder: _Decoder, below: _Scope, calls: dict[AggregateCall, str]) -> None:
        self._decoder = decoder
        self._below = below
        self._calls = calls
        self._above = _Scope(decoder, Values((), ((),)))

    def expression(self, data: Json, name: str | None = None) -> Expression:
        if "g" in data:
            call = self._below.aggregate(data)
            if call not in self._calls:
                self._calls[call] = name or self._decoder._unique(call.kind.lower())
            return ColumnRef(self._calls[call], call.type, call.nullable)
        if "s" in data:
            return self._above.expression(data)
        if "k" in data:
            args = tuple(self.expression(arg) for arg in data["a"])
            return Call(data["k"], tuple(data["p"]), args, data["t"], data["u"], data["d"])
        return self._below.expression(data)

    def wrap(self, relation: Relation) -> Relation:
        """The aggregate, joined with the scalar subqueries of its output expressions."""
        scalars: list[Relation] = []
        joined = self._above.child
        while isinstance(joined, Join):
            scalars.insert(0, joined.right)
            joined = joined.left
        for scalar in scalars:
            relation = Join(JoinKind.CROSS, relation, scalar)
        return relation


def _projected(relation: Relation, items: tuple[Named, ...]) -> Relation:
    same = len(items) == len(relation.columns) and all(
        isinstance(i.expression, ColumnRef) and i.name == i.expression.name == c.name
        for i, c in zip(items, relation.columns, strict=True)
    )
    return relation if same else Project(relation, items)


def _narrowed(relation: Relation, columns: Schema) -> Relation:
    """The relation with exactly these of its columns, in this order."""
    if tuple(c.name for c in relation.columns) == tuple(c.name for c in columns):
        return relation
    return Project(relation, tuple(Named(c.name, _reference(c)) for c in columns))


def _reference(column: Column) -> ColumnRef:
    return ColumnRef(column.name, column.type, column.nullable)


def _column_name(expression: Expression) -> str:
    if not isinstance(expression, ColumnRef):
        raise InternalError("expected a column reference")
    return expression.name


def _literal(data: Json) -> Literal:
    return Literal(data["l"], data["t"], data["u"])


def _is_one_row(relation: Relation) -> bool:
    match relation:
        case Aggregate(groups=()):
            return True
        case Project(child=child):
            return _is_one_row(child)
        case _:
            return False


def _is_ordered(plan: Json) -> bool:
    """Whether the rows come in an order, through operators that keep it."""
    if plan["op"] == "Sort":
        return bool(plan["global"])
    kept = plan["op"] in ("Project", "GlobalLimit", "LocalLimit", "Offset")
    return kept and _is_ordered(plan["children"][0])


def _without_top_sort(plan: Json) -> Json:
    """ORDER BY at the top means nothing for stored rows."""
    if plan["op"] == "Sort":
        return _without_top_sort(plan["children"][0])
    if plan["op"] in ("Project", "Same"):
        return {**plan, "children": [_without_top_sort(plan["children"][0])]}
    return plan
