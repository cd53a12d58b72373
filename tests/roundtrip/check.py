"""One query through the round trip: Spark's plan -> algebra -> SQL -> the same bag of rows.

Every stage is tried, so that one run shows everything that is wrong with a query.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from rollview.algebra.codec import decode, encode
from rollview.algebra.definition import Definition, Source, SourceKind
from rollview.errors import RollviewError
from rollview.frontend.define import define, original
from rollview.planning.verdict import judge
from rollview.sql.render import render
from rollview.testing import assert_same_rows, rows_of

Builder = Callable[[SparkSession], DataFrame]


@dataclass(frozen=True)
class Case:
    """A query to check: SQL text or a function that builds a DataFrame, and what to expect."""

    id: str
    query: str | Builder
    schema: str
    expect: frozenset[str] = frozenset()
    raises: str | None = None
    determined: tuple[str, ...] | None = None


@dataclass
class Outcome:
    """What went wrong, by stage, with the rendered text and the seconds that each stage took.

    ``mode`` is how a view of the query is refreshed, ``why`` has the codes of the reasons, and
    ``at_times`` those of the reasons that hold in some refreshes only.
    """

    id: str
    failures: dict[str, str] = field(default_factory=dict)
    sql: str | None = None
    mode: str = ""
    why: tuple[str, ...] = ()
    at_times: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        except Exception as error:  # a harness reports whatever happens and goes on
            self.failures[name] = f"{type(error).__name__}: {error}"
        finally:
            self.seconds[name] = time.perf_counter() - started


def check(spark: SparkSession, case: Case) -> Outcome:
    """Send one case through all stages."""
    spark.sql(f"USE {case.schema}")
    outcome = Outcome(case.id)
    frame: DataFrame | None = None
    expected: Any = None
    with outcome.stage("original"):
        frame = spark.sql(case.query) if isinstance(case.query, str) else case.query(spark)
        expected = _rows(frame, case)
    if frame is None or outcome.failures:
        return outcome
    if _refusal(case) is not None:
        with outcome.stage("define"):
            _assert_refused(spark, case, frame)
        return outcome
    definition: Definition | None = None
    with outcome.stage("define"):
        query = case.query if isinstance(case.query, str) else frame
        definition = define(spark, query, managed={})
    if definition is not None:
        _check_definition(spark, case, outcome, frame, expected, definition)
    return outcome


def _check_definition(
    spark: SparkSession,
    case: Case,
    outcome: Outcome,
    frame: DataFrame,
    expected: Any,
    definition: Definition,
) -> None:
    with outcome.stage("reasons"):
        _assert_reasons(case, definition)
    with outcome.stage("verdict"):
        verdict = judge(definition, "auto")
        outcome.mode = verdict.mode
        outcome.why = tuple(dict.fromkeys(reason.code.value for reason in verdict.reasons))
        outcome.at_times = tuple(dict.fromkeys(reason.code.value for reason in verdict.at_times))
    with outcome.stage("columns"):
        columns = [(column.name, column.type) for column in definition.columns]
        assert columns == _schema(frame), f"{columns} instead of {_schema(frame)}"
    with outcome.stage("codec"):
        assert decode(json.loads(json.dumps(encode(definition)))) == definition
    with outcome.stage("source"):
        leaves = {source.id: read_source(spark, source) for source in definition.sources}
        again = original(spark, definition, leaves)
        assert _schema(again) == _schema(frame), f"{_schema(again)} instead of {_schema(frame)}"
        _compare(case, again, expected)
    if definition.relation is None:
        return
    with outcome.stage("render"):
        outcome.sql = render(definition.relation, leaf_texts(spark, definition))
    if outcome.sql is not None:
        with outcome.stage("rendered"):
            rendered = spark.sql(outcome.sql)
            _assert_same_schema(rendered, frame)
            _compare(case, rendered, expected)


def leaf_texts(spark: SparkSession, definition: Definition) -> dict[str, str]:
    """What stands for each source in the rendered text: its name, or a temporary view of it."""
    texts = {}
    for source in definition.sources:
        if source.kind is SourceKind.TABLE and source.pinned is None:
            texts[source.id] = source.name
        else:
            texts[source.id] = f"leaf_{source.id}"
            read_source(spark, source).createOrReplaceTempView(texts[source.id])
    return texts


def read_source(spark: SparkSession, source: Source) -> DataFrame:
    """All rows of a source, at its pinned version if it has one."""
    reader = spark.read.options(**dict(source.options))
    if source.pinned is not None:
        reader = reader.option("versionAsOf", source.pinned)
    if source.kind is SourceKind.PATH:
        return reader.format(source.provider).load(source.name)
    return reader.table(source.name)


def _refusal(case: Case) -> str | None:
    return next((code for code in case.expect if "." in code), None)


def _assert_refused(spark: SparkSession, case: Case, frame: DataFrame) -> None:
    refusal: RollviewError | None = None
    try:
        define(spark, case.query if isinstance(case.query, str) else frame, managed={})
    except RollviewError as error:
        refusal = error
    assert refusal is not None, f"accepted, but {_refusal(case)} was expected"
    assert refusal.code == _refusal(case), f"{refusal.code} instead of {_refusal(case)}"
    assert refusal.hint, f"{refusal.code} comes without a hint"


def _assert_reasons(case: Case, definition: Definition) -> None:
    codes = frozenset(str(reason.code) for reason in definition.reasons)
    said = "; ".join(f"{reason.code} {reason.piece}" for reason in definition.reasons)
    # What is refreshed in full anyway need not be understood as well.
    unneeded = {"NOT_UNDERSTOOD"} if "NON_DETERMINISTIC" in case.expect else set()
    assert codes - unneeded == case.expect, f"reasons [{said}], expected {sorted(case.expect)}"
    understood = definition.relation is not None
    assert understood == ("NOT_UNDERSTOOD" not in codes), "relation and reasons disagree"


def _rows(frame: DataFrame, case: Case) -> Any:
    """The rows of the original, cut down to what is determined; with ``raises``, its error."""
    if case.raises is not None:
        _assert_raises(frame, case.raises)
        return None
    if "NON_DETERMINISTIC" in case.expect:
        return None
    if case.determined is None:
        return rows_of(frame)
    return _determined(frame, case.determined)


def _compare(case: Case, frame: DataFrame, expected: Any) -> None:
    if case.raises is not None:
        _assert_raises(frame, case.raises)
    elif expected is None:
        frame.collect()
    elif case.determined is None:
        assert_same_rows(frame, expected)
    else:
        assert_same_rows(_determined(frame, case.determined), expected)


def _determined(frame: DataFrame, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in columns) for row in frame.collect()]


def _assert_raises(frame: DataFrame, condition: str) -> None:
    found: str | None = None
    try:
        frame.collect()
    except (PySparkException, Py4JJavaError) as error:  # errors of subqueries come unwrapped
        found = str(error)
    assert found is not None, f"no error, but {condition} was expected"
    assert f"[{condition}" in found, f"error {found} instead of {condition}"


def _schema(frame: DataFrame) -> list[tuple[str, str]]:
    fields = frame._jdf.schema().fields()  # Spark's own text for types is only had from the JVM
    return [(field.name(), field.dataType().sql()) for field in fields]


def _assert_same_schema(actual: DataFrame, expected: DataFrame) -> None:
    ours = [(field.name, field.dataType.simpleString()) for field in actual.schema]
    theirs = [(field.name, field.dataType.simpleString()) for field in expected.schema]
    different = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
    assert not different, f"columns differ (rendered, original): {different}"
    assert len(ours) == len(theirs), f"{len(ours)} columns instead of {len(theirs)}"
