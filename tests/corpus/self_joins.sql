-- name: employee_boss
SELECT e.name, b.name AS boss FROM staff e LEFT JOIN staff b ON e.boss = b.id

-- name: three_times
SELECT a.name, b.name AS second, c.name AS third FROM staff a JOIN staff b ON a.boss = b.id JOIN staff c ON b.boss = c.id

-- name: pairs
SELECT a.id, b.id AS other FROM orders a JOIN orders b ON a.day = b.day AND a.id < b.id

-- name: same_derived_table
SELECT x.status, x.n, y.n AS other FROM (SELECT status, count(*) AS n FROM orders GROUP BY status) x JOIN (SELECT status, count(*) AS n FROM orders GROUP BY status) y ON x.n = y.n

-- name: self_semi
SELECT id FROM staff a WHERE id IN (SELECT boss FROM staff)

-- name: self_full
SELECT a.id, b.id AS other FROM staff a FULL JOIN staff b ON a.boss = b.id

-- name: same_table_in_subquery_and_from
SELECT id FROM lines l JOIN orders o ON o.id = l.order_id WHERE o.amount > (SELECT avg(amount) FROM orders) AND EXISTS (SELECT 1 FROM lines k WHERE k.order_id = l.order_id AND k.product <> l.product)

-- name: self_with_filters
SELECT a.amount, b.amount AS refund FROM orders a, orders b WHERE a.status = 'paid' AND b.status = 'refund' AND a.customer_id < b.customer_id
