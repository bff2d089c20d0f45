"""The sub-commands ingest and clean: traces of devices become rows of a data set.

    etscope-fleet ingest traces/ -o dataset --name-pattern '{device}/{build}/{time}_{_}.etdp'

A trace is known by the hash of its content: the same file is added once, under whatever name. It can
be stopped, killed and begun again at any time. Files that cannot be read are listed in
DATASET/refused with the reason, and looked at again when their content has changed.
"""

import concurrent.futures
import datetime
import glob
import hashlib
import json
import multiprocessing
import os
import sys

import pyarrow as pa

from etscope import __version__
from etscope._errors import Error
from etscope.fleet import commits, side_information, trace_tables
from etscope.fleet.dataset import SCHEMAS

_MOST_REASON = 500
_KEY = ("program", "device", "build", "day")


def files_of(sources):
    """Paths of traces: of folders all .etdp and .etdump below, of lists (.txt) a path a line."""
    found = []
    for source in sources:
        if os.path.isdir(source):
            for ending in ("etdp", "etdump"):
                found += glob.glob(os.path.join(glob.escape(source), "**", f"*.{ending}"), recursive=True)
        elif source.endswith(".txt"):
            with open(source, encoding="utf-8") as file:
                found += [line.strip() for line in file if line.strip()]
        else:
            found.append(source)
    return sorted(dict.fromkeys(found))


def ingest(sources, dataset, *, labels=None, name_pattern=None, etrecord=None, batch=32, workers=None):
    """Adds traces; returns {"added", "known", "refused"}: numbers of files.

    labels    what all of them have: {"device": ..., "labels": {...}}
    etrecord  the ETRecord of their program, for modules and source lines
    workers   processes; default: one for each core
    """
    commits.prepare(dataset)
    pattern = side_information.pattern_of(name_pattern)
    known = commits.committed(dataset)[1]
    counts = {"added": 0, "known": 0, "refused": 0}
    paths = files_of(sources)
    batches = [paths[at : at + batch] for at in range(0, len(paths), batch)]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers or os.cpu_count(), context) as pool:
        jobs = [pool.submit(_ingest_batch, dataset, each, known, pattern, labels, etrecord)
                for each in batches]  # fmt: skip
        for job in concurrent.futures.as_completed(jobs):
            for name, count in job.result().items():
                counts[name] += count
    return counts


def _ingest_batch(dataset, paths, known, pattern, given, etrecord):
    """In a process of its own: commits of several writers do not get in each other's way."""
    tables, hashes, seen, refused = _read_batch(paths, known, pattern, given, etrecord)
    for name, path, reason in refused:
        commits.refuse(dataset, name, path, reason)
    new = commits.commit_batch(dataset, tables, hashes) if hashes else []
    return {"added": len(new), "known": seen + len(hashes) - len(new), "refused": len(refused)}


def _read_batch(paths, known, pattern, given, etrecord):
    """(tables, hashes of their traces, number of known files, [(hash, path, reason)])"""
    parts = {name: [] for name in ("traces", "runs", "operators")}
    hashes, seen, refused = [], 0, []
    for path in paths:
        name = hashlib.sha256(path.encode()).hexdigest()  # of a file without content
        try:
            with open(path, "rb") as file:
                data = file.read()
            name = hashlib.sha256(data).hexdigest()
            if name in known or name in hashes:
                seen += 1
                continue
            options = {} if etrecord is None else {"etrecord": etrecord}
            tables, facts = trace_tables.read(data, **options)
            told = _told(path, pattern, given, facts)
        except (Error, OSError, ValueError, TypeError) as reason:
            refused.append((name, path, str(reason)[:_MOST_REASON]))
            continue
        trace = {"trace": name, "path": path, "bytes": len(data), "etrecord": etrecord is not None,
                 "etscope_version": __version__, "lost_events": 0, **facts, **told}  # fmt: skip
        _add(parts, trace, tables)
        hashes.append(name)
    tables = {name: pa.concat_tables(rows) for name, rows in parts.items() if rows}
    return tables, hashes, seen, refused


def _told(path, pattern, given, facts):
    found = side_information.read(path, pattern, given)
    time = side_information.time_of(found.pop("time"))
    day = "unknown" if time is None else time.astimezone(datetime.timezone.utc).strftime("%Y-%m-%d")
    return {**found, "time": time, "day": day, "program": facts.pop("program", ""),
            "labels": list(found["labels"].items())}  # fmt: skip


def _add(parts, trace, tables):
    parts["traces"].append(pa.Table.from_pylist([trace], SCHEMAS["traces"]))
    for name, table in tables.items():
        schema = SCHEMAS[name]
        keys = {key: pa.repeat(pa.scalar(trace[key], pa.string()), table.num_rows)
                for key in ("trace", *_KEY)}  # fmt: skip
        parts[name].append(pa.table({
            field.name: keys[field.name] if field.name in keys else table[field.name].cast(field.type)
            for field in schema
        }))  # fmt: skip


def _labels_of(words):
    """{"device", ..., "labels"} of --label device=x --label room=cold. Raises Error."""
    given = {"labels": {}}
    for pair in words:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise Error(f'"{pair}" is no label: write --label room=cold', status="INVALID_ARGUMENT")
        (given if key in side_information.FIELDS else given["labels"])[key] = value
    return given


def _run_ingest(words):
    counts = ingest(words.source, words.dataset, labels=_labels_of(words.label),
                    name_pattern=words.name_pattern, etrecord=words.etrecord, workers=words.workers)  # fmt: skip
    if words.format == "json":
        print(json.dumps(counts))
    else:
        print(f"traces: {counts['added']} added, {counts['known']} known, {counts['refused']} refused"
              + (f": see {words.dataset}/refused" if counts["refused"] else ""))  # fmt: skip
    return 1 if counts["refused"] and not counts["added"] and not counts["known"] else 0


def _run_clean(words):
    count = commits.clean(words.dataset)
    print(f"{count} files without a commit removed", file=sys.stdout)
    return 0


def add_commands(commands):
    """Adds ingest and clean to the sub-commands."""
    parser = commands.add_parser("ingest", help="add traces to a data set")
    parser.add_argument("source", nargs="+", help="folders, traces, and lists of paths (.txt)")
    parser.add_argument("-o", "--dataset", required=True, help="folder or fsspec URL of the data set")
    parser.add_argument("--label", action="append", default=[], metavar="KEY=VALUE",
                        help="device, build, time, model, or a label of your own")  # fmt: skip
    parser.add_argument("--name-pattern", metavar="PATTERN",
                        help="what paths tell, such as '{device}/{build}/{time}_{_}.etdp'")  # fmt: skip
    parser.add_argument("--etrecord", help="the ETRecord of the program, for modules and lines")
    parser.add_argument("--workers", type=int, help="processes; default: one for each core")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=_run_ingest)
    parser = commands.add_parser("clean", help="remove what killed ingests left; not while one runs")
    parser.add_argument("dataset")
    parser.set_defaults(run=_run_clean)
