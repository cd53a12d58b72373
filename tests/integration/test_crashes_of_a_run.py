"""A crash at every step of a run over two views: between their commits, and between two segments.

Each step is one passing of a point of docs/commit-protocol.md: the second passing of a point of a
commit is that of the upper view.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import rollview
from rollview import Session
from rollview.runtime import refresh_view
from rollview.runtime.report import Mode
from rollview.storage import delta_commits, faults, iceberg_backing
from rollview.storage.faults import Crash
from rollview.storage.registry import STORES
from rollview.testing import assert_view_matches_recompute
from tests.integration.conftest import (
    bury_claims,
    control,
    make_orders,
    private_session,
    store_of,
)

pytestmark = pytest.mark.spark

# A bag, where a change that is applied twice shows; and above it a join of two aggregates, both of
# which are kept.
LOWER = "SELECT customer, amount FROM orders"
UPPER = (
    "SELECT a.customer, a.n, b.customers FROM "
    "(SELECT customer, count(*) AS n, sum(amount) AS s FROM {0} GROUP BY customer) a LEFT JOIN "
    "(SELECT amount, count(*) AS customers FROM {0} GROUP BY amount) b ON a.s = b.amount"
)
STEPS = [
    ("commit.candidate", 1),
    ("commit.committed", 1),
    ("commit.published", 1),
    ("clean.compacted", 1),
    ("refresh.ended", 1),
    ("state.written", 1),
    ("state.written", 2),
    ("commit.candidate", 2),
    ("commit.committed", 2),
    ("commit.published", 2),
    ("clean.compacted", 2),
    ("refresh.ended", 2),
]
POINTS = sorted({point for point, _ in STEPS})
COMMITTED = {"lower": STEPS.index(("commit.committed", 1))}
COMMITTED["upper"] = STEPS.index(("commit.committed", 2))
_fresh = count(100)


@pytest.fixture(scope="module", params=STORES)
def lake(
    spark: SparkSession, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """A table and two views; every test leaves them up to date."""
    own = private_session(spark, tmp_path_factory.mktemp("crashes"))
    make_orders(own)
    db = rollview.connect(own, store=store_of(own, request.param))
    db.create_view("lower", LOWER, policy="incremental")
    db.create_view("upper", UPPER.format("lower"), policy="incremental")
    yield own
    own.sql(f"DROP SCHEMA {own.catalog.currentDatabase()} CASCADE")


@pytest.fixture
def cleaning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every refresh compacts and vacuums."""
    monkeypatch.setattr(refresh_view, "_CLEANING", 1)
    for module in (delta_commits, iceberg_backing):
        monkeypatch.setattr(module, "_FEW_FILES", 1)


def insert(own: SparkSession) -> None:
    number = next(_fresh)
    row = f"({number}, 'c{number}', {number})"
    own.sql(f"INSERT INTO orders VALUES {row}, {row}, ({number}, 'a', 0)")


def numbers(db: Session) -> dict[str, int | None]:
    """The number of the newest refresh of each view."""
    found = {}
    for name in ("lower", "upper"):
        watermark = db._catalog.get(name).rows(db._lake, db.spark).watermark()
        found[name] = watermark.number if watermark is not None else None
    return found


def candidates(db: Session) -> list[Path]:
    return list(control(db).glob("views/*/refreshes/*.*.json"))


@pytest.mark.parametrize(("point", "hit"), STEPS)
def test_crash_at_a_step_of_a_run(
    lake: SparkSession, request: pytest.FixtureRequest, point: str, hit: int
) -> None:
    if point == "clean.compacted":
        request.getfixturevalue("cleaning")
    db = rollview.connect(lake)
    before = numbers(db)
    insert(lake)
    if point != "clean.compacted":  # which has files to merge where rows only come
        lake.sql("UPDATE orders SET amount = amount + 1 WHERE customer = 'b'")
    with faults.planned(point, hit=hit), pytest.raises(Crash):
        db.refresh()
    step = STEPS.index((point, hit))
    done = {name: step >= committed for name, committed in COMMITTED.items()}
    again = rollview.connect(lake)
    assert numbers(again) == {name: n + done[name] for name, n in before.items() if n}
    modes = {report.view: report.mode for report in again.refresh()}
    assert modes == {name: Mode.NOOP if done[name] else Mode.INCREMENTAL for name in done}
    assert numbers(again) == {name: n + 1 for name, n in before.items() if n}
    assert candidates(again) == []
    for name in done:
        assert_view_matches_recompute(again, name)


def test_no_step_is_left_out(lake: SparkSession, cleaning: None) -> None:
    passed: list[str] = []
    insert(lake)
    with ExitStack() as all_points:
        for point in POINTS:
            all_points.enter_context(faults.planned(point, lambda p=point: passed.append(p)))
        rollview.connect(lake).refresh()
    seen: Counter[str] = Counter()
    steps = []
    for point in passed:
        seen[point] += 1
        steps.append((point, seen[point]))
    assert steps == STEPS
    for name in COMMITTED:
        assert_view_matches_recompute(rollview.connect(lake), name)


def test_crash_while_all_state_is_written_anew(lake: SparkSession) -> None:
    """The rows of one operator are those of the new base, those of the other are not."""
    db = rollview.connect(lake)
    before = numbers(db)
    with faults.planned("state.written", hit=2), pytest.raises(Crash):
        db.refresh("upper", full=True, cascade=False)
    again = rollview.connect(lake)
    assert numbers(again) == before
    insert(lake)
    assert [report.mode for report in again.refresh()] == [Mode.INCREMENTAL] * 2
    for name in COMMITTED:
        assert_view_matches_recompute(again, name)


def test_crash_while_the_first_state_is_written(db: Session, own: SparkSession) -> None:
    with faults.planned("state.written", hit=2), pytest.raises(Crash):
        db.create_view("upper", UPPER.format("orders"))
    bury_claims(db)
    again = rollview.connect(own)
    assert again.views() == []
    again.create_view("upper", UPPER.format("orders"), policy="incremental")
    assert len(list(control(again).glob("views/*"))) == 1
    insert(own)
    assert [report.mode for report in again.refresh()] == [Mode.INCREMENTAL]
    assert_view_matches_recompute(again, "upper")
