"""The small Delta tables that the corpus reads: every trap that a column can hold, in few rows.

No table has more than fifty rows, so that a whole round trip takes tenths of a second.
"""

from __future__ import annotations

from pyspark.sql import SparkSession

STATEMENTS = {
    # Orders and customers: NULL keys, duplicates, orphans on both sides.
    "customers": """
        SELECT * FROM VALUES
          (1, 'Ada', 'london', DATE'1955-12-10', 10.50BD),
          (2, 'Bob', 'paris', DATE'1969-12-31', -3.25BD),
          (3, 'Cyd', 'london', DATE'1970-01-01', 0.00BD),
          (4, 'Dee', NULL, DATE'2000-02-29', 99999.99BD),
          (5, NULL, 'oslo', NULL, NULL),
          (6, 'Eve', 'Paris', DATE'1582-10-15', 12.00BD),
          (7, 'O''Hara', 'rome', DATE'1988-07-04', 7.75BD),
          (CAST(NULL AS INT), 'nobody', 'rome', DATE'1999-01-01', 1.00BD)
          AS t(id, name, city, born, balance)""",
    "orders": """
        SELECT id, customer_id, CAST(day AS DATE) AS day,
               CAST(amount AS DECIMAL(10,2)) AS amount, status,
               CAST(quantity AS INT) AS quantity
        FROM VALUES
          (100, 1, '2024-01-01', '20.00', 'paid', 2),
          (101, 1, '2024-01-01', '20.00', 'paid', 1),
          (102, 1, '2024-01-15', '5.50', 'open', NULL),
          (103, 2, '2024-02-01', '100.00', 'paid', 10),
          (104, 2, '2024-02-29', '0.00', 'void', 0),
          (105, 3, '2024-03-10', '33.33', 'paid', 3),
          (106, 3, '2024-03-10', '33.33', 'open', 3),
          (107, 3, '2024-03-31', '66.67', 'paid', 7),
          (108, 4, '2024-04-01', NULL, 'open', 1),
          (109, 6, '2024-04-02', '12.34', NULL, 4),
          (110, 42, '2024-05-05', '7.77', 'paid', 1),
          (111, NULL, '2024-05-06', '8.88', 'paid', 2),
          (112, NULL, NULL, '9.99', 'open', 2),
          (113, 6, '2024-12-31', '-15.00', 'refund', -1),
          (114, 7, '2023-12-31', '1.01', 'paid', 1)
          AS t(id, customer_id, day, amount, status, quantity)""",
    # Order lines: keyless, with true duplicates.
    "lines": """
        SELECT * FROM VALUES
          (100, 'pen', 2, 1.5D), (100, 'pen', 2, 1.5D), (100, 'ink', 1, 7.25D),
          (101, 'pen', 1, 1.5D), (101, 'pad', 4, 2.0D),
          (103, 'ink', 10, 7.0D), (103, 'cap', NULL, 0.5D),
          (105, 'pad', 3, 2.0D), (105, 'pad', 3, 2.0D), (105, 'pad', 3, 2.0D),
          (107, 'nib', 7, CAST(NULL AS DOUBLE)), (109, NULL, 1, 3.0D),
          (999, 'pen', 1, 1.5D), (CAST(NULL AS INT), 'ink', 5, 7.25D)
          AS t(order_id, product, pieces, price)""",
    # Numbers: extremes, NaN, infinities, both zeros.
    "numbers": """
        SELECT id, CAST(t AS TINYINT) AS tiny, CAST(s AS SMALLINT) AS small, i AS whole, b AS big,
               CAST(f AS FLOAT) AS single, d AS double, CAST(m AS DECIMAL(38,10)) AS exact,
               CAST(p AS DECIMAL(5,0)) AS short, o AS flag
        FROM VALUES
          (1, 1, 1, 1, 1L, 1.5D, 1.5D, '1.0000000001', '1', true),
          (2, -128, -32768, -2147483648, -9223372036854775808L, -0.0D, -0.0D,
              '-9999999999999999999999999999.9999999999', '-99999', false),
          (3, 127, 32767, 2147483647, 9223372036854775807L, 0.0D, 0.0D,
              '9999999999999999999999999999.9999999999', '99999', true),
          (4, 0, 0, 0, 0L, double('NaN'), double('NaN'), '0', '0', NULL),
          (5, NULL, NULL, NULL, NULL, double('Infinity'), double('Infinity'), NULL, NULL, NULL),
          (6, 7, 7, 7, 7L, double('-Infinity'), double('-Infinity'), '7.7', '7', false),
          (7, 7, 7, 7, 7L, 3.25D, 1e300D, '7.7', '7', true),
          (8, 3, 300, 30000, 3000000000L, NULL, NULL, '0.3333333333', '3', NULL),
          (9, -3, -300, -30000, -3000000000L, 0.1D, 0.1D, '-0.3333333333', '-3', true)
          AS t(id, t, s, i, b, f, d, m, p, o)""",
    # Strings: quotes, backslashes, line breaks, unicode, blanks; bytes; fixed-width types.
    "strings": r"""
        SELECT id, text, CAST(bytes AS BINARY) AS bytes, CAST(code AS STRING) AS code
        FROM VALUES
          (1, 'plain', X'00', 'ab'), (2, '', X'', ''), (3, NULL, NULL, NULL),
          (4, 'it''s', X'FF', 'cd'), (5, 'a"b', X'C3A9', 'ab '), (6, 'back\\slash', X'5C', 'x'),
          (7, 'line\nbreak\ttab', X'0A', 'y'), (8, 'naïve Ünïcode ☃ 😀', X'F09F9880', 'é'),
          (9, ' padded ', X'20', ' z'), (10, 'PLAIN', X'00', 'AB'), (11, '100%_wild', X'25', '%'),
          (12, 'a,b;c', X'2C', 'a,b'), (13, '`tick` $x {y}', X'60', '`'),
          (14, '--no; /*c*/', X'2D', '-')
          AS t(id, text, bytes, code)""",
    # Nested values, a variant among them.
    "nested": """
        SELECT id, CAST(tags AS ARRAY<STRING>) AS tags, CAST(scores AS ARRAY<INT>) AS scores,
               attributes, person, people, parse_json(document) AS document
        FROM VALUES
          (1, array('a', 'b'), array(3, 1, 2), map('k', 1, 'l', 2),
           named_struct('name', 'Ada', 'address', named_struct('city', 'london', 'zip', 1)),
           array(named_struct('n', 1, 's', 'x'), named_struct('n', 2, 's', 'y')),
           '{"a": 1, "b": [1, 2, {"c": null}], "s": "text"}'),
          (2, array(), array(), map(),
           named_struct('name', 'Bob',
                        'address', named_struct('city', CAST(NULL AS STRING), 'zip', 2)),
           array(), '[]'),
          (3, array('b', NULL, 'b'), array(NULL, 5), map('k', CAST(NULL AS INT)), NULL,
           array(named_struct('n', 3, 's', CAST(NULL AS STRING))), '3.25'),
          (4, NULL, NULL, NULL,
           named_struct('name', CAST(NULL AS STRING), 'address', NULL), NULL, NULL),
          (5, array('c'), array(10, 20, 30, 40), map('z', 26, 'k', 11),
           named_struct('name', 'Eve', 'address', named_struct('city', 'oslo', 'zip', 5)),
           array(named_struct('n', 9, 's', 'x')), '{"a": "one", "b": []}')
          AS t(id, tags, scores, attributes, person, people, document)""",
    # Points in time, before and after 1970, around a change to summer time.
    "events": """
        SELECT id, kind, CAST(at AS TIMESTAMP) AS at, CAST(local AS TIMESTAMP_NTZ) AS local, value
        FROM VALUES
          (1, 'start', '1969-07-20 20:17:40.123456', '1969-07-20 20:17:40.123456', 1),
          (2, 'start', '2024-03-31 00:59:59', '2024-03-31 01:59:59', 2),
          (3, 'stop', '2024-03-31 01:00:00', '2024-03-31 02:30:00', 3),
          (4, 'stop', '2024-03-31 01:03:00', '2024-03-31 03:03:00', 4),
          (5, 'tick', '2024-03-31 01:09:00', '2024-03-31 03:09:00', 5),
          (6, 'tick', '2024-03-31 01:09:00', '2024-03-31 03:09:00', NULL),
          (7, NULL, '2024-03-31 02:00:00', NULL, 7),
          (8, 'tick', NULL, '9999-12-31 23:59:59', 8)
          AS t(id, kind, at, local, value)""",
    # A hierarchy with a root, a lost branch and a self-reference.
    "staff": """
        SELECT * FROM VALUES
          (1, 'root', CAST(NULL AS INT), 100, 'a'), (2, 'ann', 1, 80, 'a'), (3, 'ben', 1, 80, 'b'),
          (4, 'cat', 2, 60, 'a'), (5, 'dan', 2, 60, 'b'), (6, 'eli', 4, 40, 'a'),
          (7, 'fay', 77, 50, 'b'), (8, 'gus', 8, 30, NULL)
          AS t(id, name, boss, pay, team)""",
    "Mixed_Case": """
        SELECT id AS `Id`, name AS `Full Name`, n AS `select`, v AS `a.b`, w AS `größe`,
               x AS `back``tick`
        FROM VALUES (1, 'x', 10, 1.5D, 'ß', true), (2, 'y', 20, NULL, 'ø', false),
          (3, NULL, 20, 2.5D, NULL, NULL) AS t(id, name, n, v, w, x)""",
    "empty": "SELECT 1 AS id, 'x' AS name, 1.0BD AS amount, DATE'2024-01-01' AS day WHERE false",
}

PARTITIONED = """
    CREATE OR REPLACE TABLE {schema}.sales
      (region STRING, month INT, units INT, revenue DECIMAL(12,2))
    USING delta PARTITIONED BY (region, month)"""

SALES = """
    INSERT INTO {schema}.sales
    SELECT * FROM VALUES
      ('north', 1, 10, 100.00BD), ('north', 1, 20, 200.00BD), ('north', 2, 5, 50.50BD),
      ('south', 1, 7, 70.00BD), ('south', 2, NULL, 0.10BD), ('south', 3, 1, 10.00BD),
      (NULL, 1, 2, 20.00BD), ('east west', NULL, 3, 30.00BD), ('north', 3, 20, NULL)"""

FIXED_WIDTH = (
    "CREATE OR REPLACE TABLE {schema}.codes (id INT, fixed CHAR(4), bounded VARCHAR(6)) USING delta"
)

CODES = """
    INSERT INTO {schema}.codes
    VALUES (1, 'ab', 'ab'), (2, 'abcd', 'abcdef'), (3, '', ''), (4, NULL, NULL), (5, 'ab', 'ab ')"""


ICEBERG = "corpus_iceberg"  # a catalog that allows any name, unlike Spark's own

BLANKS = """
    CREATE OR REPLACE TABLE {iceberg}.`Some Space`.`Order Lines ü`
    USING iceberg PARTITIONED BY (`Order Day`) AS
    SELECT id AS `Order Id`, day AS `Order Day`, amount AS `AMOUNT` FROM {schema}.orders"""


def create_tables(spark: SparkSession, schema: str) -> None:
    """Create the tables of the corpus in a schema, made if missing, and make it the current one."""
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    for name, query in STATEMENTS.items():
        # One file per table: tests of order-sensitive functions then see one order of rows.
        rows = spark.sql(query).coalesce(1)
        writer = rows.write.format("delta").mode("overwrite")
        # Column mapping allows blanks and dots in column names.
        writer.option("delta.columnMapping.mode", "name").saveAsTable(f"{schema}.{name}")
    for statement in (PARTITIONED, SALES, FIXED_WIDTH, CODES):
        spark.sql(statement.format(schema=schema))
    _create_iceberg_table(spark, schema)
    spark.sql(f"USE {schema}")


def _create_iceberg_table(spark: SparkSession, schema: str) -> None:
    warehouse = spark.conf.get("spark.sql.warehouse.dir")
    spark.conf.set(f"spark.sql.catalog.{ICEBERG}", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set(f"spark.sql.catalog.{ICEBERG}.type", "hadoop")
    spark.conf.set(f"spark.sql.catalog.{ICEBERG}.warehouse", f"{warehouse}/{ICEBERG}")
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {ICEBERG}.`Some Space`")
    spark.sql(BLANKS.format(iceberg=ICEBERG, schema=schema))
