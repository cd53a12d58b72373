package rollview;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalog;
import org.apache.spark.sql.classic.SparkSession;

/** What a catalog knows that is not written in the folders of tables. */
public class Entries {

  /**
   * The views, or the tables, of a schema, but for those with one of the properties and for tables
   * of a provider that lie in the schema's own folder: in turn the name, and a number that changes
   * with the entry.
   */
  public List untold(
      Object session, String schema, boolean views, List properties, String provider) {
    ExternalCatalog catalog =
        ((SparkSession) session).sharedState().externalCatalog().unwrapped();
    String home = String.valueOf(catalog.getDatabase(schema).locationUri());
    scala.collection.immutable.Seq names = catalog.listTables(schema);
    scala.collection.Iterator found = catalog.getTablesByName(schema, names).iterator();
    ArrayList result = new ArrayList();
    while (found.hasNext()) {
      CatalogTable entry = (CatalogTable) found.next();
      boolean view = entry.tableType().equals(CatalogTableType.VIEW());
      if (view != views || (!view && tellsItself(entry, home, provider))) continue;
      boolean known = false;
      for (int i = 0; i < properties.size(); i++) {
        known = known || entry.properties().contains(properties.get(i));
      }
      if (known) continue;
      result.add(entry.identifier().table());
      result.add(String.valueOf(entry.hashCode()));
    }
    return result;
  }

  private static boolean tellsItself(CatalogTable entry, String home, String provider) {
    scala.Option place = entry.storage().locationUri();
    return entry.provider().isDefined()
        && provider.equalsIgnoreCase(String.valueOf(entry.provider().get()))
        && place.isDefined()
        && String.valueOf(place.get()).startsWith(home.endsWith("/") ? home : home + "/");
  }
}
