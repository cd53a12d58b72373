"""Bags compared inside Spark."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from rollview.runtime.compare import compare
from rollview.runtime.pairing import unpaired

pytestmark = pytest.mark.spark

EQUAL = [
    ("SELECT * FROM VALUES (1, 'a'), (1, 'a'), (NULL, NULL) AS t(a, b)",) * 2,
    ("SELECT map('a', 1, 'b', 2) AS m", "SELECT map('b', 2, 'a', 1) AS m"),
    ('SELECT parse_json(\'{"a": 1, "b": 2}\') AS v', 'SELECT parse_json(\'{"b":2,"a":1}\') AS v'),
    ("SELECT make_interval(1, 2) AS i, NULL AS n",) * 2,
    ("SELECT 0.1D + 0.2D AS d", "SELECT 0.3D AS d"),
    ("SELECT double('NaN') AS d, double('inf') AS e, double(NULL) AS f",) * 2,
    ("SELECT map(1, array(0.1D + 0.2D, NULL)) AS m", "SELECT map(1, array(0.3D, NULL)) AS m"),
    (
        "SELECT * FROM VALUES ('k', 0.1D + 0.2D, 5D), ('k', 0.3D, 3D) AS t(k, a, b)",
        "SELECT * FROM VALUES ('k', 0.3D, 5D), ('k', 0.1D + 0.2D, 3D) AS t(k, a, b)",
    ),
    (
        "SELECT named_struct('x', 1e300D, 'y', 'z') AS s",
        "SELECT named_struct('x', 1e300D, 'y', 'z') AS s",
    ),
]
DIFFERENT = [
    ("SELECT 1 AS a UNION ALL SELECT 1", "SELECT 1 AS a", 0, 1),
    ("SELECT 1 AS a", "SELECT NULL AS a UNION ALL SELECT 1", 1, 0),
    ("SELECT 'a' COLLATE UTF8_LCASE AS a", "SELECT 'A' COLLATE UTF8_LCASE AS a", 1, 1),
    ("SELECT 1.0D AS d", "SELECT 1.00001D AS d", 1, 1),
    ("SELECT double(NULL) AS d", "SELECT 0D AS d", 1, 1),
    ("SELECT 1 AS k, double('NaN') AS d", "SELECT 1 AS k, 5D AS d", 1, 1),
    ("SELECT 1 AS k, double('inf') AS d", "SELECT 1 AS k, 5D AS d", 1, 1),
    ("SELECT 1 AS k, double('inf') AS d", "SELECT 1 AS k, double('-inf') AS d", 1, 1),
    ("SELECT parse_json('1') AS v", "SELECT parse_json('\"1\"') AS v", 1, 1),
    ("SELECT array(1D, 2D) AS a", "SELECT array(1D, 2D, 3D) AS a", 1, 1),
]


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equal(spark: SparkSession, left: str, right: str) -> None:
    assert not compare(spark.sql(left), spark.sql(right))


@pytest.mark.parametrize(("left", "right", "missing", "unexpected"), DIFFERENT)
def test_different(
    spark: SparkSession, left: str, right: str, missing: int, unexpected: int
) -> None:
    found = compare(spark.sql(left), spark.sql(right))
    assert (found.missing, found.unexpected) == (missing, unexpected)
    assert (len(found.missing_sample), len(found.unexpected_sample)) == (missing, unexpected)


def test_samples_are_few_and_named(spark: SparkSession) -> None:
    found = compare(spark.range(3).toDF("a b"), spark.range(100).toDF("a b"))
    assert (found.rows, found.missing, found.unexpected) == (3, 97, 0)
    assert len(found.missing_sample) == 5
    assert list(found.missing_sample[0]) == ["a b"]


def test_pairing_does_not_take_the_first_that_fits() -> None:
    near, both, far = [1.0], [1.0 + 0.9e-9], [1.0 + 1.7e-9]
    assert unpaired([both, near], [near, far]) == ([], [])
    assert unpaired([near, near], [near, far]) == ([1], [1])
