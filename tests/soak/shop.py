"""The lake that is killed: base tables, views over them, and batches of random changes.

Nothing here knows how a view is refreshed. ``View.truth`` says what its rows are in plain Spark SQL
over base tables alone, so that the answer never depends on what is being judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

CUSTOMERS, ORDERS = 40, 1500
_REGIONS = ("north", "south", "east", "west")
_KINDS = ("new", "used")


@dataclass(frozen=True)
class View:
    """A view: its definition, and its rows in terms of base tables."""

    name: str
    query: str
    truth: str


def _over_tables(name: str, query: str) -> View:
    return View(name, query, query)


TABLES = (
    "CREATE TABLE customers USING delta AS SELECT CAST(id AS INT) AS id, "
    f"element_at(array{_REGIONS}, CAST(id % 4 + 1 AS INT)) AS region FROM range({CUSTOMERS})",
    "CREATE TABLE orders USING delta AS SELECT CAST(id AS INT) AS id, "
    f"CAST(id * 7 % {CUSTOMERS} AS INT) AS customer, CAST(id * 31 % 100 AS INT) AS amount, "
    f"element_at(array{_KINDS}, CAST(id % 2 + 1 AS INT)) AS kind FROM range({ORDERS})",
    "CREATE TABLE refunds USING delta AS SELECT id, customer, amount, kind FROM orders "
    "WHERE id % 10 = 0",
)

_PLACED = (
    "SELECT o.id, o.amount, c.region FROM orders o JOIN customers c ON o.customer = c.id "
    "WHERE o.amount > 10"
)
_BUSY = "SELECT region, count(*) AS orders, max(amount) AS largest FROM {} GROUP BY region"

VIEWS = (
    _over_tables("placed", _PLACED),
    _over_tables(
        "spending",
        "SELECT customer, count(*) AS orders, sum(amount) AS total, min(amount) AS least "
        "FROM orders GROUP BY customer",
    ),
    _over_tables("kinds", "SELECT DISTINCT customer, kind, amount % 10 AS digit FROM orders"),
    _over_tables(
        "movements",
        "SELECT customer, amount % 20 AS amount, kind FROM orders UNION ALL "
        "SELECT customer, -amount % 20, kind FROM refunds",
    ),
    View("busy", _BUSY.format("placed"), _BUSY.format(f"({_PLACED})")),
)

# A join, a bag with many copies, and an aggregate of a view: what a minute is enough for.
FEW = ("placed", "movements", "busy")


def batch(random: Random, statements: int) -> list[str]:
    """Inserts, updates and deletes that meet each other's rows; the tables keep their size."""
    kinds = (_insert, _insert, _copy, _update, _move, _delete, _swap_customer)
    return [random.choice(kinds)(random) for _ in range(statements)]


def _table(random: Random) -> str:
    return random.choice(("orders", "orders", "refunds"))


def _insert(random: Random) -> str:
    """Some rows twice: a bag, not a set."""
    rows = [
        f"({random.randrange(ORDERS)}, {random.randrange(CUSTOMERS)}, {random.randrange(100)}, "
        f"'{random.choice(_KINDS)}')"
        for _ in range(random.randint(1, 30))
    ]
    rows += random.sample(rows, len(rows) // 3)
    return f"INSERT INTO {_table(random)} VALUES {', '.join(rows)}"


def _copy(random: Random) -> str:
    table = _table(random)
    return f"INSERT INTO {table} SELECT * FROM {table} WHERE {_some(random, 60)}"


def _update(random: Random) -> str:
    by = random.choice(("amount + 1", "amount - 1", "99 - amount", "amount"))
    return f"UPDATE {_table(random)} SET amount = {by} WHERE {_some(random, 12)}"


def _move(random: Random) -> str:
    where = f"id % 5 = {random.randrange(5)}"
    return f"UPDATE customers SET region = '{random.choice(_REGIONS)}' WHERE {where}"


def _delete(random: Random) -> str:
    return f"DELETE FROM {_table(random)} WHERE {_some(random, 25)}"


def _swap_customer(random: Random) -> str:
    """A customer goes, and orders without one appear; or one comes a second time."""
    number = random.randrange(CUSTOMERS)
    if random.random() < 0.5:
        return f"DELETE FROM customers WHERE id = {number}"
    return f"INSERT INTO customers VALUES ({number}, '{random.choice(_REGIONS)}')"


def _some(random: Random, of: int) -> str:
    return f"id % {of} = {random.randrange(of)}"
