-- name: comparison
SELECT * FROM orders WHERE amount > 10 AND status = 'paid'

-- name: disjunction
SELECT id FROM orders WHERE amount > 50 OR quantity < 1 OR status IS NULL

-- name: in_list
SELECT id, status FROM orders WHERE status IN ('paid', 'void', NULL)

-- name: not_in_list_with_null
SELECT id FROM orders WHERE status NOT IN ('paid', 'void')

-- name: long_in_list
SELECT id FROM orders WHERE id IN (100,101,102,103,104,105,106,107,108,109,110,111,112,113,200,201,202,203)

-- name: between
SELECT id, day FROM orders WHERE day BETWEEN DATE'2024-01-10' AND DATE'2024-03-31'

-- name: like_patterns
SELECT id, text FROM strings WHERE text LIKE '%a%' OR text LIKE '100\\%%' OR text ILIKE 'pl_in'

-- name: like_escape
SELECT id, text FROM strings WHERE text LIKE '%!%!_%' ESCAPE '!'

-- name: like_any_all
SELECT id, text FROM strings WHERE text LIKE ANY ('%b%', '% %') AND NOT text LIKE ALL ('%x%', '%y%')

-- name: rlike
SELECT id, text FROM strings WHERE text RLIKE '^[a-z]+$' OR text REGEXP '\\\\s'

-- name: quotes_and_backslashes
SELECT id, text FROM strings WHERE text = 'it''s' OR text = "a\"b" OR text = 'back\\slash' OR text = 'line\nbreak\ttab'

-- name: raw_string_literal
SELECT id FROM strings WHERE text = r'back\slash'

-- name: unicode_literal
SELECT id, text FROM strings WHERE text LIKE '%☃ 😀' OR text = '\u0070lain'

-- name: comment_like_text
SELECT id, text FROM strings WHERE text = '--no; /*c*/' OR text = '`tick` $x {y}'

-- name: nothing_passes
SELECT * FROM orders WHERE 1 = 0

-- name: everything_passes
SELECT id FROM orders WHERE true

-- name: boolean_column
SELECT id FROM numbers WHERE flag

-- name: not_boolean_column
SELECT id FROM numbers WHERE NOT flag OR flag IS NULL

-- name: is_true_false_unknown
SELECT id, flag IS TRUE AS t, flag IS NOT FALSE AS nf, flag IS UNKNOWN AS u FROM numbers

-- name: case_in_filter
SELECT id FROM orders WHERE CASE WHEN status = 'paid' THEN amount > 20 WHEN quantity IS NULL THEN true ELSE false END

-- name: partition_column
SELECT units, revenue FROM sales WHERE region = 'north' AND month >= 2

-- name: partition_column_null
SELECT units FROM sales WHERE region IS NULL OR month IS NULL

-- name: having_without_group
SELECT count(*) AS n FROM orders HAVING count(*) > 3

-- name: binary_literal
SELECT id FROM strings WHERE bytes IN (X'00', X'FF')

-- name: filter_on_empty_table
SELECT id FROM empty WHERE amount > 0
