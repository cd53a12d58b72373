"""What the analyzed plan says about a query: refusals, and reasons for falling back."""

from __future__ import annotations

import re
from typing import Any

from pyspark.sql import SparkSession

from rollview.algebra.definition import Reason, ReasonCode
from rollview.errors import (
    AnonymousFunction,
    BadQuery,
    DataWithoutTable,
    StreamingQuery,
    TemporaryObject,
)
from rollview.frontend.dependencies import function_text

Json = dict[str, Any]

_WORDS = r"(?:now|today|tomorrow|yesterday)\b"
_MOMENT = re.compile(rf"\b(?:DATE|TIMESTAMP(?:_NTZ|_LTZ)?)\s*r?(['\"])\s*{_WORDS}.*?\1", re.I)
_TRAVEL = re.compile(r"\b((?:TIMESTAMP|SYSTEM_TIME)\s+AS\s+OF\s+\S[^\n]{0,60})", re.I)
_CONSTANT = re.compile(
    r"\w+\s+AS\s+OF\s+\(?\s*(?:(?:CAST|TO_TIMESTAMP|TO_DATE|DATE|TIMESTAMP(?:_NTZ|_LTZ)?)"
    rf"\s*\(?\s*)?r?['\"](?!\s*{_WORDS})",
    re.I,
)


def check_facts(spark: SparkSession, exported: Json, *, is_text: bool) -> tuple[Reason, ...]:
    """Refuse what cannot be kept as a definition; give the reasons for everything else."""
    _refuse_temporary_views(exported, is_text)
    for source in exported["sources"]:
        if source["kind"] == "other":
            raise DataWithoutTable(
                f"the query reads {source['name']}, which is not a table of a catalog",
                hint="write it to a Delta table and read that table",
            )
    if "unstorable" in exported:
        raise BadQuery(
            f"the DataFrame cannot be kept as a definition: it holds a {exported['unstorable']}",
            hint="write the query as SQL text, or without that part",
        )
    reasons: dict[Reason, None] = {}
    for fact in exported["facts"]:
        reason = _judge(spark, fact)
        if reason is not None:
            reasons[reason] = None
    return tuple(reasons)


def _judge(spark: SparkSession, fact: Json) -> Reason | None:
    text = fact["text"]
    match fact["code"]:
        case "STREAMING":
            raise StreamingQuery(
                "the DataFrame is a stream",
                hint="define the view over the table itself: spark.read, not spark.readStream",
            )
        case "DATA":
            raise DataWithoutTable(
                "the DataFrame holds data that is in no table (createDataFrame or an RDD)",
                hint='write it first: df.write.format("delta").saveAsTable("name"),'
                ' then build the query on spark.table("name")',
            )
        case "PYTHON" | "SCALA" if not text or function_text(spark, text) is None:
            name = f"the function {text!r}" if text else "a function without a name"
            raise AnonymousFunction(
                f"the query uses {name}, which the session does not know",
                hint='register it under a name, spark.udf.register("name", function),'
                " and use it by that name",
            )
        case "NON_DETERMINISTIC":
            return Reason(
                ReasonCode.NON_DETERMINISTIC,
                text,
                f"{text} may give another result each time, so every refresh recomputes the view",
                _hint(text),
            )
        case "TIME":
            return Reason(
                ReasonCode.TIME_DEPENDENT,
                text,
                f"{text} makes the result depend on the clock, so every refresh recomputes it",
                "use it in WHERE alone; or let the view have the column, and compare it with the "
                "clock where it is read",
            )
        case "MOVING":
            return moving_reason(text)
        case "OPAQUE":
            return Reason(
                ReasonCode.OPAQUE_FUNCTION,
                text,
                f"{text} runs code that cannot be looked into, so a refresh recomputes the view",
                "use SQL, or a function of single rows that is registered by name",
            )
        case _:
            return None


def moments_in(text: str) -> tuple[str, ...]:
    """The constants of a query that Spark's parser takes from the clock, and what travels by it."""
    travels = [t for t in _TRAVEL.findall(text) if not _CONSTANT.match(t)]
    return tuple(dict.fromkeys([m[0] for m in _MOMENT.finditer(text)] + travels))


def moving_reason(what: str) -> Reason:
    """Why a view of something that is another one each time is recomputed."""
    return Reason(
        ReasonCode.TIME_DEPENDENT,
        what,
        f"{what} is another one each time, so every refresh recomputes the view",
        "read tables as they are, and compare columns with current_timestamp() in WHERE",
    )


def _hint(text: str) -> str:
    if text.startswith("LIMIT"):
        return "add an ORDER BY that no two rows tie on"
    return "leave it out of the view, and add it where the view is read"


def _refuse_temporary_views(exported: Json, is_text: bool) -> None:
    if not is_text:
        return
    for view in exported["views"]:
        if view["temporary"]:
            raise TemporaryObject(
                f"the query reads the temporary view {view['name']}, which only this session has",
                hint="make it a permanent view (CREATE VIEW), or pass the DataFrame itself",
            )
