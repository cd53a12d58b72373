"""All cases of the round trip, and the tables they need."""

from __future__ import annotations

import random
from functools import cache

from pyspark.sql import SparkSession

from tests.corpus.dataframes import FRAMES
from tests.corpus.loader import Query, load_queries
from tests.corpus.tables import create_tables
from tests.roundtrip.benchmark_queries import create_benchmark_tables, load_benchmark
from tests.roundtrip.check import Case

CORPUS = "corpus"
GROUPS = ("corpus", "frames", "tpch", "tpcds")


@cache
def load_cases(group: str) -> list[Case]:
    """The cases of one group, in a fixed order."""
    match group:
        case "corpus":
            return [_sql_case(query, CORPUS) for query in load_queries()]
        case "frames":
            return [
                Case(
                    f"frames.{frame.name}",
                    frame.build,
                    CORPUS,
                    frame.expect,
                    determined=frame.determined,
                )
                for frame in FRAMES.values()
            ]
        case _:
            return [_sql_case(query, group) for query in load_benchmark(group)]


def create_group_tables(spark: SparkSession, groups: set[str]) -> None:
    """Create whatever tables the cases of these groups read."""
    if groups & {"corpus", "frames"}:
        create_tables(spark, CORPUS)
    for name in ("tpch", "tpcds"):
        if name in groups:
            create_benchmark_tables(spark, name)


def sample_cases(seed: int) -> list[Case]:
    """The part that every test run checks; of the benchmarks, `test_as_views` takes some."""
    chance = random.Random(seed)
    return [*chance.sample(load_cases("corpus"), 60), *chance.sample(load_cases("frames"), 12)]


def _sql_case(query: Query, schema: str) -> Case:
    return Case(query.id, query.text, schema, query.expect, query.raises, query.determined)
