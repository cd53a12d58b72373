-- name: integer_arithmetic
SELECT id, whole % 7 AS a, whole DIV 7 AS b, tiny + small AS c, big - 1L AS d, -tiny AS e FROM numbers WHERE id NOT IN (2, 3)

-- name: decimal_arithmetic
SELECT id, amount / 3 AS a, amount * amount AS b, amount + quantity AS c, amount % 7 AS d, amount / quantity AS e FROM orders WHERE quantity <> 0

-- name: decimal_precision_of_literals
SELECT id, amount * 1.005 AS a, amount + 0.1BD AS b, CAST(amount AS DECIMAL(20,8)) / 7 AS c, 1.0 / 3 AS d FROM orders

-- name: decimal_extremes
SELECT id, exact, exact > 0 AS positive, CAST(exact AS STRING) AS written, short, short + 1 AS wider FROM numbers

-- name: rounding
SELECT id, round(amount, 1) AS a, bround(amount, 0) AS b, floor(amount) AS c, ceil(amount / 2) AS d, round(id, -1) AS e, truncate_it FROM (SELECT *, CAST(amount AS INT) AS truncate_it FROM orders)

-- name: floating
SELECT id, double + 1 AS a, double * 2 AS b, single + double AS c, double / 3 AS d, isnan(double) AS e, nanvl(double, 0) AS f FROM numbers

-- name: floating_comparisons
SELECT a.id, b.id AS other FROM numbers a JOIN numbers b ON a.double = b.double

-- name: floating_group_keys
SELECT double, count(*) AS n, min(id) AS first FROM numbers GROUP BY double

-- name: float_literals
SELECT 1.5D AS a, 1e-300 AS b, CAST('NaN' AS DOUBLE) AS c, double('-Infinity') AS d, 1.5F AS e, -0.0D AS f, 3e5BD AS g, 9223372036854775807L AS h, 127Y AS i, 5S AS j FROM staff

-- name: mathematics
SELECT id, sqrt(abs(double)) AS a, exp(tiny) AS b, ln(abs(double) + 1) AS c, power(tiny, 2) AS d, sin(single) AS e, atan2(1, double) AS f, sign(whole) AS g FROM numbers

-- name: bits
SELECT id, whole & 255 AS a, whole | 1 AS b, whole ^ 3 AS c, ~tiny AS d, shiftleft(small, 2) AS e, big >> 3 AS f, bit_count(whole) AS g FROM numbers

-- name: conversions
SELECT id, CAST(double AS STRING) AS a, CAST(flag AS INT) AS b, try_cast(double AS INT) AS c, CAST(tiny AS DOUBLE) AS d, try_cast(big AS SMALLINT) AS e, bin(whole) AS f, conv(tiny, 10, 16) AS g FROM numbers

-- name: try_arithmetic
SELECT id, try_add(whole, 1) AS a, try_divide(amount_like, 0) AS b, try_multiply(big, 2L) AS c, try_subtract(tiny, 1Y) AS d FROM (SELECT *, CAST(short AS DOUBLE) AS amount_like FROM numbers)

-- name: division_by_zero
-- raises: DIVIDE_BY_ZERO
SELECT id, 1 / (quantity - 1) AS a FROM orders

-- name: overflow
-- raises: ARITHMETIC_OVERFLOW
SELECT id, whole + 1 AS a FROM numbers

-- name: cast_failure
-- raises: CAST_INVALID_INPUT
SELECT id, CAST(name AS INT) AS a FROM customers

-- name: greatest_least
SELECT id, greatest(tiny, 5, NULL) AS a, least(double, 1.0D) AS b, greatest(double, single) AS c FROM numbers

-- name: width_bucket_and_histogram
SELECT id, width_bucket(amount, 0, 100, 5) AS a, pmod(quantity, 3) AS b, positive(amount) AS c, factorial(id - 100) AS d FROM orders WHERE id < 110

-- name: precedence
SELECT id, 1 + 2 * tiny - 3 AS a, (1 + 2) * tiny AS b, NOT flag AND tiny > 1 OR small < 2 AS c, - - tiny AS d, tiny - (small - 1) AS e FROM numbers WHERE id <> 2
