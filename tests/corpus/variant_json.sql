-- name: variant_paths
SELECT id, document:a::STRING AS a, document:b[0]::INT AS b, document:b[2].c::STRING AS c FROM nested

-- name: variant_get
SELECT id, variant_get(document, '$.s', 'string') AS a, try_variant_get(document, '$.a', 'int') AS b, schema_of_variant(document) AS c FROM nested

-- name: variant_column
SELECT id, document FROM nested

-- name: variant_built
SELECT id, parse_json(concat('{"id":', id, '}')) AS a, to_variant_object(person) AS b, is_variant_null(parse_json('null')) AS c FROM nested

-- name: get_json_object
SELECT id, get_json_object(j, '$.a') AS a, get_json_object(j, '$.b[1]') AS b, json_array_length(get_json_object(j, '$.b')) AS c FROM (SELECT id, to_json(document) AS j FROM nested)

-- name: from_json
SELECT id, from_json(j, 'a STRING, b ARRAY<STRING>') AS parsed FROM (SELECT id, to_json(document) AS j FROM nested WHERE id IN (1, 5))

-- name: to_json
SELECT id, to_json(person) AS a, to_json(attributes) AS b, to_json(people, map('ignoreNullFields', 'false')) AS c, to_json(struct(id, tags)) AS d FROM nested

-- name: json_object_keys
SELECT id, json_object_keys(to_json(person)) AS keys, schema_of_json('{"a": 1}') AS shape FROM nested

-- name: csv
SELECT id, from_csv(text, 'a STRING, b STRING') AS parsed, to_csv(struct(id, code)) AS back FROM strings

-- name: variant_explode
SELECT n.id, v.pos, v.key, CAST(v.value AS STRING) AS value FROM nested n, LATERAL variant_explode(n.document) AS v WHERE n.id IN (1, 5)

-- name: json_filter
SELECT id FROM nested WHERE variant_get(document, '$.a', 'string') = 'one' OR CAST(document:a AS STRING) = '1'
