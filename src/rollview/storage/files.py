"""Control files: small texts that are whole if they exist, on local disks and on Hadoop's."""

from __future__ import annotations

import os
import re
import shutil
import time
import uuid
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, unquote, urlparse

from pyspark.sql import SparkSession

from rollview.errors import LakeNotWritable
from rollview.storage.process import Process, this_process

# How long a file that another host wrote aside counts as being written.
FOREIGN_SECONDS = 7 * 24 * 3600
_ASIDE = re.compile(r"\..+\.([0-9a-f]{8}-\d+-\w+)\.[0-9a-f]{32}\.aside")


class Files(Protocol):
    """What the control state needs of a file system; paths are absolute, with slashes."""

    local: bool

    def read(self, path: str) -> str | None:
        """The text of a file; None if there is none."""

    def write(self, path: str, text: str) -> None:
        """Make the file hold the text, replacing what it held, in one step."""

    def create(self, path: str, text: str) -> bool:
        """Make the file, unless it exists; False if it does."""

    def names(self, folder: str) -> list[str]:
        """What lies in a folder, sorted; nothing if there is no such folder."""

    def size(self, folder: str) -> int | None:
        """The bytes of all files in a folder that readers read; None if there is no folder."""

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all in it; nothing happens if there is none."""

    def sweep(self, folder: str) -> None:
        """Remove what processes that died while they wrote left beside the files of a folder."""


def files_at(spark: SparkSession, location: str) -> tuple[Files, str]:
    """The file system of a location, and the location as that file system spells it."""
    scheme = urlparse(location).scheme
    if scheme == "file":
        return LocalFiles(), "/" + location.removeprefix("file:").strip("/")
    if not scheme:
        return LocalFiles(), location.rstrip("/")
    from rollview.storage.hadoop_files import HadoopFiles

    return HadoopFiles(spark), location.rstrip("/")


def aside_name(name: str) -> str:
    """What a file is called while it is being written; tells who writes it."""
    return f".{name}.{this_process().tag}.{uuid.uuid4().hex}.aside"


def is_forsaken(aside: str, age: float) -> bool:
    """Whether this is the name of a file that nobody writes any more, given its age in seconds."""
    match = _ASIDE.fullmatch(aside)
    if match is None:
        return False
    writer = Process.from_tag(match[1])
    return age > FOREIGN_SECONDS if writer is None else not writer.lives


def name_to_file(name: str) -> str:
    """A file name for any name: no separators, no case, no leading dot."""
    return quote(name.lower(), safe=" ").replace(".", "%2E")


def file_to_name(file: str) -> str:
    """The name that `name_to_file` made the file name from."""
    return unquote(file)


class LocalFiles:
    """Files of this machine: written aside, flushed, then renamed or linked into place."""

    local = True

    def read(self, path: str) -> str | None:
        try:
            return Path(path).read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, path: str, text: str) -> None:
        _write_aside(Path(path), text).replace(path)
        _flush_folder(Path(path))

    def create(self, path: str, text: str) -> bool:
        aside = _write_aside(Path(path), text)
        try:
            Path(path).hardlink_to(aside)
        except FileExistsError:
            return False
        finally:
            aside.unlink()
        _flush_folder(Path(path))
        return True

    def names(self, folder: str) -> list[str]:
        try:
            found = [entry.name for entry in Path(folder).iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(name for name in found if not name.startswith("."))

    def size(self, folder: str) -> int | None:
        try:
            found = [entry for entry in Path(folder).iterdir() if _counts(entry.name)]
        except (FileNotFoundError, NotADirectoryError):
            return None
        return sum(entry.stat().st_size for entry in found)

    def remove(self, path: str) -> None:
        if Path(path).is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            Path(path).unlink(missing_ok=True)

    def sweep(self, folder: str) -> None:
        try:
            found = [path for path in Path(folder).iterdir() if path.name.startswith(".")]
        except (FileNotFoundError, NotADirectoryError):
            return
        for path in found:
            try:
                age = time.time() - path.stat().st_mtime
            except FileNotFoundError:  # it has got its name meanwhile
                continue
            if is_forsaken(path.name, age):
                path.unlink(missing_ok=True)


def _counts(name: str) -> bool:
    return not name.startswith((".", "_"))


def not_writable(folder: Path, failure: OSError) -> LakeNotWritable:
    """The error for a folder that refuses to be written."""
    return LakeNotWritable(
        f"cannot write {folder}: {failure.strerror}",
        hint="give this user the right to write there, or choose another lake",
    )


def _write_aside(path: Path, text: str) -> Path:
    aside = path.with_name(aside_name(path.name))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as failure:
        raise not_writable(path.parent, failure) from failure
    return aside


def _flush_folder(path: Path) -> None:
    """A rename survives a power cut only once its folder is flushed, too."""
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
