"""Where changes become change tables in a view, and the form of the view that follows from it.

Barbier (2007), definition 5.1: every way from the view down to a table has one conversion point.
From below, the first aggregate or outer join is one. Where its change table cannot pass an operator
above it, everything up to there is maintained by deltas, and the next one above is tried. Operands
of a product that have none get a projection on all their columns, as the thesis says. If no change
table reaches the view itself, the strategy is not applicable, for the reasons found.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rollview.algebra.definition import Reason
from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal, binary, function
from rollview.algebra.fingerprint import digest
from rollview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    JoinKind,
    NamedAggregate,
    Project,
    Relation,
)
from rollview.algebra.schema import Column
from rollview.algebra.traverse import inputs
from rollview.errors import InternalError
from rollview.maintenance.change_table import CONVERT, THROUGH
from rollview.maintenance.change_tables import Factor, Naming, Table, joined, not_identified, plain
from rollview.maintenance.choice import Choice
from rollview.maintenance.counts import COUNT_ALL
from rollview.maintenance.extents import EXTENT, causes
from rollview.maintenance.prepare import Prepared, Rewriting, collect, names
from rollview.maintenance.program import Kept, RuleName
from rollview.maintenance.signed import named, references
from rollview.maintenance.violations import no_row, not_told_apart, nothing_to_convert

_ONE, _ZERO = Literal("1L", "BIGINT"), Literal("0L", "BIGINT")
_OUTER = (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)
_PRODUCT = (JoinKind.INNER, JoinKind.CROSS)


def prepare_extent(relation: Relation, _moments: bool = True) -> Prepared:
    """The view as its extent, kept, and what is shown of it.

    Variances are no additive functions here, whether or not they may be had from sums.
    """
    found = _form(relation)
    if isinstance(found, Prepared):
        return found
    raise InternalError(f"a view that no change table reaches: {found[0].message}")


def violated_conditions(relation: Relation, _choice: Choice) -> tuple[Reason, ...]:
    """Why no change table reaches the view, what is nearest to it first; empty if one does."""
    found = _form(relation)
    return () if isinstance(found, Prepared) else found


def _form(relation: Relation) -> Prepared | tuple[Reason, ...]:
    search = _Search(Rewriting(names(), True, True))
    table = search.table(relation)
    if table is None:
        return tuple(dict.fromkeys(search.violations)) or (nothing_to_convert(relation),)
    unclear = _not_grouped(relation, table)
    return search.prepared(relation, table) if unclear is None else (unclear,)


@dataclass(frozen=True, slots=True)
class _Search:
    """One view: the change tables of its operators, where there are any."""

    rewriting: Rewriting
    tables: dict[Relation, Table | None] = field(default_factory=dict)
    told: dict[Relation, RuleName] = field(default_factory=dict)
    violations: list[Reason] = field(default_factory=list)

    def table(self, node: Relation) -> Table | None:
        """The change table of an operator; None if it is maintained by deltas."""
        if node not in self.tables:
            self.tables[node] = self._found(node)
        return self.tables[node]

    def _found(self, node: Relation) -> Table | None:
        below = [self.table(child) for child in inputs(node)]
        if any(table is not None for table in below):
            passed = self._passed(node, below)
            if passed is not None:
                self.told[node] = RuleName.PROPAGATED
                return passed
        if not _may_convert(node):
            return None
        forms = tuple(self.rewriting.of(child) for child in inputs(node))
        found = CONVERT[type(node)](node, forms, self._naming())
        if isinstance(found, Reason):
            self.violations.insert(0, found)
            return None
        self.told[node] = RuleName.CONVERSION
        return found

    def _passed(self, node: Relation, below: list[Table | None]) -> Table | None:
        """The change table above those below; None, and the condition noted, if it cannot pass."""
        rule = THROUGH.get(type(node))
        if rule is None or (isinstance(node, Join) and node.kind not in _PRODUCT):
            found: Table | Reason = no_row(node)
        else:
            sides = zip(below, inputs(node), strict=True)
            tables = tuple(t or plain(self.rewriting.of(child)) for t, child in sides)
            found = rule(node, tables, self._naming())
        if isinstance(found, Table):
            return found
        self.violations.insert(0, found)
        return None

    def _naming(self) -> Naming:
        return Naming(self.rewriting.names)

    # --- the form ----------------------------------------------------------------------------

    def prepared(self, relation: Relation, table: Table) -> Prepared:
        """The kept extent, what is kept below its conversion points, and what is shown of it."""
        factors = tuple(self._extent_of(factor) for factor in table.factors)
        extent = factors[0].relation
        if len(factors) > 1 or table.conditions:
            rows = joined(tuple(factor.relation for factor in factors), table.conditions)
            extent = Project(rows, named(references(rows.columns)))
        kept: dict[Relation, Kept] = {}
        for below in self._by_deltas(relation):
            collect(self.rewriting.of(below), kept, self.rewriting.compared_whole, {})
        kept[extent] = Kept(f"{EXTENT}_{len(kept) + 1}_{digest(extent)}", extent)
        told = {node: self.told[node] for node in self._converted(relation)}
        forms = dict(self.rewriting.known) | {node: self._form(node) for node in told}
        forms[relation] = extent
        shown = _shown(extent, factors, table)
        return Prepared(shown, tuple(kept.values()), forms, told=told)

    def _form(self, node: Relation) -> Relation:
        """The extent of a conversion point, which stands for what its change table passes, too."""
        table = self.table(node)
        if table is not None and self.told[node] is RuleName.CONVERSION:
            return table.factors[0].relation
        return next(self._form(child) for child in inputs(node) if self.table(child) is not None)

    def _extent_of(self, factor: Factor) -> Factor:
        """Plain rows get the projection on all their columns, with the number of copies."""
        if factor.extent is not None:
            return factor
        rows = factor.relation
        count = NamedAggregate(next(self.rewriting.names), COUNT_ALL)
        return replace(factor, relation=Aggregate(rows, references(rows.columns), (count,)))

    def _converted(self, node: Relation) -> list[Relation]:
        """The operators from the view down to the conversion points."""
        if self.table(node) is None:
            return []
        if self.told[node] is RuleName.CONVERSION:
            return [node]
        return [node, *(one for child in inputs(node) for one in self._converted(child))]

    def _by_deltas(self, node: Relation) -> list[Relation]:
        """The parts of the view that are maintained by deltas: what is below those operators."""
        if self.table(node) is None:
            return [node]
        if self.told[node] is RuleName.CONVERSION:
            return list(inputs(node))
        return [one for child in inputs(node) for one in self._by_deltas(child)]


def _may_convert(node: Relation) -> bool:
    return isinstance(node, Aggregate | Distinct) or (
        isinstance(node, Join) and node.kind in _OUTER
    )


def _not_grouped(view: Relation, table: Table) -> Reason | None:
    """Plain operands that come up to the view are grouped by all their columns."""
    rows = (factor.relation for factor in table.factors if factor.extent is None)
    unclear = [name for relation in rows for name in not_identified(relation.columns)]
    return not_told_apart(view, unclear) if unclear else None


def _shown(extent: Relation, factors: tuple[Factor, ...], table: Table) -> Relation:
    """What the view shows of its extent: rows without a match to hide, each as often as it is."""
    rows = extent
    copies: list[Expression] = []
    for factor in factors:
        relation = factor.relation
        if factor.unmatched is not None:
            rows = Filter(rows, binary("EqualTo", "=", _count(factor.unmatched), _ZERO, "BOOLEAN"))
        if (factor.unmatched is not None or factor.is_plain) and isinstance(relation, Aggregate):
            copies.append(_count(causes(relation)))
    if copies:
        how_often = copies[0]
        for more in copies[1:]:
            how_often = binary("Multiply", "*", how_often, more, "BIGINT")
        sequence = function("sequence", _ONE, how_often, type="ARRAY<BIGINT>")
        explode: Call = function("explode", sequence, type="BIGINT", kind="Explode")
        rows = Generate(rows, explode, False, (Column("__copy", "BIGINT", False),))
    return Project(rows, table.items)


def _count(name: str) -> ColumnRef:
    return ColumnRef(name, "BIGINT", nullable=False)
