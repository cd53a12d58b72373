"""The text of an expression: pieces of Spark's own text around the text of the arguments."""

from __future__ import annotations

import re
from typing import assert_never

from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    SortKey,
    WindowCall,
)
from rollview.sql.quoting import quoted

_BARE = frozenset({"LambdaFunction", "SortOrder"})
_CHAINS = {("(", " AND ", ")"): " AND ", ("(", " OR ", ")"): " OR "}
_SIMPLE = re.compile(r"(?:[\w.]+|`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*')\Z", re.ASCII | re.DOTALL)
_OPENED = re.compile(r"[\w]*\(", re.ASCII)


def text(expression: Expression | AggregateCall) -> str:
    """The expression as Spark SQL."""
    match expression:
        case ColumnRef(name=name):
            return quoted(name)
        case Literal(text=constant):
            return constant
        case Call(parts=parts, args=args):
            if parts in _CHAINS:
                return f"({_CHAINS[parts].join(map(_argument, _chain(expression)))})"
            return _filled(parts, args)
        case AggregateCall(parts=parts, args=args, filter=condition):
            call = _filled(parts, args)
            return call if condition is None else f"{call} FILTER (WHERE {text(condition)})"
        case _:
            assert_never(expression)


def window_text(
    call: WindowCall, partition: tuple[Expression, ...], order: tuple[SortKey, ...]
) -> str:
    """The window call with the OVER clause of its relation.

    Numbering functions want an order even where the plan has none: a constant one is none.
    """
    clauses = []
    if partition:
        clauses.append("PARTITION BY " + ", ".join(text(e) for e in partition))
    if order:
        clauses.append("ORDER BY " + order_text(order))
    elif isinstance(call.function, Call):
        clauses.append("ORDER BY NULL")
    if call.frame:
        clauses.append(call.frame)
    return f"{text(call.function)} OVER ({' '.join(clauses)})"


def order_text(order: tuple[SortKey, ...]) -> str:
    """The keys of an ORDER BY, directions and NULL positions spelled out."""
    return ", ".join(
        f"{text(key.expression)} {'ASC' if key.ascending else 'DESC'}"
        f" NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        for key in order
    )


def _filled(parts: tuple[str, ...], args: tuple[Expression, ...]) -> str:
    pieces = [parts[0]]
    for arg, part in zip(args, parts[1:], strict=True):
        pieces.append(_argument(arg))
        pieces.append(part)
    return "".join(pieces)


def _chain(call: Call) -> list[Expression]:
    """What is joined by AND or OR from left to right, however many there are.

    In a pair of parentheses for each of them, Spark's parser would look ahead through all of the
    rest at every one: seconds for a hundred of them, when it meets their text for the first time.
    """
    links: list[Expression] = []
    left: Expression = call
    while isinstance(left, Call) and left.parts == call.parts:
        left, right = left.args
        links.append(right)
    return [left, *reversed(links)]


def _argument(arg: Expression) -> str:
    written = text(arg)
    if not isinstance(arg, Call) or arg.kind in _BARE or _is_closed(written):
        return written
    return f"({written})"


def _is_closed(written: str) -> bool:
    """Whether the text stays together wherever it is put: a word, or one pair of parentheses."""
    if _SIMPLE.match(written):
        return True
    opened = _OPENED.match(written)
    if opened is None or not written.endswith(")"):
        return False
    return _closing(written, opened.end() - 1) == len(written) - 1


def _closing(written: str, start: int) -> int:
    """Where the parenthesis at ``start`` closes, strings and quoted names passed over."""
    depth, quote, escaped = 0, "", False
    for index in range(start, len(written)):
        char = written[index]
        if quote:
            closes = char == quote and not escaped
            escaped = char == "\\" and quote == "'" and not escaped
            quote = "" if closes else quote
        elif char in "'`":
            quote = char
        elif char in "()":
            depth += 1 if char == "(" else -1
            if depth == 0:
                return index
    return -1
