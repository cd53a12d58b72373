"""Every test that docs/commit-protocol.md names exists, at the very step that it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "commit-protocol.md").read_text()
PLACES = (
    "integration/test_crashes.py",
    "integration/test_crashes_of_a_run.py",
    "integration/test_iceberg_store.py",
    "behaviours/test_iceberg_commits.py",
    "behaviours/test_state.py",
    "behaviours/test_deltas.py",
    "integration/test_kills.py",
    "integration/test_meaning.py",
    "integration/test_two_processes.py",
    "behaviours/test_view_store.py",
    "runtime/test_recovery.py",
    "soak/test_kills.py",
    "storage/test_files.py",
    "storage/test_lock.py",
)
TESTS = "\n\n\n".join((ROOT / "tests" / place).read_text() for place in PLACES)
CODE = "".join(path.read_text() for path in (ROOT / "src" / "rollview").rglob("*.py"))
# A number after the step says which of its passings: `test_crash_at_a_step_of_a_run[commit.x-2]`.
NAMED = sorted(set(re.findall(r"`(test_\w+)(?:\[([\w.]+?)(?:-\d)?\])?`", PAGE)))


def test_the_page_names_tests() -> None:
    assert len(NAMED) > 15


@pytest.mark.parametrize(("name", "step"), NAMED)
def test_a_named_test_exists(name: str, step: str) -> None:
    definition = re.search(rf"((?:@.*?\n)?)def {name}\(", TESTS, re.DOTALL)
    assert definition is not None, f"{name} is in none of {PLACES}"
    before = TESTS[: definition.end()].rpartition("\n\n\n")[2]
    for constant in re.findall(r"\b[A-Z]{3,}\b", before):
        before += "".join(re.findall(rf"^{constant} = \[\n.*?^\]", TESTS, re.DOTALL | re.MULTILINE))
    assert step in before, f"{name} has no case {step}"


@pytest.mark.parametrize("step", sorted({step for _, step in NAMED if step}))
def test_a_named_step_is_a_point_in_the_code(step: str) -> None:
    kind, _, moment = step.partition(".")
    written = (f'"{step}"', f'f"{{step}}.{moment}"')
    assert any(text in CODE for text in written), step
    assert kind in ("create", "state", "commit", "clean", "refresh", "replace", "drop")


@pytest.mark.parametrize("point", sorted(set(re.findall(r'faults\.point\("([\w.]+)"\)', CODE))))
def test_a_point_in_the_code_is_a_step_of_the_page(point: str) -> None:
    assert re.search(rf"\[{re.escape(point)}(-\d)?\]`", PAGE)
