"""A schema of its own for every test, in the one Spark session of the run."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.planning.overrides import STRATEGY
from rollview.storage.registry import STORES


def private_session(spark: SparkSession, folder: Path) -> SparkSession:
    """A session with a fresh schema as its current one."""
    name = f"s_{uuid.uuid4().hex[:8]}"
    own = spark.newSession()
    own.conf.set("spark.sql.shuffle.partitions", "1")
    # They are so small that recomputing would always be faster.
    own.conf.set(STRATEGY, "counting")
    own.conf.set("spark.databricks.delta.stats.collect", "false")
    # The tables are tiny and every plan is run once: compiling it costs more than running it does.
    own.conf.set("spark.sql.codegen.wholeStage", "false")
    own.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    own.sql(f"CREATE SCHEMA {name} LOCATION 'file:{folder}/{name}'")
    own.sql(f"USE {name}")
    return own


@pytest.fixture
def own(spark: SparkSession, tmp_path: Path) -> Iterator[SparkSession]:
    session = private_session(spark, tmp_path)
    schema = session.catalog.currentDatabase()
    yield session
    session.sql(f"DROP SCHEMA {schema} CASCADE")


@pytest.fixture
def db(own: SparkSession, request: pytest.FixtureRequest) -> Session:
    """An open lake with a table of three orders and nothing else; see `in_every_store`."""
    make_orders(own)
    return rollview.connect(own, store=store_of(own, getattr(request, "param", "delta")))


in_every_store = pytest.mark.parametrize("db", STORES, indirect=True)


def store_of(own: SparkSession, kind: str) -> str:
    """A store of that kind; in Iceberg a namespace that nobody else uses."""
    return f"iceberg.{own.catalog.currentDatabase()}" if kind == "iceberg" else kind


def tables_in_catalog(own: SparkSession) -> list[str]:
    """The backing tables of a session's views that are stored in Iceberg."""
    namespace = own.catalog.currentDatabase()
    if not own.sql(f"SHOW NAMESPACES IN iceberg LIKE '{namespace}'").collect():
        return []
    return sorted(row.tableName for row in own.sql(f"SHOW TABLES IN iceberg.{namespace}").collect())


def make_orders(own: SparkSession, name: str = "orders") -> None:
    own.sql(
        f"CREATE TABLE {name} USING delta AS SELECT * FROM "
        "VALUES (1, 'a', 10), (2, 'b', 20), (3, 'a', 30) AS t(id, customer, amount)"
    )


def control(db: Session) -> Path:
    """The control state of an open lake."""
    return Path(db._lake.root)


def bury_claims(db: Session) -> None:
    """Make the claims of this process look like those of one that has died."""
    for claim in (control(db) / "claims").glob("*.json"):
        data = json.loads(claim.read_text()) | {"started": "long ago", "java": None}
        claim.write_text(json.dumps(data))


def leftovers(db: Session) -> list[str]:
    """What lies in the control state, without empty folders, locks and the format."""
    root = control(db)
    files = [path for path in root.rglob("*") if path.is_file()]
    names = [str(path.relative_to(root)) for path in files]
    return sorted(n for n in names if not n.startswith("locks/") and n != "format.json")
