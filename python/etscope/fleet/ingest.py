"""The sub-command ingest: traces of devices become rows of a data set.

    etscope-fleet ingest traces/ -o dataset --name-pattern '{device}/{build}/{time}_{_}.etdp'

A trace is known by the hash of its content: the same file is added once, under whatever name. It can
be stopped, killed and begun again at any time. Files that cannot be read are listed in
DATASET/refused with the reason, until an ingest can add them.
"""

import collections
import concurrent.futures
import contextlib
import ctypes
import hashlib
import json
import multiprocessing
import os
import signal
import sys
from concurrent.futures.process import BrokenProcessPool

from etscope import __version__
from etscope._errors import Error
from etscope.etrecord._record import as_etrecord
from etscope.fleet import commits, device_summaries, regular_files, side_information, trace_tables
from etscope.fleet.known_places import Places
from etscope.fleet.show import counted, folded, plain
from etscope.fleet.summaries import counted_runs

_MOST_REASON = 500
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of malloc.h
_KEPT_BYTES = 32 << 20  # the most that glibc takes
MOST_REASONS = 5  # that are shown; DATASET/refused has all
MOST_FILES, MOST_BYTES = 256, 96 << 20  # of a batch: its runs and times are in memory, a fifth of that
MOST_TRACE_BYTES = 1 << 30  # of a file: a larger one is refused
ENDINGS = (".etdp", ".etdump", ".etsum")


def files_of(sources, unlisted=None):
    """Absolute paths of traces: of folders all .etdp, .etdump and .etsum below, of lists (.txt) a path a line.

    Errors of folders that cannot be listed are added to `unlisted`. Raises Error: there is no such source.
    """
    found, unlisted = [], [] if unlisted is None else unlisted
    for source in sources:
        if not os.path.exists(source):
            raise Error(f"{source}: no such file or folder", status="NOT_FOUND")
        if os.path.isdir(source):
            found += _below(source, unlisted.append)
        elif source.endswith(".txt"):
            with open(source, "rb") as file:  # names are bytes
                found += [os.fsdecode(line.strip()) for line in file if line.strip()]
        else:
            found.append(source)
    return sorted({os.path.abspath(path) for path in found})


def _below(folder, onerror):
    """Traces in a folder and those below, hidden ones and links too; a folder that is there twice, once."""
    seen = set()
    for here, folders, names in os.walk(folder, onerror=onerror, followlinks=True):
        status = os.stat(here)
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        yield from (os.path.join(here, name) for name in names + folders if name.lower().endswith(ENDINGS))


def batches_of(paths, most_files=MOST_FILES, most_bytes=MOST_BYTES):
    """Lists of paths: as many as are read at once. A large file is alone."""
    batch, size = [], 0
    for path in paths:
        try:
            own = os.path.getsize(path)
        except (OSError, ValueError):  # it is refused when it is read
            own = 0
        if batch and (len(batch) == most_files or size + own > most_bytes):
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += own
    if batch:
        yield batch


def ingest(sources, dataset, *, labels=None, name_pattern=None, etrecord=None, unit="ns", events=False,
           batch=MOST_FILES, workers=None):  # fmt: skip
    """Adds traces; returns {"added", "known", "refused"}: numbers of files, and texts about them:
    "reasons", of the first refused files, and "notes".

    labels    what all of them have: {"device": ..., "labels": {...}}
    etrecord  the ETRecord of their program, for modules and source lines
    unit      of the times of traces that do not tell it: ns, us, ms, s
    events    also fill the table events: a row for each event of each run
    batch     traces of one commit at most
    workers   processes; default: one for each core
    """
    if workers is not None and workers < 1:
        raise Error(f"{workers} processes cannot work: --workers takes 1 or more", status="INVALID_ARGUMENT")
    unlisted = []
    paths = files_of(sources, unlisted)
    if not paths and unlisted:
        raise unlisted[0]
    if not paths:
        raise Error(f"no {', '.join(ENDINGS)} in {', '.join(sources)}; nothing was added", status="NOT_FOUND")
    pattern = side_information.pattern_of(name_pattern)
    unnamed = side_information.unmatched(paths, pattern)
    paths = side_information.by_day(paths, pattern)  # a batch has files of its own for each day
    if etrecord is not None:
        as_etrecord(etrecord)  # a bad one is told once, and not for each trace
    commits.prepare(dataset)
    counts = dict(_NONE, reasons=[], reports=[], odd_labels=[], examples=[])
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    with concurrent.futures.ProcessPoolExecutor(
            workers or os.cpu_count(), context, _begin,
            (stop, dataset, pattern, labels, etrecord, unit, events)) as pool:  # fmt: skip
        try:
            jobs = [_submit(pool, each) for each in batches_of(paths, batch)]
            for job in concurrent.futures.as_completed(jobs):
                for name, count in job.result().items():
                    counts[name] += count
        except KeyboardInterrupt:
            _end(pool, stop)
            raise
        except BrokenProcessPool as reason:
            raise Error("a process that reads traces ended, such as for want of memory; what is committed"
                        " stays: begin again, with fewer --workers", status="NO_MEMORY") from reason  # fmt: skip
    examples = side_information.by_day(sorted(counts.pop("examples")), pattern)
    answer = _told_of(counts, paths, unnamed, etrecord)
    answer["notes"][:0] = side_information.told_by(pattern, examples) + _told_of_known(
        counts["known"], {"--name-pattern": pattern, "--label": any((labels or {}).values()),
                          "--etrecord": etrecord, "--source-time-scale": unit != "ns", "--events": events})  # fmt: skip
    if unlisted:
        answer["notes"].append(f"{counted(len(unlisted), 'folder')} could not be listed, such as"
                               f" {unlisted[0].filename}: {unlisted[0].strerror}")  # fmt: skip
    return answer


def _submit(pool, paths):
    """Starts a process where one is missing. Ctrl-C is for this one alone, which has the others end."""
    with _without_interrupts():
        return pool.submit(_ingest_batch, paths)


@contextlib.contextmanager
def _without_interrupts():
    """Ctrl-C comes afterwards. Processes and threads that are begun meanwhile never see it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(pool, stop):
    """Lets batches end that have begun; a further Ctrl-C ends the processes at once."""
    stop.set()
    try:
        pool.shutdown(cancel_futures=True)
    except KeyboardInterrupt:
        for process in multiprocessing.active_children():
            process.kill()


# What is counted, beside texts about the first refused files and what tells reports apart.
_NONE = dict.fromkeys(("added", "known", "refused", "without_record", "summaries", "without_places",
                       "lossy", "lost_values", "unknown_methods", "wide_calls", "sampled"), 0)  # fmt: skip


def _told_of(counts, paths, unnamed, etrecord):
    """The counts with notes on what was given and had no effect."""
    told, notes = {name: counts.pop(name, 0) for name in _NONE if name not in ("added", "known", "refused")}, []
    off_record = told["without_record"]
    repeated = [report for report, count in collections.Counter(counts.pop("reports", [])).items() if count > 1]
    counts.pop("examples", None)
    counts["reasons"] = sorted(counts["reasons"])[:MOST_REASONS]
    for name, field in sorted(set(counts.pop("odd_labels", []))):
        notes.append(f"the label {name} is no column: did you mean {field}?")
    if unnamed:
        notes.append(f"the name pattern does not match {len(unnamed):,} of {counted(len(paths), 'name')},"
                     f" such as {unnamed[0]}")  # fmt: skip
    if off_record:
        notes.append(f"{etrecord} tells no module and no line of {counted(off_record, 'trace')}"
                     f" of {counts['added']:,}; is it of another program?")  # fmt: skip
    if told["lossy"]:
        notes.append(f"{counted(told['lost_values'], 'time')} found no row in {_summaries(told['lossy'])}"
                     f" of {told['summaries']:,}: the devices need more rows")  # fmt: skip
    if told["without_places"]:
        notes.append(f"backend and module of operators are not known in {_summaries(told['without_places'])}"
                     f" of {told['summaries']:,}: add a trace of the same program first")  # fmt: skip
    if repeated:
        device, _, start, sequence = repeated[0]
        notes.append(f"{counted(len(repeated), 'report')} arrived more than once with different content,"
                     f" such as {sequence} of start {start} of {device or 'an unknown device'}: runs count"
                     " more than once")  # fmt: skip
    if told["unknown_methods"]:
        notes.append(f"several methods without a name are told apart by their operators in"
                     f" {counted(told['unknown_methods'], 'trace')}: --etrecord or the tracer names them")  # fmt: skip
    if told["wide_calls"]:
        notes.append(f"{counted(told['wide_calls'], 'trace')} {'has' if told['wide_calls'] == 1 else 'have'} delegate calls"
                     " over several modules: their time is given to none of these, but to the module around them;"
                     " `etscope inspect --program` tells what is inside")  # fmt: skip
    if told["sampled"]:
        notes.append(f"{counted(told['sampled'], 'trace')} {'has' if told['sampled'] == 1 else 'have'} operators in some"
                     " runs only: summaries and medians are of these runs")  # fmt: skip
    return {**counts, "notes": notes}


def _told_of_known(count, options):
    """A note if options were given that known traces, which are not read again, are not told by."""
    given = [name for name, value in options.items() if value]
    if not count or not given:
        return []
    *others, last = given
    names = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    keep, them = ("keeps", "it") if count == 1 else ("keep", "them")
    return [f"{counted(count, 'known trace')} {keep} what the data set has of {them}: {names} not used for {them};"
            " to change that, ingest into a new data set"]  # fmt: skip


def _summaries(count):
    return f"{count:,} {'summary' if count == 1 else 'summaries'}"


_reader = _stop = None  # of a worker's process


def _begin(stop, *arguments):
    global _reader, _stop
    if not hasattr(signal, "pthread_sigmask"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    _keep_memory()
    _reader, _stop = Reader(*arguments), stop


def _keep_memory():
    """Has glibc keep what the last trace took for the next one: the kernel would clear it anew each time."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _KEPT_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)


def _ingest_batch(paths):
    return {} if _stop.is_set() else _reader.ingest(paths)


class Reader:
    """What a process that reads traces keeps from one batch to the next.

    Each commits its own batches: several writers do not get in each other's way.
    """

    def __init__(self, dataset, pattern=None, given=None, etrecord=None, unit="ns", events=False):
        self.dataset, self._pattern, self._given = dataset, pattern, given
        self._unit, self._events = unit, events
        self._meant = {*(pattern.groupindex if pattern else ()), *(given or {}).get("labels", ())}  # as labels
        self._etrecord = as_etrecord(etrecord)
        self._known, self._places = commits.Known(dataset), Places(dataset)
        self._room = regular_files.Room()

    def ingest(self, paths):
        traces, known, refused = self.read(paths)
        without = self._complete(traces)
        new, odd = self._commit(traces)
        refused += odd
        bad = {path for _, path, _ in refused}
        mended = {*known, *(trace["path"] for trace, _ in traces)} - bad
        commits.note_refused(self.dataset, refused, new, mended)
        own = [each for each in traces if each[0]["trace"] in new]
        return {"added": len(new), "known": len(known) + len(traces) - len(new) - len(odd), "refused": len(refused),
                "without_record": 0 if self._etrecord is None else sum(not trace["etrecord"] for trace, _ in own),
                "without_places": sum(trace["trace"] in without for trace, _ in own), **_counts_of(own, self._meant),
                "examples": side_information.matched((trace["path"] for trace, _ in own), self._pattern)[:1],
                "reasons": [f"{path}: {reason}" for _, path, reason in refused[:MOST_REASONS]]}  # fmt: skip

    def _complete(self, traces):
        """Fills in what traces tell of the operators of summaries; the hashes of those that they do not."""
        if all(trace["kind"] == "trace" for trace, _ in traces):
            return set()
        own = {}
        for trace, reading in traces:
            if trace["kind"] == "trace" and trace["program"]:
                own.setdefault(trace["program"], []).extend(reading.places)
        return {trace["trace"] for trace, reading in traces
                if trace["kind"] == "summary" and self._places.complete(trace["program"], reading.rows, own)}  # fmt: skip

    def _commit(self, traces):
        """(hashes that were new, [(hash, path, reason)] of those that make no rows)."""
        try:
            return (commits.commit_batch(self.dataset, traces, self._known) if traces else []), []
        except (Error, OSError):
            raise
        except Exception as reason:  # one of them makes rows that cannot be: the others are added
            if len(traces) == 1:
                trace, _ = traces[0]
                return [], [(trace["trace"], trace["path"], _reason(reason))]
        parts = [self._commit([each]) for each in traces]
        return [name for new, _ in parts for name in new], [each for _, odd in parts for each in odd]

    def _reading(self, data):
        """Of a trace, or of a device's summary."""
        if device_summaries.is_summary(data):
            return device_summaries.read(data)
        return trace_tables.read(data, etrecord=self._etrecord, unit=self._unit, with_events=self._events)

    def read(self, paths):
        """([(row of the table traces, Reading)], paths of known traces, [(hash, path, reason)])"""
        traces, hashes, known, refused = [], set(), [], []
        for name_of_file in paths:
            raw = os.fsencode(name_of_file)
            path = raw.decode("utf-8", "backslashreplace")  # to be shown, and kept
            name = hashlib.sha256(raw).hexdigest()  # of a file without content
            try:
                data, name = self._room.read_hashed(name_of_file, MOST_TRACE_BYTES)
                if name in self._known or name in hashes:
                    known.append(path)
                    continue
                reading = self._reading(data)
                told = _told(name_of_file, self._pattern, self._given, reading.facts)
            except Exception as reason:  # whatever a file does, the others are added
                refused.append((name, path, _reason(reason)))
                continue
            told["labels"] = list({**reading.labels, **told["labels"]}.items())
            traces.append(({"trace": name, "path": path, "bytes": len(data),
                            "etrecord": self._etrecord is not None and reading.has_origins,
                            "etscope_version": __version__, **reading.facts, **told}, reading))  # fmt: skip
            hashes.add(name)
        return traces, known, refused


def _reason(error):
    """One line; of an OSError without the path, which is told beside it."""
    told = str(getattr(error, "strerror", None) or error).partition("\n")[0]
    expected = isinstance(error, (Error, OSError, ValueError)) and told
    return (told if expected else f"{type(error).__name__}: {told}".removesuffix(": "))[:_MOST_REASON]


def _counts_of(traces, meant):
    """What is noted of traces and summaries that were added."""
    summaries = [(trace, reading.labels) for trace, reading in traces if trace["kind"] == "summary"]
    lost = [int(labels["lost_values"]) for _, labels in summaries]
    return {"summaries": len(summaries), "lossy": sum(count > 0 for count in lost), "lost_values": sum(lost),
            "wide_calls": sum(trace["kind"] == "trace" and reading.has_wide_calls for trace, reading in traces),
            "unknown_methods": sum(reading.unknown_methods > 1 for _, reading in traces),
            "sampled": sum(_is_sampled(trace, reading) for trace, reading in traces),
            "odd_labels": side_information.like_fields({name for trace, _ in traces for name, _ in trace["labels"]} - meant),
            "reports": [(trace["device"], trace["program"], labels["start"], labels["sequence"])
                        for trace, labels in summaries if labels["start"] != "0"]}  # fmt: skip


def _is_sampled(trace, reading):
    if trace["kind"] == "summary":
        return reading.is_sampled
    return bool((~reading.runs["warm_up"] & ~counted_runs(reading)).any())


def _plain(value):
    """Texts that UTF-8 can hold: of a name or of JSON they may have half of a character."""
    if isinstance(value, dict):
        return {_plain(name): _plain(each) for name, each in value.items()}
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _told(path, pattern, given, facts):
    found = side_information.read(path, pattern, given)
    found = {name: _plain(value) for name, value in found.items()}
    time = side_information.time_of(found.pop("time"))
    day = "unknown" if time is None else time.date().isoformat()
    return {**found, "time": time, "day": day, "program": facts["program"]}


def _labels_of(words):
    """{"device", ..., "labels"} of --label device=x --label room=cold. Raises Error."""
    given = {"labels": {}}
    for pair in words:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise Error(f'"{pair}" is no label: write --label room=cold', status="INVALID_ARGUMENT")
        if not value:
            raise Error(f"--label {pair} has no value, such as of a variable that is not set; nothing was added",
                        status="INVALID_ARGUMENT")  # fmt: skip
        key = side_information.name_of(key)
        (given if key in side_information.FIELDS else given["labels"])[key] = value
    return given


def _run_ingest(words):
    counts = ingest(words.source, words.dataset, labels=_labels_of(words.label),
                    name_pattern=words.name_pattern, etrecord=words.etrecord,
                    unit=words.source_time_scale, events=words.events, workers=words.workers)  # fmt: skip
    if words.format == "json":
        print(json.dumps(counts))
    else:
        print(f"traces: {counts['added']:,} added, {counts['known']:,} known, {counts['refused']:,} refused"
              + (f": see {words.dataset}/refused" if counts["refused"] else ""))  # fmt: skip
        for line in [f"refused {plain(reason)}" for reason in counts["reasons"]] + \
                [f"note: {plain(note)}" for note in counts["notes"]]:  # fmt: skip
            print(folded(line))
    return 1 if counts["refused"] and not counts["added"] and not counts["known"] else 0


def add_commands(commands):
    """Adds ingest to the sub-commands."""
    parser = commands.add_parser("ingest", help="add traces to a data set",
                                 epilog="Exit status: 0 if traces were added or known, 1 if all were"
                                 " refused, 2 if it could not begin.")  # fmt: skip
    parser.add_argument("source", nargs="+", help="folders, traces, and lists of paths (.txt)")
    parser.add_argument("-o", "--dataset", required=True, help="folder or fsspec URL of the data set")
    parser.add_argument("--label", action="append", default=[], metavar="KEY=VALUE",
                        help="device, build, time, model, or a label of your own")  # fmt: skip
    parser.add_argument("--name-pattern", metavar="PATTERN",
                        help="what paths tell, such as '{device}/{build}/{time}_{_}.etdp'")  # fmt: skip
    parser.add_argument("--etrecord", help="the ETRecord of the program, for modules and lines")
    parser.add_argument("--source-time-scale", choices=tuple(trace_tables.UNITS)[:-1], default="ns",
                        help="unit of the times of traces that do not tell it (default ns)")  # fmt: skip
    parser.add_argument("--events", action="store_true", help="also keep every event, in the table events")
    parser.add_argument("--workers", type=int, help="processes; default: one for each core")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=_run_ingest)
