"""A data set's tables in Spark: the engine of many machines.

A session is taken as it is; without one, it is made with the configuration of spark-submit, or with
`master`. Executors must reach the files.
"""

from etscope._errors import Error
from etscope.fleet.dataset import SCHEMAS, snapshot


class Spark:
    """Answers SQL about one state of a data set, as duck.Duck does."""

    name = "spark"

    def __init__(self, dataset, master=None, session=None):
        from pyspark.errors import PySparkException

        self._error = PySparkException
        self.session = session or new_session(master)
        scheme = dataset.partition("://")[0] + "://" if "://" in dataset else ""
        files = snapshot(dataset)
        for table, schema in SCHEMAS.items():
            names = [scheme + file for file in files.get(table, [])]
            if names:
                # All columns, wherever one was added: a file without it gives null.
                frame = self.session.read.option("mergeSchema", "true").parquet(*names)
            else:
                frame = self.session.createDataFrame(schema.empty_table())
            frame.createOrReplaceTempView(table)

    def sql(self, text, **parameters):
        """The answer as a pyarrow.Table; `:name` in the text stands for a parameter."""
        try:
            return self.session.sql(text, args=parameters or None).toArrow()
        except self._error as error:
            raise Error(str(error).splitlines()[0], status="INVALID_ARGUMENT") from None


def new_session(master=None):
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("etscope-fleet").config("spark.sql.session.timeZone", "UTC")
    if master:
        builder = builder.master(master)
    try:
        return builder.getOrCreate()
    except (PySparkException, RuntimeError) as error:
        raise Error("Spark does not start: it needs Java 17 or newer (JAVA_HOME)"
                    f" ({str(error).splitlines()[0]})", status="INVALID_STATE") from None  # fmt: skip
