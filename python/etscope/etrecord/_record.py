"""ETRecord: opened, built, changed, saved."""

import contextlib
import io
import json
import os

from etscope._errors import Error, FileError
from etscope._library import Source
from etscope._tensors import check_tensors
from etscope.etrecord import _programs
from etscope.etrecord._reader import ATEN, EDGE, SIDE_FILES, OpenRecord
from etscope.etrecord._slim import without_blobs
from etscope.etrecord._torch_save import archive_in, dumps, write_entry
from etscope.graph import Graph

PLAIN_PICKLE = b"\x80"  # its first byte; what torch.save writes begins with PK


def parse_etrecord(etrecord_path, *, tensors="numpy"):
    """Opens an ETRecord; `etrecord_path` is a path or the file's bytes.

    tensors   "numpy" or "torch": what inputs, reference outputs and weights are

    Graphs, maps and tensors are read when they are asked for. Raises Error (WRONG_KIND, TRUNCATED,
    MALFORMED, UNSUPPORTED, LIMIT), an OSError where the file cannot be opened.
    """
    check_tensors(tensors)
    is_path = isinstance(etrecord_path, (str, os.PathLike))
    source = Source.of_file(etrecord_path) if is_path else Source.of_buffer(etrecord_path)
    return ETRecord._of(OpenRecord(source, tensors))


def generate_etrecord(
    et_record,
    edge_dialect_program,
    executorch_program,
    exported_program=None,
    extra_recorded_export_modules=None,
    *,
    slim=False,
):
    """Saves the record of one export to `et_record`, a path or a file open for writing.

    edge_dialect_program           EdgeProgramManager of to_edge(), copied before it was lowered
    executorch_program             what to_executorch() returned, or the BundledProgram of it, whose
                                   test cases become inputs and reference outputs
    exported_program               what torch.export returned, or {method: program}
    extra_recorded_export_modules  {name: program or manager} of more stages of the same model
    slim                           leave the weights out

    Graphs of other records (etscope.graph.Graph) are taken, too, and dicts of them. Raises Error.
    """
    record = ETRecord()
    record.add_exported_program(exported_program)
    record.add_edge_dialect_program(edge_dialect_program)
    record.add_executorch_program(executorch_program)
    if extra_recorded_export_modules is not None:
        record.add_extra_export_modules(extra_recorded_export_modules)
    record.save(et_record, slim=slim)


def slim(path_in, path_out):
    """Copies a record without its weights: what remains is graphs, maps, inputs and outputs."""
    parse_etrecord(path_in).save(path_out, slim=True)


def as_etrecord(record):
    """An open ETRecord of what users have: one, a path, or ExecuTorch's own (it can save itself).

    None stays None. Raises TypeError for anything else.
    """
    if record is None:
        return None
    if isinstance(record, ETRecord):
        return record._opened()
    if isinstance(record, (str, os.PathLike)):
        return parse_etrecord(record)
    if type(record).__name__ == "ETRecord" and hasattr(record, "save"):
        file = io.BytesIO()
        record.save(file)
        return parse_etrecord(file.getvalue())
    raise TypeError(f"an ETRecord or the path of one is expected, not {type(record).__name__}")


class _Field:
    """An attribute that is read from the open record, if there is one, until it is set."""

    def __init__(self, read):
        self._read = read

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, record, owner=None):
        if record is None:
            return self
        if self._name not in record._values:
            open_ = record._open
            record._values[self._name] = self._read(open_) if open_ is not None else None
        return record._values[self._name]

    def __set__(self, record, value):
        record._values[self._name] = value
        record._changed.add(self._name)


class ETRecord:
    """The contents of an export. Attributes have upstream's names.

    edge_dialect_program       the program of the only method, or {method: program} of several
    exported_program           the ATen program, or None
    graph_map                  {name: program} of all others, as "edge_after_transform/forward"
    export_graph_id            the number that ties both together, or None
    methods                    names of the methods that the record knows
    _debug_handle_map, _delegate_map, _instruction_id_to_num_outs_map   as the record stores them:
                               {method: {"instruction": ...}}, None if it has none
    _representative_inputs     [value], in the lists, tuples and dicts that they were given in, None
                               where there are none
    _reference_outputs         {method: [[value] of each test case]}, None if there are none

    Programs that were read are etscope.graph.Graph objects, those that were added stay what they
    are. Values are NumPy arrays (docs/python.md says of which dtypes), int, float, bool or None.
    What is set or added is in the file that save() writes; the one that was read never changes.
    save() keeps entries that are not known, as those of later versions.
    """

    def __init__(
        self,
        exported_program=None,
        export_graph_id=None,
        edge_dialect_program=None,
        graph_map=None,
        _debug_handle_map=None,
        _delegate_map=None,
        _instruction_id_to_num_outs_map=None,
        _reference_outputs=None,
        _representative_inputs=None,
    ):
        self._open, self._values, self._changed = None, {}, set()
        fields = dict(locals())
        for name, value in fields.items():
            if name != "self" and value is not None:
                setattr(self, name, value)

    @classmethod
    def _of(cls, open_record):
        record = cls()
        record._open = open_record
        return record

    exported_program = _Field(OpenRecord.aten_program)
    export_graph_id = _Field(OpenRecord.export_graph_id)
    graph_map = _Field(OpenRecord.other_programs)
    _edge_programs = _Field(OpenRecord.edge_programs)
    _debug_handle_map = _Field(lambda record: record.json("debug_handle_map"))
    _delegate_map = _Field(lambda record: record.json("delegate_map"))
    _instruction_id_to_num_outs_map = _Field(
        lambda record: record.json("instruction_id_to_num_outs_map")
    )
    _representative_inputs = _Field(OpenRecord.representative_inputs)
    _reference_outputs = _Field(OpenRecord.reference_outputs)

    @property
    def edge_dialect_program(self):
        """The program of the only method, {method: program} of several, None without any."""
        programs = self._edge_programs or {}
        return next(iter(programs.values()), None) if len(programs) < 2 else programs

    @edge_dialect_program.setter
    def edge_dialect_program(self, value):
        programs = None if value is None else _programs.methods_of(value, "an edge program")
        self._edge_programs = programs

    @property
    def path(self):
        """The path of the file that was opened; None for a record in memory."""
        return self._open and self._open.path

    @property
    def methods(self):
        """Names of the methods that the record knows."""
        if self._open is not None and not self._changed:
            return list(self._open.methods)
        return sorted({*self._named_edge_programs(), *(self._debug_handle_map or {})})

    @property
    def entries(self):
        """{entry's name: bytes} of the file that was opened."""
        return {} if self._open is None else dict(self._open.entries)

    @property
    def delegate_info(self):
        """What backends said of their delegates at export, {"method/delegate": value}, or None.

        ExecuTorch 1.5.1 does not write it; later versions do.
        """
        return None if self._open is None else self._open.json("delegate_info")

    @property
    def graph_names(self):
        """All names that graph() knows."""
        return [] if self._open is None else list(self._open.graph_names)

    def graph(self, name):
        """The Graph of that name in the file that was opened ("a" is "a/forward"), or None."""
        return None if self._open is None else self._open.graph(name)

    @property
    def is_slim(self):
        """Whether the opened file has no weights."""
        return not all(map(self._open.has_weights, self.graph_names)) if self._open else False

    def state_dict(self, name=ATEN):
        """{parameter's or buffer's name: array} of a program in the file; `name` as in graph_names.

        Raises Error: UNAVAILABLE if the weights were left out, NOT_FOUND for an unknown name.
        """
        return self._tensors(name, "_state_dict")

    def constants(self, name=ATEN):
        """{constant's name: array}, as state_dict()."""
        return self._tensors(name, "_constants")

    def _tensors(self, name, suffix):
        if name not in self.graph_names:
            raise Error(f"the record has no program {name}", status="NOT_FOUND", file=self.path)
        if not self._open.has_weights(name):
            raise Error("this ETRecord was saved without weights", status="UNAVAILABLE",
                        file=self.path)  # fmt: skip
        return self._open.named_values(name + suffix)

    def add_exported_program(self, exported_program):
        """Adds what torch.export returned; of a dict the program of "forward". None: nothing."""
        if self.exported_program is not None or self.export_graph_id is not None:
            raise Error("Exported program already exists in the ETRecord")
        if isinstance(exported_program, dict):
            exported_program = exported_program.get("forward")
        if exported_program is None:
            return
        if not _programs.is_program(exported_program):
            raise Error(f"an exported program cannot be a {type(exported_program).__name__}")
        self.exported_program = exported_program
        self.export_graph_id = _programs.graph_id(exported_program)

    def add_edge_dialect_program(self, edge_dialect_program):
        """Adds the programs of an EdgeProgramManager, one program, or {method: program}."""
        if self._edge_programs:
            raise Error("Edge dialect program already exists in the ETRecord")
        self._edge_programs = _programs.methods_of(edge_dialect_program, "an edge program")

    def add_executorch_program(self, executorch_program):
        """Adds the maps of a lowered program; of a BundledProgram its test cases, too."""
        fields = ("_debug_handle_map", "_delegate_map", "_instruction_id_to_num_outs_map",
                  "_reference_outputs", "_representative_inputs")  # fmt: skip
        if any(getattr(self, name) is not None for name in fields):
            raise Error("Executorch program data already exists in the ETRecord")
        program, outputs, inputs = executorch_program, None, None
        if _programs.is_bundle(program):
            outputs = _programs.bundled_outputs(program)
            inputs = _programs.bundled_inputs(program)
            program = program.executorch_program
        values = [*_programs.executorch_maps(program), outputs, inputs]
        for name, value in zip(fields, values):
            if value is not None:
                setattr(self, name, value)

    def add_extra_export_modules(self, extra_recorded_export_modules):
        """Adds {name: program or manager} to graph_map, as "name/method".

        Raises Error for a name with a reserved one in it, such as "exported_program".
        """
        added = {}
        for name, module in extra_recorded_export_modules.items():
            reserved = [word for word in _programs.RESERVED if word in name]
            if reserved:
                raise Error(f"{name}: {reserved[0]} is a reserved name in records")
            for method, program in _programs.methods_of(module, name).items():
                added[f"{name}/{method or 'forward'}"] = program
        self.graph_map = {**(self.graph_map or {}), **added}

    def update_representative_inputs(self, representative_inputs):
        """Sets the inputs that results were made with: a list, or a BundledProgram's first case."""
        if _programs.is_bundle(representative_inputs):
            representative_inputs = _programs.bundled_inputs(representative_inputs)
        self._representative_inputs = representative_inputs

    def update_reference_outputs(self, reference_outputs):
        """Sets what programs should put out: {method: [[value] of each test case]}, the list of
        "forward" alone, or a BundledProgram.
        """
        if _programs.is_bundle(reference_outputs):
            reference_outputs = _programs.bundled_outputs(reference_outputs)
        elif isinstance(reference_outputs, list):
            reference_outputs = {"forward": reference_outputs}
        self._reference_outputs = reference_outputs

    def copy(self):
        """The same without what to_executorch() adds: programs, but no maps and no values."""
        record = ETRecord(self.exported_program, self.export_graph_id)
        record.graph_map = self.graph_map
        record._edge_programs = self._edge_programs
        return record

    def save(self, path, *, slim=False):
        """Writes the record to a path, whole or not at all, or to a file open for writing.

        With `slim` the weights are left out: parameters, buffers, constants and what was lowered to
        delegates. Equal records give equal bytes. Raises Error: an edge program or debug handles
        are missing, a program or value that cannot be kept, an OSError where the file cannot be
        written.
        """
        if not (self._edge_programs and self._debug_handle_map):
            raise Error("ETRecord must contain edge dialect program and executorch program to be "
                        "saved")  # fmt: skip
        if not isinstance(path, (str, os.PathLike)):
            self._write(path, slim)
            return
        path = os.fspath(path)
        part = f"{path}.{os.getpid()}.part"
        try:
            with open(part, "xb") as file:
                self._write(file, slim)
            os.replace(part, path)
        except OSError as reason:
            _remove(part)
            if isinstance(reason, Error):
                raise
            raise FileError(reason.strerror or str(reason), status="IO", file=path) from reason
        except BaseException:
            _remove(part)
            raise

    def _write(self, file, slim=False):
        with archive_in(file) as archive:
            for name, data in self._parts(slim):
                write_entry(archive, name, data)

    def _parts(self, slim):
        """(name, bytes) of every entry, in upstream's order."""
        yield "ETRECORD_V0", b""
        if self.exported_program is not None:
            yield from _program_parts(ATEN, self.exported_program, slim)
        for method, program in self._named_edge_programs().items():
            yield from _program_parts(f"{EDGE}/{method}", program, slim)
        for name, program in (self.graph_map or {}).items():
            yield from _program_parts(name if "/" in name else name + "/forward", program, slim)
        for name in ("debug_handle_map", "delegate_map", "instruction_id_to_num_outs_map"):
            value = getattr(self, "_" + name)
            if value is not None:
                yield name, json.dumps(value).encode()
        for name in ("reference_outputs", "representative_inputs"):
            value = getattr(self, "_" + name)
            if value is not None:
                yield name, self._value_bytes(name, value)
        if self.export_graph_id is not None:
            yield "export_graph_id", json.dumps(self.export_graph_id).encode()
        if self._open is not None:
            for name in self._open.unknown_entries():
                yield name, self._open.bytes_of(name)

    def _value_bytes(self, name, value):
        """As it was read, unless it was changed since: torch may keep more than NumPy shows. Plain
        pickles of ExecuTorch 1.0 to 1.2, which later versions refuse, are written as those do."""
        if self._open is not None and "_" + name not in self._changed:
            data = self._open.bytes_of(name)
            if data[:1] != PLAIN_PICKLE and _equal(value, getattr(self._open, name)()):
                return data
        return dumps(value)

    def _named_edge_programs(self):
        """{method: program}; a lone program has the name of the only method that has handles."""
        programs = self._edge_programs or {}
        if None not in programs:
            return programs
        methods = list(self._debug_handle_map or ())
        return {methods[0] if len(methods) == 1 else "forward": programs[None]}

    def _opened(self):
        """This record as a file for C code: itself if nothing was changed."""
        if self._open is not None and not self._changed:
            return self
        file = io.BytesIO()
        self._write(file)
        return parse_etrecord(file.getvalue())

    @property
    def _handle(self):
        return self._open.handle

    def __repr__(self):
        return f"<ETRecord {self.path or 'in memory'}: {', '.join(self.methods)}>"


def _program_parts(name, program, slim):
    """The four entries of a program: copied from the record that it is of, or serialised."""
    if isinstance(program, Graph):
        record, old = program._owner, program.name
        parts = [
            record.bytes_of(old + suffix) if old + suffix in record.entries else b""
            for suffix in ("", *SIDE_FILES)
        ]
        has_values = [bool(part) and not record.is_empty(old + suffix)
                      for suffix, part in zip(SIDE_FILES[:2], parts[1:3])]  # fmt: skip
    else:
        parts = list(_programs.serialize(program))
        has_values = [bool(program.state_dict), bool(program.constants)]
    if slim:
        parts[0] = without_blobs(parts[0])
        parts[1:3] = [b"" if has else part for has, part in zip(has_values, parts[1:3])]
    yield from zip((name + suffix for suffix in ("", *SIDE_FILES)), parts)


def _equal(one, other):
    """Whether two values are the same, bit by bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    if hasattr(one, "__array_interface__"):
        same = one.dtype == other.dtype and one.shape == other.shape
        return same and one.tobytes() == other.tobytes()
    return one == other or one != one and other != other


def _remove(path):
    with contextlib.suppress(OSError):
        os.unlink(path)
