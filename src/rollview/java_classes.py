"""Java classes of ours, compiled inside Spark's own JVM by Janino, which Spark itself uses."""

from __future__ import annotations

import threading
from importlib import resources
from typing import Any

from pyspark.sql import SparkSession

_lock = threading.Lock()
_compiled: dict[tuple[int, str], Any] = {}


def load(spark: SparkSession, package: str, classes: tuple[str, ...]) -> Any:
    """An object of the last of these classes of a package's folder ``jvm``, one per JVM."""
    jvm = spark._jvm
    key = (id(jvm), classes[-1])
    with _lock:
        if key not in _compiled:
            for old in [found for found in _compiled if found[0] != id(jvm)]:
                del _compiled[old]
            _compiled[key] = _compile(jvm, package, classes)
        return _compiled[key]


def _compile(jvm: Any, package: str, classes: tuple[str, ...]) -> Any:
    folder = resources.files(package) / "jvm"
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(loader)
    compiler.cook(_one_unit([(folder / f"{name}.java").read_text("utf-8") for name in classes]))
    return compiler.getClassLoader().loadClass(f"rollview.{classes[-1]}").newInstance()


def _one_unit(sources: list[str]) -> str:
    """All classes in one compilation unit, so that they may refer to each other."""
    package = "package rollview;\n"
    imports: dict[str, None] = {}
    bodies: list[str] = []
    for source in sources:
        lines = source.splitlines()
        imports.update(dict.fromkeys(line for line in lines if line.startswith("import ")))
        body = [line for line in lines if not line.startswith(("import ", "package "))]
        bodies.append("\n".join(body))
    return package + "\n".join(imports) + "\n" + "\n".join(bodies)
