"""Files named by a log, and whether they are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

from rollview.storage.delta_files import all_there, is_described

# None is asked for anything: local files need no Spark.
SPARK = cast(SparkSession, None)
# The example of Delta's protocol: a prefix, and the UUID d2c639aa-8816-431a-aaf6-d3fe2512ff61.
VECTOR = "ab^-aqEH.-t@S}K{vb[*k^"
VECTOR_FILE = "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    for name in ("a.parquet", "p=x y/b.parquet", VECTOR_FILE):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize("scheme", ["", "file:"])
@pytest.mark.parametrize(
    ("file", "there"),
    [
        ({"path": "a.parquet"}, True),
        ({"path": "gone.parquet"}, False),
        ({"path": "p=x%20y/b.parquet"}, True),
        ({"path": "nowhere/b.parquet"}, False),
        ({"path": "{table}/a.parquet"}, True),
        ({"path": "file:{table}/a.parquet"}, True),
        ({"path": "file:{table}/gone.parquet"}, False),
        ({"path": "a.parquet", "deletionVector": {"storageType": "i"}}, True),
        (
            {
                "path": "a.parquet",
                "deletionVector": {"storageType": "u", "pathOrInlineDv": VECTOR},
            },
            True,
        ),
        (
            {
                "path": "a.parquet",
                "deletionVector": {"storageType": "u", "pathOrInlineDv": VECTOR[2:]},
            },
            False,
        ),
        (
            {
                "path": "a.parquet",
                "deletionVector": {"storageType": "p", "pathOrInlineDv": "file:{table}/v.bin"},
            },
            False,
        ),
    ],
)
def test_there(table: Path, scheme: str, file: dict[str, Any], there: bool) -> None:
    def placed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: placed(item) for key, item in value.items()}
        return value.replace("{table}", str(table))

    assert all_there(SPARK, f"{scheme}{table}", [placed(file)]) is there


def test_described() -> None:
    assert is_described({"path": "a", "size": 1}, partitioned=False)
    assert not is_described({"path": "a"}, partitioned=False)
    assert not is_described({"path": "a", "size": 1}, partitioned=True)
    assert is_described({"path": "a", "size": 1, "partitionValues": {"p": "1"}}, partitioned=True)
