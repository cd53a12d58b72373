"""Exact reads: views with relations that keep versions, where the maximum is the position.

A relation that keeps versions is read as of the position where it is wanted, and nothing has to be
compensated for. But the minimum rule of Salem et al. (2000) is right only because compensation
subtracts what two forward queries both count (their section 3.3, second example). Without it every
joined row is counted once, and it is there from the position on at which its last part is: the
maximum. So a relation must tell the positions of its rows even where it is read as a whole:
After is Before plus stamped Changes (`AsOf`).

A live relation beside them is brought to the same form: the rows that the query saw, less the
changes since Before without their positions, plus the changes up to After with theirs
(`Correction`). These are changes alone, so it is one more query for each way to replace live
relations, and those are compensated for like any other.
"""

from __future__ import annotations

from collections.abc import Sequence

from rollview.errors import InternalError
from rollview.rolling.control import Target, Todo, Vector
from rollview.rolling.query import AsOf, Correction, Entry, Present, Query, Stamp, Window


def forward(live: Sequence[bool], relation: int, window: Window, before: int, at: Vector) -> Todo:
    """The change of the view when one relation goes on, and all others stand at a vector.

    Rows at or before ``before`` need no positions: whatever is read there has been complete.
    """
    targets = tuple(Target(before, until) for until in at)
    entries: list[Entry] = [
        Present() if is_live else AsOf(target.since, target.until)
        for is_live, target in zip(live, targets, strict=True)
    ]
    entries[relation] = window
    return Todo(Query(tuple(entries), stamp=Stamp.MAXIMUM), targets)


def correction(todo: Todo, seen: Vector) -> tuple[Todo, ...]:
    """The queries that bring live relations from where they were seen to their targets.

    A sum of one term for each of them, as in Equation 2: those left of it at their targets, those
    right of it as they were seen.
    """
    if todo.targets is None:
        raise InternalError("an exact query has targets")
    todos = []
    for relation, (target, at) in enumerate(zip(todo.targets, seen, strict=True)):
        if not todo.query.is_present(relation):
            continue
        entry = Correction(target.since, target.until, at)
        right = tuple(Target(where, where) for where in seen[relation:])
        query = todo.query.with_entry(relation, entry)
        todos.append(Todo(query, (*todo.targets[:relation], *right)))
    return tuple(todos)
