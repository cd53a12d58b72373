"""The judge of what is left behind sees every kind of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.soak.scratch import left_behind, unnamed_rows

ID, OTHER = "a" * 32, "b" * 32
GOOD = (
    "format.json",
    "locks/lake",
    f"locks/{ID}",
    f"views/{ID}/refreshes/7.json",
    f"views/{ID}/data/_delta_log/{1:020}.json",
    f"views/{ID}/data/_delta_log/.{1:020}.json.crc",
    f"views/{ID}/data/_delta_log/_last_vacuum_info",  # Delta's note of our housekeeping
    f"views/{ID}/data/part-0-1.c000.snappy.parquet",
    f"history/{ID}/20240102T030405.0a1b2c3d.json",
)
BAD = (
    f"claims/{ID}.json",
    f"views/{ID}/refreshes/8.{'c' * 16}.json",
    f"views/{ID}/refreshes/.8.json.tag.aside",
    f"views/{ID}/data/_delta_log/.{2:020}.json.d1.tmp",
    f"views/{ID}/data/_delta_log/.{2:020}.json.crc",
    f"views/{ID}/state/n1/20240102-0a1b/part-0.snappy.parquet",
    f"views/{OTHER}/data/_delta_log/{0:020}.json",
    f"retired/{OTHER}.json",
    "definitions/.v.json.tag.aside",
)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for name in GOOD:
        put(tmp_path, name)
    definition = put(tmp_path, "definitions/v.json")
    definition.write_text(json.dumps({"view_id": ID}))
    return tmp_path


def put(lake: Path, name: str) -> Path:
    path = lake / "default.db" / "_rollview" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_what_belongs_there_is_not_blamed(lake: Path) -> None:
    assert left_behind(lake) == []


@pytest.mark.parametrize("name", BAD)
def test_what_does_not_belong_there_is_seen(lake: Path, name: str) -> None:
    put(lake, name)
    assert len(left_behind(lake)) == 1


def test_a_segment_belongs_there_while_a_vector_names_it(lake: Path) -> None:
    put(lake, f"views/{ID}/state/n1/20240102-0a1b/part-0.snappy.parquet")
    put(lake, f"views/{ID}/state/n1/20240102-0a1b/._SUCCESS.crc")
    put(lake, f"views/{ID}/state/n1/20240102-0a1b/_SUCCESS")
    put(lake, f"views/{ID}/refreshes/7.json").write_text('{"token": "20240102-0a1b"}')
    assert left_behind(lake) == []


def test_what_lies_beside_the_tables_is_seen(lake: Path) -> None:
    (lake / "spark-warehouse").mkdir()
    assert left_behind(lake) == ["left behind in the lake: spark-warehouse"]


def test_tables_in_the_catalog_are_looked_at_as_well(lake: Path) -> None:
    folder = lake / "iceberg" / "rollview" / f"v_{ID}"
    good = ("v2.metadata.json", "version-hint.text", ".v2.metadata.json.crc", "snap-1-1-a0.avro")
    for path in (*(folder / "metadata" / name for name in good), folder / "data" / "0-1.parquet"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert left_behind(lake) == []
    half_done = folder / "metadata" / "7d0a5f0c-0000-4000-8000-000000000000.metadata.json"
    half_done.touch()
    assert left_behind(lake) == [f"left behind: v_{ID}/metadata/{half_done.name}"]
    half_done.unlink()
    folder.rename(folder.with_name(f"v_{OTHER}"))
    assert len(left_behind(lake)) == 1


def test_rows_that_no_commit_names_are_counted(lake: Path) -> None:
    assert unnamed_rows(lake) == 1
    log = put(lake, f"views/{ID}/data/_delta_log/{1:020}.json")
    log.write_text('{"add": {"path": "part-0-1.c000.snappy.parquet"}}')
    assert unnamed_rows(lake) == 0
