"""History: a small file per refresh, failed and empty ones too."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime

from rollview.runtime.lake import Lake
from rollview.runtime.report import Mode, RefreshReport

_KEPT = 1000
_SLACK = 100


def record(lake: Lake, view_id: str, report: RefreshReport) -> None:
    """Add a report to the history of a view."""
    moment = (report.finished_at or datetime.now(UTC)).strftime("%Y%m%dT%H%M%S%f")
    folder = _folder(lake, view_id)
    text = json.dumps(report.to_dict())
    lake.files.write(f"{folder}/{moment}.{uuid.uuid4().hex[:8]}.json", text)


def read(lake: Lake, view_id: str, limit: int | None) -> list[RefreshReport]:
    """The newest reports of a view, newest first; files that cannot be read are passed over."""
    folder = _folder(lake, view_id)
    names = sorted(lake.files.names(folder), reverse=True)[:limit]
    reports = (_load(lake.files.read(f"{folder}/{name}")) for name in names)
    return [report for report in reports if report is not None]


def read_many(lake: Lake, view_ids: list[str], limit: int | None) -> list[RefreshReport]:
    """The newest reports of several views together, newest first."""
    found = [report for view_id in view_ids for report in read(lake, view_id, limit)]
    found.sort(key=lambda report: report.finished_at or datetime.min.replace(tzinfo=UTC))
    return found[::-1][:limit]


def prune(lake: Lake, view_id: str) -> None:
    """Keep the newest thousand; some more may gather before it is worth the trouble."""
    folder = _folder(lake, view_id)
    names = sorted(lake.files.names(folder))
    if len(names) > _KEPT + _SLACK:
        for name in names[:-_KEPT]:
            lake.files.remove(f"{folder}/{name}")


def forget(lake: Lake, view_id: str) -> None:
    """Remove the history of a view."""
    lake.files.remove(_folder(lake, view_id))


def _folder(lake: Lake, view_id: str) -> str:
    return f"{lake.root}/history/{view_id}"


def _load(text: str | None) -> RefreshReport | None:
    try:
        data = json.loads(text or "")
        data["mode"] = Mode(data["mode"])
        data["finished_at"] = datetime.fromisoformat(data["finished_at"])
        return RefreshReport(**data)
    except (ValueError, KeyError, TypeError):
        return None
