"""The store under test: each of them in turn, the memory one first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.behaviours.stores import ON_SPARK, StoreUnderTest, memory_store


@pytest.fixture(params=["memory", *(pytest.param(s, marks=pytest.mark.spark) for s in ON_SPARK)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> StoreUnderTest:
    if request.param == "memory":
        made = memory_store(tmp_path)
    else:
        made = ON_SPARK[request.param](request.getfixturevalue("spark"), tmp_path)
    made.again().backing.create()
    return made
