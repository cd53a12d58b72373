-- name: semi_syntax
SELECT * FROM customers c LEFT SEMI JOIN orders o ON c.id = o.customer_id

-- name: anti_syntax
SELECT * FROM customers c LEFT ANTI JOIN orders o ON c.id = o.customer_id

-- name: exists
SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.amount > 30)

-- name: not_exists
SELECT name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)

-- name: in_subquery
SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'paid')

-- name: not_in_with_nulls
SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)

-- name: not_in_without_nulls
SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE customer_id IS NOT NULL)

-- name: not_in_empty
SELECT name FROM customers WHERE id NOT IN (SELECT id FROM empty)

-- name: not_in_correlated
SELECT id FROM orders o WHERE amount NOT IN (SELECT CAST(price AS DECIMAL(10,2)) FROM lines l WHERE l.order_id = o.id)

-- name: in_two_columns
SELECT id FROM orders WHERE (customer_id, amount) IN (SELECT customer_id, max(amount) FROM orders GROUP BY customer_id)

-- name: not_in_two_columns
SELECT id FROM orders WHERE (customer_id, status) NOT IN (SELECT id, city FROM customers WHERE id IS NOT NULL)

-- name: exists_or_condition
SELECT id FROM customers c WHERE city = 'rome' OR EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)

-- name: exists_in_select
SELECT id, EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id) AS buys FROM customers c

-- name: in_subquery_in_select
SELECT id, id IN (SELECT customer_id FROM orders) AS a, id NOT IN (SELECT order_id FROM lines) AS b FROM customers

-- name: in_subquery_in_case
SELECT id, CASE WHEN id IN (SELECT customer_id FROM orders) THEN 'buyer' WHEN EXISTS (SELECT 1 FROM empty) THEN 'odd' ELSE 'visitor' END AS kind FROM customers

-- name: two_exists
SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM lines l WHERE l.order_id = o.id AND l.pieces > 2) AND NOT EXISTS (SELECT 1 FROM lines l WHERE l.order_id = o.id AND l.product = 'pad')

-- name: exists_inequality
SELECT id FROM staff a WHERE EXISTS (SELECT 1 FROM staff b WHERE b.boss = a.id AND b.pay < a.pay - 10)

-- name: nested_exists
SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND EXISTS (SELECT 1 FROM lines l WHERE l.order_id = o.id))

-- name: uncorrelated_exists
SELECT id FROM staff WHERE EXISTS (SELECT 1 FROM orders WHERE amount > 90)

-- name: uncorrelated_not_exists_empty
SELECT id FROM staff WHERE NOT EXISTS (SELECT 1 FROM empty)

-- name: semi_keeps_duplicates
SELECT product FROM lines WHERE order_id IN (SELECT id FROM orders)

-- name: in_with_aggregate
SELECT id FROM orders WHERE customer_id IN (SELECT customer_id FROM orders GROUP BY customer_id HAVING sum(amount) > 40)

-- name: in_subquery_in_join_condition
SELECT c.id, o.id AS order_id FROM customers c JOIN orders o ON c.id = o.customer_id AND o.id IN (SELECT order_id FROM lines)

-- name: in_with_limit
SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE id IS NOT NULL ORDER BY id LIMIT 2)

-- name: not_not_in
SELECT id FROM customers WHERE NOT (id NOT IN (SELECT customer_id FROM orders WHERE customer_id IS NOT NULL))

-- name: exists_under_group
SELECT city, count(*) AS n FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id) GROUP BY city HAVING count(*) >= 1
