"""The rows of a relation, computed by Spark from frames that stand for its leaves."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from rollview.algebra.definition import Definition
from rollview.algebra.relations import Join, JoinKind, Relation
from rollview.algebra.traverse import walk
from rollview.frontend.define import original
from rollview.maintenance.clock import at_moment
from rollview.runtime.moment import reading
from rollview.sql.render import render
from rollview.storage.vector import Position

_CONSTRAINTS = "spark.sql.constraintPropagation.enabled"
_EXCLUDED = "spark.sql.optimizer.excludedRules"
_THROUGH_UNION = "org.apache.spark.sql.catalyst.optimizer.PushProjectionThroughUnion"


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
    relation = definition.relation
    if moment is not None:
        relation = at_moment(relation, reading(session, moment))
    spare_subqueries(session, relation)
    return session.sql(render(relation, named(leaves)))


def named(leaves: Mapping[str, DataFrame]) -> dict[str, str]:
    """Names under which queries find the frames, unlike all others."""
    mark = uuid.uuid4().hex[:8]
    names = {leaf: f"rollview_{mark}_{leaf.replace(' ', '_')}" for leaf in leaves}
    for leaf, frame in leaves.items():
        frame.createOrReplaceTempView(names[leaf])
    return names


def spare_subqueries(session: SparkSession, relation: Relation) -> None:
    """Have the session, which is our own, plan what is written for the relation.

    Existence and single joins are written as correlated subqueries in a select list. With a UNION
    ALL above or below one, Spark 4.1 looks up columns of the subquery among those of the union
    ("key not found"; SPARK-59042 is the one below). Without these rules results are the same.
    """
    kinds = {node.kind for node in walk(relation) if isinstance(node, Join)}
    if kinds & {JoinKind.EXISTENCE, JoinKind.SINGLE}:
        session.conf.set(_CONSTRAINTS, "false")
        excluded = session.conf.get(_EXCLUDED, "") or ""
        rules = [rule for rule in excluded.split(",") if rule.strip() not in ("", _THROUGH_UNION)]
        session.conf.set(_EXCLUDED, ",".join([*rules, _THROUGH_UNION]))
