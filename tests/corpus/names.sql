-- name: mixed_case_table
SELECT `Id`, `Full Name`, `select`, `a.b`, `größe`, `back``tick` FROM Mixed_Case

-- name: other_case
SELECT ID, `FULL NAME` FROM mixed_CASE WHERE `SELECT` = 20

-- name: star_of_odd_names
SELECT * FROM `Mixed_Case`

-- name: spaces_in_table_name
SELECT `Order Id`, `AMOUNT` FROM corpus_iceberg.`Some Space`.`Order Lines ü` WHERE `Order Day` >= DATE'2024-03-01'

-- name: spaces_group_on_partition
SELECT `Order Day`, sum(amount) AS `the sum` FROM corpus_iceberg.`Some Space`.`Order Lines ü` WHERE `Order Day` < DATE'2024-03-01' GROUP BY `Order Day`

-- name: aliases_needing_quotes
SELECT id AS `1st`, name AS `two words`, city AS `a.b.c`, born AS `it's`, balance AS `"q"` FROM customers

-- name: reserved_words
SELECT id AS `from`, name AS `where`, city AS `group`, born AS `order`, balance AS `null` FROM customers

-- name: unicode_aliases
SELECT id AS `名前`, name AS `naïve`, city AS `😀` FROM customers

-- name: dotted_column_against_struct_path
SELECT m.`a.b` AS plain, s.a.b AS path FROM Mixed_Case m CROSS JOIN (SELECT named_struct('b', 7) AS a) s

-- name: struct_fields_needing_quotes
SELECT t.s.`x y` AS a, t.s.`select` AS b FROM (SELECT named_struct('x y', id, 'select', name) AS s FROM staff) t

-- name: qualified_names
SELECT corpus.staff.id, spark_catalog.corpus.staff.name FROM spark_catalog.corpus.staff

-- name: derived_names_through_levels
SELECT `sum(amount)` AS s FROM (SELECT status, sum(amount) FROM orders GROUP BY status)

-- name: alias_like_internal_names
SELECT id AS c1, name AS t1, city AS _1, born AS `__x` FROM customers

-- name: join_same_names
SELECT c.name, s.name AS name_2, c.id AS ID_, s.id FROM customers c JOIN staff s ON c.id = s.id

-- name: alias_equals_table
SELECT staff.staff FROM (SELECT name AS staff FROM staff) staff

-- name: names_differing_by_blank
SELECT id AS `a`, id + 1 AS `a `, id + 2 AS ` a` FROM staff

-- name: group_by_quoted
SELECT `größe` AS `Größe`, count(*) AS `count(1)` FROM Mixed_Case GROUP BY `größe`

-- name: window_over_quoted
SELECT `Id`, row_number() OVER (PARTITION BY `select` ORDER BY `Full Name` NULLS LAST) AS `row number` FROM Mixed_Case
