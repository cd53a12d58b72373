package rollview;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;

/** The groups of rows in the driver, and what Spark's own aggregate functions make of each. */
class Groups {

  private final Local below;
  private final java.util.ArrayList groups;
  private final Expression[] values;
  private final java.util.ArrayList calls = new java.util.ArrayList();

  private Groups(Aggregate aggregate, Local below) {
    this.below = below;
    this.groups = Local.list(aggregate.groupingExpressions());
    this.values = Local.bound(groups, below.output);
    for (int at = 0; at < values.length; at++) {
      if (!Local.isTold(values[at].dataType())) throw new Elsewhere(values[at].toString());
      values[at] = NormalizeFloatingNumbers$.MODULE$.normalize(values[at]);
    }
  }

  static Local of(Aggregate aggregate, Local below) {
    return new Groups(aggregate, below).evaluated(aggregate);
  }

  private Local evaluated(Aggregate aggregate) {
    java.util.ArrayList items = Local.list(aggregate.aggregateExpressions());
    Expression[] results = new Expression[items.size()];
    Attribute[] output = new Attribute[results.length];
    String[] origins = new String[results.length];
    for (int at = 0; at < results.length; at++) {
      Expression item = (Expression) items.get(at);
      output[at] = Local.attribute(item);
      results[at] = overResults(item);
      origins[at] = below.origin(item);
    }
    java.util.LinkedHashMap found = new java.util.LinkedHashMap();
    if (groups.isEmpty()) found.put(null, started(null));
    UnsafeProjection key = groups.isEmpty() ? null : Local.key(values);
    for (int n = 0; n < below.rows.size(); n++) {
      InternalRow row = (InternalRow) below.rows.get(n);
      UnsafeRow own = key == null ? null : key.apply(row);
      Object[] group = (Object[]) found.get(own);
      if (group == null) {
        group = started(row);
        found.put(own.copy(), group);
      }
      for (int at = 0; at < calls.size(); at++) {
        ((Call) calls.get(at)).update((Object[]) group[at + 1], row);
      }
    }
    java.util.ArrayList rows = new java.util.ArrayList(found.size());
    java.util.Iterator each = found.values().iterator();
    while (each.hasNext()) {
      rows.add(Evaluator.row(results, finished((Object[]) each.next())));
    }
    return new Local(output, rows, origins);
  }

  /** The values of the group, then the state of each call. */
  private Object[] started(InternalRow row) {
    Object[] group = new Object[calls.size() + 1];
    Object[] own = new Object[values.length];
    for (int at = 0; at < own.length; at++) own[at] = values[at].eval(row);
    group[0] = own;
    for (int at = 0; at < calls.size(); at++) group[at + 1] = ((Call) calls.get(at)).started();
    return group;
  }

  private InternalRow finished(Object[] group) {
    Object[] own = (Object[]) group[0];
    Object[] cells = new Object[own.length + calls.size()];
    System.arraycopy(own, 0, cells, 0, own.length);
    for (int at = 0; at < calls.size(); at++) {
      cells[own.length + at] = ((Call) calls.get(at)).finished((Object[]) group[at + 1]);
    }
    return new GenericInternalRow(cells);
  }

  /** An output column, over the values of the group and the results of the calls. */
  private Expression overResults(Expression expression) {
    if (expression instanceof AggregateExpression) {
      AggregateExpression call = (AggregateExpression) expression;
      for (int at = 0; at < calls.size(); at++) {
        if (((Call) calls.get(at)).is.equals(call.resultId())) {
          return new BoundReference(values.length + at, call.dataType(), true);
        }
      }
      calls.add(new Call(call, below));
      return new BoundReference(values.length + calls.size() - 1, call.dataType(), true);
    }
    for (int at = 0; at < values.length; at++) {
      if (expression.semanticEquals((Expression) groups.get(at))) {
        return new BoundReference(at, expression.dataType(), true);
      }
    }
    if (expression instanceof Alias) return overResults(((Alias) expression).child());
    if (expression.children().isEmpty()) return Local.bound(expression, new Attribute[0]);
    java.util.ArrayList children = Local.list(expression.children());
    for (int at = 0; at < children.size(); at++) {
      children.set(at, overResults((Expression) children.get(at)));
    }
    return Local.bound(
        (Expression) expression.withNewChildren(Local.seq(children)), new Attribute[0]);
  }

  /** One call of an aggregate function: its state is the buffer, and what it saw if DISTINCT. */
  static class Call {

    final Object is;
    private final Expression[] initial;
    private final Expression[] updates;
    private final Expression result;
    private final Expression filter;
    private final UnsafeProjection distinct;
    private final JoinedRow both = new JoinedRow();

    Call(AggregateExpression call, Local below) {
      if (!(call.aggregateFunction() instanceof DeclarativeAggregate)) {
        throw new Elsewhere(call.toString());
      }
      DeclarativeAggregate function = (DeclarativeAggregate) call.aggregateFunction();
      is = call.resultId();
      Attribute[] buffer = Local.attributes(function.aggBufferAttributes());
      Attribute[] all = new Attribute[buffer.length + below.output.length];
      System.arraycopy(buffer, 0, all, 0, buffer.length);
      System.arraycopy(below.output, 0, all, buffer.length, below.output.length);
      initial = Local.bound(Local.list(function.initialValues()), new Attribute[0]);
      updates = Local.bound(Local.list(function.updateExpressions()), all);
      result = Local.bound(function.evaluateExpression(), buffer);
      filter =
          call.filter().isDefined()
              ? Local.bound((Expression) call.filter().get(), below.output)
              : null;
      distinct =
          call.isDistinct()
              ? Local.key(
                  Local.bound(
                      Local.list(((Expression) (Object) function).children()), below.output))
              : null;
    }

    Object[] started() {
      return new Object[] {Evaluator.row(initial, null), new java.util.HashSet()};
    }

    void update(Object[] state, InternalRow row) {
      if (filter != null && !Local.isTrue(filter, row)) return;
      if (distinct != null) {
        UnsafeRow own = distinct.apply(row);
        java.util.HashSet seen = (java.util.HashSet) state[1];
        if (seen.contains(own)) return;
        seen.add(own.copy());
      }
      state[0] = Evaluator.row(updates, both.apply((InternalRow) state[0], row));
    }

    Object finished(Object[] state) {
      return result.eval((InternalRow) state[0]);
    }
  }
}
