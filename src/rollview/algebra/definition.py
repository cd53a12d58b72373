"""A view definition: the query, what it reads, and the settings it was written under."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rollview.algebra.relations import Relation
from rollview.algebra.schema import Schema


class SourceKind(StrEnum):
    """How a source is found again."""

    TABLE = "table"  # a catalog table, by its qualified name
    PATH = "path"  # files, by path and reader options
    VIEW = "view"  # another materialized view, by its name


@dataclass(frozen=True, slots=True)
class Source:
    """Something that a definition reads; ``id`` is what its scans call it.

    ``columns`` are the columns that the definition uses, with their types when it was written.
    ``pinned`` is the version of a time-travelled table, which never changes.
    """

    id: str
    kind: SourceKind
    name: str
    provider: str
    columns: Schema
    pinned: str | None = None
    options: tuple[tuple[str, str], ...] = ()


class DependencyKind(StrEnum):
    """What else a definition relies on."""

    VIEW = "view"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class Dependency:
    """A plain view or a named function, with the text it had when the definition was written."""

    kind: DependencyKind
    name: str
    text: str


class ReasonCode(StrEnum):
    """Why something falls back from incremental maintenance."""

    NON_DETERMINISTIC = "NON_DETERMINISTIC"
    TIME_DEPENDENT = "TIME_DEPENDENT"
    UNVERSIONED_SOURCE = "UNVERSIONED_SOURCE"
    NOT_UNDERSTOOD = "NOT_UNDERSTOOD"
    OPAQUE_FUNCTION = "OPAQUE_FUNCTION"
    NO_RULE = "NO_RULE"
    NO_KEY = "NO_KEY"
    KEY_NOT_AT_HAND = "KEY_NOT_AT_HAND"
    NOT_APPLICABLE = "NOT_APPLICABLE"


@dataclass(frozen=True, slots=True)
class Reason:
    """One coded reason: the piece of the query that caused it, and what to do about it."""

    code: ReasonCode
    piece: str
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """Everything that is needed to compute a view, in this process or in a later one.

    Exactly one of ``text`` (SQL) and ``plan`` (a DataFrame's analyzed plan, serialized by Spark's
    own Java classes, base64) holds the original. ``relation`` is the same query as algebra; None
    if the query is not understood, which ``reasons`` then explains. It is ``canonical`` if an order
    that left ties open was completed in it; ``left_open`` names the result columns on which two
    correct evaluations may still disagree, and is ``("*",)`` if that concerns the rows themselves.
    ``tied`` names those on which evaluations of the original may.
    """

    text: str | None
    plan: str | None
    columns: Schema
    relation: Relation | None
    sources: tuple[Source, ...]
    dependencies: tuple[Dependency, ...]
    settings: tuple[tuple[str, str], ...]
    reasons: tuple[Reason, ...]
    order_sensitive: tuple[str, ...] = ()
    canonical: bool = False
    left_open: tuple[str, ...] = ()
    tied: tuple[str, ...] = ("*",)
