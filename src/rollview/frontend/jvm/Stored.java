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
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Plans as text and back, by Java serialization: how a DataFrame outlives its process.
 *
 * <p>The methods that Java's serialization calls by name must be public: the compiler in Spark
 * renames private ones.
 */
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
      if (object instanceof TreeNode && !canBeRead(object.getClass())) return new Node(object);
      if (object instanceof CaseInsensitiveStringMap) {
        return new Options(new HashMap(((CaseInsensitiveStringMap) object).asCaseSensitiveMap()));
      }
      return object;
    }
  }

  /** Java makes an object by the first superclass that is not serializable: it must be able to. */
  private static boolean canBeRead(Class kind) {
    Class ancestor = kind;
    while (Serializable.class.isAssignableFrom(ancestor)) ancestor = ancestor.getSuperclass();
    java.lang.reflect.Constructor[] constructors = ancestor.getDeclaredConstructors();
    for (int i = 0; i < constructors.length; i++) {
      if (constructors[i].getParameterCount() == 0) return true;
    }
    return false;
  }

  /** A node of a plan as its class and the arguments it was made of. */
  public static class Node implements Serializable {
    private final Class kind;
    private final Object[] arguments;

    public Node(Object node) {
      scala.Product product = (scala.Product) node;
      kind = node.getClass();
      arguments = new Object[product.productArity()];
      for (int i = 0; i < arguments.length; i++) arguments[i] = product.productElement(i);
    }

    public Object readResolve() throws Exception {
      java.lang.reflect.Constructor[] constructors = kind.getConstructors();
      for (int i = 0; i < constructors.length; i++) {
        if (constructors[i].getParameterCount() == arguments.length) {
          return constructors[i].newInstance(arguments);
        }
      }
      throw new java.io.InvalidClassException(kind.getName(), "no constructor");
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

    public Object readResolve() {
      return new CaseInsensitiveStringMap(options);
    }
  }

  public static class Equal implements Serializable {
    private final Attribute attribute;

    public Equal(Attribute attribute) {
      this.attribute = attribute;
    }

    public Object readResolve() {
      return new AttributeEquals(attribute);
    }
  }
}
