"""What a refresh is reported to have cost."""

from __future__ import annotations

from unittest.mock import MagicMock

from py4j.protocol import Py4JJavaError

from rollview.runtime.worker import _asked_cost


def test_what_spark_has_forgotten_hides_nothing_else() -> None:
    forgotten = Py4JJavaError("no such stage", MagicMock())

    def stage(id: int) -> MagicMock:
        if id == 2:
            raise forgotten
        return MagicMock(inputBytes=lambda: 100 * id, inputRecords=lambda: id)

    def job(id: int) -> MagicMock:
        if id == 9:
            raise forgotten
        ids = MagicMock(size=lambda: 3, apply=lambda position: position + 1)
        return MagicMock(stageIds=lambda: ids)

    context = MagicMock()
    context.statusTracker().getJobIdsForGroup.return_value = [8, 9]
    store = context._jsc.sc().statusStore()
    store.job, store.lastStageAttempt = job, stage
    assert _asked_cost(context, "group") == (2, 400, 4)
