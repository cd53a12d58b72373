"""The compilation of one delta: what rules ask for, and where their steps are collected.

A rule is a function of an operator and a `Flow`. It asks the flow for the deltas of the inputs,
for images of them (all rows, or those under keys, before or after the change), and lets it hold
what is needed more than once, so that the size of a program stays linear in the size of the view
(Barbier 2007, section 4.3.1: shared temporaries).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from rollview.algebra.definition import Reason
from rollview.algebra.expressions import ColumnRef, Expression
from rollview.algebra.printer import describe
from rollview.algebra.relations import (
    Distinct,
    Filter,
    Named,
    Project,
    Relation,
    Scan,
    Temporary,
)
from rollview.algebra.traverse import inputs, walk
from rollview.analysis.constraints import NONE, Constraint, Constraints
from rollview.errors import InternalError
from rollview.maintenance.clock import CLOCK, SYMBOLIC, Clock, at, reads_clock
from rollview.maintenance.keys import Keys, Pair, without_nulls
from rollview.maintenance.program import Blame, Cause, Kept, Merging, Note, Step
from rollview.maintenance.reads import AFTER, BEFORE, Read, keys_text, label
from rollview.maintenance.signed import WEIGHT_COLUMN


class Moment(StrEnum):
    """Which side of the change an image shows."""

    BEFORE = "before"
    AFTER = "after"


Rule = Callable[..., Relation | None]
ImageOf = Callable[["Flow", Relation, Moment, Keys | None], Relation]


class Flow:
    """One compilation: the sources that changed, and everything derived so far."""

    def __init__(
        self,
        rules: Mapping[type, Rule],
        image: ImageOf,
        changed: frozenset[str],
        kept: tuple[Kept, ...],
        clock: Clock = SYMBOLIC,
        options: Mapping[str, str] | None = None,
        constraints: Constraints = NONE,
        relevant: Mapping[Scan, Expression] | None = None,
    ) -> None:
        self._rules = rules
        self._image = image
        self._changed = changed
        self._clock = clock
        self._options = options or {}
        self._relevant = relevant or {}
        self._kept = {one.relation: one for one in kept}
        self._deltas: dict[Relation, Relation | None] = {}
        self._touched: dict[Relation, bool] = {}
        self._after: dict[Relation, Relation] = {}
        self._names: dict[str, int] = {}
        self._held: dict[Relation, Temporary] = {}
        self._keys: dict[tuple[Relation, tuple[Expression, ...]], Keys] = {}
        self._forms: dict[Relation, Relation] = {}
        self._deriving: list[Relation] = []
        self.steps: list[Step] = []
        self.rare: set[str] = set()
        self.causes: dict[str, Cause] = {}
        self.notes: dict[Relation, Note] = {}
        self.reads: dict[Relation, list[Read]] = {}
        self.blames: list[Blame] = []
        self.merges: list[Merging] = []
        self.constraints = constraints
        self.relied: dict[Constraint, None] = {}

    def delta(self, relation: Relation) -> Relation | None:
        """The change of a relation; None if it cannot have changed."""
        if relation not in self._deltas:
            self._deltas[relation] = self._derived(relation)
        return self._deltas[relation]

    def _derived(self, relation: Relation) -> Relation | None:
        if not self.has_changed(relation):
            return None
        rule = self._rules.get(type(relation))
        if rule is None:
            raise InternalError(f"no rule for {type(relation).__name__}")
        self._deriving.append(relation)
        delta = rule(relation, self)
        if delta is not None:
            _check(rule, relation, delta)
            if relation in self._kept:
                delta = self.hold(delta, f"{self._kept[relation].label}_delta")
        self._deriving.pop()
        return delta

    def option(self, name: str) -> str:
        """The value of an option of the strategy; nothing if it has no such option."""
        return self._options.get(name, "")

    def has_changed(self, relation: Relation) -> bool:
        """Whether any source below the relation changed."""
        if relation not in self._touched:
            self._touched[relation] = any(self._moves(node) for node in walk(relation))
        return self._touched[relation]

    def _moves(self, node: Relation) -> bool:
        if isinstance(node, Scan):
            return node.source in self._changed
        return isinstance(node, Filter) and self.has_ticked(node)

    def source_changed(self, source: str) -> bool:
        """Whether this source changed."""
        return source in self._changed

    def relevant(self, scan: Scan) -> Expression | None:
        """What is true of the changes of a scan that can matter; None if all can."""
        return self._relevant.get(scan)

    def has_ticked(self, filter: Filter) -> bool:
        """Whether the clock has gone on, and the condition of the filter depends on it."""
        return CLOCK in self._changed and reads_clock(filter.condition)

    def condition(self, filter: Filter, moment: Moment) -> Expression:
        """The condition of a filter at the moment."""
        reading = self._clock.before if moment is Moment.BEFORE else self._clock.after
        return at(filter.condition, reading)

    def rely_on(self, constraint: Constraint) -> None:
        """Say that the delta is right only if a declaration holds, before and after."""
        self.relied[constraint] = None

    def before(self, relation: Relation, keys: Keys | None = None) -> Relation:
        """The rows at the last refresh: all, or those under keys."""
        return self._image(self, relation, Moment.BEFORE, keys)

    def after(self, relation: Relation, keys: Keys | None = None) -> Relation:
        """The rows at this refresh: all, or those under keys."""
        return self._image(self, relation, Moment.AFTER, keys)

    def at(self, moment: Moment, relation: Relation, keys: Keys | None = None) -> Relation:
        """The rows before or after."""
        return self._image(self, relation, moment, keys)

    def kept(self, relation: Relation) -> Kept | None:
        """The state that is kept of this operator, if any."""
        return self._kept.get(relation)

    def know_after(self, relation: Relation, rows: Relation) -> None:
        """Remember the rows of a kept operator after the change, as its rule found them."""
        self._after[relation] = rows

    def known_after(self, relation: Relation) -> Relation | None:
        """What `know_after` was told, once the delta is derived."""
        self.delta(relation)
        return self._after.get(relation)

    def hold(self, relation: Relation, label: str) -> Relation:
        """The same rows, computed once however often they are used."""
        if isinstance(relation, Temporary):
            return relation
        if relation not in self._held:
            name = self.fresh(label)
            asking = describe(self.origin(self._deriving[-1])) if self._deriving else ""
            self.steps.append(Step(name, relation, asking))
            self._held[relation] = Temporary(name, relation.columns)
        return self._held[relation]

    def keys(self, relation: Relation, expressions: tuple[Expression, ...]) -> Keys:
        """The distinct values of some expressions over a relation, as keys; computed once."""
        known = self._keys.get((relation, expressions))
        if known is not None:
            return known
        names = [self.fresh("__key") for _ in expressions]
        items = tuple(Named(n, e) for n, e in zip(names, expressions, strict=True))
        found = self.hold(Distinct(Project(relation, items)), "keys")
        columns = tuple(ColumnRef(c.name, c.type, c.nullable) for c in found.columns)
        keys = Keys(found, tuple(zip(expressions, columns, strict=True)))
        self._keys[relation, expressions] = keys
        return keys

    def matching(self, relation: Relation, pairs: tuple[Pair, ...], *, of_left: bool) -> Keys:
        """The keys by which rows of one input of a join find those of the other."""
        own = tuple(pair.left if of_left else pair.right for pair in pairs)
        other = tuple(pair.right if of_left else pair.left for pair in pairs)
        return self.keys(without_nulls(relation, own, pairs), own).over(other)

    def fresh(self, label: str) -> str:
        """A name that nothing else in the program has."""
        self._names[label] = self._names.get(label, 0) + 1
        return f"{label}_{self._names[label]}"

    # --- what EXPLAIN tells ------------------------------------------------------------------

    def note(self, relation: Relation, note: Note) -> None:
        """Say how an operator is maintained."""
        self.notes[relation] = note

    def read(
        self,
        operator: Relation,
        what: str,
        relation: Relation,
        under: tuple[Expression, ...] = (),
        when: str = "",
    ) -> None:
        """Say what the rule of an operator reads; without keys, all rows. Not told of constants."""
        if not any(isinstance(node, Scan) for node in walk(relation)):
            return
        what = self._moment_read(what)
        found = Read(what, label(relation, self.kept), keys_text(under), when)
        self.reads.setdefault(self.origin(operator), []).append(found)

    def _moment_read(self, what: str) -> str:
        """In a form that reads tables at one moment alone, it is that one."""
        only = {"pre": BEFORE, "post": AFTER}.get(self._options.get("form", ""))
        return only if only is not None and what in (BEFORE, AFTER) else what

    def blame(self, relation: Relation, reason: Reason, when: Relation | None = None) -> None:
        """Say why an operator is not maintained from the changes alone.

        With ``when``, which is held, the reason counts only in refreshes in which that has rows.
        """
        step = when.name if isinstance(when, Temporary) else None
        blame = Blame(self.origin(relation), reason, step)
        if blame not in self.blames:
            self.blames.append(blame)

    def rarely(
        self, held: Relation, below: Relation | None = None, because: tuple[str, ...] = ()
    ) -> Relation:
        """What is held, of which most refreshes have no rows.

        It has some only ``because`` of what happened to the rows of a relation ``below``.
        """
        if isinstance(held, Temporary):
            self.rare.add(held.name)
            if below is not None:
                self.causes[held.name] = Cause(below, because)
        return held

    def reaches_tables(self, relation: Relation) -> bool:
        """Whether all rows of a relation are had from tables, not from what is kept."""
        if relation in self._kept:
            return False
        if isinstance(relation, Scan):
            return True
        return any(self.reaches_tables(child) for child in inputs(relation))

    def as_form(self, relation: Relation, form: Relation) -> Relation:
        """The form; what is said of its parts is said of the relation whose rows it has."""
        below = inputs(relation)
        pending = [form]
        while pending:
            part = pending.pop()
            if part not in below:
                self._forms.setdefault(part, self.origin(relation))
                pending += inputs(part)
        return form

    def origin(self, relation: Relation) -> Relation:
        """The relation that this is a part of a form of, or itself."""
        return self._forms.get(relation, relation)


def _check(rule: Rule, relation: Relation, delta: Relation) -> None:
    """Every delta has the columns of its relation, then the weight."""
    wanted = [(c.name, c.type) for c in (*relation.columns, WEIGHT_COLUMN)]
    found = [(c.name, c.type) for c in delta.columns]
    if wanted != found:
        name = getattr(rule, "__name__", "a rule")
        raise InternalError(f"{name} made columns {found} where {wanted} are wanted")
