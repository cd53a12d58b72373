-- name: total_order
SELECT id, amount FROM orders ORDER BY amount DESC NULLS LAST, id LIMIT 4

-- name: offset
SELECT id, amount FROM orders ORDER BY amount, id LIMIT 3 OFFSET 5

-- name: offset_alone
SELECT id FROM orders ORDER BY id OFFSET 10

-- name: nulls_first
SELECT id, quantity FROM orders ORDER BY quantity ASC NULLS FIRST, id DESC LIMIT 5

-- name: ties_at_the_end
-- ties: amount
SELECT id, amount FROM orders WHERE amount IS NOT NULL ORDER BY amount DESC LIMIT 4

-- name: limit_zero
SELECT id FROM orders ORDER BY id LIMIT 0

-- name: limit_beyond_the_end
SELECT id FROM orders ORDER BY id LIMIT 1000

-- name: limit_all
SELECT id FROM orders ORDER BY id LIMIT ALL

-- name: limit_expression
SELECT id FROM orders ORDER BY id LIMIT 1 + 2

-- name: in_derived_table
SELECT sum(amount) AS s FROM (SELECT amount FROM orders WHERE amount IS NOT NULL ORDER BY amount DESC, id LIMIT 5)

-- name: top_of_aggregate
SELECT status, sum(amount) AS s FROM orders GROUP BY status ORDER BY s DESC NULLS LAST, status LIMIT 2

-- name: top_of_join
SELECT c.name, o.id FROM customers c JOIN orders o ON o.customer_id = c.id ORDER BY o.amount DESC, o.id LIMIT 3

-- name: order_by_column_not_selected
SELECT name FROM staff ORDER BY pay DESC, id LIMIT 3

-- name: order_by_expression
SELECT id FROM orders ORDER BY abs(coalesce(amount, 0) - 20), id LIMIT 3

-- name: top_of_union
SELECT id FROM orders UNION ALL SELECT id FROM staff ORDER BY id LIMIT 5

-- name: joined_tops
SELECT a.id, b.name FROM (SELECT id, customer_id FROM orders ORDER BY id LIMIT 5) a JOIN (SELECT id, name FROM customers WHERE id IS NOT NULL ORDER BY id DESC LIMIT 6) b ON a.customer_id = b.id

-- name: nested_limits
SELECT id FROM (SELECT id FROM orders ORDER BY id LIMIT 8) ORDER BY id DESC LIMIT 2

-- name: distinct_top
SELECT DISTINCT status FROM orders ORDER BY status NULLS LAST LIMIT 2

-- name: limit_of_single_row
SELECT count(*) AS n FROM orders LIMIT 1

-- name: order_by_all
SELECT status, id FROM orders ORDER BY ALL LIMIT 4
