"""The laws of maintenance, checked on one case.

1. After each refresh the stored view and its delta are the query recomputed, as bags; every kept
   state is its relation evaluated; nothing is removed that is not there.
2. The same changes in one refresh give the same view.
3. The prepared relation is the same bag as the relation.
"""

from __future__ import annotations

import duckdb

from tests.properties.bags import assert_same
from tests.properties.cases import Case
from tests.properties.maintained import Maintained


def check(case: Case, connection: duckdb.DuckDBPyConnection, *, at_once: bool = True) -> None:
    """Check the laws, the second one if ``at_once``.

    Raises `Violation`, or whatever error the code under test raises.
    """
    maintained = Maintained(case, connection)
    for batch in case.batches:
        maintained.refresh(batch)
    maintained.check_prepared()
    if at_once and len(case.batches) > 1:
        other = Maintained(case, connection)
        other.refresh(tuple(change for batch in case.batches for change in batch))
        assert_same("law 2: the changes in one refresh", other.view, maintained.view)
