"""What a view reflects: for every source, the version and the identity of what was read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rollview.errors import DefinitionCorrupt


@dataclass(frozen=True, slots=True)
class Position:
    """One source as it was read.

    For a base table ``identity`` is the table's own, ``version`` its version. For a view they are
    the view id and the refresh number; ``stored`` is then the version of its backing table, and
    ``base`` what that refresh reflects in turn.
    """

    name: str
    version: str
    identity: str
    stored: str | None = None
    base: Mapping[str, Position] = field(default_factory=dict)

    def same_as(self, other: Position | None) -> bool:
        """Whether both are the same rows of the same table."""
        return other is not None and (self.version, self.identity) == (
            other.version,
            other.identity,
        )

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "name": self.name,
            "version": self.version,
            "identity": self.identity,
        }
        if self.stored is not None:
            data |= {"stored": self.stored, "base": _plain(self.base)}
        return data


Vector = Mapping[str, Position]  # by source id


def base_versions(vector: Vector) -> dict[str, str]:
    """The versions of all base tables, through views of any depth, by table name.

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
        if position.stored is None:
            pairs.append((position.name, position.version))
        else:
            pairs += _walk(position.base)
    return pairs


def dump_vector(vector: Vector, number: int, token: str) -> str:
    """The vector as text, with the number and the token of the attempt to commit it."""
    return json.dumps({"number": number, "token": token, "sources": _plain(vector)})


@dataclass(frozen=True, slots=True)
class LoadedVector:
    """A vector that was read back, with the attempt it belongs to."""

    vector: Vector
    number: int
    token: str


def load_vector(text: str, where: str) -> LoadedVector:
    """Read what `dump_vector` wrote; ``where`` is named if it cannot be read."""
    try:
        data = json.loads(text)
        return LoadedVector(_positions(data["sources"]), int(data["number"]), str(data["token"]))
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
        )
        for source, item in data.items()
    }
