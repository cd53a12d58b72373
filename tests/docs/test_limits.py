"""docs/limits.md says what EXPLAIN answers: a row for every reason, and for every case of one."""

from __future__ import annotations

import pytest

from rollview.algebra.definition import Reason, ReasonCode
from rollview.algebra.expressions import (
    AggregateCall,
    Call,
    ColumnRef,
    Expression,
    Literal,
    WindowCall,
    binary,
    column,
    conjunction,
)
from rollview.algebra.relations import (
    Aggregate,
    Expand,
    Filter,
    Join,
    JoinKind,
    Named,
    NamedAggregate,
    NamedWindow,
    Project,
    Relation,
    SingleRow,
    TopK,
    Window,
)
from rollview.planning.verdict import judge
from tests.algebra.examples import (
    DEFINITIONS,
    EXAMPLES,
    ID,
    NAME,
    PAY,
    PEOPLE,
    SAME_TEAM,
    TEAM,
    TEAMS,
    TITLE,
    ascending,
    join,
    mixed,
    number,
    schema,
)
from tests.docs.pages import DOCS, first_cells
from tests.planning.views import definition_of, explained

PAGE = DOCS / "limits.md"
TODAY = Call("CurrentDate", ("current_date()",), (), "DATE", False)
A_MAP = Call("CreateMap", ("map(", ", ", ")"), (ID, NAME), "MAP<INT, STRING>", False)
NOTHING = Literal("CAST(NULL AS STRING)", "STRING", nullable=True)
ITEM, RANK, BOTH = column("item", "INT"), column("rank", "INT"), column("both", "STRING")


def of_all(name: str, argument: Expression, type: str) -> Relation:
    call = AggregateCall(name.capitalize(), (f"{name}(", ")"), (argument,), type)
    return Aggregate(PEOPLE, (), (NamedAggregate("value", call),))


def variance_of_all() -> Relation:
    value = ColumnRef("pay", "DOUBLE")
    call = AggregateCall("VariancePop", ("var_pop(", ")"), (value,), "DOUBLE")
    return Aggregate(PEOPLE, (), (NamedAggregate("value", call),))


def cast(type: str) -> Call:
    return Call("Cast", ("CAST(", f" AS {type})"), (PAY,), type)


def mixed_by(relation: Relation, group: ColumnRef, value: ColumnRef = ID) -> Relation:
    """Groups that every change evaluates anew."""
    return Aggregate(relation, (group,), (mixed(value),))


def not_in(*equalities: Expression) -> Relation:
    """What Spark makes of it where NULLs are possible."""
    unknown = (Call("IsNull", ("(", " IS NULL)"), (e,), "BOOLEAN", False) for e in equalities)
    pairs = zip(equalities, unknown, strict=True)
    either = (binary("Or", "OR", equal, maybe, "BOOLEAN") for equal, maybe in pairs)
    return Join(JoinKind.ANTI, PEOPLE, TEAMS, conjunction(either))


def rolled_up() -> Relation:
    sets = Expand(PEOPLE, ((TEAM, PAY), (NOTHING, PAY)), schema(column("grouped", "STRING"), PAY))
    return mixed_by(sets, column("grouped", "STRING"), PAY)


def ranked(partition: tuple[Expression, ...]) -> Window:
    rank = NamedWindow("rank", WindowCall(Call("Rank", ("rank()",), (), "INT", False), ""))
    return Window(PEOPLE, partition, (ascending(PAY),), (rank,))


def by_rank() -> Relation:
    return mixed_by(ranked((TEAM,)), RANK)


def first_by_rank() -> Relation:
    few = binary("LessThanOrEqual", "<=", RANK, number(3), "BOOLEAN")
    return Filter(ranked(()), few)


def by_both_inputs() -> Relation:
    both = Call("Concat", ("concat(", ", ", ")"), (NAME, TITLE), "STRING")
    return mixed_by(Project(join(JoinKind.INNER), (Named("both", both), Named("id", ID))), BOTH)


EARLIER = binary("LessThan", "<", NAME, TITLE, "BOOLEAN")
ALWAYS = {
    "a cross join of tables": join(JoinKind.CROSS),
    "a join by `<` and the like, without an equality": Join(JoinKind.INNER, PEOPLE, TEAMS, EARLIER),
    "NOT IN of several columns at once, unlike NOT EXISTS": not_in(
        SAME_TEAM, binary("EqualTo", "=", NAME, TITLE, "BOOLEAN")
    ),
    "a scalar subquery that selects a row with a map or another value that cannot be compared": (
        SingleRow(Project(PEOPLE, (Named("map", A_MAP),)), "map")
    ),
    "no GROUP BY, and a function without an inverse": EXAMPLES["aggregate_without_inverse"],
    "a window without PARTITION BY: it alone, from its kept rows, not what is below it": (
        EXAMPLES["window_global"]
    ),
    "OFFSET without LIMIT": TopK(PEOPLE, (ascending(ID),), None, number(1)),
    "a condition on the clock, unless it compares a column of a table with it and does nothing"
    " else, as in `day >= current_date() - 7`": Filter(
        PEOPLE, binary("LessThan", "<", cast("DATE"), TODAY, "BOOLEAN")
    ),
    "groups of what `explode` makes, if they are evaluated anew": mixed_by(
        EXAMPLES["generate"], ITEM
    ),
    "the grand total of ROLLUP and CUBE, if it is evaluated anew": rolled_up(),
    "groups of what a window computes, if they are evaluated anew": by_rank(),
    "a window with PARTITION BY constants alone, unlike one without PARTITION BY": ranked(
        (number(1),)
    ),
    "groups by an expression over both inputs of a join, if they are evaluated anew": (
        by_both_inputs()
    ),
    "a recursive CTE; if it hands a column down unchanged, for the values of it that a change"
    " concerns": EXAMPLES["recursion"],
}
AT_TIMES = {
    "NOT IN of one column, of the rows of a table": not_in(SAME_TEAM),
    "rows compared with the value of a subquery": Join(
        JoinKind.CROSS, TEAMS, EXAMPLES["single_row"]
    ),
    "no GROUP BY, and min or max": of_all("max", PAY, "INT"),
    "no GROUP BY, and a sum or average of FLOAT or DOUBLE": of_all("sum", cast("DOUBLE"), "DOUBLE"),
    "no GROUP BY, and a sum or average of decimals": of_all(
        "sum", cast("DECIMAL(10,2)"), "DECIMAL(20,2)"
    ),
    "no GROUP BY, and a sum of BIGINT": of_all("sum", cast("BIGINT"), "BIGINT"),
    "no GROUP BY, and a variance, covariance or regression of FLOAT, DOUBLE, BIGINT or long "
    "decimals": variance_of_all(),
    "ORDER BY with LIMIT, not over an aggregate": EXAMPLES["top_k"],
    "the first rows by a rank without PARTITION BY, not over an aggregate": first_by_rank(),
}
FULL = ("NON_DETERMINISTIC", "TIME_DEPENDENT", "UNVERSIONED_SOURCE", "NOT_UNDERSTOOD")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without the heads."""
    text = PAGE.read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def test_every_reason_has_its_row_and_no_row_an_unknown_reason() -> None:
    listed = [cell for cell in first_cells(PAGE) if cell.isupper()]
    assert len(set(listed)) == len(listed), "a reason is listed twice"
    assert set(listed) == {code.value for code in ReasonCode}


@pytest.mark.parametrize("code", FULL)
def test_reasons_that_make_a_view_full_are_said_to(code: str) -> None:
    (row,) = [row for row in rows("Reasons that EXPLAIN gives") if row[0] == f"`{code}`"]
    mode = judge(definition_of(PEOPLE, Reason(ReasonCode(code), "", "")), "auto").mode
    assert row[1] == f"`{mode}`"


def test_the_page_lists_these_cases() -> None:
    listed = {row[0]: row[2].partition(":")[0] for row in rows("What is evaluated whole")}
    assert listed == {
        **dict.fromkeys(ALWAYS, "always"),
        **dict.fromkeys(AT_TIMES, "at times"),
    }


def code_of(case: str) -> str:
    (code,) = [row[1] for row in rows("What is evaluated whole") if row[0] == case]
    return code.strip("`")


@pytest.mark.parametrize("case", ALWAYS)
def test_what_is_said_to_be_partial_is(case: str) -> None:
    told = explained(ALWAYS[case])
    assert told.mode == "partial"
    assert {reason.code.value for reason in told.reasons} == {code_of(case)}
    (row,) = [row for row in rows("Reasons that EXPLAIN gives") if row[0] == f"`{code_of(case)}`"]
    assert row[1] == f"`{told.mode}`"


@pytest.mark.parametrize("case", AT_TIMES)
def test_what_is_said_to_be_so_at_times_is(case: str) -> None:
    told = explained(AT_TIMES[case])
    assert told.mode == "incremental"
    assert not told.reasons
    assert code_of(case) in {reason.code.value for reason in told.at_times}


def test_no_other_example_falls_back() -> None:
    listed = [*ALWAYS.values(), *AT_TIMES.values(), EXAMPLES["top_k_offset"]]
    for name, relation in DEFINITIONS.items():
        told = explained(relation)
        assert relation in listed or not (told.reasons or told.at_times), name
