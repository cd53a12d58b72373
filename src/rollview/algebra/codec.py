"""Algebra to JSON and back without loss, so that a stored view needs no replanning.

The nodes are plain frozen dataclasses; each is written as an object with its class name under
``node`` and its fields. Reading checks class names and fields against the dataclasses themselves.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from enum import StrEnum
from functools import cache

from rollview.algebra import definition as definitions
from rollview.algebra import expressions, relations, schema
from rollview.algebra.definition import Definition
from rollview.errors import DefinitionCorrupt, InternalError

_NODES: dict[str, type] = {
    name: kind
    for module in (schema, expressions, relations, definitions)
    for name, kind in vars(module).items()
    if isinstance(kind, type)
    and dataclasses.is_dataclass(kind)
    and kind.__module__ == module.__name__
}


def encode(definition: Definition) -> dict[str, object]:
    """The definition as data that ``json.dumps`` takes."""
    data = _encode(definition)
    if not isinstance(data, dict):
        raise InternalError("a definition was not encoded as an object")
    return data


def decode(data: dict[str, object]) -> Definition:
    """The definition that was encoded; DefinitionCorrupt if the data is not one."""
    value = _decode(data, Definition)
    if not isinstance(value, Definition):
        raise DefinitionCorrupt("the stored data is not a view definition")
    return value


def _encode(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"node": type(value).__name__, **fields}
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    if value is None or isinstance(value, str | int | bool):
        return value
    raise InternalError(f"cannot encode a {type(value).__name__}")


def _decode(data: object, hint: object) -> object:
    if isinstance(data, dict):
        return _decode_node(data)
    if isinstance(data, list):
        item = _item_hint(hint)
        return tuple(
            _decode(value, item[i] if isinstance(item, tuple) else item)
            for i, value in enumerate(data)
        )
    enum = _enum_hint(hint)
    if enum is not None and isinstance(data, str):
        try:
            return enum(data)
        except ValueError:
            raise DefinitionCorrupt(f"{data!r} is not a {enum.__name__}") from None
    return data


def _decode_node(data: dict[object, object]) -> object:
    name = data.get("node")
    kind = _NODES.get(str(name))
    if kind is None:
        raise DefinitionCorrupt(f"a stored definition has an unknown node {name!r}")
    hints = _hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    found = {str(key) for key in data} - {"node"}
    required = {f.name for f in fields.values() if f.default is dataclasses.MISSING}
    wrong = (found - fields.keys()) | (required - found)
    if wrong:
        listed = ", ".join(sorted(wrong))
        raise DefinitionCorrupt(f"a stored {name} has missing or unknown fields: {listed}")
    return kind(**{f: _decode(data[f], hints[f]) for f in found})


@cache
def _hints(kind: type) -> dict[str, object]:
    return typing.get_type_hints(kind)


def _item_hint(hint: object) -> object:
    """The hint of the items of a tuple: one for all, or one per position."""
    for option in _options(hint):
        if typing.get_origin(option) is tuple:
            args = typing.get_args(option)
            return args[0] if len(args) == 2 and args[1] is Ellipsis else args
    return object


def _enum_hint(hint: object) -> type[StrEnum] | None:
    for option in _options(hint):
        if isinstance(option, type) and issubclass(option, StrEnum):
            return option
    return None


def _options(hint: object) -> tuple[object, ...]:
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return typing.get_args(hint)
    return (hint,)
