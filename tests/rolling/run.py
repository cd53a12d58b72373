"""Random schedules against the law: ``python -m tests.rolling.run --schedules 3000 --seed 7``.

Schedule ``n`` of seed ``s`` is always the same.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator

from tests.rolling.schedules import random_schedule, run


def failures(seed: int, numbers: Iterable[int]) -> Iterator[tuple[int, str, str | None]]:
    """Number, name, and how it fails or None, of each schedule."""
    for number in numbers:
        schedule = random_schedule(seed, number)
        try:
            run(schedule)
        except Exception as error:
            yield number, str(schedule), f"{type(error).__name__}: {error}"
        else:
            yield number, str(schedule), None


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", type=int, help="the number of one schedule")
    chosen = parser.parse_args()
    numbers = range(chosen.schedules) if chosen.only is None else [chosen.only]
    began, counts, failed = time.monotonic(), Counter[str](), 0
    print(f"seed {chosen.seed}", flush=True)
    for number, name, why in failures(chosen.seed, numbers):
        counts[name] += 1
        if why is not None:
            failed += 1
            print(f"schedule {number} ({name}): {why}", flush=True)
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    print(f"{counts.total()} schedules, {failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
