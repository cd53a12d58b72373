"""Steps over rows that are already there, as a form that can be evaluated without a statement.

Most steps of a small refresh only pick, rename, unite and count rows that earlier steps have
computed. Spark takes longer to plan such a step than to run it, and runs a job with a shuffle for
what is a set of ten keys. So they are done where the rows are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rollview.algebra.expressions import Call, ColumnRef, Expression, Literal, conjuncts
from rollview.algebra.relations import (
    Aggregate,
    Changes,
    Distinct,
    Filter,
    Generate,
    Named,
    Project,
    Relation,
    Temporary,
    Union,
)
from rollview.maintenance.signed import net

Form = list[object]
"""An operation, what it is applied to, and its arguments: nested lists of texts and numbers.

``table`` (a position), ``project`` (new name and old one, or new name, None and a number),
``filter`` (conditions that all must hold), ``union`` (of forms), ``distinct``, ``net`` (equal rows
made one by their weights, which are the last column, and spread out again).
"""

_NUMBER = re.compile(r"(-?\d+)L")
_COMPARISONS = {"GreaterThan": ">", "LessThan": "<"}


@dataclass(frozen=True, slots=True)
class AtHand:
    """What to do, and the tables that it is done to, by their positions in the form."""

    form: Form
    tables: tuple[str, ...]


class _Elsewhere(Exception):
    """Some part of a relation is not over rows that are there, or takes Spark to evaluate."""


def at_hand(relation: Relation, leaves: Mapping[str, str]) -> AtHand | None:
    """The relation as such a form; None if Spark is needed for it."""
    tables: dict[str, int] = {}
    try:
        form = _form(relation, leaves, tables)
    except _Elsewhere:
        return None
    return AtHand(form, tuple(tables))


def _form(  # noqa: C901 - one case per relation
    relation: Relation, leaves: Mapping[str, str], tables: dict[str, int]
) -> Form:
    if not relation.columns:
        raise _Elsewhere

    def below(child: Relation) -> Form:
        return _form(child, leaves, tables)

    match relation:
        case Temporary(name=name):
            return _table(f"temporary {name}", _names(relation), relation, leaves, tables)
        case Changes(source=source, fields=given):
            return _table(f"changes {source}", list(given), relation, leaves, tables)
        case Project(child=Generate(child=Filter(child=Aggregate(child=delta)))):
            if net(delta) != relation:
                raise _Elsewhere
            return ["net", below(delta)]
        case Project(child=child, items=items):
            return ["project", below(child), [_item(item) for item in items]]
        case Filter(child=child, condition=condition):
            return ["filter", below(child), [_condition(part) for part in conjuncts(condition)]]
        case Union(inputs=inputs):
            return ["union", [below(child) for child in inputs], _names(relation)]
        case Distinct(child=child):
            return ["distinct", below(child)]
        case _:
            raise _Elsewhere


def _table(
    leaf: str,
    fields: list[str],
    relation: Relation,
    leaves: Mapping[str, str],
    tables: dict[str, int],
) -> Form:
    position = tables.setdefault(leaves[leaf], len(tables))
    items = [[name, field] for name, field in zip(_names(relation), fields, strict=True)]
    return ["project", ["table", position], items]


def _names(relation: Relation) -> list[str]:
    return [column.name for column in relation.columns]


def _item(item: Named) -> list[object]:
    match item.expression:
        case ColumnRef(name=name):
            return [item.name, name]
        case Literal() as literal:
            return [item.name, None, _number(literal)]
        case _:
            raise _Elsewhere


def _condition(condition: Expression) -> list[object]:
    match condition:
        case ColumnRef(name=name, type="BOOLEAN"):
            return ["is", name]
        case Call(kind="IsNotNull", args=(ColumnRef(name=name),)):
            return ["known", name]
        case Call(kind=kind, args=(ColumnRef(name=name, type="BIGINT"), Literal() as literal)):
            if kind in _COMPARISONS:
                return [_COMPARISONS[kind], name, _number(literal)]
    raise _Elsewhere


def _number(literal: Literal) -> int:
    found = _NUMBER.fullmatch(literal.text)
    if literal.type != "BIGINT" or found is None:
        raise _Elsewhere
    return int(found[1])
