"""Declared keys and foreign keys of a lake: a small file each, under ``constraints/``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from pyspark.sql import SparkSession

from rollview.algebra.definition import Definition, SourceKind
from rollview.algebra.relations import Join, JoinKind, Relation, Scan
from rollview.algebra.schema import Column, Schema
from rollview.analysis.constraints import Constraint, Constraints, ForeignKey, Key
from rollview.analysis.order import is_unorderable
from rollview.errors import BadOption, DefinitionCorrupt, KeyViolated
from rollview.frontend.define import define
from rollview.frontend.scope import scoped
from rollview.maintenance import checks
from rollview.runtime import worker
from rollview.runtime.catalog import Catalog
from rollview.runtime.compute import named
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run
from rollview.runtime.public import managed_names
from rollview.runtime.report import Declaration
from rollview.sql.render import render

_FOLDER = "constraints"
_OF_CHILD, _OF_PARENT = "child", "parent"


@dataclass(frozen=True, slots=True)
class _Side:
    """A table with some of its columns, as a declaration names them."""

    table: str
    columns: Schema
    definition: Definition

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def declared(lake: Lake) -> dict[str, Constraint]:
    """Everything that is declared, by the name of its file. Raises DefinitionCorrupt."""
    found = {}
    for name in lake.files.names(f"{lake.root}/{_FOLDER}"):
        text = lake.files.read(f"{lake.root}/{_FOLDER}/{name}")
        if name.endswith(".json") and text is not None:
            found[name.removesuffix(".json")] = _decoded(text, f"{lake.root}/{_FOLDER}/{name}")
    return found


def declarations(lake: Lake) -> list[Declaration]:
    """Everything that is declared, for people."""
    return [_told(one) for one in declared(lake).values()]


def declare_key(
    lake: Lake, catalog: Catalog, table: str, columns: Sequence[str], rely: bool
) -> Declaration:
    """Declare a key; without ``rely`` it must hold now. Raises KeyViolated."""
    side = _side(lake, catalog, table, columns)
    return _added(lake, catalog, Key(side.table, side.names, rely), side, None)


def declare_foreign_key(
    lake: Lake,
    catalog: Catalog,
    child: tuple[str, Sequence[str]],
    parent: tuple[str, Sequence[str]],
    rely: bool,
) -> Declaration:
    """Declare a foreign key; without ``rely`` it must hold now. Raises KeyViolated."""
    one, two = (_side(lake, catalog, *side) for side in (child, parent))
    if [c.type for c in one.columns] != [c.type for c in two.columns]:
        types = (", ".join(str(c) for c in side.columns) for side in (one, two))
        raise BadOption(
            "the columns of a foreign key and of its parent must agree in number and types: "
            f"({next(types)}) and ({next(types)})",
            hint="name as many columns of the parent, in the same order",
        )
    key = ForeignKey(one.table, one.names, two.table, two.names, rely)
    return _added(lake, catalog, key, one, two)


def drop_declared(
    lake: Lake,
    catalog: Catalog,
    child: tuple[str, Sequence[str]],
    parent: tuple[str, Sequence[str]] | None,
) -> None:
    """Forget a declaration. Raises BadOption if there is none."""
    one = _side(lake, catalog, *child)
    wanted: Constraint = Key(one.table, one.names)
    if parent is not None:
        two = _side(lake, catalog, *parent)
        wanted = ForeignKey(one.table, one.names, two.table, two.names)
    name = _name(wanted)
    if name not in declared(lake):
        there = "; ".join(str(other) for other in declared(lake).values()) or "nothing"
        raise BadOption(f"{wanted} is not declared", hint=f"declared are: {there}")
    with lake.locked("lake", f"drop {wanted}"):
        lake.files.remove(f"{lake.root}/{_FOLDER}/{name}.json")


def of_definition(lake: Lake, definition: Definition) -> dict[Constraint, str]:
    """What is declared of the tables that a definition reads, as its scans call them.

    Not of time-travelled tables: what holds today need not have held then.
    """
    ids = {s.name: s.id for s in definition.sources if s.pinned is None}
    found = {}
    for name, one in declared(lake).items():
        for renamed in Constraints((one,)).renamed(ids).all:
            found[renamed] = name
    return found


def _side(lake: Lake, catalog: Catalog, table: str, columns: Sequence[str]) -> _Side:
    """The table and the columns that are meant, spelled as definitions spell them."""
    managed = managed_names(lake, catalog.readable()[0])
    with worker.quiet():
        definition = define(lake.spark, f"SELECT * FROM {table}", managed=managed)
    kinds = (SourceKind.TABLE, SourceKind.VIEW)
    sources = [s for s in definition.sources if s.kind in kinds and s.pinned is None]
    if len(sources) != 1 or len(definition.sources) != 1:
        raise BadOption(
            f"{table} is no table or materialized view, of which alone keys can be declared",
            hint="declare them of the tables that it reads",
        )
    there = {column.name.lower(): column for column in sources[0].columns}
    if not columns or isinstance(columns, str):
        raise BadOption("a key has one column or more", hint="give a list of names")
    found = tuple(_column(table, there, name) for name in columns)
    if len(set(found)) != len(found):
        raise BadOption(f"a column of {table} is named twice", hint="name each once")
    return _Side(sources[0].name, found, definition)


def _column(table: str, there: dict[str, Column], name: str) -> Column:
    column = there.get(name.lower())
    if column is None:
        raise BadOption(f"{table} has no column {name}", hint=f"it has: {', '.join(there)}")
    if is_unorderable(column.type):
        raise BadOption(
            f"{name} of {table} is a {column.type}, of which no two values can be told apart",
            hint="declare keys of columns that can be compared",
        )
    return column


def _added(
    lake: Lake, catalog: Catalog, constraint: Constraint, one: _Side, two: _Side | None
) -> Declaration:
    if not constraint.rely:
        done = worker.run(
            lake.spark,
            f"declare {constraint}",
            lambda: _is_broken(lake, catalog, constraint, one, two),
            left="nothing was declared",
        )
        if done.result:
            raise KeyViolated(
                f"{constraint} does not hold: there are rows that break it",
                hint="mend the table first",
            )
    lake.prepare()
    with lake.locked("lake", f"declare {constraint}"):
        path = f"{lake.root}/{_FOLDER}/{_name(constraint)}.json"
        lake.files.write(path, json.dumps(_told(constraint).to_dict(), indent=1))
    return _told(constraint)


def _is_broken(
    lake: Lake, catalog: Catalog, constraint: Constraint, one: _Side, two: _Side | None
) -> bool:
    """Whether rows break it, as the tables are now."""
    session = scoped(lake.spark, one.definition.settings)
    run = Run(lake, catalog)
    sides = {_OF_CHILD: one} if two is None else {_OF_CHILD: one, _OF_PARENT: two}
    names: dict[str, str] = {}
    scans: list[Relation] = []
    for id, side in sides.items():
        (source,) = side.definition.sources
        vector = run.vector(session, side.definition)
        names |= named({id: run.leaf(session, source, vector[source.id])})
        scans.append(Scan(id, side.names, _distinct_names(id, side.columns)))
    asked: Constraint = Key(_OF_CHILD, one.names)
    relation = scans[0]
    if two is not None:
        asked = ForeignKey(_OF_CHILD, one.names, _OF_PARENT, two.names)
        relation = Join(JoinKind.CROSS, scans[0], scans[1])
    with worker.evaluation(one.table, lake.java):
        return is_broken(session, asked, relation, names)


def is_broken(
    session: SparkSession, constraint: Constraint, relation: Relation, names: dict[str, str]
) -> bool:
    """Whether rows of the tables that a relation reads break a declaration; one job or two."""
    found = (session.sql(render(rows, names)) for rows in checks.whole(constraint, relation))
    return any(frame.limit(1).collect() for frame in found)


def _distinct_names(id: str, columns: Schema) -> Schema:
    return tuple(
        Column(f"{id}_{place}", column.type, column.nullable)
        for place, column in enumerate(columns)
    )


def _told(one: Constraint) -> Declaration:
    if isinstance(one, Key):
        return Declaration("key", one.table, list(one.columns), None, None, one.rely)
    parent = (one.parent, list(one.parent_columns))
    return Declaration("foreign key", one.table, list(one.columns), *parent, one.rely)


def _name(one: Constraint) -> str:
    """The same for what says the same, trusted or not."""
    said: tuple[object, ...] = (one.table, one.columns)
    if isinstance(one, ForeignKey):
        said = (*said, one.parent, one.parent_columns)
    return sha256(json.dumps(said).encode()).hexdigest()[:16]


def _decoded(text: str, path: str) -> Constraint:
    try:
        data = json.loads(text)
        columns = tuple(data["columns"])
        if data["kind"] == "key":
            return Key(data["table"], columns, bool(data["rely"]))
        parent = (data["parent"], tuple(data["parent_columns"]))
        return ForeignKey(data["table"], columns, *parent, bool(data["rely"]))
    except (ValueError, KeyError, TypeError) as failure:
        raise DefinitionCorrupt(
            f"{path} does not hold a declared key: {failure!r}",
            hint="remove the file, and declare the key again",
        ) from failure
