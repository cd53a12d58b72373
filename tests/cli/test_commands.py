"""Each command: what it asks of the session, what it prints, and its exit code."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    DayTimeIntervalType,
    DoubleType,
    IntegerType,
    MapType,
    StringType,
    StructType,
    YearMonthIntervalType,
)

from rollview.cli.main import COMMANDS
from rollview.runtime.report import Mode
from tests.cli.conftest import Rollview
from tests.cli.fake import REVENUE, Explained, FakeFrame, FakeSession, schema_of

READERS = ("views", "status", "history", "verify", "refresh")
STRATEGY: dict[str, Any] = {"strategy": "auto", "join_terms": None, "form": None}
DEFAULTS: dict[str, Any] = {
    "policy": "auto",
    **STRATEGY,
    "store": None,
    "if_not_exists": False,
    "replace": False,
    "self_maintaining": False,
}
# Every command that works on the views of a lake; the demo makes a lake of its own.
OF_A_LAKE = {
    "create": ["create", "v", "SELECT 1"],
    "refresh": ["refresh"],
    "read": ["read", "revenue"],
    "explain": ["explain", "revenue"],
    "verify": ["verify"],
    "status": ["status"],
    "history": ["history"],
    "drop": ["drop", "revenue"],
    "views": ["views"],
    "declare": ["declare", "list"],
    "sql": ["sql", "SELECT 1"],
}
INTERVALS: dict[str, DataType] = {
    "year-month": YearMonthIntervalType(),
    "day-time": DayTimeIntervalType(),
    "calendar": CalendarIntervalType(),
    "in an array": ArrayType(CalendarIntervalType()),
    "in a key": MapType(YearMonthIntervalType(), StringType()),
    "in a value": MapType(StringType(), YearMonthIntervalType()),
    "in a field": StructType().add("a", ArrayType(StructType().add("b", YearMonthIntervalType()))),
}


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
        assert asked(session) == ("create", "v", "SELECT 1", DEFAULTS)


def test_create_passes_its_options_on(rollview: Rollview, session: FakeSession) -> None:
    outcome = rollview("create", "v", "SELECT 1", "--policy", "strict", "--replace", "--json")
    assert outcome.json == {"view": "v", "policy": "strict", "columns": ["a", "b"]}
    options = DEFAULTS | {"policy": "strict", "replace": True}
    assert asked(session) == ("create", "v", "SELECT 1", options)
    rollview("create", "v", "SELECT 1", "--store", "s", "--strategy", "t", "--if-not-exists")
    options = DEFAULTS | {"store": "s", "strategy": "t", "if_not_exists": True}
    assert asked(session) == ("create", "v", "SELECT 1", options)
    rollview("create", "v", "SELECT 1", "--join-terms", "j", "--form", "f")
    options = DEFAULTS | {"join_terms": "j", "form": "f"}
    assert asked(session) == ("create", "v", "SELECT 1", options)


def test_every_command_but_two_is_of_a_lake() -> None:
    assert {*OF_A_LAKE, "demo", "bench"} == set(COMMANDS)


@pytest.mark.parametrize("command", OF_A_LAKE)
def test_schema_is_passed_to_connect(
    rollview: Rollview, session: FakeSession, tmp_path: Path, command: str
) -> None:
    session.answer = REVENUE
    assert rollview(*OF_A_LAKE[command]).code == 0
    assert session.calls[0] == ("connect", tmp_path, None)
    session.calls.clear()
    assert rollview(*OF_A_LAKE[command], "--schema", "shop").code == 0
    assert session.calls[0] == ("connect", tmp_path, "shop")


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


@pytest.mark.parametrize("kind", INTERVALS.values(), ids=INTERVALS)
def test_intervals_are_printed_as_text(
    rollview: Rollview, session: FakeSession, kind: DataType
) -> None:
    session.answer = FakeFrame(schema_of(("n", IntegerType()), ("n", kind)), [(1, object())])
    head, _, *rest = rollview("sql", "SELECT ...").out.splitlines()
    assert [line.split() for line in (head, *rest)] == [
        ["n", "n"],
        ["1", "cast", "to", "string"],
        ["1", "row"],
    ]
    document = rollview("sql", "SELECT ...", "--json").json
    assert document["rows"] == [[1, "cast to string"]]
    assert [column["type"] for column in document["columns"]] == ["int", kind.simpleString()]


def test_numbers_that_json_has_not_are_text(rollview: Rollview, session: FakeSession) -> None:
    schema = schema_of(("d", DoubleType()), ("a", ArrayType(DoubleType())))
    session.answer = FakeFrame(schema, [(math.nan, [math.inf, -math.inf, 0.5])])
    rows = rollview("sql", "SELECT ...", "--json").json["rows"]
    assert rows == [["NaN", ["Infinity", "-Infinity", 0.5]]]


def test_only_intervals_become_text(rollview: Rollview, session: FakeSession) -> None:
    kind = StructType().add("interval_in_days", IntegerType())
    session.answer = FakeFrame(schema_of(("s", kind)), [({"interval_in_days": 7},)])
    assert rollview("sql", "SELECT ...", "--json").json["rows"] == [[{"interval_in_days": 7}]]


def test_explain_prints_the_tree_or_its_data(rollview: Rollview, session: FakeSession) -> None:
    assert rollview("explain", "SELECT 1").out == "Aggregate\n  Scan orders\n"
    assert asked(session) == ("explain", "SELECT 1", "auto", STRATEGY)
    assert rollview("explain", "revenue", "--json").json["mode"] == "incremental"
    rollview("explain", "SELECT 1", "--policy", "strict")
    assert asked(session) == ("explain", "SELECT 1", "strict", STRATEGY)
    rollview("explain", "SELECT 1", "--strategy", "algebraic", "--form", "post")
    options = STRATEGY | {"strategy": "algebraic", "form": "post"}
    assert asked(session) == ("explain", "SELECT 1", "auto", options)


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


def test_drop_says_what_it_dropped(rollview: Rollview, session: FakeSession) -> None:
    for arguments in (["drop", "revenue"], ["drop", "revenue", "--if-exists"]):
        assert rollview(*arguments).out == "dropped revenue\n"
        assert asked(session) == ("drop", "revenue")
        assert rollview(*arguments, "--json").json == {"dropped": "revenue"}


def test_drop_of_a_view_that_is_not_there(rollview: Rollview) -> None:
    outcome = rollview("drop", "v")
    assert (outcome.code, outcome.out) == (1, "")
    assert "there is no view v" in outcome.err
    outcome = rollview("drop", "v", "--if-exists")
    assert (outcome.code, outcome.out) == (0, "there was no view v\n")
    assert rollview("drop", "v", "--if-exists", "--json").json == {"dropped": None}


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


def test_declare_passes_columns_on_as_lists(rollview: Rollview, session: FakeSession) -> None:
    outcome = rollview("declare", "key", "orders", "id, shop", "--rely")
    assert outcome.out == "declared: the key orders (id, shop)\n"
    assert asked(session) == ("declare key", "orders", ["id", "shop"], True)
    outcome = rollview("declare", "foreign-key", "items", "order_id", "orders", "id", "--json")
    assert outcome.json["declared"]["parent"] == "orders"
    assert asked(session) == ("declare foreign key", "items", ["order_id"], "orders", ["id"], False)


def test_declare_forgets(rollview: Rollview, session: FakeSession) -> None:
    assert rollview("declare", "key", "orders", "id", "--drop").code == 0
    assert asked(session) == ("drop key", "orders", ["id"])
    outcome = rollview("declare", "foreign-key", "items", "a", "orders", "id", "--drop", "--json")
    assert outcome.json == {"declared": None}
    assert asked(session) == ("drop foreign key", "items", ["a"], "orders", ["id"])


def test_declare_list(rollview: Rollview) -> None:
    lines = rollview("declare", "list").out.splitlines()
    assert lines[-2].split() == ["key", "orders", "id", "no,", "trusted"]
    assert lines[-1].split() == ["foreign", "key", "items", "order_id", "orders", "id", "yes"]
    assert [one["rely"] for one in rollview("declare", "list", "--json").json] == [True, False]


@pytest.mark.parametrize(
    "words", [["key", "orders"], ["foreign-key", "items", "a", "orders"], ["list", "orders"]]
)
def test_declare_wants_the_right_number_of_names(rollview: Rollview, words: list[str]) -> None:
    outcome = rollview("declare", *words)
    assert outcome.code == 2
    assert "say: declare" in outcome.err


def test_explain_asks_for_self_maintenance(rollview: Rollview, session: FakeSession) -> None:
    assert rollview("explain", "revenue", "--self-maintenance").code == 0
    assert asked(session) == ("explain", "revenue", "auto", STRATEGY, True)
    assert rollview("explain", "revenue", "--with", "sales", "--with", "days").code == 0
    assert asked(session) == ("explain", "revenue", "auto", STRATEGY, ["sales", "days"])
