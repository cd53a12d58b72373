-- name: row_number
SELECT * EXCEPT (q) FROM (SELECT id, customer_id, row_number() OVER (PARTITION BY customer_id ORDER BY id) = 1 AS q FROM orders) WHERE q

-- name: alias
SELECT * FROM (SELECT id, rank() OVER (PARTITION BY team ORDER BY pay DESC) AS r FROM staff) WHERE r <= 1

-- name: with_where_and_having
SELECT status, s FROM (SELECT status, sum(amount) AS s, rank() OVER (ORDER BY sum(amount) DESC) AS r FROM orders WHERE amount IS NOT NULL GROUP BY status HAVING count(*) > 1) WHERE r <= 2

-- name: aggregate_condition
SELECT id FROM (SELECT id, amount > avg(amount) OVER (PARTITION BY status) AS above FROM orders) WHERE above
