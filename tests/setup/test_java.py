"""A missing or wrong Java is one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollview.errors import JavaMissing
from rollview.runtime.java import feature_version, find_java


def install(folder: Path, says: str) -> Path:
    """A program called java that prints its version as Java does, on stderr."""
    command = folder / "bin" / "java"
    command.parent.mkdir(parents=True)
    command.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{says}\nEND\n")
    command.chmod(0o755)
    return command


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('java version "1.8.0_292"', 8),
        ('openjdk version "25-ea" 2025-09-16', 25),
        ("command not found", None),
    ],
)
def test_version_is_read(text: str, version: int | None) -> None:
    assert feature_version(text) == version


@pytest.mark.parametrize("version", ["17.0.15", "21.0.1"])
def test_java_home_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    command = install(tmp_path, f'openjdk version "{version}"')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    found = find_java()
    assert (found.command, found.version) == (command, int(version[:2]))


def test_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = install(tmp_path, 'openjdk version "11.0.2" 2019-01-15')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaMissing) as caught:
        find_java()
    assert caught.value.message == (
        f"Java 11 at {command} (from JAVA_HOME) is too old; Spark needs 17 or newer"
    )
    assert "install Java 17 or 21" in (caught.value.hint or "")


def test_too_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, 'openjdk version "25.0.1" 2025-10-21')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaMissing, match=r"Java 25 at .* is too new; Spark runs on 17 to 22"):
        find_java()


def test_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JavaMissing, match="Java was not found: JAVA_HOME is not set and no java"):
        find_java()


def test_java_home_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaMissing, match=r"JAVA_HOME is .*, but .*/bin/java does not exist"):
        find_java()


def test_java_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = install(tmp_path, 'openjdk version "17.0.1"')
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{command.parent}:/bin:/usr/bin")
    assert find_java().command == command


def test_something_else_called_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "I make coffee")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaMissing, match="does not say which Java it is: 'I make coffee'"):
        find_java()
