-- name: rollup
SELECT region, month, sum(units) AS u FROM sales GROUP BY ROLLUP (region, month)

-- name: cube
SELECT region, month, sum(units) AS u, count(*) AS n FROM sales GROUP BY CUBE (region, month)

-- name: sets
SELECT region, month, sum(revenue) AS r FROM sales GROUP BY GROUPING SETS ((region, month), (region), ())

-- name: grouping_flags
SELECT region, month, grouping(region) AS gr, grouping(month) AS gm, grouping_id(region, month) AS id, sum(units) AS u FROM sales GROUP BY CUBE (region, month)

-- name: with_rollup_syntax
SELECT status, customer_id, count(*) AS n FROM orders GROUP BY status, customer_id WITH ROLLUP

-- name: mixed_with_plain_key
SELECT status, region_like, year(day) AS y, count(*) AS n FROM (SELECT *, customer_id % 2 AS region_like FROM orders) GROUP BY status, ROLLUP (region_like, year(day))

-- name: distinct_in_rollup
SELECT status, count(DISTINCT customer_id) AS c, sum(amount) AS s FROM orders GROUP BY ROLLUP (status)

-- name: having_grouping
SELECT region, sum(units) AS u FROM sales GROUP BY ROLLUP (region) HAVING grouping(region) = 1 OR sum(units) > 5

-- name: expression_sets
SELECT upper(region) AS r, month * 2 AS m, count(*) AS n FROM sales GROUP BY GROUPING SETS ((upper(region)), (month * 2))

-- name: repeated_sets
SELECT region, count(*) AS n FROM sales GROUP BY GROUPING SETS ((region), (region), ())

-- name: concatenated_sets
SELECT region, month, status_like, sum(units) AS u FROM (SELECT *, units > 5 AS status_like FROM sales) GROUP BY CUBE (region), GROUPING SETS ((month), (status_like))

-- name: aggregated_key_column
SELECT month, count(month) AS n, sum(month) AS s FROM sales GROUP BY ROLLUP (month)

-- name: rollup_over_empty
SELECT name, count(*) AS n FROM empty GROUP BY ROLLUP (name)
