"""Generated cases against the laws: ``python -m tests.properties.run --cases 10000 --seed 7``.

Case ``n`` of seed ``s`` is always the same. Every strategy, with each value of its options, has its
turn; ``--strategy`` and the options ask for one. With ``--conditions``, cases are around conditions
that decide which changes can matter. A failing case is shrunk and printed as Python.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

import duckdb

from rollview.maintenance.choice import ANY, Choice
from tests.properties.bags import Violation
from tests.properties.cases import Case, random_case
from tests.properties.comparisons import conditional_case
from tests.properties.duckdb_engine import connect
from tests.properties.laws import check
from tests.properties.show import shown
from tests.properties.shrink import shrink
from tests.properties.ways import add_arguments, arguments, asked_for, reaches, way_of

DEPTH = 5
FRESH_EVERY = 250
"""A database keeps something of every table it ever had: so many cases, then a new one."""


@dataclass(frozen=True)
class Failed:
    """A case that breaks a law, made small."""

    seed: int
    number: int
    case: Case
    why: str
    way: Choice = ANY
    options: str = ""

    def __str__(self) -> str:
        run = f"python -m tests.properties.run{self.options}"
        again = f"{run} --seed {self.seed} --only {self.number}"
        head = f"seed {self.seed}, case {self.number}, {self.way}: {self.why}"
        return f"{head}\n{shown(self.case)}\n\n{again} {arguments(self.way)}"


def numbered_case(seed: int, number: int, depth: int = DEPTH) -> Case:
    """The case of a seed and a number."""
    return random_case(Random(f"{seed}-{number}"), depth)


def numbered_condition(seed: int, number: int) -> Case:
    """The case around conditions of a seed and a number."""
    return conditional_case(Random(f"{seed}-{number}"))


def failure(case: Case, connection: duckdb.DuckDBPyConnection, way: Choice = ANY) -> str | None:
    """How the case fails, in a word or two; None if every law holds, or it is out of reach."""
    return _failure(case, connection, way)[0] if reaches(way, case.relation) else None


def _failure(
    case: Case, connection: duckdb.DuckDBPyConnection, way: Choice, *, split: bool = True
) -> tuple[str | None, str]:
    try:
        check(case, connection, split=split, way=way)
    except Violation as error:
        return error.law.split(":")[0], str(error)
    except Exception as error:
        return type(error).__name__, traceback.format_exc()
    return None, ""


def failures(
    seed: int,
    numbers: Iterator[int],
    one_in: int = 1,
    make: Callable[[int, int], Case] = numbered_case,
    asked: Choice | None = None,
) -> Iterator[Failed | None]:
    """What comes out of each case, one after the other; the second law for one in so many.

    If no way is asked for, each has its turn; where it does not reach, the usual one does.
    """
    connection = connect()
    for done, number in enumerate(numbers, 1):
        if done % FRESH_EVERY == 0:
            connection.close()
            connection = connect()
        case, way = make(seed, number), way_of(number, asked)
        if not reaches(way, case.relation):
            if asked is not None:
                continue
            way = ANY
        options = " --conditions" if make is numbered_condition else ""
        tried = Failed(seed, number, case, "", way, options)
        yield _outcome(tried, connection, split=number % one_in == 0)
    connection.close()


def _outcome(tried: Failed, connection: duckdb.DuckDBPyConnection, *, split: bool) -> Failed | None:
    """What was tried, if it failed, made small."""
    way = tried.way
    if _failure(tried.case, connection, way, split=split)[0] is None:
        return None
    small = shrink(tried.case, lambda other: failure(other, connection, way))
    return replace(tried, case=small, why=_failure(small, connection, way)[1])


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", type=int, help="the number of one case")
    parser.add_argument("--conditions", action="store_true", help="cases around conditions")
    parser.add_argument("--endless", action="store_true")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at a failure")
    add_arguments(parser)
    chosen = parser.parse_args()
    numbers: Iterator[int] = iter(range(chosen.cases))
    if chosen.endless:
        numbers = iter(range(sys.maxsize))
    if chosen.only is not None:
        numbers = iter([chosen.only])
    began, done, failed = time.monotonic(), 0, 0
    print(f"seed {chosen.seed}", flush=True)
    make = numbered_condition if chosen.conditions else numbered_case
    for result in failures(chosen.seed, numbers, make=make, asked=asked_for(chosen)):
        done += 1
        if result is not None:
            failed += 1
            print(result, flush=True)
            if not chosen.keep_going:
                break
        if done % 200 == 0:
            pace = done / (time.monotonic() - began)
            print(f"{done} cases, {failed} failed, {pace:.1f} a second", flush=True)
    asked = asked_for(chosen)
    if asked is not None and chosen.only is None and not failed:
        print(f"{chosen.cases - done} more are out of the reach of {asked}")
    print(f"{done} cases, {failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
