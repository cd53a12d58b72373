"""How large an Iceberg table and its change are, by the summaries of its snapshots."""

from __future__ import annotations

from rollview.planning.statistics import ChangeSize, Size
from rollview.storage.iceberg_sizes import change_size, table_size

TOTALS = {"total-records": "20", "total-files-size": "900", "total-data-files": "3"}


def test_a_table_is_as_large_as_its_summary_says() -> None:
    assert table_size({**TOTALS, "total-delete-files": "0"}) == Size(20, 900, 3)
    assert table_size({}) == Size()


def test_with_delete_files_the_rows_are_not_known() -> None:
    assert table_size({**TOTALS, "total-delete-files": "1"}) == Size(None, 900, 3)


def test_changes_add_up_and_rewrites_are_none() -> None:
    first = ("append", {"added-records": "5", "added-files-size": "50"})
    second = (
        "overwrite",
        {
            "added-records": "9",
            "deleted-records": "10",
            "added-files-size": "70",
            "removed-files-size": "80",
        },
    )
    moved = ("replace", {"added-records": "100", "deleted-records": "100"})
    assert change_size([second, moved, first]) == ChangeSize(14, 10, 200)
    assert change_size([moved]) == ChangeSize(0, 0, 0)


def test_rows_that_delete_files_take_are_removed() -> None:
    deletes = ("overwrite", {"added-position-deletes": "3", "added-files-size": "10"})
    assert change_size([deletes]) == ChangeSize(0, 3, 10)


def test_how_many_rows_an_equality_delete_takes_is_not_known() -> None:
    deletes = ("delete", {"added-equality-deletes": "1", "added-files-size": "10"})
    added = ("append", {"added-records": "5", "added-files-size": "50"})
    assert change_size([added, deletes]) == ChangeSize(5, None, 60)
