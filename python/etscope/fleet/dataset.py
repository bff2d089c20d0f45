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


def numbers_in(fs, folder):
    """Numbers of the files of a folder of numbered files, ascending."""
    fs.invalidate_cache(folder)  # some stores keep lists of what was there before
    try:
        names = [path.rsplit("/", 1)[-1] for path in fs.ls(folder, detail=False)]
    except FileNotFoundError:
        return []
    return sorted(int(name[:-5]) for name in names if name.endswith(".json") and name[:-5].isdigit())


def read_numbered(fs, folder, number):
    """The content of a commit or checkpoint. Raises FileNotFoundError, and Error: it is damaged."""
    path = f"{folder}/{number:08d}.json"
    found = _json_of(path, fs.cat_file(path), "files")
    names = [name for names in found["files"].values() for name in names] + found.get("hash_files", [])
    for name in names:
        # These are read, and removed: nothing beside the data set is.
        if ".." in name.split("/") or name.startswith("/") or name.partition("/")[0] in ("commits", "checkpoints"):
            raise Error(f"{path}: names {name!r}, which is no file of a table", status="MALFORMED")
    return found


def _json_of(path, data, key="format"):
    try:
        found = json.loads(data)
        if isinstance(found, dict) and key in found:
            return found
    except ValueError:
        pass
    raise Error(f'{path}: no JSON object with "{key}": the file is damaged', status="MALFORMED")


def _commits_after(fs, root, number):
    """(number, content) of each later commit. Numbers have no gaps: no list of all is needed."""
    while True:
        number += 1
        try:
            yield number, read_numbered(fs, f"{root}/commits", number)
        except FileNotFoundError:
            return


NO_CHECKPOINT = {"last": 0, "traces": 0, "time": 0, "files": {}, "hash_files": []}


class Log:
    """What a data set consists of: the newest checkpoint, and the commits after its last one.

        log = Log(url)
        for number, commit in log.read(): ...      # and log.checkpoint["files"]

    A checkpoint stands for all commits up to its "last" (compaction.py). Those are removed some time
    later, so that the first number without a commit is the end of the log only while the checkpoint
    stays the newest. `read` begins again where it does not.
    """

    def __init__(self, url):
        self.fs, self.root = fsspec.core.url_to_fs(url)
        self.number, self.checkpoint = 0, NO_CHECKPOINT

    def read(self, last=0):
        """[(number, commit)] after commit `last` and after the checkpoint, which is renewed first."""
        while True:
            self.renew()
            commits = list(_commits_after(self.fs, self.root, max(last, self.checkpoint["last"])))
            if self._newest() == self.number:
                return commits

    def _newest(self):
        numbers = numbers_in(self.fs, f"{self.root}/checkpoints")
        return numbers[-1] if numbers else 0

    def renew(self):
        """Reads the newest checkpoint if it is not the one that was read last."""
        while True:
            newest = self._newest()
            if newest == self.number:
                return
            try:
                found = read_numbered(self.fs, f"{self.root}/checkpoints", newest)
            except FileNotFoundError:  # removed since it was listed: there is a newer one
                continue
            self.number, self.checkpoint = newest, found
            return


def is_there(url):
    """Whether `url` holds a data set. Raises Error: one of a later version, or of something else."""
    fs, root = fsspec.core.url_to_fs(url)
    try:
        found = _json_of(f"{root}/etscope-fleet.json", fs.cat_file(f"{root}/etscope-fleet.json"))
    except FileNotFoundError:
        return False
    if found.get("format") != HEAD["format"] or found.get("version", 0) > VERSION:
        raise Error(f"{url}: no data set of version {VERSION} or earlier: {found}", status="MISMATCH")
    return True


def snapshot(url):
    """{table: [file]} of what the newest checkpoint and later commits name. Raises Error: there is no data set."""
    if not is_there(url):
        raise Error(f"{url}: no data set: `etscope-fleet ingest` makes one", status="NOT_FOUND")
    return files_of(Log(url))


def files_of(log):
    """{table: [file]} of the newest state of a log."""
    files = {table: [] for table in SCHEMAS}
    commits = log.read()
    for part in (log.checkpoint, *(commit for _, commit in commits)):
        for table, names in part["files"].items():
            files.setdefault(table, []).extend(f"{log.root}/{name}" for name in names)
    return files
