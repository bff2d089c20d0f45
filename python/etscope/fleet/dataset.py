"""Which files make up a data set, and the schema of its tables."""

import json

import fsspec
import pyarrow as pa

_KEY = [("program", pa.string()), ("device", pa.string()), ("build", pa.string()), ("day", pa.string())]
_TIMES = [("time_ns_lower", pa.float64()), ("time_ns", pa.float64()), ("time_ns_upper", pa.float64())]
_ROW = [("operator", pa.string()), ("instruction", pa.int32()), ("kind", pa.string()),
        ("backend", pa.string()), ("module", pa.string()), ("source", pa.string())]  # fmt: skip
SCHEMAS = {
    "traces": pa.schema([("trace", pa.string()), ("path", pa.string()), ("bytes", pa.int64()),
        ("program", pa.string()), ("model", pa.string()), ("device", pa.string()),
        ("build", pa.string()), ("time", pa.timestamp("us", "UTC")), ("day", pa.string()),
        ("labels", pa.map_(pa.string(), pa.string())), ("runs", pa.int64()), ("events", pa.int64()),
        ("lost_events", pa.int64()), ("etrecord", pa.bool_()), ("etscope_version", pa.string())]),
    "runs": pa.schema([("trace", pa.string()), *_KEY, ("method", pa.string()), ("run", pa.int32()),
        ("start_ns", pa.float64()), *_TIMES, ("unreported_ns", pa.float64()), ("calls", pa.int64()),
        ("warm_up", pa.bool_())]),
    "operators": pa.schema([("trace", pa.string()), *_KEY, ("method", pa.string()),
        ("run", pa.int32()), *_ROW, ("calls", pa.int64()), *_TIMES]),
    "summaries": pa.schema([*_KEY, ("method", pa.string()), *_ROW, ("traces", pa.int64()),
        ("count", pa.int64()), ("sum_ns", pa.float64()), ("min_ns", pa.float64()),
        ("max_ns", pa.float64()), ("sketch", pa.binary())]),
}  # fmt: skip


def snapshot(url):
    """{table: [file]} of what the commits name."""
    fs, root = fsspec.core.url_to_fs(url)
    files = {table: [] for table in SCHEMAS}
    for path in sorted(fs.ls(f"{root}/commits", detail=False)):
        with fs.open(path, "rb") as file:
            for table, names in json.load(file)["files"].items():
                files.setdefault(table, []).extend(f"{root}/{name}" for name in names)
    return files
