"""Control files on any file system that Spark's Hadoop configuration knows."""

from __future__ import annotations

import time
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from rollview.storage.files import aside_name, is_forsaken


class HadoopFiles:
    """Files of any scheme that Spark's Hadoop configuration knows."""

    local = False

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark._jvm
        self._jvm = jvm
        self._rename_class = jvm.java.lang.Class.forName("org.apache.hadoop.fs.Options$Rename")
        self._conf = spark._jsparkSession.sessionState().newHadoopConf()

    def read(self, path: str) -> str | None:
        fs, where = self._open(path)
        if not fs.exists(where):
            return None
        stream = fs.open(where)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def write(self, path: str, text: str) -> None:
        self._rename(self._write_aside(path, text), path, "OVERWRITE")

    def create(self, path: str, text: str) -> bool:
        fs, where = self._open(path)
        if fs.exists(where):
            return False
        aside = self._write_aside(path, text)
        try:
            self._rename(aside, path, "NONE")
        except (Py4JJavaError, PySparkException):
            fs.delete(aside, False)
            if fs.exists(where):
                return False
            raise
        return True

    def names(self, folder: str) -> list[str]:
        fs, where = self._open(folder)
        if not fs.exists(where):
            return []
        found = [str(status.getPath().getName()) for status in fs.listStatus(where)]
        return sorted(name for name in found if not name.startswith("."))

    def size(self, folder: str) -> int | None:
        fs, where = self._open(folder)
        if not fs.exists(where):
            return None
        found = [(str(s.getPath().getName()), int(s.getLen())) for s in fs.listStatus(where)]
        return sum(size for name, size in found if not name.startswith((".", "_")))

    def remove(self, path: str) -> None:
        fs, where = self._open(path)
        fs.delete(where, True)

    def sweep(self, folder: str) -> None:
        fs, where = self._open(folder)
        if not fs.exists(where):
            return
        for status in fs.listStatus(where):
            age = time.time() - status.getModificationTime() / 1000
            if is_forsaken(str(status.getPath().getName()), age):
                fs.delete(status.getPath(), False)

    def _open(self, path: str) -> tuple[Any, Any]:
        where = self._jvm.org.apache.hadoop.fs.Path(path)
        return where.getFileSystem(self._conf), where

    def _rename(self, aside: Any, path: str, how: str) -> None:
        option = self._jvm.java.lang.Enum.valueOf(self._rename_class, how)
        options = self._jvm.java.lang.reflect.Array.newInstance(self._rename_class, 1)
        options[0] = option
        _, where = self._open(path)
        contexts = self._jvm.org.apache.hadoop.fs.FileContext
        contexts.getFileContext(where.toUri(), self._conf).rename(aside, where, options)

    def _write_aside(self, path: str, text: str) -> Any:
        folder, _, name = path.rpartition("/")
        fs, aside = self._open(f"{folder}/{aside_name(name)}")
        stream = fs.create(aside, True)
        try:
            stream.write(bytearray(text.encode("utf-8")))
        finally:
            stream.close()
        return aside
