"""The SQL statements of ours: recognise them, hand everything else back to Spark untouched."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from sqlglot import Token, TokenType
from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError

from rollview.errors import BadStatement

POLICIES = {
    ("AUTO",): "auto",
    ("INCREMENTAL", "STRICT"): "strict",
    ("INCREMENTAL",): "incremental",
    ("FULL",): "full",
}

_CREATE = (
    "CREATE [OR REPLACE] MATERIALIZED VIEW [IF NOT EXISTS] name "
    "[REFRESH POLICY AUTO | INCREMENTAL | INCREMENTAL STRICT | FULL] AS query"
)
_EXPLAIN = "EXPLAIN CREATE MATERIALIZED VIEW name [REFRESH POLICY ...] AS query"
_REFRESH = "REFRESH MATERIALIZED VIEW name [FULL]"
_DROP = "DROP MATERIALIZED VIEW [IF EXISTS] name"
_SHOW = "SHOW MATERIALIZED VIEWS"
_DESCRIBE = "DESCRIBE MATERIALIZED VIEW name"


@dataclass(frozen=True, slots=True)
class CreateView:
    """CREATE MATERIALIZED VIEW; `query` is the text after AS, verbatim."""

    name: str
    query: str
    policy: str = "auto"
    replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class ExplainCreate:
    """EXPLAIN CREATE MATERIALIZED VIEW."""

    create: CreateView


@dataclass(frozen=True, slots=True)
class RefreshView:
    """REFRESH MATERIALIZED VIEW."""

    name: str
    full: bool = False


@dataclass(frozen=True, slots=True)
class DropView:
    """DROP MATERIALIZED VIEW."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ShowViews:
    """SHOW MATERIALIZED VIEWS."""


@dataclass(frozen=True, slots=True)
class DescribeView:
    """DESCRIBE MATERIALIZED VIEW."""

    name: str


T = TypeVar("T")
Statement = CreateView | ExplainCreate | RefreshView | DropView | ShowViews | DescribeView


class _Tokenizer(Spark.Tokenizer):
    # sqlglot swallows the rest of SHOW and EXPLAIN as one string unless told otherwise.
    COMMANDS: ClassVar[set[TokenType]] = set()


def parse(text: str) -> Statement | None:
    """Return the statement, None if it is not one of ours, or raise BadStatement for a near miss.

    Names come back with each part quoted only where it must be.
    """
    try:
        tokens = _Tokenizer(dialect="spark").tokenize(text)
    except TokenError as error:
        if re.match(r"\s*(explain\s+)?(create|refresh|drop)\b[\w\s]*\bmaterialized\b", text, re.I):
            raise BadStatement(
                f"the statement cannot be read: {error}",
                hint="look for a quote or comment that is not closed",
            ) from error
        return None
    return _statement(_Reader(text, tokens))


def _statement(reader: _Reader) -> Statement | None:
    if reader.accept("EXPLAIN", "CREATE", "MATERIALIZED"):
        reader.expect("VIEW", grammar=_EXPLAIN)
        return ExplainCreate(_create(reader, replace=False, grammar=_EXPLAIN))
    if reader.accept("EXPLAIN", "CREATE", "OR", "REPLACE", "MATERIALIZED"):
        reader.expect("VIEW", grammar=_EXPLAIN)
        return ExplainCreate(_create(reader, replace=True, grammar=_EXPLAIN))
    if reader.accept("CREATE", "OR", "REPLACE", "MATERIALIZED"):
        reader.expect("VIEW", grammar=_CREATE)
        return _create(reader, replace=True, grammar=_CREATE)
    if reader.accept("CREATE", "MATERIALIZED"):
        reader.expect("VIEW", grammar=_CREATE)
        return _create(reader, replace=False, grammar=_CREATE)
    if reader.accept("REFRESH", "MATERIALIZED", "VIEW"):
        name = reader.name(_REFRESH)
        return reader.last(RefreshView(name, full=reader.accept("FULL")), _REFRESH)
    if reader.accept("DROP", "MATERIALIZED"):
        reader.expect("VIEW", grammar=_DROP)
        if_exists = reader.accept("IF", "EXISTS")
        return reader.last(DropView(reader.name(_DROP), if_exists), _DROP)
    if reader.accept("SHOW", "MATERIALIZED"):
        reader.expect("VIEWS", grammar=_SHOW)
        return reader.last(ShowViews(), _SHOW)
    if reader.accept("DESCRIBE", "MATERIALIZED", "VIEW") or reader.accept(
        "DESC", "MATERIALIZED", "VIEW"
    ):
        return reader.last(DescribeView(reader.name(_DESCRIBE)), _DESCRIBE)
    return None


def _create(reader: _Reader, *, replace: bool, grammar: str) -> CreateView:
    if_not_exists = reader.accept("IF", "NOT", "EXISTS")
    if replace and if_not_exists:
        raise reader.error("OR REPLACE and IF NOT EXISTS exclude each other", "keep one of the two")
    name = reader.name(grammar)
    policy = "auto"
    if reader.accept("REFRESH"):
        reader.expect("POLICY", grammar=grammar)
        policy = reader.policy()
    reader.expect("AS", grammar=grammar)
    return CreateView(name, reader.query(), policy, replace, if_not_exists)


class _Reader:
    """The tokens of one statement, read from left to right."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self._text = text
        self._tokens = tokens
        self._at = 0

    def accept(self, *words: str) -> bool:
        """Step over the words if all of them come next."""
        ahead = self._tokens[self._at : self._at + len(words)]
        if tuple(map(self._word, ahead)) != words:
            return False
        self._at += len(words)
        return True

    def expect(self, word: str, *, grammar: str) -> None:
        """Step over the word, or say what was found in its place."""
        if not self.accept(word):
            raise self.error(f"expected {word}, found {self._found()}", f"the form is: {grammar}")

    def name(self, grammar: str) -> str:
        """Read a name of one or more parts."""
        parts = [self._part(grammar)]
        while self._next_is(TokenType.DOT):
            self._at += 1
            parts.append(self._part(grammar))
        return ".".join(parts)

    def policy(self) -> str:
        """Read a refresh policy."""
        for words, policy in POLICIES.items():
            if self.accept(*words):
                return policy
        raise self.error(
            f"unknown refresh policy {self._found()}",
            "use AUTO, INCREMENTAL, INCREMENTAL STRICT or FULL",
        )

    def query(self) -> str:
        """The rest of the text up to a closing semicolon, as it was typed."""
        begin = self._tokens[self._at - 1].end + 1
        ends = (t for t in self._tokens[self._at :] if t.token_type == TokenType.SEMICOLON)
        end = next(ends, None)
        if self._at == len(self._tokens) or self._next_is(TokenType.SEMICOLON):
            raise self.error("the query after AS is missing", "write a SELECT after AS")
        if end is not None:
            self._at = self._tokens.index(end)
            self.last(None, "one statement at a time")
        return self._text[begin : end.start if end else None].strip()

    def last(self, statement: T, grammar: str) -> T:
        """Return the statement after making sure that nothing follows it."""
        while self._next_is(TokenType.SEMICOLON):
            self._at += 1
        if self._at < len(self._tokens):
            raise self.error(f"did not expect {self._found()}", f"the form is: {grammar}")
        return statement

    def error(self, message: str, hint: str) -> BadStatement:
        """A BadStatement at the present position."""
        done = self._at == len(self._tokens)
        offset = len(self._text.rstrip()) if done else self._tokens[self._at].start
        line = self._text.count("\n", 0, offset) + 1
        column = offset - (self._text.rfind("\n", 0, offset) + 1) + 1
        return BadStatement(f"line {line}, column {column}: {message}", hint=hint)

    def _part(self, grammar: str) -> str:
        if self._at < len(self._tokens):
            token = self._tokens[self._at]
            quoted = token.token_type == TokenType.IDENTIFIER
            if quoted or (self._word(token) and self._word(token) != "AS"):
                self._at += 1
                return token.text if re.fullmatch(r"\w+", token.text) else _quoted(token.text)
        raise self.error(f"expected a name, found {self._found()}", f"the form is: {grammar}")

    def _next_is(self, kind: TokenType) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at].token_type == kind

    def _word(self, token: Token) -> str | None:
        """The token as an upper-case word; None for quoted names, strings and signs."""
        text = self._text[token.start : token.end + 1]
        return text.upper() if re.fullmatch(r"\w+", text) else None

    def _found(self) -> str:
        if self._at == len(self._tokens):
            return "the end of the statement"
        token = self._tokens[self._at]
        return self._text[token.start : token.end + 1]


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
