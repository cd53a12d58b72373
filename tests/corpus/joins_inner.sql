-- name: on_key
SELECT c.name, o.amount FROM customers c JOIN orders o ON c.id = o.customer_id

-- name: using
SELECT id, kind, name FROM events JOIN customers USING (id)

-- name: natural
SELECT * FROM (SELECT id, name FROM staff) NATURAL JOIN (SELECT id, city FROM customers)

-- name: comma_and_where
SELECT c.name, o.id, l.product FROM customers c, orders o, lines l WHERE c.id = o.customer_id AND o.id = l.order_id

-- name: cross
SELECT a.id, b.region FROM staff a CROSS JOIN (SELECT DISTINCT region FROM sales) b

-- name: inequality
SELECT a.id, b.id AS cheaper FROM orders a JOIN orders b ON a.amount > b.amount AND a.status = b.status

-- name: key_and_filter
SELECT c.name, o.id FROM customers c JOIN orders o ON c.id = o.customer_id AND o.amount > 10 AND c.city <> 'rome'

-- name: expression_keys
SELECT a.id, b.id AS other FROM strings a JOIN strings b ON lower(a.text) = lower(b.text) AND length(a.text) = length(b.text)

-- name: duplicates_multiply
SELECT a.order_id, a.product, b.pieces FROM lines a JOIN lines b ON a.order_id = b.order_id

-- name: four_tables
SELECT c.city, l.product, sum(l.pieces * l.price) AS worth FROM customers c JOIN orders o ON o.customer_id = c.id JOIN lines l ON l.order_id = o.id JOIN staff s ON s.id = c.id GROUP BY c.city, l.product

-- name: on_or
SELECT a.id, b.id AS other FROM staff a JOIN staff b ON a.boss = b.id OR a.id = b.boss

-- name: with_empty
SELECT * FROM (SELECT id AS order_id FROM orders) o JOIN empty e ON o.order_id = e.id

-- name: cross_formats
SELECT o.status, l.`AMOUNT` FROM orders o JOIN corpus_iceberg.`Some Space`.`Order Lines ü` l ON o.id = l.`Order Id`

-- name: on_different_types
SELECT n.id, o.id AS order_id FROM numbers n JOIN orders o ON n.tiny = o.quantity AND n.exact < o.amount

-- name: join_hint
SELECT /*+ BROADCAST(c) */ c.name, o.id FROM customers c JOIN orders o ON c.id = o.customer_id

-- name: condition_always_true
SELECT a.id, b.id AS other FROM staff a JOIN staff b ON true WHERE a.pay = b.pay

-- name: constant_condition_false
SELECT a.id, b.id AS other FROM staff a JOIN staff b ON a.id = b.id AND 1 = 2
