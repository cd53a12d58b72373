package rollview;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.LongType$;
import org.apache.spark.sql.types.StructType;

/** Rows in the driver, with names and types, and what can be done with them without a plan. */
class AtHand {

  private final String[] names;
  private final DataType[] types;
  private final boolean[] nullable;
  final String[] origins;
  final java.util.ArrayList rows;

  private AtHand(
      String[] names, DataType[] types, boolean[] nullable, String[] origins,
      java.util.ArrayList rows) {
    this.names = names;
    this.types = types;
    this.nullable = nullable;
    this.origins = origins;
    this.rows = rows;
  }

  /** What a form makes of the rows of these tables; null if it takes a plan. */
  static AtHand of(java.util.List form, java.util.List tables) {
    String kind = (String) form.get(0);
    if (kind.equals("table")) return of((Held) tables.get(number(form.get(1))));
    if (kind.equals("union")) {
      return united((java.util.List) form.get(1), (java.util.List) form.get(2), tables);
    }
    AtHand below = of((java.util.List) form.get(1), tables);
    if (below == null) return null;
    if (kind.equals("project")) return below.projected((java.util.List) form.get(2));
    if (kind.equals("filter")) return below.filtered((java.util.List) form.get(2));
    if (kind.equals("distinct")) return below.distinct();
    if (kind.equals("net")) return below.net();
    throw new IllegalArgumentException(kind);
  }

  StructType type() {
    StructType type = new StructType();
    for (int at = 0; at < names.length; at++) type = type.add(names[at], types[at], nullable[at]);
    return type;
  }

  private static AtHand of(Held held) {
    if (held.values() == null) return null;
    int width = held.output().size();
    String[] names = new String[width];
    DataType[] types = new DataType[width];
    boolean[] nullable = new boolean[width];
    for (int at = 0; at < width; at++) {
      Attribute attribute = (Attribute) held.output().apply(at);
      names[at] = attribute.name();
      types[at] = attribute.dataType();
      nullable[at] = attribute.nullable();
    }
    java.util.ArrayList rows = Local.list(held.values());
    return new AtHand(names, types, nullable, held.origins(), rows);
  }

  /** An item is a new name and an old one, or a new name, null and a number. */
  private AtHand projected(java.util.List items) {
    int width = items.size();
    int[] from = new int[width];
    Object[] constants = new Object[width];
    String[] newNames = new String[width];
    DataType[] newTypes = new DataType[width];
    boolean[] newNullable = new boolean[width];
    String[] newOrigins = new String[width];
    for (int at = 0; at < width; at++) {
      java.util.List item = (java.util.List) items.get(at);
      newNames[at] = (String) item.get(0);
      if (item.get(1) == null) {
        from[at] = -1;
        constants[at] = Long.valueOf(((Number) item.get(2)).longValue());
        newTypes[at] = LongType$.MODULE$;
      } else {
        from[at] = position((String) item.get(1));
        newTypes[at] = types[from[at]];
        newNullable[at] = nullable[from[at]];
        newOrigins[at] = origins[from[at]];
      }
    }
    java.util.ArrayList made = new java.util.ArrayList(rows.size());
    for (int n = 0; n < rows.size(); n++) {
      InternalRow row = (InternalRow) rows.get(n);
      Object[] cells = new Object[width];
      for (int at = 0; at < width; at++) {
        cells[at] = from[at] < 0 ? constants[at] : cell(row, from[at]);
      }
      made.add(new GenericInternalRow(cells));
    }
    return new AtHand(newNames, newTypes, newNullable, newOrigins, made);
  }

  private AtHand filtered(java.util.List conditions) {
    java.util.ArrayList left = new java.util.ArrayList();
    for (int n = 0; n < rows.size(); n++) {
      InternalRow row = (InternalRow) rows.get(n);
      boolean holds = true;
      for (int c = 0; c < conditions.size() && holds; c++) {
        holds = holds(row, (java.util.List) conditions.get(c));
      }
      if (holds) left.add(row);
    }
    return new AtHand(names, types, nullable, origins, left);
  }

  private boolean holds(InternalRow row, java.util.List condition) {
    String kind = (String) condition.get(0);
    Object value = cell(row, position((String) condition.get(1)));
    if (value == null) return false;
    if (kind.equals("known")) return true;
    if (kind.equals("is")) return ((Boolean) value).booleanValue();
    long difference =
        Long.compare(((Long) value).longValue(), ((Number) condition.get(2)).longValue());
    if (kind.equals(">")) return difference > 0;
    if (kind.equals("<")) return difference < 0;
    throw new IllegalArgumentException(kind);
  }

  /** By position; null if the types differ, since Spark would convert some. */
  private static AtHand united(java.util.List forms, java.util.List names, java.util.List tables) {
    AtHand all = null;
    for (int n = 0; n < forms.size(); n++) {
      AtHand one = of((java.util.List) forms.get(n), tables);
      if (one == null) return null;
      if (all == null) {
        String[] own = new String[names.size()];
        for (int at = 0; at < own.length; at++) own[at] = (String) names.get(at);
        boolean[] nulls = (boolean[]) one.nullable.clone();
        all = new AtHand(own, one.types, nulls, (String[]) one.origins.clone(), one.rows);
        continue;
      }
      for (int at = 0; at < all.types.length; at++) {
        if (!all.types[at].equals(one.types[at])) return null;
        all.nullable[at] = all.nullable[at] || one.nullable[at];
        String origin = all.origins[at];
        if (origin != null && !origin.equals(one.origins[at])) all.origins[at] = null;
      }
      java.util.ArrayList both = new java.util.ArrayList(all.rows);
      both.addAll(one.rows);
      all = new AtHand(all.names, all.types, all.nullable, all.origins, both);
    }
    return all;
  }

  private AtHand distinct() {
    if (!arePlain(types.length)) return null;
    java.util.LinkedHashSet found = new java.util.LinkedHashSet();
    for (int n = 0; n < rows.size(); n++) {
      found.add(cells((InternalRow) rows.get(n), types.length));
    }
    java.util.ArrayList left = new java.util.ArrayList(found.size());
    java.util.Iterator each = found.iterator();
    while (each.hasNext()) {
      left.add(new GenericInternalRow(((java.util.ArrayList) each.next()).toArray()));
    }
    return new AtHand(names, types, nullable, origins, left);
  }

  /** Equal rows made one by the sum of their weights, and spread out again. */
  private AtHand net() {
    int weight = types.length - 1;
    if (!arePlain(weight)) return null;
    java.util.LinkedHashMap sums = new java.util.LinkedHashMap();
    for (int n = 0; n < rows.size(); n++) {
      InternalRow row = (InternalRow) rows.get(n);
      java.util.ArrayList cells = cells(row, weight);
      Long sum = (Long) sums.get(cells);
      sums.put(cells, Long.valueOf((sum == null ? 0L : sum.longValue()) + row.getLong(weight)));
    }
    java.util.ArrayList left = new java.util.ArrayList();
    java.util.Iterator each = sums.entrySet().iterator();
    while (each.hasNext()) {
      java.util.Map.Entry entry = (java.util.Map.Entry) each.next();
      long sum = ((Long) entry.getValue()).longValue();
      Object[] cells = ((java.util.ArrayList) entry.getKey()).toArray(new Object[weight + 1]);
      cells[weight] = Long.valueOf(sum > 0L ? 1L : -1L);
      for (long copy = 0L; copy < Math.abs(sum); copy++) left.add(new GenericInternalRow(cells));
    }
    return new AtHand(names, types, nullable, origins, left);
  }

  private boolean arePlain(int width) {
    for (int at = 0; at < width; at++) {
      if (!Held.isPlain(types[at])) return false;
    }
    return true;
  }

  /** The first values of a row, such that rows of equal values are equal lists. */
  private java.util.ArrayList cells(InternalRow row, int width) {
    java.util.ArrayList cells = new java.util.ArrayList(width);
    for (int at = 0; at < width; at++) {
      Object value = cell(row, at);
      cells.add(value == null ? null : Held.told(value, false));
    }
    return cells;
  }

  private Object cell(InternalRow row, int at) {
    return row.isNullAt(at) ? null : row.get(at, types[at]);
  }

  private int position(String name) {
    for (int at = 0; at < names.length; at++) {
      if (names[at].equals(name)) return at;
    }
    throw new IllegalArgumentException(name);
  }

  private static int number(Object value) {
    return ((Number) value).intValue();
  }
}
