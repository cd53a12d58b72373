"""Tables cut down: how little of one is enough for a definition, where it reads it.

An access lets through the rows that conditions on the table alone select, in the columns that
anything above asks for. Where a foreign key leads to a parent of which rows are selected, rows
without such a parent are left out as well, by a semi join. So are the auxiliary views of Quass,
Gupta, Mumick, Widom (1996), who call columns of conditions *exposed*: an update of one of the
parent's brings back rows that were left out.

The relation with accesses has the rows of the relation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rollview.algebra.expressions import (
    Call,
    ColumnRef,
    Expression,
    binary,
    conjunction,
    conjuncts,
)
from rollview.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Named,
    Project,
    Recursion,
    Relation,
    Scan,
)
from rollview.algebra.traverse import inputs, transform_up, with_inputs
from rollview.analysis.accesses import Access, Accesses
from rollview.analysis.constraints import NONE, Constraints, ForeignKey
from rollview.analysis.lineage import Origin, origin_of
from rollview.analysis.pruning import needed_names
from rollview.analysis.selection import pushed, reads_clock

_INNER = (JoinKind.INNER, JoinKind.CROSS)


def accesses(relation: Relation, constraints: Constraints = NONE) -> Accesses:
    """The same relation, with every table cut down where it is read.

    With foreign keys, also to the rows whose parents are selected.
    """
    early = pushed(relation)
    needed = needed_names(transform_up(early, lambda node: _scan_of(node) or node))
    found: dict[Relation, Access] = {}

    def narrow(node: Relation) -> Relation:
        scan = _scan_of(node)
        if scan is None:
            return node
        access = _narrowed(node, scan, needed)
        found[access.relation] = access
        return access.relation

    narrow_all = _replaced(early, narrow)
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
        case Filter(child=Scan() as scan, condition=condition) if not reads_clock(condition):
            return scan
        case _:
            return None


def _narrowed(node: Relation, scan: Scan, needed: frozenset[str]) -> Access:
    """The columns of a filtered scan that are asked for above it; one at least."""
    conditions = conjuncts(node.condition) if isinstance(node, Filter) else ()
    pairs = tuple(zip(scan.fields, scan.columns, strict=True))
    kept = tuple(pair for pair in pairs if pair[1].name in needed) or pairs[:1]
    fields = tuple(field for field, _ in kept)
    if len(kept) == len(pairs):
        return Access(node, scan.source, fields, conditions)
    items = tuple(Named(c.name, ColumnRef(c.name, c.type, c.nullable)) for _, c in kept)
    return Access(Project(node, items), scan.source, fields, conditions)


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
            parts: list[Join | Filter] = []
            members: list[Relation] = []
            _gather(node, found, parts, members, pending)
            pairs = frozenset(pair for part in parts for pair in _equated(part.condition))
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
    parts: list[Join | Filter],
    members: list[Relation],
    others: list[Relation],
) -> None:
    if node in found:
        members.append(node)
    elif (isinstance(node, Join) and node.kind in _INNER) or isinstance(node, Filter | Project):
        if not isinstance(node, Project):
            parts.append(node)
        for child in inputs(node):
            _gather(child, found, parts, members, others)
    else:
        others.append(node)


def _equated(condition: Expression | None) -> Iterable[tuple[str, str]]:
    for part in conjuncts(condition):
        if isinstance(part, Call) and part.kind == "EqualTo":
            one, two = part.args
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
