"""A log of a view's stored rows that cannot be read: one error, which names the view."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from rollview.errors import DefinitionCorrupt
from rollview.runtime.catalog import StoredView
from rollview.runtime.lake import Lake
from rollview.runtime.worker import cause, quiet
from rollview.storage.view_store import Watermark


@contextmanager
def readable_log(view: StoredView) -> Iterator[None]:
    """Within the block, whatever comes of a broken log of the view's rows is DefinitionCorrupt."""
    try:
        with quiet():
            yield
        return
    except ConnectionError:  # that is the end of Spark, and not of one view
        raise
    except (PySparkException, Py4JJavaError) as failure:
        because, origin = cause(failure), failure
    except (ValueError, LookupError, TypeError, AttributeError, OSError) as failure:
        because, origin = f"{type(failure).__name__}: {failure}", failure
    raise DefinitionCorrupt(
        f"the log of the stored rows of {view.name} cannot be read: {because}",
        hint="restore it from a backup, or drop the view and create it again",
    ) from origin


def number_of(lake: Lake, view: StoredView) -> int | None:
    """The newest refresh number of a view. Raises DefinitionCorrupt."""
    with readable_log(view):
        newest = view.rows(lake, lake.work).backing.newest()
    return None if newest is None else newest.number


def watermark_of(lake: Lake, session: SparkSession, view: StoredView) -> Watermark | None:
    """What a view reflects now. Raises DefinitionCorrupt."""
    with readable_log(view):
        return view.rows(lake, session).watermark()
