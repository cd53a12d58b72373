"""Tables are read within the range of the rows that they are joined to, for keys of every type."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview.runtime.report import Mode
from rollview.storage import delta_read

pytestmark = pytest.mark.spark

KEYS = {
    "tiny": "CAST(id % 100 AS TINYINT)",
    "small": "CAST(id AS SMALLINT)",
    "whole": "CAST(id AS INT)",
    "big": "id - 9223372036854775808 + 1",
    "exact": "CAST(id AS DECIMAL(20,3)) - 0.125",
    "day": "date_add(DATE'9990-01-01', CAST(id AS INT))",
    "moment": "timestamp_seconds(1698541200 + id * 60)",  # an hour of this night is there twice
    "word": "lpad(id, 6, '0')",
    "quoted": "concat('\\\\', id, '\\'')",
    "missing": "IF(id % 2 = 0, id, NULL)",
    "mixed": "IF(id % 2 = 0, concat('a', id), concat('A', id))",
    "ratio": "id / 7D",
}
FILLING = f"concat({', '.join(['uuid()'] * 20)})"
ROWS, FILES = 4000, 20


@pytest.fixture
def clustered(own: SparkSession, monkeypatch: pytest.MonkeyPatch) -> rollview.Session:
    """Items in files by id, as large tables are; one order per item, with its keys."""
    monkeypatch.setattr(delta_read, "_SMALL", 0)  # of small tables no files are skipped
    own.conf.set("parquet.hadoop.vectored.io.enabled", "false")  # such reads are not counted
    own.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    keys = ", ".join(f"{text} AS {name}" for name, text in KEYS.items())
    for table, count in (("items", ROWS), ("orders", 10)):
        rows = own.sql(f"SELECT id, {keys}, {FILLING} AS filling FROM range({count})")
        files = FILES if table == "items" else 1
        rows.repartitionByRange(files, "id").write.format("delta").saveAsTable(table)
    return rollview.connect(own)


def test_joins_on_keys_of_every_type(clustered: rollview.Session) -> None:
    """NULL keys find one another in some of them; deletes and inserts are far apart."""
    db = clustered
    signs = {"missing": "<=>", "mixed": "COLLATE UTF8_LCASE ="}
    texts = [
        f"SELECT '{name}' AS key, o.id AS o, i.id AS i, string(i.{name}) AS value "
        f"FROM orders o JOIN items i ON o.{name} {signs.get(name, '=')} i.{name}"
        for name in KEYS
    ]
    db.create_view("pairs", " UNION ALL ".join(texts), policy="incremental")
    for change in (
        "INSERT INTO orders SELECT * FROM items WHERE id IN (100, 101, 150)",
        "DELETE FROM orders WHERE id IN (3, 101)",
        "INSERT INTO orders SELECT * FROM items WHERE id IN (0, 3998, 3999)",
    ):
        db.sql(change)
        assert db.refresh("pairs").mode is Mode.INCREMENTAL
        assert db.verify("pairs").correct, change


def test_few_files_are_read(clustered: rollview.Session) -> None:
    db = clustered
    text = "SELECT o.id, i.filling FROM orders o JOIN items i ON o.{0} = i.{0}"
    # What cannot be ordered as files are, is what reading everything costs.
    for name in ("whole", "ratio"):
        db.create_view(name, text.format(name), policy="incremental")
    db.sql("INSERT INTO orders SELECT * FROM items WHERE id IN (100, 101, 150)")
    read = {report.view: report.bytes_read for report in db.refresh()}
    assert db.verify("whole").correct
    assert read["whole"] * 4 < read["ratio"]
