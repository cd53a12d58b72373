"""The numbers that sum up measurements, and the journal that outlives a stop."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.measuring import (
    Entry,
    Journal,
    folder_of,
    geometric_mean,
    median,
    ratio,
    regret,
    timed,
    within,
)


def test_medians_and_means() -> None:
    assert median([3, 1, 2]) == 2
    assert median([4, 1]) == 2.5
    assert median([]) is None
    assert geometric_mean([1, 4]) == pytest.approx(2)
    assert geometric_mean([]) is None


def test_ratios_of_what_is_known() -> None:
    assert ratio(6, 4) == 1.5
    assert ratio(None, 4) is None
    assert ratio(6, None) is None
    assert ratio(6, 0) is None


def test_regret_is_the_chosen_way_against_the_best() -> None:
    seconds = {"counting, merge": [2.0, 9.0, 3.0], "recompute, replace": [1.5], "other": []}
    assert regret("counting, merge", seconds) == pytest.approx(2.0)
    assert regret("recompute, replace", seconds) == 1.0


def test_no_regret_without_a_choice() -> None:
    assert regret("a", {"a": [1.0]}) is None
    assert regret("b", {"a": [1.0], "c": [2.0]}) is None


def test_the_share_within_a_limit() -> None:
    assert within([1.0, 1.15, 1.2, None], 1.15) == pytest.approx(2 / 3)
    assert within([None], 1.15) is None


def test_a_journal_takes_every_step_once(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    taken: list[str] = []

    def work() -> Entry:
        taken.append("one")
        return {"seconds": 1.5}

    for _ in range(2):
        found = Journal(path).once("one", work)
        assert found == {"step": "one", "seconds": 1.5}
    assert taken == ["one"]


def test_a_line_that_was_cut_off_is_taken_again(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    Journal(path).once("one", lambda: {"seconds": 1.0})
    path.write_text(path.read_text() + '{"step": "two", "sec')
    journal = Journal(path)
    assert list(journal.entries) == ["one"]
    journal.once("two", lambda: {"seconds": 2.0})
    assert {step: e["seconds"] for step, e in Journal(path).entries.items()} == {"one": 1, "two": 2}


def test_a_folder_that_is_given_stays(tmp_path: Path) -> None:
    with folder_of(tmp_path / "kept", "x") as kept:
        assert kept.is_dir()
    assert kept.is_dir()
    with folder_of(None, "x") as gone:
        assert gone.is_dir()
    assert not gone.exists()


def test_work_is_timed() -> None:
    assert 0 <= timed(lambda: None) < 1
