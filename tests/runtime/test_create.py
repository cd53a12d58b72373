"""The options of create_view that do not go together."""

from __future__ import annotations

import pytest

from rollview.errors import BadOption
from rollview.maintenance.strategies import choose
from rollview.runtime.create import wish


@pytest.mark.parametrize("strategy", ["algebraic", "change_table"])
def test_only_counting_keeps_what_it_would_read_of_base_tables(strategy: str) -> None:
    with pytest.raises(BadOption, match=f"{strategy} cannot be self-maintaining"):
        wish("v", "auto", choose(strategy), None, False, False, True)


@pytest.mark.parametrize("strategy", ["auto", "counting"])
def test_counting_does(strategy: str) -> None:
    assert wish("v", "auto", choose(strategy), None, False, False, True).self_maintaining
