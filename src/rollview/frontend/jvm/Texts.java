package rollview;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.Metadata;

/**
 * The SQL text of one expression, with holes where its children go. Catalyst's own sql() is
 * right for most expressions; what it prints wrongly or incompletely is corrected here.
 */
public class Texts {
  private static final String OPEN = "rv_hole_";
  private static final String CLOSE = "_eloh_vr";

  /** Pieces of text (String) and children (Expression) in turn; null if it cannot be written. */
  public static List pieces(Expression e, boolean ansi) {
    List special = special(e, e.getClass().getSimpleName(), ansi);
    return special != null ? special : template(e, null);
  }

  /** The text of an aggregate function, DISTINCT included. */
  public static List aggregate(Expression e, boolean distinct, boolean ansi) {
    String kind = e.getClass().getSimpleName();
    if (kind.equals("PivotFirst")) return pivotFirst(e);
    if (kind.equals("First") || kind.equals("Last") || kind.equals("AnyValue")) {
      String name = kind.equals("AnyValue") ? "any_value" : kind.toLowerCase();
      String end = Boolean.TRUE.equals(Leaves.get(e, "ignoreNulls")) ? ", true)" : ")";
      return list(name + "(" + (distinct ? "DISTINCT " : ""), child(e, 0), end);
    }
    if (kind.equals("HyperLogLogPlusPlus")) {
      return list("approx_count_distinct(", child(e, 0),
          ", " + Leaves.get(e, "relativeSD") + "D)");
    }
    // Its own text names columns together with their ids.
    if (kind.equals("PythonUDAF")) return call(String.valueOf(Leaves.get(e, "name")), e);
    return template(e, Boolean.valueOf(distinct));
  }

  private static List special(Expression e, String kind, boolean ansi) {
    if (kind.equals("Literal")) return list(literal((Literal) e));
    if (kind.equals("Cast")) return cast((Cast) e, ansi);
    if (kind.equals("CreateNamedStruct")) return call("named_struct", e);
    if (kind.equals("Collate")) {
      return list("(", child(e, 0), " COLLATE " + e.dataType().typeName().substring(15) + ")");
    }
    if (kind.equals("Lag") || kind.equals("Lead")) {
      String end = Boolean.TRUE.equals(Leaves.get(e, "ignoreNulls")) ? ") IGNORE NULLS" : ")";
      return list(kind.toLowerCase() + "(", child(e, 0), ", ", child(e, 1), ", ", child(e, 2), end);
    }
    if (kind.endsWith("LikeAll") || kind.endsWith("LikeAny")) return likeMany(e, kind);
    if (kind.equals("TryEval")) return tryEval(child(e, 0), ansi);
    if (kind.equals("PreciseTimestampConversion")) return preciseTimestamp(e);
    if (kind.equals("AtLeastNNonNulls")) return atLeast(e);
    if (kind.equals("JsonToStructs")) return structured("from_json", e);
    if (kind.equals("CsvToStructs")) return structured("from_csv", e);
    if (kind.equals("XmlToStructs")) return structured("from_xml", e);
    if (kind.equals("StructsToJson")) return structured("to_json", e);
    if (kind.equals("StructsToCsv")) return structured("to_csv", e);
    if (kind.equals("StructsToXml")) return structured("to_xml", e);
    if (kind.equals("SecondWithFraction")) return extract("SECOND", e);
    if (kind.startsWith("ExtractInterval")) return extract(unit(kind, "ExtractInterval"), e);
    if (kind.startsWith("ExtractANSIInterval")) return extract(unit(kind, "ExtractANSIInterval"), e);
    if (kind.equals("ArraysZip")) {
      ArrayList zipped = new ArrayList();
      for (int i = 0; i < e.children().size(); i++) {
        zipped.add(zipped.isEmpty() ? "CAST(arrays_zip(" : ", ");
        zipped.add(child(e, i));
      }
      zipped.add(") AS " + e.dataType().sql() + ")");
      return zipped.size() > 1 ? zipped : null;
    }
    if (kind.equals("TypedNullLiteral")) {
      return list("CAST(NULL AS " + e.dataType().sql() + ")");
    }
    if (kind.equals("VariantGet")) {
      String name = Boolean.FALSE.equals(Leaves.get(e, "failOnError")) ? "try_variant_get(" : "variant_get(";
      return list(name, child(e, 0), ", ", child(e, 1),
          ", " + string(((DataType) Leaves.get(e, "targetType")).sql()) + ")");
    }
    if (e instanceof RankLike) return list(e.sql());
    return lenient(e, kind, ansi);
  }

  /** Functions that come in a strict and a lenient form that share one class. */
  private static List lenient(Expression e, String kind, boolean ansi) {
    String mode = mode(e);
    if (mode.equals("TRY")) {
      if (kind.equals("Add")) return call("try_add", e);
      if (kind.equals("Subtract")) return call("try_subtract", e);
      if (kind.equals("Multiply")) return call("try_multiply", e);
      if (kind.equals("Divide")) return call("try_divide", e);
      if (kind.equals("Remainder")) return call("try_mod", e);
      return null;
    }
    if (mode.equals("ANSI") && !ansi || mode.equals("LEGACY") && ansi) {
      throw new Unwritable(kind, "it was resolved under another setting of spark.sql.ansi.enabled");
    }
    boolean forgiving = ansi && Boolean.FALSE.equals(Leaves.get(e, "failOnError"));
    if (forgiving && kind.equals("MakeTimestamp")) return call("try_make_timestamp", e);
    if (forgiving && kind.equals("MakeInterval")) return call("try_make_interval", e);
    if (forgiving && kind.equals("ElementAt")) {
      return list("try_element_at(", child(e, 0), ", ", child(e, 1), ")");
    }
    if (forgiving && kind.equals("ParseToTimestamp")) return call("try_to_timestamp", e);
    if (forgiving && kind.equals("ParseToDate")) return call("try_to_date", e);
    return null;
  }

  private static String mode(Expression e) {
    String kind = e.getClass().getSimpleName();
    if (!(e instanceof BinaryArithmetic) || kind.startsWith("Bitwise")) return "";
    if (!(e.dataType() instanceof org.apache.spark.sql.types.NumericType)) return "";
    return String.valueOf(((BinaryArithmetic) e).evalMode());
  }

  private static List cast(Cast e, boolean ansi) {
    String mode = String.valueOf(e.evalMode());
    if (mode.equals("ANSI") && !ansi || mode.equals("LEGACY") && ansi) {
      if (!Cast$.MODULE$.canUpCast(e.child().dataType(), e.dataType())) {
        throw new Unwritable("Cast", "it was resolved under another spark.sql.ansi.enabled");
      }
    }
    String name = mode.equals("TRY") ? "TRY_CAST(" : "CAST(";
    return list(name, e.child(), " AS " + e.dataType().sql() + ")");
  }

  public static String literal(Literal e) {
    DataType type = e.dataType();
    if (e.value() == null) {
      return type.typeName().equals("void") ? "NULL" : "CAST(NULL AS " + type.sql() + ")";
    }
    if (e.value() instanceof org.apache.spark.unsafe.types.UTF8String) {
      String collation = type.typeName().startsWith("string collate ")
          ? " COLLATE " + type.typeName().substring(15) : "";
      return string(e.value().toString()) + collation;
    }
    if (type instanceof DecimalType) {
      java.math.BigDecimal value =
          ((org.apache.spark.sql.types.Decimal) e.value()).toJavaBigDecimal();
      DecimalType own = (DecimalType) type;
      int precision = Math.max(value.precision(), value.scale());
      if (own.scale() != value.scale() || own.precision() != precision) {
        return "CAST('" + value.toPlainString() + "' AS " + type.sql() + ")";
      }
      return value.toPlainString() + "BD";
    }
    String name = e.value().getClass().getSimpleName();
    if (name.equals("UnsafeArrayData") || name.equals("UnsafeRow") || name.equals("UnsafeMapData")) {
      throw new Unwritable("Literal", "a constant of type " + type.sql());
    }
    return e.sql();
  }

  private static List likeMany(Expression e, String kind) {
    boolean not = kind.startsWith("Not");
    StringBuilder patterns = new StringBuilder();
    scala.collection.Iterator it =
        ((scala.collection.Iterable) Leaves.get(e, "patterns")).iterator();
    while (it.hasNext()) {
      Object pattern = it.next();
      if (patterns.length() > 0) patterns.append(", ");
      patterns.append(pattern == null ? "NULL" : string(String.valueOf(pattern)));
    }
    return list("(", child(e, 0), (not ? " NOT" : "") + " LIKE "
        + (kind.endsWith("All") ? "ALL" : "ANY") + " (" + patterns + "))");
  }

  private static List tryEval(Expression e, boolean ansi) {
    String kind = e.getClass().getSimpleName();
    if (kind.equals("Add")) return call("try_add", e);
    if (kind.equals("Subtract")) return call("try_subtract", e);
    if (kind.equals("Multiply") || kind.endsWith("MultiplyInterval") || kind.startsWith("Multiply"))
      return call("try_multiply", e);
    if (kind.equals("Divide") || kind.startsWith("Divide")) return call("try_divide", e);
    if (kind.startsWith("TimestampAdd") || kind.startsWith("TimeAdd") || kind.startsWith("DateAdd"))
      return call("try_add", e);
    List inner = pieces(e, ansi);
    if (inner == null || !(inner.get(0) instanceof String)) return null;
    String head = (String) inner.get(0);
    if (!head.matches("[a-z_0-9]+\\(.*")) return null;
    ArrayList pieces = new ArrayList(inner);
    pieces.set(0, "try_" + head);
    return pieces;
  }

  private static List preciseTimestamp(Expression e) {
    String from = child(e, 0).dataType().typeName();
    String to = e.dataType().typeName();
    if (from.equals("timestamp")) return list("unix_micros(", child(e, 0), ")");
    if (to.equals("timestamp")) return list("timestamp_micros(", child(e, 0), ")");
    String epoch = "TIMESTAMP_NTZ '1970-01-01 00:00:00'";
    if (from.equals("timestamp_ntz"))
      return list("timestampdiff(MICROSECOND, " + epoch + ", ", child(e, 0), ")");
    return list("timestampadd(MICROSECOND, ", child(e, 0), ", " + epoch + ")");
  }

  private static List atLeast(Expression e) {
    ArrayList pieces = new ArrayList();
    String gap = "((";
    for (int i = 0; i < e.children().size(); i++) {
      String type = child(e, i).dataType().typeName();
      boolean floating = type.equals("double") || type.equals("float");
      pieces.add(gap + (floating ? "CAST(NOT isnan(coalesce(" : "CAST("));
      pieces.add(child(e, i));
      gap = (floating ? ", CAST('NaN' AS DOUBLE))) AS INT)" : " IS NOT NULL AS INT)") + " + ";
    }
    pieces.add(gap.substring(0, gap.length() - 3) + ") >= " + Leaves.get(e, "n") + ")");
    return pieces;
  }

  private static List structured(String name, Expression e) {
    ArrayList pieces = new ArrayList();
    pieces.add(name + "(");
    pieces.add(child(e, 0));
    StringBuilder end = new StringBuilder();
    Object schema = Leaves.get(e, "schema");
    if (name.startsWith("from_") && schema instanceof DataType) {
      String ddl = schema instanceof org.apache.spark.sql.types.StructType
          ? ((org.apache.spark.sql.types.StructType) schema).toDDL() : ((DataType) schema).sql();
      end.append(", ").append(string(ddl));
    }
    Object options = Leaves.get(e, "options");
    if (options instanceof scala.collection.Map && !((scala.collection.Map) options).isEmpty()) {
      StringBuilder entries = new StringBuilder();
      scala.collection.Iterator it = ((scala.collection.Map) options).iterator();
      while (it.hasNext()) {
        scala.Tuple2 pair = (scala.Tuple2) it.next();
        if (entries.length() > 0) entries.append(", ");
        entries.append(string(String.valueOf(pair._1()))).append(", ");
        entries.append(string(String.valueOf(pair._2())));
      }
      end.append(", map(").append(entries).append(")");
    }
    pieces.add(end + ")");
    return pieces;
  }

  private static List pivotFirst(Expression e) {
    ArrayList pieces = new ArrayList();
    Expression pivot = (Expression) Leaves.get(e, "pivotColumn");
    Expression value = (Expression) Leaves.get(e, "valueColumn");
    scala.collection.Iterator it =
        ((scala.collection.Iterable) Leaves.get(e, "pivotColumnValues")).iterator();
    String gap = "array(";
    while (it.hasNext()) {
      pieces.add(gap + "first(CASE WHEN (");
      pieces.add(pivot);
      Object constant = it.next();
      String text = literal(new Literal(constant, pivot.dataType()));
      pieces.add(" <=> " + text + ") THEN ");
      pieces.add(value);
      gap = " END, true), ";
    }
    pieces.add(" END, true))");
    return pieces;
  }

  private static List extract(String field, Expression e) {
    return list("extract(" + field + " FROM ", child(e, 0), ")");
  }

  private static String unit(String kind, String prefix) {
    String unit = kind.substring(prefix.length()).toUpperCase();
    return unit.endsWith("S") ? unit.substring(0, unit.length() - 1) : unit;
  }

  private static List call(String name, Expression e) {
    ArrayList pieces = new ArrayList();
    for (int i = 0; i < e.children().size(); i++) {
      pieces.add(i == 0 ? name + "(" : ", ");
      pieces.add(child(e, i));
    }
    if (pieces.isEmpty()) return list(name + "()");
    pieces.add(")");
    return pieces;
  }

  /** Catalyst's own text of the expression with its children replaced by marked attributes. */
  private static List template(Expression e, Boolean distinct) {
    ArrayList holes = new ArrayList();
    int count = e.children().size();
    for (int i = 0; i < count; i++) {
      Expression child = child(e, i);
      Expression inner = child instanceof SortOrder ? ((SortOrder) child).child() : child;
      AttributeReference hole = new AttributeReference(OPEN + i + CLOSE, inner.dataType(),
          inner.nullable(), Metadata.empty(), NamedExpression$.MODULE$.newExprId(),
          Plans.seq(new ArrayList()));
      if (child instanceof SortOrder) {
        SortOrder order = (SortOrder) child;
        holes.add(new SortOrder(hole, order.direction(), order.nullOrdering(),
            Plans.seq(new ArrayList())));
      } else {
        holes.add(hole);
      }
    }
    String text;
    try {
      Expression marked = count == 0 ? e : (Expression) e.withNewChildren(Plans.seq(holes));
      text = distinct == null ? marked.sql()
          : ((org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction) marked)
              .sql(distinct.booleanValue());
    } catch (RuntimeException problem) {
      return null;
    }
    return split(e, text, count);
  }

  private static List split(Expression e, String text, int count) {
    ArrayList pieces = new ArrayList();
    boolean[] seen = new boolean[count];
    int from = 0;
    while (true) {
      int start = text.indexOf(OPEN, from);
      if (start < 0) break;
      int end = text.indexOf(CLOSE, start);
      int index = Integer.parseInt(text.substring(start + OPEN.length(), end));
      pieces.add(text.substring(from, start));
      Expression child = child(e, index);
      pieces.add(child instanceof SortOrder ? ((SortOrder) child).child() : child);
      seen[index] = true;
      from = end + CLOSE.length();
    }
    pieces.add(text.substring(from));
    for (int i = 0; i < count; i++) {
      boolean seed = !e.deterministic() && child(e, i) instanceof Literal;
      if (!seen[i] && !seed) return null;
    }
    return pieces;
  }

  private static Expression child(Expression e, int index) {
    return (Expression) e.children().apply(index);
  }

  /** A string literal on one line, so that indenting a statement cannot change it. */
  public static String string(String value) {
    String escaped = value.replace("\\", "\\\\").replace("'", "\\'");
    return "'" + escaped.replace("\n", "\\n").replace("\r", "\\r") + "'";
  }

  private static List list(Object a) {
    ArrayList items = new ArrayList();
    items.add(a);
    return items;
  }

  private static List list(Object a, Object b, Object c) {
    List items = list(a);
    items.add(b);
    items.add(c);
    return items;
  }

  private static List list(Object a, Object b, Object c, Object d, Object f) {
    List items = list(a, b, c);
    items.add(d);
    items.add(f);
    return items;
  }

  private static List list(Object a, Object b, Object c, Object d, Object f, Object g, Object h) {
    List items = list(a, b, c, d, f);
    items.add(g);
    items.add(h);
    return items;
  }
}
