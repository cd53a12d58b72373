"""Random algebra for hypothesis, made from the dataclasses' own type hints.

A new field or node is therefore generated without a change here; only nodes that check themselves
need a rule of their own. Plain recursion over ``draw`` keeps the search small and fast.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from enum import Enum

from hypothesis import strategies as st

from rollview.algebra import expressions, relations
from rollview.algebra.definition import Definition
from rollview.algebra.relations import (
    Join,
    JoinKind,
    Named,
    Project,
    Relation,
    SetOperation,
    SingleRow,
    Union,
)

Draw = st.DrawFn

# Surrogates are no text; everything else, control characters and quotes included, must survive.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
RELATIONS = typing.get_args(Relation)
LEAVES = typing.get_args(relations.Leaf)
EXPRESSIONS = typing.get_args(expressions.Expression)


@st.composite
def definitions(draw: Draw) -> Definition:
    """Whole definitions, with or without algebra."""
    value = _node(draw, Definition, 2)
    assert isinstance(value, Definition)
    return value


@st.composite
def relation_trees(draw: Draw, depth: int = 3) -> Relation:
    """Relations up to some depth."""
    return _relation(draw, depth)


def _relation(draw: Draw, depth: int) -> typing.Any:
    kind = draw(st.sampled_from(RELATIONS if depth > 0 else LEAVES))
    if kind is Join:
        how = draw(st.sampled_from(JoinKind))
        flag = draw(TEXT) if how is JoinKind.EXISTENCE else None
        return Join(how, _relation(draw, depth - 1), _relation(draw, depth - 1), None, flag)
    if kind is Union:
        one = _relation(draw, depth - 1)
        return Union((one, one), one.columns)
    if kind is SetOperation:
        one = _relation(draw, depth - 1)
        which = draw(st.sampled_from(relations.SetKind))
        return SetOperation(which, draw(st.booleans()), one, one, one.columns)
    if kind is SingleRow:
        value = Named(draw(TEXT), expressions.Literal(draw(TEXT), draw(TEXT)))
        return SingleRow(Project(_relation(draw, depth - 1), (value,)), draw(TEXT))
    return _node(draw, kind, depth)


def _node(draw: Draw, kind: type, depth: int) -> object:
    hints = typing.get_type_hints(kind)
    fields = {f.name: _value(draw, hints[f.name], depth) for f in dataclasses.fields(kind)}
    if "parts" in fields:
        fields["parts"] = tuple(draw(TEXT) for _ in range(len(fields["args"]) + 1))
    return kind(**fields)


def _value(draw: Draw, hint: typing.Any, depth: int) -> typing.Any:
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return _one_of(draw, typing.get_args(hint), depth)
    if typing.get_origin(hint) is tuple:
        return _tuple(draw, typing.get_args(hint), depth)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return draw(st.sampled_from(hint))
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _node(draw, hint, depth - 1)
    return draw({str: TEXT, bool: st.booleans(), int: st.integers()}[hint])


def _one_of(draw: Draw, options: tuple[typing.Any, ...], depth: int) -> typing.Any:
    some = [option for option in options if option is not types.NoneType]
    if len(some) < len(options) and draw(st.booleans()):
        return None
    if set(RELATIONS) <= set(some):
        return _relation(draw, max(depth - 1, 0))
    if set(EXPRESSIONS) <= set(some):
        simple = [option for option in some if "args" not in typing.get_type_hints(option)]
        return _node(draw, draw(st.sampled_from(some if depth > 0 else simple)), depth - 1)
    return _value(draw, draw(st.sampled_from(some)), depth)


def _tuple(draw: Draw, args: tuple[typing.Any, ...], depth: int) -> tuple[typing.Any, ...]:
    if len(args) == 2 and args[1] is Ellipsis:
        many = draw(st.integers(0, 2)) if depth > -3 else 0
        return tuple(_value(draw, args[0], depth) for _ in range(many))
    return tuple(_value(draw, arg, depth) for arg in args)
