"""What ARCHITECTURE.md and docs/frontend.md name is there: rooms, files and functions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT, first_cells

SOURCE = ROOT / "src" / "rollview"
PAGE = ROOT / "ARCHITECTURE.md"
_NAMED = re.compile(r"`([\w/]+\.(?:py|java))(?:::([\w.]+))?`")


@pytest.mark.parametrize("page", [PAGE, DOCS / "frontend.md"], ids=lambda page: page.name)
def test_files_and_functions_exist(page: Path) -> None:
    named = _NAMED.findall(page.read_text("utf-8"))
    assert named
    for file, name in named:
        found = [path for path in _files() if str(path).endswith(f"/{file}")]
        assert found, f"there is no {file}"
        last = name.rpartition(".")[2]
        texts = [path.read_text("utf-8") for path in found]
        assert any(re.search(rf"\b(def|class|void) {last}\b", text) for text in texts) or not name


def test_rooms_are_those_of_the_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    wanted = re.findall(r"rollview\.(\w+)", " ".join(layers))
    cells = " ".join(first_cells(PAGE)).replace("`", "")
    assert [name for name in re.findall(r"(\w+)(?:/|\.py)", cells) if name in wanted] == wanted


def _files() -> list[Path]:
    return [path for folder in (SOURCE, ROOT / "tests") for path in folder.rglob("*.*")]
