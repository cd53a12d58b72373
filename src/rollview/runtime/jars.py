"""The jars of Delta Lake and Iceberg: fetched once by Spark's own Ivy, then used from our cache."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from rollview.errors import JarUnavailable, SparkUnsupported
from rollview.runtime.jvm import LaunchFailed, cache_folder, launch, shut_down

_log = logging.getLogger(__name__)

DELTA = "4.4.0"
ICEBERG = "1.12.0"
_SPARK = "4.1"

# Delta names these as dependencies too, but Spark brings its own versions of them, and two
# versions of log4j, jackson, Hadoop or Parquet in one process clash.
_EXCLUDED = (
    "com.*:*",
    "commons*:*",
    "io.unitycatalog:unitycatalog-hadoop",
    "jakarta*:*",
    "org.antlr*:*",
    "org.apache.hadoop*:*",
    "org.apache.httpcomponents*:*",
    "org.apache.logging*:*",
    "org.apache.parquet*:*",
    "org.openapitools*:*",
    "org.roaringbitmap*:*",
    "org.slf4j*:*",
)

_OFFLINE_HINT = (
    "connect to the network once, or set ROLLVIEW_JARS to a folder that holds the jars "
    "(docs/cli.md lists them)"
)


@dataclass(frozen=True, slots=True)
class Jar:
    """One jar: its Maven coordinates."""

    group: str
    artifact: str
    version: str

    @property
    def coordinates(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def file_name(self) -> str:
        """The name under which Spark's Ivy stores the jar."""
        return f"{self.group}_{self.artifact}-{self.version}.jar"


def required_jars(spark_version: str = pyspark.__version__) -> tuple[Jar, ...]:
    """The jars that a local session needs; the first two are named to Ivy, which finds the rest."""
    if not spark_version.startswith(f"{_SPARK}."):
        raise SparkUnsupported(
            f"a local session needs PySpark {_SPARK}, this is {spark_version}: Delta {DELTA} and "
            f"Iceberg {ICEBERG} both exist for {_SPARK} only",
            hint=f"pip install 'pyspark=={_SPARK}.*', or use rollview.connect(spark)",
        )
    return (
        Jar("io.delta", f"delta-spark_{_SPARK}_2.13", DELTA),
        Jar("org.apache.iceberg", f"iceberg-spark-runtime-{_SPARK}_2.13", ICEBERG),
        Jar("io.delta", "delta-storage", DELTA),
        Jar("io.delta", "delta-kernel-api", DELTA),
        Jar("io.delta", "delta-kernel-defaults", DELTA),
        Jar("io.delta", "delta-kernel-unitycatalog", DELTA),
        Jar("io.unitycatalog", "unitycatalog-client", "0.6.0"),
    )


def provide_jars(announce: Callable[[str], None] = _log.info) -> tuple[Path, ...]:
    """Return the jar files, fetching them if they were never fetched; ROLLVIEW_JARS comes first."""
    given = os.environ.get("ROLLVIEW_JARS")
    if given:
        return _from_folder(Path(given))
    folder = cache_folder() / "ivy"
    files = _fetched(folder)
    if files is None:
        with _lock(folder):
            files = _fetched(folder)
            if files is None:
                announce("fetching the Delta Lake and Iceberg jars (60 MB, once)")
                files = _fetch(folder)
    return files


def _from_folder(folder: Path) -> tuple[Path, ...]:
    if not folder.is_dir():
        raise JarUnavailable(
            f"ROLLVIEW_JARS is {folder}, which is not a folder",
            hint="point ROLLVIEW_JARS at a folder of jars, or unset it to fetch them",
        )
    # Hand-copied jars have Maven's plain names, jars from an Ivy cache carry the group as well.
    files = []
    for jar in required_jars():
        plain = folder / f"{jar.artifact}-{jar.version}.jar"
        found = next((file for file in (plain, folder / jar.file_name) if file.is_file()), None)
        if found is None:
            raise JarUnavailable(
                f"{plain.name} is not in {folder} (ROLLVIEW_JARS)",
                hint=f"copy {jar.coordinates} there, or unset ROLLVIEW_JARS to fetch it",
            )
        files.append(found)
    return tuple(files)


def _fetched(folder: Path) -> tuple[Path, ...] | None:
    """The jars of an earlier complete fetch; sizes are compared, since a copy may be cut short."""
    try:
        sizes = json.loads(_receipt(folder).read_text())
    except (OSError, ValueError):
        return None
    files = tuple(folder / "jars" / jar.file_name for jar in required_jars())
    complete = all(file.is_file() and file.stat().st_size == sizes.get(file.name) for file in files)
    return files if complete else None


def _fetch(folder: Path) -> tuple[Path, ...]:
    jars = required_jars()
    settings = {
        "spark.jars.packages": ",".join(jar.coordinates for jar in jars[:2]),
        "spark.jars.excludes": ",".join(_EXCLUDED),
        "spark.jars.ivy": str(folder),
        "spark.driver.memory": "512m",
    }
    try:
        shut_down(launch(settings))
    except LaunchFailed as failure:
        raise _unavailable(failure) from failure
    files = tuple(folder / "jars" / jar.file_name for jar in jars)
    for jar, file in zip(jars, files, strict=True):
        if not file.is_file():
            raise JarUnavailable(f"{jar.coordinates} was not delivered", hint=_OFFLINE_HINT)
    _receipt(folder).write_text(json.dumps({file.name: file.stat().st_size for file in files}))
    return files


def _unavailable(failure: LaunchFailed) -> JarUnavailable:
    names = re.findall(r"unresolved dependency: (\S+)#(\S+);([^:\s]+)", failure.output)
    names += re.findall(r"\[FAILED\s*\] (\S+)#(\S+);([^!\s]+)", failure.output)
    what = ", ".join(dict.fromkeys(":".join(name) for name in names)) or "Delta Lake and Iceberg"
    return JarUnavailable(
        f"{what} could not be fetched (details in {failure.log})", hint=_OFFLINE_HINT
    )


def _receipt(folder: Path) -> Path:
    return folder / f"complete-{pyspark.__version__}-{DELTA}-{ICEBERG}.json"


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Two first starts at once would fetch into each other's files."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
