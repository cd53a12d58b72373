"""Cases with declared keys and foreign keys: tables that keep them, and some that do not.

A shop in miniature: ``t0`` has a key of one or two columns, ``t1`` refers to it and has a key of
its own, ``t2`` refers to both, and ``t0`` now and then to itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from rollview.algebra.expressions import conjunction
from rollview.algebra.relations import Distinct, Filter, Join, JoinKind, Relation, Scan
from rollview.algebra.schema import Column, Schema
from rollview.analysis.constraints import Constraint, Constraints, ForeignKey, Key
from rollview.analysis.lineage import Origin, origin_of
from rollview.analysis.order import canonical
from tests.properties.cases import Batch, Case, Change, Row, Table, random_batches
from tests.properties.growth import Growth, keep
from tests.properties.holding import holds, values
from tests.properties.scalars import equal, ref
from tests.properties.trees import make
from tests.properties.values import VALUES, random_type, random_value

_KEYS: dict[str, tuple[object, ...]] = {
    "INT": tuple(range(7)),
    "STRING": ("", "a", "b", "ab", "c", "d"),
    "BIGINT": (0, 1, 2, 3, 9007199254740993),
}
_KINDS = (
    *(JoinKind.INNER,) * 5,
    JoinKind.LEFT,
    JoinKind.LEFT,
    JoinKind.RIGHT,
    JoinKind.FULL,
    JoinKind.SEMI,
    JoinKind.ANTI,
    JoinKind.EXISTENCE,
)
_TRIES = 12


def keyed_case(rng: Random, depth: int = 3, *, breaks: bool = False) -> Case:
    """A case whose changes keep what is declared, or (``breaks``) need not."""
    shop = _Shop(rng, breaks)
    rows = shop.rows()
    tables = {name: Table(shop.schemas[name], tuple(rows[name])) for name in shop.schemas}
    view = keyed_view(rng, shop.schemas, shop.constraints, rng.randint(0, depth))
    batches = random_batches(rng, tables) if breaks else shop.batches(rows)
    return Case(tables, view, batches, shop.constraints, breaks)


def keyed_view(
    rng: Random, tables: Mapping[str, Schema], constraints: Constraints, depth: int
) -> Relation:
    """A view in which tables are joined along foreign keys, most of the time."""

    def grow(growth: Growth, depth: int) -> Relation:
        if depth <= 0 or rng.random() < 0.15:
            return _along(growth, constraints)
        return make(growth, depth, lambda growth: _along(growth, constraints))

    return canonical(Growth(rng, tables, grow).relation(depth))


def _along(growth: Growth, constraints: Constraints) -> Relation:
    """A table, or several joined along foreign keys; each row once, now and then."""
    rng = growth.rng
    made = _table(growth, rng.choice(list(growth.tables)))
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
        ways = list(_ways(growth, made, constraints))
        if not ways:
            break
        found, up = rng.choice(ways)
        made = _joined(growth, made, found, up)
    dice = rng.random()
    if dice < 0.15:
        return Distinct(growth.comparable(made))
    if dice < 0.25:
        some = rng.sample(made.columns, rng.randint(1, len(made.columns)))
        return Distinct(growth.comparable(keep(made, some)))
    return made


def _table(growth: Growth, table: str) -> Relation:
    """All columns of a table, filtered now and then."""
    columns = growth.tables[table]
    named = tuple(Column(growth.fresh(c.name), c.type, c.nullable) for c in columns)
    scan = Scan(table, tuple(c.name for c in columns), named)
    if growth.rng.random() < 0.3:
        return Filter(scan, growth.scalars(scan).condition(1))
    return scan


Way = tuple[ForeignKey, bool]


def _ways(growth: Growth, made: Relation, constraints: Constraints) -> list[Way]:
    """The foreign keys that lead from some rows up to a parent, or down to a child."""
    there = {origin_of(made, column.name) for column in made.columns}
    found = []
    for one in constraints.all:
        if isinstance(one, ForeignKey):
            if all(Origin(one.table, name) in there for name in one.columns):
                found.append((one, True))
            if all(Origin(one.parent, name) in there for name in one.parent_columns):
                found.append((one, False))
    return found


def _joined(growth: Growth, made: Relation, found: ForeignKey, up: bool) -> Relation:
    """The rows with their parents or children, in any kind of join."""
    rng = growth.rng
    other = _table(growth, found.parent if up else found.table)
    own, others = (found.columns, found.parent_columns)
    if not up:
        own, others = others, own
    pairs = [
        (_column(made, found.table if up else found.parent, one), _column(other, None, two))
        for one, two in zip(own, others, strict=True)
    ]
    parts = [
        equal(ref(a), ref(b)) if rng.random() < 0.5 else equal(ref(b), ref(a)) for a, b in pairs
    ]
    condition = conjunction(parts)
    kind = rng.choice(_KINDS)
    left, right = (made, other) if rng.random() < 0.7 else (other, made)
    flag = growth.fresh("flag") if kind is JoinKind.EXISTENCE else None
    return Join(kind, left, right, condition, flag)


def _column(relation: Relation, table: str | None, field: str) -> Column:
    for column in relation.columns:
        origin = origin_of(relation, column.name)
        if origin is not None and origin.field == field and table in (None, origin.table):
            return column
    raise AssertionError(f"no column has {field}")


class _Shop:
    """Tables with keys; what can be done to them without breaking these."""

    def __init__(self, rng: Random, breaks: bool) -> None:
        self.rng = rng
        wide = rng.random() < 0.25
        key = rng.choice(("INT", "INT", "STRING", "BIGINT"))
        keys = (key, "INT") if wide else (key,)
        self.schemas = {
            "t0": self._schema("a", keys, ("INT",) if rng.random() < 0.2 and not wide else ()),
            "t1": self._schema("b", (*keys, "INT"), ()),
        }
        if rng.random() < 0.5:
            self.schemas["t2"] = self._schema("c", (*keys, "INT"), ())
        self.constraints = Constraints(tuple(self._declared(len(keys), breaks)))

    def _schema(self, prefix: str, keys: tuple[str, ...], more: tuple[str, ...]) -> Schema:
        rng = self.rng
        types = (*keys, *more, *(random_type(rng) for _ in range(rng.randint(1, 2))))
        return tuple(
            Column(f"{prefix}{i}", type, rng.random() < (0.3 if i < len(keys) else 0.7))
            for i, type in enumerate(types)
        )

    def _declared(self, width: int, breaks: bool) -> list[Constraint]:
        """What is declared; a key may also be said by the foreign key that refers to it alone."""
        rng = self.rng

        def rely() -> bool:
            return not breaks and rng.random() < 0.5

        first = tuple(f"a{i}" for i in range(width))
        own = (f"b{width}",)
        found: list[Constraint] = [
            ForeignKey("t1", tuple(f"b{i}" for i in range(width)), "t0", first, rely())
        ]
        if rng.random() < 0.5:
            found.append(Key("t0", first, rely()))
        if rng.random() < 0.6:
            found.append(Key("t1", own, rely()))
        types = [c.type for c in self.schemas["t0"]]
        if width == 1 and len(types) > 1 and types[0] == types[1] == "INT" and rng.random() < 0.4:
            found.append(ForeignKey("t0", ("a1",), "t0", first, rely()))
        if "t2" in self.schemas:
            if rng.random() < 0.6:
                child = tuple(f"c{i}" for i in range(width))
                found.append(ForeignKey("t2", child, "t0", first, rely()))
            found.append(ForeignKey("t2", (f"c{width}",), "t1", own, rely()))
        return found

    def rows(self) -> dict[str, list[Row]]:
        """Rows to begin with; what is not declared to be kept may be broken from the start."""
        rows: dict[str, list[Row]] = {name: [] for name in self.schemas}
        for name in self.schemas:
            for _ in range(self.rng.choice((0, 3, 5, 7))):
                self._tried(rows, [Change(name, self._row(name), 1)])
        return rows

    def batches(self, rows: Mapping[str, list[Row]]) -> tuple[Batch, ...]:
        """One to three batches; after each, everything holds."""
        present = {name: list(own) for name, own in rows.items()}
        batches = []
        for _ in range(self.rng.choice((1, 2, 2, 3))):
            batch: list[Change] = []
            for _ in range(self.rng.choice((1, 2, 3, 5))):
                for _ in range(_TRIES):
                    statement = self._statement(present)
                    if self._tried(present, statement):
                        batch += statement
                        break
            batches.append(tuple(batch))
        return tuple(batch for batch in batches if batch) or ((),)

    def _statement(self, rows: Mapping[str, list[Row]]) -> list[Change]:
        rng = self.rng
        name = rng.choice(list(self.schemas))
        dice = rng.random()
        if not rows[name] or dice < 0.3:
            return [Change(name, self._row(name), 1)]
        old = rng.choice(rows[name])
        if dice < 0.5:
            return self._removed(rows, name, old)
        if dice < 0.75:
            return [Change(name, old, -1), Change(name, self._altered(name, old), 1)]
        if dice < 0.85:  # a parent with its first child
            parent = self._row("t0")
            child = list(self._row("t1"))
            width = len(self.constraints.all[0].columns)
            child[:width] = parent[:width]
            return [Change("t0", parent, 1), Change("t1", tuple(child), 1)]
        if dice < 0.95:  # another parent in the place of one
            return [*self._removed(rows, name, old), Change(name, self._row(name), 1)]
        return [Change(name, old, -1), Change(name, old, 1)]

    def _removed(self, rows: Mapping[str, list[Row]], table: str, row: Row) -> list[Change]:
        """A row with all that refers to it, children first."""
        gone: list[tuple[str, Row]] = []

        def remove(table: str, row: Row) -> None:
            if gone.count((table, row)) >= rows[table].count(row):
                return
            gone.append((table, row))
            for one in self.constraints.all:
                if isinstance(one, ForeignKey) and one.parent == table:
                    (key,) = values(one.parent_columns, self.schemas[table], [row])
                    for child in rows[one.table]:
                        (own,) = values(one.columns, self.schemas[one.table], [child])
                        if own == key and None not in own:
                            remove(one.table, child)

        remove(table, row)
        return [Change(name, one, -1) for name, one in reversed(gone)]

    def _altered(self, name: str, row: Row) -> Row:
        place = self.rng.randrange(len(row))
        return (*row[:place], self._value(name, place), *row[place + 1 :])

    def _row(self, name: str) -> Row:
        return tuple(self._value(name, place) for place in range(len(self.schemas[name])))

    def _value(self, name: str, place: int) -> object:
        column = self.schemas[name][place]
        fields = {f for one in self.constraints.all for f in (*one.columns, *_parents(one))}
        if column.name not in fields:
            return random_value(self.rng, column.type, column.nullable)
        if column.nullable and self.rng.random() < 0.1:
            return None
        return self.rng.choice(_KEYS.get(column.type, VALUES[column.type]))

    def _tried(self, rows: dict[str, list[Row]], statement: list[Change]) -> bool:
        """Carry the statement out, if the rows are such that the tables take, and all holds."""
        if any(not self._is_taken(change) for change in statement):
            return False
        after = {name: list(own) for name, own in rows.items()}
        for change in statement:
            if change.weight > 0:
                after[change.table].append(change.row)
            elif change.row in after[change.table]:
                after[change.table].remove(change.row)
            else:
                return False
        if not all(holds(one, self.schemas, after) for one in self.constraints.all):
            return False
        rows.update(after)
        return True

    def _is_taken(self, change: Change) -> bool:
        """A child may have no NULL where its parent has one."""
        cells = zip(change.row, self.schemas[change.table], strict=True)
        return all(cell is not None or column.nullable for cell, column in cells)


def _parents(one: Constraint) -> tuple[str, ...]:
    return one.parent_columns if isinstance(one, ForeignKey) else ()
