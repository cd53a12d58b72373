"""The refresh operator of change tables as one MERGE (Barbier 2007, definition 5.7).

Rows without a cause left are deleted, other rows that are stored are updated, and the rest are new.
"""

from __future__ import annotations

from rollview.maintenance.program import Merging
from rollview.sql.quoting import quoted


def render_merge(merging: Merging, target: str, prefix: str = "") -> str:
    """The statement; the steps are tables under their names after a prefix."""
    columns = [quoted(column.name) for column in (*merging.keys, *merging.values)]
    listed = ", ".join(columns)
    stays = quoted(merging.stays)
    first, *others = merging.steps
    rows = [f"SELECT {listed}, {stays} FROM {quoted(prefix + first)}"]
    rows += [f"SELECT {listed}, TRUE AS {stays} FROM {quoted(prefix + step)}" for step in others]
    source = "\n  UNION ALL\n  ".join(rows)
    same = " AND ".join(f"kept.{key} <=> new.{key}" for key in columns[: len(merging.keys)])
    values = columns[len(merging.keys) :]
    sets = ", ".join(f"{value} = new.{value}" for value in values)
    given = ", ".join(f"new.{column}" for column in columns)
    return (
        f"MERGE INTO {target} AS kept\n"
        f"USING (\n  {source}\n) AS new\n"
        f"ON {same or 'TRUE'}\n"
        f"WHEN MATCHED AND NOT new.{stays} THEN DELETE\n"
        f"WHEN MATCHED THEN UPDATE SET {sets}\n"
        f"WHEN NOT MATCHED AND new.{stays} THEN INSERT ({listed}) VALUES ({given})"
    )
