"""Which files make up a data set, and the schema of its tables."""

import json

import fsspec
import pyarrow as pa

from etscope._errors import Error

VERSION = 1
HEAD = {"format": "etscope-fleet", "version": VERSION}
KEY = ("program", "device", "build", "day")
PLACE = ("method", "operator", "instruction", "kind", "backend", "module", "source")

_KEY = [(name, pa.string()) for name in KEY]
_PLACE = [(name, pa.int32() if name == "instruction" else pa.string()) for name in PLACE]
_TIMES = [("time_ns_lower", pa.float64()), ("time_ns", pa.float64()), ("time_ns_upper", pa.float64())]
SCHEMAS = {
    "traces": pa.schema([("trace", pa.string()), ("kind", pa.string()), ("path", pa.string()),
        ("bytes", pa.int64()),
        ("program", pa.string()), ("model", pa.string()), ("device", pa.string()),
        ("build", pa.string()), ("time", pa.timestamp("us", "UTC")), ("day", pa.string()),
        ("labels", pa.map_(pa.string(), pa.string())), ("runs", pa.int64()), ("events", pa.int64()),
        ("lost_events", pa.int64()), ("etrecord", pa.bool_()), ("etscope_version", pa.string())]),
    "runs": pa.schema([("trace", pa.string()), *_KEY, ("method", pa.string()), ("run", pa.int32()),
        ("start_ns", pa.float64()), ("time_ns", pa.float64()), ("calls", pa.int64()),
        ("warm_up", pa.bool_())]),
    "operators": pa.schema([("trace", pa.string()), *_KEY, *_PLACE, ("run", pa.int32()),
        ("calls", pa.int64()), *_TIMES, ("warm_up", pa.bool_())]),
    "measured": pa.schema([("trace", pa.string()), *_KEY, *_PLACE, ("time_ns", pa.float64()),
        ("runs", pa.int64())]),
    "summaries": pa.schema([*_KEY, *_PLACE, ("traces", pa.int64()),
        ("count", pa.int64()), ("sum_ns", pa.float64()), ("min_ns", pa.float64()),
        ("max_ns", pa.float64()), ("sketch", pa.binary())]),
    "events": pa.schema([("trace", pa.string()), *_KEY, ("method", pa.string()), ("name", pa.string()),
        ("instruction", pa.int32()), ("kind", pa.string()), ("run", pa.int32()),
        ("start_ns", pa.float64()), ("time_ns", pa.float64())]),
}  # fmt: skip


def commits_after(fs, root, number):
    """(number, content) of each later commit. Numbers have no gaps: no list of all is needed."""
    while True:
        number += 1
        try:
            yield number, json.loads(fs.cat_file(f"{root}/commits/{number:08d}.json"))
        except FileNotFoundError:
            return


def is_there(url):
    """Whether `url` holds a data set. Raises Error: one of a later version, or of something else."""
    fs, root = fsspec.core.url_to_fs(url)
    try:
        found = json.loads(fs.cat_file(f"{root}/etscope-fleet.json"))
    except FileNotFoundError:
        return False
    if found.get("format") != HEAD["format"] or found.get("version", 0) > VERSION:
        raise Error(f"{url}: no data set of version {VERSION} or earlier: {found}", status="MISMATCH")
    return True


def snapshot(url):
    """{table: [file]} of what the commits name. Raises Error: there is no data set."""
    if not is_there(url):
        raise Error(f"{url}: no data set: `etscope-fleet ingest` makes one", status="NOT_FOUND")
    fs, root = fsspec.core.url_to_fs(url)
    files = {table: [] for table in SCHEMAS}
    for _, commit in commits_after(fs, root, 0):
        for table, names in commit["files"].items():
            files.setdefault(table, []).extend(f"{root}/{name}" for name in names)
    return files
