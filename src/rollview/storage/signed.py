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
BROADCAST_ROWS = 500_000


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


def layout(stored: StructType, prefix: str = "") -> Layout:
    """The layout of a bag with these stored columns, each called by its name after a prefix."""
    names = tuple(f"{prefix}{field.name}" for field in stored.fields)
    pairs = zip(names, stored.fields, strict=True)
    return Layout(names, tuple(identity(name, field.dataType) for name, field in pairs))


@contextmanager
def held(delta: DataFrame, how: Layout) -> Iterator[tuple[DataFrame, bool]]:
    """The net of a delta, computed once for the block; and whether it is small to broadcast."""
    kept = net(delta, how.columns).persist()
    try:
        yield kept, kept.count() <= BROADCAST_ROWS
    finally:
        kept.unpersist()


def staying(stored: DataFrame, delta: DataFrame, how: Layout, small: bool) -> DataFrame:
    """The stored rows of which the net delta takes no copies."""
    return _matching(stored, delta, how, small, "left_anti").select(*how.columns)


def arriving(stored: DataFrame, delta: DataFrame, how: Layout, small: bool) -> DataFrame:
    """The rows to write beside those: new ones, and copies that are left of what goes.

    A value of which copies go is written anew, so that it does not matter where they are stored.
    Evaluating this fails if more copies have to go than there are.
    """
    present = _matching(stored, delta, how, small, "left_semi")
    weighted = present.select(*how.columns, F.lit(1).cast("bigint").alias(WEIGHT))
    total = net(weighted.unionAll(delta), how.columns)
    copies = f"IF({WEIGHT} < 0, raise_error('{_ABSENT}'), CAST({WEIGHT} AS INT))"
    return total.selectExpr(*how.columns, f"explode(array_repeat(true, {copies}))").select(
        *how.columns
    )


def merge_source(delta: DataFrame, arriving: DataFrame, how: Layout) -> DataFrame:
    """What a MERGE takes: the key of every value of which copies go, and rows without a key."""
    leaving = delta.where(f"{WEIGHT} < 0")
    absent = [f"CASE WHEN false THEN {text} END" for text in (how.hash, how.key)]
    return leaving.selectExpr(
        *how.columns, f"{how.hash} AS {_HASH}", f"{how.key} AS {_KEY}"
    ).unionAll(arriving.selectExpr(*how.columns, *absent))


def merge_statement(target: str, source: str, stored: StructType) -> str:
    """The MERGE that applies a `merge_source`. The hash comes first, as it is cheap to compare."""
    how = layout(stored, "t.")
    names = [field.name for field in stored.fields]
    return (
        f"MERGE INTO {target} t USING {source} s "
        f"ON {how.hash} = s.{_HASH} AND {how.key} = s.{_KEY} "
        "WHEN MATCHED THEN DELETE "
        f"WHEN NOT MATCHED AND s.{_HASH} IS NULL THEN INSERT ({', '.join(names)}) "
        f"VALUES ({', '.join(f's.{name}' for name in names)})"
    )


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


def _matching(
    stored: DataFrame, delta: DataFrame, how: Layout, small: bool, kind: str
) -> DataFrame:
    """Stored rows of whose value copies go (left_semi), or the others (left_anti)."""
    keys = (F.expr(how.hash).alias(_HASH), F.expr(how.key).alias(_KEY))
    leaving = delta.where(f"{WEIGHT} < 0").select(*keys)
    if small:
        leaving = F.broadcast(leaving)
    return stored.select("*", *keys).join(leaving, [_HASH, _KEY], kind)
