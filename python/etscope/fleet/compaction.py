"""The sub-command compact: many small files of a data set become few large ones.

    compact(url, grace=3600)

A checkpoint stands for all commits up to its "last": it names the merged files, those that were
large enough before, and files with the hashes of all traces. It is created exclusively under the
next number, as a commit is: of two compactions one takes the number, and the other removes what it
wrote. Readers take the newest checkpoint and the commits after its last one, so that they see the
old files or the new ones. Ingests do not notice.

Rows stay as they are, except those of the table summaries: rows of one operator, device, build and
day become one, as their sketches merge.
"""

import json
import time
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

from etscope._errors import Error
from etscope.fleet.commits import create, parquet_options, remove, written_file
from etscope.fleet.dataset import KEY, PLACE, SCHEMAS, Log, is_there
from etscope.fleet.hash_files import sorted_hashes
from etscope.fleet.quantiles import merged
from etscope.fleet.removal import GRACE, clean, expire
from etscope.fleet.show import counted, number

TARGET_BYTES = 128 << 20  # files of this size are not merged again
MOST_ROWS = 1 << 17  # of a row group; as many rows are in memory, and as many summaries are merged
_RATIO = 4  # a file is merged with smaller ones only if these are together a quarter of it


def compact(url, grace=GRACE, target=TARGET_BYTES):
    """Merges what was committed since the last compaction, and removes files that were replaced more
    than `grace` seconds ago. Returns {"commits", "before", "after", "removed"}: the commits that the
    checkpoint newly stands for, numbers of data files, and how many files were removed.
    """
    if not is_there(url):
        raise Error(f"{url}: no data set: `etscope-fleet ingest` makes one", status="NOT_FOUND")
    log = Log(url)
    commits = log.read()
    merging = _Merging(log, commits, target)
    told = {"commits": 0, "before": 0, "after": 0}
    if commits:
        try:
            checkpoint = merging.checkpoint()
        except BaseException:
            remove(log.fs, log.root, merging.written)
            raise
        # If this fails, nobody knows whether the checkpoint is there, and needs the files.
        if create(log.fs, log.root, f"checkpoints/{log.number + 1:08d}.json", checkpoint):
            told = {"commits": len(commits), "before": merging.before, "after": _count(checkpoint["files"])}
        else:
            remove(log.fs, log.root, merging.written)
    return {**told, "removed": expire(url, grace)}


def _count(files):
    return sum(len(names) for names in files.values())


class _Merging:
    """Makes the checkpoint that stands for an older one and the commits after it."""

    def __init__(self, log, commits, target):
        self._fs, self._root, self._target = log.fs, log.root, target
        self._old, self._commits = log.checkpoint, commits
        self._files = {table: list(names) for table, names in self._old["files"].items()}
        for _, commit in commits:
            for table, names in commit["files"].items():
                self._files.setdefault(table, []).extend(names)
        self.before = _count(self._files)
        self.written = []

    def checkpoint(self):
        """The content of the checkpoint, whose files are written."""
        self._fs.makedirs(f"{self._root}/checkpoints", exist_ok=True)
        for table in SCHEMAS:
            new = {name.rpartition("/")[0] for _, commit in self._commits for name in commit["files"].get(table, [])}
            for folder in sorted(new):
                self._merge_folder(table, folder)
        traces = sum(commit.get("traces", 0) for _, commit in self._commits)
        return {"last": self._commits[-1][0], "traces": self._old["traces"] + traces, "files": self._files,
                "hash_files": self._hashes(), "time": time.time()}  # fmt: skip

    def _new_name(self, folder, ending):
        self._fs.makedirs(f"{self._root}/{folder}", exist_ok=True)
        self.written.append(f"{folder}/{uuid.uuid4().hex}.{ending}")
        return self.written[-1]

    def _merge_folder(self, table, folder):
        """The files of a table and day, which is the folder."""
        sizes = self._sizes(folder)
        own = [name for name in self._files[table] if name.rpartition("/")[0] == folder]
        missing = [name for name in own if name not in sizes]
        if missing:
            raise Error(f"{self._root}/{missing[0]}: the file is missing, and a commit names it;"
                        " nothing was changed", status="NOT_FOUND")  # fmt: skip
        gone, merged = set(), []
        for group in groups_of([(sizes[name], name) for name in own], self._target):
            if len(group) > 1:
                name, used = self._merge(table, folder, group)
                gone.update(used)
                merged += [name] * bool(used)
        self._files[table] = [name for name in self._files[table] if name not in gone] + merged

    def _sizes(self, folder):
        path = f"{self._root}/{folder}"
        self._fs.invalidate_cache(path)
        try:
            found = self._fs.ls(path, detail=True)
        except FileNotFoundError:
            found = []
        return {f"{folder}/{each['name'].rsplit('/', 1)[-1]}": each["size"] for each in found}

    def _merge(self, table, folder, names):
        """(the new file, the files whose rows it has); without these there is no new file."""
        schema, used = SCHEMAS[table], []
        name = self._new_name(folder, "parquet")
        with written_file(self._fs, f"{self._root}/{name}") as output, \
                pq.ParquetWriter(output, schema, **parquet_options(schema)) as writer:  # fmt: skip
            waiting, rows = [], 0
            for part in self._parts(names, schema, used):
                waiting.append(part)
                rows += part.num_rows
                if rows >= MOST_ROWS:
                    _write(writer, table, waiting)
                    waiting, rows = [], 0
            if waiting:
                _write(writer, table, waiting)
        if len(used) < 2:
            remove(self._fs, self._root, [name])
            used = []
        return name, used

    def _parts(self, names, schema, used):
        """Tables with the rows of files, which are added to `used`."""
        for name in names:
            with self._fs.open(f"{self._root}/{name}", "rb") as file:
                try:
                    source = pq.ParquetFile(file)
                    if not set(source.schema_arrow.names) <= set(schema.names):
                        continue  # of a later version, which has more columns: it stays as it is
                    for group in range(source.num_row_groups):
                        yield _as(schema, source.read_row_group(group))
                except (pa.ArrowException, OSError) as error:
                    reason = str(error).splitlines()[0]
                    raise Error(f"{self._root}/{name}: {reason}; nothing was changed", status="MALFORMED") from None
                used.append(name)

    def _hashes(self):
        """Files with the hashes of all traces: merged as those of the tables are."""
        fresh = sorted_hashes([name for _, commit in self._commits for name in commit.get("hashes", [])])
        names, old = [], {}
        for name in self._old["hash_files"]:
            size = self._fs.size(f"{self._root}/{name}")
            names, old = (names + [name], old) if size >= self._target else (names, {**old, name: size})
        for name, size in sorted(old.items(), key=lambda item: item[1]):
            if size > _RATIO * len(fresh):
                names.append(name)
            else:
                fresh = sorted_hashes([], [fresh, self._fs.cat_file(f"{self._root}/{name}")])
        if fresh:
            names.append(self._new_name("hashes", "sha256"))
            with written_file(self._fs, f"{self._root}/{names[-1]}") as output:
                output.write(fresh)
        return names


def groups_of(files, target):
    """Lists of names: of files (size, name), those that are merged. A large file is merged with small
    ones only if they are worth it, so that a file is written again a few times at most.
    """
    group, size = [], 0
    for own, name in sorted(file for file in files if file[0] < target):
        if group and (own > _RATIO * size or size + own > target):
            yield group
            group, size = [], 0
        group.append(name)
        size += own
    if group:
        yield group


def _as(schema, table):
    """A table with all columns of a schema; null where an older version had none."""
    columns = [table[field.name].cast(field.type) if field.name in table.schema.names
               else pa.nulls(table.num_rows, field.type) for field in schema]  # fmt: skip
    return pa.table(columns, schema=schema)


def _write(writer, table, parts):
    whole = pa.concat_tables(parts)
    writer.write_table(merged_summaries(whole) if table == "summaries" else whole)


def merged_summaries(table):
    """Rows of the table summaries with one row for each key and place."""
    names = [*KEY, *PLACE]
    groups = table.group_by(names, use_threads=False).aggregate([
        ("traces", "sum"), ("count", "sum"), ("sum_ns", "sum"), ("min_ns", "min"), ("max_ns", "max"),
        ("sketch", "list")])  # fmt: skip
    groups = groups.sort_by([(name, "ascending") for name in names])
    sketches = [each[0] if len(each) == 1 else merged(each) for each in groups["sketch_list"].to_pylist()]
    columns = {name: groups[name] for name in names}
    columns.update((name[: name.rindex("_")], groups[name]) for name in groups.schema.names if name not in names)
    columns["sketch"] = pa.array(sketches, pa.binary())
    return pa.table([columns[name] for name in table.schema.names], schema=table.schema)


def _run_compact(words):
    told = compact(words.dataset, words.grace * 60)
    if words.format == "json":
        print(json.dumps(told))
        return 0
    if told["commits"]:
        print(f"{counted(told['commits'], 'commit')} compacted: {counted(told['before'], 'file')} became"
              f" {told['after']:,}; {counted(told['removed'], 'file')} removed")  # fmt: skip
    else:
        print(f"nothing to compact; {counted(told['removed'], 'file')} removed")
    return 0


def _run_clean(words):
    print(f"{counted(clean(words.dataset), 'file')} that no reader needs removed")
    return 0


def add_commands(commands):
    """Adds compact and clean to the sub-commands."""
    parser = commands.add_parser("compact", help="merge small files of a data set, at any time")
    parser.add_argument("--dataset", required=True, help="folder or fsspec URL of the data set")
    parser.add_argument("--grace", type=number(0, float), default=GRACE / 60, metavar="MINUTES",
                        help="keep replaced files this long for readers that began before (default 60)")  # fmt: skip
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=_run_compact)
    parser = commands.add_parser("clean", help="remove what killed ingests and compactions left, and replaced"
                                 " files; not while an ingest, compaction or question runs")  # fmt: skip
    parser.add_argument("--dataset", required=True, help="folder or fsspec URL of the data set")
    parser.set_defaults(run=_run_clean)
