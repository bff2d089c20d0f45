"""How batches enter a data set: whole, or not at all.

    commit_batch(url, [(trace, reading), ...])

Files of a batch have names of their own and are part of the data set only once a commit names them.
A commit is one file with the next number, which is created exclusively: of two writers one takes the
number, and the other reads what is new, leaves out what is there now, and tries the next one. A kill
leaves files without a commit, which no reader sees and `clean` removes.

Commits that a checkpoint stands for are removed after some time. A writer that slept longer takes the
number of a removed commit: such a commit is void, no reader sees it, and the writer, which looks for
that, commits again.
"""

import contextlib
import hashlib
import itertools
import json
import os
import uuid

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from etscope._errors import Error
from etscope.fleet.dataset import HEAD, SCHEMAS, Log, is_there
from etscope.fleet.hash_files import HashFiles, is_local


def prepare(url):
    """Makes the data set if there is none. Raises Error: it is something else, or a later version."""
    if is_there(url):
        return
    fs, root = fsspec.core.url_to_fs(url)
    # Of these alone, an ingest made them and was stopped before it wrote the head.
    begun = ("commits", "refused")
    others = fs.exists(root) and any(path.rsplit("/", 1)[-1] not in begun for path in fs.ls(root, detail=False))
    if others and not is_there(url):  # another ingest has begun meanwhile
        raise Error(f"{url}: the folder is not empty, and no data set", status="INVALID_ARGUMENT")
    for folder in begun:
        fs.makedirs(f"{root}/{folder}", exist_ok=True)
    create(fs, root, "etscope-fleet.json", HEAD)


class Known:
    """The traces that a data set has, by `in`. `last` is the number of the last commit that was read."""

    def __init__(self, url):
        self._log = Log(url)
        self.last, self.hashes = 0, set()  # of commits after those that the checkpoint stands for
        self._files = HashFiles(self._log.fs, self._log.root)
        self.refresh()

    def __contains__(self, name):
        return name in self.hashes or name in self._files

    def refresh(self):
        """Reads what is new."""
        commits = self._log.read(self.last)
        if self._log.checkpoint["last"] > self.last:
            self._files.open(self._log.checkpoint["hash_files"])
            self.last, self.hashes = self._log.checkpoint["last"], set()
        for self.last, commit in commits:
            self.hashes.update(commit.get("hashes", []))

    def is_void(self, number, name):
        """Whether the commit of this number, which has this trace, took the place of a removed one."""
        self._log.renew()
        if self._log.checkpoint["last"] < number:
            return False
        files = HashFiles(self._log.fs, self._log.root)
        files.open(self._log.checkpoint["hash_files"])
        return name not in files


def commit_batch(url, traces, known=None):
    """Adds traces: [(row of the table traces, trace_tables.Reading)]; returns the hashes that were new.

    `known` is of the same data set and spares reading all its commits again.
    """
    fs, root = fsspec.core.url_to_fs(url)
    known = known or Known(url)
    while True:
        known.refresh()
        traces = [each for each in traces if each[0]["trace"] not in known]
        if not traces:
            return []
        hashes = [trace["trace"] for trace, _ in traces]
        files = _write(fs, root, uuid.uuid4().hex, traces)
        number = known.last + 1
        commit = {"traces": len(traces), "hashes": hashes, "files": files}
        if create(fs, root, f"commits/{number:08d}.json", commit):
            if not known.is_void(number, hashes[0]):
                return hashes
            remove(fs, root, [f"commits/{number:08d}.json"])
        remove(fs, root, [name for names in files.values() for name in names])


@contextlib.contextmanager
def written_file(fs, path):
    """A new file, which is on the disk before a commit can name it."""
    with fs.open(path, "wb") as output:
        yield output
        if is_local(fs):
            output.flush()
            os.fsync(output.fileno())


def parquet_options(schema, has_statistics=True):
    """How files of a table are written.

    Texts and whole numbers repeat and get a dictionary. Times hardly repeat, but most are whole
    nanoseconds: with their bytes apart, zeros lie together. Extremes of texts take half of the time
    of writing, and help only readers that skip parts of large files.
    """
    times = [field.name for field in schema if field.type == pa.float64()]
    repeating = [field.name for field in schema if field.type in (pa.string(), pa.int32(), pa.int64())]
    return {"compression": "zstd", "use_dictionary": repeating, "store_schema": False,
            "column_encoding": dict.fromkeys(times, "BYTE_STREAM_SPLIT"),
            "write_statistics": has_statistics or [field.name for field in schema if field.type != pa.string()]}  # fmt: skip


def _write(fs, root, batch, traces):
    """Writes the tables of traces, by days; returns {table: [name]}. What it wrote before it failed is removed."""
    from etscope.fleet import batch_tables

    files = {name: [] for name in SCHEMAS}
    try:
        for day in sorted({trace["day"] for trace, _ in traces}):
            tables = batch_tables.of([each for each in traces if each[0]["day"] == day])
            for name, parts in tables.items():
                file = f"{name}/day={day}/{batch}.parquet"
                files[name].append(file)
                if not _write_table(fs, f"{root}/{file}", name, parts):
                    files[name].pop()
    except BaseException:
        remove(fs, root, [name for names in files.values() for name in names])
        raise
    return files


def _write_table(fs, path, name, parts):
    """Writes the parts of a table as row groups of a file; false: there are none, and there is no file."""
    first = next(parts, None)
    if first is None:
        return False
    fs.makedirs(path.rpartition("/")[0], exist_ok=True)
    options = parquet_options(SCHEMAS[name], has_statistics=False)
    with written_file(fs, path) as output, pq.ParquetWriter(output, first.schema, **options) as writer:
        for part in itertools.chain([first], parts):
            writer.write_table(part)
    return True


def create(fs, root, name, value):
    """Creates a file that is not there, whole; false: another one was faster."""
    path = f"{root}/{name}"
    if is_local(fs):
        part = f"{root}/commits/.{uuid.uuid4().hex}"
        with open(part, "x", encoding="utf-8") as file:
            json.dump(value, file)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(part, path)  # fails if it is there, unlike a rename
        except FileExistsError:
            return False
        finally:
            os.unlink(part)
        return True
    try:
        fs.pipe_file(path, json.dumps(value).encode(), mode="create")
    except FileExistsError:
        # It is this one if the store created it, and was asked again since its answer was lost.
        return json.loads(fs.cat_file(path)) == value
    return True


def _put(fs, path, value):
    with fs.open(path, "wb") as file:
        file.write(json.dumps(value).encode())


def _noted_as(path, name):
    return f"{hashlib.sha256(path.encode()).hexdigest()}-{name}"


def note_refused(url, refused, hashes=(), paths=()):
    """Notes files that are not part of the data set, and why: [(hash, path, reason)].

    Takes back what was noted of content that was added since, as what was told of it was mended, and
    of paths that now have other content, refused or not.
    """
    fs, root = fsspec.core.url_to_fs(url)
    notes = {_noted_as(path, name): {"path": path, "hash": name, "reason": reason} for name, path, reason in refused}
    if notes:
        fs.makedirs(f"{root}/refused", exist_ok=True)
    for name, note in notes.items():
        _put(fs, f"{root}/refused/{name}.json", note)
    if not fs.exists(f"{root}/refused"):
        return
    hashes, mended = set(hashes), {_noted_as(path, "") for path in paths}
    again = {_noted_as(path, "") for _, path, _ in refused}

    def is_over(name):
        path, dash, hash_ = name.rpartition("-")
        return hash_ in hashes or path + dash in mended or (path + dash in again and name not in notes)

    fs.invalidate_cache(f"{root}/refused")  # some stores keep lists of what was there before
    noted = [path.rsplit("/", 1)[-1].removesuffix(".json") for path in fs.ls(f"{root}/refused", detail=False)]
    remove(fs, root, [f"refused/{name}.json" for name in noted if is_over(name)])


def remove(fs, root, names):
    """Removes files of a data set; returns how many were there."""
    count = 0
    for name in names:
        try:
            fs.rm_file(f"{root}/{name}")
            count += 1
        except FileNotFoundError:  # another process was faster
            pass
    return count
