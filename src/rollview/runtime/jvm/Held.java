package rollview;

import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.storage.StorageLevel;

/** The rows of a frame, computed now, as a plan that knows nothing of how they were computed. */
public class Held {

  private final SparkSession session;
  private final LogicalPlan plan;
  private final long rows;

  public Held() {
    this(null, null, 0L);
  }

  /** With attributes of its own: two steps may hand on columns of one relation below both. */
  private Held(SparkSession session, LogicalPlan plan, long rows) {
    this.session = session;
    this.plan = plan == null ? null : ((MultiInstanceRelation) plan).newInstance();
    this.rows = rows;
  }

  /** All rows brought to the driver: few become constants of plans, more an RDD. */
  public Held collected(Object session, Object frame, int few, int many) throws Exception {
    Dataset data = (Dataset) frame;
    SparkSession own = (SparkSession) session;
    QueryExecution execution = data.queryExecution();
    scala.Tuple2 found;
    try {
      found = execution.executedPlan().executeCollectIterator();
    } catch (Exception problem) {
      if (!String.valueOf(problem.getMessage()).contains("maxResultSize")) throw problem;
      return kept(session, frame);
    }
    long count = ((Long) found._1()).longValue();
    if (count > many) return kept(session, frame);
    scala.collection.immutable.Seq output = execution.analyzed().output();
    scala.collection.immutable.Seq values = ((scala.collection.Iterator) found._2()).toSeq();
    if (count <= few) {
      return new Held(own, new LocalRelation(output, values, false, scala.Option.empty()), count);
    }
    SparkContext context = own.sparkContext();
    scala.reflect.ClassTag tag = scala.reflect.ClassTag$.MODULE$.apply(InternalRow.class);
    RDD rdd = context.parallelize(values, context.defaultParallelism(), tag);
    return new Held(own, relation(own, output, rdd, count, width(data)), count);
  }

  /** All rows kept by the executors. */
  public Held kept(Object session, Object frame) {
    Dataset data = (Dataset) frame;
    SparkSession own = (SparkSession) session;
    Dataset held = data.localCheckpoint(true, StorageLevel.MEMORY_AND_DISK());
    long count = held.count();
    LogicalRDD found = (LogicalRDD) held.queryExecution().analyzed();
    return new Held(own, relation(own, found.output(), found.rdd(), count, width(data)), count);
  }

  public long rows() {
    return rows;
  }

  public LogicalPlan plan() {
    return plan;
  }

  /** A frame of the rows for a session, this one's or another. */
  public Dataset frame(Object session) {
    return Dataset.ofRows((SparkSession) session, plan);
  }

  public void forget() {
    if (plan instanceof LogicalRDD) ((LogicalRDD) plan).rdd().unpersist(false);
  }

  private static long width(Dataset data) {
    return data.schema().defaultSize() + 8L;
  }

  /** With the size that the rows have, so that Spark can choose its joins. */
  private static LogicalPlan relation(
      SparkSession session, scala.collection.immutable.Seq output, RDD rdd, long count,
      long width) {
    scala.math.BigInt size = scala.math.BigInt.apply(Math.max(1L, count) * width);
    Statistics statistics =
        new Statistics(
            size,
            scala.Option.apply(scala.math.BigInt.apply(count)),
            Statistics.apply$default$3(),
            false);
    return new LogicalRDD(
        output,
        rdd,
        new UnknownPartitioning(0),
        (scala.collection.immutable.Seq) output.take(0),
        false,
        scala.Option.empty(),
        session,
        scala.Option.apply(statistics),
        scala.Option.empty());
  }
}
