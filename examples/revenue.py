"""Revenue per country in a lake that is a folder: make the view, change a table, refresh.

    python examples/revenue.py

The lake is a temporary folder; give `connect` one of yours, and tables and views stay in it.
"""

from __future__ import annotations

from tempfile import TemporaryDirectory

import rollview

CUSTOMERS = """
CREATE TABLE customers AS
SELECT * FROM VALUES (1, 'DE'), (2, 'FR'), (3, 'DE') AS t(customer_id, country)
"""
ORDERS = """
CREATE TABLE orders AS
SELECT * FROM VALUES (1, 1, 10), (2, 2, 20), (3, 2, 5) AS t(order_id, customer_id, amount)
"""
REVENUE = """
SELECT c.country, sum(o.amount) AS revenue, count(*) AS orders
FROM orders o JOIN customers c ON c.customer_id = o.customer_id
GROUP BY c.country
"""


def main() -> None:
    """Show the view before and after two changes of its tables."""
    with TemporaryDirectory() as folder, rollview.connect(folder) as db:
        db.sql(CUSTOMERS)
        db.sql(ORDERS)
        # Tables as small as these would be recomputed: policy auto takes what is faster.
        view = db.create_view("revenue", REVENUE, policy="incremental")
        show(view)
        db.sql("INSERT INTO orders VALUES (4, 3, 7)")
        db.sql("DELETE FROM orders WHERE order_id = 3")
        report = view.refresh()
        print(f"refreshed, {report.mode}; rows changed in the tables: {report.rows_changed}")
        show(view)


def show(view: rollview.View) -> None:
    """Print a line for each country."""
    for row in view.read().orderBy("country").collect():
        print(f"{row.country}: {row.revenue} from {row.orders} orders")


if __name__ == "__main__":
    main()
