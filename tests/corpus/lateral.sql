-- name: lateral_subquery
SELECT c.id, t.total FROM customers c, LATERAL (SELECT sum(amount) AS total FROM orders o WHERE o.customer_id = c.id) t

-- name: lateral_left
SELECT c.id, t.amount FROM customers c LEFT JOIN LATERAL (SELECT amount FROM orders o WHERE o.customer_id = c.id AND o.status = 'open') t ON true

-- name: lateral_top
SELECT c.id, t.order_id, t.amount FROM customers c, LATERAL (SELECT o.id AS order_id, o.amount FROM orders o WHERE o.customer_id = c.id ORDER BY o.amount DESC, o.id LIMIT 1) t

-- name: lateral_expression
SELECT id, twice, half FROM orders, LATERAL (SELECT amount * 2 AS twice) a, LATERAL (SELECT twice / 4 AS half) b

-- name: lateral_view
SELECT id, tag FROM nested LATERAL VIEW explode(tags) t AS tag

-- name: lateral_view_outer
SELECT id, tag, n FROM nested LATERAL VIEW OUTER explode(tags) t AS tag LATERAL VIEW OUTER explode(scores) s AS n

-- name: lateral_table_function
SELECT n.id, e.col FROM nested n, LATERAL explode(n.scores) e

-- name: lateral_count_no_rows
SELECT c.id, t.n FROM customers c, LATERAL (SELECT count(*) AS n FROM orders o WHERE o.customer_id = c.id AND o.amount > 1000) t

-- name: lateral_union
SELECT s.id, t.v FROM staff s, LATERAL (SELECT s.pay AS v UNION ALL SELECT s.id) t

-- name: lateral_join_inside
SELECT c.id, t.product FROM customers c JOIN LATERAL (SELECT DISTINCT l.product FROM orders o JOIN lines l ON l.order_id = o.id WHERE o.customer_id = c.id) t
