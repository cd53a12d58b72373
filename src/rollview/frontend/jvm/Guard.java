package rollview;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.Metadata;

/**
 * Reads the text of every expression back and compares: an argument that the text does not carry
 * (an option, a flag of the class) must never be lost silently. Answers are remembered, as the
 * same few templates come up again and again.
 */
public class Guard {
  private static final Map KNOWN = new ConcurrentHashMap();
  private static final java.util.UUID OURS = new java.util.UUID(7L, 7L);

  /** What is written in another form on purpose. */
  private static final Set REWRITTEN = new HashSet(Arrays.asList(new String[] {
    "PivotFirst", "AtLeastNNonNulls", "PreciseTimestampConversion", "TryEval", "TypedNullLiteral",
    "LambdaFunction", "NamedLambdaVariable", "SecondWithFraction", "Lag", "Lead", "NthValue",
    "Collate", "ArraysZip"}));

  private final SparkSession session;

  public Guard(SparkSession session) {
    this.session = session;
  }

  /** Throws Unwritable if the pieces do not read back as the expression they were made from. */
  public void check(Expression e, List pieces, boolean distinct) {
    String kind = e.getClass().getSimpleName();
    if (REWRITTEN.contains(kind) || !e.deterministic() || e instanceof WindowFunction
        || e instanceof HigherOrderFunction || e instanceof Generator || !e.resolved()) return;
    ArrayList holes = new ArrayList();
    ArrayList children = new ArrayList();
    ArrayList names = new ArrayList();
    for (int i = 0; i < e.children().size(); i++) {
      Expression child = (Expression) e.children().apply(i);
      if (child instanceof SortOrder || child instanceof LambdaFunction
          || child instanceof SubqueryExpression || hasUserType(child)) return;
      boolean inline = child instanceof Literal && !isCollated(child);
      Expression stand = inline ? child : hole(child, i);
      if (!inline) holes.add(stand);
      children.add(stand);
      names.add(inline ? Texts.literal((Literal) child) : "h" + i);
    }
    Expression marked =
        children.isEmpty() ? e : (Expression) e.withNewChildren(Plans.seq(children));
    String text = written(e, pieces, names);
    Expression wanted = (Expression) marked.canonicalized();
    Object key = Arrays.asList(new Object[] {text, wanted, Boolean.valueOf(distinct),
        settings()});
    Object known = KNOWN.get(key);
    if (known == null) {
      known = compare(marked, wanted, text, holes, distinct);
      KNOWN.put(key, known);
    }
    if (!"".equals(known)) throw new Unwritable(kind, e.sql());
  }

  /** Whether the text of a constant that stands alone reads back as its value. */
  public boolean reads(Literal e, String text) {
    if (e.value() == null || !(e.dataType() instanceof org.apache.spark.sql.types.AtomicType)) {
      return true;
    }
    Object key = Arrays.asList(new Object[] {text, e, settings()});
    Object known = KNOWN.get(key);
    if (known == null) {
      known = compareValue(e, text);
      KNOWN.put(key, known);
    }
    return "".equals(known);
  }

  private String compareValue(Literal e, String text) {
    Expression found;
    try {
      found = read(text, new ArrayList(), false);
    } catch (Exception problem) {
      return String.valueOf(problem.getMessage());
    }
    if (!found.dataType().equals(e.dataType())) return found + " is not " + e;
    try {
      return new Literal(found.eval(null), e.dataType()).equals(e) ? "" : found + " is not " + e;
    } catch (Exception problem) { // what another expression replaces later cannot be evaluated
      return "";
    }
  }

  /** What a text may mean another thing under. */
  private String settings() {
    org.apache.spark.sql.internal.SQLConf conf = session.sessionState().conf();
    return conf.ansiEnabled() + " " + conf.sessionLocalTimeZone() + " " + conf.timestampType() + " "
        + conf.escapedStringLiterals() + " " + conf.doubleQuotedIdentifiers();
  }

  private static boolean isCollated(Expression e) {
    return e.dataType().typeName().startsWith("string collate ");
  }

  private static boolean hasUserType(Expression e) {
    return e.dataType() instanceof org.apache.spark.sql.types.UserDefinedType;
  }

  private static Expression hole(Expression child, int index) {
    return new AttributeReference("h" + index, child.dataType(), child.nullable(),
        Metadata.empty(), new ExprId(index, OURS), Plans.seq(new ArrayList()));
  }

  private static String written(Expression e, List pieces, List names) {
    StringBuilder text = new StringBuilder();
    boolean[] used = new boolean[e.children().size()];
    for (int i = 0; i < pieces.size(); i++) {
      Object piece = pieces.get(i);
      if (piece instanceof String) {
        text.append((String) piece);
        continue;
      }
      int index = -1;
      for (int c = 0; c < e.children().size(); c++) {
        if (e.children().apply(c) == piece && (index < 0 || used[index])) index = c;
      }
      used[index] = true;
      text.append((String) names.get(index));
    }
    return text.toString();
  }

  private String compare(
      Expression marked, Expression wanted, String text, List holes, boolean distinct) {
    Expression found;
    try {
      found = read(text, holes, marked instanceof AggregateFunction);
    } catch (Exception problem) {
      return String.valueOf(problem.getMessage());
    }
    if (marked instanceof AggregateFunction) {
      if (!(found instanceof AggregateExpression)) return "not an aggregate";
      AggregateExpression aggregate = (AggregateExpression) found;
      if (aggregate.isDistinct() != distinct) return "DISTINCT is lost";
      found = (Expression) aggregate.aggregateFunction();
    }
    Object read = found.canonicalized();
    boolean same = read.equals(wanted) || folded(found).equals(folded(marked));
    return same ? "" : read + " is not " + wanted;
  }

  private Expression read(String text, List holes, boolean aggregate) throws Exception {
    Expression parsed = session.sessionState().sqlParser().parseExpression(text);
    ArrayList items = new ArrayList();
    items.add(new Alias(parsed, "x", NamedExpression$.MODULE$.newExprId(),
        Plans.seq(new ArrayList()), scala.None$.MODULE$, Plans.seq(new ArrayList())));
    LogicalPlan input = new LocalRelation(Plans.seq(holes), Plans.seq(new ArrayList()), false,
        scala.None$.MODULE$);
    LogicalPlan plan = aggregate
        ? (LogicalPlan) new Aggregate(Plans.seq(new ArrayList()), Plans.seq(items), input,
            scala.None$.MODULE$)
        : (LogicalPlan) new Project(Plans.seq(items), input);
    LogicalPlan analyzed = (LogicalPlan) session.sessionState().analyzer().execute(plan);
    Expression top = (Expression) analyzed.expressions().apply(0);
    return top instanceof Alias ? ((Alias) top).child() : top;
  }

  private static Object folded(Expression e) {
    return ((Expression) e.transformUp(new Folding())).canonicalized();
  }

  /** A constant is read back as a cast of a constant; a cast to the same type is none. */
  public static class Folding extends scala.runtime.AbstractPartialFunction {
    public boolean isDefinedAt(Object node) {
      if (!(node instanceof Cast)) return false;
      Expression child = ((Cast) node).child();
      return child instanceof Literal || child.dataType().equals(((Cast) node).dataType());
    }

    public Object applyOrElse(Object node, scala.Function1 otherwise) {
      if (!isDefinedAt(node)) return otherwise.apply(node);
      Cast cast = (Cast) node;
      if (!(cast.child() instanceof Literal)) return cast.child();
      return new Literal(cast.eval(null), cast.dataType());
    }
  }

  /** Every mismatch found so far, for tests. */
  public static List mismatches() {
    ArrayList result = new ArrayList();
    java.util.Iterator it = KNOWN.entrySet().iterator();
    while (it.hasNext()) {
      Map.Entry entry = (Map.Entry) it.next();
      if (!"".equals(entry.getValue())) result.add(entry.getKey() + " => " + entry.getValue());
    }
    return result;
  }
}
