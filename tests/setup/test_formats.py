"""Nothing outside storage/ knows a format: names of formats in code, but for what is listed here.

Prose may name formats: docstrings and comments are passed over. The word "delta" alone is also the
algebra's word for a view's change, so only uses that can mean nothing but the format are found.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src" / "rollview"

FORMAT = re.compile(
    r"""iceberg | parquet | databricks
      | delta[ _.](lake|log|table|spark|sharing) | "delta" | 'delta'
      | using\ delta\b | \bdelta\.(`|enable|\w+\.)
      | \bio[./]delta\b | \bsql\.delta\b
      | delta(log|table|catalog|source|backing|sparksession)
    """,
    re.IGNORECASE | re.VERBOSE,
)
ANYTHING = re.compile("")

# What may name a format, by file: the pieces that may, and why.
ALLOWED = {
    "runtime/jars.py": (ANYTHING, "fetches the jars of the formats"),
    "runtime/local_spark.py": (ANYTHING, "starts a session that has the formats"),
    "cli/demo_lake.py": (re.compile("USING delta|delta.enable"), "makes base tables, as users do"),
    "cli/create.py": (re.compile('^"Where its rows are stored'), "help for people"),
    "cli/demo.py": (re.compile('^"delta"$'), "measures against a table that a user would write"),
    "frontend/jvm/Leaves.java": (
        re.compile('iceberg|sql.delta|^"delta"$'),
        "reads the format out of Spark's plan, by the classes of the plan",
    ),
    "frontend/define.py": (
        re.compile('^"(delta|iceberg|store it as a Delta or Iceberg table)"$'),
        "the names that Leaves.java gives, since storage/ lies beside it; a hint",
    ),
    "sql/program.py": (re.compile('^"delta"$'), "the change of a view: the algebra's word"),
    "frontend/checks.py": (re.compile('^"write it '), "hints for people"),
}


def pieces(file: Path) -> Iterator[str]:
    """The identifiers and the quoted literals of a file, without docstrings and comments."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        yield from _python_pieces(ast.parse(text))
    elif file.suffix == ".java":
        token = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|[\w.]+'
        for found in re.findall(token, text, re.DOTALL):
            if not found.startswith(("//", "/*")):
                yield found
    else:
        yield text


def _python_pieces(tree: ast.Module) -> Iterator[str]:
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    prose = {id(node.value) for node in statements}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as text) if id(node) not in prose:
                yield f'"{text}"'
            case ast.Constant():
                continue
            case _:
                for _, value in ast.iter_fields(node):
                    names = value if isinstance(value, list) else [value]
                    yield from (name for name in names if isinstance(name, str))


def violations(sources: Path) -> list[str]:
    """Every piece that names a format where none may."""
    found = []
    for file in sorted(sources.rglob("*")):
        name = file.relative_to(sources).as_posix()
        if file.is_dir() or name.startswith("storage/") or file.suffix == ".pyc":
            continue
        allowed = ALLOWED.get(name)
        for piece in pieces(file):
            if FORMAT.search(piece) and not (allowed and allowed[0].search(piece)):
                found.append(f"{name}: {piece}")
    return found


def test_only_storage_knows_formats() -> None:
    assert violations(SOURCES) == []


@pytest.mark.parametrize("file", sorted(ALLOWED))
def test_what_is_allowed_is_needed(file: str) -> None:
    allowed, _ = ALLOWED[file]
    named = [piece for piece in pieces(SOURCES / file) if FORMAT.search(piece)]
    assert any(allowed.search(piece) for piece in named), f"{file} names no format any more"


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("runtime/refresh.py", "from rollview.storage.delta_lake import DeltaBacking"),
        ("runtime/refresh.py", 'FORMAT = "delta"'),
        ("runtime/refresh.py", 'frame.write.format("delta").save(path)'),
        ("runtime/refresh.py", 'spark.sql(f"CREATE TABLE {name} (a INT) USING delta")'),
        ("runtime/refresh.py", 'spark.sql(f"OPTIMIZE delta.`{path}`")'),
        ("runtime/refresh.py", 'spark.conf.set("spark.databricks.delta.merge.x", "1")'),
        ("runtime/refresh.py", "log = jvm.org.apache.spark.sql.delta.DeltaLog"),
        ("runtime/refresh.py", 'kind = "io.delta.sql.DeltaSparkSessionExtension"'),
        ("runtime/refresh.py", 'there = (folder / "_delta_log").is_dir()'),
        ("runtime/refresh.py", "def read_iceberg(): ..."),
        ("sql/render.py", 'text = f"SELECT * FROM parquet.`{path}`"'),
        ("sql/render.py", 'message = "has no Delta Lake"'),
        ("frontend/define.py", 'also = "parquet"'),
        ("frontend/jvm/Plans.java", 'String provider = "delta";'),
        ("frontend/jvm/Plans.java", "import org.apache.iceberg.Table;"),
    ],
)
def test_a_violation_is_found(tmp_path: Path, file: str, line: str) -> None:
    planted = tmp_path / file
    planted.parent.mkdir(parents=True)
    planted.write_text(f"{line}\n")
    assert violations(tmp_path)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("maintenance/join.py", "def delta_join(delta, delta_left, delta_right): ..."),
        ("maintenance/join.py", 'name = f"delta of {view}"'),
        ("maintenance/join.py", "x = 1  # as Delta Lake does"),
        ("maintenance/join.py", '"""Deltas are stored as Parquet."""'),
        ("runtime/recovery.py", "from datetime import timedelta"),
        ("frontend/jvm/Plans.java", '// "delta" and iceberg\n/* io.delta\n */'),
        ("storage/delta_lake.py", 'FORMAT = "delta"'),
    ],
)
def test_the_algebra_and_prose_are_not(tmp_path: Path, file: str, line: str) -> None:
    planted = tmp_path / file
    planted.parent.mkdir(parents=True)
    planted.write_text(f"{line}\n")
    assert violations(tmp_path) == []
