"""The ports of storage: what rollview needs of a base table and of a view's backing table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from rollview.maintenance.signed import WEIGHT as WEIGHT
from rollview.planning.statistics import ChangeSize, Size

Rows = TypeVar("Rows")


@dataclass(frozen=True, slots=True)
class TableState:
    """A base table at one moment; known without a Spark job."""

    version: str
    identity: str
    schema: StructType


class Changing(Protocol):
    """Rows whose changes between two versions can be had."""

    def obstacle(self, before: str, after: str, columns: Sequence[str]) -> str | None:
        """Why the changes of these columns cannot be had, as a sentence; None if they can.

        Known without a job over data. That the table is another one is told by `state`.
        """

    def changes(self, before: str, after: str, columns: Sequence[str]) -> DataFrame:
        """The net change of the rows, seen through these columns, from one version to another.

        One row for each value that became more or less frequent: the columns in this order, of the
        types they have at ``after``, then the BIGINT column `WEIGHT`, how many copies came
        (positive) or went (negative). Raises SourceChanged or SourceVersionGone where `obstacle`
        has something to say.
        """

    def readable(self, version: str) -> bool:
        """Whether all rows at a version can still be read; known without a job over data."""

    def size(self, version: str) -> Size:
        """How large the table is at a version, as far as its log tells without a job."""

    def change_size(self, before: str, after: str) -> ChangeSize:
        """How large its change between two versions is, as far as its log tells without a job."""

    def stamp(self, version: str) -> str | None:
        """What tells the commit of a version from others of that number; None if nothing does."""


class ChangeSource(Changing, Protocol):
    """A base table that is read at versions."""

    def state(self) -> TableState:
        """The newest version, the table's identity and schema. Raises SourceMissing."""

    def read(self, version: str) -> DataFrame:
        """All rows at a version. Raises SourceVersionGone if it cannot be read any more."""

    def same_rows(self, before: str, after: str) -> bool:
        """Whether it is known, cheaply, that only the layout changed between two versions."""


@dataclass(frozen=True, slots=True)
class Tail:
    """One commit of a backing table: its refresh number and what it carries.

    ``metadata`` is the text given at the commit, None if the commit's own record is gone;
    ``version`` is the table's version then. If the commit tells, ``rows`` is how many rows the
    table had after it, or ``net`` how many more than before it.
    """

    number: int
    version: str
    metadata: str | None
    rows: int | None
    net: int | None = None


class Backing(Protocol[Rows]):
    """The table that holds a view's rows; the port that each storage format implements.

    Its commits carry a refresh number and a text. The protocol around them, the same for every
    format, is in `view_store`.
    """

    def create(self) -> None:
        """Make the table: empty, without a refresh number."""

    def newest(self) -> Tail | None:
        """The newest commit with a refresh number, however many others came after it."""

    def find(self, number: int) -> Tail | None:
        """The commit with this refresh number; without metadata if its record is gone."""

    def replace(self, rows: Rows, number: int, metadata: str) -> None:
        """Commit these rows instead of all others, if no commit has this number or a higher one.

        It may do nothing or raise if one has: `view_store` asks `find` in any case. The same is
        true of the others.
        """

    def append(self, rows: Rows, number: int, metadata: str) -> None:
        """Commit these rows besides the others."""

    def advance(self, number: int, metadata: str) -> None:
        """Commit a refresh that changes no row; no data file is written."""

    def merge(self, delta: Rows, number: int, metadata: str, feed: bool = False) -> None:
        """Commit a change of the rows; where nothing changes, files stay as they are.

        ``delta`` has the view's columns by position, then a weight: so many copies of the row are
        added, or removed if it is negative, whichever commits wrote them. One row may stand there
        several times; the weights add up. Raises DeltaMismatch, and commits nothing, if more copies
        have to go than there are. With ``feed``, who asks for the changes of this commit shall not
        have to read the files that it wrote anew.
        """

    def rewrite(
        self,
        delta: Rows,
        number: int,
        metadata: str,
        feed: bool = False,
        empties: bool = False,
    ) -> None:
        """The same by writing all rows anew, which is faster for small tables.

        ``empties`` says that no row is expected to be left, so that no file need be written.
        """

    def current(self) -> str:
        """The version of the table now."""

    def read(self, version: str | None = None) -> Rows:
        """The rows, in the view's own schema, now or at a version."""

    def select(self) -> str:
        """The SQL text that reads the rows in the view's own schema; what the public name is."""

    def clean(self) -> None:
        """Remove data files that no reader can need any more."""

    def tidy(self) -> None:
        """Remove what a writer that died in the middle of a commit left in the table's log.

        Only for who knows that nobody else writes the table now.
        """

    def drop(self) -> None:
        """Remove the table."""
