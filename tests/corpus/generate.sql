-- name: explode
SELECT id, explode(tags) AS tag FROM nested

-- name: explode_outer
SELECT id, explode_outer(scores) AS score FROM nested

-- name: posexplode
SELECT id, posexplode(tags) AS (position, tag) FROM nested

-- name: posexplode_outer
SELECT id, posexplode_outer(scores) FROM nested

-- name: explode_map
SELECT id, explode(attributes) AS (k, v) FROM nested

-- name: inline
SELECT id, inline(people) FROM nested

-- name: inline_outer
SELECT id, inline_outer(people) AS (number, letter) FROM nested

-- name: stack
SELECT id, stack(2, 'low', pay - 10, 'high', pay + 10) AS (label, value) FROM staff

-- name: json_tuple
SELECT id, json_tuple(to_json(person), 'name', 'address') AS (n, a) FROM nested

-- name: explode_of_split
SELECT id, explode(split(text, ',')) AS part FROM strings

-- name: explode_sequence
SELECT id, explode(sequence(1, quantity)) AS n FROM orders WHERE quantity > 0

-- name: explode_then_aggregate
SELECT tag, count(*) AS n, min(id) AS first FROM (SELECT id, explode(tags) AS tag FROM nested) GROUP BY tag

-- name: explode_then_join
SELECT t.tag, s.name FROM (SELECT id, explode(tags) AS tag FROM nested) t JOIN staff s ON s.id = t.id

-- name: explode_filter
SELECT id, s FROM nested LATERAL VIEW explode(scores) e AS s WHERE s > 2 AND id < 5

-- name: explode_nested_field
SELECT id, p.n, p.s FROM (SELECT id, explode(people) AS p FROM nested)

-- name: explode_unused
SELECT id FROM nested LATERAL VIEW explode(scores) e AS s

-- name: two_generators
SELECT id, tag, p, k FROM nested LATERAL VIEW explode(tags) a AS tag LATERAL VIEW OUTER posexplode(map_keys(attributes)) b AS p, k
