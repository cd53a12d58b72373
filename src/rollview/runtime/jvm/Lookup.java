package rollview;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.InterpretedUnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.plans.LeftSemi$;
import org.apache.spark.sql.catalyst.plans.logical.BROADCAST$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.HintInfo;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.types.DataTypeUtils$;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;

/**
 * The rows of a source at one version, found by key and remembered for all views of a run.
 *
 * A key of a changed row is looked for together with those of all other changed rows of its source:
 * what one view asks for of some changed orders, the next one will ask for of the others. The rows
 * before a change are those after it less the change, and take no look at the table at all.
 */
public class Lookup {

  private static final int KEYS = 100000;
  private static final int RANGES = 16;

  private final SparkSession session;
  private final LogicalPlan plan;
  private final Attribute[] output;
  private final String source;
  private final Held changes;
  private final Lookup after;
  private final Dataset deltas;
  private final java.util.Map pool;
  private final int many;
  private final java.util.HashMap indexes = new java.util.HashMap();
  private java.util.Map difference;
  private boolean isTooMuch;

  private Lookup(
      SparkSession session, LogicalPlan plan, String source, Held changes, Lookup after,
      Dataset deltas, java.util.Map pool, int many) {
    this.session = session;
    this.plan = plan;
    this.output = Local.attributes(plan.output());
    this.source = source;
    this.changes = changes;
    this.after = after;
    this.deltas = deltas;
    this.pool = pool;
    this.many = many;
  }

  /** The rows of a frame, which are those of the source after the change. */
  static Lookup after(
      SparkSession session, Dataset frame, String source, Held changes, java.util.Map pool,
      int many) {
    LogicalPlan plan = frame.queryExecution().analyzed();
    Lookup made = new Lookup(session, plan, source, changes, null, null, pool, many);
    pool.put(source, made);
    return made;
  }

  /** The rows before, which are all those of another frame. */
  public Lookup before(Object frame) {
    LogicalPlan old = ((Dataset) frame).queryExecution().analyzed();
    return new Lookup(session, old, source, changes, this, null, pool, many);
  }

  /** The rows of a frame, which are those of another one and of signed changes of it. */
  static Lookup sum(
      SparkSession session, Dataset all, Dataset base, Dataset deltas, String name, int many) {
    LogicalPlan plan = base.queryExecution().analyzed();
    java.util.Map pool = new java.util.HashMap();
    Lookup below = new Lookup(session, plan, name, null, null, null, pool, many);
    LogicalPlan whole = all.queryExecution().analyzed();
    return new Lookup(session, whole, name, null, below, deltas, pool, many);
  }

  /** All rows, for a session, this one's or another. */
  public Dataset frame(Object session) {
    return Dataset.ofRows((SparkSession) session, plan);
  }

  /** The origins of the columns. */
  String[] origins() {
    return origins(source, output);
  }

  static String[] origins(String source, Attribute[] output) {
    String[] found = new String[output.length];
    for (int at = 0; at < found.length; at++) found[at] = source + "\n" + output[at].name();
    return found;
  }

  int width() {
    return output.length;
  }

  /** All rows that have one of the keys in these columns. */
  java.util.ArrayList rows(int[] on, java.util.Collection keys, String[] origins) throws Exception {
    if (after == null) return found(on, keys, origins);
    return changed(on, keys, after.found(on, keys, origins));
  }

  private synchronized java.util.ArrayList found(
      int[] on, java.util.Collection keys, String[] origins) throws Exception {
    java.util.HashMap index = index(on);
    java.util.LinkedHashSet missing = new java.util.LinkedHashSet();
    java.util.Iterator each = keys.iterator();
    while (each.hasNext()) {
      Object key = each.next();
      if (!index.containsKey(key)) missing.add(key);
    }
    if (!missing.isEmpty()) {
      java.util.Iterator related = related(on, origins).iterator();
      while (related.hasNext() && missing.size() < KEYS) {
        Object key = related.next();
        if (!index.containsKey(key)) missing.add(key);
      }
      fetch(on, missing, index);
    }
    java.util.ArrayList rows = new java.util.ArrayList();
    each = keys.iterator();
    while (each.hasNext()) rows.addAll((java.util.ArrayList) index.get(each.next()));
    return rows;
  }

  private java.util.HashMap index(int[] on) {
    String name = java.util.Arrays.toString(on);
    java.util.HashMap index = (java.util.HashMap) indexes.get(name);
    if (index == null) {
      index = new java.util.HashMap();
      indexes.put(name, index);
    }
    return index;
  }

  /** The keys of all changed rows of the source that these ones come from. */
  private java.util.Collection related(int[] on, String[] origins) {
    java.util.LinkedHashSet found = new java.util.LinkedHashSet();
    String from = null;
    String[] names = new String[on.length];
    for (int at = 0; at < on.length; at++) {
      if (origins[at] == null) return found;
      int cut = origins[at].indexOf(10);
      String own = origins[at].substring(0, cut);
      if (from != null && !from.equals(own)) return found;
      from = own;
      names[at] = origins[at].substring(cut + 1);
    }
    Lookup other = from == null ? null : (Lookup) pool.get(from);
    return other == null ? found : other.keys(names, types(on));
  }

  /** The values that these columns have in changed rows. */
  private java.util.Collection keys(String[] names, DataType[] types) {
    java.util.LinkedHashSet found = new java.util.LinkedHashSet();
    Expression[] bound = new Expression[names.length];
    for (int at = 0; at < names.length; at++) {
      for (int n = 0; n < output.length; n++) {
        if (output[n].name().equals(names[at]) && output[n].dataType().equals(types[at])) {
          bound[at] = new BoundReference(n, types[at], true);
        }
      }
      if (bound[at] == null) return found;
    }
    UnsafeProjection key = Local.key(bound);
    if (changes != null && changes.values() != null) add(changes.values().iterator(), key, found);
    return found;
  }

  private static void add(
      scala.collection.Iterator rows, UnsafeProjection key, java.util.Collection found) {
    while (rows.hasNext() && found.size() < KEYS) {
      UnsafeRow one = key.apply((InternalRow) rows.next());
      if (!one.anyNull()) found.add(one.copy());
    }
  }

  private DataType[] types(int[] on) {
    DataType[] types = new DataType[on.length];
    for (int at = 0; at < on.length; at++) types[at] = output[on[at]].dataType();
    return types;
  }

  private UnsafeProjection key(int[] on) {
    Expression[] bound = new Expression[on.length];
    for (int at = 0; at < on.length; at++) {
      bound[at] = new BoundReference(on[at], output[on[at]].dataType(), true);
    }
    return Local.key(bound);
  }

  private void fetch(int[] on, java.util.Collection keys, java.util.HashMap index)
      throws Exception {
    if (isTooMuch) throw new Elsewhere("many rows of " + source);
    Expression[] columns = new Expression[on.length];
    for (int at = 0; at < on.length; at++) columns[at] = output[on[at]];
    java.util.ArrayList rows = fetched(session, plan, columns, keys, many);
    if (rows == null) {
      isTooMuch = true;
      throw new Elsewhere("many rows of " + source);
    }
    java.util.Iterator each = keys.iterator();
    while (each.hasNext()) index.put(each.next(), new java.util.ArrayList(2));
    UnsafeProjection key = key(on);
    for (int n = 0; n < rows.size(); n++) {
      InternalRow row = (InternalRow) rows.get(n);
      ((java.util.ArrayList) index.get(key.apply(row))).add(row);
    }
  }

  /** The rows of a plan whose columns have one of the keys; null if they are too many. */
  static java.util.ArrayList fetched(
      SparkSession session, LogicalPlan plan, Expression[] columns, java.util.Collection keys,
      int many)
      throws Exception {
    StructType type = new StructType();
    for (int at = 0; at < columns.length; at++) type = type.add("k" + at, columns[at].dataType());
    scala.collection.immutable.Seq wanted = DataTypeUtils$.MODULE$.toAttributes(type);
    java.util.ArrayList list = new java.util.ArrayList(keys);
    LogicalPlan values =
        new LocalRelation(wanted, Local.seq(list), false, scala.Option.empty());
    LogicalPlan within = plan;
    Expression condition = null;
    for (int at = 0; at < columns.length; at++) {
      Expression key = (Expression) wanted.apply(at);
      boolean nulls = hasNull(list, at);
      Expression same =
          nulls
              ? (Expression) new EqualNullSafe(columns[at], key)
              : (Expression) new EqualTo(columns[at], key);
      condition = condition == null ? same : new And(condition, same);
      Expression range = nulls ? null : ranges(columns[at], list, at);
      if (range != null) within = new Filter(range, within);
    }
    JoinHint hint =
        new JoinHint(
            scala.Option.empty(),
            scala.Option.apply(new HintInfo(scala.Option.apply(BROADCAST$.MODULE$))));
    LogicalPlan join =
        new Join(within, values, LeftSemi$.MODULE$, scala.Option.apply(condition), hint);
    scala.Tuple2 found;
    try {
      found =
          Dataset.ofRows(session, join).queryExecution().executedPlan().executeCollectIterator();
    } catch (Exception problem) {
      if (!String.valueOf(problem.getMessage()).contains("maxResultSize")) throw problem;
      return null;
    }
    if (((Long) found._1()).longValue() > many) return null;
    java.util.ArrayList rows = new java.util.ArrayList();
    scala.collection.Iterator each = (scala.collection.Iterator) found._2();
    while (each.hasNext()) rows.add(each.next());
    return rows;
  }

  private static boolean hasNull(java.util.List keys, int at) {
    for (int n = 0; n < keys.size(); n++) {
      if (((InternalRow) keys.get(n)).isNullAt(at)) return true;
    }
    return false;
  }

  /** A condition on the column that all keys meet and that files can be skipped by; or null. */
  private static Expression ranges(Expression column, java.util.List keys, int at) {
    DataType type = column.dataType();
    if (!isWhole(type)) return null;
    long[] values = new long[keys.size()];
    for (int n = 0; n < values.length; n++) {
      values[n] = ((Number) ((InternalRow) keys.get(n)).get(at, type)).longValue();
    }
    java.util.Arrays.sort(values);
    long[] gaps = new long[Math.max(0, values.length - 1)];
    for (int n = 0; n < gaps.length; n++) gaps[n] = values[n + 1] - values[n];
    java.util.Arrays.sort(gaps);
    long least = gaps.length < RANGES ? 1L : Math.max(1L, gaps[gaps.length - RANGES + 1]);
    Expression all = null;
    int from = 0;
    int left = RANGES;
    for (int n = 0; n < values.length; n++) {
      boolean isLast = n == values.length - 1;
      if (!isLast && (values[n + 1] - values[n] < least || left == 1)) continue;
      Expression one =
          new And(
              new GreaterThanOrEqual(column, literal(values[from], type)),
              new LessThanOrEqual(column, literal(values[n], type)));
      all = all == null ? one : new Or(all, one);
      from = n + 1;
      left--;
    }
    return all;
  }

  private static boolean isWhole(DataType type) {
    return type instanceof ByteType
        || type instanceof ShortType
        || type instanceof IntegerType
        || type instanceof LongType
        || type instanceof DateType
        || type instanceof TimestampType;
  }

  private static Literal literal(long value, DataType type) {
    Object boxed = Long.valueOf(value);
    if (type instanceof ByteType) boxed = Byte.valueOf((byte) value);
    if (type instanceof ShortType) boxed = Short.valueOf((short) value);
    if (type instanceof IntegerType || type instanceof DateType) {
      boxed = Integer.valueOf((int) value);
    }
    return new Literal(boxed, type);
  }

  /** The rows under the keys with what is different here. */
  private java.util.ArrayList changed(
      int[] on, java.util.Collection keys, java.util.ArrayList now) throws Exception {
    java.util.HashSet wanted = new java.util.HashSet(keys);
    UnsafeProjection key = key(on);
    UnsafeProjection whole = whole();
    java.util.HashMap removed = new java.util.HashMap();
    java.util.ArrayList rows = new java.util.ArrayList();
    java.util.Iterator each = difference().entrySet().iterator();
    while (each.hasNext()) {
      java.util.Map.Entry entry = (java.util.Map.Entry) each.next();
      UnsafeRow row = (UnsafeRow) entry.getKey();
      long copies = ((Long) entry.getValue()).longValue();
      if (copies == 0L || !wanted.contains(key.apply(row))) continue;
      if (copies < 0L) removed.put(row, Long.valueOf(-copies));
      for (long n = 0L; n < copies; n++) rows.add(row);
    }
    for (int n = 0; n < now.size(); n++) {
      InternalRow row = (InternalRow) now.get(n);
      Long copies = removed.isEmpty() ? null : (Long) removed.get(whole.apply(row));
      if (copies == null) {
        rows.add(row);
      } else if (copies.longValue() == 1L) {
        removed.remove(whole.apply(row));
      } else {
        removed.put(whole.apply(row).copy(), Long.valueOf(copies.longValue() - 1L));
      }
    }
    if (!removed.isEmpty()) throw new Elsewhere("rows of " + source + " that are not there");
    return rows;
  }

  /** How many copies of which rows there are more here than in what is looked up. */
  private synchronized java.util.Map difference() throws Exception {
    if (difference != null) return difference;
    scala.collection.Iterator each;
    if (deltas == null) {
      if (changes.values() == null) throw new Elsewhere("many changes of " + source);
      each = changes.values().iterator();
    } else {
      scala.Tuple2 found = deltas.queryExecution().executedPlan().executeCollectIterator();
      each = (scala.collection.Iterator) found._2();
    }
    java.util.LinkedHashMap sums = new java.util.LinkedHashMap();
    UnsafeProjection whole = whole();
    while (each.hasNext()) {
      InternalRow row = (InternalRow) each.next();
      long weight = row.getLong(output.length);
      UnsafeRow value = whole.apply(row);
      Long sum = (Long) sums.get(value);
      long next = (sum == null ? 0L : sum.longValue()) + (deltas == null ? -weight : weight);
      sums.put(sum == null ? value.copy() : value, Long.valueOf(next));
    }
    difference = sums;
    return sums;
  }

  /** All columns of a row, told apart by their bytes. */
  private UnsafeProjection whole() {
    java.util.ArrayList all = new java.util.ArrayList(output.length);
    for (int at = 0; at < output.length; at++) {
      all.add(new BoundReference(at, output[at].dataType(), true));
    }
    return InterpretedUnsafeProjection.createProjection(Local.seq(all));
  }
}
