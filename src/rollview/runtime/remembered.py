"""What the catalog of a folder-lake knows besides its folders: plain views, and tables by text.

A folder-lake has no metastore. A Delta table tells all about itself; a plain view, a table that
lies elsewhere, and the columns and options of a CSV or JSON table do not. The statements that make
these are kept as files, ``_rollview/catalog/<name>.json`` in the folder of their schema, and every
look compares both sides with what they were: what changed here is written there, and the other way
round.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from rollview.errors import LakeNotWritable
from rollview.frontend.scope import clone_session
from rollview.java_classes import load
from rollview.runtime.folder import FOUND, forget, schemas_of, set_managed
from rollview.runtime.public import PROPERTY
from rollview.runtime.worker import in_a_line
from rollview.sql.quoting import quoted_text
from rollview.storage.encoding import quoted
from rollview.storage.files import LocalFiles, file_to_name, name_to_file
from rollview.storage.formats import SELF_TOLD
from rollview.storage.tables import catalog_entry

_FOLDER = "_rollview/catalog"
_VIEW = "CREATE VIEW "
_log = logging.getLogger("rollview")


@dataclass
class _Seen:
    """Both sides when they were last alike: the entry's number, and the text of the file."""

    here: str | None
    there: str | None


@dataclass
class Memory:
    """What was seen of the catalog and of the files by one session."""

    folder: Path
    seen: dict[tuple[str, str, bool], _Seen] = field(default_factory=dict)
    warned: set[str] = field(default_factory=set)
    files: LocalFiles = field(default_factory=LocalFiles)

    def tables(self, work: SparkSession) -> None:
        """Bring the tables in the session's catalog and the files to the same state."""
        self._compare(work, views=False)

    def views(self, work: SparkSession) -> None:
        """The same for plain views, once all that they may select from is known."""
        self._compare(work, views=True)

    def _compare(self, work: SparkSession, views: bool) -> None:
        wanted: list[tuple[str, str, str]] = []
        for schema, home in schemas_of(work, self.folder).items():
            here, there = _here(work, schema, views), self._there(home, views)
            known = {name for (s, name, v) in self.seen if (s, v) == (schema, views)}
            for name in sorted(here.keys() | there.keys() | known):
                seen = self.seen.get((schema, name, views), _Seen(None, None))
                text = there.get(name)
                if name in here and text is not None and seen.there is None:
                    # Nobody knows which came first: what all processes see stays.
                    if self._is_described(work, schema, name, text):
                        self.seen[schema, name, views] = _Seen(here[name], text)
                    else:
                        wanted.append((schema, name, text))
                elif here.get(name) != seen.here:
                    self._write(work, schema, home, name, views, here.get(name))
                elif text is not None and text != seen.there:
                    wanted.append((schema, name, text))
                elif text is None and seen.there is not None:
                    forget(work, schema, name)
                    del self.seen[schema, name, views]
        self._make(work, wanted, views)

    def _there(self, home: Path, views: bool) -> dict[str, str]:
        found = {}
        for file in self.files.names(f"{home}/{_FOLDER}"):
            text = self.files.read(f"{home}/{_FOLDER}/{file}")
            if text is not None and ('"namespace"' in text) is views:
                found[file_to_name(file.removesuffix(".json"))] = text
        return found

    def _write(
        self,
        work: SparkSession,
        schema: str,
        home: Path,
        name: str,
        views: bool,
        number: str | None,
    ) -> None:
        path = f"{home}/{_FOLDER}/{name_to_file(name)}.json"
        if number is None:
            seen = self.seen.pop((schema, name, views))
            if self.files.read(path) == seen.there:  # and not of another entry of that name
                self.files.remove(path)
            return
        try:
            text = _described(work, schema, name)
            self.files.write(path, text)
        except (PySparkException, Py4JJavaError, LakeNotWritable) as failure:
            self._warn(f"{schema}.{name} cannot be kept for other processes", failure)
            return
        self.seen[schema, name, views] = _Seen(number, text)

    def _is_described(self, work: SparkSession, schema: str, name: str, text: str) -> bool:
        try:
            return _described(work, schema, name) == text
        except (PySparkException, Py4JJavaError):
            return False

    def _make(self, work: SparkSession, wanted: list[tuple[str, str, str]], views: bool) -> None:
        """Views may stand on views: go over them as long as one more can be made."""
        while wanted:
            left: list[tuple[str, str, str]] = []
            failures: dict[str, Exception] = {}
            for schema, name, text in wanted:
                try:
                    _made(work, schema, name, json.loads(text))
                    number = _here(work, schema, views).get(name)
                    self.seen[schema, name, views] = _Seen(number, text)
                except (PySparkException, Py4JJavaError, ValueError, KeyError) as failure:
                    left.append((schema, name, text))
                    failures[f"{schema}.{name}"] = failure
            if len(left) == len(wanted):
                for name, problem in failures.items():
                    self._warn(f"{name} cannot be brought back", problem)
                for schema, name, _ in left:
                    if (schema, name, views) in self.seen:  # what was there before is gone here
                        self.seen[schema, name, views].here = _here(work, schema, views).get(name)
                return
            wanted = left

    def _warn(self, what: str, failure: Exception) -> None:
        if what not in self.warned:
            _log.warning("%s: %s", what, in_a_line(failure))
            self.warned.add(what)


def _here(work: SparkSession, schema: str, views: bool) -> dict[str, str]:
    """The entries to remember, each with a number that changes when it does."""
    entries = load(work, __package__, ("Entries",))
    ours = [PROPERTY, FOUND]
    found = list(entries.untold(work._jsparkSession, schema, views, ours, SELF_TOLD))
    return dict(zip(map(str, found[::2]), map(str, found[1::2]), strict=True))


def _described(work: SparkSession, schema: str, name: str) -> str:
    """The statement that makes an entry, and under what it has to run."""
    entry: Any = catalog_entry(work, f"{quoted(schema)}.{quoted(name)}")
    told: dict[str, object] = {"managed": str(entry.tableType().name()) == "MANAGED"}
    table = f"{quoted(schema)}.{quoted(name)}"
    if entry.viewText().isDefined():
        namespace = entry.viewCatalogAndNamespace()
        told["namespace"] = [str(namespace.apply(i)) for i in range(namespace.size())]
        told["settings"] = _settings(entry)
        [(text,)] = work.sql(f"SHOW CREATE TABLE {table}").collect()
        return json.dumps({"statement": text, **told}, indent=1)
    place = quoted_text(str(entry.location()))
    if str(entry.provider().get()).lower() == SELF_TOLD:
        text = f"CREATE TABLE {table} USING {SELF_TOLD} LOCATION {place}"
    else:
        [(text,)] = work.sql(f"SHOW CREATE TABLE {table}").collect()
        text += f"\nLOCATION {place}" if told["managed"] else ""
    return json.dumps({"statement": text, **told}, indent=1)


def _settings(view: Any) -> dict[str, str]:
    pairs = view.viewSQLConfigs().iterator()
    found = {}
    while pairs.hasNext():
        pair = pairs.next()
        found[str(pair._1())] = str(pair._2())
    return dict(sorted(found.items()))


def _made(work: SparkSession, schema: str, name: str, told: dict[str, Any]) -> None:
    statement = str(told["statement"])
    if "namespace" not in told:
        forget(work, schema, name)
        work.sql(statement)
        if told["managed"]:
            set_managed(work, schema, name, managed=True)
        return
    own = clone_session(work)
    for key, value in told["settings"].items():
        own.conf.set(key, value)
    own.sql(f"USE {'.'.join(map(quoted, told['namespace']))}")
    own.sql(statement.replace(_VIEW, "CREATE OR REPLACE VIEW ", 1))
