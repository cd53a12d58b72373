"""From the exported plan (plain JSON) to algebra. Knows Catalyst's operators, not Spark itself."""

from __future__ import annotations

from typing import Any

from rollview.algebra.expressions import Call, ColumnRef, Expression
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
    Sort,
    TableFunction,
    TopK,
    Union,
    Values,
    Window,
)
from rollview.errors import InternalError
from rollview.frontend.names import Names
from rollview.frontend.subqueries import (
    Aggregated,
    NotDecoded,
    Scope,
    literal,
    narrowed,
    reference,
)

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


def decode(plan: Json, public: tuple[str, ...], sources: dict[str, str]) -> Relation:
    """The algebra of an exported plan; its columns carry the ``public`` names.

    ``sources`` maps the exporter's key of a source to the id that scans use.
    """
    return _Decoder(sources).root(plan, public)


class _Decoder:
    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources
        self._names = Names()
        self._loops: dict[str, tuple[str, ...]] = {}
        self._recursions = 0

    def root(self, plan: Json, public: tuple[str, ...]) -> Relation:
        plan = _without_top_sort(plan)
        for attribute, name in zip(plan["output"], public, strict=True):
            self._names.prefer(attribute, name)
        relation = narrowed(self.relation(plan), self._names.columns(plan["output"]))
        if tuple(column.name for column in relation.columns) == public:
            return relation
        items = tuple(
            Named(name, reference(column))
            for name, column in zip(public, self._names.columns(plan["output"]), strict=True)
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

    def _scope(self, child: Relation) -> Scope:
        return Scope(self._names, self._exact, child)

    def _child(self, node: Json) -> Relation:
        return self.relation(node["children"][0])

    def _same(self, node: Json) -> Relation:
        return self._child(node)

    def _logicalrelation(self, node: Json) -> Relation:
        fields = tuple(attribute["n"] for attribute in node["output"])
        return Scan(self._sources[node["source"]], fields, self._names.columns(node["output"]))

    def _localrelation(self, node: Json) -> Relation:
        rows = tuple(tuple(literal(cell) for cell in row) for row in node["rows"])
        return Values(self._names.columns(node["output"]), rows)

    def _onerowrelation(self, node: Json) -> Relation:
        return Values((), ((),))

    def _range(self, node: Json) -> Relation:
        fields = tuple(attribute["n"] for attribute in node["output"])
        return TableFunction(node["text"], fields, self._names.columns(node["output"]))

    def _project(self, node: Json) -> Relation:
        scope = self._scope(self._child(node))
        items = tuple(
            Named(self._names.name(item["as"]), scope.expression(item["e"]))
            for item in node["items"]
        )
        return Project(scope.child, items)

    def _filter(self, node: Json) -> Relation:
        scope = self._scope(self._child(node))
        condition = scope.expression(node["condition"])
        return scope.restored(Filter(scope.child, condition))

    def _join(self, node: Json) -> Relation:
        left, right = (self.relation(child) for child in node["children"])
        if node["kind"] not in _JOIN_KINDS:
            raise NotDecoded("Join", node["kind"])
        kind = _JOIN_KINDS[node["kind"]]
        scope = self._scope(left)
        condition = scope.expression(node["condition"]) if "condition" in node else None
        flag = self._names.name(node["flag"]) if "flag" in node else None
        if kind is JoinKind.INNER and condition is None:
            kind = JoinKind.CROSS
        if kind is JoinKind.CROSS and condition is not None:
            kind = JoinKind.INNER
        join = Join(kind, scope.child, right, condition, flag)
        return narrowed(join, self._names.columns(node["output"])) if scope.lifted else join

    def _aggregate(self, node: Json) -> Relation:
        scope = self._scope(self._child(node))
        groups: dict[str, ColumnRef] = {}
        extra: list[Named] = []
        for group in node["groups"]:
            expression = scope.expression(group)
            if not isinstance(expression, ColumnRef):
                extra.append(Named(self._names.unique("group"), expression))
                expression = reference(extra[-1].column)
            groups.setdefault(expression.name, expression)
        outer = Aggregated(self._names, self._exact, scope)
        items = [
            Named(
                self._names.name(item["as"]),
                outer.expression(item["e"], self._names.name(item["as"])),
            )
            for item in node["items"]
        ]
        child = scope.child
        if extra:
            kept = tuple(Named(c.name, reference(c)) for c in child.columns)
            child = Project(child, (*kept, *extra))
        named = tuple(NamedAggregate(name, call) for call, name in outer.calls.items())
        aggregate = Aggregate(child, tuple(groups.values()), named)
        return _projected(outer.wrap(aggregate), tuple(items))

    def _distinct(self, node: Json) -> Relation:
        return Distinct(self._exact(node["children"][0]))

    def _exact(self, node: Json) -> Relation:
        """The relation with exactly its plan's output columns, for positional operators."""
        return narrowed(self.relation(node), self._names.columns(node["output"]))

    def _union(self, node: Json) -> Relation:
        many = tuple(self._exact(child) for child in node["children"])
        return Union(many, self._names.columns(node["output"]))

    def _intersect(self, node: Json) -> Relation:
        return self._set_operation(node, SetKind.INTERSECT)

    def _except(self, node: Json) -> Relation:
        return self._set_operation(node, SetKind.EXCEPT)

    def _set_operation(self, node: Json, kind: SetKind) -> Relation:
        left, right = (self._exact(child) for child in node["children"])
        return SetOperation(kind, node["all"], left, right, self._names.columns(node["output"]))

    def _window(self, node: Json) -> Relation:
        scope = self._scope(self._child(node))
        partition = tuple(scope.expression(e) for e in node["partition"])
        order = scope.order(node["order"])
        calls = []
        for item in node["items"]:
            window = item["e"]
            if "w" not in window:
                raise NotDecoded("Window", str(item["as"]["n"]))
            calls.append(NamedWindow(self._names.name(item["as"]), scope.window(window)))
        return scope.restored(Window(scope.child, partition, order, tuple(calls)))

    def _expand(self, node: Json) -> Relation:
        scope = self._scope(self._child(node))
        rows = tuple(tuple(scope.expression(e) for e in row) for row in node["projections"])
        return Expand(scope.child, rows, self._names.columns(node["output"]))

    def _generate(self, node: Json) -> Relation:
        scope = self._scope(self._child(node))
        generator = scope.expression(node["generator"])
        if not isinstance(generator, Call):
            raise NotDecoded("Generate", str(node["generator"]))
        produced = self._names.columns(node["produced"])
        return scope.restored(Generate(scope.child, generator, node["outer"], produced))

    def _sort(self, node: Json) -> Relation:
        if not node["global"]:
            return self._child(node)
        scope = self._scope(self._child(node))
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
            scope = self._scope(below)
            items = tuple(
                Named(self._names.name(item["as"]), scope.expression(item["e"]))
                for item in node["items"]
            )
            return Project(scope.child, items)
        is_sorted = node["op"] == "Sort" and node["global"]
        scope = self._scope(self._child(node) if is_sorted else self.relation(node))
        order = scope.order(node["order"]) if is_sorted else ()
        if not order and isinstance(scope.child, TopK):
            order = scope.child.order
        first = None if limit is None else scope.expression(limit)
        skipped = None if offset is None else scope.expression(offset)
        return scope.restored(TopK(scope.child, order, first, skipped))

    def _unionloop(self, node: Json) -> Relation:
        if node["limited"]:
            raise NotDecoded("UnionLoop", "a recursive CTE with a limit inside")
        columns = self._names.columns(node["output"])
        self._recursions += 1
        name = f"recursion_{self._recursions}"
        self._loops[node["loop"]] = (name, *(column.name for column in columns))
        anchor, step = (self._exact(child) for child in node["children"])
        return Recursion(name, anchor, step, columns, node.get("depth"))

    def _unionloopref(self, node: Json) -> Relation:
        name, *fields = self._loops[node["loop"]]
        return RecursionInput(name, tuple(fields), self._names.columns(node["output"]))


def _projected(relation: Relation, items: tuple[Named, ...]) -> Relation:
    same = len(items) == len(relation.columns) and all(
        isinstance(i.expression, ColumnRef) and i.name == i.expression.name == c.name
        for i, c in zip(items, relation.columns, strict=True)
    )
    return relation if same else Project(relation, items)


def _column_name(expression: Expression) -> str:
    if not isinstance(expression, ColumnRef):
        raise InternalError("expected a column reference")
    return expression.name


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
