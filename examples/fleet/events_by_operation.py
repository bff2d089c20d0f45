"""Times by operation of many traces, parsed inside Spark's executors.

    spark-submit --master spark://HOST:7077 events_by_operation.py OUT TRACE...

Executors need etscope installed (--archives of a packed environment does) and must reach the files.
"""

import sys

from pyspark.sql import SparkSession

from etscope.fleet.spark_traces import read_traces

if __name__ == "__main__":
    spark = SparkSession.builder.appName("events by operation").getOrCreate()
    events = read_traces(spark, sys.argv[2:])
    events.filter("error is null").groupBy("operation").count().write.parquet(sys.argv[1])
    spark.stop()
