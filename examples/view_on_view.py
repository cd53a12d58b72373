"""A view that reads another view: both are refreshed in order and checked.

python examples/view_on_view.py
"""

from __future__ import annotations

from tempfile import TemporaryDirectory

import rollview

ORDERS = """
CREATE TABLE orders AS
SELECT id AS order_id, date_add(DATE'2026-01-01', cast(id % 60 AS INT)) AS ordered_on,
       id % 10 AS amount
FROM range(600)
"""
PER_DAY = """
SELECT ordered_on, sum(amount) AS revenue FROM orders GROUP BY ordered_on
"""
PER_MONTH = """
SELECT month(ordered_on) AS month, sum(revenue) AS revenue, count(*) AS days
FROM per_day GROUP BY month(ordered_on)
"""


def main() -> None:
    """Make both views, change the table below them, refresh and verify."""
    with TemporaryDirectory() as folder, rollview.connect(folder) as db:
        db.sql(ORDERS)
        db.create_view("per_day", PER_DAY, policy="incremental")
        db.create_view("per_month", PER_MONTH, policy="incremental")
        db.sql("UPDATE orders SET amount = amount + 100 WHERE order_id = 0")
        db.sql("DELETE FROM orders WHERE ordered_on = DATE'2026-01-31'")
        for state in db.status():
            print(f"{state.name} is {'fresh' if state.fresh else 'stale'}")
        db.refresh()  # every view; db.refresh("per_month") would refresh per_day first as well
        for view in db.views():
            check = db.verify(view.name)
            print(f"{view.name}: {check.rows} rows, {'correct' if check.correct else 'WRONG'}")
        for row in db.read("per_month").orderBy("month").collect():
            print(f"month {row.month}: {row.revenue} on {row.days} days")


if __name__ == "__main__":
    main()
