"""Random aggregate and window calls, typed as Spark types them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from rollview.algebra.expressions import AggregateCall, Call, Expression, Literal, WindowCall
from rollview.algebra.schema import Column
from tests.properties.scalars import NUMBERS, Scalars, cast, literal, ref
from tests.properties.values import SMALL_DECIMAL, is_compared

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
_KINDS = {
    "bit_xor": "BitXorAgg",
    "bit_and": "BitAndAgg",
    "bit_or": "BitOrAgg",
    "bool_and": "BoolAnd",
    "bool_or": "BoolOr",
}
_OF_ONE = {
    "var_pop": "VariancePop",
    "var_samp": "VarianceSamp",
    "stddev_pop": "StddevPop",
    "stddev_samp": "StddevSamp",
}
_OF_PAIRS = {
    "covar_pop": "CovPopulation",
    "covar_samp": "CovSample",
    "corr": "Corr",
    "regr_sxx": "RegrSXX",
    "regr_syy": "RegrSYY",
    "regr_sxy": "RegrSXY",
    "regr_slope": "RegrSlope",
    "regr_intercept": "RegrIntercept",
    "regr_r2": "RegrR2",
}
_OF_NUMBERS = {"regr_avgx": "RegrAvgX", "regr_avgy": "RegrAvgY", "regr_count": "RegrCount"}
_WHOLE = ("INT", "SMALLINT")
_MERGED = ("BIGINT", "DOUBLE", "FLOAT")
_SHORT_DECIMAL = "DECIMAL(9,2)"


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
        call = self._moment() if self._rng.random() < 0.25 else None
        if call is None:
            distinct = bool(self._exact) and self._rng.random() < 0.12
            column = self._rng.choice(self._exact if distinct else self._columns)
            call = self._call(self._argument(column), distinct)
        return self._with_filter(call) if self._rng.random() < 0.25 else call

    def _argument(self, column: Column) -> Expression:
        if self._exact and column in self._exact and self._rng.random() < 0.2:
            return Scalars(self._rng, self._exact).of(column.type, 1)
        if column.type == "DOUBLE" and column not in self._exact:
            # A covariance may be negative, and a sum that cancels out keeps no digits to compare.
            return Call("Abs", ("abs(", ")"), (ref(column),), column.type, column.nullable)
        return ref(column)

    def _moment(self) -> AggregateCall | None:
        """A variance, covariance or regression of values that do not vary, if there are any.

        As in Spark's plans, their arguments are cast to DOUBLE; those of some regressions are not.
        """
        columns = [c for c in self._exact if c.type in (*_WHOLE, *_MERGED, SMALL_DECIMAL)]
        if not columns:
            return None
        name = self._rng.choice([*_OF_ONE, *_OF_PAIRS, *_OF_NUMBERS])
        size = 1 if name in _OF_ONE else 2
        values = [self._argument(self._rng.choice(columns)) for _ in range(size)]
        if name in _OF_NUMBERS:
            args = tuple(self._as_integer(v) for v in values)
        else:
            args = tuple(cast(self._shortened(v), "DOUBLE") for v in values)
        kind = (_OF_ONE | _OF_PAIRS | _OF_NUMBERS)[name]
        parts = (f"{name}(", *[", "] * (size - 1), ")")
        type = "BIGINT" if name == "regr_count" else "DOUBLE"
        return AggregateCall(kind, parts, args, type, name != "regr_count")

    def _as_integer(self, value: Expression) -> Expression:
        if value.type in _WHOLE:
            return value
        return cast(self._bounded(value), "INT")

    def _shortened(self, value: Expression) -> Expression:
        """Long and floating values are merged, short ones go on from their sums."""
        if value.type in _MERGED:
            return self._bounded(value)
        if value.type in _WHOLE or self._rng.random() < 0.3:
            return value
        return cast(value, _SHORT_DECIMAL)

    def _bounded(self, value: Expression) -> Expression:
        """Not so large that a slope is tiny, and no NaN, of which DuckDB has no variance."""
        args = (value, cast(literal(9, "INT"), value.type))
        return Call("Least", ("least(", ", ", ")"), args, value.type, value.nullable)

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
        names = ["count", "min", "max", "min", "max"] if is_compared(value.type) else ["count"]
        if is_number(value.type):
            names += ["sum"] * 5 + ["avg"] * 3
        if not distinct:
            names += self._without_inverse(value.type) + self._of_bits(value.type)
        name = self._rng.choice(names)
        word = "DISTINCT " if distinct else ""
        if name == "avg" and value.type.startswith("DECIMAL"):
            # The dialect reads the type of the argument from this cast.
            value = cast(value, value.type) if not _is_cast(value) else value
        kind, type = _kind_and_type(name, value.type)
        parts = (f"{name}({word}", ")")
        nullable = name not in ("count", "count_if")
        return AggregateCall(kind, parts, (value,), type, nullable, distinct=distinct)

    def _without_inverse(self, type: str) -> list[str]:
        match type:
            case "INT":
                return ["bit_and", "bit_or", "median"]
            case "DOUBLE":
                return ["median"]
            case _:
                return []

    def _of_bits(self, type: str) -> list[str]:
        match type:
            case "INT" | "SMALLINT" | "BIGINT":
                return ["bit_xor", "bit_xor"]
            case "BOOLEAN":
                return ["bool_and", "bool_or", "count_if"] * 2
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

    def rank(self) -> WindowCall:
        """A function that depends on the rows before alone."""
        kind, text = self._rng.choice(list(_NUMBERING.items()))
        return WindowCall(Call(kind, (text,), (), "INT", False), "")

    def window(self) -> WindowCall:
        """A numbering function or an aggregate over a frame."""
        if not self._exact or self._rng.random() < 0.45:
            return self.rank()
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
        case "count_if":
            return "CountIf", "BIGINT"
        case "median":
            return "Median", "DOUBLE"
        case _:
            return _KINDS[name], argument
