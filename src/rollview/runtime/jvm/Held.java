package rollview;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.catalyst.types.DataTypeUtils$;
import org.apache.spark.sql.catalyst.types.PhysicalDataType$;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.storage.StorageLevel;

/** The rows of a frame, computed now, as a plan that knows nothing of how they were computed. */
public class Held {

  private final SparkSession session;
  private final LogicalPlan plan;
  private final long rows;
  private final scala.collection.immutable.Seq values;
  private String[] origins;

  public Held() {
    this(null, null, 0L, null);
  }

  /** With attributes of its own: two steps may hand on columns of one relation below both. */
  private Held(
      SparkSession session, LogicalPlan plan, long rows, scala.collection.immutable.Seq values) {
    this.session = session;
    this.plan = plan == null ? null : ((MultiInstanceRelation) plan).newInstance();
    this.rows = rows;
    this.values = values;
  }

  /**
   * All rows brought to the driver: few become constants of plans, more an RDD.
   *
   * What is over temporary views of held rows, and of lookups, takes no job where that can be.
   */
  public Held collected(Object session, Object frame, java.util.Map views, int few, int many)
      throws Exception {
    Dataset data = (Dataset) frame;
    SparkSession own = (SparkSession) session;
    QueryExecution execution = data.queryExecution();
    scala.collection.immutable.Seq output = execution.analyzed().output();
    Local found = Evaluator.evaluated(own, execution.analyzed(), views, many);
    if (found != null) return of(own, output, found, few, width(data.schema()));
    scala.collection.immutable.Seq known = local(execution.optimizedPlan());
    if (known != null && known.size() <= few) return constants(own, output, known);
    return collected(own, data, execution, output, few, many);
  }

  private Held collected(
      SparkSession own, Dataset data, QueryExecution execution,
      scala.collection.immutable.Seq output, int few, int many)
      throws Exception {
    scala.Tuple2 found;
    try {
      found = execution.executedPlan().executeCollectIterator();
    } catch (Exception problem) {
      if (!String.valueOf(problem.getMessage()).contains("maxResultSize")) throw problem;
      return kept(own, data);
    }
    long count = ((Long) found._1()).longValue();
    if (count > many) return kept(own, data);
    scala.collection.immutable.Seq values = ((scala.collection.Iterator) found._2()).toSeq();
    return of(own, output, values, few, width(data.schema()));
  }

  private static Held of(
      SparkSession own, scala.collection.immutable.Seq output,
      scala.collection.immutable.Seq values, int few, long width) {
    if (values.size() <= few) return constants(own, output, values);
    SparkContext context = own.sparkContext();
    scala.reflect.ClassTag tag = scala.reflect.ClassTag$.MODULE$.apply(InternalRow.class);
    RDD rdd = context.parallelize(values, context.defaultParallelism(), tag);
    long count = (long) values.size();
    return new Held(own, relation(own, output, rdd, count, width), count, values);
  }

  private static Held of(
      SparkSession own, scala.collection.immutable.Seq output, Local found, int few, long width) {
    Held held = of(own, output, Local.seq(found.rows), few, width);
    held.origins = found.origins;
    return held;
  }

  /** Say that the rows are of a source, whose columns these are. */
  public Held of(String source) {
    origins = Lookup.origins(source, Local.attributes(plan.output()));
    return this;
  }

  /** Rows of a source to be looked up by key; ``pool`` has all lookups of a run by their source. */
  public Lookup lookup(
      Object session, Object frame, String source, Held changes, java.util.Map pool, int many) {
    return Lookup.after((SparkSession) session, (Dataset) frame, source, changes, pool, many);
  }

  /** Rows that are kept as some others and signed changes of them, to be looked up by key. */
  public Lookup sum(
      Object session, Object all, Object base, Object deltas, String name, int many) {
    return Lookup.sum(
        (SparkSession) session, (Dataset) all, (Dataset) base, (Dataset) deltas, name, many);
  }

  String[] origins() {
    return origins == null ? new String[plan.output().size()] : origins;
  }

  /** The rows if the driver has them, else null. */
  scala.collection.immutable.Seq values() {
    return values;
  }

  /** What a form makes of held rows; null if that takes a plan. */
  public Held evaluated(Object session, String form, java.util.List tables, int few)
      throws Exception {
    java.util.List read = (java.util.List) new ObjectMapper().readValue(form, java.util.List.class);
    AtHand made = AtHand.of(read, tables);
    if (made == null) return null;
    StructType type = made.type();
    Held held =
        of(
            (SparkSession) session,
            DataTypeUtils$.MODULE$.toAttributes(type),
            Local.seq(made.rows),
            few,
            width(type));
    held.origins = made.origins;
    return held;
  }

  scala.collection.immutable.Seq output() {
    return plan.output();
  }

  /** The rows of a plan that the optimizer has computed already; null if it takes a job. */
  private static scala.collection.immutable.Seq local(LogicalPlan plan) {
    if (plan instanceof LocalRelation) return ((LocalRelation) plan).data();
    if (!(plan instanceof Union) || ((Union) plan).byName()) return null;
    java.util.ArrayList rows = new java.util.ArrayList();
    scala.collection.Iterator parts = plan.children().iterator();
    while (parts.hasNext()) {
      scala.collection.immutable.Seq part = local((LogicalPlan) parts.next());
      if (part == null) return null;
      scala.collection.Iterator some = part.iterator();
      while (some.hasNext()) rows.add(some.next());
    }
    return Local.seq(rows);
  }

  private static Held constants(
      SparkSession session, scala.collection.immutable.Seq output,
      scala.collection.immutable.Seq values) {
    LogicalPlan constants = new LocalRelation(output, values, false, scala.Option.empty());
    return new Held(session, constants, (long) values.size(), values);
  }

  /** All rows kept by the executors. */
  public Held kept(Object session, Object frame) {
    Dataset data = (Dataset) frame;
    SparkSession own = (SparkSession) session;
    Dataset held = data.localCheckpoint(true, StorageLevel.MEMORY_AND_DISK());
    long count = held.count();
    LogicalRDD found = (LogicalRDD) held.queryExecution().analyzed();
    LogicalPlan kept = relation(own, found.output(), found.rdd(), count, width(data.schema()));
    return new Held(own, kept, count, null);
  }

  public long rows() {
    return rows;
  }

  /**
   * The least and the greatest value of a column as SQL text, and third something if it has NULLs.
   * Null if the driver does not have the rows, all are NULL, or the type is of no use for it.
   */
  public String[] range(String column) {
    int position = position(column);
    if (values == null || position < 0) return null;
    DataType type = type(position);
    if (!isOrdered(type)) return null;
    scala.math.Ordering order = PhysicalDataType$.MODULE$.ordering(type);
    Object low = null;
    Object high = null;
    boolean nulls = false;
    scala.collection.Iterator all = values.iterator();
    while (all.hasNext()) {
      InternalRow row = (InternalRow) all.next();
      if (row.isNullAt(position)) {
        nulls = true;
        continue;
      }
      Object value = row.get(position, type);
      if (low == null || order.compare(value, low) < 0) low = value;
      if (high == null || order.compare(value, high) > 0) high = value;
    }
    String first = low == null ? null : text(low, type);
    String last = high == null ? null : text(high, type);
    if (first == null || last == null) return null;
    return new String[] {first, last, nulls ? "" : null};
  }

  /**
   * By the weights, which are the last column: how many rows are added, how many removed, and of
   * how many of both the columns of the key, if there is one, are the same. Null if that takes a
   * job to find out.
   */
  public long[] counts(java.util.List key) {
    if (values == null) return null;
    int[] positions = new int[key == null ? 0 : key.size()];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = position(String.valueOf(key.get(i)));
      if (positions[i] < 0 || !isOrdered(type(positions[i]))) return null;
    }
    int weight = plan.output().size() - 1;
    long added = 0L;
    long removed = 0L;
    java.util.HashMap groups = new java.util.HashMap();
    scala.collection.Iterator all = values.iterator();
    while (all.hasNext()) {
      InternalRow row = (InternalRow) all.next();
      long copies = row.getLong(weight);
      if (copies > 0) added += copies;
      else removed -= copies;
      java.util.ArrayList group = new java.util.ArrayList(positions.length);
      for (int i = 0; i < positions.length; i++) {
        int at = positions[i];
        group.add(row.isNullAt(at) ? null : row.get(at, type(at)));
      }
      long[] both = (long[]) groups.get(group);
      if (both == null) {
        both = new long[2];
        groups.put(group, both);
      }
      if (copies > 0) both[0] += copies;
      else both[1] -= copies;
    }
    long updated = 0L;
    if (key != null) {
      java.util.Iterator each = groups.values().iterator();
      while (each.hasNext()) {
        long[] both = (long[]) each.next();
        updated += Math.min(both[0], both[1]);
      }
    }
    return new long[] {added, removed, updated};
  }

  /**
   * The rows with equal ones made one, by the sum of their weights, which are the last column; null
   * if that takes a job. What is exact tells 0.0 from -0.0.
   */
  public Held net(boolean exact, int few) {
    if (values == null) return null;
    int weight = plan.output().size() - 1;
    for (int at = 0; at < weight; at++) {
      if (!isPlain(type(at))) return null;
    }
    java.util.LinkedHashMap sums = new java.util.LinkedHashMap();
    scala.collection.Iterator all = values.iterator();
    while (all.hasNext()) {
      InternalRow row = (InternalRow) all.next();
      java.util.ArrayList cells = new java.util.ArrayList(weight);
      for (int at = 0; at < weight; at++) {
        cells.add(row.isNullAt(at) ? null : told(row.get(at, type(at)), exact));
      }
      Long sum = (Long) sums.get(cells);
      sums.put(cells, Long.valueOf((sum == null ? 0L : sum.longValue()) + row.getLong(weight)));
    }
    java.util.ArrayList left = new java.util.ArrayList();
    java.util.Iterator each = sums.entrySet().iterator();
    while (each.hasNext()) {
      java.util.Map.Entry entry = (java.util.Map.Entry) each.next();
      if (((Long) entry.getValue()).longValue() == 0L) continue;
      java.util.ArrayList cells = (java.util.ArrayList) entry.getKey();
      Object[] row = cells.toArray(new Object[weight + 1]);
      row[weight] = entry.getValue();
      left.add(new GenericInternalRow(row));
    }
    return of(session, plan.output(), Local.seq(left), few, width(plan.schema()));
  }

  /** A value that equals every other one that counts as the same. */
  static Object told(Object value, boolean exact) {
    if (exact) return value;
    if (value instanceof Double) return Double.valueOf(((Double) value).doubleValue() + 0.0d);
    if (value instanceof Float) return Float.valueOf(((Float) value).floatValue() + 0.0f);
    return value;
  }

  /** Whether Java's own equality of the values is the one that rows are told apart by. */
  static boolean isPlain(DataType type) {
    return isOrdered(type)
        || type instanceof BooleanType
        || type instanceof FloatType
        || type instanceof DoubleType
        || type instanceof TimestampNTZType;
  }

  private DataType type(int position) {
    return ((Attribute) plan.output().apply(position)).dataType();
  }

  private int position(String column) {
    for (int position = 0; position < plan.output().size(); position++) {
      if (((Attribute) plan.output().apply(position)).name().equals(column)) return position;
    }
    return -1;
  }

  private static boolean isOrdered(DataType type) {
    return type instanceof ByteType
        || type instanceof ShortType
        || type instanceof IntegerType
        || type instanceof LongType
        || type instanceof DecimalType
        || type instanceof DateType
        || type instanceof TimestampType
        || type.equals(StringType$.MODULE$);
  }

  /** A value as SQL that means the same under all settings, or null. */
  private static String text(Object value, DataType type) {
    if (type instanceof DateType) return "date_from_unix_date(" + value + ")";
    if (type instanceof TimestampType) return "timestamp_micros(" + value + "L)";
    if (type instanceof DecimalType) {
      String plain = ((Decimal) value).toJavaBigDecimal().toPlainString();
      return "CAST(" + plain + "BD AS " + type.sql() + ")";
    }
    if (type instanceof StringType) {
      String plain = value.toString();
      boolean odd = plain.length() > 200 || plain.indexOf(92) >= 0 || plain.indexOf(39) >= 0
          || plain.indexOf(36) >= 0
          || !org.apache.spark.unsafe.types.UTF8String.fromString(plain).equals(value);
      return odd ? null : "'" + plain + "'";
    }
    return "CAST(" + value + "L AS " + type.sql() + ")";
  }

  public LogicalPlan plan() {
    return plan;
  }

  /** A frame of the rows for a session, this one's or another. */
  public Dataset frame(Object session) {
    return Dataset.ofRows((SparkSession) session, plan);
  }

  public void forget() {
    if (plan instanceof LogicalRDD) ((LogicalRDD) plan).rdd().unpersist(false);
  }

  private static long width(StructType type) {
    return type.defaultSize() + 8L;
  }

  /** With the size that the rows have, so that Spark can choose its joins. */
  private static LogicalPlan relation(
      SparkSession session, scala.collection.immutable.Seq output, RDD rdd, long count,
      long width) {
    scala.math.BigInt size = scala.math.BigInt.apply(Math.max(1L, count) * width);
    Statistics statistics =
        new Statistics(
            size,
            scala.Option.apply(scala.math.BigInt.apply(count)),
            Statistics.apply$default$3(),
            false);
    return new LogicalRDD(
        output,
        rdd,
        new UnknownPartitioning(0),
        (scala.collection.immutable.Seq) output.take(0),
        false,
        scala.Option.empty(),
        session,
        scala.Option.apply(statistics),
        scala.Option.empty());
  }
}
