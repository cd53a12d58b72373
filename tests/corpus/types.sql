-- name: all_numbers
SELECT * FROM numbers

-- name: all_strings
SELECT * FROM strings

-- name: all_events
SELECT * FROM events

-- name: all_nested
SELECT * FROM nested

-- name: char_and_varchar
SELECT id, fixed, bounded, length(fixed) AS n FROM codes

-- name: char_comparison
SELECT id FROM codes WHERE fixed = 'ab' OR bounded = 'ab'

-- name: char_join
SELECT a.id, b.id AS other FROM codes a JOIN codes b ON a.fixed = b.fixed AND a.bounded < b.bounded

-- name: char_group
SELECT fixed, count(*) AS n, max(bounded) AS hi FROM codes GROUP BY fixed

-- name: cast_to_char
SELECT id, CAST(text AS VARCHAR(3)) AS v, CAST(code AS CHAR(4)) AS c FROM strings

-- name: collation_comparison
SELECT id, text FROM strings WHERE text COLLATE UTF8_LCASE = 'plain'

-- name: collated_group
SELECT count(*) AS n FROM strings GROUP BY text COLLATE UTF8_LCASE

-- name: collated_column
SELECT id, text COLLATE UNICODE_CI AS folded FROM strings

-- name: collated_join
SELECT a.id, b.id AS other FROM customers a JOIN customers b ON a.city COLLATE UTF8_LCASE = b.city AND a.id < b.id

-- name: interval_columns
SELECT id, make_dt_interval(0, id) AS a, make_ym_interval(id) AS b FROM staff

-- name: interval_aggregates
SELECT sum(make_dt_interval(0, id)) AS a, avg(make_ym_interval(id)) AS b, max(at - TIMESTAMP'2024-01-01') AS c FROM events

-- name: calendar_interval
SELECT id, make_interval(0, id, 0, 1) AS a FROM staff

-- name: time_window
SELECT window.start AS begins, window.end AS ends, count(*) AS n FROM events GROUP BY window(at, '5 minutes')

-- name: sliding_window
SELECT window, kind, sum(value) AS s FROM events GROUP BY window(at, '10 minutes', '5 minutes'), kind

-- name: window_time_function
SELECT window_time(w) AS t, n FROM (SELECT window AS w, count(*) AS n FROM events GROUP BY window(at, '1 hour'))

-- name: session_window
-- expect: NOT_UNDERSTOOD
SELECT session_window.start AS s, session_window.end AS e, count(*) AS n FROM events GROUP BY session_window(at, '5 minutes')

-- name: session_window_per_key
-- expect: NOT_UNDERSTOOD
SELECT kind, session_window.start AS s, count(*) AS n, sum(value) AS v FROM events GROUP BY kind, session_window(at, '5 minutes')

-- name: void_column
SELECT id, NULL AS nothing FROM staff

-- name: binary_functions
SELECT id, length(bytes) AS a, bytes || X'FF' AS b, substring(bytes, 1, 1) AS c, bytes = X'00' AS d FROM strings

-- name: decimal_casts
SELECT id, CAST(short AS DECIMAL(38,33)) AS a, CAST(id AS DECIMAL(38,37)) / 10 AS b, try_cast(exact AS DECIMAL(10,2)) AS c FROM numbers WHERE id <> 2 AND id <> 3

-- name: ntz_against_zoned
SELECT a.id, b.id AS other FROM events a JOIN events b ON a.local = b.at

-- name: deep_types
SELECT id, map('k', array(struct(id AS i, map(id, tags) AS m))) AS deep FROM nested

-- name: date_and_timestamp_compared
SELECT id FROM events WHERE CAST(at AS DATE) = DATE'2024-03-31' AND at > DATE'2024-03-31'

-- name: time_literals
SELECT id, TIME'12:34:56.789' AS t FROM staff
