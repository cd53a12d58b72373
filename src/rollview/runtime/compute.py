"""The rows of a view, computed from its sources at given positions."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from rollview.algebra.definition import Definition
from rollview.frontend.define import original
from rollview.maintenance.clock import at_moment
from rollview.runtime.moment import reading
from rollview.sql.render import render
from rollview.storage.vector import Position


def recompute(
    session: SparkSession,
    definition: Definition,
    leaves: Mapping[str, DataFrame],
    moment: Position | None = None,
) -> DataFrame:
    """The whole view by its algebra, or by the original where there is no algebra.

    At a moment, if there is one, filters on the clock are those of that moment.
    """
    if definition.relation is None:
        return original(session, definition, leaves)
    mark = uuid.uuid4().hex[:8]
    names: dict[str, str] = {}
    for source, frame in leaves.items():
        names[source] = f"rollview_{mark}_{source}"
        frame.createOrReplaceTempView(names[source])
    relation = definition.relation
    if moment is not None:
        relation = at_moment(relation, reading(session, moment))
    return session.sql(render(relation, names))
