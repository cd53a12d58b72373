-- name: rand
-- expect: NON_DETERMINISTIC
SELECT id, rand() AS r FROM staff

-- name: seeded_rand
-- expect: NON_DETERMINISTIC
SELECT id, rand(42) AS r FROM staff

-- name: uuid
-- expect: NON_DETERMINISTIC
SELECT id, uuid() AS u FROM staff

-- name: rand_in_filter
-- expect: NON_DETERMINISTIC
SELECT id FROM staff WHERE rand() < 0.5

-- name: monotonically_increasing_id
-- expect: NON_DETERMINISTIC
SELECT id, monotonically_increasing_id() AS m FROM staff

-- name: shuffle
-- expect: NON_DETERMINISTIC
SELECT id, shuffle(scores) AS s FROM nested

-- name: limit_without_order
-- expect: NON_DETERMINISTIC
SELECT id FROM staff LIMIT 3

-- name: tablesample
-- expect: NON_DETERMINISTIC
SELECT id FROM staff TABLESAMPLE (50 PERCENT)

-- name: tablesample_rows
-- expect: NON_DETERMINISTIC
SELECT id FROM staff TABLESAMPLE (3 ROWS)

-- name: input_file_name
-- expect: NON_DETERMINISTIC
SELECT id, input_file_name() AS f FROM staff

-- name: file_metadata
-- expect: NON_DETERMINISTIC
SELECT id, _metadata.file_name AS f FROM staff

-- name: current_user
-- expect: NON_DETERMINISTIC
SELECT id, current_user() AS u FROM staff

-- name: rand_in_subquery
-- expect: NON_DETERMINISTIC
SELECT id FROM staff WHERE pay > (SELECT 100 * rand())

-- name: limit_without_order_in_subquery
-- expect: NON_DETERMINISTIC
SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customers LIMIT 2)

-- name: current_date_column
-- expect: TIME_DEPENDENT
SELECT id, current_date() AS today FROM staff

-- name: current_date_filter
-- expect: TIME_DEPENDENT
SELECT id FROM orders WHERE day < current_date()

-- name: current_timestamp_filter
-- expect: TIME_DEPENDENT
SELECT id FROM events WHERE at < current_timestamp() - INTERVAL 1 DAY

-- name: now_in_subquery
-- expect: TIME_DEPENDENT
SELECT id FROM orders WHERE id IN (SELECT id + 100 FROM events WHERE at < now())

-- name: unix_timestamp_of_now
-- expect: TIME_DEPENDENT
SELECT id FROM events WHERE unix_timestamp(at) < unix_timestamp()

-- name: localtimestamp
-- expect: TIME_DEPENDENT
SELECT id FROM events WHERE local < localtimestamp()
