"""How a column of any Spark type is stored: a storable type, and SQL text to and from it.

What Delta can hold is stored as it is. Intervals and TIME become their text, which Spark reads
back without loss; a collated string loses its collation, a VOID column becomes a string that is
always NULL; arrays, maps and structs around such values are rebuilt around the encoded ones.
Fields of structs that are rebuilt get internal names, since Delta refuses some names.

Whether a column as a whole may be NULL is kept, since Delta enforces it. Inside of stored values
all may be NULL: Delta enforces nothing in arrays and maps, and takes no NULL struct whose fields
may not be NULL. What the query's type says of it is put back on the way out.
"""

from __future__ import annotations

import re

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CalendarIntervalType,
    CharType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    NullType,
    NumericType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VarcharType,
    VariantType,
    YearMonthIntervalType,
)

from rollview.errors import UnsupportedType

_AS_IS = (
    NumericType,
    BooleanType,
    DateType,
    TimestampType,
    TimestampNTZType,
    BinaryType,
    VariantType,
)
_AS_TEXT = (CalendarIntervalType, DayTimeIntervalType, YearMonthIntervalType, TimeType)
_AS_STRING = (CharType, VarcharType)
# A value of each type, for a cast that cannot fail; 0 for the others.
_ZEROS: dict[type[DataType], str] = {
    BinaryType: "X''",
    BooleanType: "FALSE",
    CharType: "''",
    DateType: "DATE'1970-01-01'",
    DayTimeIntervalType: "INTERVAL '0' SECOND",
    DecimalType: "0BD",
    StringType: "''",
    TimeType: "TIME'00:00:00'",
    TimestampNTZType: "TIMESTAMP_NTZ'1970-01-01 00:00:00'",
    TimestampType: "TIMESTAMP_LTZ'1970-01-01 00:00:00'",
    VarcharType: "''",
    YearMonthIntervalType: "INTERVAL '0' MONTH",
}
_SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def storable(type: DataType) -> str:
    """The type, as SQL text, that a backing column has for values of this type."""
    match type:
        case ArrayType():
            return f"ARRAY<{storable(type.elementType)}>"
        case MapType():
            return f"MAP<{storable(type.keyType)}, {storable(type.valueType)}>"
        case StructType() if type.fields:
            names = type.names if _is_stored_as_is(type) else _internal(len(type.fields))
            fields = zip(names, type.fields, strict=True)
            parts = [f"{quoted(name)}: {storable(field.dataType)}" for name, field in fields]
            return f"STRUCT<{', '.join(parts)}>"
        case StructType():
            return "BOOLEAN"
        case TimestampType():
            return "TIMESTAMP_LTZ"  # what plain TIMESTAMP means is a setting
        case _ if isinstance(type, _AS_IS):
            return type.simpleString()
        case _ if isinstance(type, (StringType, NullType, *_AS_TEXT, *_AS_STRING)):
            return "STRING"
        case _:
            raise UnsupportedType(
                f"a column of type {type.simpleString()} cannot be stored in a view",
                hint="cast it to a type of Spark SQL, such as BINARY or STRING",
            )


def encode(value: str, type: DataType, depth: int = 0) -> str:
    """SQL text that turns a value of this type, given as SQL text, into its storable form."""
    if _is_stored_as_is(type):
        return value
    item = f"x{depth}"
    match type:
        case ArrayType():
            return f"transform({value}, {item} -> {encode(item, type.elementType, depth + 1)})"
        case MapType():
            key = encode(f"{item}.key", type.keyType, depth + 1)
            entry = encode(f"{item}.value", type.valueType, depth + 1)
            pairs = f"transform(map_entries({value}), {item} -> struct({key}, {entry}))"
            return f"map_from_entries({pairs})"
        case StructType() if type.fields:
            parts = [
                f"{encode(f'{value}.{quoted(field.name)}', field.dataType, depth)} AS {name}"
                for name, field in zip(_internal(len(type.fields)), type.fields, strict=True)
            ]
            return f"IF({value} IS NULL, NULL, struct({', '.join(parts)}))"
        case StructType():
            return f"IF({value} IS NULL, NULL, TRUE)"
        case NullType():
            return "CAST(NULL AS STRING)"
        case _:
            storable(type)
            return f"CAST({value} AS STRING)"


def decode(value: str, type: DataType, depth: int = 0, *, nullable: bool = True) -> str:
    """SQL text that turns the storable form back into a value of this type.

    Of a column that is not nullable, Spark can see that the stored value is never NULL.
    """
    if _is_read_as_is(type):
        return value
    item = f"x{depth}"
    match type:
        case ArrayType():
            return _decode_items(value, type, item, depth)
        case MapType():
            keys = ArrayType(type.keyType, True)  # Spark knows that keys are never NULL
            values = ArrayType(type.valueType, type.valueContainsNull)
            parts = (
                _decode_items(f"map_keys({value})", keys, item, depth),
                _decode_items(f"map_values({value})", values, item, depth),
            )
            return f"map_from_arrays({', '.join(parts)})"
        case StructType() if type.fields:
            names = type.names if _is_stored_as_is(type) else _internal(len(type.fields))
            fields = [
                f"{_decode_field(f'{value}.{quoted(name)}', field, depth)} AS {quoted(field.name)}"
                for name, field in zip(names, type.fields, strict=True)
            ]
            return _unless_null(value, f"struct({', '.join(fields)})", nullable)
        case StructType():
            return _unless_null(value, "struct()", nullable)
        case NullType():
            return "NULL"
        case _:
            cast = f"CAST({value} AS {type.simpleString()})"
            is_seen = nullable or not isinstance(type, _AS_TEXT)
            return cast if is_seen else f"coalesce({cast}, {_some_value(type)})"


def _decode_items(value: str, type: ArrayType, item: str, depth: int) -> str:
    items = value
    if not _is_read_as_is(type.elementType):
        items = f"transform({value}, {item} -> {decode(item, type.elementType, depth + 1)})"
    # There are none to leave out: this is how Spark learns it.
    return items if type.containsNull else f"array_compact({items})"


def _decode_field(value: str, field: StructField, depth: int) -> str:
    """A field that is never NULL, unless the struct is: Spark must see it in the text."""
    type = field.dataType
    if field.nullable or isinstance(type, StructType):
        return decode(value, type, depth, nullable=field.nullable)
    return f"coalesce({decode(value, type, depth)}, {_some_value(type)})"


def narrowed(value: str, type: DataType) -> str:
    """SQL text for a stored value whose small integers a format has made INT of."""
    return f"CAST({value} AS {storable(type)})" if _holds(type, (ByteType, ShortType)) else value


def has_variant(type: DataType) -> bool:
    """Whether values of this type are variants, or have some inside."""
    return _holds(type, (VariantType,))


def _holds(type: DataType, wanted: tuple[type[DataType], ...]) -> bool:
    match type:
        case ArrayType():
            return _holds(type.elementType, wanted)
        case MapType():
            return _holds(type.keyType, wanted) or _holds(type.valueType, wanted)
        case StructType():
            return any(_holds(field.dataType, wanted) for field in type.fields)
        case _:
            return isinstance(type, wanted)


def identity(value: str, type: DataType) -> str:
    """SQL text for what tells a value of this type from others, under GROUP BY and ``<=>``.

    It is the value itself where those can be had of the value. Entries of maps are sorted,
    collated strings become bytes, calendar intervals their text, variants schema and text.
    """
    return _identity(value, type, 0)


def quoted(name: str) -> str:
    """A name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def _is_stored_as_is(type: DataType) -> bool:
    match type:
        case StringType():
            return type.isUTF8BinaryCollation()
        case ArrayType():
            return _is_stored_as_is(type.elementType)
        case MapType():
            return _is_stored_as_is(type.keyType) and _is_stored_as_is(type.valueType)
        case StructType():
            return _has_safe_names(type) and all(_is_stored_as_is(f.dataType) for f in type.fields)
        case _:
            return isinstance(type, _AS_IS)


def _is_read_as_is(type: DataType) -> bool:
    """Whether a stored value is the value itself, and its type says no less."""
    return _is_stored_as_is(type) and not _has_never_null(type)


def _has_never_null(type: DataType) -> bool:
    """Whether something inside of values is never NULL by their type."""
    match type:
        case ArrayType():
            return not type.containsNull or _has_never_null(type.elementType)
        case MapType():
            inside = (type.keyType, type.valueType)
            return not type.valueContainsNull or any(_has_never_null(one) for one in inside)
        case StructType():
            return any(not f.nullable or _has_never_null(f.dataType) for f in type.fields)
        case _:
            return False


def _identity(value: str, type: DataType, depth: int) -> str:
    if _is_its_own_identity(type):
        return value
    item = f"x{depth}"
    match type:
        case ArrayType():
            return f"transform({value}, {item} -> {_identity(item, type.elementType, depth + 1)})"
        case MapType():
            key = _identity(f"{item}.key", type.keyType, depth + 1)
            entry = _identity(f"{item}.value", type.valueType, depth + 1)
            pairs = f"transform(map_entries({value}), {item} -> struct({key}, {entry}))"
            return f"array_sort({pairs})"
        case StructType():
            parts = [
                f"{_identity(f'{value}.{quoted(field.name)}', field.dataType, depth)} AS {name}"
                for name, field in zip(_internal(len(type.fields)), type.fields, strict=True)
            ]
            return f"IF({value} IS NULL, NULL, struct({', '.join(parts)}))"
        case VariantType():
            return f"concat(schema_of_variant({value}), ' ', to_json({value}))"
        case CalendarIntervalType():
            return f"CAST({value} AS STRING)"
        case _:
            return f"CAST({value} AS BINARY)"


def _is_its_own_identity(type: DataType) -> bool:
    match type:
        case StringType():
            return type.isUTF8BinaryCollation()
        case ArrayType():
            return _is_its_own_identity(type.elementType)
        case StructType():
            return all(_is_its_own_identity(field.dataType) for field in type.fields)
        case _:
            return not isinstance(type, (MapType, VariantType, CalendarIntervalType))


def is_loosely_identified(type: DataType) -> bool:
    """Whether values have an identity in common that are not quite the same: 0.0 and -0.0, maps."""
    match type:
        case ArrayType():
            return is_loosely_identified(type.elementType)
        case StructType():
            return any(is_loosely_identified(field.dataType) for field in type.fields)
        case _:
            return isinstance(type, (FloatType, DoubleType, MapType))


def _has_safe_names(type: StructType) -> bool:
    distinct = {name.lower() for name in type.names}
    safe = all(_SAFE_NAME.fullmatch(name) for name in type.names)
    return safe and 0 < len(type.names) == len(distinct)


def _unless_null(value: str, rebuilt: str, nullable: bool) -> str:
    return f"IF({value} IS NULL, NULL, {rebuilt})" if nullable else rebuilt


def _some_value(type: DataType) -> str:
    """SQL text for any value of a type, which Spark takes for never NULL.

    Of calendar intervals there is one only where spark.sql.ansi.enabled is on.
    """
    match type:
        case ArrayType():
            return decode(f"CAST(array() AS {storable(type)})", type)
        case MapType():
            return decode(f"CAST(map() AS {storable(type)})", type)
        case DecimalType() if type.scale:
            zero = f"0.{'0' * type.scale}BD"  # of a scale that a cast needs not change
        case CalendarIntervalType():
            return "make_interval(0)"
        case _:
            zero = next((text for kind, text in _ZEROS.items() if isinstance(type, kind)), "0")
    return f"CAST({zero} AS {storable(type) if _is_stored_as_is(type) else type.simpleString()})"


def _internal(count: int) -> list[str]:
    return [f"f{position}" for position in range(count)]
