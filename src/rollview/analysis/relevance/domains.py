"""The values that conditions compare: which types, how their constants are read and written.

Integers and dates are discrete: between a value and the next there is none, so ``x < c`` is
``x <= c - 1``. Decimals and timestamps are dense: strict stays strict. Strings, timestamps and
booleans have an order and no sum. Anything else is not looked into.
"""

from __future__ import annotations

import datetime
import re
from enum import StrEnum
from fractions import Fraction

from rollview.algebra.expressions import Call, Expression, Literal
from rollview.algebra.traverse import walk_expression

Number = int | Fraction
_BITS = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "BIGINT": 63}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)\Z")
# What dates, times and numbers are made of where Spark has not folded them.
_MAKING = frozenset(
    {
        "Add",
        "AddMonths",
        "Cast",
        "DateAdd",
        "DateAddInterval",
        "DateAddYMInterval",
        "DateSub",
        "ExtractANSIIntervalDays",
        "Multiply",
        "ParseToDate",
        "ParseToTimestamp",
        "Subtract",
        "TimeAdd",
        "TimestampAddInterval",
        "TimestampAddYMInterval",
        "UnaryMinus",
    }
)
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_PLAIN = re.compile(r"(-?\d+(?:\.\d+)?)(?:L|S|Y|BD)?\Z")
_CAST = re.compile(r"CAST\((.+) AS ([A-Z]+(?:\(\d+,\s*\d+\))?)\)\Z", re.DOTALL)
_DATE = re.compile(r"(?:DATE\s*)?'(\d{4})-(\d{2})-(\d{2})'\Z")
_STAMP = re.compile(
    r"TIMESTAMP(?:_NTZ)?\s*'(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?'\Z"
)
_DAYS = re.compile(r"date_from_unix_date\((-?\d+)\)\Z")
_MICROS = re.compile(r"timestamp_micros\((-?\d+)L\)\Z")
_STRING = re.compile(r"'([^'\\]*)'\Z")
_ZONES_DIFFER = 2 * 86_400_000_000  # microseconds, more than local times are apart or out of order


class Family(StrEnum):
    """Types whose values can be compared with each other."""

    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "boolean"
    STRING = "string"
    TIMESTAMP = "timestamp"
    LOCAL = "timestamp_ntz"


_NAMED = {
    "DATE": Family.DATE,
    "BOOLEAN": Family.BOOLEAN,
    "STRING": Family.STRING,
    "TIMESTAMP": Family.TIMESTAMP,
    "TIMESTAMP_NTZ": Family.LOCAL,
}


def family(type: str) -> Family | None:
    """What values of a type are compared as; None if they are not looked into."""
    if type in _BITS or _DECIMAL.match(type):
        return Family.NUMBER
    return _NAMED.get(type)


def has_sums(family: Family) -> bool:
    """Whether ``y + c`` is meant by a sum: of numbers, and of dates and days."""
    return family in (Family.NUMBER, Family.DATE)


def is_discrete(type: str) -> bool:
    """Whether between a value and the next there is none."""
    return type in _BITS or type == "DATE"


def limits(type: str) -> tuple[Number, Number] | None:
    """The least and the greatest number of a type; None for other types."""
    if type in _BITS:
        return -(2 ** _BITS[type]), 2 ** _BITS[type] - 1
    found = decimal(type)
    if found is None:
        return None
    precision, scale = found
    greatest = Fraction(10**precision - 1, 10**scale)
    return -greatest, greatest


def decimal(type: str) -> tuple[int, int] | None:
    """Precision and scale of a type of exact numbers; None for other types."""
    if type in _BITS:
        return len(str(2 ** _BITS[type])), 0
    found = _DECIMAL.match(type)
    return None if found is None else (int(found[1]), int(found[2]))


def is_constant(expression: Expression) -> bool:
    """Whether the expression is made of constants alone, by what makes others of them."""
    return all(
        isinstance(part, Literal)
        or (isinstance(part, Call) and part.deterministic and part.kind in _MAKING)
        for part in walk_expression(expression)
    )


def is_null_constant(expression: Expression) -> bool:
    """Whether the expression is NULL, written as a constant."""
    text = expression.text.upper() if isinstance(expression, Literal) else ""
    return text == "NULL" or text.startswith("CAST(NULL AS ")


def value(constant: Expression) -> Number | None:
    """The number that a constant is, or the days since 1970 of a date; None if it is not read."""
    match constant:
        case Literal(text=text, type=type):
            return _read(text, type)
        case Call(kind="Cast", args=(Literal() as inner,), type=type):
            return _cast(_read(inner.text, inner.type), inner.text, type)
        case Call(kind="UnaryMinus", args=(Literal(type=type) as inner,)) if type != "DATE":
            found = value(inner)
            return None if found is None else -found
        case _:
            return None


def _read(text: str, type: str) -> Number | None:
    if text.startswith("(") and text.endswith(")"):
        return _read(text[1:-1], type)
    cast = _CAST.match(text)
    if cast is not None and cast[2] == type:
        return _cast(_read(cast[1], type), cast[1], type)
    if type == "DATE":
        return _days(text)
    plain = _PLAIN.match(text)
    if plain is None or family(type) is not Family.NUMBER:
        return None
    number = Fraction(plain[1])
    return number.numerator if number.denominator == 1 else number


def _cast(number: Number | None, text: str, type: str) -> Number | None:
    """A number in another type, if it is the same there; a text in that of a date."""
    if type == "DATE":
        return _days(text) if number is None else None
    return number if number is not None and _fits(number, type) else None


def _fits(number: Number, type: str) -> bool:
    bounds, shape = limits(type), decimal(type)
    if bounds is None or shape is None:
        return False
    return bounds[0] <= number <= bounds[1] and (number * 10 ** shape[1]) % 1 == 0


def _days(text: str) -> int | None:
    days = _DAYS.match(text)
    if days is not None:
        return int(days[1])
    found = _DATE.match(text)
    if found is None:
        return None
    try:
        return datetime.date(int(found[1]), int(found[2]), int(found[3])).toordinal() - _EPOCH
    except ValueError:
        return None


def is_before(one: Expression, two: Expression) -> bool:
    """Whether a constant without sums is surely less than another of its type."""
    if not isinstance(one, Literal) or not isinstance(two, Literal) or one.type != two.type:
        return False
    match family(one.type):
        case Family.BOOLEAN:
            return one.text.upper() == "FALSE" and two.text.upper() == "TRUE"
        case Family.STRING:
            first, second = _STRING.match(one.text), _STRING.match(two.text)
            if first is None or second is None:
                return False
            return first[1].encode() < second[1].encode()
        case Family.TIMESTAMP:  # by local time, which is of some zone and goes back at times
            start, end = _moment(one.text), _moment(two.text)
            return start is not None and end is not None and start + _ZONES_DIFFER < end
        case Family.LOCAL:
            start, end = _moment(one.text), _moment(two.text)
            return start is not None and end is not None and start < end
        case _:
            return False


def _moment(text: str) -> int | None:
    """Microseconds since 1970 of local time, or of an instant."""
    micros = _MICROS.match(text)
    if micros is not None:
        return int(micros[1])
    found = _STAMP.match(text)
    if found is None:
        return None
    try:
        whole = datetime.datetime.fromisoformat(f"{found[1]} {found[2]}")
    except ValueError:
        return None
    seconds = (whole - datetime.datetime(1970, 1, 1)) // datetime.timedelta(seconds=1)
    return seconds * 1_000_000 + int((found[3] or "0").ljust(6, "0"))


def written_date(days: Number) -> Literal | None:
    """A date as a constant; None where calendars end."""
    ordinal = int(days) + _EPOCH
    if days != int(days) or not 1 <= ordinal <= datetime.date.max.toordinal():
        return None
    return Literal(f"DATE '{datetime.date.fromordinal(ordinal).isoformat()}'", "DATE")
