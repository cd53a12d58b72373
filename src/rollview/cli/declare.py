"""`rollview declare`: keys and foreign keys of the tables, which refreshes make use of."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from rollview.cli.options import Json, Lake, Schema, session
from rollview.cli.output import print_json, print_table, print_text

if TYPE_CHECKING:
    from rollview.runtime.report import Declaration
    from rollview.session import Session


class What(StrEnum):
    """What can be declared, and the list of it."""

    KEY = "key"
    FOREIGN_KEY = "foreign-key"
    LIST = "list"


_NAMES = {What.KEY: 2, What.FOREIGN_KEY: 4, What.LIST: 0}
_USAGE = {
    What.KEY: "say: declare key TABLE COLUMNS",
    What.FOREIGN_KEY: "say: declare foreign-key TABLE COLUMNS PARENT COLUMNS",
    What.LIST: "say: declare list, and nothing more",
}


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(declare)


def declare(
    context: typer.Context,
    what: Annotated[What, typer.Argument(metavar="key|foreign-key|list", show_default=False)],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TABLE COLUMNS [PARENT COLUMNS]",
            help="The table and its columns, divided by commas; those of the parent.",
            show_default=False,
        ),
    ] = None,
    rely: Annotated[
        bool, typer.Option("--rely", help="Trust it: no refresh checks it any more.")
    ] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Forget it instead.")] = False,
    lake: Lake = None,
    schema: Schema = None,
    json: Json = False,
) -> None:
    """Declare keys and foreign keys of tables, forget them, or list them.

    \b
    Examples:
      rollview --lake lake declare key orders o_orderkey
      rollview --lake lake declare foreign-key items order_id,shop orders id,shop --rely
      rollview --lake lake declare key orders o_orderkey --drop
      rollview --lake lake declare list --json
    """
    given = tuple(names or ())
    if len(given) != _NAMES[what] or (what is What.LIST and (rely or drop)):
        raise typer.BadParameter(_USAGE[what])
    with session(context, lake, schema) as db:
        context.obj.activity.say("reading what is declared" if what is What.LIST else "declaring")
        found = _carried_out(db, what, given, rely, drop)
        context.obj.activity.rest()
        if json:
            print_json([one.to_dict() for one in found] if what is What.LIST else _one(found))
        elif what is What.LIST:
            _print(found)
        else:
            print_text(f"{'forgotten' if drop else 'declared'}: the {_word(what)} {_said(given)}")


def _carried_out(
    db: Session, what: What, given: tuple[str, ...], rely: bool, drop: bool
) -> list[Declaration]:
    match what:
        case What.LIST:
            return db.declarations()
        case What.KEY if drop:
            db.drop_key(given[0], _columns(given[1]))
        case What.KEY:
            return [db.declare_key(given[0], _columns(given[1]), rely=rely)]
        case What.FOREIGN_KEY:
            child, parent = _columns(given[1]), _columns(given[3])
            if not drop:
                return [db.declare_foreign_key(given[0], child, given[2], parent, rely=rely)]
            db.drop_foreign_key(given[0], child, given[2], parent)
    return []


def _columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _one(found: list[Declaration]) -> dict[str, object]:
    return {"declared": found[0].to_dict() if found else None}


def _word(what: What) -> str:
    return what.value.replace("-", " ")


def _said(given: tuple[str, ...]) -> str:
    sides = [f"{given[i]} ({', '.join(_columns(given[i + 1]))})" for i in range(0, len(given), 2)]
    return " -> ".join(sides)


def _print(found: list[Declaration]) -> None:
    if not found:
        print_text("nothing is declared: rollview declare key TABLE COLUMNS")
        return
    print_table(
        ["kind", "table", "columns", "parent", "parent columns", "checked"],
        [
            [
                one.kind,
                one.table,
                ", ".join(one.columns),
                one.parent or "",
                ", ".join(one.parent_columns or ()),
                "no, trusted" if one.rely else "yes",
            ]
            for one in found
        ],
    )
