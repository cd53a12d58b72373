"""docs/cli.md says what --help says."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_reference_is_current() -> None:
    generator = runpy.run_path(str(DOCS / "generate_cli.py"))
    assert (DOCS / "cli.md").read_text() == generator["page"](), "run make docs"
