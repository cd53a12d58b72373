"""Conditions of the TPC queries that select nothing from so little data, and what they become.

At scale 0.01 there is one store, one warehouse, and no customer who buys everywhere: a third of
TPC-DS would be empty, where a view that is always right equals one that is always empty. A larger
scale helps few of them. So the conditions that stand in the way ask for less. What is
read, grouped and joined stays; `STAY_EMPTY` lists the queries that have nothing all the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp

_MORE = "..."
"""At the end of a condition: whatever follows."""

# A condition, as DuckDB's dialect writes it, and what takes its place: nothing said, all that have
# a value in its first column.
RELAXED: dict[str, dict[int, dict[str, str | None]]] = {
    "tpch": {17: {"p_brand = 'Brand#23'": None}},
    "tpcds": {
        3: {"item.i_manufact_id = 128": None},
        4: {
            "t_c_secyear.sale_type = 'c'": None,
            "t_w_firstyear.sale_type = 'w'": None,
            "t_w_secyear.sale_type = 'w'": None,
        },
        8: {"SUBSTRING(ca_zip, 1, 5) IN...": None, "COUNT(*) > 10": "COUNT(*) > 0"},
        10: {"d_year = 2002": None},
        11: {"t_w_secyear.sale_type = 'w'": None},
        13: {"d_year = 2001": None},
        16: {"ca_state = 'GA'": None, "cs1.cs_warehouse_sk <> cs2.cs_warehouse_sk": None},
        19: {"d_year = 1998": None},
        23: {"COUNT(*) > 4": "COUNT(*) > 1"},
        24: {
            "s_zip = ca_zip": "SUBSTRING(s_zip, 1, 1) = SUBSTRING(ca_zip, 1, 1)",
            "s_market_id = 8": None,
            "i_color = 'peach'": None,
        },
        25: {"d1.d_moy = 4": None},
        30: {"d_year = 2002": None},
        31: {
            "CASE WHEN ws2.web_sales > 0...": None,
            "ws1.d_qoy = 1": None,
            "ws2.d_qoy = 2": None,
            "ws3.d_qoy = 3": None,
            "ss3.d_qoy = 3": None,
        },
        32: {"i_manufact_id = 977": None},
        37: {"i_manufact_id IN...": None},
        39: {"inv1.d_moy = 1": None},
        41: {"i_manufact_id BETWEEN 738 AND 738 + 40": None},
        44: {"ss_store_sk = 4": None},
        49: {"sr.sr_return_amt > 10000": None},
        54: {
            "ca_county = s_county": None,
            "ca_state = s_state": "LENGTH(ca_state) = LENGTH(s_state)",
            "i_class = 'maternity'": None,
            # One month of one year is one number only until dates are changed.
            "d_month_seq BETWEEN (SELECT...": (
                "d_month_seq BETWEEN "
                "(SELECT MAX(d_month_seq + 1) FROM date_dim WHERE d_year = 1998 AND d_moy = 12) "
                "AND (SELECT MAX(d_month_seq + 3) FROM date_dim WHERE d_year = 1998 AND d_moy = 12)"
            ),
        },
        58: {
            "ss_item_rev BETWEEN 0.9 * cs_item_rev...": None,
            "ss_item_rev BETWEEN 0.9 * ws_item_rev...": None,
            "cs_item_rev BETWEEN 0.9 * ss_item_rev...": None,
            "cs_item_rev BETWEEN 0.9 * ws_item_rev...": None,
            "ws_item_rev BETWEEN 0.9 * ss_item_rev...": None,
            "ws_item_rev BETWEEN 0.9 * cs_item_rev...": None,
        },
        64: {"i_current_price BETWEEN 64 AND 64 + 10": None},
        65: {"sc.revenue <= 0.1 * sb.ave": None},
        73: {"cnt BETWEEN 1 AND 5": None},
        74: {"t_w_secyear.sale_type = 'w'": None},
        82: {"i_manufact_id IN...": None},
        83: {"d_date IN ('2000-06-30', '2000-09-27', '2000-11-17')": None},
        85: {
            "(ca_country = 'United States' AND ca_state IN ('IN', 'OH', 'NJ')...": None,
            "d_year = 2000": None,
        },
        88: {"store.s_store_name = 'ese'": None},
        90: {"web_page.wp_char_count BETWEEN 5000 AND 5200": None},
        91: {"hd_buy_potential LIKE 'Unknown%'": None},
        92: {"i_manufact_id = 350": None},
        93: {"r_reason_desc = 'reason 28'": None},
        94: {
            "web_company_name = 'pri'": None,
            "ca_state = 'IL'": None,
            "ws1.ws_warehouse_sk <> ws2.ws_warehouse_sk": None,
        },
        95: {
            "web_company_name = 'pri'": None,
            "ws1.ws_warehouse_sk <> ws2.ws_warehouse_sk": None,
        },
        96: {"store.s_store_name = 'ese'": None},
    },
}
STAY_EMPTY: dict[str, frozenset[int]] = {"tpch": frozenset(), "tpcds": frozenset({38})}
"""Queries without a row, or with one that counts nothing, whatever they ask for."""


def relaxed(name: str, number: int, query: exp.Expression) -> exp.Expression:
    """The query of a benchmark with its conditions relaxed. Raises if one of them is not there."""
    wanted = RELAXED[name].get(number, {})
    met: set[str] = set()

    def replaced(node: exp.Expression) -> exp.Expression:
        found = _condition(node, wanted)
        if found is None:
            return node
        met.add(found)
        text = wanted[found]
        if text is not None:
            return sqlglot.parse_one(text, read="duckdb")
        column = next(node.find_all(exp.Column))
        return exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))

    changed = query.transform(replaced)
    if met != set(wanted):
        raise ValueError(f"{name} q{number:02} has no condition {sorted(set(wanted) - met)}")
    return changed


def _condition(node: exp.Expression, wanted: Mapping[str, object]) -> str | None:
    """Which of the conditions a node is."""
    if not wanted or not isinstance(node, exp.Predicate | exp.Or):
        return None
    text = node.sql(dialect="duckdb")
    for condition in wanted:
        exact = condition.removesuffix(_MORE)
        if text == condition or (exact != condition and text.startswith(exact)):
            return condition
    return None
