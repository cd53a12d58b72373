"""Accesses: how little of a table is enough for a definition, in each place where it reads one.

An access lets through the rows that conditions on the table alone select, in the columns that
anything above asks for. Where a foreign key leads to a parent of which rows are selected, rows
without such a parent are left out as well, by a semi join. So are the auxiliary views of Quass,
Gupta, Mumick, Widom (1996), who call columns of conditions *exposed*: an update of one of the
parent's brings back rows that were left out.

The relation with accesses has the rows of the relation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from rollview.algebra.expressions import (
    ColumnRef,
    Expression,
    binary,
    conjunction,
    conjuncts,
)
from rollview.algebra.printer import show
from rollview.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Recursion,
    Relation,
    Scan,
    Sort,
)
from rollview.algebra.traverse import (
    column_names,
    expressions,
    inputs,
    substitute,
    transform_up,
    walk,
    walk_expression,
    with_inputs,
)
from rollview.analysis.constraints import NONE, Constraints, ForeignKey
from rollview.analysis.lineage import Origin, origin_of
from rollview.analysis.pruning import needed_names

_CLOCK = ("CurrentDate", "CurrentTimestamp", "Now", "LocalTimestamp", "CurrentTime")
_INNER = (JoinKind.INNER, JoinKind.CROSS)
_ASKING = (JoinKind.SEMI, JoinKind.ANTI, JoinKind.EXISTENCE, JoinKind.SINGLE)


@dataclass(frozen=True, slots=True)
class Access:
    """One place where a definition reads a table, cut down: what an auxiliary view would hold.

    ``relation`` stands in the definition. ``fields`` are the columns of the table that it keeps,
    ``conditions`` what its rows satisfy; ``parents`` are the foreign keys by which rows without a
    selected parent are left out, each with the access of that parent.
    """

    relation: Relation
    table: str
    fields: tuple[str, ...]
    conditions: tuple[Expression, ...]
    parents: tuple[tuple[ForeignKey, Access], ...] = ()

    @property
    def is_selected(self) -> bool:
        """Whether rows are left out."""
        return bool(self.conditions or self.parents)

    def is_copy(self, columns: int) -> bool:
        """Whether this is all of a table that has so many columns."""
        return not self.is_selected and len(self.fields) == columns

    @property
    def name(self) -> str:
        """What it holds, in a line of SQL; one of the same name holds the same."""
        names = _field_names(self.relation)
        text = f"SELECT {', '.join(self.fields)} FROM {self.table}"
        rows = [show(substitute(condition, names)) for condition in self.conditions]
        rows += [_has_parent(key, parent) for key, parent in self.parents]
        return f"{text} WHERE {' AND '.join(rows)}" if rows else text


def _has_parent(key: ForeignKey, parent: Access) -> str:
    columns = ", ".join(key.columns)
    inner = replace(parent, fields=key.parent_columns)
    return (
        f"({columns}) IN ({inner.name})" if len(key.columns) > 1 else f"{columns} IN ({inner.name})"
    )


def _field_names(relation: Relation) -> dict[str, Expression]:
    """The columns of the scans of a relation by the names that the tables give them."""
    found: dict[str, Expression] = {}
    for node in walk(relation):
        if isinstance(node, Scan):
            for name, column in zip(node.fields, node.columns, strict=True):
                found[column.name] = ColumnRef(name, column.type, column.nullable)
    return found


@dataclass(frozen=True, slots=True)
class Accesses:
    """A relation that reads its tables through accesses; those of parents come before children."""

    relation: Relation
    all: tuple[Access, ...]

    def reading(self, columns: Iterable[str]) -> Access | None:
        """The access whose scan has these columns."""
        wanted = set(columns)
        for one in self.all:
            scans = (node for node in _own(one.relation) if isinstance(node, Scan))
            if any(wanted & {column.name for column in scan.columns} for scan in scans):
                return one
        return None


def _own(relation: Relation) -> Iterable[Relation]:
    """The nodes of an access without its parents."""
    yield relation
    below = inputs(relation)
    for child in below[:1]:
        yield from _own(child)


def accesses(relation: Relation, constraints: Constraints = NONE) -> Accesses:
    """The same relation, with every table cut down where it is read.

    With foreign keys, also to the rows whose parents are selected.
    """
    pushed = _pushed(relation, ())
    needed = needed_names(transform_up(pushed, _without_own_filter))
    found: dict[Relation, Access] = {}

    def narrow(node: Relation) -> Relation:
        if _scan_of(node) is None:
            return node
        access = _narrowed(node, needed)
        found[access.relation] = access
        return access.relation

    narrow_all = _replaced(pushed, narrow)
    if not constraints:
        return Accesses(narrow_all, tuple(found.values()))
    return _reduced(narrow_all, found, constraints)


def _replaced(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """The relation with whole accesses changed; what a recursion does in rounds stays."""
    if isinstance(relation, Recursion):
        return replace(relation, anchor=_replaced(relation.anchor, change))
    if _scan_of(relation) is not None:
        return change(relation)
    return with_inputs(relation, tuple(_replaced(child, change) for child in inputs(relation)))


def _scan_of(relation: Relation) -> Scan | None:
    """The scan, if the relation is one, filtered at most."""
    match relation:
        case Scan():
            return relation
        case Filter(child=Scan() as scan, condition=condition) if not _reads_clock(condition):
            return scan
        case _:
            return None


def _without_own_filter(node: Relation) -> Relation:
    return _scan_of(node) or node


def _narrowed(node: Relation, needed: frozenset[str]) -> Access:
    """The columns of a filtered scan that are asked for above it; one at least."""
    scan = _scan_of(node) or node
    conditions = conjuncts(node.condition) if isinstance(node, Filter) else ()
    pairs = tuple(zip(getattr(scan, "fields", ()), scan.columns, strict=True))
    kept = tuple(pair for pair in pairs if pair[1].name in needed) or pairs[:1]
    source = scan.source if isinstance(scan, Scan) else ""
    fields = tuple(field for field, _ in kept)
    if len(kept) == len(pairs):
        return Access(node, source, fields, conditions)
    items = tuple(Named(c.name, ColumnRef(c.name, c.type, c.nullable)) for _, c in kept)
    return Access(Project(node, items), source, fields, conditions)


# --- selections, as far down as they can be decided ------------------------------------------


def _pushed(relation: Relation, conditions: tuple[Expression, ...]) -> Relation:
    """The rows of the relation that satisfy the conditions, which are tested as early as can be."""
    match relation:
        case Filter(child=child, condition=condition):
            own = conjuncts(condition)
            early = tuple(c for c in own if _is_movable(c))
            late = conjunction(c for c in own if c not in early)
            below = _pushed(child, (*early, *conditions)) if late is None else _pushed(child, early)
            return below if late is None else _filtered(Filter(below, late), conditions)
        case Project(child=child, items=items):
            values = {item.name: item.expression for item in items}
            if not all(value.deterministic for value in values.values()):
                return _filtered(with_inputs(relation, (_pushed(child, ()),)), conditions)
            moved = tuple(substitute(condition, values) for condition in conditions)
            return Project(_pushed(child, moved), items)
        case Sort(child=child):
            return with_inputs(relation, (_pushed(child, conditions),))
        case Join(kind=kind) if kind in _INNER:
            return _into_both(relation, conditions)
        case Join(kind=kind) if kind in (*_ASKING, JoinKind.LEFT):
            return _into_left(relation, conditions)
        case Recursion(anchor=anchor):
            return _filtered(replace(relation, anchor=_pushed(anchor, ())), conditions)
        case _:
            below_all = tuple(_pushed(child, ()) for child in inputs(relation))
            return _filtered(with_inputs(relation, below_all), conditions)


def _filtered(relation: Relation, conditions: tuple[Expression, ...]) -> Relation:
    whole = conjunction(conditions)
    return relation if whole is None else Filter(relation, whole)


def _is_movable(condition: Expression) -> bool:
    if not condition.deterministic or not column_names(condition):
        return False
    return not _reads_clock(condition)


def _reads_clock(condition: Expression) -> bool:
    """Whether rows come and go by it without being changed."""
    return any(getattr(part, "kind", "") in _CLOCK for part in walk_expression(condition))


def _into_both(join: Join, conditions: tuple[Expression, ...]) -> Relation:
    left = frozenset(column.name for column in join.left.columns)
    right = frozenset(column.name for column in join.right.columns)
    own = conjuncts(join.condition)
    early = (*(c for c in own if _is_movable(c)), *conditions)
    to_left = tuple(c for c in early if column_names(c) <= left)
    to_right = tuple(c for c in early if c not in to_left and column_names(c) <= right)
    moved = (*to_left, *to_right)
    stays = conjunction(c for c in (*own, *conditions) if c not in moved)
    kind = JoinKind.CROSS if stays is None else JoinKind.INNER
    return Join(kind, _pushed(join.left, to_left), _pushed(join.right, to_right), stays)


def _into_left(join: Join, conditions: tuple[Expression, ...]) -> Relation:
    """Conditions above are decided by the left; those of the join's own on the right, there."""
    left = frozenset(column.name for column in join.left.columns)
    right = frozenset(column.name for column in join.right.columns)
    to_left = tuple(c for c in conditions if column_names(c) <= left)
    own = conjuncts(join.condition)
    to_right = tuple(c for c in own if _is_movable(c) and column_names(c) <= right)
    rest = conjunction(c for c in own if c not in to_right)
    if rest is None and join.condition is not None:
        to_right, rest = (), join.condition
    below = replace(
        join, left=_pushed(join.left, to_left), right=_pushed(join.right, to_right), condition=rest
    )
    return _filtered(below, tuple(c for c in conditions if c not in to_left))


# --- rows without a selected parent ----------------------------------------------------------


def _reduced(
    relation: Relation, found: dict[Relation, Access], constraints: Constraints
) -> Accesses:
    """Accesses in one tree of inner joins, cut down to the rows that have a selected parent."""
    now: dict[Relation, Access] = {}
    for members, equal in _trees(relation, found):
        links = {
            child: tuple(_links(child, members, equal, found, constraints)) for child in members
        }
        for child in members:
            _settle(child, links, found, now, ())
    for node, access in found.items():
        now.setdefault(node, access)
    changed = _exchanged(relation, {node: access.relation for node, access in now.items()})
    return Accesses(changed, _parents_first(now.values()))


def _exchanged(relation: Relation, new: dict[Relation, Relation]) -> Relation:
    if relation in new:
        return new[relation]
    if isinstance(relation, Recursion):
        return replace(relation, anchor=_exchanged(relation.anchor, new))
    return with_inputs(relation, tuple(_exchanged(child, new) for child in inputs(relation)))


Link = tuple[ForeignKey, Relation, tuple[tuple[str, str], ...]]


def _trees(
    relation: Relation, found: dict[Relation, Access]
) -> Iterable[tuple[tuple[Relation, ...], frozenset[tuple[str, str]]]]:
    """The accesses of every tree of inner joins, and the pairs of columns that it equates."""
    pending = [relation]
    while pending:
        node = pending.pop()
        if node in found:
            continue
        if isinstance(node, Join) and node.kind in _INNER:
            parts: list[Relation] = []
            members: list[Relation] = []
            _gather(node, found, parts, members, pending)
            pairs = frozenset(
                pair
                for part in parts
                for condition in expressions(part)
                if isinstance(part, Join | Filter)
                for pair in _equated(condition)
            )
            yield tuple(dict.fromkeys(members)), _closed(pairs)
        else:
            pending += inputs(node)


def _closed(pairs: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """What equals the same is equal."""
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c and a != d} - pairs
        if not more:
            return pairs
        pairs |= more


def _gather(
    node: Relation,
    found: dict[Relation, Access],
    parts: list[Relation],
    members: list[Relation],
    others: list[Relation],
) -> None:
    if node in found:
        members.append(node)
    elif (isinstance(node, Join) and node.kind in _INNER) or isinstance(node, Filter | Project):
        parts.append(node)
        for child in inputs(node):
            _gather(child, found, parts, members, others)
    else:
        others.append(node)


def _equated(condition: object) -> Iterable[tuple[str, str]]:
    for part in conjuncts(condition):  # type: ignore[arg-type]
        if getattr(part, "kind", "") == "EqualTo":
            one, two = part.args  # type: ignore[union-attr]
            if isinstance(one, ColumnRef) and isinstance(two, ColumnRef):
                yield one.name, two.name
                yield two.name, one.name


def _links(
    child: Relation,
    members: tuple[Relation, ...],
    equal: frozenset[tuple[str, str]],
    found: dict[Relation, Access],
    constraints: Constraints,
) -> Iterable[Link]:
    """The parents that a member is joined to along foreign keys."""
    for parent in members:
        if parent == child:
            continue
        for key in constraints.references(found[child].table, found[parent].table):
            pairs = tuple(
                (one.name, two.name)
                for field, above in zip(key.columns, key.parent_columns, strict=True)
                for one in child.columns
                if origin_of(child, one.name) == Origin(key.table, field)
                for two in parent.columns
                if origin_of(parent, two.name) == Origin(key.parent, above)
                and (one.name, two.name) in equal
            )
            if len(pairs) == len(key.columns):
                yield key, parent, pairs


def _settle(
    child: Relation,
    links: dict[Relation, tuple[Link, ...]],
    found: dict[Relation, Access],
    now: dict[Relation, Access],
    below: tuple[Relation, ...],
) -> Access:
    """The access with semi joins to its selected parents, which are settled before it."""
    if child in now:
        return now[child]
    access = found[child]
    for key, parent, pairs in links.get(child, ()):
        if parent in (child, *below):
            continue
        above = _settle(parent, links, found, now, (*below, child))
        if above.is_selected:
            access = _with_parent(access, key, above, pairs)
    now[child] = access
    return access


def _with_parent(
    access: Access, key: ForeignKey, parent: Access, pairs: tuple[tuple[str, str], ...]
) -> Access:
    """Only the rows whose parent is selected; the parent is read under other names."""
    own = {column.name: column for column in access.relation.columns}
    above = {column.name: column for column in parent.relation.columns}
    items, parts = [], []
    for one, two in pairs:
        name = f"{two}__of_{one}"
        column = above[two]
        items.append(Named(name, ColumnRef(two, column.type, column.nullable)))
        left = ColumnRef(one, own[one].type, own[one].nullable)
        right = ColumnRef(name, column.type, column.nullable)
        parts.append(binary("EqualTo", "=", left, right, "BOOLEAN"))
    some = Project(parent.relation, tuple(items))
    relation = Join(JoinKind.SEMI, access.relation, some, conjunction(parts))
    return replace(access, relation=relation, parents=(*access.parents, (key, parent)))


def _parents_first(some: Iterable[Access]) -> tuple[Access, ...]:
    ordered: dict[Relation, Access] = {}

    def put(access: Access) -> None:
        for _, parent in access.parents:
            put(parent)
        ordered.setdefault(access.relation, access)

    for access in some:
        put(access)
    return tuple(ordered.values())
