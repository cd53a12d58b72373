"""From a query to a definition: Spark analyzes and rewrites, the algebra remembers.

The analyzed plan is taken, every base relation in it is replaced by an opaque placeholder, and the
plan is reduced by the rewriting rules of Spark's own optimizer. Rules that evaluate anything
(constant folding, the clock) or that look into sources are never run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from rollview.algebra.definition import (
    Definition,
    Dependency,
    DependencyKind,
    Reason,
    ReasonCode,
    Source,
    SourceKind,
)
from rollview.algebra.relations import Relation, Scan
from rollview.algebra.schema import Column, Schema
from rollview.algebra.traverse import walk
from rollview.analysis.order import canonical, left_open
from rollview.analysis.pruning import prune_scans
from rollview.errors import BadQuery, DefinitionCorrupt, DuplicateColumn
from rollview.frontend import scope
from rollview.frontend.checks import check_facts, moments_in, moving_reason
from rollview.frontend.decode import decode
from rollview.frontend.dependencies import function_text
from rollview.frontend.jvm_bridge import bridge
from rollview.frontend.subqueries import NotDecoded
from rollview.frontend.translate import analysis_errors, spark_errors

Json = dict[str, Any]
_TIMESTAMP_TYPE = "spark.sql.timestampType"
_ZONED = re.compile(r"\bTIMESTAMP\b(?!_)")


def define(
    spark: SparkSession, query: str | DataFrame, *, managed: Mapping[str, str]
) -> Definition:
    """Analyze the query, never execute it, and say what it is."""
    text = query if isinstance(query, str) else None
    with analysis_errors(text, lambda: _tables(spark)):
        frame = analyzed_text(spark, query) if isinstance(query, str) else query
        analyzed = frame._jdf.queryExecution().analyzed()
        exported = _export(spark, analyzed, managed, with_plan=text is None)
    columns = _public_columns(exported["columns"], spark)
    reasons = check_facts(spark, exported, is_text=text is not None)
    ids = _source_ids(exported["sources"])
    moments = moments_in("\n".join([text or "", *(view["text"] for view in exported["views"])]))
    reasons += tuple(moving_reason(moment) for moment in moments)
    plain, problem = _relation(exported, columns, ids) if not moments else (None, ())
    if plain is not None and _is_misread(spark, plain):
        plain, problem = None, (_not_understood("TimestampType", "TIMESTAMP_LTZ"),)
    relation = None if plain is None else canonical(plain)
    sources = tuple(_source(s, ids[s["key"]], relation) for s in exported["sources"])
    return Definition(
        text=text,
        plan=exported.get("plan"),
        columns=columns,
        relation=relation,
        sources=sources,
        dependencies=_dependencies(spark, exported),
        settings=scope.capture(spark),
        reasons=(*reasons, *_source_reasons(sources), *problem),
        order_sensitive=tuple(
            dict.fromkeys(f["text"] for f in exported["facts"] if f["code"] == "ORDER")
        ),
        canonical=relation != plain,
        left_open=_left_open(relation),
        tied=_left_open(plain),
    )


def _tables(spark: SparkSession) -> list[str]:
    """The names of the tables and views of the current schema."""
    catalog = spark._jsparkSession.sessionState().catalog()
    found = catalog.externalCatalog().listTables(catalog.getCurrentDatabase())
    return [str(found.apply(position)) for position in range(found.size())]


def analyzed_text(spark: SparkSession, text: str) -> DataFrame:
    """The DataFrame of a query; a statement that does something is refused, not executed."""
    parser = spark._jsparkSession.sessionState().sqlParser()
    plan = parser.parsePlan(text)
    if bridge(spark).isCommand(plan):
        raise BadQuery(
            f"a view needs a query, and this is a statement: {text.strip()[:60]}",
            hint="give a SELECT; run statements with spark.sql or rollview sql",
        )
    return spark.sql(text)


def original(
    spark: SparkSession, definition: Definition, leaves: Mapping[str, DataFrame]
) -> DataFrame:
    """The original text or DataFrame with every source replaced by ``leaves[source.id]``."""
    java = bridge(spark)
    if definition.text is not None:
        with spark_errors(definition.text):
            frame = analyzed_text(spark, definition.text)
            analyzed = frame._jdf.queryExecution().analyzed()
    else:
        analyzed = _restored(java, definition)
    plans = {
        source_key(source): leaves[source.id]._jdf.queryExecution().analyzed()
        for source in definition.sources
    }
    managed = {dict(s.options)["public"]: s.name for s in views_read(definition)}
    with spark_errors(definition.text):
        result = java.withLeaves(spark._jsparkSession, analyzed, managed, plans)
    return DataFrame(result, spark)


def _restored(java: Any, definition: Definition) -> Any:
    try:
        return java.restore(definition.plan)
    except (Py4JJavaError, PySparkException) as problem:
        raise DefinitionCorrupt(
            "the stored plan of a DataFrame cannot be read by this version of Spark",
            hint="create the view anew with replace=True (--replace); SQL text outlives versions",
        ) from problem


def views_read(definition: Definition) -> tuple[Source, ...]:
    """The materialized views among the sources."""
    return tuple(s for s in definition.sources if s.kind is SourceKind.VIEW)


def source_key(source: Source) -> str:
    """The key under which the exporter knows a source."""
    options = () if source.kind is SourceKind.VIEW else source.options
    pairs = ", ".join(f"{key}={value}" for key, value in options)
    return f"{source.kind}|{source.name}|{source.pinned or ''}|{{{pairs}}}"


def _export(
    spark: SparkSession, analyzed: Any, managed: Mapping[str, str], with_plan: bool
) -> Json:
    ansi = str(spark.conf.get("spark.sql.ansi.enabled")).lower() == "true"
    names = {name.lower(): view for name, view in managed.items()}
    described = bridge(spark).describe(spark._jsparkSession, analyzed, names, ansi, with_plan)
    data: Json = json.loads(described)
    return data


def _public_columns(exported: list[Json], spark: SparkSession) -> Schema:
    exact = str(spark.conf.get("spark.sql.caseSensitive")).lower() == "true"
    seen: set[str] = set()
    for column in exported:
        key = column["n"] if exact else column["n"].lower()
        if key in seen:
            raise DuplicateColumn(
                f"the query has two columns named {column['n']!r}",
                hint=f"give one of them another name: ... AS {column['n']}_2",
            )
        seen.add(key)
    return tuple(Column(column["n"], column["t"], column["u"]) for column in exported)


def _source_ids(sources: list[Json]) -> dict[str, str]:
    """Short, readable, unique ids: the last part of the name, numbered when it repeats."""
    ids: dict[str, str] = {}
    for source in sources:
        last = re.split(r"[./]", source["name"].rstrip("/"))[-1].strip("`")
        base = re.sub(r"\W", "_", last, flags=re.ASCII).lower() or "source"
        name, number = base, 2
        while name in ids.values():
            name, number = f"{base}_{number}", number + 1
        ids[source["key"]] = name
    return ids


def _relation(
    exported: Json, columns: Schema, ids: dict[str, str]
) -> tuple[Relation | None, tuple[Reason, ...]]:
    if "relation" not in exported:
        problem = exported["unwritable"]
        return None, (_not_understood(problem["kind"], problem["text"]),)
    if any(fact["text"] == "_metadata" for fact in exported["facts"]):
        return None, (_not_understood("Metadata", "_metadata"),)
    try:
        relation = decode(exported["relation"], tuple(c.name for c in columns), ids)
    except NotDecoded as problem:
        return None, (_not_understood(problem.kind, str(problem)),)
    return prune_scans(relation), ()


def _is_misread(spark: SparkSession, relation: Relation) -> bool:
    """Whether the session takes the type TIMESTAMP, as the algebra writes it, for another one."""
    if str(spark.conf.get(_TIMESTAMP_TYPE)).upper() != "TIMESTAMP_NTZ":
        return False
    return any(_ZONED.search(c.type) for node in walk(relation) for c in node.columns)


def _left_open(relation: Relation | None) -> tuple[str, ...]:
    if relation is None:
        return ()
    found = left_open(relation)
    return ("*",) if found.rows else tuple(sorted(found.columns))


def _not_understood(kind: str, text: str) -> Reason:
    return Reason(
        ReasonCode.NOT_UNDERSTOOD,
        f"{kind}: {text}",
        f"{kind} has no form in the algebra, so the view is recomputed as a whole",
        "write that part another way, or let a view without it do the rest",
    )


def _source(data: Json, id: str, relation: Relation | None) -> Source:
    kind = SourceKind(data["kind"])
    options = tuple((str(key), str(value)) for key, value in data["options"].items())
    if kind is SourceKind.VIEW:
        options = (("public", str(data["public"]).lower()),)
    used = {f for s in _scans(relation) if s.source == id for f in s.fields}
    columns = tuple(
        Column(c["n"], c["t"], c["u"])
        for c in data["columns"]
        if relation is None or c["n"] in used
    )
    return Source(id, kind, data["name"], data["provider"], columns, data["pinned"], options)


def _scans(relation: Relation | None) -> tuple[Scan, ...]:
    if relation is None:
        return ()
    return tuple(node for node in walk(relation) if isinstance(node, Scan))


def _dependencies(spark: SparkSession, exported: Json) -> tuple[Dependency, ...]:
    views = [
        Dependency(DependencyKind.VIEW, view["name"], view["text"])
        for view in exported["views"]
        if not view["temporary"]
    ]
    functions = [
        Dependency(DependencyKind.FUNCTION, name, function_text(spark, name) or "")
        for name in dict.fromkeys(
            fact["text"]
            for fact in exported["facts"]
            if fact["code"] in ("SQL_FUNCTION", "PYTHON", "SCALA")
        )
    ]
    return tuple(dict.fromkeys(views + functions))


def _source_reasons(sources: tuple[Source, ...]) -> tuple[Reason, ...]:
    versioned = ("delta", "iceberg", "rollview")
    return tuple(
        Reason(
            ReasonCode.UNVERSIONED_SOURCE,
            source.name,
            f"{source.name} is a {source.provider} table, which keeps no versions",
            "store it as a Delta or Iceberg table",
        )
        for source in sources
        if source.provider not in versioned and source.pinned is None
    )
