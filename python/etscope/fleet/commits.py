"""How batches enter a data set: whole, or not at all.

    commit_batch(url, [(trace, reading), ...])

Files of a batch have names of their own and are part of the data set only once a commit names them.
A commit is one file with the next number, which is created exclusively: of two writers one takes the
number, and the other reads what is new, leaves out what is there now, and tries the next one. A kill
leaves files without a commit, which no reader sees and `clean` removes.
"""

import json
import os
import uuid

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from etscope._errors import Error
from etscope.fleet.dataset import HEAD, SCHEMAS, commits_after, is_there


def prepare(url):
    """Makes the data set if there is none. Raises Error: it is something else, or a later version."""
    if is_there(url):
        return
    fs, root = fsspec.core.url_to_fs(url)
    # Of these alone, an ingest made them and was stopped before it wrote the head.
    begun = ("commits", "refused")
    if fs.exists(root) and any(path.rsplit("/", 1)[-1] not in begun for path in fs.ls(root, detail=False)):
        raise Error(f"{url}: the folder is not empty, and no data set", status="INVALID_ARGUMENT")
    for folder in begun:
        fs.makedirs(f"{root}/{folder}", exist_ok=True)
    _create(fs, root, "etscope-fleet.json", HEAD)


class Known:
    """The traces that a data set has: `hashes`, and `last`, the number of the last commit that was read."""

    def __init__(self, url):
        self._fs, self._root = fsspec.core.url_to_fs(url)
        self.last, self.hashes = 0, set()
        self.refresh()

    def refresh(self):
        """Reads the commits that are new."""
        for number, commit in commits_after(self._fs, self._root, self.last):
            self.last = number
            self.hashes.update(commit.get("hashes", []))


def commit_batch(url, traces, known=None):
    """Adds traces: [(row of the table traces, trace_tables.Reading)]; returns the hashes that were new.

    `known` is of the same data set and spares reading all its commits again.
    """
    fs, root = fsspec.core.url_to_fs(url)
    known = known or Known(url)
    while True:
        known.refresh()
        traces = [each for each in traces if each[0]["trace"] not in known.hashes]
        if not traces:
            return []
        hashes = [trace["trace"] for trace, _ in traces]
        files = _write(fs, root, uuid.uuid4().hex, traces)
        commit = {"traces": len(traces), "hashes": hashes, "files": files}
        if _create(fs, root, f"commits/{known.last + 1:08d}.json", commit):
            return hashes
        _remove(fs, root, files)


def _write(fs, root, batch, traces):
    """Writes the tables of traces, by days; returns {table: [name]}."""
    from etscope.fleet import batch_tables

    files = {name: [] for name in SCHEMAS}
    for day in sorted({trace["day"] for trace, _ in traces}):
        tables = batch_tables.of([each for each in traces if each[0]["day"] == day])
        for name, table in tables.items():
            if table.num_rows == 0:
                continue
            file = f"{name}/day={day}/{batch}.parquet"
            fs.makedirs(f"{root}/{name}/day={day}", exist_ok=True)
            texts = [field.name for field in SCHEMAS[name] if field.type == pa.string()]
            with fs.open(f"{root}/{file}", "wb") as output:
                # Times hardly repeat: only texts are worth a dictionary.
                pq.write_table(table, output, compression="zstd", use_dictionary=texts, store_schema=False)
            files[name].append(file)
    return files


def _create(fs, root, name, value):
    """Creates a file that is not there, whole; false: another one was faster."""
    path = f"{root}/{name}"
    if "file" in (fs.protocol if isinstance(fs.protocol, tuple) else (fs.protocol,)):
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
        return False
    return True


def _put(fs, path, value):
    with fs.open(path, "wb") as file:
        file.write(json.dumps(value).encode())


def refuse(url, name, path, reason):
    """Notes a file that is not part of the data set, and why."""
    fs, root = fsspec.core.url_to_fs(url)
    _put(fs, f"{root}/refused/{name}.json", {"path": path, "hash": name, "reason": reason})


def _remove(fs, root, files):
    for names in files.values():
        for name in names:
            fs.rm_file(f"{root}/{name}")


def clean(url):
    """Removes files that no commit names; returns how many. Only while nothing is ingested."""
    from etscope.fleet.dataset import snapshot

    fs, root = fsspec.core.url_to_fs(url)
    kept = {name for names in snapshot(url).values() for name in names}
    count = 0
    for table in SCHEMAS:
        for path in fs.find(f"{root}/{table}"):
            if path not in kept and f"/{path.lstrip('/')}" not in kept:
                fs.rm_file(path)
                count += 1
    for path in fs.ls(f"{root}/commits", detail=False):
        if path.rsplit("/", 1)[-1].startswith("."):
            fs.rm_file(path)
            count += 1
    return count
