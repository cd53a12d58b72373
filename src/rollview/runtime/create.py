"""Creating and replacing a view: built aside, then made to exist by one file."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from rollview.algebra.definition import Definition, DependencyKind, ReasonCode, SourceKind
from rollview.algebra.fingerprint import fingerprint
from rollview.analysis.constraints import NONE
from rollview.errors import (
    BadOption,
    BadQuery,
    NonDeterministic,
    NotIncremental,
    StrategyNotApplicable,
)
from rollview.frontend.define import define, original
from rollview.frontend.scope import scoped
from rollview.maintenance.choice import AUTO, Choice
from rollview.maintenance.clock import CLOCK
from rollview.maintenance.strategies import strategy_of
from rollview.planning.self_maintenance import for_any_change
from rollview.planning.verdict import changing, maintained, obstacles
from rollview.runtime import history, recovery, worker
from rollview.runtime.catalog import Catalog, StoredView, key_of, new_view_id, view_exists
from rollview.runtime.contents import contents
from rollview.runtime.lake import Lake
from rollview.runtime.pinning import Run
from rollview.runtime.public import (
    check_free,
    ensure_published,
    managed_names,
    plain_name,
    publish,
    unpublish,
)
from rollview.runtime.report import Mode, Policy, RefreshReport
from rollview.runtime.scheduler import check_no_cycle
from rollview.runtime.standing import KEYS, standing, tested
from rollview.storage import faults, registry
from rollview.storage.change import Replace
from rollview.storage.vector import State, base_versions
from rollview.storage.view_store import Watermark


@dataclass(frozen=True)
class Wish:
    """What the caller asked of create_view."""

    name: str
    policy: Policy
    choice: Choice
    store: str | None
    if_not_exists: bool = False
    replace: bool = False
    self_maintaining: bool = False


def wish(
    name: str,
    policy: str,
    choice: Choice,
    store: str | None,
    if_not_exists: bool,
    replace: bool,
    self_maintaining: bool = False,
) -> Wish:
    """The options of create_view, checked. Raises BadOption."""
    if policy not in list(Policy):
        raise BadOption(
            f"there is no policy {policy!r}", hint=f"choose one of: {', '.join(Policy)}"
        )
    if if_not_exists and replace:
        raise BadOption(
            "if_not_exists and replace cannot both be asked for", hint="leave one of them out"
        )
    if store is not None:
        registry.check_store(store)
    if self_maintaining and not strategy_of(choice).uses_keys:
        raise BadOption(
            f"a view of strategy {choice.strategy} cannot be self-maintaining",
            hint="leave self_maintaining out, or the strategy to rollview",
        )
    return Wish(name, Policy(policy), choice, store, if_not_exists, replace, self_maintaining)


def create_view(lake: Lake, catalog: Catalog, query: str | DataFrame, wanted: Wish) -> StoredView:
    """Make a view, with its contents; leaves nothing behind if that fails."""
    wanted = replace(wanted, name=plain_name(lake, wanted.name))
    old = catalog.find(wanted.name)
    if old is not None and wanted.if_not_exists:
        ensure_published(lake, old)
        return old
    if old is not None and not wanted.replace:
        raise view_exists(old.name)
    check_free(lake, wanted.name)
    view = _defined(lake, catalog, query, wanted)
    if old is not None and _same(old, view):
        ensure_published(lake, old)
        return old
    lake.prepare()
    recovery.tidy(lake, catalog)
    return _build(lake, catalog, view, old)


def _defined(lake: Lake, catalog: Catalog, query: str | DataFrame, wanted: Wish) -> StoredView:
    views, _ = catalog.readable()
    with worker.quiet():
        definition = define(lake.spark, query, managed=managed_names(lake, views))
    _check_no_stored_rows(lake, definition)
    reads = [key_of(s.name) for s in definition.sources if s.kind is SourceKind.VIEW]
    check_no_cycle(views, wanted.name, key_of(wanted.name), reads)
    _check_policy(wanted, definition)
    _check_strategy(wanted, definition)
    _check_self_maintaining(wanted, definition)
    return StoredView(
        name=wanted.name,
        view_id=new_view_id(),
        definition=definition,
        policy=wanted.policy,
        choice=wanted.choice,
        store=wanted.store or lake.store,
        schema=StructType(),
        created_at=datetime.now(UTC),
        self_maintaining=wanted.self_maintaining,
    )


def _check_self_maintaining(wanted: Wish, definition: Definition) -> None:
    """Raise BadOption if refreshes would have to read a base table, whatever is kept."""
    if not wanted.self_maintaining:
        return
    refused = f"{wanted.name} cannot be self-maintaining"
    if definition.relation is None or maintained(definition, wanted.choice) is None:
        why = "; ".join(reason.message for reason in obstacles(definition, wanted.choice))
        raise BadOption(f"{refused}: {why}", hint="leave self_maintaining out")
    found = for_any_change(definition.relation, NONE, changing(definition), wanted.choice)
    if found.missing:
        tables = ", ".join(found.missing)
        hint = "explain(..., self_maintenance=True) tells which changes need them"
        raise BadOption(f"{refused}: it would have to read {tables}", hint=hint)


def _check_no_stored_rows(lake: Lake, definition: Definition) -> None:
    """Raise BadQuery if a view is read by where its rows lie, which changes when it is rebuilt."""
    for source in definition.sources:
        if source.kind is SourceKind.PATH and f"{lake.root}/" in source.name:
            raise BadQuery(
                f"the query reads the stored rows of a view by their path, {source.name}",
                hint="read the view by its name",
            )


def _check_policy(wanted: Wish, definition: Definition) -> None:
    """Raise NotIncremental if the policy is strict and every refresh would be full."""
    found = obstacles(definition)
    if wanted.policy is not Policy.STRICT or not found:
        return
    hints = dict.fromkeys(reason.hint for reason in found if reason.hint)
    hint = "; ".join(hints) or "choose another policy, or leave it out of the query"
    refused = f"{wanted.name} cannot be maintained under policy strict"
    chance = [reason.piece for reason in found if reason.code is ReasonCode.NON_DETERMINISTIC]
    if chance:
        pieces = ", ".join(chance)
        raise NonDeterministic(f"{refused}: {pieces} may give another result each time", hint=hint)
    reasons = "; ".join(f"[{reason.code}] {reason.message}" for reason in found)
    raise NotIncremental(f"{refused}: {reasons}", hint=hint)


def _check_strategy(wanted: Wish, definition: Definition) -> None:
    """Raise StrategyNotApplicable if a strategy was asked for that cannot maintain the view."""
    found = obstacles(definition, wanted.choice)
    if wanted.choice.strategy == AUTO or not found:
        return
    reasons = "; ".join(f"[{reason.code}] {reason.message}" for reason in found)
    hints = dict.fromkeys(reason.hint for reason in found if reason.hint)
    raise StrategyNotApplicable(
        f"{wanted.name} cannot be maintained by strategy {wanted.choice.strategy}: {reasons}",
        hint="; ".join((*hints, "leave the strategy to rollview")),
    )


def _same(old: StoredView, new: StoredView) -> bool:
    """Whether nothing is to be done; of a function without a text nobody knows what it does now."""
    options = (old.policy, old.choice, old.store) == (new.policy, new.choice, new.store)
    options = options and old.self_maintaining == new.self_maintaining
    functions = (d for d in new.definition.dependencies if d.kind is DependencyKind.FUNCTION)
    if any(not function.text for function in functions):
        return False
    return options and fingerprint(old.definition) == fingerprint(new.definition)


def _build(lake: Lake, catalog: Catalog, view: StoredView, old: StoredView | None) -> StoredView:
    started = time.monotonic()
    recovery.claim(lake, view.view_id)
    try:
        faults.point("create.claimed")
        done = worker.run(
            lake.spark,
            f"create {view.name}",
            lambda: _fill(lake, catalog, view),
            left="nothing was created" if old is None else "the old view is as it was",
        )
        built, committed = done.result
        _make_exist(lake, catalog, built, old)
    except Exception:
        recovery.remove_view(lake, view.view_id)
        raise
    if old is not None:
        recovery.retire(lake, old.view_id)
        faults.point("replace.retired")
    recovery.unclaim(lake, view.view_id)
    faults.point("create.unclaimed")
    seconds = {"total": round(time.monotonic() - started, 3)}
    report = replace(
        _report(built, committed), jobs=done.jobs, bytes_read=done.bytes_read, seconds=seconds
    )
    history.record(lake, view.view_id, report)
    return built


def _fill(lake: Lake, catalog: Catalog, view: StoredView) -> tuple[StoredView, Watermark]:
    """Compute the contents and commit them as refresh 1."""
    definition = view.definition
    session: SparkSession = scoped(lake.spark, definition.settings)
    run = Run(lake, catalog)
    with worker.evaluation(view.name, lake.java):
        vector = run.vector(session, definition)
        leaves = run.leaves(session, definition, vector)
        rows = original(session, definition, leaves)
        built = replace(view, schema=rows.schema)
        store = built.rows(lake, session)
        store.backing.create()
        faults.point("create.backing")
        state: State = {}
        if definition.canonical or maintained(definition, view.choice) is not None:
            # Ties are broken as every later refresh will break them, and state is kept.
            known = standing(lake, view, definition, None)
            held, broken = tested(session, definition, known.all, leaves)
            moment = vector.get(CLOCK)
            found = contents(
                session,
                definition,
                leaves,
                store,
                view.policy,
                moment,
                view.choice,
                held,
                self_maintaining=view.self_maintaining,
            )
            rows, state = found.rows, found.state
            if known.names:
                vector = {**vector, KEYS: known.position(held.all, found.relies, broken.all)}
        return built, store.commit(Replace(rows), 0, vector, state)


def _make_exist(lake: Lake, catalog: Catalog, view: StoredView, old: StoredView | None) -> None:
    step = "create" if old is None else "replace"
    with lake.locked("lake", f"{step} {view.name}"):
        if old is None:
            check_free(lake, view.name)
            catalog.add(view)
        else:
            catalog.replace(view, old.view_id)
        try:
            faults.point(f"{step}.defined")
            publish(lake, view)
            faults.point(f"{step}.public")
        except Exception:
            _undo(lake, catalog, view, old)
            raise


def _undo(lake: Lake, catalog: Catalog, view: StoredView, old: StoredView | None) -> None:
    if old is None:
        catalog.remove(view.name)
        unpublish(lake, view.name)
    else:
        catalog.replace(old, view.view_id)
        publish(lake, old)


def _report(view: StoredView, committed: Watermark) -> RefreshReport:
    return RefreshReport(
        view=view.name,
        mode=Mode.FULL,
        strategy="recompute",
        reason="the view was created",
        to_versions=dict(base_versions(committed.vector or {})),
        rows=committed.rows,
        rows_inserted=committed.rows,
        number=committed.number,
        finished_at=datetime.now(UTC),
    )
