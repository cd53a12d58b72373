"""Applying a signed delta to stored rows: which values go, and how many copies of each come.

A row value is never compared by ``=`` of what is stored: `encoding.identity` says what its columns
are the same by. Frames here have stored columns ``c0``, ``c1``, ...; deltas then the weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from rollview.errors import DeltaMismatch
from rollview.storage.base import WEIGHT
from rollview.storage.encoding import identity
from rollview.storage.net import net

_HASH, _KEY = "h", "k"
_ABSENT = "rollview: a deletion of a row that is not stored"
_BROADCAST_BYTES = 64 * 2**20
_COMPUTED = ("LocalRelation", "LogicalRDD")  # plans that are rows


@dataclass(frozen=True, slots=True)
class Layout:
    """The stored columns of a bag, and the SQL texts that tell its rows apart."""

    columns: tuple[str, ...]
    identities: tuple[str, ...]

    @property
    def hash(self) -> str:
        return f"xxhash64({', '.join(self.identities)})"

    @property
    def key(self) -> str:
        """All identities in one struct: ``=`` of structs takes NULL inside them for NULL."""
        parts = [f"{text} AS i{position}" for position, text in enumerate(self.identities)]
        return f"struct({', '.join(parts)})"


def layout(stored: StructType) -> Layout:
    """The layout of a bag with these stored columns."""
    texts = tuple(identity(field.name, field.dataType) for field in stored.fields)
    return Layout(tuple(stored.names), texts)


def computed(delta: DataFrame) -> DataFrame:
    """The delta as computed rows, since it is read more than once; usually it is that already."""
    plan = delta._jdf.queryExecution().analyzed().getClass().getSimpleName()
    return delta if plan in _COMPUTED else delta.localCheckpoint()


def staying(stored: DataFrame, delta: DataFrame, how: Layout) -> DataFrame:
    """The stored rows of whose value no row of the delta takes copies."""
    return _matching(stored, delta, how, "left_anti").select(*how.columns)


def leaving(stored: DataFrame, delta: DataFrame, how: Layout) -> DataFrame:
    """The stored rows that are not those: all copies of the values of which some go."""
    return _matching(stored, delta, how, "left_semi").select(*how.columns)


def arriving(stored: DataFrame, delta: DataFrame, how: Layout, *, exact: bool = False) -> DataFrame:
    """The rows to write beside those: new ones, and copies that are left of what goes.

    A value of which copies go is written anew, so that it does not matter where they are stored.
    Evaluating this fails if more copies have to go than there are.
    """
    present = _matching(stored, delta, how, "left_semi")
    weighted = present.select(*how.columns, F.lit(1).cast("bigint").alias(WEIGHT))
    total = net(weighted.unionAll(delta), how.columns, exact=exact)
    copies = f"IF({WEIGHT} < 0, raise_error('{_ABSENT}'), CAST({WEIGHT} AS INT))"
    return total.selectExpr(*how.columns, f"explode(array_repeat(true, {copies}))").select(
        *how.columns
    )


def touched(
    stored: DataFrame, delta: DataFrame, how: Layout, file: str = "_metadata.file_name"
) -> tuple[list[str], int]:
    """The names of the files with rows of which copies go, and how many rows more there will be.

    ``file`` is what the format calls the column that tells the file of a row.
    """
    told = stored.select("*", F.col(file).alias("file_name"))
    found = _matching(told, delta, how, "left_semi")
    files = found.select("file_name", F.lit(0).alias(WEIGHT))
    weights = delta.select(F.lit(None).alias("file_name"), WEIGHT)
    both = files.unionAll(weights).agg(F.collect_set("file_name"), F.sum(WEIGHT)).collect()[0]
    return list(both[0]), int(both[1] or 0)


def is_small(delta: DataFrame) -> bool:
    """Whether a computed delta can be sent to every executor."""
    size = delta._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()
    return int(str(size)) <= _BROADCAST_BYTES


@contextmanager
def mismatch_named(table: str) -> Iterator[None]:
    """Within the block, the failure that `arriving` plants is a DeltaMismatch."""
    try:
        yield
    except (PySparkException, Py4JJavaError) as failure:
        if _ABSENT not in str(failure):
            raise
        raise DeltaMismatch(
            f"the change deletes a row that is not stored in {table}",
            hint="refresh the view with full=True; if that happens again, report it",
        ) from failure


def _matching(stored: DataFrame, delta: DataFrame, how: Layout, kind: str) -> DataFrame:
    """Stored rows of whose value copies go (left_semi), or the others (left_anti).

    What stored rows are compared by is part of the condition and no column: of a column Spark would
    infer what else it could be written as, which are 2^n ways after n columns got other names.
    """
    keys = (F.expr(how.hash).alias(_HASH), F.expr(how.key).alias(_KEY))
    going = delta.where(f"{WEIGHT} < 0").select(*keys)
    if is_small(delta):
        going = F.broadcast(going)
    return stored.join(going, F.expr(f"{how.hash} = {_HASH} AND {how.key} = {_KEY}"), kind)
