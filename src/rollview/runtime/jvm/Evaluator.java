package rollview;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.CollectionGenerator;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Generator;
import org.apache.spark.sql.catalyst.expressions.InterpretedOrdering;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.optimizer.InlineCTE;
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions$;
import org.apache.spark.sql.catalyst.optimizer.RewriteWithExpression$;
import org.apache.spark.sql.catalyst.plans.ExistenceJoin;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Distinct;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.ResolvedHint;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataType;

/**
 * A plan over held rows, evaluated in the driver: no job, no shuffle, no generated code.
 *
 * Expressions are Spark's own. Where such rows meet those of a table in a join, the table is looked
 * up by the keys at hand. What it does not know, it leaves to Spark, as a whole.
 */
class Evaluator {

  private static final long PAIRS = 4000000L;

  private final SparkSession session;
  private final java.util.Map known;
  private final int many;
  private final java.util.IdentityHashMap replaced = new java.util.IdentityHashMap();

  private Evaluator(SparkSession session, java.util.Map known, int many) {
    this.session = session;
    this.known = known;
    this.many = many;
  }

  /** The rows of an analyzed plan; null if that takes Spark. */
  static Local evaluated(SparkSession session, LogicalPlan plan, java.util.Map known, int many)
      throws Exception {
    LogicalPlan plain = (LogicalPlan) new InlineCTE(true, false).apply(plan);
    plain = (LogicalPlan) ReplaceExpressions$.MODULE$.apply(plain);
    plain = (LogicalPlan) RewriteWithExpression$.MODULE$.apply(plain);
    try {
      return new Evaluator(session, known, many).local(plain);
    } catch (Elsewhere elsewhere) {
      return null;
    }
  }

  /** The rows of a part of the plan; null if they are in a table. */
  private Local local(LogicalPlan plan) throws Exception {
    Local instead = (Local) replaced.get(plan);
    if (instead != null) return instead;
    if (plan instanceof View) return view((View) plan);
    if (plan instanceof LocalRelation) {
      return new Local(output(plan), Local.list(((LocalRelation) plan).data()), null);
    }
    if (plan instanceof OneRowRelation) {
      java.util.ArrayList one = new java.util.ArrayList();
      one.add(new GenericInternalRow(new Object[0]));
      return new Local(new Attribute[0], one, null);
    }
    if (plan instanceof Join) return joined((Join) plan);
    if (plan instanceof Union) return united((Union) plan);
    if (plan.children().size() != 1) return null;
    Local below = local((LogicalPlan) plan.children().apply(0));
    if (below == null) return null;
    if (plan instanceof SubqueryAlias || plan instanceof ResolvedHint
        || plan instanceof LocalLimit) {
      return below;
    }
    if (plan instanceof Project) return projected(((Project) plan).projectList(), below);
    if (plan instanceof Filter) return filtered(((Filter) plan).condition(), below);
    if (plan instanceof Distinct) return distinct(below);
    if (plan instanceof Aggregate) return Groups.of((Aggregate) plan, below);
    if (plan instanceof Generate) return generated((Generate) plan, below);
    if (plan instanceof Expand) return expanded((Expand) plan, below);
    if (plan instanceof Sort) return sorted((Sort) plan, below);
    if (plan instanceof GlobalLimit) return limited((GlobalLimit) plan, below);
    throw new Elsewhere(plan.nodeName());
  }

  private static Attribute[] output(LogicalPlan plan) {
    return Local.attributes(plan.output());
  }

  private Local view(View view) throws Exception {
    Object found = known.get(view.desc().identifier().table());
    if (found instanceof Lookup) return null;
    if (found instanceof Held && ((Held) found).values() != null) {
      Held held = (Held) found;
      return new Local(output(view), Local.list(held.values()), held.origins());
    }
    Local below = found == null ? local(view.child()) : null;
    return below == null ? null : below.as(output(view));
  }

  private static Local projected(scala.collection.immutable.Seq items, Local below) {
    java.util.ArrayList list = Local.list(items);
    Expression[] bound = Local.bound(list, below.output);
    Attribute[] output = new Attribute[bound.length];
    String[] origins = new String[bound.length];
    for (int at = 0; at < bound.length; at++) {
      output[at] = Local.attribute(list.get(at));
      origins[at] = below.origin((Expression) list.get(at));
    }
    java.util.ArrayList rows = new java.util.ArrayList(below.rows.size());
    for (int n = 0; n < below.rows.size(); n++) {
      rows.add(row(bound, (InternalRow) below.rows.get(n)));
    }
    return new Local(output, rows, origins);
  }

  static InternalRow row(Expression[] bound, InternalRow input) {
    Object[] cells = new Object[bound.length];
    for (int at = 0; at < cells.length; at++) cells[at] = bound[at].eval(input);
    return new GenericInternalRow(cells);
  }

  private static Local filtered(Expression condition, Local below) {
    Expression bound = Local.bound(condition, below.output);
    java.util.ArrayList rows = new java.util.ArrayList();
    for (int n = 0; n < below.rows.size(); n++) {
      InternalRow row = (InternalRow) below.rows.get(n);
      if (Local.isTrue(bound, row)) rows.add(row);
    }
    return new Local(below.output, rows, below.origins);
  }

  private static Local distinct(Local below) {
    UnsafeProjection key =
        Local.key(Local.bound(java.util.Arrays.asList((Object[]) below.output), below.output));
    java.util.HashSet seen = new java.util.HashSet();
    java.util.ArrayList rows = new java.util.ArrayList();
    for (int n = 0; n < below.rows.size(); n++) {
      UnsafeRow row = key.apply((InternalRow) below.rows.get(n));
      if (seen.contains(row)) continue;
      UnsafeRow own = row.copy();
      seen.add(own);
      rows.add(own);
    }
    return new Local(below.output, rows, below.origins);
  }

  private Local united(Union union) throws Exception {
    if (union.byName()) throw new Elsewhere("UNION BY NAME");
    Local[] parts = new Local[union.children().size()];
    int there = 0;
    for (int at = 0; at < parts.length; at++) {
      parts[at] = local((LogicalPlan) union.children().apply(at));
      if (parts[at] != null) there++;
    }
    if (there == 0) return null;
    if (there < parts.length) throw new Elsewhere("a union with a table");
    Attribute[] output = output(union);
    String[] origins = (String[]) parts[0].origins.clone();
    java.util.ArrayList rows = new java.util.ArrayList();
    for (int n = 0; n < parts.length; n++) {
      for (int at = 0; at < output.length; at++) {
        if (!output[at].dataType().equals(parts[n].output[at].dataType())) {
          throw new Elsewhere("a union of types");
        }
        if (origins[at] != null && !origins[at].equals(parts[n].origins[at])) origins[at] = null;
      }
      rows.addAll(parts[n].rows);
    }
    return new Local(output, rows, origins);
  }

  private static Local generated(Generate generate, Local below) {
    Generator generator = generate.generator();
    if (!(generator instanceof CollectionGenerator)) throw new Elsewhere(generator.toString());
    java.util.ArrayList kept = Local.list(generate.requiredChildOutput());
    Expression[] bound = Local.bound(kept, below.output);
    Generator own = (Generator) Local.bound((Expression) generator, below.output);
    int width = generate.generatorOutput().size();
    java.util.ArrayList rows = new java.util.ArrayList();
    for (int n = 0; n < below.rows.size(); n++) {
      InternalRow row = (InternalRow) below.rows.get(n);
      scala.collection.Iterator made =
          ((scala.collection.IterableOnce) own.eval(row)).iterator();
      if (!made.hasNext() && generate.outer()) {
        rows.add(beside(bound, row, null, null, width));
      }
      while (made.hasNext()) {
        InternalRow one = (InternalRow) made.next();
        rows.add(beside(bound, row, one, generate.generatorOutput(), width));
      }
    }
    Attribute[] output = output(generate);
    String[] origins = new String[output.length];
    for (int at = 0; at < bound.length; at++) {
      origins[at] = below.origin((Expression) kept.get(at));
    }
    return new Local(output, rows, origins);
  }

  private static InternalRow beside(
      Expression[] bound, InternalRow row, InternalRow made, scala.collection.Seq types,
      int width) {
    Object[] cells = new Object[bound.length + width];
    for (int at = 0; at < bound.length; at++) cells[at] = bound[at].eval(row);
    for (int at = 0; made != null && at < width; at++) {
      DataType type = ((Attribute) types.apply(at)).dataType();
      cells[bound.length + at] = Local.cell(made, at, type);
    }
    return new GenericInternalRow(cells);
  }

  private static Local expanded(Expand expand, Local below) {
    java.util.ArrayList rows = new java.util.ArrayList();
    java.util.ArrayList projections = Local.list(expand.projections());
    for (int n = 0; n < projections.size(); n++) {
      Expression[] bound =
          Local.bound(Local.list((scala.collection.Iterable) projections.get(n)), below.output);
      for (int at = 0; at < below.rows.size(); at++) {
        rows.add(row(bound, (InternalRow) below.rows.get(at)));
      }
    }
    return new Local(output(expand), rows, null);
  }

  private static Local sorted(Sort sort, Local below) {
    java.util.ArrayList order = Local.list(sort.order());
    for (int at = 0; at < order.size(); at++) {
      SortOrder one = (SortOrder) order.get(at);
      Expression child = Local.bound(one.child(), below.output);
      scala.collection.immutable.Seq none = Local.seq(new java.util.ArrayList());
      order.set(at, new SortOrder(child, one.direction(), one.nullOrdering(), none));
    }
    java.util.ArrayList rows = new java.util.ArrayList(below.rows);
    java.util.Collections.sort(rows, new InterpretedOrdering(Local.seq(order)));
    return new Local(below.output, rows, below.origins);
  }

  private static Local limited(GlobalLimit limit, Local below) {
    Object wanted = Local.bound(limit.limitExpr(), new Attribute[0]).eval(null);
    int size = Math.min(below.rows.size(), ((Integer) wanted).intValue());
    java.util.ArrayList rows = new java.util.ArrayList(below.rows.subList(0, size));
    return new Local(below.output, rows, below.origins);
  }

  private Local joined(Join join) throws Exception {
    Local left = local(join.left());
    Local right = local(join.right());
    if (left == null && right == null) return null;
    Condition on = new Condition(join, output(join.left()), output(join.right()));
    String kind = join.joinType().toString();
    if (left == null) {
      if (!kind.equals("Inner") && !kind.equals("LeftSemi") && !kind.equals("RightOuter")) {
        throw new Elsewhere("all rows of a table");
      }
      left = fetched(join.left(), on.left, on.keys(right, on.right), on.origins(right, on.right));
    }
    if (right == null) {
      if (kind.equals("RightOuter") || kind.equals("FullOuter")) {
        throw new Elsewhere("all rows of a table");
      }
      right = fetched(join.right(), on.right, on.keys(left, on.left), on.origins(left, on.left));
    }
    if (on.left.isEmpty() && (long) left.rows.size() * right.rows.size() > PAIRS) {
      throw new Elsewhere("many pairs of rows");
    }
    return Pairs.of(join, on, left, right);
  }

  /** The rows of a part of the plan that some of its expressions have these keys in. */
  private Local fetched(
      LogicalPlan plan, java.util.ArrayList on, java.util.Collection keys, String[] origins)
      throws Exception {
    if (on.isEmpty()) throw new Elsewhere("all rows of a table");
    if (keys.isEmpty()) {
      return new Local(output(plan), new java.util.ArrayList(), null);
    }
    View leaf = leaf(plan);
    if (leaf != null) {
      Lookup lookup = (Lookup) known.get(leaf.desc().identifier().table());
      int[] positions = positions(plan, leaf, on);
      if (lookup != null && positions != null && lookup.width() == leaf.output().size()) {
        java.util.ArrayList rows = lookup.rows(positions, keys, origins);
        replaced.put(leaf, new Local(output(leaf), rows, lookup.origins()));
        try {
          return local(plan);
        } finally {
          replaced.remove(leaf);
        }
      }
    }
    Expression[] columns = new Expression[on.size()];
    for (int at = 0; at < columns.length; at++) columns[at] = (Expression) on.get(at);
    java.util.ArrayList rows = Lookup.fetched(session, plan, columns, keys, many);
    if (rows == null) throw new Elsewhere("many rows");
    return new Local(output(plan), rows, null);
  }

  /** The table that a part of the plan only picks from; null if there is more to it. */
  private View leaf(LogicalPlan plan) {
    LogicalPlan part = plan;
    while (true) {
      if (part instanceof View && known.get(((View) part).desc().identifier().table()) != null) {
        return (View) part;
      }
      boolean picks =
          part instanceof Project || part instanceof Filter || part instanceof SubqueryAlias
              || part instanceof ResolvedHint || part instanceof View;
      if (!picks) return null;
      part = (LogicalPlan) part.children().apply(0);
    }
  }

  /** Which columns of the leaf some expressions over the plan are; null if one is none. */
  private static int[] positions(LogicalPlan plan, View leaf, java.util.List on) {
    int[] found = new int[on.size()];
    for (int at = 0; at < found.length; at++) {
      Attribute column = column(plan, leaf, (Expression) on.get(at));
      found[at] = column == null ? -1 : Local.position(output(leaf), column);
      if (found[at] < 0) return null;
      for (int other = 0; other < at; other++) {
        if (found[other] == found[at]) return null;
      }
    }
    return found;
  }

  private static Attribute column(LogicalPlan plan, View leaf, Expression expression) {
    LogicalPlan part = plan;
    Expression sought = expression;
    while (sought instanceof AttributeReference && part != leaf) {
      if (part instanceof Project) {
        java.util.ArrayList items = Local.list(((Project) part).projectList());
        Expression below = null;
        for (int at = 0; at < items.size(); at++) {
          Attribute item = Local.attribute(items.get(at));
          if (item.exprId().equals(((Attribute) sought).exprId())) {
            below = (Expression) items.get(at);
          }
        }
        while (below instanceof Alias) below = ((Alias) below).child();
        sought = below;
      }
      part = (LogicalPlan) part.children().apply(0);
    }
    return sought instanceof AttributeReference ? (Attribute) sought : null;
  }

  /** What a join compares: pairs of expressions that must be equal, and the rest. */
  static class Condition {

    final java.util.ArrayList left = new java.util.ArrayList();
    final java.util.ArrayList right = new java.util.ArrayList();
    final java.util.ArrayList nullSafe = new java.util.ArrayList();
    Expression rest;

    Condition(Join join, Attribute[] ofLeft, Attribute[] ofRight) {
      if (join.condition().isDefined()) {
        split((Expression) join.condition().get(), ofLeft, ofRight);
      }
    }

    private void split(Expression condition, Attribute[] ofLeft, Attribute[] ofRight) {
      if (condition instanceof And) {
        split(((And) condition).left(), ofLeft, ofRight);
        split(((And) condition).right(), ofLeft, ofRight);
        return;
      }
      if (condition instanceof EqualTo || condition instanceof EqualNullSafe) {
        Expression one = (Expression) condition.children().apply(0);
        Expression two = (Expression) condition.children().apply(1);
        boolean straight = Local.isOver(one, ofLeft) && Local.isOver(two, ofRight);
        boolean crossed = Local.isOver(one, ofRight) && Local.isOver(two, ofLeft);
        if ((straight || crossed) && Local.isTold(one.dataType())) {
          left.add(straight ? one : two);
          right.add(straight ? two : one);
          nullSafe.add(Boolean.valueOf(condition instanceof EqualNullSafe));
          return;
        }
      }
      rest = rest == null ? condition : new And(rest, condition);
    }

    /** Whether a row with this key finds no other: a NULL that is compared by =. */
    boolean isLost(UnsafeRow key) {
      for (int at = 0; at < nullSafe.size(); at++) {
        if (key.isNullAt(at) && !((Boolean) nullSafe.get(at)).booleanValue()) return true;
      }
      return false;
    }

    UnsafeProjection key(Local side, java.util.List expressions) {
      return Local.key(Local.bound(expressions, side.output));
    }

    java.util.Collection keys(Local side, java.util.List expressions) {
      java.util.LinkedHashSet keys = new java.util.LinkedHashSet();
      if (expressions.isEmpty()) return keys;
      UnsafeProjection key = key(side, expressions);
      for (int n = 0; n < side.rows.size(); n++) {
        UnsafeRow one = key.apply((InternalRow) side.rows.get(n));
        if (!isLost(one) && !keys.contains(one)) keys.add(one.copy());
      }
      return keys;
    }

    String[] origins(Local side, java.util.List expressions) {
      String[] found = new String[expressions.size()];
      for (int at = 0; at < found.length; at++) {
        found[at] = side.origin((Expression) expressions.get(at));
      }
      return found;
    }
  }

  /** The rows of both sides of a join, by a hash table of the right one. */
  static class Pairs {

    private final Local left;
    private final Local right;
    private final Condition on;
    private final Expression rest;
    private final java.util.ArrayList rows = new java.util.ArrayList();

    private Pairs(Join join, Condition on, Local left, Local right) {
      this.left = left;
      this.right = right;
      this.on = on;
      this.rest = on.rest == null ? null : Local.bound(on.rest, both());
    }

    private Attribute[] both() {
      Attribute[] both = new Attribute[left.output.length + right.output.length];
      System.arraycopy(left.output, 0, both, 0, left.output.length);
      System.arraycopy(right.output, 0, both, left.output.length, right.output.length);
      return both;
    }

    static Local of(Join join, Condition on, Local left, Local right) {
      return new Pairs(join, on, left, right).joined(join);
    }

    private Local joined(Join join) {
      String kind = join.joinType().toString();
      boolean one = kind.equals("LeftSemi") || kind.equals("LeftAnti");
      boolean inner = kind.equals("Inner") || kind.equals("Cross");
      boolean keepsLeft = kind.equals("LeftOuter") || kind.equals("FullOuter");
      boolean keepsRight = kind.equals("RightOuter") || kind.equals("FullOuter");
      boolean marks = join.joinType() instanceof ExistenceJoin;
      if (!one && !inner && !keepsLeft && !keepsRight && !marks) throw new Elsewhere(kind);
      java.util.HashMap table = table();
      boolean[] met = new boolean[right.rows.size()];
      UnsafeProjection key = on.left.isEmpty() ? null : on.key(left, on.left);
      JoinedRow both = new JoinedRow();
      for (int n = 0; n < left.rows.size(); n++) {
        InternalRow row = (InternalRow) left.rows.get(n);
        boolean matches = false;
        java.util.ArrayList others = others(table, key, row);
        for (int m = 0; others != null && m < others.size(); m++) {
          int at = ((Integer) others.get(m)).intValue();
          InternalRow other = (InternalRow) right.rows.get(at);
          if (rest != null && !Local.isTrue(rest, both.apply(row, other))) continue;
          matches = true;
          if (one || marks) break;
          met[at] = true;
          rows.add(pair(row, other));
        }
        if (one && matches == kind.equals("LeftSemi")) rows.add(row);
        if (marks) rows.add(marked(row, matches));
        if (keepsLeft && !matches) rows.add(pair(row, null));
      }
      for (int at = 0; keepsRight && at < met.length; at++) {
        if (!met[at]) rows.add(pair(null, (InternalRow) right.rows.get(at)));
      }
      if (one) return new Local(left.output, rows, left.origins);
      if (marks) return new Local(output(join), rows, null);
      String[] origins = new String[left.output.length + right.output.length];
      System.arraycopy(left.origins, 0, origins, 0, left.origins.length);
      System.arraycopy(right.origins, 0, origins, left.origins.length, right.origins.length);
      return new Local(output(join), rows, origins);
    }

    private java.util.HashMap table() {
      java.util.HashMap table = new java.util.HashMap();
      java.util.ArrayList all = new java.util.ArrayList();
      UnsafeProjection key = on.right.isEmpty() ? null : on.key(right, on.right);
      if (key == null) table.put(null, all);
      for (int at = 0; at < right.rows.size(); at++) {
        java.util.ArrayList same = all;
        if (key != null) {
          UnsafeRow own = key.apply((InternalRow) right.rows.get(at));
          if (on.isLost(own)) continue;
          same = (java.util.ArrayList) table.get(own);
          if (same == null) {
            same = new java.util.ArrayList(2);
            table.put(own.copy(), same);
          }
        }
        same.add(Integer.valueOf(at));
      }
      return table;
    }

    private java.util.ArrayList others(
        java.util.HashMap table, UnsafeProjection key, InternalRow row) {
      if (key == null) return (java.util.ArrayList) table.get(null);
      UnsafeRow own = key.apply(row);
      return on.isLost(own) ? null : (java.util.ArrayList) table.get(own);
    }

    private InternalRow marked(InternalRow row, boolean mark) {
      int width = left.output.length;
      Object[] cells = new Object[width + 1];
      for (int at = 0; at < width; at++) {
        cells[at] = Local.cell(row, at, left.output[at].dataType());
      }
      cells[width] = Boolean.valueOf(mark);
      return new GenericInternalRow(cells);
    }

    private InternalRow pair(InternalRow one, InternalRow two) {
      int width = left.output.length;
      Object[] cells = new Object[width + right.output.length];
      for (int at = 0; one != null && at < width; at++) {
        cells[at] = Local.cell(one, at, left.output[at].dataType());
      }
      for (int at = width; two != null && at < cells.length; at++) {
        cells[at] = Local.cell(two, at - width, right.output[at - width].dataType());
      }
      return new GenericInternalRow(cells);
    }
  }
}
