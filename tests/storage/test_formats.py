"""What a folder holds, by its marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollview.storage.formats import provider_of


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["_delta_log/00000000000000000000.json", "part-0.parquet"], "delta"),
        (["_delta_log/00000000000000000010.checkpoint.parquet"], "delta"),
        (["metadata/v1.metadata.json", "data/part-0.parquet"], None),
        (["year=2024/part-0.snappy.parquet"], "parquet"),
        (["a.csv"], "csv"),
        (["notes.txt"], "text"),
        (["_SUCCESS", ".part-0.parquet.crc"], None),
    ],
)
def test_a_folder_is_known_by_its_files(
    tmp_path: Path, files: list[str], expected: str | None
) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert provider_of(tmp_path) == expected


def test_a_delta_table_without_its_first_commit_is_none_yet(tmp_path: Path) -> None:
    """Another process is making it, or was killed while it did; neither is a reason to fail."""
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / "part-00000.snappy.parquet").touch()
    (tmp_path / "_delta_log" / ".00000000000000000000.json.0a1b.tmp").touch()
    assert provider_of(tmp_path) is None
