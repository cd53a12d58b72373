"""All rows of a view and of its kept operators, computed as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType, _parse_datatype_string

from rollview.algebra.definition import Definition
from rollview.algebra.relations import Relation, State
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import inputs, with_inputs
from rollview.analysis.constraints import NONE, Constraint, Constraints
from rollview.frontend.define import original
from rollview.maintenance.choice import Choice
from rollview.maintenance.clock import Reading, at_moment
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Kept
from rollview.planning.verdict import is_left_to_chance, maintained
from rollview.runtime.compute import named, spare_subqueries
from rollview.runtime.moment import reading
from rollview.runtime.report import Policy
from rollview.sql.render import render
from rollview.storage import vector
from rollview.storage.view_store import ViewStore


@dataclass(frozen=True)
class Contents:
    """The rows of a view, not computed yet, and the segments of its state, which are written.

    The state is as small as it is by the declarations in ``relies``.
    """

    rows: DataFrame
    state: vector.State
    relies: tuple[Constraint, ...] = ()


def contents(
    session: SparkSession,
    definition: Definition,
    leaves: Mapping[str, DataFrame],
    store: ViewStore[DataFrame],
    policy: Policy,
    moment: vector.Position | None,
    choice: Choice,
    constraints: Constraints = NONE,
    *,
    self_maintaining: bool = False,
) -> Contents:
    """Compute the view; what its kept operators gave is stored, and the rest built on it.

    So the state and the rows of the view agree, even where two evaluations would not. Filters on
    the clock are evaluated at the moment, if there is one. The constraints are known to hold.
    """
    if definition.relation is None or is_left_to_chance(definition):
        # Where a part of a query stands twice, Spark may draw once for both; text of ours cannot.
        return Contents(original(session, definition, leaves), {})
    prepared = None
    if policy is not Policy.FULL:
        alone = self_maintaining
        prepared = maintained(definition, choice, constraints, self_maintaining=alone)
    prepared = prepared or Prepared(definition.relation, ())
    clock = reading(session, moment) if moment is not None else {}
    spare_subqueries(session, prepared.relation)
    names = named(leaves)
    state: dict[str, tuple[vector.Segment, ...]] = {}
    for kept in prepared.kept:
        columns = columns_of(kept.columns)
        rows = session.sql(render(_timed(_own(kept, prepared.kept), clock), names))
        state[kept.name] = (store.segments.base(kept.name, rows, columns),)
        stored = store.segments.read(kept.name, state[kept.name], columns)
        names |= named({f"state {kept.name}": stored})
    whole = _timed(_over(prepared.relation, prepared.kept), clock)
    return Contents(session.sql(render(whole, names)), state, prepared.relies)


def _timed(relation: Relation, clock: Reading) -> Relation:
    return at_moment(relation, clock) if clock else relation


def columns_of(columns: Schema) -> StructType:
    """The columns of a relation as Spark's types."""
    return StructType(
        [StructField(column.name, _parse_datatype_string(column.type)) for column in columns]
    )


def _own(kept: Kept, all_kept: tuple[Kept, ...]) -> Relation:
    below = tuple(_over(child, all_kept) for child in inputs(kept.relation))
    return with_inputs(kept.relation, below)


def _over(relation: Relation, kept: tuple[Kept, ...]) -> Relation:
    """The relation over the stored rows of the kept operators in it."""
    for one in kept:
        if one.relation == relation:
            return State(one.name, one.columns)
    return with_inputs(relation, tuple(_over(child, kept) for child in inputs(relation)))
