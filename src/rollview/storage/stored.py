"""Rows in the types of a query, and the same rows as they are stored: columns c0, c1, ..."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from rollview.storage.base import WEIGHT
from rollview.storage.encoding import decode, encode, narrowed, quoted, storable

COMMENT = "comment"


def encoded(rows: DataFrame, columns: StructType, weighted: bool = False) -> DataFrame:
    """Rows as they are stored, columns by position; a weight stands last."""
    weight = [WEIGHT] if weighted else []
    # By position: two names may differ in nothing that the session's rules can see.
    named = rows.toDF(*[f"p{position}" for position in range(len(columns.fields))], *weight)
    stored = [
        F.expr(encode(f"p{position}", field.dataType)).alias(f"c{position}", metadata={})
        for position, field in enumerate(columns.fields)
    ]
    return named.select(*stored, *weight)


def decoded(stored: DataFrame, columns: StructType, *, widened: bool = False) -> DataFrame:
    """Stored rows in the columns and types they were given in.

    They may be ``widened``, by a format that has no integers smaller than INT.
    """
    texts = zip(_decoding(columns, widened), columns.fields, strict=True)
    return stored.select(
        *[F.expr(text).alias(field.name, metadata=_shown(field)) for text, field in texts]
    )


def decoding(columns: StructType, *, widened: bool = False) -> list[str]:
    """The same as SQL text: the items of a select list."""
    texts = zip(_decoding(columns, widened), columns.fields, strict=True)
    return [f"{text} AS {quoted(field.name)}" for text, field in texts]


def stored_columns(columns: StructType) -> list[str]:
    """The stored columns as SQL text: names and types, and whether they are never NULL."""
    return [
        f"c{position} {storable(field.dataType)}{'' if field.nullable else ' NOT NULL'}"
        for position, field in enumerate(columns.fields)
    ]


def _shown(field: StructField) -> dict[str, object]:
    """Of what a query says about its column, what is about the values, and not where they lie."""
    return {key: value for key, value in field.metadata.items() if key == COMMENT}


def _decoding(columns: StructType, widened: bool) -> list[str]:
    texts = []
    for position, field in enumerate(columns.fields):
        stored = f"c{position}"
        value = narrowed(stored, field.dataType) if widened else stored
        texts.append(decode(value, field.dataType, nullable=field.nullable))
    return texts
