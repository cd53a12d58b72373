"""One place turns errors into messages and exit codes."""

from __future__ import annotations

import pytest

from rollview.errors import BadQuery, Interrupted
from tests.cli.conftest import Rollview
from tests.cli.fake import FakeSession


def test_own_error_is_one_line_and_a_hint(rollview: Rollview) -> None:
    outcome = rollview("read", "revenu")
    assert outcome.code == 1
    assert outcome.err == "error: there is no view revenu\n  hint: views: revenue\n"
    assert outcome.out == ""


def test_own_error_as_json_is_the_one_document(rollview: Rollview) -> None:
    outcome = rollview("read", "revenu", "--json")
    assert outcome.code == 1
    assert outcome.json["error"] == {
        "code": "VIEW.UNKNOWN",
        "message": "there is no view revenu",
        "hint": "views: revenue",
    }
    assert outcome.err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["create", "v"], "give the SQL once"),
        (["create", "v", "SELECT 1", "--file", "q.sql"], "give the SQL once"),
        (["create", "v", "--file", "no-such-file.sql"], "cannot read no-such-file.sql: No such"),
        (["create", "v", "SELECT 1", "--replace", "--if-not-exists"], "exclude each other"),
        (["create", "v", "SELECT 1", "--policy", "hourly"], "'hourly' is not one of"),
        (["read"], "Missing argument"),
        (["read", "v", "--limit", "-1"], "should be greater than or equal to 0"),
        (["refrsh"], "No such command 'refrsh'"),
        (["refresh", "--fast"], "No such option"),
    ],
)
def test_wrong_usage_exits_with_2(rollview: Rollview, arguments: list[str], message: str) -> None:
    outcome = rollview(*arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.out == ""
    document = rollview(*arguments, "--json").json
    assert document["error"]["code"] == "USAGE"


def test_without_a_lake_it_asks_for_one(rollview: Rollview) -> None:
    outcome = rollview("views", lake=False)
    assert outcome.code == 2
    assert "say which lake" in outcome.err


def test_lake_may_come_from_the_environment_or_follow_the_command(
    rollview: Rollview, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rollview("views", "--lake", ".", lake=False).code == 0
    monkeypatch.setenv("ROLLVIEW_LAKE", ".")
    assert rollview("views", lake=False).code == 0


def test_lake_that_does_not_exist(rollview: Rollview) -> None:
    outcome = rollview("--lake", "nowhere", "views", lake=False)
    assert outcome.code == 1
    assert outcome.err == "error: nowhere does not exist\n  hint: mkdir nowhere\n"


def test_interruption_is_one_line(rollview: Rollview, session: FakeSession) -> None:
    session.failure = KeyboardInterrupt()
    outcome = rollview("refresh")
    assert (outcome.code, outcome.err.strip()) == (130, "error: interrupted")
    session.failure = Interrupted("interrupted; revenue keeps its old contents")
    outcome = rollview("refresh")
    assert outcome.code == 130
    assert "keeps its old contents" in outcome.err
    assert session.closed


def test_session_is_closed_after_an_error(rollview: Rollview, session: FakeSession) -> None:
    session.failure = BadQuery("no")
    rollview("sql", "SELEC")
    assert session.closed


def test_any_other_error_keeps_its_traceback(rollview: Rollview, session: FakeSession) -> None:
    session.failure = ZeroDivisionError("a bug")
    with pytest.raises(ZeroDivisionError):
        rollview("refresh")


def test_alone_it_prints_its_help(rollview: Rollview) -> None:
    outcome = rollview(lake=False)
    assert outcome.code == 0
    assert "Usage: rollview" in outcome.out
    assert outcome.err == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(
    rollview: Rollview,
    shell: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    monkeypatch.setattr("shellingham.detect_shell", lambda: (shell, f"/bin/{shell}"))
    with pytest.raises(SystemExit) as end:
        rollview("--show-completion", lake=False)
    assert end.value.code == 0
    assert "_ROLLVIEW_COMPLETE" in capsys.readouterr().out
