"""Random aggregate and window calls, typed as Spark types them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from rollview.algebra.expressions import AggregateCall, Call, Expression, Literal, WindowCall
from rollview.algebra.schema import Column
from tests.properties.scalars import NUMBERS, Scalars, cast, literal, ref

_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
COUNT_ALL = AggregateCall("Count", ("count(", ")"), (Literal("1", "INT"),), "BIGINT", False)
WHOLE = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
FRAMES = (
    WHOLE,
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
)
_NUMBERING = {
    "RowNumber": "row_number()",
    "Rank": "rank()",
    "DenseRank": "dense_rank()",
}


def sum_type(type: str) -> str:
    """The type of Spark's sum."""
    found = _DECIMAL.fullmatch(type)
    if found:
        return f"DECIMAL({min(int(found[1]) + 10, 38)},{found[2]})"
    return "DOUBLE" if type in ("DOUBLE", "FLOAT") else "BIGINT"


def average_type(type: str) -> str:
    """The type of Spark's avg."""
    found = _DECIMAL.fullmatch(type)
    if found:
        return f"DECIMAL({min(int(found[1]) + 4, 38)},{min(int(found[2]) + 4, 38)})"
    return "DOUBLE"


def is_number(type: str) -> bool:
    """Whether sums can be made of the type."""
    return type in NUMBERS or _DECIMAL.fullmatch(type) is not None


class Calls:
    """Aggregate calls over some columns; ``exact`` are those whose values do not vary."""

    def __init__(self, rng: Random, columns: Sequence[Column], exact: Sequence[Column]) -> None:
        self._rng = rng
        self._columns = columns
        self._exact = exact

    def aggregate(self) -> AggregateCall:
        """A call with FILTER or DISTINCT now and then."""
        if not self._columns or self._rng.random() < 0.15:
            return COUNT_ALL if self._rng.random() < 0.7 else self._with_filter(COUNT_ALL)
        distinct = bool(self._exact) and self._rng.random() < 0.12
        column = self._rng.choice(self._exact if distinct else self._columns)
        call = self._call(self._argument(column), distinct)
        return self._with_filter(call) if self._rng.random() < 0.25 else call

    def _argument(self, column: Column) -> Expression:
        if self._exact and column in self._exact and self._rng.random() < 0.2:
            return Scalars(self._rng, self._exact).of(column.type, 1)
        return ref(column)

    def _with_filter(self, call: AggregateCall) -> AggregateCall:
        condition = Scalars(self._rng, self._exact).condition(1)
        return AggregateCall(
            call.kind,
            call.parts,
            call.args,
            call.type,
            call.nullable,
            distinct=call.distinct,
            filter=condition,
        )

    def _call(self, value: Expression, distinct: bool) -> AggregateCall:
        names = ["count", "min", "max", "min", "max"]
        if is_number(value.type):
            names += ["sum"] * 5 + ["avg"] * 3
        if not distinct:
            names += self._without_inverse(value.type)
        name = self._rng.choice(names)
        word = "DISTINCT " if distinct else ""
        if name == "avg" and value.type.startswith("DECIMAL"):
            # The dialect reads the type of the argument from this cast.
            value = cast(value, value.type) if not _is_cast(value) else value
        kind, type = _kind_and_type(name, value.type)
        parts = (f"{name}({word}", ")")
        return AggregateCall(kind, parts, (value,), type, name != "count", distinct=distinct)

    def _without_inverse(self, type: str) -> list[str]:
        match type:
            case "INT":
                return ["bit_xor", "median"]
            case "BOOLEAN":
                return ["bool_and", "bool_or"]
            case "DOUBLE":
                return ["median"]
            case _:
                return []

    def without_inverse(self) -> AggregateCall:
        """A call whose groups are evaluated anew: an extremum now and then, the others always."""
        if not self._exact:
            return COUNT_ALL
        column = self._rng.choice(self._exact)
        names = ["min", "max", "count", *self._without_inverse(column.type)]
        name = self._rng.choice(names)
        distinct = name == "count"
        kind, type = _kind_and_type(name, column.type)
        parts = (f"{name}({'DISTINCT ' if distinct else ''}", ")")
        return AggregateCall(kind, parts, (ref(column),), type, not distinct, distinct=distinct)

    def window(self) -> WindowCall:
        """A numbering function or an aggregate over a frame."""
        if not self._exact or self._rng.random() < 0.45:
            kind, text = self._rng.choice(list(_NUMBERING.items()))
            return WindowCall(Call(kind, (text,), (), "INT", False), "")
        column = self._rng.choice(self._exact)
        if self._rng.random() < 0.2:
            parts = ("lag(", ", ", ")")
            args = (ref(column), literal(1, "INT"))
            return WindowCall(Call("Lag", parts, args, column.type, True), "")
        names = ["count", "min", "max"]
        if is_number(column.type) and column.type not in ("DOUBLE", "FLOAT"):
            names.append("sum")
        name = self._rng.choice(names)
        kind, type = _kind_and_type(name, column.type)
        call = AggregateCall(kind, (f"{name}(", ")"), (ref(column),), type, name != "count")
        return WindowCall(call, self._rng.choice(FRAMES))


def _is_cast(value: Expression) -> bool:
    return isinstance(value, Call) and value.kind == "Cast"


def _kind_and_type(name: str, argument: str) -> tuple[str, str]:
    match name:
        case "count":
            return "Count", "BIGINT"
        case "sum":
            return "Sum", sum_type(argument)
        case "avg":
            return "Average", average_type(argument)
        case "min" | "max":
            return name.capitalize(), argument
        case "bit_xor":
            return "BitXorAgg", argument
        case "bool_and" | "bool_or":
            return "BoolAnd" if name == "bool_and" else "BoolOr", argument
        case _:
            return "Median", "DOUBLE"
