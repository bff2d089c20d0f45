"""What is known of a trace beside its events: device, build, time, model and labels.

Sources, the first that tells a thing wins: the command line, FILE.json beside the trace
(`{"device": "pixel 8", "build": "1.3", "time": "2026-11-24T01:02:03Z", "labels": {"room": "cold"}}`,
also `TRACE.etdp.json`; other names than these are labels), and the file's name by a pattern such as `{device}/{build}/{time}_{_}.etdp`.
A name that is like one of theirs (`devcie`) is refused, in patterns and on the command line; `label.NAME` insists.
"""

import datetime
import difflib
import json
import os
import re

from etscope._errors import Error
from etscope.fleet import regular_files

FIELDS = ("device", "build", "time", "model")
_PART = re.compile(r"\{((?:label\.)?\w+)\}")
_LABEL = "label."  # before a name: it is meant, however much it is like a column's
_MOST_BYTES = 1 << 20


def name_of(written):
    """What `device`, `room` and `label.tile` name. Raises Error: it seems to be a mistyped column.

    What is told of a trace stays, so that it is asked before anything is stored.
    """
    name = written.removeprefix(_LABEL)
    if name == written and name not in FIELDS:
        meant = [field for field in FIELDS if _is_one_edit(name.lower(), field)]
        if meant:
            raise Error(f"{name} is no column: did you mean {meant[0]}? If it is a label, write {_LABEL}{name};"
                        " nothing was added", status="INVALID_ARGUMENT")  # fmt: skip
    if name != written and name in FIELDS:
        raise Error(f"{written}: {name} is a column, no label; nothing was added", status="INVALID_ARGUMENT")
    return name


def _is_one_edit(name, field):
    """Whether one letter more, less or other, or two in the wrong order, make one of the other; or nothing does."""
    same = os.path.commonprefix([name, field])
    name, field = name[len(same) :], field[len(same) :]
    return (name[1:] in (field, field[1:]) or field[1:] == name
            or (name[:2] == field[1::-1] and name[2:] == field[2:]))  # fmt: skip


def pattern_of(text):
    """The compiled form of a pattern of names. `{_}` is skipped, other names become labels."""
    if text is None:
        return None
    parts = _PART.split(text)
    if any("{" in part or "}" in part for part in parts[::2]):
        raise Error(f'the name pattern "{text}": every {{ needs a name of letters, digits and _, and a }}',
                    status="INVALID_ARGUMENT")  # fmt: skip
    seen, expression = set(), ""
    for number, part in enumerate(parts):
        if number % 2 == 0:
            expression += re.escape(part)
        elif part == "_":
            expression += "[^/]*?"
        elif (part := name_of(part)) in seen:
            raise Error(f'the name pattern "{text}" names {part} twice', status="INVALID_ARGUMENT")
        elif not part.isidentifier():
            raise Error(f'the name pattern "{text}": a name begins with no digit, as {part} does',
                        status="INVALID_ARGUMENT")  # fmt: skip
        else:
            seen.add(part)
            expression += f"(?P<{part}>[^/]+?)"
    return re.compile(f"(?:^|.*/)({expression})$")


def unmatched(paths, pattern):
    """The paths that do not match. Raises Error: none matches, and all labels would be lost."""
    if pattern is None:
        return []
    found = [path for path in paths if not pattern.match(_with_slashes(path))]
    if paths and len(found) == len(paths):
        raise Error(f"the name pattern matches none of {len(paths):,} names, such as {paths[0]}; nothing"
                    " was added", status="NOT_FOUND")  # fmt: skip
    return found


def matched(paths, pattern):
    """The paths that match; none without a pattern."""
    return [path for path in paths if pattern is not None and pattern.match(_with_slashes(path))]


def told_by(pattern, paths):
    """Notes on what a pattern tells of paths that match: an example, and names that become labels."""
    if not paths:
        return []
    match = pattern.match(_with_slashes(paths[0]))
    found = match.groupdict()
    told = ", ".join(f"{name}={value}" for name, value in found.items())
    notes = [f"by the name pattern, {match[1]} has {told}"] if told else []
    labels = [name for name in found if name not in FIELDS]
    if labels:
        notes.append(f"{', '.join(labels)} of the name pattern {'is a label' if len(labels) == 1 else 'are labels'}:"
                     f" only {', '.join(FIELDS)} are columns")  # fmt: skip
    return notes


def like_fields(labels):
    """Of the names of labels those that may be mistyped: [(name, the column that is like it)]."""
    found = [(name, difflib.get_close_matches(name.lower(), FIELDS, 1, 0.75)) for name in labels]
    return [(name, fields[0]) for name, fields in found if fields]


def _with_slashes(path):
    return str(path).replace(os.sep, "/")


def read(path, pattern=None, given=None):
    """{"device", "build", "time", "model", "labels"} of the trace at `path`; unknown ones are "".

    Raises Error: the file beside the trace is no such JSON.
    """
    labels, told = {}, {}
    for source in (_of_name(path, pattern), _beside(path), given or {}):
        labels.update({str(key): str(value) for key, value in source.get("labels", {}).items()})
        told.update({key: str(source[key]) for key in FIELDS if source.get(key)})
    return {**{key: told.get(key, "") for key in FIELDS}, "labels": labels}


def _of_name(path, pattern):
    match = pattern.match(_with_slashes(path)) if pattern is not None else None
    found = match.groupdict() if match else {}
    labels = {key: value for key, value in found.items() if key not in FIELDS}
    return {**found, "labels": labels}


def by_day(paths, pattern):
    """Paths in the order of the days that the pattern tells, those of one day as they are."""
    return sorted(paths, key=lambda path: _day_of(_of_name(path, pattern)))


def _day_of(found):
    try:
        time = time_of(found.get("time"))
    except Error:
        time = None
    return "" if time is None else time.date().isoformat()


def _beside(path):
    for name in (f"{path}.json", f"{os.path.splitext(path)[0]}.json"):
        try:
            found = json.loads(regular_files.read(name, _MOST_BYTES).decode("utf-8"))
        except FileNotFoundError:
            continue
        except (Error, OSError, ValueError, RecursionError) as reason:
            raise Error(f"{name}: {reason}", status="INVALID_ARGUMENT") from reason
        if not isinstance(found, dict) or not isinstance(found.get("labels", {}), dict):
            raise Error(f"{name}: expected an object with device, build, time, model and labels",
                        status="INVALID_ARGUMENT")  # fmt: skip
        others = {name: value for name, value in found.items() if name not in (*FIELDS, "labels")}
        if any(isinstance(value, (dict, list)) for value in others.values()):
            raise Error(f"{name}: a label is a text or a number, no list or object", status="INVALID_ARGUMENT")
        return {**found, "labels": {**others, **found.get("labels", {})}}
    return {}


def time_of(text):
    """A UTC time of ISO 8601, or of seconds since 1970; None for no text. Raises Error."""
    if not text:
        return None
    try:
        if re.fullmatch(r"\d+(\.\d+)?", text) and len(text.split(".")[0]) > 8:
            found = datetime.datetime.fromtimestamp(float(text), datetime.timezone.utc)
        elif re.fullmatch(r"\d{8}T\d{6}Z?", text):
            found = datetime.datetime.strptime(text.rstrip("Z"), "%Y%m%dT%H%M%S")
        else:
            found = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        found = found if found.tzinfo else found.replace(tzinfo=datetime.timezone.utc)
        return found.astimezone(datetime.timezone.utc)  # fails before the year 1 and after 9999
    except (ValueError, OverflowError, OSError) as reason:
        raise Error(f'"{text}" is no time: write 2026-11-24T01:02:03Z',
                    status="INVALID_ARGUMENT") from reason  # fmt: skip
