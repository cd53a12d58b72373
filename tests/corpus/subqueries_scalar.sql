-- name: in_select
SELECT id, (SELECT max(amount) FROM orders) AS hi FROM staff

-- name: in_where
SELECT id FROM orders WHERE amount > (SELECT avg(amount) FROM orders)

-- name: in_having
SELECT status, sum(amount) AS s FROM orders GROUP BY status HAVING sum(amount) > (SELECT max(amount) / 2 FROM orders)

-- name: in_case
SELECT id, CASE WHEN pay > (SELECT avg(pay) FROM staff) THEN 'above' ELSE 'below' END AS side FROM staff

-- name: in_join_condition
SELECT a.id, b.id AS other FROM staff a JOIN staff b ON a.boss = b.id AND a.pay > (SELECT min(pay) FROM staff)

-- name: no_row_gives_null
SELECT id, (SELECT name FROM customers WHERE id = 12345) AS missing FROM staff

-- name: no_row_in_filter
SELECT id FROM staff WHERE pay > (SELECT amount FROM empty) OR id = 1

-- name: empty_aggregate_is_null
SELECT id, (SELECT sum(amount) FROM empty) AS s, (SELECT count(*) FROM empty) AS n FROM staff

-- name: too_many_rows
-- raises: SCALAR_SUBQUERY_TOO_MANY_ROWS
SELECT id, (SELECT id FROM customers) AS bad FROM staff

-- name: correlated_sum
SELECT c.id, (SELECT sum(amount) FROM orders o WHERE o.customer_id = c.id) AS total FROM customers c

-- name: correlated_count_is_zero
SELECT c.id, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id AND o.amount > 20) AS n FROM customers c

-- name: correlated_in_where
SELECT id FROM orders o WHERE amount = (SELECT max(amount) FROM orders i WHERE i.customer_id = o.customer_id)

-- name: correlated_in_case_and_arithmetic
SELECT c.id, CASE WHEN (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) > 1 THEN 1 ELSE 0 END + coalesce((SELECT max(quantity) FROM orders o WHERE o.customer_id = c.id), 0) AS v FROM customers c

-- name: correlated_limit_one
SELECT c.id, (SELECT o.id FROM orders o WHERE o.customer_id = c.id ORDER BY o.amount DESC, o.id LIMIT 1) AS best FROM customers c

-- name: correlated_inequality
SELECT s.id, (SELECT count(*) FROM staff t WHERE t.pay > s.pay) AS better FROM staff s

-- name: several_at_once
SELECT (SELECT count(*) FROM orders) AS a, (SELECT max(pay) FROM staff) AS b, (SELECT count(*) FROM empty) AS c

-- name: same_twice
SELECT id, pay - (SELECT avg(pay) FROM staff) AS d, pay / (SELECT avg(pay) FROM staff) AS r FROM staff

-- name: nested_uncorrelated
SELECT id FROM staff WHERE pay > (SELECT avg(pay) FROM staff WHERE pay < (SELECT max(pay) FROM staff))

-- name: as_function_argument
SELECT id, concat(name, '-', (SELECT max(city) FROM customers)) AS label FROM staff

-- name: struct_value
SELECT id, (SELECT max(struct(pay, name)) FROM staff).name AS richest FROM staff

-- name: over_aggregate_input
SELECT team, sum(pay - (SELECT min(pay) FROM staff)) AS s FROM staff GROUP BY team

-- name: in_order_by_limit
SELECT id FROM staff ORDER BY abs(pay - (SELECT avg(pay) FROM staff)), id LIMIT 3

-- name: without_from
SELECT (SELECT 1) + (SELECT 2) AS three
