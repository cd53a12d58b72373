"""From the condition of a filter or a join to a formula.

A row passes if the condition is true, not if it is NULL. So two questions are asked of every part:
when is it true, and, below NOT, when is it false (three-valued logic). The answer may be weaker
than the truth, never stronger.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from math import floor

from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal
from rollview.analysis.relevance.domains import (
    Family,
    Number,
    has_sums,
    is_constant,
    is_discrete,
    is_null_constant,
)
from rollview.analysis.relevance.formulas import (
    FALSE,
    TRUE,
    Atom,
    Edge,
    Formula,
    Null,
    Test,
    both,
    either,
)
from rollview.analysis.relevance.linear import Linear, Node, linear

ZERO = Literal("0", "INT")
NO, YES = Literal("FALSE", "BOOLEAN"), Literal("TRUE", "BOOLEAN")
_FEW = 8  # values of an IN list that are told apart
# Comparisons, and what is true where they are false.
_COMPARISONS = {"EqualTo", "LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual"}
_OPPOSITES = {
    "EqualTo": ("LessThan", "GreaterThan"),
    "LessThan": ("GreaterThanOrEqual",),
    "LessThanOrEqual": ("GreaterThan",),
    "GreaterThan": ("LessThanOrEqual",),
    "GreaterThanOrEqual": ("LessThan",),
}
# What gives a value or NULL for any arguments, and never fails.
_TOTAL = _COMPARISONS | {
    "And",
    "Or",
    "Not",
    "In",
    "IsNull",
    "IsNotNull",
    "EqualNullSafe",
    "Coalesce",
    "If",
    "CaseWhen",
    "StartsWith",
    "EndsWith",
    "Contains",
    "Upper",
    "Lower",
    "Length",
    "Like",
}


@dataclass(frozen=True, slots=True)
class Conditions:
    """How conditions are read; with ``wraps``, an overflow of integers is no error."""

    wraps: bool = False

    def when_true(self, condition: Expression | None) -> Formula:
        """What holds where the condition is true."""
        return TRUE if condition is None else self._when(condition, True)

    def _when(  # noqa: C901 - one case per kind of condition
        self, condition: Expression, wanted: bool
    ) -> Formula:
        """What holds where the condition is as wanted: true, or false."""
        match condition:
            case Literal() if is_null_constant(condition):
                return FALSE
            case Literal(text=text) if text.upper() in ("TRUE", "FALSE"):
                return TRUE if (text.upper() == "TRUE") is wanted else FALSE
            case ColumnRef():
                return _edges_of_truth(condition, wanted)
            case Call(kind="Not", args=(inner,), parts=parts) if _is_plain_not(parts):
                return self._when(inner, not wanted)
            case Call(kind="And" | "Or" as kind, args=(one, two)):
                sides = (self._when(one, wanted), self._when(two, wanted))
                return both(*sides) if (kind == "And") is wanted else either(*sides)
            case Call(kind="IsNull" | "IsNotNull" as kind, args=(ColumnRef() as column,)):
                return (frozenset({Null(column, (kind == "IsNotNull") is wanted)}),)
            case Call(kind="IsNull" | "IsNotNull" as kind, args=(inner,)) if is_null_constant(
                inner
            ):
                return TRUE if (kind == "IsNull") is wanted else FALSE
            case Call(kind="In", args=(one, *many)) if len(many) > 0:
                return self._in(condition, one, tuple(many), wanted)
            case Call(kind="EqualNullSafe", args=(one, two)) if wanted:
                return self._same(condition, one, two)
            case Call(kind=kind, args=(one, two)) if kind in _COMPARISONS:
                return self._compared(condition, kind, one, two, wanted)
            case _:
                return _tested(condition, wanted)

    def _compared(
        self, condition: Expression, kind: str, one: Expression, two: Expression, wanted: bool
    ) -> Formula:
        """When a comparison within the condition is as wanted; else what the condition says."""
        if is_null_constant(one) or is_null_constant(two):
            return FALSE
        left, right = linear(one, wraps=self.wraps), linear(two, wraps=self.wraps)
        if left is None or right is None or left.family is not right.family:
            return _tested(condition, wanted)
        kinds = (kind,) if wanted else _OPPOSITES[kind]
        found = [_edges(kind, left, right) for kind in kinds]
        known = [one for one in found if one is not None]
        return either(*known) if len(known) == len(found) else _tested(condition, wanted)

    def _same(self, condition: Expression, one: Expression, two: Expression) -> Formula:
        """Equal, or both NULL."""
        empty = [_when_null(one), _when_null(two)]
        equal = self._compared(condition, "EqualTo", one, two, True)
        return either(equal, both(*empty))

    def _in(
        self, condition: Expression, one: Expression, many: tuple[Expression, ...], wanted: bool
    ) -> Formula:
        known = [item for item in many if not is_null_constant(item)]
        if not wanted:
            if len(known) < len(many):
                return FALSE  # NULL at best
            if len(many) > 2:
                return _tested(condition, wanted)
            return both(*(self._compared(condition, "EqualTo", one, m, False) for m in many))
        equal = [self._compared(condition, "EqualTo", one, item, True) for item in known]
        return either(*equal) if len(equal) <= _FEW else _tested(condition, wanted)


def _is_plain_not(parts: tuple[str, ...]) -> bool:
    """``IS NOT TRUE`` is true of NULL, too."""
    return "IS NOT TRUE" not in "".join(parts).upper()


def _when_null(value: Expression) -> Formula:
    if isinstance(value, ColumnRef):
        return (frozenset({Null(value)}),)
    if isinstance(value, Literal):
        return TRUE if is_null_constant(value) or value.nullable else FALSE
    return TRUE


def _edges_of_truth(column: ColumnRef, wanted: bool) -> Formula:
    truth = YES if wanted else NO
    return (frozenset({Edge(column, truth, 0), Edge(truth, column, 0)}),)


def _tested(condition: Expression, wanted: bool) -> Formula:
    """The condition itself, for whoever has the row; nothing if it might fail there."""
    if not _is_total(condition):
        return TRUE
    if wanted:
        return (frozenset({Test(condition)}),)
    return (frozenset({Test(Call("Not", ("(NOT ", ")"), (condition,), "BOOLEAN"))}),)


def _is_total(expression: Expression) -> bool:
    match expression:
        case ColumnRef():
            return True
        case _ if is_constant(expression):
            return True
        case Call(kind=kind, args=args, deterministic=True):
            return kind in _TOTAL and all(_is_total(arg) for arg in args)
        case _:
            return False


def _edges(kind: str, left: Linear, right: Linear) -> Formula | None:
    """A comparison of sums as edges; None if there are too many columns in it."""
    named = {node for node in chain(left.factors, right.factors) if isinstance(node, ColumnRef)}
    if not has_sums(left.family):
        found = _ordered(kind, _only(left), _only(right), left.family)
    else:
        difference = left - right
        factors = sorted(difference.factors.items(), key=lambda item: -item[1])
        match [factor for _, factor in factors]:
            case []:
                return _decided(kind, difference.number, named)
            case [1]:
                found = _bounded(kind, factors[0][0], ZERO, -difference.number)
            case [-1]:
                found = _bounded(kind, ZERO, factors[0][0], -difference.number)
            case [1, -1]:
                found = _bounded(kind, factors[0][0], factors[1][0], -difference.number)
            case _:
                return None
    kept = {c for edge in found for c in (edge.low, edge.high)}
    atoms: set[Atom] = {*found, *(Null(column, known=True) for column in named - kept)}
    return (frozenset(atoms),)


def _decided(kind: str, number: Number, named: set[ColumnRef]) -> Formula:
    """A comparison of the number with zero; the columns in it have cancelled out."""
    holds = {
        "EqualTo": number == 0,
        "LessThan": number < 0,
        "LessThanOrEqual": number <= 0,
        "GreaterThan": number > 0,
        "GreaterThanOrEqual": number >= 0,
    }[kind]
    return (frozenset(Null(column, known=True) for column in named),) if holds else FALSE


def _bounded(kind: str, low: Node, high: Node, weight: Number) -> list[Edge]:
    """``low kind high + weight``."""
    up, down = (low, high, weight), (high, low, -weight)
    match kind:
        case "EqualTo":
            return [edge(*up), edge(*down)]
        case "LessThan" | "LessThanOrEqual":
            return [edge(*up, strict=kind == "LessThan")]
        case _:
            return [edge(*down, strict=kind == "GreaterThan")]


def edge(low: Node, high: Node, weight: Number, *, strict: bool = False) -> Edge:
    """The edge of a comparison; between discrete values ``<`` is ``<=`` of the next one."""
    if is_discrete(low.type) and is_discrete(high.type):
        whole = floor(weight)
        return Edge(low, high, whole - 1 if strict and whole == weight else whole)
    return Edge(low, high, weight, strict)


def _only(side: Linear) -> Node:
    (node,) = side.factors
    return truth(node) if side.family is Family.BOOLEAN else node


def truth(node: Node) -> Node:
    """A constant truth in one spelling; any other node as it is."""
    if isinstance(node, Literal) and node.text.upper() in ("TRUE", "FALSE"):
        return YES if node.text.upper() == "TRUE" else NO
    return node


def _ordered(kind: str, one: Node, two: Node, own: Family) -> list[Edge]:
    """An order without sums; of two truths, the lesser is no and the greater is yes."""
    found = _bounded(kind, one, two, 0)
    if own is not Family.BOOLEAN:
        return found
    strict = [e for e in found if e.strict]
    return [e for e in found if not e.strict] + [
        new for e in strict for new in (Edge(e.low, NO, 0), Edge(YES, e.high, 0))
    ]
