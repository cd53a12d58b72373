-- name: struct_paths
SELECT id, person.name, person.address.city AS city, person.address.zip + 1 AS zip FROM nested

-- name: whole_struct
SELECT id, person, person.address AS address FROM nested

-- name: struct_star
SELECT id, person.* FROM nested

-- name: build_structs
SELECT id, struct(id, name) AS a, named_struct('x', id, 'y y', name) AS b, struct(name AS n, struct(city) AS inner) AS c FROM customers

-- name: array_access
SELECT id, tags[0] AS a, try_element_at(scores, 2) AS b, get(scores, 5) AS c, element_at(people, 1).s AS d, size(tags) AS e FROM nested WHERE size(tags) > 0

-- name: array_of_structs_field
SELECT id, people.n AS ns, people[0].s AS s FROM nested WHERE size(people) > 0

-- name: array_functions
SELECT id, sort_array(scores, false) AS a, array_distinct(tags) AS b, array_contains(tags, 'b') AS c, array_position(tags, 'b') AS d, slice(scores, 1, 2) AS e, array_max(scores) AS f FROM nested

-- name: array_set_functions
SELECT id, array_union(tags, array('z')) AS a, array_intersect(tags, array('a', 'b')) AS b, array_except(tags, array('b')) AS c, arrays_overlap(tags, array('c')) AS d, array_remove(tags, 'b') AS e FROM nested

-- name: flatten_zip_sequence
SELECT id, flatten(array(scores, array(0))) AS a, arrays_zip(tags, scores) AS b, sequence(1, id) AS c, array_repeat(id, 2) AS d, shuffle_free FROM (SELECT *, reverse(scores) AS shuffle_free FROM nested)

-- name: map_functions
SELECT id, attributes['k'] AS a, map_keys(attributes) AS b, map_values(attributes) AS c, map_contains_key(attributes, 'l') AS d, cardinality(attributes) AS e, map_entries(attributes) AS f FROM nested

-- name: build_maps
SELECT id, map('id', id, 'zip', person.address.zip) AS a, map_from_arrays(array(1, 2), array('x', 'y')) AS b, map_concat(attributes, map('new', 0)) AS c, str_to_map('a:1,b:2') AS d FROM nested

-- name: lambda_transform
SELECT id, transform(scores, x -> x * 2) AS a, transform(scores, (x, i) -> x + i + id) AS b FROM nested

-- name: lambda_filter_exists_forall
SELECT id, filter(scores, x -> x > 2) AS a, exists(scores, x -> x = 5) AS b, forall(scores, x -> x > 0) AS c, filter(tags, (t, i) -> t IS NOT NULL AND i > 0) AS d FROM nested

-- name: lambda_aggregate
SELECT id, aggregate(scores, 0, (acc, x) -> acc + coalesce(x, 0), acc -> acc * 10) AS a, reduce(scores, CAST(0 AS BIGINT), (s, x) -> s + x) AS b FROM nested

-- name: lambda_nested
SELECT id, transform(people, p -> struct(p.n + id AS n, transform(scores, s -> s + p.n) AS sums)) AS a FROM nested

-- name: lambda_maps
SELECT id, transform_values(attributes, (k, v) -> v + 1) AS a, transform_keys(attributes, (k, v) -> upper(k)) AS b, map_filter(attributes, (k, v) -> v > 1) AS c, map_zip_with(attributes, map('k', 5), (k, x, y) -> x + y) AS d FROM nested

-- name: lambda_zip_sort
SELECT id, zip_with(scores, tags, (s, t) -> concat(t, s)) AS a, array_sort(scores, (l, r) -> CASE WHEN l < r THEN 1 WHEN l > r THEN -1 ELSE 0 END) AS b FROM nested WHERE id <> 3

-- name: lambda_shadows_column
SELECT id, transform(scores, id -> id + 1) AS a, filter(tags, tags -> tags = 'b') AS b FROM nested

-- name: struct_comparison
SELECT a.id, b.id AS other FROM nested a JOIN nested b ON a.person.address = b.person.address AND a.id <= b.id

-- name: array_group_key
SELECT scores, count(*) AS n FROM nested GROUP BY scores

-- name: struct_group_key
SELECT person.address AS address, count(*) AS n FROM nested GROUP BY person.address

-- name: struct_in_list
SELECT id FROM orders WHERE (customer_id, status) IN ((1, 'paid'), (3, 'open'))

-- name: nested_aggregates
SELECT customer_id, sort_array(collect_set(named_struct('d', day, 'a', amount))) AS orders, map_from_entries(sort_array(collect_list(struct(id, amount)))) AS by_id FROM orders WHERE customer_id IS NOT NULL GROUP BY customer_id

-- name: max_of_struct
SELECT customer_id, max(struct(amount, id)) AS best FROM orders GROUP BY customer_id

-- name: order_by_nested_field_limit
SELECT id, person.name FROM nested ORDER BY person.address.zip DESC NULLS LAST, id LIMIT 3

-- name: null_struct_is_null
SELECT id, person IS NULL AS a, person.address IS NULL AS b, person.name IS NULL AS c FROM nested
