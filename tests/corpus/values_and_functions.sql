-- name: values
VALUES (1, 'a'), (2, 'b'), (NULL, 'c')

-- name: values_named
SELECT * FROM VALUES (1, 'a', DATE'2024-01-01'), (2, NULL, NULL) AS t(id, letter, day)

-- name: values_joined
SELECT o.id, v.label FROM orders o JOIN (VALUES ('paid', 'done'), ('open', 'waiting')) AS v(status, label) ON o.status = v.status

-- name: values_of_every_kind
SELECT * FROM VALUES (1Y, 2S, 3L, 1.5BD, 2.5D, true, 'it''s \\ \n x', X'00FF', DATE'1900-01-01', TIMESTAMP'2024-01-01 00:00:00.123456', array(1, NULL), map('a', 1), struct(1 AS x, 'y' AS y)) AS t(a, b, c, d, e, f, g, h, i, j, k, l, m)

-- name: values_interval_and_null
SELECT * FROM VALUES (INTERVAL '1-2' YEAR TO MONTH, INTERVAL '3 04:05:06' DAY TO SECOND, NULL) AS t(a, b, c)

-- name: select_without_from
SELECT 1 + 1 AS two, 'x' AS text, array(1, 2) AS list, pi() AS pi

-- name: select_without_from_filtered
SELECT 1 AS one WHERE 1 = 2

-- name: range_function
SELECT id * 2 AS twice FROM range(5)

-- name: range_with_bounds
SELECT id FROM range(10, 0, -3)

-- name: range_joined
SELECT r.id, count(o.id) AS n FROM range(1, 13) r LEFT JOIN orders o ON month(o.day) = r.id GROUP BY r.id

-- name: explode_function
SELECT * FROM explode(array(10, 20, NULL))

-- name: stack_function
SELECT * FROM stack(2, 1, 'a', 2, 'b') AS t(n, letter)

-- name: inline_function
SELECT * FROM inline(array(struct(1 AS a, 'x' AS b), struct(2 AS a, 'y' AS b)))

-- name: posexplode_function
SELECT pos, col FROM posexplode(array('p', 'q'))

-- name: values_in_subquery
SELECT id FROM orders WHERE status IN (SELECT s FROM VALUES ('paid'), ('void') AS t(s))

-- name: cross_values
SELECT s.id, v.x FROM staff s, (VALUES (1), (2)) AS v(x) WHERE s.id > v.x

-- name: constant_scalar
SELECT count(*) AS n, max(x) AS hi FROM VALUES (1), (5), (3) AS t(x)

-- name: table_statement
TABLE staff

-- name: json_tuple_function
SELECT * FROM json_tuple('{"a": 1, "b": "x"}', 'a', 'b') AS t(a, b)
