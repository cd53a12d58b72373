"""SQL functions in a definition, in a session with Delta Lake alone.

The parser that Iceberg's extension puts before Spark's cannot read CREATE FUNCTION, so this needs a
Java process of its own; it also shows a session that rollview did not start.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

SCRIPT = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
import rollview
from rollview.runtime.jars import provide_jars

folder = Path(sys.argv[1])
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.driver.extraClassPath", ":".join(map(str, provide_jars(print))))
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.sql.warehouse.dir", f"file:{folder}")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
spark.sql("CREATE TABLE t USING delta AS SELECT * FROM VALUES (1), (2) AS v(a)")
spark.sql("CREATE FUNCTION grown(x INT) RETURNS INT RETURN x * 2")
db = rollview.connect(spark)
db.create_view("v", "SELECT grown(a) AS b FROM t")
print("created", sorted(row.b for row in db.read("v").collect()))
print("again", db.refresh("v").mode)
spark.sql("CREATE OR REPLACE FUNCTION grown(x INT) RETURNS INT RETURN x * 10")
report = db.refresh("v")
print("redefined", report.mode, sorted(row.b for row in db.read("v").collect()), report.reason)
print("verified", db.verify("v").correct)
spark.sql("DROP FUNCTION grown")
try:
    db.refresh("v")
except rollview.RollviewError as error:
    print("dropped", error)
"""


def test_sql_function_that_is_redefined_and_dropped(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYSPARK")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    assert said.get("created") == "[2, 4]", done.stderr[-2000:]
    assert said["again"] == "noop"
    assert said["redefined"].startswith("full [10, 20]")
    assert "redefined" in said["redefined"]
    assert said["verified"] == "True"
    assert "does not exist any more" in said["dropped"]
