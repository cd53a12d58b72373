-- name: null_keys_do_not_join
SELECT c.name, o.id FROM customers c JOIN orders o ON c.id = o.customer_id WHERE c.id IS NULL OR o.id > 105

-- name: null_safe_join
SELECT c.name, o.id FROM customers c JOIN orders o ON c.id <=> o.customer_id

-- name: null_group
SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id

-- name: null_distinct
SELECT DISTINCT quantity FROM orders

-- name: three_valued_and_or
SELECT id, flag AND NULL AS a, flag OR NULL AS b, NOT flag AS c, NULL AND false AS d, (tiny > 1) = flag AS e FROM numbers

-- name: is_distinct_from
SELECT id, amount IS DISTINCT FROM 20.00 AS a, status IS NOT DISTINCT FROM NULL AS b FROM orders

-- name: null_in_case
SELECT id, CASE status WHEN NULL THEN 'never' WHEN 'paid' THEN 'yes' END AS a, CASE WHEN amount > 10 THEN NULL ELSE amount END AS b FROM orders

-- name: aggregates_skip_null
SELECT count(*) AS a, count(amount) AS b, avg(amount) AS c, sum(CAST(NULL AS INT)) AS d, min(status) AS e FROM orders WHERE id IN (108, 109)

-- name: null_comparisons_filter_out
SELECT id FROM orders WHERE NOT (status = 'paid')

-- name: not_in_list_containing_null
SELECT id FROM orders WHERE id NOT IN (100, NULL)

-- name: null_ordering_in_window
SELECT id, row_number() OVER (ORDER BY quantity NULLS LAST, id) AS a, sum(quantity) OVER (ORDER BY quantity DESC NULLS FIRST, id) AS b FROM orders

-- name: null_partition_key
SELECT id, count(*) OVER (PARTITION BY customer_id) AS n FROM orders

-- name: null_in_set_operations
SELECT customer_id FROM orders EXCEPT ALL SELECT id FROM customers

-- name: concat_with_null
SELECT id, name || city AS a, concat_ws(',', name, city) AS b, array(name, city) AS c FROM customers

-- name: coalesce_across_outer_join
SELECT c.id, coalesce(o.status, 'none') AS status, o.amount IS NULL AS no_amount FROM customers c LEFT JOIN orders o ON c.id = o.customer_id

-- name: null_from_left_join_in_group
SELECT o.status, count(*) AS n, count(o.id) AS matched FROM customers c LEFT JOIN orders o ON c.id = o.customer_id GROUP BY o.status

-- name: null_map_values_and_array_items
SELECT id, attributes['k'] IS NULL AS a, array_contains(tags, CAST(NULL AS STRING)) AS b, size(filter(tags, t -> t IS NULL)) AS c FROM nested

-- name: equal_null_in_having
SELECT status FROM orders GROUP BY status HAVING status <=> NULL OR count(*) > 5
