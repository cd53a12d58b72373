"""A view that is defined by a DataFrame, and what `explain` says of it before it is made.

python examples/dataframe_view.py
"""

from __future__ import annotations

from tempfile import TemporaryDirectory

from pyspark.sql import functions as F

import rollview

READINGS = """
CREATE TABLE readings AS
SELECT * FROM VALUES ('attic', 21), ('attic', 25), ('cellar', 12) AS t(room, degrees)
"""


def main() -> None:
    """Explain the view, make it, and let it follow its table."""
    with TemporaryDirectory() as folder, rollview.connect(folder) as db:
        db.sql(READINGS)
        warm = db.spark.table("readings").where(F.col("degrees") > 20)
        per_room = warm.groupBy("room").agg(
            F.count("*").alias("readings"), F.sum("degrees").alias("degrees")
        )
        print(db.explain(per_room, policy="incremental"))
        view = db.create_view("warm_rooms", per_room, policy="incremental")
        db.sql("INSERT INTO readings VALUES ('cellar', 23), ('attic', 3)")
        print(f"refreshed: {view.refresh().mode}")
        for row in view.read().orderBy("room").collect():
            print(f"{row.room}: {row.readings} readings, {row.degrees / row.readings:.1f} degrees")


if __name__ == "__main__":
    main()
