"""Generated views on Spark and Delta; the whole of it is in `make proof`."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import rollview
from tests.integration.conftest import private_session
from tests.properties.on_delta import Lake
from tests.properties.seed import SEED

VIEWS, ROUNDS = 40, 2


@pytest.mark.spark
@pytest.mark.timeout(1200)
def test_generated_views_equal_their_queries(spark: SparkSession, tmp_path: Path) -> None:
    own = private_session(spark, tmp_path)
    found = Lake(rollview.connect(own), SEED).run(VIEWS, ROUNDS)
    assert not found.wrong, "\n\n".join(found.wrong)
    assert found.views == VIEWS, "\n\n".join(found.refused)
    assert found.modes["incremental"] + found.modes["partial"] > VIEWS / 2
