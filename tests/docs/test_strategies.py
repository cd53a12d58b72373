"""The worked examples of docs/strategies.md are what the strategies do."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from rollview.algebra.expressions import binary, column
from rollview.algebra.relations import Distinct, Join, JoinKind, Relation, Scan
from rollview.maintenance.choice import Choice
from rollview.maintenance.program import RuleName
from rollview.maintenance.reach import out_of_reach
from rollview.maintenance.strategies import choose
from rollview.planning.verdict import judge
from tests.algebra.examples import DEFINITIONS, EXAMPLES, keep, schema
from tests.docs.pages import DOCS
from tests.maintenance.people import connection
from tests.maintenance.sizes import sizes
from tests.maintenance.test_compiler import LEVELS, scan
from tests.planning.views import definition_of, explained
from tests.properties.cases import Bag, Batch, Case, Change, Table
from tests.properties.maintained import Maintained
from tests.properties.ways import WAYS

PAGE = (DOCS / "strategies.md").read_text("utf-8")
_ROW = re.compile(r"([+-]?)\(([^)]*)\)")
NAME, TEAM = column("name", "STRING"), column("team", "STRING")
CODE, TITLE = column("code", "STRING"), column("title", "STRING")
PEOPLE = Scan("people", ("name", "team"), schema(NAME, TEAM))
TEAMS = Scan("teams", ("code", "title"), schema(CODE, TITLE))
SAME = binary("EqualTo", "=", TEAM, CODE, "BOOLEAN")
VIEWS: dict[str, Relation] = {
    "distinct": Distinct(keep(PEOPLE, TEAM)),
    "join": keep(Join(JoinKind.INNER, PEOPLE, TEAMS, SAME), NAME, TITLE),
}
TRUTH_TABLE = choose("counting", join_terms="truth_table")
WAYS_OF: dict[str, tuple[Choice, ...]] = {
    "counting distinct": (choose("counting"),),
    "counting join": (choose("counting"), TRUTH_TABLE),
    "algebraic distinct": (choose("algebraic"), choose("algebraic", form="post")),
}


def cells(example: str) -> dict[str, str]:
    """The rows of the table of an example, by what they are."""
    text = PAGE.split(f"<!-- example: {example} -->\n\n")[1].split("\n\n")[0]
    lines = [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]
    return {line[0].partition(" (")[0]: line[1] for line in lines}


def signed_rows(text: str) -> Bag:
    """``+(a, b)`` is a row that is added; without a sign it is there."""
    found: Bag = Counter()
    for sign, row in _ROW.findall(text):
        found[tuple(row.split(", "))] += -1 if sign == "-" else 1
    return found


def change_of(example: dict[str, str]) -> tuple[dict[str, Table], Batch]:
    tables, batch = {}, []
    if "change of people" not in example:  # told as a pair
        gained, lost = example["pair of people"].split("; ")
        signs = [_ROW.sub(r"+(\2)", gained), _ROW.sub(r"-(\2)", lost)]
        example = {**example, "change of people": " ".join(signs)}
    for name, table in (("people", PEOPLE), ("teams", TEAMS)):
        if name in example:
            tables[name] = Table(table.columns, tuple(signed_rows(example[name])))
            changes = signed_rows(example[f"change of {name}"])
            batch += [Change(name, row, weight) for row, weight in changes.items()]
    return tables, tuple(batch)


@pytest.mark.parametrize("name", WAYS_OF)
def test_the_change_of_the_view_is_what_the_page_says(name: str) -> None:
    example = cells(name)
    tables, batch = change_of(example)
    assert sum(len(table.rows) for table in tables.values()) == 3
    wanted = signed_rows(example["change of the view"])
    assert wanted
    for way in WAYS_OF[name]:
        view = Maintained(Case(tables, VIEWS[name.split()[1]], ()), connection(), choice=way)
        assert view.refresh(batch).delta == wanted


@pytest.mark.parametrize("terms", ["telescoped", "truth table"])
def test_the_terms_of_the_example_add_up(terms: str) -> None:
    example = cells("counting join")
    summed: Bag = Counter()
    parts = [text for what, text in example.items() if what.startswith(terms)]
    assert len(parts) == (2 if terms == "telescoped" else 3)
    for text in parts:
        summed.update(signed_rows(text))
    assert +summed == +signed_rows(example["change of the view"])
    assert -summed == -signed_rows(example["change of the view"])


def test_sizes_are_those_of_the_page() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.split("| depth |")[1].splitlines()[:4]]
    depths = [int(cell) for cell in rows[0]]
    assert len(depths) == 3
    told = [[int(cell.replace(",", "")) for cell in row[1:]] for row in rows[2:4]]
    for position, depth in enumerate(depths):
        relation = scan(0)
        for number in range(1, depth + 1):
            relation = LEVELS["inner join"](relation, number)
        assert sizes(relation, choose("algebraic")) == (told[0][position], told[1][position])


def test_every_strategy_has_an_example() -> None:
    assert {way.strategy for ways in WAYS_OF.values() for way in ways} <= {w.strategy for w in WAYS}
    assert set(re.findall(r"<!-- example: (.*) -->", PAGE)) >= set(WAYS_OF)


def test_every_rule_of_every_strategy_has_a_word_that_explain_gives() -> None:
    """Those of the default are on the pages of the operators."""
    given = {
        operator.rule
        for way in WAYS
        for relation in DEFINITIONS.values()
        if not out_of_reach(relation, way) or way.strategy == "counting"
        for operator in explained(relation, choice=way).operators
    }
    assert given >= {RuleName.PAIR, RuleName.TRUTH_TABLE, RuleName.TELESCOPED}
    assert given <= set(RuleName)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("top_k", "which rows are first depends on all others"),
        ("recursion", "a fixpoint is no expression"),
        ("window_global", "without PARTITION BY"),
    ],
)
def test_what_is_out_of_reach_is_told_with_the_condition(name: str, words: str) -> None:
    found = judge(definition_of(EXAMPLES[name]), "auto", choose("algebraic"))
    assert (found.mode, found.strategy) == ("full", "recompute")
    (why,) = [reason for reason in found.reasons if reason.code == "NOT_APPLICABLE"]
    assert words in why.message
    assert "Barbier 2007" in why.message
