"""The store under test: each of them in turn, the memory one first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.behaviours.stores import StoreUnderTest, delta_store, memory_store


@pytest.fixture(params=["memory", pytest.param("delta", marks=pytest.mark.spark)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> StoreUnderTest:
    if request.param == "memory":
        made = memory_store(tmp_path)
    else:
        made = delta_store(request.getfixturevalue("spark"), tmp_path)
    made.again().backing.create()
    return made
