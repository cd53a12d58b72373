package rollview;

import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.types.StructType;

/** A relation that stands for one source of a definition and that no optimizer can look into. */
public class Placeholder extends BaseRelation implements java.io.Serializable {
  private final String key;
  private final StructType schema;

  public Placeholder(String key, StructType schema) {
    this.key = key;
    this.schema = schema;
  }

  public String key() {
    return key;
  }

  public StructType schema() {
    return schema;
  }

  public SQLContext sqlContext() {
    return null;
  }

  public long sizeInBytes() {
    return 1L << 40;
  }

  public boolean equals(Object other) {
    return other instanceof Placeholder && ((Placeholder) other).key.equals(key);
  }

  public int hashCode() {
    return key.hashCode();
  }
}
