"""The parser inside of Spark's executors: trace files as a DataFrame of events.

    from etscope.fleet.spark_traces import read_traces

    read_traces(spark, paths).groupBy("name").count().show()

Executors need etscope, and must reach the files under these paths. Columns go from the C library
over the Arrow C interface, without a Python loop over events.
"""


def _plain_type(type_):
    """Spark has no unsigned numbers and no dictionaries: types that hold all of their values."""
    import pyarrow as pa

    if pa.types.is_dictionary(type_):
        return type_.value_type
    if pa.types.is_unsigned_integer(type_):
        wider = {8: pa.int16(), 16: pa.int32(), 32: pa.int64(), 64: pa.decimal128(20, 0)}
        return wider[type_.bit_width]
    return type_


def _plain(table, path, error=None):
    """A table of Inspector.events with its path, in types that Spark has."""
    import pyarrow as pa

    columns = {"path": pa.array([path] * table.num_rows, pa.string()),
               "error": pa.array([error] * table.num_rows, pa.string())}  # fmt: skip
    for field in table.schema:
        columns[field.name] = table[field.name].cast(_plain_type(field.type))
    return pa.table(columns)


def _empty():
    """No events, with all columns."""
    import pyarrow as pa

    from etscope import Inspector
    from etscope.etdump._writer import dump

    return pa.table(Inspector(etdump_data=dump([("run", [], -1, [])])).events).slice(0, 0)


def _parsed(batches):
    import pyarrow as pa

    from etscope import Error, Inspector

    for batch in batches:
        for path in batch.column("path").to_pylist():
            try:
                table = _plain(pa.table(Inspector(etdump_path=path).events), path)
            except (Error, OSError) as error:
                empty = _plain(_empty(), path)
                told = {"path": [path], "error": [str(error)]}
                table = pa.table([pa.array(told.get(field.name, [None]), field.type)
                                  for field in empty.schema], empty.schema.names)  # fmt: skip
            yield from table.combine_chunks().to_batches()


def read_traces(spark, paths, tasks=None):
    """A DataFrame of the events of the traces at `paths`: path, error, and what Inspector.events has.

    A file that cannot be read is one row with its path and the reason in `error`. `tasks` is how
    many tasks read (default: Spark's parallelism).
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    names = spark.createDataFrame([(str(path),) for path in paths], "path string")
    split = names.repartition(tasks or spark.sparkContext.defaultParallelism)
    return split.mapInArrow(_parsed, from_arrow_schema(_plain(_empty(), "").schema))
