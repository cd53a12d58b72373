"""Variances, covariances and regressions of floating values: merged when rows come.

Isolated here because it is delicate. Chan, Golub, LeVeque (1983): with n values, their sum S and
their squared distances M to the mean, two sets have together

    ``M = Ma + Mb + g * g / (na * nb * n)``, where ``g = Sb * na - Sa * nb``,

and products of distances likewise with two different factors. Nothing is ever taken away, since
that loses digits: a group that lost rows is evaluated anew. So is one where g, a difference of
sums, may have too few digits: `_well_conditioned` and `_well_correlated` bound by how much
rounding can grow, so that what is lost stays far below the tolerance of 1e-9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    binary,
    cast,
    function,
    typed,
)
from rollview.algebra.relations import Named, NamedAggregate
from rollview.errors import InternalError
from rollview.maintenance.counts import count_of, of_pair
from rollview.maintenance.sides import Sides, above_zero, both, negation, or_zero

SPREAD, PRODUCT, DETERMINATION, INTERCEPT = "Spread", "Product", "Determination", "Intercept"
MERGED = (SPREAD, PRODUCT, DETERMINATION, INTERCEPT)
_OF_ONE = ("VariancePop", "VarianceSamp", "StddevPop", "StddevSamp")
_OF_PAIRS = ("CovPopulation", "CovSample", "Corr", "RegrSlope", "RegrIntercept", "RegrR2")
_PLAIN = {"RegrSXX", "RegrSYY", "RegrSXY"}
# How much larger than the distances the values themselves may be, squared; and by how much the
# rounding of products and intercepts may grow, which cancel out where values hardly correlate.
_FAR, _FAINT = 1e6, 1e10
# Beyond these, squares are no numbers, or have lost digits.
_LEAST, _MOST = (Literal(f"CAST('{bound}' AS DOUBLE)", "DOUBLE") for bound in ("1e-200", "1e300"))


@dataclass(frozen=True, slots=True)
class Pairs:
    """The rows in which none of two values is NULL; of one value, if both are the same."""

    one: Expression
    other: Expression
    filter: Expression | None

    @property
    def count(self) -> AggregateCall:
        """How many there are."""
        return count_of((self.one, self.other), self.filter)

    def sum(self, value: Expression) -> AggregateCall:
        """The sum of one of the values."""
        other = self._besides(value)
        alone = value if other == value else of_pair(value, other)
        return AggregateCall("Sum", ("sum(", ")"), (alone,), "DOUBLE", filter=self.filter)

    def spread(self, value: Expression) -> AggregateCall:
        """The squared distances of one of the values to its mean, by Spark's own function."""
        return self._call(SPREAD, "regr_sxx", self._besides(value), value)

    @property
    def product(self) -> AggregateCall:
        """The products of the distances of both values; in one order, to be found again."""
        return self._call(PRODUCT, "regr_sxy", *sorted((self.one, self.other), key=repr))

    def _besides(self, value: Expression) -> Expression:
        return self.other if value == self.one else self.one

    def _call(self, kind: str, name: str, *args: Expression) -> AggregateCall:
        return AggregateCall(kind, (f"{name}(", ", ", ")"), args, "DOUBLE", filter=self.filter)


@dataclass(frozen=True, slots=True)
class Spreads:
    """A function of the count, the squared distances and the products of values."""

    kind: str
    calls: tuple[AggregateCall, ...]

    def value(self, columns: tuple[ColumnRef, ...]) -> Expression:
        """What Spark's function is, from the columns of the calls; NULL where Spark says so."""
        count, last = columns[0], columns[-1]
        match self.kind:
            case "VariancePop" | "CovPopulation":
                return _above("0", count, _over(last, _double(count)))
            case "VarianceSamp" | "CovSample":
                return _above("1", count, _over(last, _less_one(count)))
            case "StddevPop":
                return _above("0", count, _root(_over(last, _double(count))))
            case "StddevSamp":
                return _above("1", count, _root(_over(last, _less_one(count))))
            case "Corr":
                return _above("1", count, _over(last, _root(_times(columns[1], columns[2]))))
            case "RegrSlope":
                return _above("0", columns[1], _over(last, columns[1]))
            case _:
                return last


def spreads(call: AggregateCall) -> Spreads | None:
    """The call as a function of what can be merged; None if it is none.

    Regressions name the dependent value first. An intercept is itself kept, since it alone can tell
    whether it has lost digits, and so is the coefficient of determination: what that is where a
    value is constant differs between releases of Spark 4.0 and of Spark 4.1.
    """
    if call.distinct or call.kind not in (*_OF_ONE, *_OF_PAIRS, *_PLAIN):
        return None
    first, last = (typed(value, "DOUBLE") for value in (call.args[0], call.args[-1]))
    pairs = Pairs(first, last, call.filter)
    match call.kind:
        case "RegrSXX":
            found = [pairs.spread(last)]
        case "RegrSYY":
            found = [pairs.spread(first)]
        case "CovPopulation" | "CovSample" | "RegrSXY":
            found = [pairs.product]
        case "Corr":
            found = [pairs.spread(first), pairs.spread(last), pairs.product]
        case "RegrSlope":
            found = [pairs.spread(last), pairs.product]
        case "RegrR2" | "RegrIntercept":
            kind = DETERMINATION if call.kind == "RegrR2" else INTERCEPT
            found = [replace(call, kind=kind, args=(first, last))]
        case _:
            found = [pairs.spread(first)]
    return Spreads(call.kind, (pairs.count, *found))


def beside(call: AggregateCall) -> tuple[AggregateCall, ...]:
    """What is kept with a call, so that it can be merged."""
    pairs = Pairs(call.args[0], call.args[-1], call.filter)
    if call.kind == SPREAD:
        return pairs.count, pairs.sum(call.args[1])
    of_each = tuple(one for value in call.args for one in (pairs.sum(value), pairs.spread(value)))
    return pairs.count, *of_each, pairs.product


@dataclass(frozen=True, slots=True)
class Merged:
    """A call merged with the added rows: its value, and where it has to be evaluated anew.

    ``together`` are columns, each of old and added rows together, that both are said in, and that
    others of the same group use; ``parts`` is what is computed of the changes.
    """

    value: Expression
    anew: Expression
    together: tuple[Named, ...] = ()
    parts: tuple[NamedAggregate, ...] = ()


def merged(call: AggregateCall, sides: Mapping[AggregateCall, Sides]) -> Merged:
    """How a call goes on when rows are added; it does not when rows are removed."""
    group = _Group(Pairs(call.args[0], call.args[-1], call.filter), sides)
    own = sides[call]
    together: tuple[Named, ...]
    match call.kind:
        case "Spread":
            value = call.args[1]
            sure = _well_conditioned(group, value)
            together = (group.counted(), group.summed(value), group.merged(call, value, value))
        case "Product":
            sure = _well_correlated(group)
            together = (group.merged(call, *call.args),)
        case "Determination":
            return _kept(group, own, *_determination(group))
        case "Intercept":
            return _kept(group, own, *_intercept(group, *call.args))
        case kind:
            raise InternalError(f"{kind} is not merged")
    unsure = both(group.met, negation(sure))
    return Merged(_together(own), _or_lost(group, unsure), together, own.parts[:1])


def _kept(group: _Group, own: Sides, value: Expression, sure: Expression) -> Merged:
    """A value that is made of merged ones, and stays as it is if no rows were added."""
    parts = ("CASE WHEN ", " THEN ", " ELSE ", " END")
    whole = Call("CaseWhen", parts, (group.came, value, own.old), "DOUBLE")
    return Merged(whole, _or_lost(group, both(group.came, negation(sure))))


def _or_lost(group: _Group, unsure: Expression) -> Expression:
    return binary("Or", "OR", above_zero(group.gone), unsure, "BOOLEAN")


def _together(sides: Sides) -> ColumnRef:
    """The column of old and added rows together."""
    return ColumnRef(f"{sides.plus.name}_all", "DOUBLE")


@dataclass(frozen=True, slots=True)
class _Group:
    """The old and the added rows of a group, and both together, as expressions."""

    pairs: Pairs
    sides: Mapping[AggregateCall, Sides]

    @property
    def gone(self) -> Expression:
        """How many rows were removed."""
        return self.sides[self.pairs.count].minus

    @property
    def came(self) -> Expression:
        """Whether there are added rows."""
        return above_zero(self.sides[self.pairs.count].plus)

    @property
    def met(self) -> Expression:
        """Whether there are old and added rows."""
        return both(above_zero(or_zero(self.sides[self.pairs.count].old)), self.came)

    @property
    def count(self) -> Expression:
        """How many there are together."""
        return _together(self.sides[self.pairs.count])

    def sum(self, value: Expression) -> Expression:
        """The sum of a value over all."""
        return _together(self.sides[self.pairs.sum(value)])

    def spread(self, value: Expression) -> Expression:
        """The squared distances of a value over all."""
        return _together(self.sides[self.pairs.spread(value)])

    @property
    def product(self) -> Expression:
        """The products of the distances over all."""
        return _together(self.sides[self.pairs.product])

    def counted(self) -> Named:
        """The column of the count."""
        return Named(_together(self.sides[self.pairs.count]).name, _plus(*self._counts()))

    def summed(self, value: Expression) -> Named:
        """The column of a sum."""
        found = self.sides[self.pairs.sum(value)]
        return Named(_together(found).name, _plus(or_zero(found.old), or_zero(found.plus)))

    def merged(self, call: AggregateCall, one: Expression, other: Expression) -> Named:
        """The column of squared distances or products."""
        found, (old, new) = self.sides[call], self._counts()
        size = _times(_times(old, new), _plus(old, new))
        between = _over(_times(self._gap(one), self._gap(other)), size)
        whole = _plus(_plus(found.old, found.plus), between)
        parts = ("CASE WHEN ", " THEN ", " WHEN ", " THEN ", " ELSE ", " END")
        args = (self.met, whole, self.came, found.plus, found.old)
        return Named(_together(found).name, Call("CaseWhen", parts, args, "DOUBLE"))

    def _gap(self, value: Expression) -> Expression:
        """How far the means are from each other, times both counts."""
        found, (old, new) = self.sides[self.pairs.sum(value)], self._counts()
        return binary("Subtract", "-", _times(found.plus, old), _times(found.old, new), "DOUBLE")

    def _counts(self) -> tuple[Expression, Expression]:
        count = self.sides[self.pairs.count]
        return _double(or_zero(count.old)), _double(count.plus)


def _well_conditioned(group: _Group, value: Expression) -> Expression:
    """Whether the values are not much larger than their distances to the mean."""
    sum = group.sum(value)
    bound = _times(_constant(_FAR), _times(group.count, group.spread(value)))
    return both(_sane(bound), _at_most(_times(sum, sum), bound))


def _well_correlated(group: _Group) -> Expression:
    """Whether the products do not nearly cancel out, compared with all that is rounded."""
    bound = _times(_constant(_FAINT), _squared_product(group))
    return both(_sane(bound), _at_most(_rounded(group), bound))


def _squared_product(group: _Group) -> Expression:
    return _times(group.count, _times(group.product, group.product))


def _rounded(group: _Group) -> Expression:
    """The squares of what is rounded when products are merged, in the same unit as theirs."""
    one, other = group.pairs.one, group.pairs.other
    spreads = group.spread(one), group.spread(other)
    sums = group.sum(one), group.sum(other)
    distances = _times(_constant(2.0), _times(group.count, _times(*spreads)))
    values = _plus(
        _times(spreads[0], _times(sums[1], sums[1])), _times(spreads[1], _times(sums[0], sums[0]))
    )
    return _plus(distances, values)


def _determination(group: _Group) -> tuple[Expression, Expression]:
    """The square of the correlation, and whether it is that: not if a value is constant."""
    squares = _times(group.spread(group.pairs.one), group.spread(group.pairs.other))
    correlation = _over(group.product, _root(squares))
    parts = ("CASE WHEN ", " THEN ", " END")
    value = Call("CaseWhen", parts, (_sane(squares), _times(correlation, correlation)), "DOUBLE")
    return value, _sane(squares)


def _intercept(group: _Group, first: Expression, last: Expression) -> tuple[Expression, Expression]:
    """The first value where the last is zero, and whether it is more than what was rounded."""
    spread = group.spread(last)
    rise = _times(_over(group.product, spread), _over(group.sum(last), group.count))
    mean = _over(group.sum(first), group.count)
    value = binary("Subtract", "-", mean, rise, "DOUBLE")
    most = _plus(_absolute(mean), _absolute(rise))
    bound = _times(_constant(_FAINT), _times(_times(value, value), _squared_product(group)))
    rounded = _times(_times(most, most), _rounded(group))
    enough = both(_sane(bound), _at_most(rounded, bound))
    parts = ("CASE WHEN ", " > 0 THEN ", " ELSE TRUE END")
    return _above("0", spread, value), Call("CaseWhen", parts, (spread, enough), "BOOLEAN")


def _sane(value: Expression) -> Expression:
    """Whether a product is a number; a NaN is greater than any."""
    above = binary("GreaterThan", ">", value, _LEAST, "BOOLEAN")
    return both(above, binary("LessThan", "<", value, _MOST, "BOOLEAN"))


def _at_most(value: Expression, bound: Expression) -> Expression:
    return binary("LessThanOrEqual", "<=", value, bound, "BOOLEAN")


def _above(least: str, number: Expression, value: Expression) -> Expression:
    parts = ("CASE WHEN ", f" > {least} THEN ", " END")
    return Call("CaseWhen", parts, (number, value), "DOUBLE")


def _constant(number: float) -> Literal:
    return Literal(f"CAST({number:.0f} AS DOUBLE)", "DOUBLE")


def _double(value: Expression) -> Expression:
    return cast(value, "DOUBLE")


def _less_one(count: Expression) -> Expression:
    return binary("Subtract", "-", _double(count), _constant(1.0), "DOUBLE")


def _plus(left: Expression, right: Expression) -> Expression:
    return binary("Add", "+", left, right, "DOUBLE")


def _times(left: Expression, right: Expression) -> Expression:
    return binary("Multiply", "*", left, right, "DOUBLE")


def _over(left: Expression, right: Expression) -> Expression:
    """Spark's own division, which these functions use, too: by zero it is NULL or an error."""
    return binary("Divide", "/", left, right, "DOUBLE")


def _root(value: Expression) -> Expression:
    return function("sqrt", value, type="DOUBLE", kind="Sqrt")


def _absolute(value: Expression) -> Expression:
    return function("abs", value, type="DOUBLE", kind="Abs")
