package rollview;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** Finds what an analyzed plan reads, and puts placeholders or other plans in its place. */
public class Leaves extends scala.runtime.AbstractPartialFunction {
  private final Map managed;
  private final Map replacements;
  private final LinkedHashMap sources = new LinkedHashMap();
  private final LinkedHashMap views = new LinkedHashMap();

  /** With replacements (key to plan) leaves become those plans; without, they become placeholders. */
  public Leaves(Map managed, Map replacements) {
    this.managed = managed;
    this.replacements = replacements;
  }

  /** Placeholders go in from the top, as a view hides its leaves; plans from the bottom, once. */
  public LogicalPlan rewrite(LogicalPlan plan) {
    return replacements == null ? (LogicalPlan) plan.transformDownWithSubqueries(this)
        : (LogicalPlan) plan.transformUpWithSubqueries(this);
  }

  /** The sources found, as maps, in the order of their first appearance. */
  public List sources() {
    return new ArrayList(sources.values());
  }

  /** The plain views found: name, text, whether temporary. */
  public List views() {
    return new ArrayList(views.values());
  }

  public boolean isDefinedAt(Object node) {
    return describe(node) != null;
  }

  public Object applyOrElse(Object node, scala.Function1 otherwise) {
    if (node instanceof View) noteView((View) node);
    Map source = describe(node);
    if (source == null) return otherwise.apply(node);
    LogicalPlan leaf = (LogicalPlan) node;
    String key = (String) source.get("key");
    if (!sources.containsKey(key)) {
      source.put("columns", Frontend.columns(leaf));
      sources.put(key, source);
    }
    if (replacements == null) return placeholder(leaf, key);
    LogicalPlan replacement = (LogicalPlan) replacements.get(key);
    return replacement == null ? leaf : renamed(leaf, replacement);
  }

  private LogicalPlan placeholder(LogicalPlan leaf, String key) {
    return new LogicalRelation(
        new Placeholder(key, leaf.schema()), leaf.output(), scala.None$.MODULE$, false,
        scala.None$.MODULE$);
  }

  /** The replacement with the attributes of the leaf, matched by name. */
  private LogicalPlan renamed(LogicalPlan leaf, LogicalPlan replacement) {
    Map byName = new HashMap();
    index(byName, replacement.metadataOutput());
    index(byName, replacement.output());
    ArrayList items = new ArrayList();
    scala.collection.Iterator wanted = leaf.output().iterator();
    while (wanted.hasNext()) {
      Attribute attribute = (Attribute) wanted.next();
      Attribute found = (Attribute) byName.get(attribute.name());
      if (found == null) {
        found = (Attribute) byName.get(attribute.name().toLowerCase(java.util.Locale.ROOT));
      }
      if (found == null) continue;
      items.add(
          new Alias(found, attribute.name(), attribute.exprId(), attribute.qualifier(),
              scala.Option.apply(attribute.metadata()), Plans.seq(new ArrayList())));
    }
    return new Project(Plans.seq(items), replacement);
  }

  private static void index(Map byName, scala.collection.Seq attributes) {
    scala.collection.Iterator it = attributes.iterator();
    while (it.hasNext()) {
      Attribute attribute = (Attribute) it.next();
      byName.put(attribute.name().toLowerCase(java.util.Locale.ROOT), attribute);
    }
    it = attributes.iterator();
    while (it.hasNext()) {
      Attribute attribute = (Attribute) it.next();
      byName.put(attribute.name(), attribute);
    }
  }

  private void noteView(View view) {
    CatalogTable desc = view.desc();
    String name = desc.identifier().unquotedString();
    if (isManaged(view)) return;
    Map entry = new LinkedHashMap();
    entry.put("name", desc.identifier().quotedString());
    entry.put("temporary", Boolean.valueOf(view.isTempView()));
    entry.put("text", definition(desc));
    views.put(name, entry);
  }

  /** All that a plain view means: its query, how its columns are called, where and under what. */
  public static String definition(CatalogTable view) {
    String text = view.viewText().isDefined() ? String.valueOf(view.viewText().get()) : "";
    java.util.TreeMap settings = new java.util.TreeMap();
    scala.collection.Iterator pairs = view.viewSQLConfigs().iterator();
    while (pairs.hasNext()) {
      scala.Tuple2 pair = (scala.Tuple2) pairs.next();
      settings.put(pair._1(), pair._2());
    }
    return text + "\n-- " + view.schema().sql() + " of " + view.viewQueryColumnNames().mkString(", ")
        + " in " + view.viewCatalogAndNamespace().mkString(".") + " under " + settings;
  }

  private boolean isManaged(View view) {
    String name = view.desc().identifier().unquotedString().toLowerCase(java.util.Locale.ROOT);
    return !view.isTempView() && managed.containsKey(name);
  }

  private Map describe(Object node) {
    if (node instanceof LogicalPlan && moving((LogicalPlan) node) != null) return null;
    if (node instanceof View && isManaged((View) node)) {
      String name = ((View) node).desc().identifier().unquotedString();
      Object view = managed.get(name.toLowerCase(java.util.Locale.ROOT));
      Map source = source("view", String.valueOf(view), "rollview", null, new LinkedHashMap());
      source.put("public", name);
      return source;
    }
    if (node instanceof LogicalRelation) return describeRelation((LogicalRelation) node);
    if (node instanceof DataSourceV2Relation) return describeV2((DataSourceV2Relation) node);
    if (node.getClass().getSimpleName().equals("HiveTableRelation")) {
      CatalogTable table = (CatalogTable) get(node, "tableMeta");
      return source("table", quoted(table), "hive", null, new LinkedHashMap());
    }
    return null;
  }

  /** What a leaf is that has no versions of its own: changes of a table, a branch; or null. */
  public static String moving(LogicalPlan node) {
    if (node instanceof LogicalRelation) {
      String name = ((LogicalRelation) node).relation().getClass().getSimpleName();
      return name.indexOf("CDFRelation") >= 0 ? "the change feed of a table" : null;
    }
    if (!(node instanceof DataSourceV2Relation)) return null;
    DataSourceV2Relation relation = (DataSourceV2Relation) node;
    java.util.Iterator keys = relation.options().asCaseSensitiveMap().keySet().iterator();
    while (keys.hasNext()) {
      String key = String.valueOf(keys.next()).toLowerCase(java.util.Locale.ROOT);
      if (key.equals("branch") || key.endsWith("snapshot-id") || key.endsWith("-timestamp")) {
        return "a table read with the option " + key;
      }
    }
    Object branch = get(relation.table(), "branch");
    if (branch instanceof String) return "the branch " + branch;
    Object travel = get(relation, "timeTravelSpec");
    if (!(travel instanceof scala.Option) || ((scala.Option) travel).isEmpty()) return null;
    Object version = get(((scala.Option) travel).get(), "version");
    Object references = get(get(relation.table(), "table"), "refs");
    if (!(references instanceof Map)) return null;
    Object found = ((Map) references).get(version);
    return Boolean.TRUE.equals(get(found, "isBranch")) ? "the branch " + version : null;
  }

  private Map describeRelation(LogicalRelation relation) {
    Object base = relation.relation();
    if (base instanceof Placeholder) {
      return source("placeholder", ((Placeholder) base).key(), "", null, new LinkedHashMap());
    }
    String pinned = null;
    LinkedHashMap options = new LinkedHashMap();
    String provider = base.getClass().getSimpleName();
    String path = null;
    if (base instanceof HadoopFsRelation) {
      HadoopFsRelation files = (HadoopFsRelation) base;
      Object location = files.location();
      provider = files.fileFormat().toString().toLowerCase(java.util.Locale.ROOT);
      if (location.getClass().getName().startsWith("org.apache.spark.sql.delta")) {
        provider = "delta";
        Object travels = get(location, "isTimeTravelQuery");
        if (Boolean.TRUE.equals(travels)) {
          Object snapshot = get(location, "getSnapshot");
          pinned = String.valueOf(get(snapshot, "version"));
        }
        path = String.valueOf(get(location, "path"));
      } else {
        path = files.location().rootPaths().mkString(",");
        scala.collection.Iterator pairs = files.options().iterator();
        while (pairs.hasNext()) {
          scala.Tuple2 pair = (scala.Tuple2) pairs.next();
          options.put(String.valueOf(pair._1()), String.valueOf(pair._2()));
        }
        options.remove("path");
        options.put("schema", files.schema().toDDL());
      }
    }
    if (relation.catalogTable().isDefined()) {
      CatalogTable table = (CatalogTable) relation.catalogTable().get();
      if (table.provider().isDefined()) {
        provider = String.valueOf(table.provider().get()).toLowerCase(java.util.Locale.ROOT);
      }
      return source("table", quoted(table), provider, pinned, new LinkedHashMap());
    }
    if (path == null) return source("other", provider, provider, null, new LinkedHashMap());
    return source("path", path, provider, pinned, options);
  }

  private Map describeV2(DataSourceV2Relation relation) {
    String provider = relation.table().getClass().getName().indexOf("iceberg") >= 0
        ? "iceberg" : relation.table().getClass().getSimpleName();
    String pinned = null;
    Object travel = get(relation, "timeTravelSpec");
    if (travel instanceof scala.Option && ((scala.Option) travel).isDefined()) {
      Object snapshot = get(relation.table(), "snapshotId");
      pinned = String.valueOf(snapshot != null ? snapshot : ((scala.Option) travel).get());
    }
    if (relation.catalog().isEmpty() || relation.identifier().isEmpty()) {
      return source("other", relation.table().name(), provider, pinned, new LinkedHashMap());
    }
    Object catalog = relation.catalog().get();
    Object identifier = relation.identifier().get();
    ArrayList parts = new ArrayList();
    parts.add(get(catalog, "name"));
    String[] namespace = (String[]) get(identifier, "namespace");
    for (int i = 0; i < namespace.length; i++) parts.add(namespace[i]);
    parts.add(get(identifier, "name"));
    return source("table", quote(parts), provider, pinned, new LinkedHashMap());
  }

  private static Map source(String kind, String name, String provider, String pinned, Map options) {
    LinkedHashMap source = new LinkedHashMap();
    source.put("key", kind.equals("placeholder") ? name
        : kind + "|" + name + "|" + (pinned == null ? "" : pinned) + "|" + options);
    source.put("kind", kind);
    source.put("name", name);
    source.put("provider", provider);
    source.put("pinned", pinned);
    source.put("options", options);
    return source;
  }

  private static String quoted(CatalogTable table) {
    ArrayList parts = new ArrayList();
    if (table.identifier().catalog().isDefined()) parts.add(table.identifier().catalog().get());
    if (table.identifier().database().isDefined()) parts.add(table.identifier().database().get());
    parts.add(table.identifier().table());
    return quote(parts);
  }

  private static String quote(List parts) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      String part = (String) parts.get(i);
      if (i > 0) text.append(".");
      if (part.matches("[A-Za-z_][A-Za-z0-9_]*")) text.append(part);
      else text.append("`").append(part.replace("`", "``")).append("`");
    }
    return text.toString();
  }

  /** Calls a public method without arguments, if there is one. */
  public static Object get(Object target, String method) {
    if (target == null) return null;
    try {
      Method found = target.getClass().getMethod(method, new Class[0]);
      found.setAccessible(true);
      return found.invoke(target, new Object[0]);
    } catch (NoSuchMethodException e) {
      return null;
    } catch (Exception e) {
      return null;
    }
  }
}
