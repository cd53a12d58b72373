"""Files that differ between versions, from what commits say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from rollview.storage.delta_diff import Commit, Diff, Way, diffs, to_commit

Action = dict[str, Any]


def file(path: str, rows: int | None = None, vector: str = "", **more: Any) -> Action:
    found: Action = {"path": path, "size": 100, "dataChange": True, "partitionValues": {}}
    if rows is not None:
        found["stats"] = f'{{"numRecords": {rows}}}'
    if vector:
        found["deletionVector"] = {
            "storageType": "i",
            "pathOrInlineDv": vector,
            "cardinality": len(vector),
        }
    return found | more


def commit(adds: Iterable[Action] = (), removes: Iterable[Action] = (), **more: Any) -> Commit:
    return Commit(1, tuple(adds), tuple(removes), tuple(more.get("feed", ())), None)


def still(one: Action) -> Action:
    return one | {"dataChange": False}


def weights(diff: Diff) -> dict[str, int]:
    found: Counter[str] = Counter()
    for one, weight in diff.files:
        found[one["path"] + one.get("deletionVector", {}).get("pathOrInlineDv", "")] += weight
    return dict(found)


def test_files_added_and_removed_again_cancel() -> None:
    a, b, c = file("a"), file("b"), file("c")
    (only,) = diffs([commit([a, b]), commit([c], [a]), commit([], [b])])
    assert weights(only) == {"c": 1}


def test_a_vector_makes_another_file() -> None:
    (only,) = diffs([commit([file("a", vector="x")], [file("a")])])
    assert weights(only) == {"a": -1, "ax": 1}
    assert only.bytes == 100
    (back,) = diffs(
        [
            commit([file("a", vector="x")], [file("a")]),
            commit([file("a")], [file("a", vector="x")]),
        ]
    )
    assert weights(back) == {}


def test_compaction_alone_is_nothing() -> None:
    old = [still(file("a", 3)), still(file("b", 4))]
    first = diffs([commit([still(file("ab", 7))], old)])[0]
    assert weights(first) == {}
    assert first.bytes == 0


def test_compaction_is_taken_in_where_that_reads_less() -> None:
    small = [file(f"s{position}", 1) for position in range(5)]
    large = still(file("large", 5, size=120))
    ways = diffs([commit(small), commit([large], [still(one) for one in small])])
    assert [weights(diff) for diff in ways] == [{"large": 1}, {f"s{n}": 1 for n in range(5)}]


def test_files_that_are_only_described_anew_do_not_count() -> None:
    (only,) = diffs([commit([still(file("a", 3))])])
    assert weights(only) == {}
    unknown = commit([still(file("ab"))], [still(file("a")), still(file("b"))])
    (only,) = diffs([unknown])
    assert weights(only) == {}


def test_change_files_stand_for_the_files_of_their_commit() -> None:
    feed = [{"path": "_change_data/f", "size": 7}]
    ways = diffs([commit([file("new")]), commit([file("b")], [file("a")], feed=feed)])
    assert [diff.way for diff in ways] == [Way.FEED, Way.FILES]
    assert weights(ways[0]) == {"new": 1}
    assert ways[0].feed == tuple(feed)
    assert weights(ways[1]) == {"new": 1, "b": 1, "a": -1}


def test_large_change_files_are_left_alone() -> None:
    feed = [{"path": "_change_data/f", "size": 700}]
    assert diffs([commit([file("b")], [file("a")], feed=feed)])[0].way is Way.FILES


def test_a_layer_has_a_path_once_on_each_side() -> None:
    a = file("a")
    restored = [commit([a]), commit([still(file("b"))], [still(a)]), commit([a], [file("b")])]
    (only,) = diffs(restored)
    assert weights(only) == {"a": 2, "b": -1}
    layers = [
        ([f["path"] for f in adds], [f["path"] for f in gone]) for adds, gone in only.layers()
    ]
    assert layers == [(["a"], ["b"]), (["a"], [])]


def test_what_a_record_says() -> None:
    actions = [
        {"commitInfo": {}},
        {"add": {"path": "a"}},
        {"remove": {"path": "b"}},
        {"cdc": {"path": "c"}},
        {"metaData": {"id": "1"}},
    ]
    assert to_commit(7, actions) == Commit(
        7, ({"path": "a"},), ({"path": "b"},), ({"path": "c"},), {"id": "1"}
    )
