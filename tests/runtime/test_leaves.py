"""Leaves of a program are made when they are asked for, once, and else not at all."""

from __future__ import annotations

import pytest

from rollview.algebra.relations import After
from rollview.maintenance.program import Program, Step
from rollview.runtime.incremental import Leaves
from rollview.runtime.propagate import Computed, propagate
from tests.algebra.examples import PEOPLE


class Engine:
    """Remembers what it was asked to run."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def compute(self, name: str, statement: str) -> Computed:
        self.statements.append(statement)
        return Computed(name, 1)

    def range(self, *_: object) -> None:
        return None


def test_each_is_made_once_and_only_if_asked_for() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return f"view_{name}"

    leaves = Leaves({"state s": "s"}, {n: lambda n=n: make(n) for n in ("after a", "after b")})  # type: ignore[misc]
    assert set(leaves) == {"state s", "after a", "after b"}
    assert len(leaves) == 3
    assert "after a" in leaves
    assert made == []
    assert [leaves["after a"], leaves["after a"], leaves["state s"]] == ["view_after a"] * 2 + ["s"]
    assert made == ["after a"]
    with pytest.raises(KeyError):
        leaves["after c"]


def test_a_program_asks_for_what_its_steps_read() -> None:
    def never() -> str:
        raise AssertionError("nobody reads this")

    people = After("people", PEOPLE.fields, PEOPLE.columns)
    program = Program((Step("rows_1", people),), None, {}, {})
    engine = Engine()
    makers = {"after people": lambda: "people_now", "after teams": never}
    propagate(program, Leaves({}, makers), engine)
    assert "people_now" in engine.statements[0]
