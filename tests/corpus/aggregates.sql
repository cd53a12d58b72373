-- name: standard_five
SELECT customer_id, count(*) AS n, count(amount) AS c, sum(amount) AS s, min(amount) AS lo, max(day) AS hi, avg(amount) AS mean FROM orders GROUP BY customer_id

-- name: global
SELECT count(*) AS n, sum(amount) AS s, avg(quantity) AS mean, min(day) AS first FROM orders

-- name: global_over_empty
SELECT count(*) AS n, sum(amount) AS s, max(name) AS hi FROM empty

-- name: grouped_over_empty
SELECT name, count(*) AS n FROM empty GROUP BY name

-- name: expression_key
SELECT year(day) AS y, upper(status) AS s, count(*) AS n FROM orders GROUP BY year(day), upper(status)

-- name: group_by_ordinal_and_alias
SELECT status AS state, day IS NULL AS undated, sum(quantity) AS q FROM orders GROUP BY 1, undated

-- name: group_by_all
SELECT status, customer_id % 2 AS parity, sum(amount) AS s FROM orders GROUP BY ALL

-- name: having
SELECT customer_id, sum(amount) AS s FROM orders GROUP BY customer_id HAVING sum(amount) > 20 AND count(*) > 1

-- name: having_other_aggregate
SELECT status FROM orders GROUP BY status HAVING max(amount) - min(amount) > 5

-- name: arithmetic_over_aggregates
SELECT status, sum(amount) / count(*) AS a, 100 * sum(quantity) / nullif(sum(amount), 0) AS b, max(id) - min(id) + 1 AS c FROM orders GROUP BY status

-- name: key_in_expression
SELECT customer_id + 1 AS next, customer_id * sum(quantity) AS weighted FROM orders GROUP BY customer_id

-- name: statistics
SELECT product, stddev(price) AS a, var_pop(pieces) AS b, stddev_samp(pieces) AS c, covar_pop(pieces, price) AS e FROM lines GROUP BY product

-- name: higher_moments
SELECT corr(pieces, price) AS d, skewness(pieces) AS f, kurtosis(pieces) AS g FROM lines

-- name: regression
SELECT regr_slope(pieces, price) AS a, regr_r2(pieces, price) AS b, regr_count(pieces, price) AS c, regr_avgx(pieces, price) AS d FROM lines

-- name: percentiles
SELECT status, percentile(amount, 0.5) AS a, median(quantity) AS b, percentile_cont(0.25) WITHIN GROUP (ORDER BY amount) AS c, percentile_disc(0.5) WITHIN GROUP (ORDER BY quantity DESC) AS d FROM orders GROUP BY status

-- name: approximate
SELECT count(*) AS n, approx_count_distinct(status) AS a, approx_percentile(amount, 0.5) AS b FROM orders

-- name: booleans_and_bits
SELECT status, bool_and(amount > 5) AS a, bool_or(amount > 50) AS b, bit_or(quantity) AS c, bit_xor(quantity) AS d, count_if(amount > 10) AS e, every(quantity > 0) AS f, some(quantity = 1) AS g FROM orders GROUP BY status

-- name: collect_ordered
SELECT customer_id, sort_array(collect_list(amount)) AS a, sort_array(collect_set(status)) AS b FROM orders GROUP BY customer_id

-- name: listagg_ordered
SELECT customer_id, listagg(status, '|') WITHIN GROUP (ORDER BY id) AS a, string_agg(DISTINCT status, ',') WITHIN GROUP (ORDER BY status) AS b FROM orders GROUP BY customer_id

-- name: min_max_by
SELECT customer_id, max_by(id, struct(amount, id)) AS best, min_by(status, id) AS first FROM orders GROUP BY customer_id

-- name: mode_of_distinct_counts
SELECT mode(product) AS a FROM lines WHERE order_id IN (100, 105)

-- name: any_value_of_constant_group
SELECT status, any_value(status) AS a, first(status) AS b, last(status, true) AS c FROM orders GROUP BY status

-- name: histogram_numeric_and_grouping_of_floats
SELECT round(price) AS p, sum(price) AS s, avg(price) AS a FROM lines GROUP BY round(price)

-- name: decimals_at_the_limit
SELECT sum(exact) AS s, avg(exact) AS a, min(exact) AS lo, max(exact) AS hi FROM numbers WHERE id IN (1, 2, 3, 7)

-- name: floats_with_nan
SELECT flag, sum(double) AS s, max(double) AS hi, min(double) AS lo, avg(single) AS a FROM numbers GROUP BY flag

-- name: aggregate_of_aggregate
SELECT max(s) AS most, count(*) AS groups FROM (SELECT customer_id, sum(amount) AS s FROM orders GROUP BY customer_id)

-- name: aggregate_over_join
SELECT c.city, l.product, count(*) AS n, sum(l.pieces) AS pieces FROM customers c JOIN orders o ON o.customer_id = c.id JOIN lines l ON l.order_id = o.id GROUP BY c.city, l.product

-- name: product_and_try_sum
SELECT status, try_sum(quantity) AS a, try_avg(amount) AS b, sum(amount) FILTER (WHERE quantity > 1) AS c FROM orders GROUP BY status

-- name: count_several_columns
SELECT count(customer_id, day) AS a, count(DISTINCT customer_id, status) AS b FROM orders

-- name: group_by_constant
SELECT 'all' AS label, count(*) AS n FROM orders GROUP BY 'all'

-- name: bitmaps_and_sketches
SELECT hll_sketch_estimate(hll_sketch_agg(status)) AS a FROM orders

-- name: max_over_partitions
SELECT region, max(month) AS m, count(*) AS n FROM sales GROUP BY region

-- name: whole_table_count
SELECT count(*) AS n FROM sales

-- name: whole_table_extremes
SELECT max(month) AS a, min(revenue) AS b FROM sales
