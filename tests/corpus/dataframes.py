"""Queries built as DataFrames: what only the DataFrame API says, or says otherwise than SQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType
from pyspark.sql.window import Window

Builder = Callable[[SparkSession], DataFrame]


@dataclass(frozen=True)
class Frame:
    """A named function that builds a DataFrame, and the reason or error to expect."""

    name: str
    build: Builder
    expect: frozenset[str] = frozenset()
    determined: tuple[str, ...] | None = None


FRAMES: dict[str, Frame] = {}


def frame(*expect: str, determined: tuple[str, ...] | None = None) -> Callable[[Builder], Builder]:
    """Put a function into the corpus under its own name."""

    def register(build: Builder) -> Builder:
        FRAMES[build.__name__] = Frame(build.__name__, build, frozenset(expect), determined)
        return build

    return register


def short(name: str, build: Builder, *expect: str) -> None:
    """Put a query of one line into the corpus."""
    FRAMES[name] = Frame(name, build, frozenset(expect))


# --- columns and rows -----------------------------------------------------------------------

short("table", lambda s: s.table("orders"))
short("filter_select", lambda s: s.table("orders").where(F.col("amount") > 10).select("id"))
short("with_column", lambda s: s.table("staff").withColumn("pay", F.col("pay") * 2))
short("with_columns_renamed", lambda s: s.table("staff").withColumnRenamed("pay", "Gross Pay"))
short("drop_columns", lambda s: s.table("customers").drop("born", "absent"))
short("to_df", lambda s: s.table("staff").select("id", "name").toDF("A b", "select"))
short("select_expr", lambda s: s.table("orders").selectExpr("id", "amount * 2 AS `a b`", "'x''y'"))
short(
    "columns_by_regex",
    lambda s: s.table("customers").select(s.table("customers").colRegex("`b.*`")),
)
short(
    "literals",
    lambda s: s.table("staff").select(
        F.lit("it's \\ \n").alias("t"), F.lit(None).alias("n"), F.lit([1, 2]).alias("l")
    ),
)
short("distinct", lambda s: s.table("lines").distinct())
short("na_drop", lambda s: s.table("orders").na.drop(subset=["customer_id", "amount"]))
short("na_drop_threshold", lambda s: s.table("orders").na.drop(thresh=5))
short("na_fill", lambda s: s.table("orders").na.fill({"quantity": 0, "status": "?"}))
short(
    "na_replace",
    lambda s: s.table("orders").na.replace({"paid": "done", "void": "none"}, subset=["status"]),
)
short(
    "with_field",
    lambda s: s.table("nested").select(
        "id", F.col("person").withField("age", F.col("id") * 10).alias("p")
    ),
)
short(
    "with_nested_field",
    lambda s: s.table("nested").select(
        "id", F.col("person").withField("address.city", F.lit("x")).alias("p")
    ),
)
short(
    "drop_fields",
    lambda s: s.table("nested").select("id", F.col("person").dropFields("address.zip").alias("p")),
)
short(
    "get_item",
    lambda s: s.table("nested").select(
        "id", F.col("attributes")["k"].alias("k"), F.get("scores", F.lit(1)).alias("s")
    ),
)
short(
    "when_otherwise",
    lambda s: s.table("orders").select(
        "id",
        F.when(F.col("amount") > 20, "big")
        .when(F.col("amount").isNull(), None)
        .otherwise("small")
        .alias("k"),
    ),
)
short(
    "between_isin",
    lambda s: (
        s.table("orders")
        .where(F.col("amount").between(5, 50) & ~F.col("status").isin("void", "refund"))
        .select("id")
    ),
)
short(
    "transpose_free_describe",
    lambda s: s.table("orders").agg(
        F.count("amount"), F.mean("amount"), F.stddev("amount"), F.min("amount"), F.max("amount")
    ),
)
short(
    "alias_and_qualified",
    lambda s: (
        s.table("staff")
        .alias("e")
        .join(s.table("staff").alias("b"), F.col("e.boss") == F.col("b.id"))
        .select("e.name", F.col("b.name").alias("boss"))
    ),
)
short(
    "metadata_alias",
    lambda s: s.table("staff").select(F.col("id").alias("key", metadata={"unit": "none"})),
)
short(
    "to_schema",
    lambda s: s.table("staff").select("id", "pay").to(s.table("staff").select("pay", "id").schema),
)

# --- joins ----------------------------------------------------------------------------------

short("join_using", lambda s: s.table("events").join(s.table("customers"), "id"))
short(
    "join_using_two_full",
    lambda s: (
        s.table("staff")
        .select("id", "name", "pay")
        .join(s.table("customers").select("id", "name", "city"), ["id", "name"], "full")
    ),
)
short(
    "join_right",
    lambda s: (
        s.table("customers")
        .select("id", "name")
        .join(
            s.table("orders").select("customer_id", "amount"),
            F.col("id") == F.col("customer_id"),
            "right",
        )
    ),
)
short(
    "join_semi",
    lambda s: s.table("customers").join(
        s.table("orders").withColumnRenamed("id", "oid"),
        F.col("id") == F.col("customer_id"),
        "left_semi",
    ),
)
short(
    "join_anti",
    lambda s: s.table("customers").join(
        s.table("orders").select(F.col("customer_id").alias("id")), "id", "left_anti"
    ),
)
short(
    "cross_join",
    lambda s: s.table("staff").select("id").crossJoin(s.table("sales").select("region")),
)
short(
    "broadcast_hint",
    lambda s: s.table("orders").join(
        F.broadcast(s.table("customers").withColumnRenamed("id", "customer_id")), "customer_id"
    ),
)
short(
    "merge_hint",
    lambda s: (
        s.table("orders").hint("merge").join(s.table("lines"), F.col("id") == F.col("order_id"))
    ),
)
short(
    "null_safe_join",
    lambda s: (
        s.table("orders")
        .select("id", "quantity")
        .join(s.table("lines").select("pieces"), F.col("quantity").eqNullSafe(F.col("pieces")))
    ),
)


@frame()
def self_join_by_frame(spark: SparkSession) -> DataFrame:
    staff = spark.table("staff")
    boss = staff.select(F.col("id").alias("boss"), F.col("name").alias("boss_name"))
    return staff.join(boss, "boss", "left").select("id", "name", "boss_name")


@frame()
def join_then_reuse(spark: SparkSession) -> DataFrame:
    totals = spark.table("orders").groupBy("customer_id").agg(F.sum("amount").alias("total"))
    mean = totals.agg(F.avg("total").alias("mean"))
    return totals.crossJoin(mean).where("total > mean").select("customer_id", "total")


@frame()
def lateral_join(spark: SparkSession) -> DataFrame:
    orders = spark.table("orders").where(F.col("customer_id") == F.col("c.id").outer())
    customers = spark.table("customers").alias("c")
    return customers.lateralJoin(orders.select("amount"), how="left").select("c.id", "amount")


@frame()
def scalar_subquery(spark: SparkSession) -> DataFrame:
    mean = spark.table("staff").agg(F.avg("pay")).scalar()
    return spark.table("staff").where(F.col("pay") > mean).select("id")


@frame()
def exists_subquery(spark: SparkSession) -> DataFrame:
    orders = spark.table("orders").where(F.col("customer_id") == F.col("c.id").outer())
    return spark.table("customers").alias("c").where(orders.exists()).select("name")


# --- groups, windows, sets ------------------------------------------------------------------

short(
    "group_agg",
    lambda s: (
        s.table("orders")
        .groupBy("status")
        .agg(
            F.sum("amount").alias("s"),
            F.count("*").alias("n"),
            F.countDistinct("customer_id").alias("d"),
        )
    ),
)
short("group_count", lambda s: s.table("orders").groupBy("status", "customer_id").count())
short(
    "group_dictionary",
    lambda s: s.table("orders").groupBy("status").agg({"amount": "max", "id": "count"}),
)
short(
    "cube",
    lambda s: (
        s.table("sales")
        .cube("region", "month")
        .agg(F.sum("units").alias("u"), F.grouping_id().alias("g"))
    ),
)
short("rollup", lambda s: s.table("sales").rollup("region", "month").sum("revenue"))
short(
    "grouping_sets",
    lambda s: (
        s.table("sales")
        .groupingSets([["region"], ["month"], []], "region", "month")
        .agg(F.sum("units").alias("u"))
    ),
)
short(
    "pivot_values",
    lambda s: s.table("sales").groupBy("region").pivot("month", [1, 2, 3]).agg(F.sum("units")),
)
short(
    "pivot_two_aggregates",
    lambda s: (
        s.table("sales")
        .groupBy("region")
        .pivot("month", [1, 2])
        .agg(F.sum("units").alias("u"), F.max("revenue").alias("r"))
    ),
)
short("unpivot", lambda s: s.table("numbers").unpivot("id", ["tiny", "small"], "name", "value"))
short("union", lambda s: s.table("staff").select("id").union(s.table("customers").select("id")))
short(
    "union_by_name",
    lambda s: (
        s.table("staff")
        .select("id", "name", "pay")
        .unionByName(s.table("customers").select("name", "id", "city"), allowMissingColumns=True)
    ),
)
short(
    "intersect_all",
    lambda s: (
        s.table("lines")
        .select("product")
        .intersectAll(s.table("lines").where("pieces > 1").select("product"))
    ),
)
short(
    "except_all",
    lambda s: (
        s.table("lines")
        .select("product")
        .exceptAll(s.table("lines").where("pieces > 1").select("product"))
    ),
)
short(
    "subtract",
    lambda s: s.table("customers").select("id").subtract(s.table("orders").select("customer_id")),
)
short(
    "order_limit", lambda s: s.table("orders").orderBy(F.desc_nulls_last("amount"), "id").limit(4)
)
short("order_offset", lambda s: s.table("orders").orderBy("id").offset(3).limit(4))
short("sort_within_partitions", lambda s: s.table("orders").sortWithinPartitions("amount"))
short("repartition", lambda s: s.table("orders").repartition(3, "status").where("amount > 5"))
short("coalesce_partitions", lambda s: s.table("orders").coalesce(1).select("id"))
short(
    "repartition_by_range",
    lambda s: s.table("orders").repartitionByRange(2, "id").select("id", "day"),
)


@frame(determined=("customer_id",))
def drop_duplicates_subset(spark: SparkSession) -> DataFrame:
    return spark.table("orders").dropDuplicates(["customer_id"])


@frame()
def drop_duplicates_all_columns(spark: SparkSession) -> DataFrame:
    return spark.table("lines").dropDuplicates()


@frame()
def window_functions(spark: SparkSession) -> DataFrame:
    by_customer = Window.partitionBy("customer_id").orderBy(F.desc_nulls_last("amount"), "id")
    return spark.table("orders").select(
        "id",
        F.row_number().over(by_customer).alias("n"),
        F.lag("amount", 1, 0).over(by_customer).alias("before"),
        F.sum("quantity").over(by_customer.rowsBetween(-1, 1)).alias("around"),
        F.max("amount").over(Window.partitionBy("customer_id")).alias("most"),
    )


@frame()
def window_range(spark: SparkSession) -> DataFrame:
    near = Window.partitionBy("team").orderBy("pay").rangeBetween(-20, Window.currentRow)
    return spark.table("staff").withColumn("near", F.count("*").over(near))


@frame()
def latest_per_key(spark: SparkSession) -> DataFrame:
    newest = Window.partitionBy("customer_id").orderBy(F.col("day").desc(), F.col("id").desc())
    ranked = spark.table("orders").withColumn("rank", F.row_number().over(newest))
    return ranked.where("rank = 1").drop("rank")


@frame()
def time_windows(spark: SparkSession) -> DataFrame:
    return spark.table("events").groupBy(F.window("at", "5 minutes").alias("w")).count()


# --- nested values --------------------------------------------------------------------------

short("explode", lambda s: s.table("nested").select("id", F.explode("tags").alias("tag")))
short(
    "explode_outer",
    lambda s: s.table("nested").select("id", F.explode_outer("attributes").alias("k", "v")),
)
short(
    "posexplode_outer",
    lambda s: s.table("nested").select("id", F.posexplode_outer("scores").alias("p", "s")),
)
short("inline_outer", lambda s: s.table("nested").select("id", F.inline_outer("people")))
short(
    "stack",
    lambda s: s.table("staff").select(
        "id", F.stack(F.lit(2), F.lit("pay"), "pay", F.lit("boss"), "boss")
    ),
)
short(
    "transform",
    lambda s: s.table("nested").select("id", F.transform("scores", lambda x: x + 1).alias("t")),
)
short(
    "transform_with_index",
    lambda s: s.table("nested").select("id", F.transform("scores", lambda x, i: x * i).alias("t")),
)
short(
    "aggregate",
    lambda s: s.table("nested").select(
        "id",
        F.aggregate(
            "scores", F.lit(0), lambda a, x: a + F.coalesce(x, F.lit(0)), lambda a: a * 2
        ).alias("t"),
    ),
)
short(
    "filter_and_exists",
    lambda s: s.table("nested").select(
        "id",
        F.filter("scores", lambda x: x > 2).alias("f"),
        F.exists("scores", lambda x: x == 5).alias("e"),
    ),
)
short(
    "map_lambdas",
    lambda s: s.table("nested").select(
        "id",
        F.transform_values("attributes", lambda k, v: v + F.length(k)).alias("t"),
        F.map_filter("attributes", lambda k, v: v > 1).alias("f"),
    ),
)
short(
    "nested_lambdas",
    lambda s: s.table("nested").select(
        "id",
        F.transform("people", lambda p: F.transform("scores", lambda x: x + p["n"])).alias("t"),
    ),
)
short(
    "from_and_to_json",
    lambda s: s.table("nested").select(
        "id", F.from_json(F.to_json("person"), "name STRING, address STRUCT<zip: INT>").alias("j")
    ),
)

# --- where the data comes from --------------------------------------------------------------


@frame()
def read_by_path(spark: SparkSession) -> DataFrame:
    return spark.read.format("delta").load(location(spark, "orders")).where("amount > 10")


@frame()
def path_joined_with_its_table(spark: SparkSession) -> DataFrame:
    by_path = spark.read.format("delta").load(location(spark, "orders"))
    return by_path.select("id").join(spark.table("orders").select("id", "amount"), "id")


@frame()
def sql_text_as_frame(spark: SparkSession) -> DataFrame:
    return spark.sql("SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id").where(
        "n > 1"
    )


@frame()
def range_frame(spark: SparkSession) -> DataFrame:
    return spark.range(5).join(spark.table("staff"), "id")


@frame()
def cached_frame(spark: SparkSession) -> DataFrame:
    return spark.table("orders").where("amount > 10").cache().select("id")


@frame()
def time_travel(spark: SparkSession) -> DataFrame:
    old = spark.read.option("versionAsOf", 0).table("orders")
    return old.groupBy("status").count()


@frame("UNVERSIONED_SOURCE")
def parquet_files(spark: SparkSession) -> DataFrame:
    path = location(spark, "orders") + "-as-parquet"
    spark.table("orders").write.mode("overwrite").parquet(path)
    return spark.read.parquet(path).where("amount > 10")


# --- functions ------------------------------------------------------------------------------


def add_one(value: int | None) -> int | None:
    """A Python function for the session to know by name."""
    return None if value is None else value + 1


@frame()
def registered_python_function(spark: SparkSession) -> DataFrame:
    spark.udf.register("corpus_add_one", add_one, IntegerType())
    return spark.table("staff").selectExpr("id", "corpus_add_one(pay) AS more")


@frame("QUERY.ANONYMOUS_FUNCTION")
def anonymous_python_function(spark: SparkSession) -> DataFrame:
    more = F.udf(add_one, IntegerType(), useArrow=False)("pay")
    return spark.table("staff").select("id", more.alias("more"))


@frame("NOT_UNDERSTOOD", "OPAQUE_FUNCTION")
def map_in_pandas(spark: SparkSession) -> DataFrame:
    return (
        spark.table("staff").select("id", "pay").mapInPandas(lambda parts: parts, "id INT, pay INT")
    )


@frame("NOT_UNDERSTOOD", "OPAQUE_FUNCTION")
def apply_in_pandas(spark: SparkSession) -> DataFrame:
    groups = spark.table("staff").where("team IS NOT NULL").select("team", "pay").groupBy("team")
    return groups.applyInPandas(
        lambda rows: rows.head(1).assign(pay=rows.pay.sum()), "team STRING, pay LONG"
    )


@frame("QUERY.DATA_WITHOUT_TABLE")
def data_without_table(spark: SparkSession) -> DataFrame:
    return spark.table("staff").join(
        spark.createDataFrame([(1, "x")], "id INT, label STRING"), "id"
    )


short("sample", lambda s: s.table("orders").sample(0.5, seed=1), "NON_DETERMINISTIC")
short(
    "random_column",
    lambda s: s.table("staff").select("id", F.rand(1).alias("r")),
    "NON_DETERMINISTIC",
)
short("limit_without_order", lambda s: s.table("staff").limit(3), "NON_DETERMINISTIC")
short("today", lambda s: s.table("orders").where(F.col("day") < F.current_date()), "TIME_DEPENDENT")


def location(spark: SparkSession, table: str) -> str:
    """The folder in which a table's files are."""
    return str(spark.sql(f"DESCRIBE DETAIL {table}").first()["location"])
