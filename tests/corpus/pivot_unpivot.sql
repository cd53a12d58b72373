-- name: pivot
SELECT * FROM (SELECT region, month, units FROM sales) PIVOT (sum(units) FOR month IN (1, 2, 3))

-- name: pivot_aliases_two_aggregates
SELECT * FROM (SELECT region, month, units, revenue FROM sales) PIVOT (sum(units) AS u, max(revenue) AS r FOR month IN (1 AS jan, 2 AS feb))

-- name: pivot_two_columns
SELECT * FROM (SELECT customer_id, status, quantity, amount FROM orders) PIVOT (count(amount) AS n FOR (status, quantity) IN (('paid', 1) AS paid_one, ('open', 3) AS open_three))

-- name: pivot_strings
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (avg(amount) FOR status IN ('paid', 'open'))

-- name: unpivot
SELECT * FROM (SELECT id, tiny, small FROM numbers) UNPIVOT (value FOR name IN (tiny, small))

-- name: unpivot_include_nulls
SELECT * FROM (SELECT id, whole, tiny FROM numbers) UNPIVOT INCLUDE NULLS (value FOR name IN (whole AS `a whole`, tiny AS `a tiny`))

-- name: unpivot_several_values
SELECT * FROM (SELECT name, id AS a, pay AS b, boss AS c, pay + 1 AS d FROM staff) UNPIVOT ((x, y) FOR pair IN ((a, b) AS one, (c, d) AS two))

-- name: pivot_then_filter
SELECT region, coalesce(`1`, 0) AS january FROM (SELECT region, month, units FROM sales) PIVOT (sum(units) FOR month IN (1, 2)) WHERE `2` IS NOT NULL
