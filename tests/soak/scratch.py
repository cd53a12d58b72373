"""What lies in a lake that should not: files that only a dead process can have had a use for.

The list of what may lie there is that of docs/commit-protocol.md ("Where things are"). Rows that
no commit names are left to Delta's VACUUM and its retention time, or to the cleaning of Iceberg's
tables; they are counted, not blamed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

_ID = r"[0-9a-f]{32}"
_DELTA = (
    r"_delta_log/\d{20}\.(json|crc|checkpoint\.parquet)",
    r"_delta_log/(_last_checkpoint|_last_vacuum_info)",
    r"_delta_log/_commits",
    r"part-[\w.-]+\.snappy\.parquet",
    r"_change_data/cdc-[\w.-]+\.snappy\.parquet",
)
_MAY_BE = [
    re.compile(pattern)
    for pattern in (
        r"format\.json",
        rf"locks/(lake|{_ID})",
        r"definitions/[a-z0-9_]+\.json",
        rf"views/{_ID}/refreshes/\d+\.json",
        rf"history/{_ID}/\w+\.[0-9a-f]{{8}}\.json",
        rf"views/{_ID}/store\.json",
        *(rf"views/{_ID}/data/{pattern}" for pattern in _DELTA),
        rf"views/{_ID}/data/changes/[\w-]+/(part-[\w.-]+\.parquet|_SUCCESS)",
    )
]
_SEGMENT = re.compile(rf"views/({_ID})/state/[^/]+/([^/]+)/(part-[\w.-]+\.parquet|_SUCCESS)")
# In the folder of a table of Iceberg's: metadata that has got its name, lists of files, and rows.
_ICEBERG = re.compile(
    r"metadata/(v\d+\.metadata\.json|version-hint\.text|[\w-]+\.avro)|data/[\w-]+\.parquet"
)
_CHECKSUM = re.compile(r"(.*/)?\.([^/]+)\.crc")


def left_behind(lake: Path) -> list[str]:
    """What a refresh that has just ended should not have left in the lake."""
    root = lake / "default.db" / "_rollview"
    files = sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())
    unknown = [file for file in files if not _has_a_place(root, file, set(files))]
    defined = {json.loads(p.read_text())["view_id"] for p in (root / "definitions").glob("*.json")}
    orphans = [p.name for p in (root / "views").iterdir() if p.name not in defined]
    outside = [p.name for p in lake.iterdir() if p.name not in ("default.db", "iceberg")]
    tables = sorted((lake / "iceberg").glob("*/v_*"))
    unknown += [f"{table.name}/{file}" for table in tables for file in _foreign(table)]
    orphans += [table.name for table in tables if table.name.removeprefix("v_") not in defined]
    return [
        *(f"left behind: {file}" for file in unknown),
        *(f"left behind: the folder of {view}, which no definition names" for view in orphans),
        *(f"left behind in the lake: {name}" for name in outside),
    ]


def _foreign(table: Path) -> list[str]:
    """What does not belong into the folder of a table of Iceberg's."""
    files = sorted(str(p.relative_to(table)) for p in table.rglob("*") if p.is_file())
    found = []
    for file in files:
        checksum = _CHECKSUM.fullmatch(file)
        whose = file if checksum is None else f"{checksum[1] or ''}{checksum[2]}"
        if whose not in files or not _ICEBERG.fullmatch(whose):
            found.append(file)
    return found


def unnamed_rows(lake: Path) -> int:
    """How many files of rows no commit names: what crashes leave to VACUUM."""
    count = 0
    for table in (lake / "default.db" / "_rollview" / "views").glob("*/data"):
        named = "".join(log.read_text() for log in (table / "_delta_log").glob("*.json"))
        count += sum(part.name not in named for part in table.glob("part-*"))
    return count


def _has_a_place(root: Path, file: str, files: set[str]) -> bool:
    """Hadoop keeps a checksum beside every file; it belongs there while the file does."""
    checksum = _CHECKSUM.fullmatch(file)
    if checksum is not None:
        file = f"{checksum[1] or ''}{checksum[2]}"
        if file not in files:
            return False
    segment = _SEGMENT.fullmatch(file)
    if segment is not None:
        return _is_named(root / "views" / segment[1] / "refreshes", segment[2])
    return any(pattern.fullmatch(file) for pattern in _MAY_BE)


def _is_named(refreshes: Path, token: str) -> bool:
    """Whether a published vector has this segment in its state."""
    return any(token in path.read_text() for path in refreshes.glob("*.json"))
