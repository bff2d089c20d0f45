"""Which files of a data set are removed, and when.

`expire` removes what a checkpoint replaced, some time after it did: at any time, whatever else runs.
`clean` removes everything that the newest state does not name: what kills left, and what was replaced
a moment ago.
"""

import time

import fsspec

from etscope.fleet.commits import remove
from etscope.fleet.dataset import SCHEMAS, Log, files_of, numbers_in, read_numbered

GRACE = 3600  # seconds that a reader is given with the files that it began with


def expire(url, grace=GRACE):
    """Removes files that were replaced more than `grace` seconds ago; returns how many.

    Of the checkpoints that are older than that, the newest is the base: whoever began since then reads
    the base or a newer one. What only older checkpoints and commits name is needed by nobody. What no
    checkpoint and no commit names stays: an ingest may be about to commit it.
    """
    fs, root = fsspec.core.url_to_fs(url)
    checkpoints = _checkpoints(fs, root)
    old = [number for number, content in checkpoints.items() if content["time"] <= time.time() - grace]
    if not old:
        return 0
    base = max(old)
    kept, gone = set(), set()
    for number, content in checkpoints.items():
        (kept if number >= base else gone).update(_names(content))
    numbers = [number for number in numbers_in(fs, f"{root}/commits") if number <= checkpoints[base]["last"]]
    for number in numbers:
        try:
            gone.update(_names(read_numbered(fs, f"{root}/commits", number)))
        except FileNotFoundError:  # another process was faster
            pass
    # Those that name the files come last: if this is stopped, the next one finds what is left.
    return remove(fs, root, [*sorted(gone - kept), *_paths("commits", numbers),
                             *_paths("checkpoints", [number for number in checkpoints if number < base])])  # fmt: skip


def _checkpoints(fs, root):
    found = {}
    for number in numbers_in(fs, f"{root}/checkpoints"):
        try:
            found[number] = read_numbered(fs, f"{root}/checkpoints", number)
        except FileNotFoundError:
            pass
    return found


def _names(part):
    """Files that a checkpoint or a commit names."""
    return [name for names in part["files"].values() for name in names] + \
        part.get("hash_files", [])


def _paths(folder, numbers):
    return [f"{folder}/{number:08d}.json" for number in numbers]


def clean(url):
    """Removes files that the newest state does not name; returns how many. Only while nothing else runs."""
    log = Log(url)
    fs, root = log.fs, log.root
    kept = {_below(root, path) for names in files_of(log).values() for path in names}
    kept.update(log.checkpoint["hash_files"])
    found = [_below(root, path) for folder in (*SCHEMAS, "hashes") for path in fs.find(f"{root}/{folder}")]
    names = sorted(set(found) - kept)
    names += _paths("commits", [number for number in numbers_in(fs, f"{root}/commits")
                                if number <= log.checkpoint["last"]])  # fmt: skip
    names += _paths("checkpoints", [number for number in numbers_in(fs, f"{root}/checkpoints") if number < log.number])
    parts = [_below(root, path) for path in fs.find(f"{root}/commits")]
    names += [name for name in parts if name.startswith("commits/.")]
    return remove(fs, root, names)


def _below(root, path):
    """The name in the data set: some stores give paths without their first slash."""
    return path.strip("/")[len(root.strip("/")) + 1 :]
