-- name: star
SELECT * FROM customers

-- name: some_columns
SELECT name, id FROM customers

-- name: computed_columns
SELECT id, amount * quantity AS total, amount + 1 AS more, -amount AS less FROM orders

-- name: aliases_that_swap
SELECT id AS customer_id, customer_id AS id FROM orders

-- name: lateral_alias
SELECT amount AS a, a * 2 AS b, b + a AS c FROM orders

-- name: star_except
SELECT * EXCEPT (born, balance) FROM customers

-- name: same_column_under_three_names
SELECT id AS a, id AS b, id + 0 AS c FROM staff

-- name: constants_only
SELECT 1 AS one, 'x' AS text, NULL AS nothing_typed, DATE'2024-02-29' AS day FROM staff

-- name: distinct_rows
SELECT DISTINCT status, customer_id FROM orders

-- name: distinct_expression
SELECT DISTINCT upper(city) AS city FROM customers

-- name: table_qualified_star
SELECT o.*, c.name FROM orders o JOIN customers c ON o.customer_id = c.id

-- name: derived_table
SELECT d.total FROM (SELECT customer_id, amount * 2 AS total FROM orders) d WHERE d.total > 10

-- name: derived_table_column_aliases
SELECT x, y FROM (SELECT id, name FROM customers) AS t(x, y)

-- name: order_by_alone_means_nothing
SELECT id, name FROM customers ORDER BY name DESC NULLS LAST, id

-- name: empty_table
SELECT *, amount * 2 AS double_amount FROM empty

-- name: unnamed_expressions
SELECT id + 1, upper(name), CASE WHEN id > 3 THEN 'big' ELSE 'small' END FROM customers

-- name: deep_nesting_of_selects
SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT id AS a FROM staff)))

-- name: from_first_pipe_syntax
FROM orders |> WHERE amount > 5 |> AGGREGATE sum(amount) AS total GROUP BY status |> SELECT status, total
