"""The page of the proof names the sources that were proved, and is written for no others."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.roundtrip import long_runs, proof
from tests.roundtrip.long_runs import LongRun
from tests.roundtrip.proved import Proved, digest_of, proved

HOLDS = {"id": "a", "group": "corpus", "failures": {}, "understood": True, "expects": []}
WHOLE = {**HOLDS, "id": "b", "understood": False}
REFUSED = {**HOLDS, "id": "c", "understood": False, "expects": ["QUERY.INVALID"]}
FAILS = {
    **HOLDS,
    "id": "tpch.q1",
    "group": "tpch",
    "failures": {"rendered": "2 rows, not 3"},
    "mode": "partial",
    "why": ["NO_KEY"],
    "at_times": ["NO_INVERSE"],
}
KNOWN = {str(record["id"]): record for record in (HOLDS, WHOLE, REFUSED, FAILS)}
CARRIED = {
    "a": {"id": "a", "group": "corpus", "failures": {}, "carried": True},
    "b": {"id": "b", "group": "corpus", "failures": {}, "carried": False},
    "tpch.q1": {
        "id": "tpch.q1",
        "group": "tpch",
        "failures": {},
        "carried": True,
        "modes": ["noop", "full", "full"],
        "rows": [4, 0, None],
    },
    "tpch.q2": {
        "id": "tpch.q2",
        "group": "tpch",
        "failures": {},
        "carried": True,
        "modes": ["full"],
        "rows": [0],
    },
}


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small checkout with one commit."""
    (tmp_path / "src" / "rollview").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "src" / "rollview" / "one.py").write_text("ONE = 1\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "src")
    git(tmp_path, "commit", "--quiet", "--no-verify", "-m", "one")
    return tmp_path


def test_the_commit_and_what_is_not_committed(checkout: Path) -> None:
    found = proved(checkout)
    assert found.commit == git(checkout, "rev-parse", "--short", "HEAD")
    assert str(found) == f"commit {found.commit}, `src/` {found.digest}"
    (checkout / "docs" / "page.md").write_text("words")
    assert proved(checkout) == found
    (checkout / "src" / "rollview" / "two.py").write_text("TWO = 2\n")
    changed = proved(checkout)
    assert (changed.commit, changed.is_changed) == (found.commit, True)
    assert changed.digest != found.digest
    assert "with changes in `src/` that are not committed" in str(changed)


def test_sources_without_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    found = proved(tmp_path)
    assert str(found) == f"`src/` {found.digest}, no commit known"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert proved(tmp_path) == found


def test_the_digest_is_of_names_and_contents(checkout: Path) -> None:
    folder = checkout / "src" / "rollview"
    first = digest_of(checkout, "src")
    assert re.fullmatch("[0-9a-f]{16}", first)
    (folder / "notes.txt").write_text("no code")
    assert digest_of(checkout, "src") == first
    (folder / "one.py").rename(folder / "uno.py")
    renamed = digest_of(checkout, "src")
    (folder / "uno.py").write_text("ONE = 2\n")
    assert len({first, renamed, digest_of(checkout, "src")}) == 3


CALENDAR = LongRun("calendar", "February", ("calendar", "2024", "2"), 2)
BROKEN = LongRun("broken", "A month that is none", ("calendar", "2024", "13"), 2)
DECODING = LongRun("decoding", "The help of a tool", ("json.tool", "--help"), 1)


@pytest.fixture
def long(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Long runs that are short."""
    monkeypatch.setattr(long_runs, "ROOT", checkout)
    monkeypatch.setattr(long_runs, "RUNS", (CALENDAR, BROKEN))
    return checkout


def test_a_long_run_is_told_by_how_it_ended(long: Path) -> None:
    assert "February: `python -m calendar 2024 2`. Not run yet." in long_runs.page()
    outcome = long_runs.carry_out(CALENDAR)
    assert (outcome.exit, outcome.said) == (0, "19 20 21 22 23 24 25\n26 27 28 29")
    assert long_runs.carry_out(BROKEN).exit == 1
    assert long_runs.known().keys() == {"calendar", "broken"}
    text = long_runs.page()
    assert "2`. right, 0.0 minutes.\n\n```text\n19 20 21 22 23 24 25\n26 27 28 29\n```" in text
    assert "13`. WRONG (exit code 1)" in text


def test_a_long_run_of_other_sources_is_not_known(long: Path) -> None:
    long_runs.carry_out(CALENDAR)
    (long / "src" / "rollview" / "one.py").write_text("ONE = 2\n")
    assert not long_runs.known()


def test_a_long_run_depends_on_the_folder_of_its_command(long: Path) -> None:
    for folder in ("json", "other"):
        (long / folder).mkdir()
        (long / folder / "tool.py").write_text("")
    first = DECODING.digest()
    (long / "other" / "tool.py").write_text("OTHER = 1\n")
    assert DECODING.digest() == first
    (long / "json" / "tool.py").write_text("OWN = 1\n")
    assert DECODING.digest() != first


@pytest.mark.usefixtures("long")
def test_the_page_says_what_was_proved_and_what_came_out() -> None:
    sources = Proved("abc1234", False, "0123456789abcdef")
    text = proof.page(KNOWN, CARRIED, {"corpus": 3, "tpch": 2}, sources)
    assert "What was proved: commit abc1234, `src/` 0123456789abcdef." in text
    assert "| queries of our own, SQL | 3 | 3 | 0 | 1 | 1 |" in text
    assert "| TPC-H | 1 | 0 | 1 | 0 | 0 |" in text
    assert "- `tpch.q1`: {'rendered': '2 rows, not 3'}" in text
    assert "| queries of our own, SQL | 1 | 0 | 1 | 1 |" in text
    assert "| TPC-H | 0 | 1 | 0 |" in text
    assert "| TPC-H | 2 | 0 | 0 | 0 |" in text
    assert "The refreshes: 3 full, 1 noop." in text
    assert "nothing: tpch.q2." in text
    row = "| tpch.q1 | partial | `NO_KEY` | `NO_INVERSE` | 2 full, 1 noop | 4, 0, None |"
    assert row in text


@pytest.fixture
def finished(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A proof of which every outcome is known already, so that it needs no Spark."""
    monkeypatch.setattr(proof, "ROOT", checkout)
    monkeypatch.setattr(proof, "PAGE", checkout / "docs" / "correctness.md")
    monkeypatch.setattr(proof, "load_cases", lambda group: [])
    monkeypatch.setattr(long_runs, "ROOT", checkout)
    monkeypatch.setattr(long_runs, "RUNS", (CALENDAR,))
    monkeypatch.setattr(proof, "proved", lambda: proved(checkout))
    log = checkout / "build" / "proof" / f"roundtrip-{proof.digest()}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(json.dumps(HOLDS) + '\n{"id": "cut o')
    return checkout


def test_the_page_is_written_for_the_sources_of_the_run(finished: Path) -> None:
    assert proof.main() == 0
    text = (finished / "docs" / "correctness.md").read_text()
    assert str(proved(finished)) in text
    assert "26 27 28 29" in text


def test_a_long_run_that_fails_fails_the_proof(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(long_runs, "RUNS", (CALENDAR, BROKEN))
    assert proof.main() == 1
    assert capsys.readouterr().out.endswith("2 passed, 1 failed\n")
    assert "WRONG" in (finished / "docs" / "correctness.md").read_text()


def test_sources_that_change_meanwhile_are_not_called_proved(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(group: str) -> list[object]:
        (finished / "src" / "rollview" / "one.py").write_text(f"ONE = {group!r}\n")
        return []

    monkeypatch.setattr(proof, "load_cases", change)
    assert proof.main() == 1
    assert "changed while the proof ran" in capsys.readouterr().out
    assert not (finished / "docs" / "correctness.md").exists()
