-- name: row_number_total_order
SELECT id, row_number() OVER (PARTITION BY customer_id ORDER BY day, id) AS n FROM orders

-- name: rank_family
SELECT id, rank() OVER (PARTITION BY team ORDER BY pay DESC) AS r, dense_rank() OVER (PARTITION BY team ORDER BY pay DESC) AS d, percent_rank() OVER (PARTITION BY team ORDER BY pay) AS p, cume_dist() OVER (PARTITION BY team ORDER BY pay) AS c FROM staff

-- name: ntile_and_nth
SELECT id, ntile(3) OVER (ORDER BY id) AS t, nth_value(name, 2) OVER (ORDER BY id) AS v, first_value(name) OVER (ORDER BY id) AS f, last_value(name) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS l FROM staff

-- name: lag_lead
SELECT id, lag(amount) OVER (PARTITION BY customer_id ORDER BY id) AS before, lead(amount, 2, 0) OVER (PARTITION BY customer_id ORDER BY id) AS after, lag(status, 1) IGNORE NULLS OVER (ORDER BY id) AS seen FROM orders

-- name: running_total
SELECT id, sum(amount) OVER (PARTITION BY customer_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM orders

-- name: default_frame_with_ties
SELECT id, sum(quantity) OVER (ORDER BY day) AS s, count(*) OVER (ORDER BY day) AS n FROM orders

-- name: moving_average
SELECT id, avg(amount) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS a FROM orders

-- name: range_frame_numbers
SELECT id, sum(pay) OVER (ORDER BY pay RANGE BETWEEN 20 PRECEDING AND CURRENT ROW) AS s FROM staff

-- name: range_frame_dates
SELECT id, count(*) OVER (ORDER BY day RANGE BETWEEN INTERVAL 30 DAYS PRECEDING AND INTERVAL 1 DAY FOLLOWING) AS n FROM orders

-- name: whole_partition
SELECT id, sum(amount) OVER (PARTITION BY status) AS s, try_divide(amount, sum(amount) OVER (PARTITION BY status)) AS share FROM orders

-- name: global_window
SELECT id, max(amount) OVER () AS hi, count(*) OVER () AS n, row_number() OVER (ORDER BY id DESC) AS r FROM orders

-- name: several_windows
SELECT id, row_number() OVER (PARTITION BY status ORDER BY id) AS a, rank() OVER (PARTITION BY customer_id ORDER BY amount) AS b, sum(quantity) OVER (PARTITION BY status, customer_id) AS c FROM orders

-- name: named_window
SELECT id, sum(amount) OVER w AS s, row_number() OVER w AS n FROM orders WINDOW w AS (PARTITION BY status ORDER BY id)

-- name: nulls_last_order
SELECT id, rank() OVER (ORDER BY amount DESC NULLS LAST) AS r, dense_rank() OVER (ORDER BY status ASC NULLS FIRST) AS d FROM orders

-- name: window_over_aggregate
SELECT status, sum(amount) AS s, rank() OVER (ORDER BY sum(amount) DESC) AS r, sum(sum(amount)) OVER () AS total FROM orders GROUP BY status

-- name: aggregate_over_window
SELECT status, max(n) AS most FROM (SELECT status, row_number() OVER (PARTITION BY status ORDER BY id) AS n FROM orders) GROUP BY status

-- name: top_per_group
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY customer_id ORDER BY amount DESC NULLS LAST, id) AS n FROM orders) WHERE n <= 2

-- name: rank_limit_per_group
SELECT id, team FROM (SELECT id, team, rank() OVER (PARTITION BY team ORDER BY pay DESC) AS r FROM staff) WHERE r = 1

-- name: window_in_expression
SELECT id, amount - lag(amount) OVER (ORDER BY id) AS step, CASE WHEN row_number() OVER (ORDER BY id) % 2 = 0 THEN 'even' ELSE 'odd' END AS parity FROM orders

-- name: expression_partition_and_order
SELECT id, row_number() OVER (PARTITION BY month(day) ORDER BY abs(amount - 20), id) AS n FROM orders

-- name: conditional_count_over_window
SELECT id, count_if(status = 'paid') OVER (PARTITION BY customer_id ORDER BY id) AS paid_so_far FROM orders

-- name: collect_over_window
SELECT id, collect_list(status) OVER (PARTITION BY customer_id ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS last_two FROM orders

-- name: window_of_join
SELECT c.city, o.id, sum(o.amount) OVER (PARTITION BY c.city ORDER BY o.id) AS s FROM customers c JOIN orders o ON o.customer_id = c.id

-- name: first_ignore_nulls
SELECT id, first_value(quantity) IGNORE NULLS OVER (PARTITION BY customer_id ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS q, last_value(status, true) OVER (ORDER BY id) AS s FROM orders

-- name: same_window_different_frames
SELECT id, sum(pay) OVER (ORDER BY id) AS a, sum(pay) OVER (ORDER BY id ROWS 1 PRECEDING) AS b, sum(pay) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS c FROM staff

-- name: statistics_over_window
SELECT id, stddev(pay) OVER (PARTITION BY team) AS a, corr(pay, id) OVER (PARTITION BY team) AS b FROM staff
