package rollview;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.HashMap;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeEquals;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Plans as text and back, by Java serialization: how a DataFrame outlives its process. */
public class Stored {
  public static String write(LogicalPlan plan) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Writer writer = new Writer(bytes);
    writer.writeObject(plan);
    writer.close();
    return java.util.Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  public static LogicalPlan read(String text) throws IOException, ClassNotFoundException {
    byte[] bytes = java.util.Base64.getDecoder().decode(text);
    return (LogicalPlan) new Reader(new ByteArrayInputStream(bytes)).readObject();
  }

  /** Others stand in for the classes of Spark that Java cannot write. */
  public static class Writer extends ObjectOutputStream {
    public Writer(OutputStream out) throws IOException {
      super(out);
      enableReplaceObject(true);
    }

    protected Object replaceObject(Object object) {
      if (object instanceof AttributeEquals) return new Equal(((AttributeEquals) object).a());
      if (object instanceof CaseInsensitiveStringMap) {
        return new Options(new HashMap(((CaseInsensitiveStringMap) object).asCaseSensitiveMap()));
      }
      return object;
    }
  }

  public static class Reader extends ObjectInputStream {
    public Reader(java.io.InputStream in) throws IOException {
      super(in);
    }

    protected Class resolveClass(ObjectStreamClass description)
        throws IOException, ClassNotFoundException {
      try {
        return Class.forName(description.getName(), false, Stored.class.getClassLoader());
      } catch (ClassNotFoundException e) {
        return super.resolveClass(description);
      }
    }
  }

  public static class Options implements Serializable {
    private final HashMap options;

    public Options(HashMap options) {
      this.options = options;
    }

    private Object readResolve() {
      return new CaseInsensitiveStringMap(options);
    }
  }

  public static class Equal implements Serializable {
    private final Attribute attribute;

    public Equal(Attribute attribute) {
      this.attribute = attribute;
    }

    private Object readResolve() {
      return new AttributeEquals(attribute);
    }
  }
}
