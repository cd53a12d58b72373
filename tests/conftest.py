"""Fixtures that every tier of tests shares."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.properties.seed import SEED


def pytest_configure(config: pytest.Config) -> None:
    """One seed for all processes of a run.

    py4j leaves the closing of its sockets to the garbage collector; nothing else may.
    """
    os.environ.setdefault("ROLLVIEW_SEED", str(SEED))
    config.addinivalue_line("filterwarnings", "ignore:unclosed <socket:ResourceWarning")
    config.addinivalue_line(
        "filterwarnings",
        "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that need Spark come first: of two processes, neither is left with a long one."""
    on_spark = {item.path for item in items if item.get_closest_marker("spark") is not None}
    items.sort(key=lambda item: item.path not in on_spark)


def pytest_report_header() -> str:
    """What generated cases are made from; set ROLLVIEW_SEED to have the same ones again."""
    return f"ROLLVIEW_SEED={SEED}"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One local session, with Delta and Iceberg, for the whole run."""
    from rollview.errors import RollviewError
    from rollview.runtime.local_spark import start

    logging.getLogger("SQLQueryContextLogger").disabled = True
    try:
        session = start(tmp_path_factory.mktemp("shared-lake"))
    except RollviewError as problem:  # without Java or its jars nothing else can be tested
        pytest.exit(f"{problem.message}; {problem.hint}", returncode=1)
    session.conf.set("spark.sql.shuffle.partitions", "2")
    yield session
    session.stop()
