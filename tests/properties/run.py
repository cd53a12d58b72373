"""Generated cases against the laws: ``python -m tests.properties.run --cases 10000 --seed 7``.

Case ``n`` of seed ``s`` is always the same. A failing case is shrunk and printed as Python. With
``--conditions``, cases around conditions that decide which changes can matter.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import duckdb

from tests.properties.bags import Violation
from tests.properties.cases import Case, random_case
from tests.properties.comparisons import conditional_case
from tests.properties.duckdb_engine import connect
from tests.properties.laws import check
from tests.properties.show import shown
from tests.properties.shrink import shrink

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
    options: str = ""

    def __str__(self) -> str:
        run = f"python -m tests.properties.run{self.options}"
        again = f"{run} --seed {self.seed} --only {self.number}"
        return f"seed {self.seed}, case {self.number}: {self.why}\n{shown(self.case)}\n\n{again}"


def numbered_case(seed: int, number: int, depth: int = DEPTH) -> Case:
    """The case of a seed and a number."""
    return random_case(Random(f"{seed}-{number}"), depth)


def numbered_condition(seed: int, number: int) -> Case:
    """The case around conditions of a seed and a number."""
    return conditional_case(Random(f"{seed}-{number}"))


def failure(case: Case, connection: duckdb.DuckDBPyConnection) -> str | None:
    """How the case fails, in a word or two; None if every law holds."""
    return _failure(case, connection)[0]


def _failure(
    case: Case, connection: duckdb.DuckDBPyConnection, *, split: bool = True
) -> tuple[str | None, str]:
    try:
        check(case, connection, split=split)
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
) -> Iterator[Failed | None]:
    """What comes out of each case, one after the other; the second law for one in so many."""
    connection = connect()
    for done, number in enumerate(numbers, 1):
        if done % FRESH_EVERY == 0:
            connection.close()
            connection = connect()
        yield _outcome(seed, number, connection, make, split=number % one_in == 0)
    connection.close()


def _outcome(
    seed: int,
    number: int,
    connection: duckdb.DuckDBPyConnection,
    make: Callable[[int, int], Case],
    *,
    split: bool,
) -> Failed | None:
    case = make(seed, number)
    if _failure(case, connection, split=split)[0] is None:
        return None
    small = shrink(case, lambda other: failure(other, connection))
    options = " --conditions" if make is numbered_condition else ""
    return Failed(seed, number, small, _failure(small, connection)[1], options)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", type=int, help="the number of one case")
    parser.add_argument("--conditions", action="store_true", help="cases around conditions")
    parser.add_argument("--endless", action="store_true")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at a failure")
    chosen = parser.parse_args()
    numbers: Iterator[int] = iter(range(chosen.cases))
    if chosen.endless:
        numbers = iter(range(sys.maxsize))
    if chosen.only is not None:
        numbers = iter([chosen.only])
    began, done, failed = time.monotonic(), 0, 0
    print(f"seed {chosen.seed}", flush=True)
    make = numbered_condition if chosen.conditions else numbered_case
    for result in failures(chosen.seed, numbers, make=make):
        done += 1
        if result is not None:
            failed += 1
            print(result, flush=True)
            if not chosen.keep_going:
                break
        if done % 200 == 0:
            pace = done / (time.monotonic() - began)
            print(f"{done} cases, {failed} failed, {pace:.1f} a second", flush=True)
    print(f"{done} cases, {failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
