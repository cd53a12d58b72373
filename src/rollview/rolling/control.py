"""The control state of a rolled view: an immutable value, and its text.

The paper's control tables (Salem et al. 2000, section 5) and the variables of its figures:

    t_cur, t_fwd[i]   ``forward[i]``     forward queries of relation i are done up to here
    querylist[i]      ``lists[i]``       its forward queries that are not compensated for wholly
    t_comp[i]         `compensated`      where the oldest of these begins, else ``t_fwd[i]``
    high-water mark   `high_water_mark`  the least ``t_comp[i]``: up to here the delta is complete

The paper's recursion is a list of queries still to be run (``pending``), so that between any two
queries everything there is to know is in this value.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

from rollview.errors import DefinitionCorrupt
from rollview.rolling.query import AsOf, Correction, Entry, Present, Query, Stamp, Window

Vector = tuple[int, ...]
"""A position for every relation: the paper's tau."""


@dataclass(frozen=True, slots=True)
class Target:
    """How a query wants to see a live relation: at ``until``; with positions after ``since``."""

    since: int
    until: int


@dataclass(frozen=True, slots=True)
class Todo:
    """A query to be run, and how it wants to see each live relation that it reads.

    Without targets it is a forward query whose compensation is left to later ones.
    """

    query: Query
    targets: tuple[Target, ...] | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A forward query that is not compensated for wholly: its window, and what it saw of each."""

    since: int
    until: int
    seen: Vector


@dataclass(frozen=True, slots=True)
class Round:
    """The forward queries under way: where each relation is when they are compensated for.

    ``seen`` is what a query of it saw, the forward query if it is a single one; None if nothing was
    run, since nothing had changed.
    """

    until: Vector
    relation: int | None = None
    seen: Vector | None = None
    cost: int = 0


@dataclass(frozen=True, slots=True)
class Control:
    """Where the propagation of one view stands; ``number`` counts its commits."""

    number: int
    forward: Vector
    lists: tuple[tuple[Listed, ...], ...]
    memory: Vector
    pending: tuple[Todo, ...] = ()
    round: Round | None = None

    @property
    def compensated(self) -> Vector:
        """The paper's ``t_comp``."""
        pairs = zip(self.lists, self.forward, strict=True)
        return tuple(queries[0].since if queries else forward for queries, forward in pairs)

    @property
    def high_water_mark(self) -> int:
        """The position up to which the view delta is complete: no later query adds to it."""
        return min(self.compensated)


def beginning(relations: int, at: int, memory: Vector) -> Control:
    """The state before the first query, of a view that is materialized at a position."""
    return Control(0, (at,) * relations, ((),) * relations, memory)


def finished(control: Control) -> Control:
    """The state once the forward queries under way are compensated for."""
    if control.round is None or control.pending:
        return control
    return replace(control, forward=control.round.until, round=None)


# --- as text --------------------------------------------------------------------------------

_ENTRIES: dict[str, type[Present] | type[Window] | type[AsOf] | type[Correction]] = {
    "present": Present,
    "window": Window,
    "as_of": AsOf,
    "correction": Correction,
}
_KINDS = {kind: name for name, kind in _ENTRIES.items()}


def to_text(control: Control) -> str:
    """The control state as JSON, to be stored with the view delta."""
    plain = asdict(replace(control, pending=()))
    plain["pending"] = [_plain(todo) for todo in control.pending]
    return json.dumps(plain)


def from_text(text: str) -> Control:
    """The control state that `to_text` wrote. Raises DefinitionCorrupt."""
    try:
        plain = json.loads(text)
        lists = tuple(
            tuple(Listed(q["since"], q["until"], tuple(q["seen"])) for q in queries)
            for queries in plain["lists"]
        )
        under_way = None
        if plain["round"] is not None:
            found = plain["round"]
            seen = None if found["seen"] is None else tuple(found["seen"])
            until = tuple(found["until"])
            under_way = Round(until, found["relation"], seen, found["cost"])
        pending = tuple(_todo(one) for one in plain["pending"])
        forward, memory = tuple(plain["forward"]), tuple(plain["memory"])
        return Control(plain["number"], forward, lists, memory, pending, under_way)
    except (KeyError, TypeError, ValueError) as error:
        raise DefinitionCorrupt(f"a control state cannot be read: {error!r}") from error


def _plain(todo: Todo) -> dict[str, object]:
    entries = [[_KINDS[type(entry)], asdict(entry)] for entry in todo.query.entries]
    targets = None if todo.targets is None else [asdict(target) for target in todo.targets]
    query = {"entries": entries, "sign": todo.query.sign, "stamp": todo.query.stamp.value}
    return {"query": query, "targets": targets}


def _todo(plain: dict[str, dict[str, object]]) -> Todo:
    query = plain["query"]
    targets = plain["targets"]
    entries: list[Entry] = [_ENTRIES[kind](**rest) for kind, rest in query["entries"]]  # type: ignore[attr-defined]
    made = Query(tuple(entries), int(str(query["sign"])), Stamp(str(query["stamp"])))
    if targets is None:
        return Todo(made)
    return Todo(made, tuple(Target(**target) for target in targets))  # type: ignore[arg-type]
