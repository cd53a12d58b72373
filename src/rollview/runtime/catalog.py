"""The definitions of a lake: a view exists exactly while its definition file does."""

from __future__ import annotations

import difflib
import json
import uuid
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.algebra import codec
from rollview.algebra.definition import Definition, SourceKind
from rollview.errors import Conflict, DefinitionCorrupt, RollviewError, UnknownView, ViewExists
from rollview.maintenance.choice import AUTO, Choice
from rollview.maintenance.strategies import STRATEGIES
from rollview.runtime.lake import Lake, rollview_version
from rollview.runtime.report import Policy
from rollview.storage.files import file_to_name, name_to_file
from rollview.storage.view_store import ViewStore


@dataclass(frozen=True)
class StoredView:
    """One view as its definition file tells it; ``schema`` is what its query gives."""

    name: str
    view_id: str
    definition: Definition
    policy: Policy
    choice: Choice
    store: str
    schema: StructType
    created_at: datetime
    self_maintaining: bool = False

    def reads(self) -> list[str]:
        """The keys of the views that this one reads."""
        sources = self.definition.sources
        return [key_of(s.name) for s in sources if s.kind is SourceKind.VIEW]

    def rows(self, lake: Lake, session: SparkSession) -> ViewStore[DataFrame]:
        """The stored rows, through the given session."""
        return lake.view_store(session, self.name, self.view_id, self.store, self.schema)


def key_of(name: str) -> str:
    """What is equal for names that differ in case only."""
    return name.lower()


def new_view_id() -> str:
    """A view id: never used again, in this lake or another."""
    return uuid.uuid4().hex


class Catalog:
    """The definition files of one lake."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._folder = f"{lake.root}/definitions"

    def listed(self) -> list[str]:
        """The keys of all views, also of those whose definition cannot be read."""
        names = self._lake.files.names(self._folder)
        return [file_to_name(n.removesuffix(".json")) for n in names if n.endswith(".json")]

    def find(self, name: str) -> StoredView | None:
        """The view of that name, in any case; None if there is none. Raises DefinitionCorrupt."""
        path = self._path(name)
        text = self._lake.files.read(path)
        return None if text is None else _decode(text, path, name)

    def get(self, name: str) -> StoredView:
        """The view of that name, in any case. Raises UnknownView."""
        view = self.find(name)
        if view is not None:
            return view
        keys = self.listed()
        near = difflib.get_close_matches(key_of(name), keys, n=3)
        there = ", ".join(near or keys[:10]) or "none yet"
        raise UnknownView(
            f"there is no materialized view {name}",
            hint=f"{'did you mean' if near else 'there are'}: {there}",
        )

    def readable(self) -> tuple[dict[str, StoredView], dict[str, RollviewError]]:
        """Every view that can be read, and the errors of those that cannot."""
        views: dict[str, StoredView] = {}
        errors: dict[str, RollviewError] = {}
        for key in self.listed():
            try:
                view = self.find(key)
            except DefinitionCorrupt as error:
                errors[key] = error
                continue
            if view is not None:
                views[key] = view
        return views, errors

    def add(self, view: StoredView) -> None:
        """Make the view exist. Raises ViewExists if another process was faster."""
        if not self._lake.files.create(self._path(view.name), _encode(view)):
            raise view_exists(view.name)

    def replace(self, view: StoredView, instead_of: str) -> None:
        """Put the definition in the place of the one with that view id. Raises Conflict."""
        there = self.find(view.name)
        if there is None or there.view_id != instead_of:
            raise Conflict(
                f"the view {view.name} was replaced or dropped by somebody else meanwhile",
                hint="look at it again, then repeat",
            )
        self._lake.files.write(self._path(view.name), _encode(view))

    def remove(self, name: str) -> None:
        """Make the view no longer exist."""
        self._lake.files.remove(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name_to_file(name)}.json"


def view_exists(name: str) -> ViewExists:
    """The error for a view name that is taken by a view."""
    return ViewExists(
        f"a materialized view {name} exists already",
        hint="replace it (replace=True, --replace), accept it (if_not_exists=True, "
        "--if-not-exists), or drop it first",
    )


def _encode(view: StoredView) -> str:
    data: dict[str, Any] = {
        "name": view.name,
        "view_id": view.view_id,
        "policy": view.policy.value,
        "strategy": view.choice.strategy,
        "options": dict(view.choice.options),
        "store": view.store,
        "created_at": view.created_at.isoformat(),
        "rollview": rollview_version(),
        "schema": json.loads(view.schema.json()),
        "definition": codec.encode(view.definition),
    }
    if view.self_maintaining:
        data["self_maintaining"] = True
    return json.dumps(data, indent=1)


def _choice(data: dict[str, Any]) -> Choice:
    """The strategy; files of earlier versions have no options."""
    options = data.get("options", {})
    if data["strategy"] not in (AUTO, *STRATEGIES):
        raise DefinitionCorrupt(f"there is no strategy {data['strategy']!r}")
    return Choice(data["strategy"], tuple((str(n), str(v)) for n, v in options.items()))


@lru_cache(maxsize=512)
def _decode(text: str, path: str, name: str) -> StoredView:
    """The view that a file describes; one refresh asks for every file several times."""
    try:
        data = json.loads(text)
        return StoredView(
            name=data["name"],
            view_id=data["view_id"],
            definition=codec.decode(data["definition"]),
            policy=Policy(data["policy"]),
            choice=_choice(data),
            store=data["store"],
            schema=StructType.fromJson(data["schema"]),
            created_at=datetime.fromisoformat(data["created_at"]),
            self_maintaining=bool(data.get("self_maintaining", False)),
        )
    except (ValueError, KeyError, TypeError, AttributeError, DefinitionCorrupt) as failure:
        because = failure.message if isinstance(failure, DefinitionCorrupt) else repr(failure)
        raise DefinitionCorrupt(
            f"the definition of the view {name} cannot be read: {because} ({path})",
            hint="restore the file from a backup, or drop the view and create it again",
        ) from failure
