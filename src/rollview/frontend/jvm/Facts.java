package rollview;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.*;

/** What an analyzed plan says about determinism, the clock, order, functions and its leaves. */
public class Facts {
  private final List found = new ArrayList();
  private final Map definitions = new LinkedHashMap();

  /** Entries of (code, class, SQL text), in the order of the plan. */
  public List of(LogicalPlan plan) {
    visit(plan);
    return found;
  }

  private void visit(LogicalPlan p) {
    String kind = p.getClass().getSimpleName();
    if (p.isStreaming()) add("STREAMING", kind, p.simpleStringWithNodeId());
    if (kind.equals("LogicalRDD") || kind.equals("ExternalRDD")) add("DATA", kind, p.nodeName());
    if (kind.equals("SQLFunctionNode")) addFunction(Leaves.get(p, "function"));
    if (kind.equals("Sample")) add("NON_DETERMINISTIC", kind, "TABLESAMPLE");
    if (kind.equals("Deduplicate")) add("ORDER", kind, "dropDuplicates");
    if (p instanceof GlobalLimit || p instanceof Offset || kind.equals("Tail")) {
      LogicalPlan child = (LogicalPlan) p.children().apply(0);
      if (!keepsAll(p, child) && !alike(child)) {
        if (!sorted(child)) add("NON_DETERMINISTIC", kind, "LIMIT without ORDER BY");
        add("ORDER", kind, "LIMIT");
      }
    }
    String moving = Leaves.moving(p);
    if (moving != null) add("MOVING", kind, moving);
    if (isOpaque(kind)) {
      add("OPAQUE", kind, kind);
    } else {
      scala.collection.Iterator expressions = p.expressions().iterator();
      while (expressions.hasNext()) visit((Expression) expressions.next());
    }
    scala.collection.Iterator children = p.children().iterator();
    while (children.hasNext()) visit((LogicalPlan) children.next());
    scala.collection.Iterator inner = p.innerChildren().iterator();
    while (inner.hasNext()) {
      Object child = inner.next();
      if (child instanceof LogicalPlan && p instanceof WithCTE) visit((LogicalPlan) child);
    }
    // Last, so that a recursive one does not find itself.
    if (p instanceof CTERelationDef) {
      definitions.put(Long.valueOf(((CTERelationDef) p).id()), p.children().apply(0));
    }
  }

  /** Whether a limit is at least as large as what is below it can ever be. */
  private static boolean keepsAll(LogicalPlan p, LogicalPlan child) {
    if (!(p instanceof GlobalLimit) || !((GlobalLimit) p).limitExpr().foldable()) return false;
    long limit = ((Number) ((GlobalLimit) p).limitExpr().eval(null)).longValue();
    return child.maxRows().isDefined() && ((Long) child.maxRows().get()).longValue() <= limit;
  }

  /** Whether all rows are the same constants, so that it does not matter which of them are kept. */
  private boolean alike(LogicalPlan p) {
    if (p instanceof OneRowRelation) return true;
    if (p instanceof CTERelationRef) {
      Object defined = definitions.get(Long.valueOf(((CTERelationRef) p).cteId()));
      return defined != null && alike((LogicalPlan) defined);
    }
    if (p instanceof Project) {
      boolean constant = true;
      scala.collection.Iterator columns = ((Project) p).projectList().iterator();
      while (columns.hasNext()) {
        Expression column = (Expression) columns.next();
        if (!column.deterministic()) return false;
        Expression value = column instanceof Alias ? ((Alias) column).child() : column;
        constant = constant && value.foldable();
      }
      return constant || alike((LogicalPlan) p.children().apply(0));
    }
    return passesOn(p) && alike((LogicalPlan) p.children().apply(0));
  }

  /** Whether an operator hands some or all rows of its only input on as they are, in their order. */
  private static boolean passesOn(LogicalPlan p) {
    return p instanceof SubqueryAlias || p instanceof View || p instanceof Filter
        || p instanceof Offset || p instanceof GlobalLimit || p instanceof LocalLimit
        || p.getClass().getSimpleName().equals("ResolvedHint");
  }

  /** Operators that run code of the user's over whole partitions or groups. */
  private static boolean isOpaque(String kind) {
    return kind.indexOf("InPandas") >= 0 || kind.indexOf("InArrow") >= 0
        || kind.indexOf("InPySpark") >= 0 || kind.indexOf("InR") >= 0
        || kind.equals("MapPartitions") || kind.equals("MapElements") || kind.equals("MapGroups")
        || kind.equals("TypedFilter") || kind.equals("AppendColumns") || kind.equals("CoGroup")
        || kind.equals("ScriptTransformation");
  }

  private static boolean sorted(LogicalPlan p) {
    if (p instanceof Sort) return ((Sort) p).global();
    if (p instanceof Aggregate) return ((Aggregate) p).groupingExpressions().isEmpty();
    if (p instanceof OneRowRelation) return true;
    return (p instanceof Project || passesOn(p)) && sorted((LogicalPlan) p.children().apply(0));
  }

  private void visit(Expression e) {
    String kind = e.getClass().getSimpleName();
    if (e instanceof InheritAnalysisRules) {
      visit((Expression) e.children().apply(0));
      return;
    }
    if (e instanceof SubqueryExpression) {
      visit((LogicalPlan) ((SubqueryExpression) e).plan());
    }
    scala.collection.Iterator children = e.children().iterator();
    boolean pure = true;
    while (children.hasNext()) {
      Expression child = (Expression) children.next();
      pure = pure && child.deterministic();
      visit(child);
    }
    if (kind.equals("PythonUDF") || kind.equals("PythonUDAF") || kind.equals("PythonUDTF")) {
      add("PYTHON", kind, String.valueOf(Leaves.get(e, "name")));
    }
    if (kind.equals("ScalaUDF") || kind.equals("ScalaAggregator") || kind.equals("ScalaUDAF")) {
      Object name = Leaves.get(e, kind.equals("ScalaUDF") ? "udfName" : "aggregatorName");
      boolean known = name instanceof scala.Option && ((scala.Option) name).isDefined();
      add("SCALA", kind, known ? String.valueOf(((scala.Option) name).get()) : "");
    }
    if (kind.equals("SQLScalarFunction")) {
      addFunction(Leaves.get(e, "function"));
    }
    if (!e.deterministic() && pure && !(e instanceof SubqueryExpression)) {
      add("NON_DETERMINISTIC", kind, e.sql());
    }
    if (kind.equals("AesEncrypt") && isSalted(e)) add("NON_DETERMINISTIC", kind, e.sql());
    if (kind.equals("CurrentUser") || kind.equals("VariableReference")) {
      add("NON_DETERMINISTIC", kind, e.sql());
    }
    if (e instanceof AttributeReference && "_metadata".equals(((AttributeReference) e).name())
        && ((AttributeReference) e).metadata().contains("__metadata_col")) {
      add("NON_DETERMINISTIC", kind, "_metadata");
    }
    if (isClock(e, kind) || e instanceof RuntimeReplaceable && isReplacedByClock(e)) {
      add("TIME", kind, e.sql());
    }
    if (isOrderSensitive(e, kind)) add("ORDER", kind, e.sql());
  }

  private static boolean isClock(Expression e, String kind) {
    if (kind.equals("CurrentDate") || kind.equals("CurrentTimestamp") || kind.equals("Now")
        || kind.equals("LocalTimestamp") || kind.equals("CurrentTime")
        || kind.equals("CurrentBatchTimestamp")) return true;
    if (!(e instanceof Cast)) return false;
    Expression child = ((Cast) e).child();
    String to = e.dataType().typeName();
    if (!child.foldable() || !(to.equals("date") || to.startsWith("timestamp"))
        || !child.dataType().typeName().startsWith("string")) {
      return false;
    }
    String text;
    try {
      text = String.valueOf(child.eval(null)).trim().toLowerCase();
    } catch (Exception unknown) {
      return true;
    }
    return text.matches("(now|today|tomorrow|yesterday)\\b.*");
  }

  /** Casts of words like 'today' are hidden in functions that another expression replaces. */
  private static boolean isReplacedByClock(Expression e) {
    if (!(e.getClass().getSimpleName().startsWith("ParseTo"))) return false;
    Expression replacement = ((RuntimeReplaceable) e).replacement();
    return isClock(replacement, replacement.getClass().getSimpleName());
  }

  /** Whether every call takes another vector to begin with, which Spark does not admit. */
  private static boolean isSalted(Expression e) {
    Expression mode = (Expression) Leaves.get(e, "mode");
    Expression vector = (Expression) Leaves.get(e, "iv");
    return !is(mode, "ECB") && (!vector.foldable() || is(vector, ""));
  }

  private static boolean is(Expression e, String text) {
    if (!e.foldable()) return false;
    Object value = e.eval(null);
    String found = value instanceof byte[] ? new String((byte[]) value) : String.valueOf(value);
    return found.equalsIgnoreCase(text);
  }

  private static final java.util.Set ORDERED = new java.util.HashSet(java.util.Arrays.asList(
      new String[] {"First", "Last", "AnyValue", "CollectList", "CollectSet", "ListAgg", "MaxBy",
        "MinBy", "Mode", "ApproximatePercentile", "HyperLogLogPlusPlus", "RowNumber", "NTile",
        "Lag", "Lead", "NthValue", "HistogramNumeric", "ApproxTopK", "ApproxTopKAccumulate",
        "ApproxTopKCombine", "HllSketchAgg", "HllUnionAgg", "KllSketchAggBigint",
        "KllSketchAggFloat", "KllSketchAggDouble", "KllMergeAggBigint", "KllMergeAggFloat",
        "KllMergeAggDouble"}));

  private static boolean isOrderSensitive(Expression e, String kind) {
    if (ORDERED.contains(kind)) return true;
    if (!(e instanceof org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction)) {
      return false;
    }
    if (kind.equals("Min") || kind.equals("Max") || kind.equals("Count")) return false;
    String type = e.resolved() ? e.dataType().typeName() : "";
    return type.equals("double") || type.equals("float");
  }

  private void addFunction(Object function) {
    add("SQL_FUNCTION", "SQLFunction", String.valueOf(Leaves.get(function, "name")));
  }

  private void add(String code, String kind, String text) {
    Map entry = new LinkedHashMap();
    entry.put("code", code);
    entry.put("kind", kind);
    entry.put("text", text);
    found.add(entry);
  }
}
