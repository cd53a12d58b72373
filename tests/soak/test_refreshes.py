"""Every view stays right over many refreshes, and nothing grows that nobody keeps on purpose."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview.runtime import refresh_view
from rollview.storage import delta_commits, iceberg_backing
from rollview.storage.registry import STORES
from tests.integration.conftest import private_session, store_of
from tests.properties.seed import SEED
from tests.soak.growth import MOST_SEGMENTS, Counts, Round, growing
from tests.soak.process import REPOSITORY
from tests.soak.refreshes import FEW, Run, summary

QUIET = Round(1, 2.0, {"incremental": 1}, Counts({"v": 2}, 0, {"v/n1": 3}, 40, 100))


@pytest.fixture
def own(spark: SparkSession, tmp_path: Path) -> Iterator[SparkSession]:
    session = private_session(spark, tmp_path)
    schema = session.catalog.currentDatabase()
    yield session
    session.sql(f"DROP SCHEMA {schema} CASCADE")


@pytest.mark.spark
@pytest.mark.parametrize("store", STORES)
def test_eight_refreshes(own: SparkSession, monkeypatch: pytest.MonkeyPatch, store: str) -> None:
    """Files are cleaned after every third commit; each commit in between may leave one more."""
    cleaning, few = 3, 1
    monkeypatch.setattr(refresh_view, "_CLEANING", cleaning)
    for module in (delta_commits, iceberg_backing):
        monkeypatch.setattr(module, "_FEW_FILES", few)
    run = Run(rollview.connect(own, store=store_of(own, store)), SEED, print, FEW)
    print(f"seed {run.seed}")
    run.run(8, every=4)
    assert not run.problems, summary(run)
    assert len(run.rounds) == 8
    assert not run.recomputed, summary(run)
    assert growing(run.rounds, settled=False) == [], summary(run)
    most = {name: max(r.counts.live[name] for r in run.rounds) for name in FEW}
    assert all(files <= few + cleaning for files in most.values()), (most, summary(run))
    assert run.rounds[-1].counts.live["noted"] == few, summary(run)  # the ninth, with the first


@pytest.mark.soak
@pytest.mark.parametrize("store", ["delta", "iceberg.rollview"])
def test_two_hundred_refreshes(tmp_path: Path, store: str) -> None:
    options = ["--refreshes", "200", "--json", "--lake", str(tmp_path / "lake"), "--store", store]
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak.refreshes", *options],
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        check=False,
    )
    found = json.loads(done.stdout)
    assert found["problems"] == [], f"seed {found['seed']}"
    assert (done.returncode, len(found["rounds"])) == (0, 200)


class Fake:
    """A lake whose view ``bad`` is wrong from a round on; it notes what is compared."""

    def __init__(self, root: Path, wrong_from: int) -> None:
        self._lake = SimpleNamespace(root=str(root))
        self._wrong_from = wrong_from
        self.compared: dict[int, list[str]] = {}
        self._round = 0

    def views(self) -> list[str]:
        return ["there", "are", "some"]

    def sql(self, statement: str) -> None:
        pass

    def refresh(self) -> list[object]:
        self._round += 1
        return []

    def verify(self, name: str) -> SimpleNamespace:
        self.compared.setdefault(self._round, []).append(name)
        wrong = name == "bad" and self._round >= self._wrong_from
        return SimpleNamespace(view=name, correct=not wrong, missing=1, unexpected=0)


def test_one_view_is_compared_in_each_round_and_all_in_every_tenth(tmp_path: Path) -> None:
    fake = Fake(tmp_path, wrong_from=1000)
    views = ("good", "bad", "other")
    run = Run(fake, 1, lambda _: None, views)  # type: ignore[arg-type]
    run.run(25)
    assert not run.problems
    assert [len(fake.compared[n]) for n in (1, 9, 10, 11, 20, 24, 25)] == [1, 1, 3, 1, 3, 1, 3]
    assert {name for n in (1, 2, 3) for name in fake.compared[n]} == set(views)


def test_a_wrong_view_is_found_when_its_turn_comes(tmp_path: Path) -> None:
    fake = Fake(tmp_path, wrong_from=2)
    run = Run(fake, 1, lambda _: None, ("good", "bad", "other"))  # type: ignore[arg-type]
    run.run(25)
    assert run.problems == ["seed 1, round 4", "bad: verify misses 1, has 0 too many"]


def over_rounds(of: int, **more: object) -> list[Round]:
    """A quiet run in which one of the counts goes by a function of the round."""
    rounds = []
    for number in range(1, of + 1):
        now = {name: by(number) for name, by in more.items()}  # type: ignore[operator]
        seconds = float(now.pop("seconds", 2.0))
        counts = replace(QUIET.counts, **now)
        rounds.append(replace(QUIET, number=number, seconds=seconds, counts=counts))
    return rounds


def test_what_stays_is_not_blamed() -> None:
    rounds = over_rounds(
        80,
        live=lambda n: {"v": n % 20 + 1},
        control=lambda n: 40 + n % 9,
        kept=lambda n: 12 * n,
        seconds=lambda n: 9.0 if n < 20 or n % 20 == 0 else 2.0,
    )
    assert growing(rounds, settled=True) == []


@pytest.mark.parametrize(
    ("name", "by", "blamed"),
    [
        ("live", lambda n: {"v": n}, "live files of v: 80, where 36 are enough"),
        ("live", lambda n: {"v": n // 4, "w": 1}, "live files: at most 11 in the second quarter"),
        ("unnamed", lambda n: n // 70, "files that no commit names: at most 0"),
        ("segments", lambda n: {"v/n1": MOST_SEGMENTS + n // 80}, "segments of v/n1: 15, where 14"),
        ("control", lambda n: 10 + n, "control files: at most 50"),
        ("seconds", lambda n: 2 + n / 30, "a refresh took 3.02 s in the second quarter, 4.35 s"),
    ],
)
def test_what_grows_is_seen(name: str, by: object, blamed: str) -> None:
    (found,) = growing(over_rounds(80, **{name: by}), settled=True)
    assert found.startswith(blamed)
