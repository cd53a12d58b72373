"""Each command: what it asks of the session, what it prints, and its exit code."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from rollview.runtime.report import Mode
from tests.cli.conftest import Rollview
from tests.cli.fake import REVENUE, Explained, FakeSession

READERS = ("views", "status", "history", "verify", "refresh")


def asked(session: FakeSession) -> tuple[object, ...]:
    return session.calls[-1]


def test_create_takes_the_query_from_anywhere(
    rollview: Rollview,
    session: FakeSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "q.sql"
    file.write_text("SELECT 1")
    for arguments in (["SELECT 1"], ["--query", "SELECT 1"], ["--file", str(file)], ["-"]):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"SELECT 1")))
        outcome = rollview("create", "v", *arguments)
        assert outcome.code == 0, outcome.err
        assert outcome.out == "created v (a, b)\n"
        options = {"policy": "auto", "if_not_exists": False, "replace": False}
        assert asked(session) == ("create", "v", "SELECT 1", options)


def test_create_passes_its_options_on(rollview: Rollview, session: FakeSession) -> None:
    outcome = rollview("create", "v", "SELECT 1", "--policy", "strict", "--replace", "--json")
    assert outcome.json == {"view": "v", "policy": "strict", "columns": ["a", "b"]}
    options = {"policy": "strict", "if_not_exists": False, "replace": True}
    assert asked(session) == ("create", "v", "SELECT 1", options)


def test_refresh_reports_every_view(rollview: Rollview, session: FakeSession) -> None:
    outcome = rollview("refresh", "--no-cascade", "--full")
    assert outcome.code == 0
    assert " ".join(outcome.out.split()).endswith("revenue incremental 1,234 3 2 1 0.75")
    assert asked(session) == ("refresh", None, {"full": True, "cascade": False})
    assert [report["mode"] for report in rollview("refresh", "--json").json] == ["incremental"]


def test_refresh_of_one_view_is_a_list_too(rollview: Rollview) -> None:
    assert len(rollview("refresh", "revenue", "--json").json) == 1


def test_failed_refresh_exits_with_1_and_names_the_view(
    rollview: Rollview, session: FakeSession
) -> None:
    session.modes = (Mode.INCREMENTAL, Mode.FAILED)
    outcome = rollview("refresh")
    assert outcome.code == 1
    assert "error: revenue: orders is gone\n  hint: restore it\n" in outcome.err


def test_read_shows_a_page_of_rows(rollview: Rollview) -> None:
    outcome = rollview("read", "revenue", "--limit", "2")
    assert [line.split() for line in outcome.out.splitlines() if "2026" in line] == [
        ["2026-01", "0.25"],
        ["2026-02", "0.5"],
    ]
    assert outcome.out.endswith("first 2 rows; more with --limit N, all with --limit 0\n")


def test_read_as_json_has_types_and_says_whether_there_is_more(rollview: Rollview) -> None:
    document = rollview("read", "revenue", "--json").json
    assert document["columns"][1] == {"name": "revenue", "type": "decimal(10,2)"}
    assert document["rows"][0] == ["2026-01", "0.25"]
    assert (len(document["rows"]), document["more"]) == (20, True)
    whole = rollview("read", "revenue", "--json", "--limit", "0").json
    assert (len(whole["rows"]), whole["more"]) == (30, False)


def test_explain_prints_the_tree_or_its_data(rollview: Rollview, session: FakeSession) -> None:
    assert rollview("explain", "SELECT 1").out == "Aggregate\n  Scan orders\n"
    assert asked(session) == ("explain", "SELECT 1")
    assert rollview("explain", "revenue", "--json").json["mode"] == "incremental"


def test_verify_exits_with_3_and_shows_rows_when_a_view_is_wrong(
    rollview: Rollview, session: FakeSession
) -> None:
    assert rollview("verify").code == 0
    session.correct = False
    outcome = rollview("verify", "revenue")
    assert outcome.code == 3
    assert "revenue: unexpected rows, for example" in outcome.out
    assert rollview("verify", "--json").json[0]["correct"] is False


def test_verify_goes_on_after_a_view_that_cannot_be_compared(
    rollview: Rollview, session: FakeSession
) -> None:
    session.broken = ("revenue",)
    outcome = rollview("verify")
    assert outcome.code == 1
    assert "revenue: its definition cannot be read" in outcome.err
    assert rollview("verify", "--json").json[0]["problem"]["code"] == "LAKE.CORRUPT"
    alone = rollview("verify", "revenue")
    assert (alone.code, alone.out) == (1, "")
    assert "its definition cannot be read" in alone.err


def test_status_exits_with_3_only_when_asked_to_check(
    rollview: Rollview, session: FakeSession
) -> None:
    assert rollview("status", "--check").code == 0
    session.fresh = False
    outcome = rollview("status")
    assert outcome.code == 0
    assert "stale" in outcome.out
    assert "orders 3 -> 5" in outcome.out
    assert rollview("status", "--check").code == 3


def test_history_takes_a_limit(rollview: Rollview, session: FakeSession) -> None:
    assert (
        rollview("history", "--limit", "5")
        .out.splitlines()[-1]
        .startswith("2026-01-02 12:00:00  revenue  full")
    )
    assert asked(session) == ("history", None, 5)


def test_drop_passes_if_exists_on(rollview: Rollview, session: FakeSession) -> None:
    assert rollview("drop", "v", "--if-exists").out == "dropped v\n"
    assert asked(session) == ("drop", "v", True)


def test_views_lists_what_is_read(rollview: Rollview) -> None:
    assert "delta  orders  2026-01-02" in rollview("views").out


@pytest.mark.parametrize("command", READERS)
def test_lists_are_json_arrays(rollview: Rollview, command: str) -> None:
    assert isinstance(rollview(command, "--json").json, list)


def test_sql_prints_whatever_comes_back(rollview: Rollview, session: FakeSession) -> None:
    session.answer = REVENUE
    assert "first 1 row;" in rollview("sql", "SELECT 1", "--limit", "1").out
    session.answer = Explained()
    assert rollview("sql", "EXPLAIN ...").out == "Aggregate\n  Scan orders\n"
    session.answer = session.views()
    assert "revenue" in rollview("sql", "SHOW MATERIALIZED VIEWS").out
    session.answer = None
    assert rollview("sql", "DROP MATERIALIZED VIEW v").out == "done\n"
    assert rollview("sql", "DROP MATERIALIZED VIEW v", "--json").json == {"done": True}


def test_session_is_closed_afterwards(rollview: Rollview, session: FakeSession) -> None:
    rollview("views")
    assert session.closed


def test_bench_without_the_source_tree(
    rollview: Rollview, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollview.cli.bench._TREE", tmp_path)
    outcome = rollview("bench", "plan")
    assert outcome.code == 1
    assert "benchmarks come with the source tree" in outcome.err


def test_bench_refuses_options_of_another_benchmark(rollview: Rollview) -> None:
    outcome = rollview("bench", "plan", "--scale", "1")
    assert outcome.code == 1
    assert "--scale is an option of the benchmark tpch, not of plan" in outcome.err


def test_bench_shows_why_a_script_failed(
    rollview: Rollview, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollview.cli.bench._TREE", tmp_path)
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "tpch.py").write_text("raise SystemExit('there is no query q99')")
    outcome = rollview("bench", "tpch", "--views", "q99", "--scale", "0.1")
    assert outcome.code == 1
    assert "there is no query q99" in outcome.err
