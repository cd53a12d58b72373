"""Control files: whole or absent, created once, listed and removed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from rollview.errors import LakeNotWritable
from rollview.storage.files import Files, LocalFiles, file_to_name, files_at, name_to_file
from rollview.storage.hadoop_files import HadoopFiles

DAY = 24 * 3600


@pytest.fixture(params=["local", pytest.param("hadoop", marks=pytest.mark.spark)])
def files(request: pytest.FixtureRequest) -> Files:
    if request.param == "local":
        return LocalFiles()
    return HadoopFiles(request.getfixturevalue("spark"))


def test_what_is_written_is_read_and_replaced(files: Files, tmp_path: Path) -> None:
    path = f"{tmp_path}/a/b.json"
    assert files.read(path) is None
    files.write(path, "één")
    files.write(path, "zwei ✓")
    assert files.read(path) == "zwei ✓"


def test_create_succeeds_once(files: Files, tmp_path: Path) -> None:
    path = f"{tmp_path}/once.json"
    assert files.create(path, "first")
    assert not files.create(path, "second")
    assert files.read(path) == "first"


def test_nothing_is_left_beside_a_file(files: Files, tmp_path: Path) -> None:
    files.write(f"{tmp_path}/x.json", "1")
    files.create(f"{tmp_path}/x.json", "2")
    assert [p.name for p in tmp_path.iterdir() if not p.name.endswith(".crc")] == ["x.json"]


def test_names_are_sorted_and_a_missing_folder_is_empty(files: Files, tmp_path: Path) -> None:
    for name in ("b", "a", ".hidden"):
        files.write(f"{tmp_path}/d/{name}", "")
    assert files.names(f"{tmp_path}/d") == ["a", "b"]
    assert files.names(f"{tmp_path}/none") == []


def test_remove_takes_files_folders_and_nothing(files: Files, tmp_path: Path) -> None:
    files.write(f"{tmp_path}/d/e/f", "")
    files.remove(f"{tmp_path}/d")
    files.remove(f"{tmp_path}/d")
    assert files.names(str(tmp_path)) == []


def test_what_the_dead_wrote_aside_is_swept(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from rollview.storage.files import LocalFiles\n"
        "Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "LocalFiles().write(sys.argv[1], 'text')\n"
    )
    done = subprocess.run([sys.executable, "-c", program, f"{tmp_path}/x.json"], check=False)
    assert done.returncode == -9
    (tmp_path / "kept.json").touch()
    (tmp_path / ".kept.json.crc").touch()
    assert len(list(tmp_path.iterdir())) == 3
    LocalFiles().sweep(str(tmp_path))
    assert sorted(p.name for p in tmp_path.iterdir()) == [".kept.json.crc", "kept.json"]


def test_what_the_living_write_aside_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def meanwhile(aside: Path, target: str) -> Path:
        LocalFiles().sweep(str(tmp_path))
        return replace(aside, target)

    monkeypatch.setattr(Path, "replace", meanwhile)
    LocalFiles().write(f"{tmp_path}/x.json", "text")
    assert LocalFiles().read(f"{tmp_path}/x.json") == "text"


def test_what_another_host_wrote_aside_is_swept_after_days(files: Files, tmp_path: Path) -> None:
    aside = tmp_path / f".x.json.00000000-1-1.{'0' * 32}.aside"
    aside.touch()
    files.sweep(str(tmp_path))
    assert aside.exists()
    os.utime(aside, (time.time() - 8 * DAY,) * 2)
    files.sweep(str(tmp_path))
    assert not aside.exists()
    files.sweep(f"{tmp_path}/none")


def test_a_folder_under_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    with pytest.raises(LakeNotWritable, match=r"cannot write .*plain/x: Not a directory"):
        LocalFiles().write(f"{tmp_path}/plain/x/y.json", "1")


@pytest.mark.parametrize("name", ["a b", "ü/ö", "x.y", "..", "Quoted `n`"])
def test_every_name_has_a_file(name: str) -> None:
    file = name_to_file(name)
    assert "/" not in file
    assert "." not in file
    assert file_to_name(file) == name.lower()


@pytest.mark.spark
def test_a_location_chooses_its_file_system(spark: SparkSession) -> None:
    assert files_at(spark, "file:/a b/c/")[1] == "/a b/c"
    assert files_at(spark, "/a/c")[0].local
    assert not files_at(spark, "s3a://bucket/c")[0].local
