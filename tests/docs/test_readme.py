"""The examples of README.md, and of any other page, run as they are printed, one after another.

They run in one process and one Spark: `demo-lake` leads to the folder of the tests' own session,
and holds the tables that `make demo` makes. What `make demo` itself prints is compared with the
page in tests/cli/test_real_lake.py.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import rollview
from rollview.cli.demo_lake import DemoLake
from rollview.cli.main import run
from rollview.cli.options import State
from tests.docs.pages import DOCS, ROOT, Block, blocks, pages

pytestmark = pytest.mark.spark

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TABLES = ("customers", "products", "orders", "items")
_PROMISE = re.compile(r"exit code (\d+)(?:: (.+))?")


def runnable(page: Path) -> list[Block]:
    """The SQL of operator pages is compared with their trees, in tests/docs/test_operators.py."""
    languages = {"python", "console"} | ({"sql"} if page.parent != DOCS / "operators" else set())
    return [block for block in blocks(page) if block.language in languages]


PAGES = [page for page in pages() if runnable(page)]


@pytest.fixture
def lake(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SparkSession]:
    """A folder to work in whose `demo-lake` is that of the tests' session."""
    home = Path(spark.conf.get("spark.rollview.lake") or "")
    (tmp_path / "demo-lake").symlink_to(home)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROLLVIEW_LAKE", raising=False)
    # Every command closes its lake, which would stop the Spark of all tests.
    monkeypatch.setattr("rollview.runtime.connect.close", lambda lake: None)
    yield spark
    db = rollview.connect(home)
    for view in db.views():
        db.drop_view(view.name)
    for table in TABLES:
        spark.sql(f"DROP TABLE IF EXISTS {table}")
    (home / "demo.json").unlink(missing_ok=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run(
    page: Path,
    lake: SparkSession,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names: dict[str, Any] = {}
    DemoLake(Path("demo-lake"), 1).fill(lake)
    for block in runnable(page):
        match block.language:
            case "python":
                # The traceback of a failure then shows the line of the page.
                code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
                exec(code, names)
            case "sql":
                db = rollview.connect("demo-lake")
                for statement in re.split(r"(?<=;)\n", block.text.strip()):
                    answer = db.sql(statement)
                    if isinstance(answer, DataFrame):
                        answer.collect()
            case "console":
                for line in block.text.splitlines():
                    if line.startswith("$ "):
                        _shell(line.removeprefix("$ "), capsys, monkeypatch)


def _shell(line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Do what the line says; a comment may promise an exit code and a view's state."""
    promise = _PROMISE.search(line.partition("#")[2])
    program, *arguments = shlex.split(line, comments=True)
    match program:
        case "rollview":
            capsys.readouterr()
            code = run(arguments, State())
            out, err = capsys.readouterr()
            assert code == (int(promise[1]) if promise else 0), f"{line}\n{out}{err}"
            if "--json" in arguments:
                json.loads(out)
            if promise and promise[2]:
                view, state = promise[2].split(" is ")
                assert re.search(rf"^{view}\s+{state}\b", out, re.MULTILINE), f"{line}\n{out}"
        case "export":
            name, value = arguments[0].split("=")
            monkeypatch.setenv(name, value)
        case "make":
            assert re.search(rf"^{arguments[0]}:", MAKEFILE, re.MULTILINE), line
        case _:
            pytest.fail(f"the page has a command that is not known here: {line}")


def test_the_readme_has_examples_of_every_kind() -> None:
    assert {block.language for block in runnable(ROOT / "README.md")} == {
        "python",
        "sql",
        "console",
    }


def test_the_demo_of_the_makefile_is_the_command_in_the_readmes_lake() -> None:
    assert re.search(r"^LAKE \?= demo-lake$", MAKEFILE, re.MULTILINE)
    assert "$(BIN)/rollview demo --lake $(LAKE)" in MAKEFILE
