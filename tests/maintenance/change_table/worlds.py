"""Every change of every small bag at once: each in a world of its own, told apart by a column.

A world is a number: its digits to the base 3 say how often each row of a tiny domain is there
before and after. Views are joined and grouped by the world, too, so that one refresh of one view
goes through all of them, by the steps of a real program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rollview.algebra.expressions import ColumnRef, Expression, binary, column
from rollview.algebra.relations import Relation, Scan
from rollview.algebra.schema import Column
from rollview.maintenance.compiler import compile_delta
from rollview.maintenance.strategies import choose, prepared
from rollview.runtime.propagate import propagate
from rollview.sql.merge import render_merge
from rollview.sql.render import render
from tests.properties.dialect import to_duckdb
from tests.properties.duckdb_engine import DuckEngine, connect

CHANGE_TABLE = choose("change_table")
MOST = 3  # a row is there so many times less one

L_WORLD, L_KEY, L_VALUE = (column(name, "INT") for name in ("l_w", "l_k", "l_v"))
R_WORLD, R_KEY, R_VALUE = (column(name, "INT") for name in ("r_w", "r_k", "r_v"))
LEFT = Scan("l", ("w", "k", "v"), tuple(Column(c.name, "INT") for c in (L_WORLD, L_KEY, L_VALUE)))
RIGHT = Scan("r", ("w", "k", "v"), tuple(Column(c.name, "INT") for c in (R_WORLD, R_KEY, R_VALUE)))

Row = tuple[int | None, int | None]
Domains = Mapping[str, tuple[Row, ...]]


def same_world(left: ColumnRef = L_WORLD, right: ColumnRef = R_WORLD) -> Expression:
    """The condition that keeps worlds apart."""
    return binary("EqualTo", "=", left, right, "BOOLEAN")


@dataclass(frozen=True)
class Outcome:
    """How many worlds there were, how many rows changed, and which came out wrong.

    Of the view, of its extent, and of the extent that the MERGE left.
    """

    worlds: int
    view: list[tuple[object, ...]]
    extent: list[tuple[object, ...]]
    merged: list[tuple[object, ...]]
    changed: int

    @property
    def is_right(self) -> bool:
        return not self.view and not self.extent and not self.merged


class Worlds:
    """All bags over the domains of two tables, and all changes of those that change."""

    def __init__(self, domains: Domains, changing: tuple[str, ...] = ("l", "r")) -> None:
        self._connection = connect()
        self._connection.execute("PRAGMA enable_optimizer")
        self._changing = changing
        places = [(name, row) for name in domains for row in domains[name]]
        moving = [place for place in places if place[0] in changing]
        self.count = MOST ** (len(places) + len(moving))
        for name in domains:
            before, after = [], []
            for index, place in enumerate(places):
                if place[0] != name:
                    continue
                old = f"(w // {MOST**index}) % {MOST}"
                new = old
                if place in moving:
                    new = f"(w // {MOST ** (len(places) + moving.index(place))}) % {MOST}"
                cells = ", ".join("NULL" if cell is None else str(cell) for cell in place[1])
                before.append(f"SELECT w, {cells}, {old} FROM range({self.count}) t(w)")
                after.append(f"SELECT w, {cells}, {new} FROM range({self.count}) t(w)")
            self._table(f"{name}_before", before)
            self._table(f"{name}_after", after)
            self._changes(name)

    def _table(self, name: str, parts: list[str]) -> None:
        self._connection.execute(
            f"CREATE TABLE {name} AS SELECT w::INT AS w, k::INT AS k, v::INT AS v"
            f" FROM ({' UNION ALL '.join(parts)}) counted(w, k, v, n), range({MOST}) copies(c)"
            " WHERE c < n"
        )

    def _changes(self, name: str) -> None:
        both = f"SELECT *, 1 AS weight FROM {name}_after UNION ALL SELECT *, -1 FROM {name}_before"
        net = f"SELECT w, k, v, sum(weight)::BIGINT AS n FROM ({both}) GROUP BY ALL"
        self._connection.execute(
            f"CREATE TABLE {name}_changes AS SELECT w, k, v, sign(n)::BIGINT AS __weight"
            f" FROM ({net}), range({MOST}) copies(c) WHERE c < abs(n)"
        )

    def refreshed(self, view: Relation) -> Outcome:
        """One refresh of the view from all the worlds before to all of them after."""
        form = prepared(view, CHANGE_TABLE)
        program = compile_delta(form, self._changing)
        engine = DuckEngine(self._connection)
        leaves = {f"{m} {t}": f"{t}_{m}" for t in "lr" for m in ("before", "after", "changes")}
        then = {t: f"{t}_before" for t in "lr"}
        now = {t: f"{t}_after" for t in "lr"}
        (kept,) = form.kept
        stored = engine.compute("stored", render(kept.relation, then)).table
        leaves[f"state {kept.name}"] = stored
        done = propagate(program, leaves, engine)
        change = done.states[kept.name].table
        assert done.delta is not None
        delta = done.delta.table
        view_before = engine.compute("view_before", render(view, then)).table
        view_after = engine.compute("view_after", render(view, now)).table
        extent_after = engine.compute("extent_after", render(kept.relation, now)).table
        (merging,) = program.merges
        assert set(merging.steps) <= set(engine.steps), (
            "worlds are so many that all steps have rows"
        )
        self._connection.execute(f"CREATE OR REPLACE TABLE merged AS FROM {stored}")
        self._connection.execute(to_duckdb(render_merge(merging, "merged", "step_")))
        found = self._connection.execute(f"SELECT count(*) FROM {delta}").fetchall()
        return Outcome(
            self.count,
            self._differences(view_before, delta, view_after),
            self._differences(stored, change, extent_after),
            self._differences("merged", None, extent_after),
            int(found[0][0]),
        )

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """The rows of a statement in Spark SQL, over the tables of the last refresh."""
        return self._connection.execute(to_duckdb(statement)).fetchall()

    def _differences(self, old: str, delta: str | None, new: str) -> list[tuple[object, ...]]:
        """The rows that the old ones and the change have more or less often than the new ones."""
        parts = [f"SELECT *, 1::BIGINT AS __weight FROM {old}"]
        parts += [] if delta is None else [f"FROM {delta}"]
        parts.append(f"SELECT *, -1::BIGINT FROM {new}")
        whole = " UNION ALL ".join(parts)
        names = [row[0] for row in self._connection.execute(f"DESCRIBE {new}").fetchall()]
        listed = ", ".join(f'"{name}"' for name in names)
        return self._connection.execute(
            f"SELECT {listed}, sum(__weight) FROM ({whole}) GROUP BY {listed}"
            " HAVING sum(__weight) <> 0 LIMIT 3"
        ).fetchall()
