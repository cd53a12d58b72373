"""Every view is right after the refresh that follows a kill -9."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollview.storage.registry import STORES
from tests.properties.seed import SEED
from tests.soak.kills import KINDS, Run
from tests.soak.report import how_to_see_it_again


def killed(lake: Path, kills: int, *, short: bool, store: str | None = None) -> Run:
    """A run with a new seed, printed with what came of it."""
    run = Run(lake, SEED, print, short=short, store=store)
    print(f"seed {run.seed}")
    run.run(kills)
    assert not any(kill.problems for kill in run.kills), how_to_see_it_again(run)
    assert len(run.kills) == kills
    return run


@pytest.mark.spark
def test_three_kills(tmp_path: Path) -> None:
    run = killed(tmp_path / "lake", kills=3, short=True)
    assert sorted(kill.kind for kill in run.kills) == sorted(KINDS)


@pytest.mark.soak
@pytest.mark.parametrize("store", STORES)
def test_fifty_kills(tmp_path: Path, store: str) -> None:
    run = killed(tmp_path / "lake", kills=50, short=False, store=store)
    assert {kill.kind for kill in run.kills} == set(KINDS)
