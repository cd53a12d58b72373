-- name: simple
WITH big AS (SELECT * FROM orders WHERE amount > 10) SELECT id FROM big

-- name: used_twice
WITH t AS (SELECT customer_id, sum(amount) AS s FROM orders GROUP BY customer_id) SELECT a.customer_id, a.s, b.s AS other FROM t a JOIN t b ON a.customer_id = b.customer_id + 1

-- name: used_twice_in_union
WITH t AS (SELECT id, pay FROM staff WHERE pay > 30) SELECT id FROM t UNION ALL SELECT pay FROM t

-- name: chained
WITH a AS (SELECT id, amount FROM orders), b AS (SELECT id, amount * 2 AS twice FROM a), c AS (SELECT a.id, b.twice, a.amount FROM a JOIN b USING (id)) SELECT * FROM c WHERE twice > 20

-- name: nested
WITH a AS (WITH b AS (SELECT id FROM staff) SELECT id + 1 AS id FROM b) SELECT * FROM a

-- name: shadows_table
WITH orders AS (SELECT id, name AS status FROM customers) SELECT status FROM orders

-- name: shadows_outer_cte
WITH t AS (SELECT 1 AS x) SELECT o.x AS outer_x, i.x AS inner_x FROM t o, (WITH t AS (SELECT 2 AS x) SELECT x FROM t) i

-- name: column_list
WITH t(a, b) AS (SELECT id, name FROM staff) SELECT b, a FROM t

-- name: in_subquery
WITH t AS (SELECT customer_id FROM orders WHERE status = 'paid') SELECT name FROM customers WHERE id IN (SELECT customer_id FROM t) AND (SELECT count(*) FROM t) > 3

-- name: unused
WITH unused AS (SELECT 1 / 0 AS bad), used AS (SELECT id FROM staff) SELECT * FROM used

-- name: average_against_self
WITH t AS (SELECT team, avg(pay) AS mean FROM staff GROUP BY team) SELECT s.id FROM staff s JOIN t ON s.team <=> t.team WHERE s.pay > t.mean

-- name: recursive_numbers
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n

-- name: recursive_hierarchy
WITH RECURSIVE chain(id, name, depth) AS (SELECT id, name, 0 FROM staff WHERE boss IS NULL UNION ALL SELECT s.id, s.name, c.depth + 1 FROM staff s JOIN chain c ON s.boss = c.id) SELECT * FROM chain

-- name: recursive_path
WITH RECURSIVE up(id, top, path) AS (SELECT id, id, CAST(name AS STRING) FROM staff WHERE boss IS NULL UNION ALL SELECT s.id, u.top, u.path || '/' || s.name FROM staff s JOIN up u ON s.boss = u.id) SELECT id, top, path FROM up WHERE id <> top

-- name: recursive_aggregated
WITH RECURSIVE chain(id, boss, pay) AS (SELECT id, id AS boss, pay FROM staff WHERE boss IS NULL OR boss = id UNION ALL SELECT s.id, c.boss, s.pay FROM staff s JOIN chain c ON s.boss = c.id WHERE s.id <> s.boss) SELECT boss, count(*) AS n, sum(pay) AS total FROM chain GROUP BY boss

-- name: recursive_joined_with_table
WITH RECURSIVE d(day) AS (SELECT DATE'2024-01-01' UNION ALL SELECT add_months(day, 1) FROM d WHERE day < DATE'2024-06-01') SELECT d.day, count(o.id) AS n FROM d LEFT JOIN orders o ON trunc(o.day, 'MM') = d.day GROUP BY d.day
