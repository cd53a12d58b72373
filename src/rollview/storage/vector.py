"""What a view reflects: for every source, the version and the identity of what was read.

With it goes the list of the stored parts that are the state of the view's inner operators then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rollview.errors import DefinitionCorrupt


@dataclass(frozen=True, slots=True)
class Position:
    """One source as it was read.

    For a base table ``identity`` is the table's own, ``version`` its version. For a view they are
    the view id and the refresh number; ``stored`` is then the version of its backing table, and
    ``base`` what that refresh reflects in turn. ``stamp`` tells the commit of the version from any
    other that has its number, where the log says.
    """

    name: str
    version: str
    identity: str
    stored: str | None = None
    base: Mapping[str, Position] = field(default_factory=dict)
    stamp: str | None = None

    def same_as(self, other: Position | None) -> bool:
        """Whether both are the same rows of the same table."""
        if other is None or (self.version, self.identity) != (other.version, other.identity):
            return False
        return None in (self.stamp, other.stamp) or self.stamp == other.stamp

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "name": self.name,
            "version": self.version,
            "identity": self.identity,
        }
        if self.stored is not None:
            data |= {"stored": self.stored, "base": _plain(self.base)}
        if self.stamp is not None:
            data["stamp"] = self.stamp
        return data


Vector = Mapping[str, Position]  # by source id


@dataclass(frozen=True, slots=True)
class Segment:
    """One stored part of the state of an operator: a signed bag in a folder, never changed.

    ``rows`` is how many rows are stored, in files of so many ``bytes`` (0 if that is not known). If
    it is not ``signed``, every row counts once, and there are as many of it as it has copies.
    """

    token: str
    rows: int
    signed: bool
    bytes: int = 0


State = Mapping[str, tuple[Segment, ...]]  # by the name of the operator: its rows are their sum


def base_versions(vector: Vector) -> dict[str, str]:
    """The versions of all base tables, through views of any depth, by table name.

    The clock, which is no table, has no identity.
    A view refreshed without the views below it may reflect one table at two versions; both are
    given then.
    """
    found: dict[str, list[str]] = {}
    for name, version in _walk(vector):
        versions = found.setdefault(name, [])
        if version not in versions:
            versions.append(version)
    return {name: ", ".join(versions) for name, versions in sorted(found.items())}


def _walk(vector: Vector) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for position in vector.values():
        if position.stored is None and position.identity:
            pairs.append((position.name, position.version))
        elif position.stored is not None:
            pairs += _walk(position.base)
    return pairs


def dump_vector(
    vector: Vector, number: int, token: str, state: State | None = None, rows: int | None = None
) -> str:
    """The vector as text, with the number and the token of the attempt to commit it.

    ``rows`` is how many the view has, once that is known.
    """
    data: dict[str, Any] = {"number": number, "token": token, "sources": _plain(vector)}
    if state:
        data["state"] = {
            name: [asdict(segment) for segment in segments] for name, segments in state.items()
        }
    if rows is not None:
        data["rows"] = rows
    return json.dumps(data)


@dataclass(frozen=True, slots=True)
class LoadedVector:
    """A vector that was read back, with the attempt it belongs to."""

    vector: Vector
    number: int
    token: str
    state: State = field(default_factory=dict)
    rows: int | None = None


def load_vector(text: str, where: str) -> LoadedVector:
    """Read what `dump_vector` wrote; ``where`` is named if it cannot be read."""
    try:
        data = json.loads(text)
        return LoadedVector(
            vector=_positions(data["sources"]),
            number=int(data["number"]),
            token=str(data["token"]),
            state=_segments(data.get("state", {})),
            rows=data.get("rows"),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise DefinitionCorrupt(
            f"{where} does not hold the versions of a refresh: {failure}",
            hint="remove the file; the next refresh recomputes the view",
        ) from failure


def _plain(vector: Vector) -> dict[str, Any]:
    return {source: position.to_dict() for source, position in vector.items()}


def _positions(data: dict[str, Any]) -> Vector:
    return {
        source: Position(
            item["name"],
            item["version"],
            item["identity"],
            item.get("stored"),
            _positions(item.get("base", {})),
            item.get("stamp"),
        )
        for source, item in data.items()
    }


def _segments(data: dict[str, Any]) -> State:
    return {
        name: tuple(
            Segment(
                str(item["token"]),
                int(item["rows"]),
                bool(item["signed"]),
                int(item.get("bytes", 0)),
            )
            for item in items
        )
        for name, items in data.items()
    }
