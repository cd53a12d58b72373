"""Jars come from the cache, from a given folder, or not at all with one clear line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from rollview.errors import JarUnavailable, SparkUnsupported
from rollview.runtime import jars
from rollview.runtime.jars import provide_jars, required_jars
from rollview.runtime.jvm import LaunchFailed

OFFLINE = """
:: problems summary ::
:::: WARNINGS
\t\tmodule not found: io.delta#delta-spark_4.1_2.13;4.4.0
:: UNRESOLVED DEPENDENCIES ::
:: io.delta#delta-spark_4.1_2.13;4.4.0: not found
Exception in thread "main" java.lang.RuntimeException: [unresolved dependency: \
io.delta#delta-spark_4.1_2.13;4.4.0: not found]
"""


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ROLLVIEW_JARS", raising=False)
    return tmp_path / "cache" / "rollview" / "ivy"


class FakeIvy:
    """Delivers empty jars instead of launching Java."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: LaunchFailed | None = None) -> None:
        self.runs: list[Mapping[str, str]] = []
        self.error = error
        monkeypatch.setattr(jars, "launch", self.launch)
        monkeypatch.setattr(jars, "shut_down", lambda gateway: None)

    def launch(self, settings: Mapping[str, str]) -> None:
        self.runs.append(settings)
        if self.error:
            raise self.error
        folder = Path(settings["spark.jars.ivy"]) / "jars"
        folder.mkdir(parents=True, exist_ok=True)
        for jar in required_jars():
            (folder / jar.file_name).write_bytes(b"jar")


def test_fetched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ivy = FakeIvy(monkeypatch)
    first = provide_jars()
    assert provide_jars() == first
    assert len(ivy.runs) == 1
    assert [file.name for file in first] == [jar.file_name for jar in required_jars()]


@pytest.mark.parametrize("damage", ["cut", "missing"])
def test_damaged_cache_is_fetched_again(
    monkeypatch: pytest.MonkeyPatch, fresh_cache: Path, damage: str
) -> None:
    ivy = FakeIvy(monkeypatch)
    file = provide_jars()[0]
    if damage == "cut":
        file.write_bytes(b"")
    else:
        file.unlink()
    provide_jars()
    assert len(ivy.runs) == 2


def test_offline_names_the_jar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    FakeIvy(monkeypatch, LaunchFailed(OFFLINE, tmp_path / "spark.log"))
    with pytest.raises(JarUnavailable) as caught:
        provide_jars()
    assert caught.value.message.startswith(
        "io.delta:delta-spark_4.1_2.13:4.4.0 could not be fetched"
    )
    assert "ROLLVIEW_JARS" in (caught.value.hint or "")


def test_given_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ivy = FakeIvy(monkeypatch)
    folder = tmp_path / "jars"
    folder.mkdir()
    wanted = required_jars()
    for jar in wanted[1:]:
        (folder / f"{jar.artifact}-{jar.version}.jar").touch()
    monkeypatch.setenv("ROLLVIEW_JARS", str(folder))
    with pytest.raises(JarUnavailable, match=r"delta-spark_4\.1_2\.13-4\.4\.0\.jar is not in"):
        provide_jars()
    (folder / wanted[0].file_name).touch()
    assert len(provide_jars()) == len(wanted)
    assert not ivy.runs


def test_given_folder_that_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROLLVIEW_JARS", str(tmp_path / "nowhere"))
    with pytest.raises(JarUnavailable, match="which is not a folder"):
        provide_jars()


def test_spark_without_jars() -> None:
    with pytest.raises(SparkUnsupported, match=r"needs PySpark 4\.1, this is 4\.2\.0"):
        required_jars("4.2.0")
