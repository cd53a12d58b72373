"""Write docs/cli.md from the --help texts of the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rollview.cli.main import COMMANDS
from rollview.runtime.jars import required_jars

PAGE = Path(__file__).with_name("cli.md")
_SOURCE = str(Path(__file__).resolve().parents[1] / "src")

HEAD = """# Command line

Generated from `--help` by `make docs`; a test keeps it current.

Every command prints text for people or, with `--json`, exactly one JSON document on stdout.
Messages go to stderr, and so does progress: on a terminal at once, elsewhere as a plain line for
each step that lasts longer than a second, with `--json` not at all. Exit codes: 0 good, 1 error,
2 wrong usage, 3 a view is stale (`status --check`) or wrong (`verify`), 130 interrupted.

| environment variable | meaning |
|---|---|
| `ROLLVIEW_LAKE` | the lake folder, where `--lake` is not given |
| `ROLLVIEW_JARS` | a folder that holds the jars below, for machines without a network |
| `ROLLVIEW_DRIVER_MEMORY` | memory of the local Spark, such as `4g`; if not set, a quarter of all |
| `JAVA_HOME` | the Java to use (17 to 22); otherwise the `java` on the `PATH` |
| `XDG_CACHE_HOME` | jars and logs are kept in `rollview/` under it; `~/.cache` if not set |

The jars that `ROLLVIEW_JARS` must hold (Maven coordinates):

"""


def page() -> str:
    """The whole page."""
    jars = "".join(f"- `{jar.coordinates}`\n" for jar in required_jars())
    parts = [HEAD + jars, _section("rollview", [])]
    parts += [_section(f"rollview {name}", [name]) for name in COMMANDS]
    return "\n".join(parts)


def _section(title: str, words: list[str]) -> str:
    text = subprocess.run(
        [sys.executable, "-m", "rollview.cli", *words, "--help"],
        check=True,
        capture_output=True,
        text=True,
        env={"COLUMNS": "90", "LC_ALL": "C.UTF-8", "PYTHONPATH": _SOURCE},
    ).stdout
    return f"## {title}\n\n```text\n{text.strip()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"wrote {PAGE}")
