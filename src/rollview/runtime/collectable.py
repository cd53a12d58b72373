"""Rows that Python has no values for, as rows that can be collected."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    DayTimeIntervalType,
    MapType,
    StructType,
    YearMonthIntervalType,
)

_INTERVALS = (CalendarIntervalType, DayTimeIntervalType, YearMonthIntervalType)


def collectable(frame: DataFrame) -> DataFrame:
    """The frame with the columns that hold intervals, at any depth, as text.

    PySpark cannot collect year-month and calendar intervals. The other columns stay as they are,
    and so does a frame without intervals; otherwise the names of the columns are lost.
    """
    intervals = [_has_interval(field.dataType) for field in frame.schema]
    if not any(intervals):
        return frame
    plain = [f"_{i}" for i in range(len(intervals))]
    frame = frame.toDF(*plain)  # names may repeat or need quoting
    return frame.select(
        *[
            frame[name].cast("string") if interval else frame[name]
            for name, interval in zip(plain, intervals, strict=True)
        ]
    )


def _has_interval(kind: DataType) -> bool:
    match kind:
        case ArrayType():
            return _has_interval(kind.elementType)
        case MapType():
            return _has_interval(kind.keyType) or _has_interval(kind.valueType)
        case StructType():
            return any(_has_interval(field.dataType) for field in kind.fields)
        case _:
            return isinstance(kind, _INTERVALS)
