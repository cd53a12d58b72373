-- name: union_all
SELECT id, name FROM customers UNION ALL SELECT id, name FROM staff

-- name: union_distinct
SELECT city FROM customers UNION SELECT region FROM sales

-- name: intersect
SELECT customer_id FROM orders INTERSECT SELECT id FROM customers

-- name: intersect_all
SELECT customer_id FROM orders INTERSECT ALL SELECT customer_id FROM orders WHERE status = 'paid'

-- name: except
SELECT id FROM customers EXCEPT SELECT customer_id FROM orders

-- name: except_all
SELECT product FROM lines EXCEPT ALL SELECT product FROM lines WHERE pieces < 3

-- name: except_all_two_columns
SELECT order_id, product FROM lines EXCEPT ALL SELECT DISTINCT order_id, product FROM lines

-- name: minus_keyword
SELECT status FROM orders MINUS SELECT 'paid'

-- name: widening_types
SELECT tiny AS n FROM numbers UNION ALL SELECT amount FROM orders UNION ALL SELECT pieces FROM lines

-- name: union_of_three_distinct_last
SELECT id FROM staff UNION ALL SELECT id FROM customers UNION SELECT order_id FROM lines

-- name: parenthesised
(SELECT id FROM staff EXCEPT SELECT id FROM customers) UNION ALL (SELECT id FROM customers INTERSECT SELECT boss FROM staff)

-- name: precedence_of_intersect
SELECT id FROM staff UNION SELECT id FROM customers INTERSECT SELECT boss FROM staff

-- name: union_with_nulls
SELECT NULL AS a, 1 AS b UNION ALL SELECT 'x', NULL UNION ALL SELECT city, id FROM customers

-- name: aggregate_over_union
SELECT kind, count(*) AS n FROM (SELECT 'c' AS kind FROM customers UNION ALL SELECT 's' FROM staff UNION ALL SELECT 'o' FROM orders WHERE amount > 20) GROUP BY kind

-- name: union_same_table
SELECT id, amount FROM orders WHERE amount > 20 UNION ALL SELECT id, amount FROM orders WHERE status = 'paid'

-- name: nested_types
SELECT tags FROM nested UNION ALL SELECT array('new', NULL)

-- name: except_with_null_rows
SELECT customer_id, status FROM orders EXCEPT SELECT NULL, 'open'

-- name: intersect_empty
SELECT id FROM customers INTERSECT SELECT id FROM empty

-- name: union_empty
SELECT id FROM empty UNION ALL SELECT id FROM staff
