package rollview;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InterpretedUnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Rows in the driver, with the attributes that a plan knows them by.
 *
 * Of a column that was handed on unchanged since it was read, its origin says from which source and
 * column: what it is looked up by next, all rows of that origin will be looked up by.
 */
class Local {

  final Attribute[] output;
  final java.util.ArrayList rows;
  final String[] origins;

  Local(Attribute[] output, java.util.ArrayList rows, String[] origins) {
    this.output = output;
    this.rows = rows;
    this.origins = origins == null ? new String[output.length] : origins;
  }

  static Attribute[] attributes(scala.collection.Seq seq) {
    Attribute[] found = new Attribute[seq.size()];
    for (int at = 0; at < found.length; at++) found[at] = (Attribute) seq.apply(at);
    return found;
  }

  static java.util.ArrayList list(scala.collection.Iterable seq) {
    java.util.ArrayList found = new java.util.ArrayList();
    scala.collection.Iterator each = seq.iterator();
    while (each.hasNext()) found.add(each.next());
    return found;
  }

  static scala.collection.immutable.Seq seq(java.util.List list) {
    return CollectionConverters.asScala(list).toSeq();
  }

  /** The same rows by other attributes, in the same order. */
  Local as(Attribute[] others) {
    if (others.length != output.length) throw new Elsewhere("columns of " + others.length);
    return new Local(others, rows, origins);
  }

  /** The origin of a column that an expression hands on, or null. */
  String origin(Expression expression) {
    Expression plain = expression;
    while (plain instanceof Alias) plain = ((Alias) plain).child();
    if (!(plain instanceof AttributeReference)) return null;
    int at = position(output, (AttributeReference) plain);
    return at < 0 ? null : origins[at];
  }

  static int position(Attribute[] output, Attribute wanted) {
    for (int at = 0; at < output.length; at++) {
      if (output[at].exprId().equals(wanted.exprId())) return at;
    }
    return -1;
  }

  /** The expression over rows of these attributes; whatever cannot be evaluated is refused. */
  static Expression bound(Expression expression, Attribute[] input) {
    if (expression instanceof AttributeReference) {
      int at = position(input, (AttributeReference) expression);
      if (at < 0) throw new Elsewhere(expression.toString());
      return new BoundReference(at, expression.dataType(), true);
    }
    if (expression instanceof Alias) return bound(((Alias) expression).child(), input);
    if (expression instanceof PlanExpression
        || expression instanceof Unevaluable
        || expression instanceof org.apache.spark.sql.catalyst.expressions.Nondeterministic) {
      throw new Elsewhere(expression.toString());
    }
    if (expression.children().isEmpty()) return expression;
    java.util.ArrayList children = list(expression.children());
    for (int at = 0; at < children.size(); at++) {
      children.set(at, bound((Expression) children.get(at), input));
    }
    return (Expression) expression.withNewChildren(seq(children));
  }

  static Expression[] bound(java.util.List expressions, Attribute[] input) {
    Expression[] found = new Expression[expressions.size()];
    for (int at = 0; at < found.length; at++) {
      found[at] = bound((Expression) expressions.get(at), input);
    }
    return found;
  }

  /** Whether an expression is over these attributes alone, and over at least one. */
  static boolean isOver(Expression expression, Attribute[] input) {
    java.util.ArrayList used = list(expression.references());
    for (int at = 0; at < used.size(); at++) {
      if (position(input, (Attribute) used.get(at)) < 0) return false;
    }
    return !used.isEmpty();
  }

  /** Bytes that are equal for equal values, as Spark's own hash tables have them. */
  static UnsafeProjection key(Expression[] bound) {
    java.util.ArrayList normal = new java.util.ArrayList(bound.length);
    for (int at = 0; at < bound.length; at++) {
      if (!isTold(bound[at].dataType())) throw new Elsewhere(bound[at].toString());
      normal.add(NormalizeFloatingNumbers$.MODULE$.normalize(bound[at]));
    }
    return InterpretedUnsafeProjection.createProjection(seq(normal));
  }

  /** Whether values of a type are equal if their bytes are. */
  static boolean isTold(DataType type) {
    return UnsafeRowUtils.isBinaryStable(type) && !type.existsRecursively(new IsMap());
  }

  static Object cell(InternalRow row, int at, DataType type) {
    return row.isNullAt(at) ? null : row.get(at, type);
  }

  static boolean isTrue(Expression bound, InternalRow row) {
    return Boolean.TRUE.equals(bound.eval(row));
  }

  static Attribute attribute(Object named) {
    return ((NamedExpression) named).toAttribute();
  }

  /** Maps have no order of their entries. */
  public static class IsMap extends scala.runtime.AbstractFunction1 {
    public Object apply(Object type) {
      return Boolean.valueOf(type instanceof MapType);
    }
  }
}
