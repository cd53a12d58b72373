package rollview;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.optimizer.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * Reduces an analyzed plan to few operators, by those of Spark's own rules that are rewrites of
 * syntax (subqueries, CTEs, views) and that neither fold the clock nor look into sources.
 */
public class Plans {
  private static final int MOST_ROUNDS = 25;

  /** Rules of which every name exists in all supported versions are named directly. */
  private static LogicalPlan finish(LogicalPlan plan) {
    plan = EliminateResolvedHint$.MODULE$.apply(plan);
    plan = org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases$.MODULE$.apply(plan);
    plan = optional("org.apache.spark.sql.catalyst.expressions.EliminatePipeOperators$", plan);
    plan = org.apache.spark.sql.catalyst.analysis.EliminateView$.MODULE$.apply(plan);
    plan = EliminateSQLFunctionNode$.MODULE$.apply(plan);
    plan = RewriteNonCorrelatedExists$.MODULE$.apply(plan);
    plan = PullOutGroupingExpressions$.MODULE$.apply(plan);
    plan = RewriteAsOfJoin$.MODULE$.apply(plan);
    plan = EvalInlineTables$.MODULE$.apply(plan);
    plan = ReplaceTranspose$.MODULE$.apply(plan);
    return inSubqueries(plan, true);
  }

  public static LogicalPlan reduce(LogicalPlan plan) {
    plan = finish(plan);
    plan = new InlineCTE(true, false).apply(plan);
    return rewrite(plan);
  }

  private static LogicalPlan rewrite(LogicalPlan plan) {
    plan = OptimizeOneRowRelationSubquery$.MODULE$.apply(plan);
    plan = PullOutNestedDataOuterRefExpressions$.MODULE$.apply(plan);
    plan = PullupCorrelatedPredicates$.MODULE$.apply(plan);
    plan = inSubqueries(plan, false);
    plan = OptimizeOneRowRelationSubquery$.MODULE$.apply(plan);
    plan = ReplaceDeduplicateWithAggregate$.MODULE$.apply(plan);
    plan = simplify(plan);
    plan = RewritePredicateSubquery$.MODULE$.apply(plan);
    plan = simplify(plan);
    return withNullability(ReplaceUpdateFieldsExpression$.MODULE$.apply(plan));
  }

  /** References to what a join, which a rule made, may leave NULL are still as they were before. */
  private static LogicalPlan withNullability(LogicalPlan plan) {
    return org.apache.spark.sql.catalyst.analysis.UpdateAttributeNullability$.MODULE$.apply(plan);
  }

  private static LogicalPlan simplify(LogicalPlan plan) {
    for (int round = 0; round < MOST_ROUNDS; round++) {
      LogicalPlan before = plan;
      plan = RewriteCorrelatedScalarSubquery$.MODULE$.apply(plan);
      plan = RewriteLateralSubquery$.MODULE$.apply(plan);
      plan = withNullability(plan);
      plan = ReorderJoin$.MODULE$.apply(plan);
      plan = EliminateLimits$.MODULE$.apply(plan);
      plan = BooleanSimplification$.MODULE$.apply(plan);
      plan = EliminateOuterJoin$.MODULE$.apply(plan);
      plan = PushDownPredicates$.MODULE$.apply(plan);
      plan = ColumnPruning$.MODULE$.apply(plan);
      plan = CollapseProject$.MODULE$.apply(plan);
      plan = RemoveNoopOperators$.MODULE$.apply(plan);
      if (plan.fastEquals(before)) return plan;
    }
    return plan;
  }

  private static LogicalPlan optional(String rule, LogicalPlan plan) {
    try {
      Class found = Class.forName(rule, true, plan.getClass().getClassLoader());
      return (LogicalPlan) ((Rule) found.getField("MODULE$").get(null)).apply(plan);
    } catch (ClassNotFoundException e) {
      return plan;
    } catch (NoSuchFieldException e) {
      return plan;
    } catch (IllegalAccessException e) {
      return plan;
    }
  }

  private static LogicalPlan inSubqueries(LogicalPlan plan, boolean finishing) {
    return (LogicalPlan) plan.transformAllExpressions(new InSubqueries(finishing));
  }

  /** Applies a reduction to the plan inside each subquery expression. */
  public static class InSubqueries extends scala.runtime.AbstractPartialFunction {
    private final boolean finishing;

    public InSubqueries(boolean finishing) {
      this.finishing = finishing;
    }

    public boolean isDefinedAt(Object node) {
      return node instanceof SubqueryExpression;
    }

    public Object applyOrElse(Object node, scala.Function1 otherwise) {
      if (!isDefinedAt(node)) return otherwise.apply(node);
      SubqueryExpression subquery = (SubqueryExpression) node;
      LogicalPlan inner = (LogicalPlan) subquery.plan();
      return subquery.withNewPlan(finishing ? finish(inner) : rewrite(inner));
    }
  }

  /** A Scala sequence of the items of a Java list. */
  public static scala.collection.immutable.Seq seq(List items) {
    return scala.jdk.javaapi.CollectionConverters.asScala(items).toSeq();
  }

  /** A DataFrame of an analyzed plan. */
  public static Object dataFrame(Object session, LogicalPlan plan) {
    return org.apache.spark.sql.classic.Dataset$.MODULE$.ofRows(
        (org.apache.spark.sql.classic.SparkSession) session, plan);
  }
}
