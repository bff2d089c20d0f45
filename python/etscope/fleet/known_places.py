"""Backend, module and source of a device summary's rows, from a trace of the same program.

A device knows no ETRecord, so its rows would never meet those of traces. What a trace of the data
set tells of the same method, instruction, kind and operator of the same program holds for them, too.
"""

import fsspec
import pyarrow.parquet as pq

from etscope.fleet.dataset import PLACE, snapshot

_SAME = ("method", "instruction", "kind", "operator")
_OTHERS = ("backend", "module", "source")
MOST_FILES = 256  # that are looked through for a program, the newest first


class Places:
    """What the traces of a data set tell of the operators of each program; read when it is asked for."""

    def __init__(self, dataset):
        self._dataset, self._programs = dataset, {}

    def complete(self, program, rows, own):
        """Fills in the places of a device summary's rows; returns how many rows of operators stay without.

        own  {program: [place]} of traces that are not in the data set yet
        """
        told = {}
        if program and not program.startswith("#"):
            if not self._programs.get(program):
                self._programs[program] = self._read(program)
            told = _told(self._programs[program] + own.get(program, []))
        missing = 0
        for row in rows:
            if row.place["kind"] != "run":
                found = told.get(tuple(row.place[name] for name in _SAME))
                row.place.update(found or {})
                missing += found is None
        return missing

    def _read(self, program):
        """From the newest files, until one tells modules, which those with an ETRecord do."""
        fs, _ = fsspec.core.url_to_fs(self._dataset)
        found = []
        for path in reversed(snapshot(self._dataset)["measured"][-MOST_FILES:]):
            try:
                with fs.open(path, "rb") as file:
                    rows = pq.read_table(file, columns=list(PLACE), filters=[("program", "=", program)]).to_pylist()
            except FileNotFoundError:  # the data set was compacted meanwhile
                continue
            found += [dict(zip(PLACE, place)) for place in {tuple(row.values()) for row in rows}]
            if any(row["module"] or row["source"] for row in rows):
                break
        return found


def _told(places):
    """Those that know their module win."""
    ordered = sorted(places, key=lambda place: bool(place["module"] or place["source"]))
    return {tuple(place[name] for name in _SAME): {name: place[name] for name in _OTHERS} for place in ordered}
