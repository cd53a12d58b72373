"""Base tables at versions: what every versioned source must do, then what is special."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from rollview.algebra.definition import Source, SourceKind
from rollview.errors import SourceMissing, SourceVersionGone
from rollview.storage import registry
from rollview.storage.base import ChangeSource
from rollview.testing import assert_same_rows

pytestmark = pytest.mark.spark


def opened(own: SparkSession, name: str, provider: str) -> ChangeSource:
    return registry.source(own, Source("s", SourceKind.TABLE, name, provider, ()))


@pytest.fixture(params=["delta", "iceberg"])
def table(request: pytest.FixtureRequest, own: SparkSession) -> tuple[str, str]:
    schema = own.catalog.currentDatabase()
    name = f"{'iceberg' if request.param == 'iceberg' else 'spark_catalog'}.{schema}.t"
    own.sql(f"CREATE TABLE {name} (a INT, b STRING NOT NULL) USING {request.param}")
    return name, request.param


def test_versions_identity_and_layout(own: SparkSession, table: tuple[str, str]) -> None:
    name, provider = table
    source = opened(own, name, provider)
    empty = source.state()
    own.sql(f"INSERT INTO {name} VALUES (1, 'x')")
    own.sql(f"INSERT INTO {name} VALUES (2, 'y')")
    full = source.state()
    assert full.version != empty.version
    assert full.identity == empty.identity
    assert [(f.name, f.nullable) for f in full.schema] == [("a", True), ("b", False)]
    assert_same_rows(source.read(empty.version), [])
    assert_same_rows(source.read(full.version), [(1, "x"), (2, "y")])
    assert not source.same_rows(empty.version, full.version)

    if provider == "delta":
        own.sql(f"OPTIMIZE {name}")
    else:
        own.sql(
            f"CALL iceberg.system.rewrite_data_files('{name}', options => "
            "map('min-input-files', '2'))"
        )
    compacted = source.state()
    assert compacted.version != full.version
    assert source.same_rows(full.version, compacted.version)
    assert not source.same_rows(empty.version, compacted.version)
    with pytest.raises(SourceVersionGone, match="can no longer be read"):
        source.read("987654")

    own.sql(f"DROP TABLE {name}")
    with pytest.raises(SourceMissing, match=r"the table .*\.t does not exist any more"):
        opened(own, name, provider).state()
    own.sql(f"CREATE TABLE {name} (a INT) USING {provider}")
    assert opened(own, name, provider).state().identity != full.identity
    own.sql(f"DROP TABLE {name}")


def test_altered_columns_are_seen_before_rows_come(own: SparkSession) -> None:
    """Iceberg makes no snapshot for them, and gives an old snapshot the columns it had then."""
    name = f"iceberg.{own.catalog.currentDatabase()}.altered"
    own.sql(f"CREATE TABLE {name} (a INT, b STRING, gone INT) USING iceberg")
    own.sql(f"INSERT INTO {name} VALUES (1, 'x', 7)")
    source = opened(own, name, "iceberg")
    version = source.state().version
    own.sql(f"ALTER TABLE {name} ALTER COLUMN a TYPE BIGINT")
    own.sql(f"ALTER TABLE {name} RENAME COLUMN b TO c")
    own.sql(f"ALTER TABLE {name} DROP COLUMN gone")
    altered = source.state().version
    assert altered.startswith(f"{version}@"), "rows are read by other columns now"
    assert source.same_rows(version, altered), "a is the only name that both have"
    own.sql(f"ALTER TABLE {name} ADD COLUMN b DATE")
    state = source.state()
    assert not source.same_rows(version, state.version), "b is another column now"
    assert source.same_rows(altered, state.version), "which was no name then"
    assert_same_rows(source.read(state.version), [(1, "x", None)])
    rows = source.read(version)
    assert rows.dtypes == [("a", "bigint"), ("c", "string"), ("b", "date")]
    assert [(f.name, f.dataType) for f in rows.schema] == [
        (f.name, f.dataType) for f in state.schema
    ]
    assert_same_rows(rows, [(1, "x", None)])
    pinned = Source("s", SourceKind.TABLE, name, "iceberg", (), pinned=version)
    assert_same_rows(registry.source(own, pinned).read(version), [(1, "x", 7)])
    own.sql(f"DROP TABLE {name}")
