-- name: count_distinct
SELECT status, count(DISTINCT customer_id) AS n FROM orders GROUP BY status

-- name: sum_distinct
SELECT sum(DISTINCT amount) AS s, avg(DISTINCT quantity) AS a, sum(amount) AS total FROM orders

-- name: two_distincts
SELECT status, count(DISTINCT customer_id) AS a, count(DISTINCT day) AS b, count(*) AS n FROM orders GROUP BY status

-- name: three_distincts_and_plain
SELECT count(DISTINCT customer_id) AS a, sum(DISTINCT quantity) AS b, count(DISTINCT day, status) AS c, max(amount) AS d, count(*) AS e FROM orders

-- name: filtered
SELECT customer_id, sum(amount) FILTER (WHERE status = 'paid') AS paid, count(*) FILTER (WHERE status = 'open') AS open, count(*) AS n FROM orders GROUP BY customer_id

-- name: filtered_distinct
SELECT status, count(DISTINCT customer_id) FILTER (WHERE amount > 10) AS a, count(DISTINCT customer_id) AS b FROM orders GROUP BY status

-- name: filtered_distinct_mixed
SELECT count(DISTINCT status) FILTER (WHERE quantity > 1) AS a, sum(DISTINCT amount) FILTER (WHERE quantity <= 2) AS b, sum(amount) FILTER (WHERE day IS NOT NULL) AS c FROM orders

-- name: case_instead_of_filter
SELECT customer_id, sum(CASE WHEN status = 'paid' THEN amount ELSE 0 END) AS paid, count(CASE WHEN status = 'open' THEN 1 END) AS open FROM orders GROUP BY customer_id

-- name: filter_matches_nothing
SELECT status, sum(amount) FILTER (WHERE amount > 10000) AS s, count(*) FILTER (WHERE false) AS n FROM orders GROUP BY status

-- name: distinct_of_expression
SELECT count(DISTINCT upper(city)) AS a, count(DISTINCT length(name), upper(city)) AS b FROM customers

-- name: distinct_over_empty
SELECT count(DISTINCT id) AS a, sum(DISTINCT amount) AS b FROM empty

-- name: collect_set_and_distinct_list
SELECT customer_id, sort_array(collect_list(DISTINCT status)) AS a, count(DISTINCT quantity) AS b FROM orders GROUP BY customer_id

-- name: distinct_then_aggregate
SELECT count(*) AS n, sum(quantity) AS q FROM (SELECT DISTINCT customer_id, status, quantity FROM orders)

-- name: having_distinct
SELECT customer_id FROM orders GROUP BY customer_id HAVING count(DISTINCT status) > 1
