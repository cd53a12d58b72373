package rollview;

/** A piece of a plan that cannot be written as SQL: what it is, and its text. */
public class Unwritable extends RuntimeException {
  private final String kind;

  public Unwritable(String kind, String text) {
    super(text);
    this.kind = kind;
  }

  public String kind() {
    return kind;
  }
}
