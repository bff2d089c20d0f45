"""A data set's tables in DuckDB: the engine of one machine."""

import re
import signal
import threading

from etscope._errors import Error
from etscope.fleet.dataset import SCHEMAS, snapshot

_PARAMETER = re.compile(r"(?<![:\w]):([a-z]\w*)")
_PATIENCE = 0.1  # seconds from Ctrl-C until DuckDB is told
_EXPLAIN = re.compile(r"\s*explain\s+(analyze\s+)?(.*)", re.IGNORECASE | re.DOTALL)


def _quoted(text):
    return "'" + text.replace("'", "''") + "'"


class Duck:
    """Answers SQL about one state of a data set: traces that are added later are not seen."""

    name = "duckdb"

    def __init__(self, dataset):
        import duckdb

        self._error = duckdb.Error
        self._connection = duckdb.connect()
        self._scheme = dataset.partition("://")[0] + "://" if "://" in dataset else ""
        if self._scheme:
            import fsspec

            self._connection.register_filesystem(fsspec.filesystem(self._scheme[:-3]))
        files = snapshot(dataset)
        try:
            for table, schema in SCHEMAS.items():
                self._add(table, schema, files.get(table, []))
        except self._error as error:
            raise self._told(error) from None
        self._close_off(sorted({file for each in files.values() for file in each}))

    def _close_off(self, files):
        """Questions read the files of the data set and nothing else: no other file, no network, no
        extension that DuckDB would fetch or load; and they cannot change that."""
        paths = ", ".join(_quoted(self._scheme + file) for file in files)
        for setting in ("autoinstall_known_extensions=false", "autoload_known_extensions=false",
                        "allow_community_extensions=false", f"allowed_paths=[{paths}]",
                        "enable_external_access=false", "lock_configuration=true"):  # fmt: skip
            self._connection.execute(f"set {setting}")

    def _add(self, table, schema, files):
        if not files:
            self._connection.register(table, schema.empty_table())
            return
        names = ", ".join(_quoted(self._scheme + file) for file in files)
        self._connection.execute(
            f"create or replace temporary view {table} as select * from read_parquet([{names}],"
            " union_by_name=true, hive_partitioning=false)")  # fmt: skip

    def _refuse_commands(self, text):
        """A question writes no file and changes no setting: COPY, ATTACH, SET and the like are refused.

        `explain analyze` runs what it explains, so that must be a SELECT, too.
        """
        import duckdb

        statements = self._connection.extract_statements(text)
        if len(statements) == 1 and statements[0].type == duckdb.StatementType.EXPLAIN:
            explained = _EXPLAIN.fullmatch(text)
            statements = self._connection.extract_statements(explained[2]) if explained else []
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise Error("not a question: write one SELECT", status="INVALID_ARGUMENT")

    def _told(self, error):
        """The Error for an error of DuckDB."""
        import duckdb

        reason = str(error).splitlines()[0]
        # A file that is gone is tried as a folder, which is outside of what may be read.
        is_gone = isinstance(error, duckdb.PermissionException) and "/**/*.parquet" in reason
        if is_gone:
            reason = reason.split(" - ")[0].replace("/**/*.parquet", "")
        if is_gone or isinstance(error, duckdb.IOException):
            return Error(f"{reason}; if a compaction replaced this file since, ask again", status="IO")
        return Error(reason, status="INVALID_ARGUMENT")

    def sql(self, text, **parameters):
        """The answer as a pyarrow.Table; `:name` in the text stands for a parameter."""
        if parameters:
            text = _PARAMETER.sub(r"$\1", text)
        try:
            self._refuse_commands(text)
            return self._in_a_thread(lambda: self._answer(text, parameters))
        except self._error as error:
            raise self._told(error) from None

    def _answer(self, text, parameters):
        answer = self._connection.sql(text, params=parameters or None)
        return None if answer is None else answer.to_arrow_table()  # errors of values come here

    def _in_a_thread(self, function):
        """What it returns or raises. This thread waits, and hears Ctrl-C: DuckDB looks for it only now and then.

        The other thread always ends first: DuckDB's library aborts a process that ends while it computes.
        """
        if threading.current_thread() is not threading.main_thread() or \
                signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # fmt: skip
            return function()
        done, heard = [], []
        before = signal.signal(signal.SIGINT, lambda *_: heard.append(True))
        try:
            thread = threading.Thread(target=lambda: done.append(_outcome(function)), daemon=True)
            thread.start()
            while thread.is_alive():
                thread.join(_PATIENCE)
                if heard:  # again, as a question that has not begun yet does not notice
                    self._connection.interrupt()
        finally:
            signal.signal(signal.SIGINT, before)
        if heard:
            raise KeyboardInterrupt
        answer, error = done[0]
        if error is not None:
            raise error
        return answer


def _outcome(function):
    """(what it returns, None), or (None, the exception)."""
    try:
        return function(), None
    except BaseException as error:
        return None, error
