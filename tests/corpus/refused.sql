-- name: duplicate_columns
-- expect: QUERY.DUPLICATE_COLUMN
SELECT c.id, o.id FROM customers c JOIN orders o ON c.id = o.customer_id

-- name: duplicate_columns_by_case
-- expect: QUERY.DUPLICATE_COLUMN
SELECT id, pay AS ID FROM staff
