"""Variances, covariances and regressions of exact values, from sums that are exact, too.

Isolated here because it is delicate: ``n * sum(x * x) - sum(x) * sum(x)`` loses all its digits when
it is evaluated in floating numbers (Chan, Golub, LeVeque 1983, "Algorithms for computing the sample
variance"). In whole numbers it loses none, and rows can be taken away as exactly as they were
added. So values are counted in units of their last digit, and only the result is a DOUBLE.
"""

from __future__ import annotations

from dataclasses import dataclass

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
    cast,
    function,
)
from rollview.algebra.schema import DECIMAL
from rollview.errors import InternalError
from rollview.maintenance.counts import count_of, of_pair, strict

_DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INT": 10}
# With the ten digits that Spark adds for a sum, the product of two sums still has 38.
_MOST_DIGITS = 9
# The products that each function is made of, by the places of their factors.
_SQUARE, _MIXED, _SECOND = (0, 0), (0, 1), (1, 1)
_PRODUCTS = {
    "VariancePop": (_SQUARE,),
    "VarianceSamp": (_SQUARE,),
    "StddevPop": (_SQUARE,),
    "StddevSamp": (_SQUARE,),
    "CovPopulation": (_MIXED,),
    "CovSample": (_MIXED,),
    "Corr": (_SQUARE, _MIXED, _SECOND),
    "RegrSXX": (_SQUARE,),
    "RegrSYY": (_SQUARE,),
    "RegrSXY": (_MIXED,),
    "RegrSlope": (_MIXED, _SECOND),
    "RegrIntercept": (_MIXED, _SECOND),
}


@dataclass(frozen=True, slots=True)
class _Exact:
    """A value whose sums are exact: the digits it may have, and how many are after the point."""

    value: Expression
    digits: int
    scale: int

    def whole(self, digits: int) -> tuple[str, str]:
        """The text around a value of this scale that makes it a whole number of units."""
        if not self.scale:
            return "CAST(", f" AS DECIMAL({digits},0))"
        unit = f"CAST({10**self.scale} AS DECIMAL({self.scale + 1},0))"
        return "CAST((", f" * {unit}) AS DECIMAL({digits},0))"


@dataclass(frozen=True, slots=True)
class Moments:
    """A function of counts, sums and sums of products, of one value or of pairs.

    ``values`` are the one or two exact values. The calls are the count, the sum of each value, and
    the sums of the products that the function is made of.
    """

    kind: str
    values: tuple[_Exact, ...]
    calls: tuple[AggregateCall, ...]

    def value(self, columns: tuple[ColumnRef, ...]) -> Expression:
        """What Spark's function is, from the columns of the calls; NULL where Spark says so."""
        sums = _Sums(self.values, _PRODUCTS[self.kind], _double(columns[0]), columns)
        if self.kind in ("RegrSlope", "RegrIntercept"):
            line = sums.slope() if self.kind == "RegrSlope" else sums.intercept()
            return _above(0, sums.exact_spread(1, 1), line)
        last = len(self.values) - 1
        match self.kind:
            case "Corr":
                both = _times(sums.spread(0, 0), sums.spread(1, 1))
                return _above(1, columns[0], _over(sums.spread(0, 1), _root(both)))
            case "RegrSXX" | "RegrSYY" | "RegrSXY":
                return _above(0, columns[0], sums.per_count(0, last))
            case "VariancePop" | "CovPopulation":
                return _above(0, columns[0], sums.per_square(0, last))
            case "VarianceSamp" | "CovSample":
                return _above(1, columns[0], sums.per_sample(0, last))
            case "StddevPop":
                return _above(0, columns[0], _root(sums.per_square(0, 0)))
            case "StddevSamp":
                return _above(1, columns[0], _root(sums.per_sample(0, 0)))
            case kind:
                raise InternalError(f"{kind} is no function of sums")


def moments(call: AggregateCall) -> Moments | None:
    """The call as a function of exact sums; None if it is none, or its values are not exact.

    Regressions name the dependent value first. ``regr_r2`` is not here: what it gives for constants
    differs between releases of Spark 4.0 and of Spark 4.1, and only Spark can tell.
    """
    if call.distinct or call.kind not in _PRODUCTS:
        return None
    values = tuple(found for arg in call.args if (found := _exact(arg)) is not None)
    if len(values) != len(call.args):
        return None
    match call.kind:
        case "RegrSXX":
            return _over_values(call, values[1:], values[:1])
        case "RegrSYY":
            return _over_values(call, values[:1], values[1:])
        case _:
            return _over_values(call, values, ())


def _over_values(
    call: AggregateCall, values: tuple[_Exact, ...], only_there: tuple[_Exact, ...]
) -> Moments:
    """The calls for the products of some values; others need only be there in the same row."""
    every = tuple(one.value for one in (*values, *only_there))
    calls = [count_of(every, call.filter)]
    for one in values:
        others = [value for value in every if value != one.value]
        alone = of_pair(one.value, others[0]) if others else one.value
        calls.append(_sum(alone, _sum_type(one), call.filter))
    for places in _PRODUCTS[call.kind]:
        left, right = (values[place] for place in places)
        others = [value for value in every if value not in (left.value, right.value)]
        digits = left.digits + right.digits + 11
        calls.append(_sum(_product(left, right, others), f"DECIMAL({digits},0)", call.filter))
    return Moments(call.kind, values, tuple(calls))


def _sum(value: Expression, type: str, filter: Expression | None) -> AggregateCall:
    return AggregateCall("Sum", ("sum(", ")"), (value,), type, filter=filter)


def _sum_type(one: _Exact) -> str:
    if one.value.type in _DIGITS:
        return "BIGINT"
    return f"DECIMAL({one.digits + 10},{one.scale})"


def _product(left: _Exact, right: _Exact, others: list[Expression]) -> Expression:
    """The product of two values in their units; NULL where another value is that must be there."""
    (before, after), (again, end) = (one.whole(one.digits) for one in (left, right))
    type = f"DECIMAL({left.digits + right.digits + 1},0)"
    opening, middle, closing = f"({before}", f"{after} * {again}", f"{end})"
    if not any(other.nullable for other in others):
        return strict((opening, middle, closing), (left.value, right.value), type)
    parts = ("if((", f" IS NULL), NULL, {opening}", middle, f"{closing})")
    return strict(parts, (others[0], left.value, right.value), type)


def _exact(argument: Expression) -> _Exact | None:
    """The exact value that Spark casts to DOUBLE for these functions, if it is one."""
    if isinstance(argument, Call) and argument.kind == "Cast" and argument.type == "DOUBLE":
        argument = argument.args[0]
    if argument.type in _DIGITS:
        return _Exact(argument, _DIGITS[argument.type], 0)
    decimal = DECIMAL.fullmatch(argument.type)
    if decimal is None or int(decimal[1]) > _MOST_DIGITS:
        return None
    return _Exact(argument, int(decimal[1]), int(decimal[2]))


@dataclass(frozen=True, slots=True)
class _Sums:
    """The stored sums of a group, and what is computed of them, as expressions."""

    values: tuple[_Exact, ...]
    products: tuple[tuple[int, int], ...]
    count: Expression
    columns: tuple[ColumnRef, ...]

    def exact_spread(self, left: int, right: int) -> Expression:
        """``n * sum(x * y) - sum(x) * sum(y)`` in units, a whole number."""
        place = 1 + len(self.values) + self.products.index((left, right))
        count = cast(self.columns[0], "DECIMAL(20,0)")
        whole = "DECIMAL(38,0)"
        total = binary("Multiply", "*", count, self.columns[place], whole)
        product = binary("Multiply", "*", self._sum(left), self._sum(right), whole)
        return binary("Subtract", "-", total, product, whole)

    def _sum(self, place: int) -> Expression:
        """The sum of a value in units, with all its digits."""
        column = self.columns[1 + place]
        parts = self.values[place].whole(20)
        return Call("Cast", parts, (column,), "DECIMAL(20,0)", column.nullable)

    def spread(self, left: int, right: int) -> Expression:
        """The same, as a DOUBLE."""
        return _double(self.exact_spread(left, right))

    def per_square(self, left: int, right: int) -> Expression:
        """Divided by the square of the count: the variance or covariance of all."""
        return self._shared(left, right, _times(self.count, self.count))

    def per_sample(self, left: int, right: int) -> Expression:
        """The variance or covariance of a sample."""
        less = binary("Subtract", "-", self.count, _constant(1), "DOUBLE")
        return self._shared(left, right, _times(self.count, less))

    def per_count(self, left: int, right: int) -> Expression:
        """The sum of the products of the distances to the means."""
        return self._shared(left, right, self.count)

    def _shared(self, left: int, right: int, divisor: Expression) -> Expression:
        units = 10 ** (self.values[left].scale + self.values[right].scale)
        divisor = divisor if units == 1 else _times(divisor, _constant(units))
        return _over(self.spread(left, right), divisor)

    def slope(self) -> Expression:
        """How much the first value grows with the second."""
        first, second = (10**value.scale for value in self.values)
        up, down = self.spread(0, 1), self.spread(1, 1)
        up = up if second == 1 else _times(up, _constant(second))
        return _over(up, down if first == 1 else _times(down, _constant(first)))

    def intercept(self) -> Expression:
        """The first value where the second is zero, over one denominator."""
        here = _times(_double(self._sum(0)), self.spread(1, 1))
        there = _times(_double(self._sum(1)), self.spread(0, 1))
        first = 10 ** self.values[0].scale
        divisor = _times(self.count, self.spread(1, 1))
        divisor = divisor if first == 1 else _times(divisor, _constant(first))
        return _over(binary("Subtract", "-", here, there, "DOUBLE"), divisor)


def _above(least: int, number: Expression, value: Expression) -> Expression:
    parts = ("CASE WHEN ", f" > {least} THEN ", " END")
    return Call("CaseWhen", parts, (number, value), value.type)


def _constant(number: int) -> Literal:
    return Literal(f"CAST({number} AS DOUBLE)", "DOUBLE")


def _double(value: Expression) -> Expression:
    return cast(value, "DOUBLE")


def _times(left: Expression, right: Expression) -> Expression:
    return binary("Multiply", "*", left, right, "DOUBLE")


def _over(left: Expression, right: Expression) -> Expression:
    """Spark's own division, which these functions use, too: by zero it is NULL or an error."""
    return binary("Divide", "/", left, right, "DOUBLE")


def _root(value: Expression) -> Expression:
    return function("sqrt", value, type="DOUBLE", kind="Sqrt")
