package rollview;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The one object that the Python side talks to. */
public class Frontend {

  /** Everything about an analyzed plan, as JSON: facts, sources, views, and the reduced plan. */
  public String describe(
      Object session, LogicalPlan analyzed, Map managed, boolean ansi, boolean withBytes)
      throws Exception {
    scala.Option active = SparkSession.getActiveSession();
    SparkSession.setActiveSession((SparkSession) session);
    try {
      Guard guard = new Guard((SparkSession) session);
      return described(analyzed, managed, ansi, withBytes, guard);
    } finally {
      if (active.isDefined()) SparkSession.setActiveSession((SparkSession) active.get());
      else SparkSession.clearActiveSession();
    }
  }

  private String described(
      LogicalPlan analyzed, Map managed, boolean ansi, boolean withBytes, Guard guard)
      throws Exception {
    Map result = new LinkedHashMap();
    Leaves leaves = new Leaves(managed, null);
    LogicalPlan opaque = leaves.rewrite(analyzed);
    result.put("facts", new Facts().of(analyzed));
    result.put("sources", leaves.sources());
    result.put("views", leaves.views());
    result.put("columns", columns(analyzed));
    if (withBytes) {
      try {
        result.put("plan", Stored.write(opaque));
      } catch (java.io.NotSerializableException problem) {
        result.put("unstorable", problem.getMessage());
      }
    }
    try {
      LogicalPlan reduced = Plans.reduce(opaque);
      result.put("relation", new Exporter(ansi, guard).plan(reduced));
    } catch (Unwritable problem) {
      result.put("unwritable", unwritable(problem.kind(), problem.getMessage()));
    } catch (Exception problem) {
      result.put("unwritable",
          unwritable(problem.getClass().getSimpleName(), String.valueOf(problem.getMessage())));
    }
    return new ObjectMapper().writeValueAsString(result);
  }

  private static Map unwritable(String kind, String text) {
    Map entry = new LinkedHashMap();
    entry.put("kind", kind);
    entry.put("text", text);
    return entry;
  }

  public static List columns(LogicalPlan plan) {
    ArrayList result = new ArrayList();
    scala.collection.Iterator it = plan.output().iterator();
    while (it.hasNext()) {
      Attribute a = (Attribute) it.next();
      if (a.metadata().contains("__metadata_col")) continue;
      Map entry = new LinkedHashMap();
      entry.put("n", a.name());
      entry.put("t", org.apache.spark.sql.catalyst.util.CharVarcharUtils
          .getRawType(a.metadata()).isDefined() ? "STRING" : a.dataType().sql());
      entry.put("u", Boolean.valueOf(a.nullable()));
      result.add(entry);
    }
    return result;
  }

  /** What a plain view of the catalog means, as it stands among the views of a description. */
  public String definitionOf(Object view) {
    return Leaves.definition((org.apache.spark.sql.catalyst.catalog.CatalogTable) view);
  }

  /** The rows of a frame as those of a view of the catalog, by whose name others know them. */
  public Object asView(Object session, Object entry, LogicalPlan analyzed) {
    return Plans.dataFrame(session,
        new org.apache.spark.sql.catalyst.plans.logical.View(
            (org.apache.spark.sql.catalyst.catalog.CatalogTable) entry, false, analyzed,
            org.apache.spark.sql.util.CaseInsensitiveStringMap.empty()));
  }

  /** Whether a parsed statement does something instead of only answering. */
  public boolean isCommand(LogicalPlan parsed) {
    String name = parsed.getClass().getName();
    return parsed instanceof org.apache.spark.sql.catalyst.plans.logical.Command
        || parsed instanceof org.apache.spark.sql.catalyst.plans.logical.ParsedStatement
        || parsed instanceof org.apache.spark.sql.catalyst.plans.logical.InsertIntoDir
        || name.endsWith("CompoundBody");
  }

  /** The analyzed plan with its leaves replaced (key to plan), as a DataFrame of the session. */
  public Object withLeaves(Object session, LogicalPlan analyzed, Map managed, Map replacements) {
    LogicalPlan opaque = new Leaves(managed, null).rewrite(analyzed);
    LogicalPlan plan = new Leaves(managed, replacements).rewrite(opaque);
    return Plans.dataFrame(session, plan);
  }

  /** The texts that did not read back as the expression they were made from, for tests. */
  public List mismatches() {
    return Guard.mismatches();
  }

  /** A plan that was serialized with placeholders as its leaves. */
  public LogicalPlan restore(String text) throws Exception {
    return Stored.read(text);
  }
}
