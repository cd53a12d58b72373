"""Images: the rows of any relation before or after the change, all or under keys.

An image under keys is exactly the rows whose key is among the keys. The keys are pushed down to
the scans as far as the operators allow: through projections by substitution, into both inputs of a
join, to the rows of the groups of an aggregate, to the partitions of a window. A kept operator is
not evaluated at all: its rows before are its state, its rows after are what its rule found, or else
its state with the change made to it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from rollview.algebra.expressions import ColumnRef, Expression, Literal, conjunction, same, typed
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
from rollview.algebra.schema import Column, Schema
from rollview.algebra.traverse import (
    column_names,
    inputs,
    substitute,
    walk_expression,
    with_inputs,
)
from rollview.maintenance.flow import Flow, Moment
from rollview.maintenance.kept_rows import brought_forward
from rollview.maintenance.keys import Keys, equalities, names_of, restrict
from rollview.maintenance.outward import flatten, outwards
from rollview.maintenance.reads import label
from rollview.maintenance.reasons import all_alike, no_equality, not_at_hand
from rollview.maintenance.signed import keep, named, reference, references


def image(flow: Flow, relation: Relation, moment: Moment, keys: Keys | None) -> Relation:
    """The rows of the relation at a moment, under keys if there are any."""
    kept = flow.kept(relation)
    if kept is not None:
        state = State(kept.name, kept.columns)
        return restrict(state if moment is Moment.BEFORE else _now(flow, relation, state), keys)
    return evaluated(flow, relation, moment, keys)


def _now(flow: Flow, relation: Relation, state: State) -> Relation:
    """The rows of a kept operator after the change: as its rule says, else by what changed."""
    change, known = flow.delta(relation), flow.known_after(relation)
    if change is None or known is not None:
        return known or state
    return brought_forward(flow, state, change)


def evaluated(flow: Flow, relation: Relation, moment: Moment, keys: Keys | None) -> Relation:
    """The same, but from the inputs of the relation even if its own rows are kept."""
    if keys is not None and keys.on and not keys.names:
        keys = _of_constants(flow, relation, keys)
    if isinstance(relation, Scan):
        return restrict(_table(flow, relation, moment), keys)
    if isinstance(relation, Filter):
        relation = Filter(relation.child, flow.condition(relation, moment))
    if keys is None:
        if isinstance(relation, Recursion):
            return _recursion(flow, relation, moment)
        below = tuple(image(flow, child, moment, None) for child in inputs(relation))
        return with_inputs(relation, below)
    if not keys.on:  # all rows belong to the only key, if there is one
        return restrict(evaluated(flow, relation, moment, None), keys)
    return _under(flow, relation, moment, keys)


def _table(flow: Flow, scan: Scan, moment: Moment) -> Relation:
    if moment is Moment.BEFORE and flow.source_changed(scan.source):
        return Before(scan.source, scan.fields, scan.columns)
    return After(scan.source, scan.fields, scan.columns)


def _recursion(flow: Flow, recursion: Recursion, moment: Moment) -> Relation:
    anchor = image(flow, recursion.anchor, moment, None)
    return replace(recursion, anchor=anchor, step=evaluated(flow, recursion.step, moment, None))


def _under(  # noqa: C901 - one case per relation
    flow: Flow, relation: Relation, moment: Moment, keys: Keys
) -> Relation:
    match relation:
        case Project(child=child, items=items):
            return Project(image(flow, child, moment, _through(flow, keys, relation)), items)
        case Filter(child=child, condition=condition):
            return Filter(image(flow, child, moment, keys), condition)
        case Sort(child=child):
            return with_inputs(relation, (image(flow, child, moment, keys),))
        case Distinct(child=child) if _is_faithful(keys):
            return with_inputs(relation, (image(flow, child, moment, keys),))
        case SetOperation() if not _is_faithful(keys):
            pass
        case Union(columns=columns) | SetOperation(columns=columns):
            below = tuple(
                image(flow, child, moment, _renamed(keys, columns, child.columns))
                for child in inputs(relation)
            )
            return with_inputs(relation, below)
        case Join(kind=JoinKind.INNER | JoinKind.CROSS):
            return _inner(flow, relation, moment, keys)
        case Join():
            return _matched(flow, relation, moment, keys)
        case Aggregate(child=child, groups=groups):
            positions = _faithful(keys, _over(keys, frozenset(group.name for group in groups)))
            if positions:
                return _partly(flow, relation, child, moment, keys, positions)
        case Window(child=child, partition=partition):
            names = frozenset(p.name for p in partition if isinstance(p, ColumnRef))
            positions = _faithful(keys, _over(keys, names))
            if positions:
                return _partly(flow, relation, child, moment, keys, positions)
            if partition and _over(keys, names_of(child)):
                return _by_partition(flow, relation, moment, keys)
        case Generate(child=child):
            positions = _over(keys, names_of(child))
            if positions:
                return _partly(flow, relation, child, moment, keys, positions)
        case Expand(child=child, columns=columns, projections=projections):
            values = _everywhere(columns, projections)
            if keys.names <= values.keys():
                on = tuple(substitute(e, values) for e in keys.expressions)
                return with_inputs(relation, (image(flow, child, moment, keys.over(on)),))
            return image(flow, flow.as_form(relation, _copies(relation)), moment, keys)
        case TopK() | SingleRow() | Recursion() | Distinct():
            pass
        case Values() | TableFunction() | RecursionInput():
            return restrict(relation, keys)
        case Scan() | Changes() | Before() | After() | State() | Temporary():
            return restrict(relation, keys)
        case _:
            assert_never(relation)
    return _whole(flow, relation, moment, keys)


def _whole(flow: Flow, relation: Relation, moment: Moment, keys: Keys) -> Relation:
    """All rows, cut down to the keys only then."""
    flow.blame(relation, not_at_hand(relation), when=keys.relation)
    return _cut(flow, evaluated(flow, relation, moment, None), keys)


def _cut(flow: Flow, relation: Relation, keys: Keys) -> Relation:
    """The rows under the keys; Spark would evaluate keys that tell too much below the relation."""
    if not _is_faithful(keys):
        relation = flow.hold(relation, "rows")
    return restrict(relation, keys)


def _over(keys: Keys, names: frozenset[str]) -> list[int]:
    """The positions of the keys that are over these columns alone."""
    used = [column_names(e) for e in keys.expressions]
    return [i for i, own in enumerate(used) if own and own <= names]


def _faithful(keys: Keys, positions: list[int]) -> list[int]:
    """Those of the keys that never tell rows apart which the relation takes for equal.

    0.0 equals -0.0, and values of a collation equal others; an expression may see the difference.
    """
    return [i for i in positions if _tells_no_more(keys.expressions[i])]


def _is_faithful(keys: Keys) -> bool:
    return all(_tells_no_more(e) for e in keys.expressions)


def _tells_no_more(expression: Expression) -> bool:
    if isinstance(expression, ColumnRef):
        return True
    types = [e.type for e in walk_expression(expression) if isinstance(e, ColumnRef)]
    return not any(word in type for type in types for word in ("FLOAT", "DOUBLE", "COLLATE"))


def _partly(
    flow: Flow, relation: Relation, child: Relation, moment: Moment, keys: Keys, on: list[int]
) -> Relation:
    """The relation over the rows that some of the keys lead to; the other keys on top."""
    below = with_inputs(relation, (image(flow, child, moment, _some(flow, keys, on)),))
    return below if len(on) == len(keys.on) else _cut(flow, below, keys)


def _by_partition(flow: Flow, window: Window, moment: Moment, keys: Keys) -> Relation:
    """Keys that are no partition lead to rows, and these to the partitions that are evaluated."""
    child = window.child
    some = _some(flow, keys, _over(keys, names_of(child)))
    reached = flow.hold(image(flow, child, moment, some), "reached")
    partitions = flow.keys(reached, window.partition)
    return _cut(flow, with_inputs(window, (image(flow, child, moment, partitions),)), keys)


def _copies(expand: Expand) -> Union:
    """Grouping sets one by one: keys with NULL for a column lead to the sets without it."""
    columns = expand.columns
    copies = (
        Project(
            expand.child,
            tuple(Named(c.name, typed(e, c.type)) for e, c in zip(row, columns, strict=True)),
        )
        for row in expand.projections
    )
    return Union(tuple(copies), columns)


def _through(flow: Flow, keys: Keys, project: Project) -> Keys:
    """The keys below a projection; those that a constant cannot have are left out."""
    values = {item.name: item.expression for item in project.items}
    below = keys.over(tuple(substitute(e, values) for e in keys.expressions))
    constant = conjunction(same(e, key) for e, key in below.on if not column_names(e))
    if constant is None:
        return below
    rest = tuple((e, key) for e, key in below.on if column_names(e))
    left = flow.hold(Filter(below.relation, constant), "keys")
    if not rest and flow.reaches_tables(project.child):
        if isinstance(flow.origin(project), Join):  # NULLs of an outer join, which = never finds
            flow.rarely(left)
        flow.blame(project, all_alike(flow.origin(project)), when=left)
    return Keys(left, rest)


def _of_constants(flow: Flow, relation: Relation, keys: Keys) -> Keys:
    """Keys that no column is compared with, as in PARTITION BY 1: those of all rows, or of none."""
    constant = conjunction(same(e, key) for e, key in keys.on)
    left = keys.relation if constant is None else flow.hold(Filter(keys.relation, constant), "keys")
    if flow.reaches_tables(relation):
        flow.blame(relation, all_alike(flow.origin(relation)), when=left)
    return Keys(left, ())


def _renamed(keys: Keys, outer: Schema, inner: Schema) -> Keys:
    values: dict[str, Expression] = {
        column.name: typed(reference(below), column.type)
        for column, below in zip(outer, inner, strict=True)
    }
    return keys.over(tuple(substitute(e, values) for e in keys.expressions))


def _everywhere(
    columns: Schema, projections: tuple[tuple[Expression, ...], ...]
) -> dict[str, Expression]:
    """The output columns that are the same expression in every projection."""
    found = {}
    for index, column in enumerate(columns):
        cells = {row[index] for row in projections}
        if len(cells) == 1:
            found[column.name] = cells.pop()
    return found


def _inner(flow: Flow, join: Join, moment: Moment, keys: Keys) -> Relation:
    """From the input that the keys restrict most, outwards; the rest of the keys on top."""
    joined = flatten(join, flow.kept)
    values = {item.name: item.expression for item in joined.items}
    on = tuple(substitute(e, values) for e in keys.expressions)
    names = [names_of(relation) for relation in joined.inputs]
    parts: dict[int, list[int]] = {}
    for position, expression in enumerate(on):
        used = column_names(expression)
        for index in range(len(names)):
            if used and used <= names[index]:
                parts.setdefault(index, []).append(position)
    if not parts:
        return _whole(flow, join, moment, keys)
    start = max(parts, key=lambda index: (len(parts[index]), -index))
    narrowed = _some(flow, keys.over(on), parts[start])
    rows = image(flow, joined.inputs[start], moment, narrowed)

    def other(index: int, reached: Keys | None, by: tuple[Expression, ...]) -> Relation:
        if not by:
            _blame_theta(flow, join, joined.inputs[index], keys)
        return image(flow, joined.inputs[index], moment, reached)

    found = outwards(flow, joined, start, rows, other)
    return found if len(parts[start]) == len(on) else restrict(found, keys)


def _some(flow: Flow, keys: Keys, positions: list[int]) -> Keys:
    """The keys cut down to some of their columns."""
    if len(positions) == len(keys.on):
        return keys
    columns = tuple(keys.on[p][1] for p in positions)
    cut = flow.keys(keys.relation, columns)
    return cut.over(tuple(keys.on[p][0] for p in positions))


def _matched(flow: Flow, join: Join, moment: Moment, keys: Keys) -> Relation:
    """Joins that keep rows without a match: from the input whose rows are kept, if keys lead there.

    No input is asked for twice, or the images of nested joins would double with every level.
    """
    if join.kind is JoinKind.RIGHT:
        return image(flow, flow.as_form(join, _mirrored(join)), moment, keys)
    over_left = _over(keys, names_of(join.left))
    if join.kind is JoinKind.FULL:
        form = flow.as_form(join, _one_sided(join, bool(over_left)))
        return image(flow, form, moment, keys)
    if not over_left and join.kind is JoinKind.LEFT:
        return image(flow, flow.as_form(join, padded(join)), moment, keys)
    if not over_left:
        return _whole(flow, join, moment, keys)
    left = image(flow, join.left, moment, _some(flow, keys, over_left))
    if len(over_left) == len(keys.on):
        return _with_right(flow, join, moment, left, keys, complete=True)
    return restrict(_with_right(flow, join, moment, left, keys, complete=False), keys)


def _blame_theta(flow: Flow, join: Join, relation: Relation, keys: Keys) -> None:
    if flow.reaches_tables(relation):
        flow.blame(join, no_equality(join, label(relation, flow.kept)), when=keys.relation)


def _with_right(
    flow: Flow, join: Join, moment: Moment, left: Relation, keys: Keys, *, complete: bool
) -> Relation:
    """The join of restricted left rows; the right input under the keys that they lead to.

    The keys are ``complete`` if all of them are over the left input.
    """
    pairs = equalities(join.condition, names_of(join.left), names_of(join.right))
    if not pairs:
        _blame_theta(flow, join, join.right, keys)
        return with_inputs(join, (left, image(flow, join.right, moment, None)))
    if complete:
        by_left = {pair.left: pair.right for pair in pairs}
        if all(e in by_left for e in keys.expressions):
            over = keys.over(tuple(by_left[e] for e in keys.expressions))
            return with_inputs(join, (left, image(flow, join.right, moment, over)))
    left = flow.hold(left, "reached")
    over = flow.matching(left, pairs, of_left=True)
    return with_inputs(join, (left, image(flow, join.right, moment, over)))


def _mirrored(join: Join) -> Relation:
    """R RIGHT JOIN L as L LEFT JOIN R."""
    return keep(Join(JoinKind.LEFT, join.right, join.left, join.condition), join.columns)


def _one_sided(join: Join, of_left: bool) -> Relation:
    """A full join as a left one and the rows of the right without a match, or the other way."""
    kind = JoinKind.LEFT if of_left else JoinKind.RIGHT
    one, two = (join.right, join.left) if of_left else (join.left, join.right)
    alone = Join(JoinKind.ANTI, one, two, join.condition)
    columns = join.columns
    outer = Project(replace(join, kind=kind), named(references(columns)))
    return Union((outer, _padding(alone, columns)), columns)


def padded(join: Join) -> Relation:
    """An outer join as the inner join and the rows without a match, padded with NULLs.

    The outer joins are not in Barbier (2007): L LEFT JOIN R is (L JOIN R) + (L ANTI JOIN R) x NULL
    as bags, since every row of L has its matches or, if there is none, itself once.
    """
    columns = join.columns
    parts: list[Relation] = [Join(JoinKind.INNER, join.left, join.right, join.condition)]
    if join.kind in (JoinKind.LEFT, JoinKind.FULL):
        alone = Join(JoinKind.ANTI, join.left, join.right, join.condition)
        parts.append(_padding(alone, columns))
    if join.kind in (JoinKind.RIGHT, JoinKind.FULL):
        alone = Join(JoinKind.ANTI, join.right, join.left, join.condition)
        parts.append(_padding(alone, columns))
    return Union(tuple(parts), columns)


def _padding(alone: Join, columns: Schema) -> Project:
    present = names_of(alone)
    return Project(alone, tuple(Named(c.name, _or_null(c, present)) for c in columns))


def _or_null(column: Column, present: frozenset[str]) -> Expression:
    if column.name in present:
        return reference(column)
    return Literal(f"CAST(NULL AS {column.type})", column.type, nullable=True)
