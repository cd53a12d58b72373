"""The net effect operator on DuckDB, over the deltas of random schedules."""

from __future__ import annotations

from collections import Counter

from rollview.algebra.relations import Temporary, Union
from rollview.maintenance.signed import WEIGHT_COLUMN
from rollview.rolling.net_effect import net_effect
from rollview.rolling.stamped import POSITION_COLUMN
from tests.properties.duckdb_engine import DuckEngine, Row, connect
from tests.properties.maintained import create
from tests.properties.seed import SEED
from tests.rolling.schedules import random_schedule, run


def test_net_effect_is_the_minimal_change_between_two_positions() -> None:
    """Definition 4.1, and that it is its own net effect."""
    connection = connect()
    engine = DuckEngine(connection)
    for number in range(9):
        schedule = random_schedule(SEED, number)
        journal = run(schedule)
        columns = (*schedule.relation.columns, WEIGHT_COLUMN, POSITION_COLUMN)
        create(connection, "view_delta", columns, list(journal.delta))
        leaves = {"temporary delta": "view_delta"}
        newest = schedule.world.units().newest
        for since, until in ((0, newest), (newest // 3, newest // 2), (newest, newest)):
            effect = net_effect(Temporary("delta", columns), since, until)
            found = engine.recomputed(effect, leaves)
            weights = Counter[Row]()
            for *row, weight in found:
                weights[tuple(row)] += int(str(weight))
            wanted = journal.between(since, until)
            assert weights == wanted
            assert len(found) == sum(abs(n) for n in wanted.values())
            again = engine.recomputed(net_effect(effect), leaves)
            assert Counter(again) == Counter(found)
    connection.close()


def test_net_effect_of_a_sum_is_that_of_the_net_effects() -> None:
    """``phi(R + S) = phi(phi(R) + phi(S))``: cutting a delta in two loses nothing."""
    connection = connect()
    engine = DuckEngine(connection)
    schedule = random_schedule(SEED, 3)
    journal = run(schedule)
    columns = (*schedule.relation.columns, WEIGHT_COLUMN, POSITION_COLUMN)
    create(connection, "view_delta", columns, list(journal.delta))
    delta, newest = Temporary("delta", columns), schedule.world.units().newest
    whole = net_effect(delta)
    for middle in range(newest + 1):
        halves = (net_effect(delta, until=middle), net_effect(delta, since=middle))
        both = net_effect(Union(halves, whole.columns))
        leaves = {"temporary delta": "view_delta"}
        assert Counter(engine.recomputed(both, leaves)) == Counter(engine.recomputed(whole, leaves))
    connection.close()
