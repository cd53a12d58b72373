"""docs/errors.md has one line for every code, and no other."""

from __future__ import annotations

from rollview import errors
from rollview.errors import RollviewError
from tests.docs.pages import DOCS, first_cells

PAGE = DOCS / "errors.md"


def codes() -> dict[str, str]:
    """Every error class with its code."""
    return {
        name: kind.code
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, RollviewError)
    }


def test_no_two_errors_share_a_code() -> None:
    assert len(set(codes().values())) == len(codes())


def test_every_code_has_one_line() -> None:
    listed = first_cells(PAGE)
    assert len(set(listed)) == len(listed), "a code is listed twice"
    assert set(listed) == set(codes().values()) - {RollviewError.code}


def test_every_line_names_the_class_of_its_code() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    for name, code in codes().items():
        if name != RollviewError.__name__:
            assert any(line.startswith(f"| `{code}` | `{name}` |") for line in lines), name


def test_lines_stand_in_the_order_of_the_code() -> None:
    assert first_cells(PAGE) == [code for code in codes().values() if code != RollviewError.code]
