"""What the journal of a run says of its views and of all together."""

from __future__ import annotations

import pytest
from benchmarks.tpch_data import updates
from benchmarks.tpch_summary import Rounds, phases, summary, table, times_by_way, view_summary

from tests.benchmarks.results import ROUNDS, journal


def test_medians_of_the_rounds_that_count() -> None:
    one = view_summary(journal(), "q01", ROUNDS)
    assert one["refresh_seconds"] == 2.5
    assert one["recompute_seconds"] == 11.5
    assert one["ratio"] == pytest.approx(4.6)
    assert (one["mode"], one["strategy"], one["apply"]) == ("incremental", "counting", "merge")
    assert (one["jobs"], one["bytes_read"], one["rows_read"]) == (12, 2**21, 5_000)
    assert one["phases"]["derive"] == 1.25
    assert one["correct"]


def test_from_scale_10_on_recomputation_is_timed_once() -> None:
    one = view_summary(journal(), "q01", Rounds(2, (1,)))
    assert one["recompute_seconds"] == 11.0


def test_a_view_that_nothing_concerns_is_not_affected() -> None:
    one = view_summary(journal(), "q02", ROUNDS)
    assert not one["affected"]
    assert (one["idle_seconds"], one["regret"], one["ways"]) == (0.06, None, {})


def test_regret_by_all_ways_that_were_taken() -> None:
    entries = journal()
    one = view_summary(entries, "q01", ROUNDS)
    assert one["ways"] == {
        "counting, merge": 2.5,
        "key-scoped, rewrite": 2.0,
        "recompute, replace": 12.0,
    }
    assert one["regret"] == pytest.approx(1.25)
    changed = [entries["alone 1 q01"], entries["alone 2 q01"]]
    assert times_by_way(entries, "q01", changed)["counting, merge"] == [2.0, 3.0, 2.5]


def test_the_run_is_against_the_affected_views_alone() -> None:
    found = summary(journal(), ["q01", "q02"], ROUNDS)
    assert found["run"]["recompute_seconds"] == 11.5
    assert found["run"]["refresh_seconds"] == 2.5
    assert found["alone"] == {
        "geometric_mean": pytest.approx(4.6),
        "worst": pytest.approx(4.6),
    }
    assert found["idle"] == {"seconds": 0.06, "jobs": 0}
    assert found["regret"] == {"within": 0.0, "worst": pytest.approx(1.25)}
    assert found["correct"]


def test_one_wrong_view_makes_the_run_wrong() -> None:
    entries = journal()
    entries["verified q02"] = {"correct": False}
    found = summary(entries, ["q01", "q02"], ROUNDS)
    assert not found["correct"]
    assert "WRONG" in table(found)


def test_a_phase_that_a_round_did_not_have_took_no_time() -> None:
    found = phases([{"phases": {"plan": 1.0}}, {"phases": {"plan": 3.0, "commit": 4.0}}])
    assert found == {"plan": 2.0, "commit": 2.0}


def test_the_table_has_a_line_for_every_view() -> None:
    lines = table(summary(journal(), ["q01", "q02"], ROUNDS)).splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["q01", "q02"]
    assert "ratio 4.60" in lines[3]
    assert "0% of the views, worst 1.25" in lines[-1]


def test_updates_concern_other_rows_in_every_batch() -> None:
    for part, slots in ((0.001, 1000), (0.1, 10)):
        first, second = updates(0, part), updates(1, part)
        assert all(condition.endswith(f"% {slots} = 0") for _, _, condition in first)
        assert all(condition.endswith(f"% {slots} = 1") for _, _, condition in second)
        assert [table for table, *_ in first] == ["lineitem", "orders", "partsupp", "customer"]
    assert updates(10, 0.1) == updates(0, 0.1)
