"""What becomes of a definition: maintained from changes, by which program, or recomputed, and why.

A refresh and EXPLAIN go by the same verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from rollview.algebra.definition import Definition, Reason, ReasonCode
from rollview.algebra.expressions import is_collated
from rollview.algebra.printer import describe
from rollview.algebra.relations import Aggregate, Distinct, Relation, Scan, SetOperation
from rollview.algebra.schema import Schema
from rollview.algebra.traverse import walk
from rollview.analysis.accesses import Access
from rollview.analysis.constraints import NONE, Constraints
from rollview.analysis.order import is_unorderable
from rollview.maintenance.choice import ANY, Choice
from rollview.maintenance.clock import CLOCK, FUNCTIONS, functions_in, is_only_filtered_by
from rollview.maintenance.compiler import compile_delta, made_use_of
from rollview.maintenance.prepare import Prepared
from rollview.maintenance.program import Program
from rollview.maintenance.signed import WEIGHT
from rollview.maintenance.strategies import beyond, prepared, strategy_of
from rollview.planning.self_maintenance import for_any_change

INCREMENTAL, PARTIAL, FULL = "incremental", "partial", "full"
RECOMPUTE = "recompute"
_OLD_STATISTICS = "spark.sql.legacy.statisticalAggregate"
_ANSI = "spark.sql.ansi.enabled"
_FULL_ONLY = (
    ReasonCode.NON_DETERMINISTIC,
    ReasonCode.TIME_DEPENDENT,
    ReasonCode.UNVERSIONED_SOURCE,
    ReasonCode.NOT_UNDERSTOOD,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a definition is refreshed under a policy, and the program if it is maintained.

    ``options`` are those of a strategy that was asked for by name.

    ``reasons`` hold whatever changes; ``at_times`` only in some refreshes.
    """

    policy: str
    mode: str
    strategy: str
    reasons: tuple[Reason, ...]
    at_times: tuple[Reason, ...] = ()
    prepared: Prepared | None = None
    program: Program | None = None
    options: tuple[tuple[str, str], ...] = ()


def obstacles(definition: Definition, choice: Choice = ANY) -> tuple[Reason, ...]:
    """Why changes cannot be carried through by the strategy, or at all; empty if they can."""
    carried = follows_clock(definition)
    told = tuple(
        reason
        for reason in definition.reasons
        if reason.code in _FULL_ONLY and not (carried and reason.code is ReasonCode.TIME_DEPENDENT)
    )
    return (*told, *_without_rule(definition.relation), *_out_of_reach(definition, choice))


def _out_of_reach(definition: Definition, choice: Choice) -> tuple[Reason, ...]:
    return () if definition.relation is None else beyond(definition.relation, choice)


def _without_rule(relation: Relation | None) -> tuple[Reason, ...]:
    """Groups of values that Spark can group and cannot compare, and the one name that is ours."""
    if relation is None:
        return ()
    found = []
    for node in walk(relation):
        for column in _grouped(node):
            if is_unorderable(column.type) or _is_collated_inside(node, column.type):
                what = f"{column.type} values cannot be compared exactly to find their groups"
                hint = "group by something of them, such as map_keys(...) or a plain string"
                found.append(Reason(ReasonCode.NOT_UNDERSTOOD, describe(node), what, hint))
        names = [column.name for column in node.columns]
        names += node.fields if isinstance(node, Scan) else ()
        if any(name.lower() == WEIGHT for name in names):
            what = f"a column is called {WEIGHT}, which is how refreshes call the sign of a change"
            hint = "give it another name in a plain view, and define the view over that"
            found.append(Reason(ReasonCode.NOT_UNDERSTOOD, WEIGHT, what, hint))
    return tuple(dict.fromkeys(found))


def _is_collated_inside(node: Relation, type: str) -> bool:
    """Groups of collated strings have a rule, what holds some and set operations have none."""
    return "COLLATE" in type and (not isinstance(node, Aggregate) or not is_collated(type))


def _grouped(node: Relation) -> Schema:
    match node:
        case Aggregate():
            return node.columns[: len(node.groups)]
        case Distinct() | SetOperation():
            return node.columns
        case _:
            return ()


def is_left_to_chance(definition: Definition) -> bool:
    """Whether two evaluations of the query may give different rows."""
    return any(reason.code is ReasonCode.NON_DETERMINISTIC for reason in definition.reasons)


def follows_clock(definition: Definition) -> bool:
    """Whether the definition depends on the clock, and rows enter and leave by it in filters."""
    told = [r.piece for r in definition.reasons if r.code is ReasonCode.TIME_DEPENDENT]
    if definition.relation is None or not told:
        return False
    seen = {FUNCTIONS[kind] for kind in functions_in(definition.relation)}
    return set(told) == seen and is_only_filtered_by(definition.relation)


def maintained(
    definition: Definition,
    choice: Choice = ANY,
    constraints: Constraints = NONE,
    form: Constraints | None = None,
    *,
    self_maintaining: bool = False,
) -> Prepared | None:
    """The form in which changes can be carried through a definition; None if they cannot.

    It makes use of ``constraints``, and state is left out by those in ``form``, all by default. If
    it is ``self_maintaining``, it keeps of the base tables what it would have to read.
    """
    if definition.relation is None or obstacles(definition, choice):
        return None
    # There it is NaN where it is NULL otherwise, and sums cannot tell.
    old_style = dict(definition.settings).get(_OLD_STATISTICS, "false").lower() == "true"
    wraps = dict(definition.settings).get(_ANSI, "true").lower() != "true"
    relation: Relation = definition.relation
    auxiliary: tuple[Access, ...] = ()
    if self_maintaining:
        found = for_any_change(relation, constraints, changing(definition), choice)
        relation, auxiliary = found.accesses.relation, found.needs
    return prepared(
        relation,
        choice,
        moments=not old_style,
        wraps=wraps,
        constraints=constraints,
        form=form,
        auxiliary=auxiliary,
    )


def changing(definition: Definition) -> tuple[str, ...]:
    """The sources that can change, the clock among them: a time-travelled table is what it is."""
    tables = tuple(source.id for source in definition.sources if source.pinned is None)
    return (*tables, CLOCK) if follows_clock(definition) else tables


def judge(
    definition: Definition,
    policy: str,
    choice: Choice = ANY,
    declared: Constraints = NONE,
    *,
    self_maintaining: bool = False,
) -> Verdict:
    """How the definition is refreshed if any source has changed, and what is declared holds."""
    used = NONE
    if definition.relation is not None and maintained(definition, choice) is not None:
        used = made_use_of(definition.relation, declared, changing(definition), choice)
    form = maintained(definition, choice, used, self_maintaining=self_maintaining)
    if form is None or policy == FULL:
        why = (*definition.reasons, *_without_rule(definition.relation))
        why = (*why, *_out_of_reach(definition, choice))
        return Verdict(policy, FULL, RECOMPUTE, why)
    program = compile_delta(form, changing(definition))
    own = (r for r in definition.reasons if r.code is not ReasonCode.TIME_DEPENDENT)
    reasons = (*own, *program.reasons)
    mode = PARTIAL if program.reasons else INCREMENTAL
    name, told = strategy_of(choice).name, program.at_times
    return Verdict(policy, mode, name, reasons, told, form, program, choice.options)
