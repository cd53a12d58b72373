"""Query lists: which part of a forward query others count, too, and what takes it off.

Salem et al. (2000), Figure 10. The paper's names:

    CompTime(R^i, t)        `comp_time`
    CompInterval(R^i, t)    `comp_interval`, as the position where the interval ends
    PruneQueryLists(t)      `prune_query_lists`
    the repeat/until loop   `compensations`

Think of a joined row as a point: one coordinate per relation, the position at which the part came
(section 3.4 and its figures). The forward query of relation i over a window counts the points with
coordinate i in the window and every other coordinate k up to what it saw of relation k. What it
counts together with forward queries of relations left of it has to be taken off, those still to
come included; they will see all that this one saw.

As printed, and with the signs and variables repaired that are known to be wrong, the figure takes
off too much from three relations on: it lets the compensation see the relations that it does not
replace where the *later* of the two forward queries saw them, ``t_e``. Both count a point only as
far as the *earlier* one saw it. With two relations there is no third to be seen. So here the part
left of a listed query is cut query by query (`_parts`), each with its own bound on all relations.
With two relations these parts make one again, and it is the figure's.

Where no listed query is later, CompTime is ``t_fwd[j]``: forward queries from there on are still to
come, and will count what this one counts. The figure leaves it open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rollview.rolling.control import Control, Listed, Target, Todo, Vector
from rollview.rolling.query import Present, Query, Window


def comp_time(control: Control, relation: int, by: int, at: int) -> int:
    """How far back the compensation of relation ``by`` at a position replaces a relation.

    Where the oldest listed query begins that saw more of ``by`` than this position.
    """
    later = (query.since for query in control.lists[relation] if query.seen[by] > at)
    return next(later, control.forward[relation])


def comp_interval(control: Control, relation: int, at: int, until: int) -> int:
    """How far the compensation can go on from a position without leaving the rectangle."""
    lists = control.lists[:relation]
    ends = [query.seen[relation] for queries in lists for query in queries]
    return min([until, *(end for end in ends if end > at)])


def prune_query_lists(
    lists: tuple[tuple[Listed, ...], ...], forward: Vector
) -> tuple[tuple[Listed, ...], ...]:
    """The lists without queries that no forward query still to come has points in common with.

    A query of relation j is done with when all relations right of it are past what it saw of them.
    The paper waits until all are past ``t_exec``: here each has its own.
    """
    return tuple(
        tuple(query for query in queries if _is_open(query, relation, forward))
        for relation, queries in enumerate(lists)
    )


def _is_open(query: Listed, relation: int, forward: Vector) -> bool:
    return any(query.seen[k] > forward[k] for k in range(relation + 1, len(forward)))


def compensations(
    control: Control, relation: int, window: Window, seen: Vector
) -> tuple[Todo, ...]:
    """The queries that take off what a forward query counts twice; all relations are live."""
    todos: list[Todo] = []
    at = window.since
    while at < window.until:
        until = comp_interval(control, relation, at, window.until)
        entries = (Present(),) * len(seen)
        query = Query(entries).with_entry(relation, Window(at, until))
        todos += _taken_off(control, _Box(query, seen), relation, relation, at)
        at = until
    return tuple(todos)


@dataclass(frozen=True, slots=True)
class _Box:
    """A query and the bound up to which it may see each relation that it does not replace."""

    query: Query
    bounds: Vector


def _taken_off(control: Control, box: _Box, below: int, by: int, at: int) -> Iterator[Todo]:
    """What forward queries of relations left of ``below`` count within the box, negated.

    ``d(max) = d(a) + d(b) - d(min)``: what several of them count is put back by the recursion.
    """
    for relation in range(below):
        for part in _parts(control, relation, by, at, box.bounds):
            inner = _common(box, relation, part)
            if inner is not None:
                yield Todo(inner.query, tuple(Target(end, end) for end in inner.bounds))
                yield from _taken_off(control, inner, relation, by, at)


def _parts(control: Control, relation: int, by: int, at: int, bounds: Vector) -> Iterator[Listed]:
    """The windows from CompTime on, and what the forward query of each saw or will see.

    Neighbours become one if the box ends before what they saw: then they do not differ in it.
    """
    end, begin = bounds[relation], comp_time(control, relation, by, at)
    pieces = [query for query in control.lists[relation] if query.since >= begin]
    pieces.append(Listed(control.forward[relation], end, bounds))
    ends = [*(piece.since for piece in pieces[1:]), end]  # nothing changed where no query is
    current: Listed | None = None
    for piece, until in zip(pieces, ends, strict=True):
        if piece.since >= end:
            break
        seen = _least(piece.seen, bounds)
        since = piece.since
        if current is not None and _same_but(relation, by, current.seen, seen):
            since = current.since
        elif current is not None:
            yield current
        current = Listed(since, min(until, end), seen)
    if current is not None:
        yield current


def _common(box: _Box, relation: int, part: Listed) -> _Box | None:
    """The box with a part of one relation, cut down to what the query of that part saw."""
    query = box.query.negated().with_entry(relation, Window(part.since, part.until))
    for other, entry in enumerate(box.query.entries):
        if isinstance(entry, Window):
            until = min(entry.until, part.seen[other])
            if until <= entry.since:
                return None
            query = query.with_entry(other, Window(entry.since, until))
    return _Box(query, part.seen)


def _least(one: Vector, two: Vector) -> Vector:
    return tuple(min(pair) for pair in zip(one, two, strict=True))


def _same_but(relation: int, by: int, one: Vector, two: Vector) -> bool:
    """Whether two bounds agree for all relations that a query over these windows reads."""
    return all(one[k] == two[k] for k in range(len(one)) if k not in (relation, by))
