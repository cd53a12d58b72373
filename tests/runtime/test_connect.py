"""What cannot be opened, shown with the real things and without Java."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import rollview
from rollview.errors import LakeNotFound, LakeNotWritable, SessionUnsuitable, SparkUnsupported
from rollview.storage import formats
from tests.runtime.lakes import bare_lake

NOBODY = 65534
NOT_CONNECT = (
    "[SETUP.SPARK] a Spark Connect session cannot be used: rollview works with Spark's plans, "
    "which stay on the server\n"
    "  hint: use a classic session: SparkSession.builder.master(...).getOrCreate()"
)


def test_a_spark_connect_session() -> None:
    session = importlib.import_module("pyspark.sql.connect.session")
    given = object.__new__(session.SparkSession)  # to connect takes a server
    with pytest.raises(SparkUnsupported) as caught:
        rollview.connect(given)
    assert str(caught.value) == NOT_CONNECT


def test_a_spark_connect_session_is_known_by_where_its_class_is() -> None:
    """Where Spark Connect's own dependencies are missing, its class can be found, not made."""
    spec = importlib.util.find_spec("pyspark.sql.connect.session")
    assert spec is not None
    assert spec.origin is not None
    classes = [
        node.name
        for node in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    assert "SparkSession" in classes
    stand_in = type("SparkSession", (), {"__module__": spec.name})
    with pytest.raises(SparkUnsupported) as caught:
        rollview.connect(stand_in())
    assert str(caught.value) == NOT_CONNECT


@pytest.mark.parametrize(
    ("extensions", "catalog", "found"),
    [
        ("", "", "it has neither"),
        ("", "builtin", "it has neither"),
        (formats.EXTENSION, "", "it has neither"),
        ("", formats.CATALOG, "it has neither"),
        (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
            "org.apache.iceberg.spark.SparkSessionCatalog",
            "it has Iceberg",
        ),
    ],
)
def test_settings_without_delta(extensions: str, catalog: str, found: str) -> None:
    instead = 'store the views in Iceberg: store="iceberg_catalog.namespace"; or '
    with pytest.raises(SessionUnsuitable) as caught:
        formats.check_settings(extensions, catalog)
    assert str(caught.value) == (
        "[SETUP.SESSION] the Spark session has no Delta Lake, in which views are stored "
        f"({found})\n"
        f"  hint: {instead if found == 'it has Iceberg' else ''}start it with "
        "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension and "
        "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog, "
        "and the package io.delta:delta-spark_4.1_2.13:4.4.0"
    )


def test_settings_with_delta() -> None:
    formats.check_settings(f"org.example.Other,{formats.EXTENSION}", formats.CATALOG)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Within the block, this process may do what anybody may, also if it is root's."""
    if os.getuid() != 0:
        yield
        return
    try:
        os.setresuid(NOBODY, NOBODY, 0)
    except OSError:
        pytest.skip("root cannot become somebody else here")
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that anybody may enter, as pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="rollview-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        yield folder


@pytest.mark.parametrize("mode", [0o555, 0o444, 0o000])
def test_a_folder_that_may_not_be_written(open_to_all: Path, mode: int) -> None:
    lake = open_to_all / "lake"
    lake.mkdir()
    lake.chmod(mode)
    with without_privileges(), pytest.raises(LakeNotWritable) as caught:
        rollview.connect(lake)
    lake.chmod(0o755)
    assert str(caught.value) == (
        f"[LAKE.NOT_WRITABLE] the lake folder {lake} cannot be written by this user\n"
        "  hint: give this user the right to write there, or choose another lake"
    )


def test_a_folder_in_one_that_may_not_be_entered(open_to_all: Path) -> None:
    lake = open_to_all / "closed" / "lake"
    lake.mkdir(parents=True)
    lake.parent.chmod(0o600)
    with without_privileges(), pytest.raises(LakeNotWritable) as caught:
        rollview.connect(lake)
    lake.parent.chmod(0o755)
    assert f"the lake folder {lake} cannot be reached by this user" in str(caught.value)


def test_a_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    lake = tmp_path / "file" / "lake"
    with pytest.raises(LakeNotFound) as caught:
        rollview.connect(lake)
    assert f"the lake folder {lake} does not exist" in str(caught.value)


def test_control_state_that_cannot_be_written(tmp_path: Path) -> None:
    """Not even by root: a file lies where its folder should."""
    lake = bare_lake(tmp_path)
    Path(lake.root).write_text("")
    with pytest.raises(LakeNotWritable) as caught:
        lake.prepare()
    assert f"cannot write {lake.root}: File exists" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["_rollview"]
