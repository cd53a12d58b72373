"""Find the Java that will run Spark, before Spark trips over its absence."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from rollview.errors import JavaMissing

OLDEST, NEWEST = 17, 22  # later ones lack a call that Spark's file systems make when they start

_INSTALL = (
    "install Java 17 or 21 (Debian/Ubuntu: apt install openjdk-17-jre-headless; "
    "macOS: brew install openjdk@17) or point JAVA_HOME at one"
)


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that can run Spark: its command and its feature version."""

    command: Path
    version: int


def find_java() -> Java:
    """Return the Java that Spark will use, or raise JavaMissing saying what was found instead."""
    command, origin = _command()
    text = _version_text(command, origin)
    version = feature_version(text)
    if version is None:
        raise JavaMissing(
            f"{command} ({origin}) does not say which Java it is: {_first_line(text)!r}",
            hint=_INSTALL,
        )
    if version < OLDEST:
        raise JavaMissing(
            f"Java {version} at {command} ({origin}) is too old; Spark needs {OLDEST} or newer",
            hint=_INSTALL,
        )
    if version > NEWEST:
        raise JavaMissing(
            f"Java {version} at {command} ({origin}) is too new; Spark runs on {OLDEST} to "
            f"{NEWEST}",
            hint=_INSTALL,
        )
    return Java(command, version)


def feature_version(text: str) -> int | None:
    """The feature version in the output of ``java -version``: 17 for 17.0.15, 8 for 1.8.0_292."""
    match = re.search(r'version "(\d+)(?:\.(\d+))?', text)
    if match is None:
        return None
    major, minor = int(match[1]), match[2]
    return int(minor) if major == 1 and minor else major


def _command() -> tuple[Path, str]:
    home = os.environ.get("JAVA_HOME")
    if home:
        command = Path(home) / "bin" / "java"
        if not command.is_file():
            raise JavaMissing(f"JAVA_HOME is {home}, but {command} does not exist", hint=_INSTALL)
        return command, "from JAVA_HOME"
    found = shutil.which("java")
    if found is None:
        raise JavaMissing(
            "Java was not found: JAVA_HOME is not set and no java is on the PATH", hint=_INSTALL
        )
    return Path(found), "from PATH"


def _version_text(command: Path, origin: str) -> str:
    try:
        answer = subprocess.run(
            [command, "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaMissing(f"{command} ({origin}) cannot be run: {error}", hint=_INSTALL) from error
    return answer.stderr + answer.stdout


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
