package rollview;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BaseFileScanTask;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.io.CloseableIterable;

/**
 * Files of an Iceberg table, each with the delete files that apply to it: those of a snapshot, and
 * those in which snapshots differ. The same file with other deletes is another bag of rows.
 *
 * Snapshots are given by their id as text; the empty text is the table before its first one.
 */
public class IcebergFiles {
  private final LinkedHashMap tasks = new LinkedHashMap();
  private final HashMap weights = new HashMap();

  /** A sum of differences, without any yet. */
  public IcebergFiles difference() {
    return new IcebergFiles();
  }

  /** Add what must be read to get from one snapshot to another; what cancels is left out. */
  public void add(Table table, String from, String to) throws Exception {
    Snapshot before = snapshot(table, from);
    Snapshot after = snapshot(table, to);
    if (hasDeletes(table, before) || hasDeletes(table, after)) {
      addAll(all(table, from), -1);
      addAll(all(table, to), 1);
      return;
    }
    List old = manifests(table, before);
    List now = manifests(table, after);
    readOnly(table, old, paths(now), -1);
    readOnly(table, now, paths(old), 1);
  }

  /** The files whose rows come (1) or go (-1), as tasks that Spark can read. */
  public List tasks(int sign) {
    ArrayList found = new ArrayList();
    Iterator keys = tasks.keySet().iterator();
    while (keys.hasNext()) {
      Object key = keys.next();
      int weight = ((Integer) weights.get(key)).intValue() * sign;
      for (int i = 0; i < weight; i++) found.add(tasks.get(key));
    }
    return found;
  }

  /** The bytes of all files that must be read. */
  public long bytes() {
    return bytes(tasks(1)) + bytes(tasks(-1));
  }

  /** All files of a snapshot, as tasks. */
  public List all(Table table, String id) throws Exception {
    ArrayList found = new ArrayList();
    if (id.isEmpty()) return found;
    CloseableIterable planned = table.newScan().useSnapshot(Long.parseLong(id)).planFiles();
    try {
      Iterator each = planned.iterator();
      while (each.hasNext()) found.add(each.next());
    } finally {
      planned.close();
    }
    return found;
  }

  /** Those of the tasks whose file has one of these names. */
  public List named(List all, Collection names) {
    HashSet wanted = new HashSet(names);
    ArrayList found = new ArrayList();
    for (int i = 0; i < all.size(); i++) {
      if (wanted.contains(file(all.get(i)).location().toString())) found.add(all.get(i));
    }
    return found;
  }

  /** Those of the tasks whose file is smaller than so many bytes. */
  public List smaller(List all, long bytes) {
    ArrayList found = new ArrayList();
    for (int i = 0; i < all.size(); i++) {
      if (file(all.get(i)).fileSizeInBytes() < bytes) found.add(all.get(i));
    }
    return found;
  }

  /** The data files of tasks. */
  public List files(List all) {
    ArrayList found = new ArrayList();
    for (int i = 0; i < all.size(); i++) found.add(file(all.get(i)));
    return found;
  }

  /** The bytes of the files of tasks. */
  public long bytes(List all) {
    long sum = 0L;
    for (int i = 0; i < all.size(); i++) sum += file(all.get(i)).fileSizeInBytes();
    return sum;
  }

  private static DataFile file(Object task) {
    return (DataFile) ((FileScanTask) task).file();
  }

  private static Snapshot snapshot(Table table, String id) {
    return id.isEmpty() ? null : table.snapshot(Long.parseLong(id));
  }

  private static boolean hasDeletes(Table table, Snapshot snapshot) {
    return snapshot != null && !snapshot.deleteManifests(table.io()).isEmpty();
  }

  private static List manifests(Table table, Snapshot snapshot) {
    return snapshot == null ? new ArrayList() : snapshot.dataManifests(table.io());
  }

  private static HashSet paths(List manifests) {
    HashSet found = new HashSet();
    for (int i = 0; i < manifests.size(); i++) found.add(((ManifestFile) manifests.get(i)).path());
    return found;
  }

  /** What two snapshots have in common they mostly have in whole manifests: those are not read. */
  private void readOnly(Table table, List manifests, HashSet others, int sign) throws Exception {
    String schema = SchemaParser.toJson(table.schema());
    for (int i = 0; i < manifests.size(); i++) {
      ManifestFile manifest = (ManifestFile) manifests.get(i);
      if (others.contains(manifest.path())) continue;
      PartitionSpec spec = (PartitionSpec) table.specs().get(Integer.valueOf(manifest.partitionSpecId()));
      String written = PartitionSpecParser.toJson(spec);
      ManifestReader reader = ManifestFiles.read(manifest, table.io(), table.specs());
      try {
        Iterator live = reader.iterator();
        while (live.hasNext()) {
          DataFile file = (DataFile) live.next();
          ResidualEvaluator all = ResidualEvaluator.unpartitioned(Expressions.alwaysTrue());
          put(new BaseFileScanTask(file, new DeleteFile[0], schema, written, all), sign);
        }
      } finally {
        reader.close();
      }
    }
  }

  private void addAll(List all, int sign) {
    for (int i = 0; i < all.size(); i++) put((FileScanTask) all.get(i), sign);
  }

  private void put(FileScanTask task, int sign) {
    String key = key(task);
    Integer before = (Integer) weights.get(key);
    int now = (before == null ? 0 : before.intValue()) + sign;
    if (now == 0) {
      weights.remove(key);
      tasks.remove(key);
    } else {
      weights.put(key, Integer.valueOf(now));
      tasks.put(key, task);
    }
  }

  private static String key(FileScanTask task) {
    ArrayList parts = new ArrayList();
    List deletes = task.deletes();
    for (int i = 0; i < deletes.size(); i++) {
      DeleteFile one = (DeleteFile) deletes.get(i);
      parts.add(one.location() + "@" + one.contentOffset());
    }
    Collections.sort(parts);
    return file(task).location() + " " + parts;
  }
}
