"""The renderer's Spark SQL as DuckDB wants it: a few words replaced, in one pass over the text.

Transpiling through a parser costs more than running the statement. The renderer writes few forms,
and the expressions of generated views are written so that both engines read most of them alike.
What differs, and nothing else, is here.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# What DuckDB lacks, or does otherwise. `sequence` also takes the wider integers that its own sums
# give; `^` is a power there; a division by zero is NULL as in Spark. `settled` are variances,
# covariances and regressions: without the noise of their last digits, which is all that there is
# where they are zero, and NULL where Spark has it and DuckDB has NaN.
MACROS = """
    CREATE MACRO sequence(low, high) AS
      generate_series(CAST(low AS BIGINT), CAST(high AS BIGINT));
    CREATE MACRO map_from_arrays(names, items) AS map(names, items);
    CREATE MACRO array_size(items) AS CAST(len(items) AS INT);
    CREATE MACRO "get"(items, place) AS items[place + 1];
    CREATE MACRO "^"(one, two) AS xor(one, two);
    CREATE MACRO try_add(one, two) AS one + two;
    CREATE MACRO try_subtract(one, two) AS one - two;
    CREATE MACRO settled(value) AS
      CASE WHEN isnan(value) THEN NULL WHEN abs(value) < 1e-9 THEN 0 ELSE round(value, 14) END;
    SET ieee_floating_point_ops = false;
"""

_NESTED = r"\b(?:ARRAY|STRUCT|MAP)<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>"
_WORDS = re.compile(
    rf"""(?P<text>'(?:[^'\\]|\\.)*')
      | (?P<name>`(?:[^`]|``)*`)
      | (?P<hint>/\*\+.*?\*/)
      | (?P<same><=>)
      | \b(?P<tried>try_(?=sum\())
      | \b(?P<long>\d+)L\b
      | \b(?P<semi>LEFT\ (?=SEMI\ |ANTI\ ))
      | (?P<nested>{_NESTED})
      | (?P<local>\bTIMESTAMP_NTZ\b)
      | (?P<range>\bFROM\ range\(\d+\))""",
    re.VERBOSE,
)
_VIEW = re.compile(
    r"SELECT (?P<columns>[^\n]*)\n\s*FROM (?P<source>\w+)\n"
    r"\s*LATERAL VIEW (?P<outer>OUTER )?(?P<position>pos)?explode\("
)
_VIEW_NAMES = re.compile(r" \w+ AS ([^\n]*)")
_AVERAGE_OF_CAST = re.compile(r"\bavg\((?:DISTINCT )?CAST\(")
_MOMENT = re.compile(
    r"\b(?:(?:var|stddev|covar)_(?:pop|samp)|corr|regr_(?:s[xy][xy]|slope|intercept|r2))\("
)
_COUNT_IF = re.compile(r"\bcount_if\(")
_COUNT_OF_PAIRS = re.compile(r"\bregr_count\(")
_AS_DECIMAL = re.compile(r" AS DECIMAL\((\d+),(\d+)\)\)\)\Z")
_FILTER = " FILTER ("
_OVER = " OVER ("


def to_duckdb(statement: str) -> str:
    """The Spark SQL of the renderer as DuckDB writes it."""
    if "LATERAL VIEW" in statement:
        statement = _views(statement)
    if "named_struct(" in statement:
        statement = _calls(statement, "named_struct(", _struct)
    if "array(" in statement:
        statement = _calls(statement, "array(", lambda args: f"[{', '.join(args)}]")
    if "avg(" in statement:
        statement = _averages(statement)
    statement = _wrapped(statement, _MOMENT, "settled(", ")")
    if "count_if(" in statement:
        # Over no rows it is NULL there.
        statement = _wrapped(statement, _COUNT_IF, "coalesce(", ", 0)")
    if "regr_count(" in statement:
        # It has no sign there.
        statement = _wrapped(statement, _COUNT_OF_PAIRS, "CAST(", " AS BIGINT)")
    return _WORDS.sub(_word, statement)


def _word(match: re.Match[str]) -> str:
    found = match[0]
    match match.lastgroup:
        case "name":
            return '"' + found[1:-1].replace("``", "`").replace('"', '""') + '"'
        case "hint" | "semi" | "tried":
            return ""
        case "same":
            return "IS NOT DISTINCT FROM"
        case "long":
            return f"CAST({match['long']} AS BIGINT)"
        case "nested":
            return _type(found)
        case "local":
            return "TIMESTAMP"
        case "range":
            return f"{found} AS made(id)"
        case _:
            return found


def _type(type: str) -> str:
    """The name of a type, nested or not."""
    kind, _, inside = type.strip().partition("<")
    match kind:
        case "ARRAY":
            return f"{_type(inside[:-1])}[]"
        case "MAP":
            key, item = arguments(inside[:-1])
            return f"MAP({_type(key)}, {_type(item)})"
        case "STRUCT":
            fields = (one.split(":", 1) for one in arguments(inside[:-1]))
            return f"STRUCT({', '.join(f'{name} {_type(field)}' for name, field in fields)})"
        case "TIMESTAMP_NTZ":
            return "TIMESTAMP"
        case _:
            return type.strip()


def _views(statement: str) -> str:
    """LATERAL VIEW explode as an unnest in the select list."""
    pieces, position = [], 0
    for match in _VIEW.finditer(statement):
        end = closing(statement, match.end() - 1)
        names = _VIEW_NAMES.match(statement, end + 1)
        if names is None:
            raise ValueError(f"a lateral view without names: {statement}")
        array = statement[match.end() : end]
        if match["outer"]:
            array = f"CASE WHEN len({array}) > 0 THEN {array} ELSE [NULL] END"
        made = [f"unnest({array}) AS {names[1].split(', ')[-1]}"]
        if match["position"]:
            numbers = f"unnest(range(len({array})))"
            made.insert(0, f"CAST({numbers} AS INT) AS {names[1].split(', ')[0]}")
        pieces.append(statement[position : match.start()])
        inner = f"SELECT *, {', '.join(made)} FROM {match['source']}"
        pieces.append(f"SELECT {match['columns']} FROM ({inner})")
        position = names.end()
    return "".join([*pieces, statement[position:]])


def _struct(args: list[str]) -> str:
    fields = (f"{name}: {value}" for name, value in zip(args[::2], args[1::2], strict=True))
    return "{" + ", ".join(fields) + "}"


def _calls(statement: str, opening: str, written: Callable[[list[str]], str]) -> str:
    """Every call of a function written anew from its arguments, inner ones too."""
    pieces, position = [], 0
    for match in re.finditer(rf"\b{re.escape(opening)}", statement):
        if match.start() < position:
            continue
        end = closing(statement, match.end() - 1)
        inside = _calls(statement[match.end() : end], opening, written)
        pieces += [statement[position : match.start()], written(arguments(inside))]
        position = end + 1
    return "".join([*pieces, statement[position:]])


def _averages(statement: str) -> str:
    """An average of decimals is a decimal: DuckDB gives a double.

    Generated averages name the type of their argument by a cast, so that it can be told here.
    """
    pieces, position = [], 0
    for match in _AVERAGE_OF_CAST.finditer(statement):
        end = closing(statement, statement.index("(", match.start())) + 1
        type = _AS_DECIMAL.search(statement[match.start() : end])
        if type is None:
            continue
        end = _end_of_clauses(statement, end)
        precision, scale = min(int(type[1]) + 4, 38), min(int(type[2]) + 4, 38)
        call = statement[match.start() : end]
        pieces.append(statement[position : match.start()])
        pieces.append(f"CAST({call} AS DECIMAL({precision},{scale}))")
        position = end
    return "".join([*pieces, statement[position:]])


def _wrapped(statement: str, calls: re.Pattern[str], before: str, after: str) -> str:
    """Calls of aggregate functions, with their clauses, inside another call."""
    pieces, position = [], 0
    for match in calls.finditer(statement):
        end = _end_of_clauses(statement, closing(statement, match.end() - 1) + 1)
        call = statement[match.start() : end]
        pieces += [statement[position : match.start()], f"{before}{call}{after}"]
        position = end
    return "".join([*pieces, statement[position:]])


def _end_of_clauses(statement: str, end: int) -> int:
    """Where a call with its FILTER and OVER ends that closes here."""
    for clause in (_FILTER, _OVER):
        if statement.startswith(clause, end):
            end = closing(statement, end + len(clause) - 1) + 1
    return end


_MARKS = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|" + _NESTED + r"|[()\[\]{},]")


def closing(text: str, start: int) -> int:
    """Where the parenthesis at ``start`` closes."""
    depth = 0
    for match in _MARKS.finditer(text, start):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
            if depth == 0:
                return match.start()
    raise ValueError(f"a parenthesis is not closed: {text[start:]}")


def arguments(text: str) -> list[str]:
    """The arguments of a call, as they are separated by commas."""
    found, depth, begin = [], 0, 0
    for match in _MARKS.finditer(text):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        elif match[0] == "," and depth == 0:
            found.append(text[begin : match.start()].strip())
            begin = match.end()
    last = text[begin:].strip()
    return [*found, last] if last else found
