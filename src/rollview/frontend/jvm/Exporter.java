package rollview;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.datasources.LogicalRelation;

/** Writes a reduced plan as maps and lists, ready for JSON. */
public class Exporter {
  private final boolean ansi;
  private final Map common = new HashMap();
  private final Map variables = new HashMap();

  private final Guard guard;

  public Exporter(boolean ansi, Guard guard) {
    this.ansi = ansi;
    this.guard = guard;
  }

  public Map plan(LogicalPlan p) {
    Map node = new LinkedHashMap();
    String kind = p.getClass().getSimpleName();
    node.put("op", kind);
    fill(node, p, kind);
    node.put("output", attributes(p.output()));
    ArrayList children = new ArrayList();
    scala.collection.Iterator it = p.children().iterator();
    while (it.hasNext()) children.add(plan((LogicalPlan) it.next()));
    node.put("children", children);
    return node;
  }

  private void fill(Map node, LogicalPlan p, String kind) {
    if (p instanceof Project) {
      node.put("items", named(((Project) p).projectList()));
    } else if (p instanceof Filter) {
      node.put("condition", expression(((Filter) p).condition()));
    } else if (p instanceof Join) {
      join(node, (Join) p);
    } else if (p instanceof Aggregate) {
      node.put("groups", expressions(((Aggregate) p).groupingExpressions()));
      node.put("items", named(((Aggregate) p).aggregateExpressions()));
    } else if (p instanceof Window) {
      Window window = (Window) p;
      node.put("items", named(window.windowExpressions()));
      node.put("partition", expressions(window.partitionSpec()));
      node.put("order", order(window.orderSpec()));
    } else if (p instanceof Expand) {
      ArrayList rows = new ArrayList();
      scala.collection.Iterator it = ((Expand) p).projections().iterator();
      while (it.hasNext()) rows.add(expressions((scala.collection.Seq) it.next()));
      node.put("projections", rows);
    } else if (p instanceof Generate) {
      Generate generate = (Generate) p;
      node.put("generator", expression((Expression) generate.generator()));
      node.put("outer", Boolean.valueOf(generate.outer()));
      node.put("produced", attributes(generate.nullableOutput()));
    } else if (p instanceof Sort) {
      node.put("order", order(((Sort) p).order()));
      node.put("global", Boolean.valueOf(((Sort) p).global()));
    } else if (p instanceof GlobalLimit) {
      node.put("limit", expression(((GlobalLimit) p).limitExpr()));
    } else if (p instanceof LocalLimit) {
      node.put("limit", expression(((LocalLimit) p).limitExpr()));
    } else if (p instanceof Offset) {
      node.put("offset", expression(((Offset) p).offsetExpr()));
    } else if (p instanceof Intersect) {
      node.put("all", Boolean.valueOf(((Intersect) p).isAll()));
    } else if (p instanceof Except) {
      node.put("all", Boolean.valueOf(((Except) p).isAll()));
    } else if (p instanceof LocalRelation) {
      values(node, (LocalRelation) p);
    } else if (p instanceof LogicalRelation) {
      node.put("source", ((Placeholder) ((LogicalRelation) p).relation()).key());
    } else if (kind.equals("UnionLoop")) {
      node.put("loop", String.valueOf(Leaves.get(p, "id")));
      node.put("limited", Boolean.valueOf(((scala.Option) Leaves.get(p, "limit")).isDefined()));
      Object depth = Leaves.get(p, "maxDepth");
      if (depth instanceof scala.Option && ((scala.Option) depth).isDefined()) {
        node.put("depth", String.valueOf(((scala.Option) depth).get()));
      }
    } else if (kind.equals("UnionLoopRef")) {
      node.put("loop", String.valueOf(Leaves.get(p, "loopId")));
    } else if (kind.equals("Range")) {
      Range range = (Range) p;
      node.put("text", "range(" + range.start() + "L, " + range.end() + "L, " + range.step() + "L)");
    } else if (p instanceof RepartitionOperation || kind.equals("RebalancePartitions")
        || kind.equals("CollectMetrics") || kind.equals("Subquery")) {
      node.put("op", "Same");
    } else if (!(p instanceof Distinct) && !(p instanceof Union) && !(p instanceof OneRowRelation)) {
      throw new Unwritable(kind, p.simpleStringWithNodeId());
    }
  }

  private void join(Map node, Join join) {
    node.put("kind", join.joinType().toString());
    if (join.joinType() instanceof org.apache.spark.sql.catalyst.plans.ExistenceJoin) {
      node.put("kind", "ExistenceJoin");
      node.put("flag", attribute(
          ((org.apache.spark.sql.catalyst.plans.ExistenceJoin) join.joinType()).exists()));
    }
    if (join.condition().isDefined()) {
      node.put("condition", expression((Expression) join.condition().get()));
    }
  }

  private void values(Map node, LocalRelation relation) {
    ArrayList rows = new ArrayList();
    scala.collection.Iterator it = relation.data().iterator();
    while (it.hasNext()) {
      org.apache.spark.sql.catalyst.InternalRow row =
          (org.apache.spark.sql.catalyst.InternalRow) it.next();
      ArrayList cells = new ArrayList();
      for (int i = 0; i < relation.output().size(); i++) {
        Attribute a = (Attribute) relation.output().apply(i);
        Object value = row.get(i, a.dataType());
        cells.add(literal(new Literal(value, a.dataType())));
      }
      rows.add(cells);
    }
    node.put("rows", rows);
  }

  private List order(scala.collection.Seq keys) {
    ArrayList result = new ArrayList();
    scala.collection.Iterator it = keys.iterator();
    while (it.hasNext()) {
      SortOrder key = (SortOrder) it.next();
      Map entry = new LinkedHashMap();
      entry.put("e", expression(key.child()));
      entry.put("asc", Boolean.valueOf(key.direction().sql().equals("ASC")));
      entry.put("first", Boolean.valueOf(key.nullOrdering().sql().equals("NULLS FIRST")));
      result.add(entry);
    }
    return result;
  }

  private List named(scala.collection.Seq items) {
    ArrayList result = new ArrayList();
    scala.collection.Iterator it = items.iterator();
    while (it.hasNext()) {
      NamedExpression item = (NamedExpression) it.next();
      Map entry = new LinkedHashMap();
      entry.put("as", attribute(item.toAttribute()));
      entry.put("e", expression(item instanceof Alias ? ((Alias) item).child() : (Expression) item));
      result.add(entry);
    }
    return result;
  }

  private List expressions(scala.collection.Seq items) {
    ArrayList result = new ArrayList();
    scala.collection.Iterator it = items.iterator();
    while (it.hasNext()) result.add(expression((Expression) it.next()));
    return result;
  }

  private List attributes(scala.collection.Seq items) {
    ArrayList result = new ArrayList();
    scala.collection.Iterator it = items.iterator();
    while (it.hasNext()) result.add(attribute((Attribute) it.next()));
    return result;
  }

  private Map attribute(Attribute a) {
    if (a.metadata().contains("spark.sessionWindow")) {
      throw new Unwritable("SessionWindow", "session_window(...)");
    }
    Map result = new LinkedHashMap();
    result.put("c", Long.valueOf(a.exprId().id()));
    result.put("n", a.name());
    result.put("t", a.dataType().sql());
    result.put("u", Boolean.valueOf(a.nullable()));
    return result;
  }

  private Map literal(Literal e) {
    String text = Texts.literal(e);
    if (!guard.reads(e, text)) {
      boolean moment = e.dataType() instanceof org.apache.spark.sql.types.TimestampType;
      if (!moment) throw new Unwritable("Literal", text);
      text = "timestamp_micros(" + e.value() + "L)";
    }
    Map result = new LinkedHashMap();
    result.put("l", text);
    result.put("t", e.dataType().sql());
    result.put("u", Boolean.valueOf(e.value() == null));
    return result;
  }

  public Map expression(Expression e) {
    if (e instanceof AttributeReference) return attribute((AttributeReference) e);
    if (e instanceof Literal) return literal((Literal) e);
    if (e instanceof Alias) return expression(((Alias) e).child());
    if (e instanceof AggregateExpression) return aggregate((AggregateExpression) e);
    if (e instanceof WindowExpression) return window((WindowExpression) e);
    if (e instanceof ScalarSubquery) return scalar((ScalarSubquery) e);
    if (e instanceof InheritAnalysisRules) return expression((Expression) e.children().apply(0));
    String kind = e.getClass().getSimpleName();
    if (kind.equals("With")) return with(e);
    if (e instanceof LambdaFunction) return lambda((LambdaFunction) e);
    if (e instanceof NamedLambdaVariable) {
      return call(e, kind, one(variable((NamedLambdaVariable) e)), false);
    }
    if (kind.equals("CommonExpressionRef")) return (Map) common.get(Leaves.get(e, "id"));
    if (transparent(e, kind)) return expression((Expression) e.children().apply(0));
    if (unwritable(e, kind)) throw new Unwritable(kind, e.sql());
    return call(e, kind, Texts.pieces(e, ansi), false);
  }

  private static boolean transparent(Expression e, String kind) {
    if (kind.equals("KnownNullable") || kind.equals("KnownNotNull")
        || kind.equals("KnownFloatingPointNormalized") || kind.equals("NormalizeNaNAndZero")
        || kind.equals("TempResolvedColumn") || kind.equals("AssertNotNull")) return true;
    return kind.equals("StaticInvoke")
        && "readSidePadding".equals(String.valueOf(Leaves.get(e, "functionName")));
  }

  private static boolean unwritable(Expression e, String kind) {
    return e instanceof SubqueryExpression || kind.equals("OuterReference")
        || kind.endsWith("Invoke") || kind.equals("ApplyFunctionExpression")
        || kind.equals("BoundReference") || kind.endsWith("MapObjects");
  }

  private Map with(Expression e) {
    scala.collection.Iterator it = ((scala.collection.Iterable) Leaves.get(e, "defs")).iterator();
    while (it.hasNext()) {
      Expression definition = (Expression) it.next();
      Expression inner = (Expression) definition.children().apply(0);
      if (!inner.deterministic()) throw new Unwritable("With", inner.sql());
      common.put(Leaves.get(definition, "id"), expression(inner));
    }
    return expression((Expression) Leaves.get(e, "child"));
  }

  private Map lambda(LambdaFunction e) {
    ArrayList pieces = new ArrayList();
    StringBuilder names = new StringBuilder();
    scala.collection.Iterator it = e.arguments().iterator();
    while (it.hasNext()) {
      if (names.length() > 0) names.append(", ");
      names.append(variable((NamedExpression) it.next()));
    }
    boolean several = names.indexOf(",") >= 0;
    pieces.add(e.hidden() ? "" : several ? "(" + names + ") -> " : names + " -> ");
    pieces.add(e.function());
    pieces.add("");
    return call(e, "LambdaFunction", pieces, false);
  }

  /** Variables are numbered as they come, so that the same query always has the same text. */
  private String variable(NamedExpression variable) {
    Object id = Long.valueOf(variable.exprId().id());
    if (!variables.containsKey(id)) variables.put(id, "__x" + (variables.size() + 1));
    return (String) variables.get(id);
  }

  private static List one(String text) {
    ArrayList pieces = new ArrayList();
    pieces.add(text);
    return pieces;
  }

  private Map call(Expression e, String kind, List pieces, boolean distinct) {
    if (pieces == null) throw new Unwritable(kind, e.sql());
    guard.check(e, pieces, distinct);
    Map result = new LinkedHashMap();
    ArrayList parts = new ArrayList();
    ArrayList args = new ArrayList();
    for (int i = 0; i < pieces.size(); i++) {
      Object piece = pieces.get(i);
      if (piece instanceof String) parts.add(piece);
      else args.add(expression((Expression) piece));
    }
    result.put("k", kind);
    result.put("p", parts);
    result.put("a", args);
    result.put("t", type(e));
    result.put("u", Boolean.valueOf(nullable(e)));
    result.put("d", Boolean.valueOf(e.deterministic()));
    return result;
  }

  private static String type(Expression e) {
    if (e instanceof Generator) return "VOID";
    if (e instanceof SortOrder) return "VOID";
    return e.dataType().sql();
  }

  private static boolean nullable(Expression e) {
    return e instanceof Generator || e instanceof SortOrder || e.nullable();
  }

  private Map aggregate(AggregateExpression e) {
    Expression function = (Expression) e.aggregateFunction();
    String kind = function.getClass().getSimpleName();
    Map result = call(function, kind, Texts.aggregate(function, e.isDistinct(), ansi),
        e.isDistinct());
    result.put("distinct", Boolean.valueOf(e.isDistinct()));
    result.put("g", Boolean.TRUE);
    if (e.filter().isDefined()) {
      result.put("filter", expression((Expression) e.filter().get()));
    }
    return result;
  }

  private Map window(WindowExpression e) {
    Map result = new LinkedHashMap();
    result.put("w", expression(e.windowFunction()));
    Object frame = e.windowSpec().frameSpecification();
    result.put("frame",
        frame instanceof SpecifiedWindowFrame ? ((SpecifiedWindowFrame) frame).sql() : "");
    if (e.windowFunction() instanceof FrameLessOffsetWindowFunction
        || e.windowFunction() instanceof RankLike || isNumbering(e.windowFunction())) {
      result.put("frame", "");
    }
    return result;
  }

  private static boolean isNumbering(Expression e) {
    String kind = e.getClass().getSimpleName();
    return kind.equals("RowNumber") || kind.equals("NTile") || kind.equals("CumeDist");
  }

  private Map scalar(ScalarSubquery e) {
    if (e.isCorrelated()) throw new Unwritable("ScalarSubquery", "a correlated scalar subquery");
    Map result = new LinkedHashMap();
    result.put("s", plan((LogicalPlan) e.plan()));
    result.put("t", e.dataType().sql());
    return result;
  }
}
