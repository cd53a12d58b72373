package rollview;

/** A plan, or a part of it, that takes Spark to evaluate. */
class Elsewhere extends RuntimeException {

  Elsewhere(String why) {
    super(why, null, false, false);
  }
}
