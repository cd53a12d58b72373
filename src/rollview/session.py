"""What people touch: `connect`, and a session whose methods say what there is to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from pyspark.sql import DataFrame, SparkSession

from rollview.maintenance.strategies import choose
from rollview.planning.explanation import Explanation
from rollview.runtime import connect as connecting
from rollview.runtime import declared, statements, status
from rollview.runtime import history as histories
from rollview.runtime.catalog import Catalog, StoredView
from rollview.runtime.create import create_view, wish
from rollview.runtime.drop import drop_view
from rollview.runtime.explain import explain
from rollview.runtime.lake import Lake
from rollview.runtime.lifeline import guarded
from rollview.runtime.public import plain_name
from rollview.runtime.read import read_view
from rollview.runtime.refresh import check_point, refresh_every, refresh_one
from rollview.runtime.refresh_view import Progress, Request
from rollview.runtime.report import (
    Declaration,
    Policy,
    RefreshReport,
    VerifyReport,
    ViewInfo,
    ViewStatus,
)
from rollview.runtime.verify import verify

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_Method = Callable[Concatenate["Session", _Given], _Answer]


def connect(
    spark_or_path: SparkSession | str | Path,
    *,
    schema: str | None = None,
    store: str | None = None,
) -> Session:
    """Open a lake: that of an existing Spark session, or a folder, for which Spark is started."""
    with guarded(None, "connect"):
        return Session(connecting.open_session(spark_or_path, schema, store))


def _with_spark(method: _Method[_Given, _Answer]) -> _Method[_Given, _Answer]:
    """A method that raises SparkDied, whatever it was doing, if Spark's Java process dies."""

    @wraps(method)
    def guarded_method(db: Session, /, *args: _Given.args, **named: _Given.kwargs) -> _Answer:
        with guarded(db._lake.java, method.__name__):
            return method(db, *args, **named)

    return guarded_method


class Session:
    """One lake, open."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._catalog = Catalog(lake)
        connecting.show_views(lake, self._catalog)  # its tables are known since it was opened

    @property
    def spark(self) -> SparkSession:
        """The Spark session that the lake is open in."""
        return self._lake.spark

    @_with_spark
    def create_view(
        self,
        name: str,
        query: str | DataFrame,
        *,
        policy: str = "auto",
        strategy: str = "auto",
        join_terms: str | None = None,
        form: str | None = None,
        store: str | None = None,
        if_not_exists: bool = False,
        replace: bool = False,
        self_maintaining: bool = False,
    ) -> View:
        """Compute a view and keep it; the contents are stored when this returns.

        A self-maintaining one keeps what its refreshes would read of base tables, too.
        """
        connecting.look(self._lake, self._catalog)
        choice = choose(strategy, join_terms=join_terms, form=form)
        wanted = wish(name, policy, choice, store, if_not_exists, replace, self_maintaining)
        return View(self, create_view(self._lake, self._catalog, query, wanted))

    @_with_spark
    def refresh(
        self,
        name: str | None = None,
        *,
        full: bool = False,
        cascade: bool = True,
        to: object = None,
        progress: Progress | None = None,
    ) -> RefreshReport | list[RefreshReport]:
        """Bring a view, or all, to the newest versions of its base tables."""
        check_point(to)
        connecting.look(self._lake, self._catalog)
        request = Request(full, cascade, progress)
        if name is None:
            return refresh_every(self._lake, self._catalog, request)
        return refresh_one(self._lake, self._catalog, self._plain(name), request)

    @_with_spark
    def read(self, name: str) -> DataFrame:
        """The stored rows of a view, in the schema of its query."""
        return read_view(self._lake, self._catalog, self._plain(name))

    @_with_spark
    def explain(
        self,
        name_or_query: str | DataFrame,
        *,
        policy: str = "auto",
        strategy: str = "auto",
        join_terms: str | None = None,
        form: str | None = None,
        self_maintenance: bool | Sequence[str] = False,
    ) -> Explanation:
        """How a view, or a query that could become one (with these options), is refreshed.

        With ``self_maintenance``, also what it needs of its base tables: alone, or together with
        the views of a list.
        """
        connecting.look(self._lake, self._catalog)
        choice = choose(strategy, join_terms=join_terms, form=form)
        together = () if self_maintenance is True else self_maintenance or None
        return explain(self._lake, self._catalog, name_or_query, policy, choice, together)

    @_with_spark
    def verify(self, name: str) -> VerifyReport:
        """Compare a view with the recomputation of its query at the versions it reflects."""
        connecting.look(self._lake, self._catalog)
        return verify(self._lake, self._catalog, self._plain(name))

    @_with_spark
    def declare_key(self, table: str, columns: Sequence[str], rely: bool = False) -> Declaration:
        """Say that no two rows of a table have the same values in these columns."""
        return declared.declare_key(self._lake, self._catalog, table, columns, rely)

    @_with_spark
    def declare_foreign_key(
        self,
        table: str,
        columns: Sequence[str],
        parent: str,
        parent_columns: Sequence[str],
        rely: bool = False,
    ) -> Declaration:
        """Say that these columns hold values of a key of another table, or NULL."""
        child, above = (table, columns), (parent, parent_columns)
        return declared.declare_foreign_key(self._lake, self._catalog, child, above, rely)

    @_with_spark
    def drop_key(self, table: str, columns: Sequence[str]) -> None:
        """Forget a declared key."""
        declared.drop_declared(self._lake, self._catalog, (table, columns), None)

    @_with_spark
    def drop_foreign_key(
        self, table: str, columns: Sequence[str], parent: str, parent_columns: Sequence[str]
    ) -> None:
        """Forget a declared foreign key."""
        child, above = (table, columns), (parent, parent_columns)
        declared.drop_declared(self._lake, self._catalog, child, above)

    def declarations(self) -> list[Declaration]:
        """Every declared key and foreign key."""
        return declared.declarations(self._lake)

    @_with_spark
    def drop_view(self, name: str, *, if_exists: bool = False) -> None:
        """Remove a view and its contents."""
        drop_view(self._lake, self._catalog, name, if_exists)

    def views(self) -> list[ViewInfo]:
        """Every view, by name."""
        return status.list_views(self._catalog)

    @_with_spark
    def status(self, name: str | None = None) -> list[ViewStatus]:
        """How far a view, or every view, is behind its base tables."""
        connecting.look(self._lake, self._catalog)
        return status.statuses(self._lake, self._catalog, name and self._plain(name))

    def history(self, name: str | None = None, limit: int | None = None) -> list[RefreshReport]:
        """The refreshes of a view, or of all, newest first."""
        keys = self._catalog.readable()[0] if name is None else [self._plain(name)]
        ids = [self._catalog.get(key).view_id for key in keys]
        return histories.read_many(self._lake, ids, limit)

    @_with_spark
    def sql(self, text: str) -> Any:
        """Run a statement: one of rollview's own, or any of Spark's, which is passed on."""
        connecting.look(self._lake, self._catalog)
        result = statements.execute(self, self._lake, text)
        connecting.remember(self._lake)
        return result

    def close(self) -> None:
        """Close the session; Spark is stopped if `connect` started it."""
        connecting.close(self._lake)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _plain(self, name: str) -> str:
        return plain_name(self._lake, name)


@dataclass(frozen=True)
class View:
    """One view of an open session."""

    session: Session
    stored: StoredView

    @property
    def name(self) -> str:
        return self.stored.name

    @property
    def policy(self) -> Policy:
        return self.stored.policy

    @property
    def columns(self) -> list[str]:
        """The columns, each with its type."""
        return [str(column) for column in self.stored.definition.columns]

    def refresh(self, *, full: bool = False) -> RefreshReport:
        """Bring the view to the newest versions of its base tables."""
        report = self.session.refresh(self.name, full=full)
        return report if isinstance(report, RefreshReport) else report[-1]

    def read(self) -> DataFrame:
        """The stored rows."""
        return self.session.read(self.name)

    def verify(self) -> VerifyReport:
        """Compare the stored rows with recomputation."""
        return self.session.verify(self.name)

    def drop(self) -> None:
        """Remove the view and its contents."""
        self.session.drop_view(self.name)
