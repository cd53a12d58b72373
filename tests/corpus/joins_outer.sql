-- name: left
SELECT c.id, c.name, o.id AS order_id, o.amount FROM customers c LEFT JOIN orders o ON c.id = o.customer_id

-- name: right
SELECT c.name, o.id AS order_id FROM customers c RIGHT JOIN orders o ON c.id = o.customer_id

-- name: full
SELECT c.name, o.id AS order_id FROM customers c FULL JOIN orders o ON c.id = o.customer_id

-- name: left_with_condition_on_left
SELECT c.id, o.id AS order_id FROM customers c LEFT JOIN orders o ON c.id = o.customer_id AND c.city = 'london'

-- name: left_with_condition_on_right
SELECT c.id, o.id AS order_id FROM customers c LEFT JOIN orders o ON c.id = o.customer_id AND o.status = 'paid'

-- name: left_filtered_after
SELECT c.id FROM customers c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.id IS NULL

-- name: left_that_becomes_inner
SELECT c.id, o.amount FROM customers c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.amount > 10

-- name: full_using
SELECT id, s.name, c.city FROM staff s FULL JOIN customers c USING (id)

-- name: natural_full
SELECT * FROM (SELECT id, pay FROM staff) NATURAL FULL JOIN (SELECT id, city FROM customers)

-- name: full_inequality
SELECT a.id, b.id AS other FROM staff a FULL JOIN staff b ON a.pay > b.pay AND a.team = b.team

-- name: chain
SELECT c.id, o.id AS order_id, l.product FROM customers c LEFT JOIN orders o ON o.customer_id = c.id LEFT JOIN lines l ON l.order_id = o.id

-- name: left_of_inner
SELECT c.id, x.product FROM customers c LEFT JOIN (orders o JOIN lines l ON l.order_id = o.id) ON o.customer_id = c.id CROSS JOIN (SELECT 'p' AS product) x

-- name: null_safe
SELECT c.name, o.id AS order_id FROM customers c LEFT JOIN orders o ON c.id <=> o.customer_id

-- name: outer_then_aggregate
SELECT c.city, count(o.id) AS orders, count(*) AS rows, sum(o.amount) AS total FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.city

-- name: outer_computed_right_side
SELECT c.id, o.flag FROM customers c LEFT JOIN (SELECT customer_id, 'seen' AS flag FROM orders) o ON o.customer_id = c.id

-- name: outer_with_constant_condition
SELECT s.id, c.id AS other FROM staff s LEFT JOIN customers c ON false

-- name: right_with_empty
SELECT e.name, o.id FROM empty e RIGHT JOIN orders o ON e.id = o.id

-- name: full_with_empty
SELECT o.id, e.amount FROM orders o FULL JOIN empty e ON o.id = e.id

-- name: coalesced_keys_of_full
SELECT coalesce(a.customer_id, b.id) AS k, a.n, b.name FROM (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) a FULL OUTER JOIN customers b ON a.customer_id = b.id
