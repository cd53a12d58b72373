"""The retail lake of the demo: tables, views and batches of changes, all made by Spark itself.

Every value is a hash of its key and the seed, so the same scale gives the same lake.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rollview.errors import BadOption

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CUSTOMERS = 2_000
PRODUCTS = 300
ORDERS = 20_000
SEED = 20260101

_SALES = ("orders", "items", "products")


@dataclass(frozen=True, slots=True)
class DemoView:
    """A view of the demo and the tables that it reads, directly or through another view."""

    reads: tuple[str, ...]
    query: str


VIEWS = {
    "revenue": DemoView(
        _SALES,
        """SELECT date_format(o.ordered_on, 'yyyy-MM') AS month, p.category,
       sum(i.quantity * i.price) AS revenue, count(*) AS lines
FROM orders o JOIN items i ON i.order_id = o.order_id JOIN products p ON p.product_id = i.product_id
GROUP BY date_format(o.ordered_on, 'yyyy-MM'), p.category""",
    ),
    "top_customers": DemoView(
        ("customers", "orders", "items"),
        """SELECT c.customer_id, c.name, c.country, sum(i.quantity * i.price) AS spent
FROM customers c JOIN orders o ON o.customer_id = c.customer_id
JOIN items i ON i.order_id = o.order_id
GROUP BY c.customer_id, c.name, c.country
ORDER BY spent DESC, c.customer_id LIMIT 10""",
    ),
    "open_orders": DemoView(
        ("customers", "orders", "items"),
        """SELECT o.order_id, o.ordered_on, c.name, c.country, count(i.line) AS lines
FROM orders o JOIN customers c ON c.customer_id = o.customer_id
LEFT JOIN items i ON i.order_id = o.order_id
WHERE o.status = 'placed'
GROUP BY o.order_id, o.ordered_on, c.name, c.country""",
    ),
    "never_sold": DemoView(
        ("products", "items"),
        """SELECT product_id, name, category, price FROM products p
WHERE NOT EXISTS (SELECT * FROM items i WHERE i.product_id = p.product_id)""",
    ),
    "best_months": DemoView(
        _SALES,
        """SELECT category, max_by(month, revenue) AS best_month, max(revenue) AS best,
       sum(revenue) AS total
FROM revenue GROUP BY category""",
    ),
}


@dataclass(frozen=True, slots=True)
class Batch:
    """Changes that happen together: a name for people, and one statement per table."""

    name: str
    statements: dict[str, str]


@dataclass(slots=True)
class DemoLake:
    """What the demo remembers about its lake, in a file beside the tables."""

    folder: Path
    scale: int
    batches: int = 0
    ready: bool = False

    @classmethod
    def open(cls, folder: Path, scale: int) -> DemoLake:
        """The demo lake in the folder, or a new one; somebody's own data is never touched."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / "demo.json").exists():
                return cls(folder, **json.loads((folder / "demo.json").read_text()))
            if any(folder.iterdir()):
                raise BadOption(
                    f"{folder} is not empty and was not made by the demo",
                    hint="choose another folder: rollview demo --lake DIR",
                )
            lake = cls(folder, scale)
            lake.remember()
            return lake
        except OSError as error:
            raise BadOption(
                f"cannot make a lake in {folder}: {error.strerror}",
                hint="choose a folder that you may write to: rollview demo --lake DIR",
            ) from error

    def remember(self) -> None:
        """Write down how far the demo has come, for the next run."""
        facts = {key: value for key, value in asdict(self).items() if key != "folder"}
        (self.folder / "demo.json").write_text(json.dumps(facts))

    def fill(self, spark: SparkSession) -> None:
        """Make the four tables."""
        for table, query in _tables(self.scale).items():
            spark.sql(
                f"CREATE OR REPLACE TABLE {table} USING delta "
                f"TBLPROPERTIES (delta.enableChangeDataFeed = true) AS {query}"
            )
        self.ready = True
        self.remember()

    def next_batch(self, spark: SparkSession) -> tuple[str, dict[str, int]]:
        """Apply the next batch; return its name and how many rows it changed in each table."""
        number = self.batches + 1
        batch = _batch(number, self.scale)
        changed = {}
        for table, statement in batch.statements.items():
            spark.sql(statement)
            changed[table] = _rows_changed(spark, table)
        self.batches = number
        self.remember()
        return batch.name, changed


def _rows_changed(spark: SparkSession, table: str) -> int:
    """What the last commit of the table says about itself."""
    metrics = (
        spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").select("operationMetrics").collect()[0][0]
    )
    names = ("numUpdatedRows", "numDeletedRows", "numOutputRows")
    return next((int(metrics[name]) for name in names if name in metrics), 0)


def _pick(key: str, tag: str, below: str | int) -> str:
    """SQL for a number in [0, below) that depends on the key alone."""
    return f"pmod(xxhash64({key}, '{tag}', {SEED}), {below})"


def _choice(key: str, tag: str, *values: str) -> str:
    items = ", ".join(f"'{value}'" for value in values)
    return f"element_at(array({items}), cast({_pick(key, tag, len(values))} AS INT) + 1)"


def _tables(scale: int) -> dict[str, str]:
    first = _choice("id", "first", "Ada", "Alan", "Barbara", "Edgar", "Grace", "Jim", "Leslie")
    last = _choice("id", "last", "Bell", "Berg", "Codd", "Gray", "Hopper", "Lamport", "Liskov")
    country = _choice("id", "country", "BR", "DE", "FR", "IN", "JP", "KE", "US")
    category = _choice("id", "category", "books", "garden", "kitchen", "music", "sports", "toys")
    return {
        "customers": f"SELECT id AS customer_id, concat({first}, ' ', {last}) AS name, "
        f"{country} AS country FROM range({CUSTOMERS * scale})",
        "products": f"SELECT id AS product_id, concat('product ', id) AS name, "
        f"{category} AS category, "
        f"cast(1 + {_pick('id', 'price', 20000)} / 100 AS DECIMAL(10, 2)) AS price "
        f"FROM range({PRODUCTS})",
        "orders": _orders(0, ORDERS * scale, scale, "DATE '2025-01-01'", 365),
        "items": _items(0, ORDERS * scale),
    }


def _orders(first: int | str, count: int, scale: int, day: str, days: int) -> str:
    """Orders with ids from `first` on; five in six of the older ones are shipped."""
    placed = f"{_pick('order_id', 'status', 6)} = 0" if days > 1 else "true"
    return (
        f"SELECT order_id, {_pick('order_id', 'customer', CUSTOMERS * scale)} AS customer_id, "
        f"date_add({day}, cast({_pick('order_id', 'day', days)} AS INT)) AS ordered_on, "
        f"if({placed}, 'placed', 'shipped') AS status "
        f"FROM (SELECT id + {first} AS order_id FROM range({count}))"
    )


def _items(first: int | str, count: int) -> str:
    """One to four lines for each order; the last products of the list are never sold."""
    lines = f"sequence(1, 1 + cast({_pick('order_id', 'lines', 4)} AS INT))"
    product = _pick("order_id * 8 + line", "product", PRODUCTS - 12)
    quantity = f"1 + cast({_pick('order_id * 8 + line', 'quantity', 5)} AS INT)"
    return (
        f"SELECT l.order_id, l.line, l.product_id, {quantity} AS quantity, p.price FROM ("
        f"SELECT order_id, line, {product} AS product_id FROM ("
        f"SELECT order_id, explode({lines}) AS line FROM ("
        f"SELECT id + {first} AS order_id FROM range({count})))) l "
        f"JOIN products p ON p.product_id = l.product_id"
    )


def _batch(number: int, scale: int) -> Batch:
    """New orders, shipments and cancellations take turns."""
    # Ids of new orders follow from the batch number: nothing has to be read to find them.
    first = (ORDERS + number * 100) * scale
    day = f"date_add(DATE '2026-01-01', {number})"
    chosen = f"pmod(xxhash64(order_id, {number}), 200) = 0"
    turns = (
        Batch(
            "new orders",
            {
                "orders": f"INSERT INTO orders {_orders(first, 100 * scale, scale, day, 1)}",
                "items": f"INSERT INTO items {_items(first, 100 * scale)}",
            },
        ),
        Batch(
            "shipments, new prices",
            {
                "orders": "UPDATE orders SET status = 'shipped' WHERE status = 'placed' "
                f"AND pmod(xxhash64(order_id, {number}), 10) = 0",
                "products": "UPDATE products SET price = price + 1 "
                f"WHERE pmod(xxhash64(product_id, {number}), 20) = 0",
            },
        ),
        Batch(
            "cancelled orders",
            {
                "items": f"DELETE FROM items WHERE {chosen}",
                "orders": f"DELETE FROM orders WHERE {chosen}",
            },
        ),
    )
    return turns[(number - 1) % len(turns)]
