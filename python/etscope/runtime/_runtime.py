"""Runtime, Program and Method over the engine."""

import enum
import functools
import os
from pathlib import Path
from typing import Any, BinaryIO, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from etscope._errors import Error, FileError, MissingNameError, warn
from etscope._library import NULL, Handle, Source, call, ffi, lib, text
from etscope._tensors import check_tensors, value_of
from etscope.runtime._engine import engine
from etscope._values import is_torch, value_of_input
from etscope.runtime._metadata import MethodMeta


class _NamesOnTheClass(enum.EnumMeta):
    """pybind11's enumerations, upstream's among them, have `name` and `value` on the class, too."""

    @property
    def name(cls):
        """The property `name` of the members."""
        return enum.Enum.__dict__["name"]

    @property
    def value(cls):
        """The property `value` of the members."""
        return enum.Enum.__dict__["value"]


class Verification(enum.Enum, metaclass=_NamesOnTheClass):
    """What is verified before a program is loaded. int(member) is its value, as upstream."""

    Minimal = 0  # what ExecuTorch itself checks
    InternalConsistency = 1  # every offset, count and index in the file

    def __int__(self):
        return self.value

    __index__ = __int__


class Method:
    """A loaded method. Its program lives as long as it does."""

    def __init__(self, engine, program, source, name):
        self._engine = engine
        self._program = program
        self._source = source
        self._name = name
        out = ffi.new("struct ets_engine_method **")
        with program.lock:
            source.check()
            call(engine.method_open, program.pointer, name.encode(), out, file=source.path)
            self._method = Handle(out[0], engine.method_close, program)

    @functools.cached_property
    def metadata(self) -> MethodMeta:
        """Shapes and types of inputs and outputs."""
        return MethodMeta(self._engine, self._program, self._source, self._name)

    def execute(
        self, inputs: Optional[Sequence[Any]], tensors: Optional[str] = None
    ) -> List[Any]:
        """Runs the method once. Returns the list of its outputs, copies that are the caller's.

        inputs   one value for each input: a NumPy array or torch tensor of the type and shape that
                 `metadata` says (any strides; smaller where the shape is dynamic), int, float, bool
                 or None. A single array stands for a list of one. None: those that were set
                 before, by load_bundled_input, set_inputs or another call
        tensors  "numpy" or "torch": what outputs are. By default torch tensors where an input is
                 one, else NumPy arrays

        Outputs that are lists or strings are None. Raises Error: INVALID_ARGUMENT (the message says
        which input, what was expected and what came), RUNTIME with ExecuTorch's reason.
        """
        if inputs is not None:
            inputs = self._listed(inputs)
            if tensors is None:
                tensors = "torch" if any(is_torch(value) for value in inputs) else "numpy"
        with self._program.lock:
            if inputs is not None:
                self.set_inputs(inputs)
            self._source.check()
            self._call("method_execute")
            return self.get_outputs(tensors or "numpy")

    def set_inputs(self, inputs: Sequence[Any]) -> None:
        """Sets all inputs, for runs without any; values as of `execute`."""
        inputs, expected = self._listed(inputs), self.metadata.inputs
        if len(inputs) != len(expected):
            raise Error(f"method {self._name}: expected {len(expected)} inputs, got "
                        f"{len(inputs)}", file=self._source.path)  # fmt: skip
        with self._program.lock:
            self._source.check()
            for index, value in enumerate(inputs):
                self._set_input(index, value, expected[index])

    def get_outputs(self, tensors: str = "numpy") -> List[Any]:
        """The outputs of the latest run, copies."""
        check_tensors(tensors)
        with self._program.lock:
            return [self._output(i, tensors) for i in range(self.metadata.num_outputs())]

    def get_attribute(self, name: str, tensors: str = "numpy") -> Any:
        """A copy of what a named tensor holds now, as a buffer of the model: "cache.k".

        MethodMeta.attribute_name lists the names. Raises Error (NOT_FOUND).
        """
        check_tensors(tensors)
        value = ffi.new("struct ets_value *")
        with self._program.lock:
            self._call("method_get_attribute", name.encode(), value)
            return value_of(value, tensors)

    def load_bundled_input(self, bundle, testset_idx: int) -> None:
        """Sets the inputs of a test case of a BundledModule: execute(None) then runs on them.

        Raises Error: NOT_FOUND (no test cases of this method, or no such case), INVALID_ARGUMENT
        where an input is not what the method takes.
        """
        self.set_inputs(bundle.inputs(self._name, testset_idx))

    def verify_method_outputs(
        self, bundle, testset_idx: int, rtol: Optional[float] = None, atol: Optional[float] = None
    ) -> None:
        """Raises Error (MISMATCH) if the latest outputs are not those of a test case.

        rtol, atol: tolerances; None: those of `etscope verify` for the outputs' types.
        """
        count = self.metadata.num_outputs()
        outputs = ffi.new("struct ets_value[]", count)
        with self._program.lock:
            for index in range(count):
                self._call("method_get_output", index, outputs + index)
            bundle.verify(self._name, testset_idx, outputs, count, rtol, atol)

    @staticmethod
    def _listed(inputs):
        is_one = is_torch(inputs) or hasattr(inputs, "__array_interface__")
        return [inputs] if is_one else list(inputs)

    def _set_input(self, index, value, expected):
        try:
            converted, keeps = value_of_input(value, expected)
        except Error as reason:
            raise Error(f"input {index}: {reason}", status=reason.status,
                        file=self._source.path) from reason  # fmt: skip
        self._call("method_set_input", index, converted)
        del keeps  # the engine has copied it

    def _output(self, index, tensors):
        value = ffi.new("struct ets_value *")
        self._call("method_get_output", index, value)
        return value_of(value, tensors)

    def _call(self, function, *arguments):
        call(getattr(self._engine, function), self._method.pointer, *arguments,
             file=self._source.path)  # fmt: skip


class Program:
    """An open program. It, and its methods, may be used by several threads, one at a time."""

    def __init__(self, engine, source, data_source, fingerprint=None, **options):
        self._engine = engine
        self._source = source
        self._traces = options["tracer"] != lib.ETS_TRACER_NONE
        self._captures = options["capture"] != lib.ETS_CAPTURE_NONE
        data = ffi.new("struct ets_bytes[1]", [data_source.bytes] if data_source else [])
        fields = ffi.new("struct ets_engine_program_options *", dict(
            options, program=source.bytes, data_files=data, data_file_count=int(bool(data_source)),
        ))  # fmt: skip
        number = ffi.new("uint8_t[]", fingerprint or b"")
        fields.fingerprint = {"data": number, "size": len(fingerprint or b"")}
        out = ffi.new("struct ets_engine_program **")
        call(engine.program_open, fields, out, file=source.path)
        self._program = Handle(out[0], engine.program_close, source, data_source, number)
        self._methods = {}
        count = engine.method_count(out[0])
        self._names = [text(engine.method_name(out[0], i)) for i in range(count)]

    @property
    def method_names(self) -> Set[str]:
        """The methods that load_method knows."""
        return set(self._names)

    def load_method(self, name: str) -> Method:
        """The method, loaded once: a second call gives the same object.

        Raises Error: NOT_FOUND (a KeyError, too), RUNTIME with the operator or backend that is not
        registered.
        """
        with self._program.lock:
            if name not in self._methods:
                self._check_name(name)
                self._methods[name] = Method(self._engine, self._program, self._source, name)
            return self._methods[name]

    def metadata(self, method_name: str) -> MethodMeta:
        """What a method takes and gives, without loading it. Raises Error (NOT_FOUND)."""
        self._check_name(method_name)
        return MethodMeta(self._engine, self._program, self._source, method_name)

    def write_etdump_result_to_file(
        self,
        etdump_path: Union[str, os.PathLike],
        debug_buffer_path: Optional[Union[str, os.PathLike]] = None,
    ) -> None:
        """Ends the trace and writes it, and what was captured where debug_buffer_size asked for it.

        The program's methods cannot run afterwards (they raise Error); writing again writes the
        same. A warning reports values that did not fit the debug buffer. Raises Error: the program
        was loaded without enable_etdump, or a file cannot be written (an OSError, too).
        """
        if not self._traces:
            raise Error("there is no trace: load the program with enable_etdump=True")
        etdump, debug = ffi.new("struct ets_bytes *"), ffi.new("struct ets_bytes *")
        with self._program.lock:
            call(self._engine.trace_finish, self._program.pointer, etdump, debug,
                 file=self._source.path)  # fmt: skip
            _write(etdump_path, etdump)
            if self._captures and debug_buffer_path is not None:
                _write(debug_buffer_path, debug)
            self._warn_of_losses()

    def _warn_of_losses(self):
        counts = ffi.new("struct ets_engine_trace_statistics *")
        self._engine.trace_statistics(self._program.pointer, counts)
        if counts.dropped_space_count:
            warn(
                f"{counts.dropped_space_count} values found the debug buffer full: "
                f"debug_buffer_size={counts.debug_bytes_needed} would do"
            )
        if counts.dropped_type_count:
            warn(
                f"{counts.dropped_type_count} values are not in the trace: ETDumpGen has no form "
                f"for a {text(counts.first_dropped)}"
            )

    def _check_name(self, name):
        if name not in self._names:
            names = ", ".join(self._names)
            raise MissingNameError(f"no method {name}; the program has {names}",
                                   status="NOT_FOUND", file=self._source.path)  # fmt: skip


class BackendRegistry:
    """The backends that programs can delegate to here."""

    def __init__(self, engine):
        self._engine = engine

    @property
    def registered_backend_names(self) -> List[str]:
        """Names as "XnnpackBackend"."""
        count = self._engine.backend_count()
        return [text(self._engine.backend_name(i)) for i in range(count)]

    def is_available(self, backend_name: str) -> bool:
        """Whether it is registered and can run on this machine."""
        names = self.registered_backend_names
        return backend_name in names and bool(
            self._engine.backend_is_available(names.index(backend_name))
        )


class KernelsOnDemand(NamedTuple):
    """Kernels of llama:: operators, and where they come from."""

    names: Set[str]  # as "llama::custom_sdpa.out"
    library: str  # its path
    reason: Optional[str]  # why it is not loaded; None: it is


class OperatorRegistry:
    """The operators that have kernels here."""

    def __init__(self, engine):
        self._engine = engine

    @property
    def operator_names(self) -> Set[str]:
        """Names as "aten::add.out"."""
        return {text(self._engine.kernel_name(i)) for i in range(self._engine.kernel_count())}

    @property
    def on_demand(self) -> KernelsOnDemand:
        """Kernels that are not registered, and that are loaded for programs which name them."""
        found = ffi.new("struct ets_engine_kernels_on_demand *")
        self._engine.kernels_on_demand(found)
        names = {text(found.names[i]) for i in range(found.count)}
        return KernelsOnDemand(names, os.fsdecode(ffi.string(found.path)), text(found.reason) or None)


class Runtime:
    """The ExecuTorch runtime of this process.

    backend_registry    a BackendRegistry
    operator_registry   an OperatorRegistry
    version             the ExecuTorch that the engine was built for, as "1.5.1"
    """

    @staticmethod
    @functools.lru_cache(maxsize=1)
    def get() -> "Runtime":
        """The one Runtime. Raises Error (UNAVAILABLE) if there is no engine."""
        return Runtime(engine())

    def __init__(self, engine):
        self._engine = engine
        self.backend_registry = BackendRegistry(engine)
        self.operator_registry = OperatorRegistry(engine)
        self.version = text(engine.runtime_version)

    def load_library(self, path: Union[str, Path]) -> Tuple[int, int]:
        """Loads a shared library that registers kernels or backends, as --load-library does.

        It stays for the life of the process. Returns how many (kernels, backends) it added. Raises
        Error: NOT_FOUND, RUNTIME with the loader's reason, or if the library would end the process
        because it registers a kernel that is registered already.
        """
        kernels, backends = ffi.new("size_t *"), ffi.new("size_t *")
        path = os.fspath(path)
        call(self._engine.load_library, os.fsencode(path), kernels, backends, file=path)
        return kernels[0], backends[0]

    def load_program(
        self,
        data: Union[bytes, bytearray, BinaryIO, Path, str],
        *,
        verification: Verification = Verification.InternalConsistency,
        enable_etdump: bool = False,
        debug_buffer_size: int = 0,
        data_path: Optional[Union[bytes, Path, str]] = None,
        tracer: str = "etscope",
    ) -> Program:
        """Opens a program.

        data               a .pte: its path, its bytes, or a file that is open for reading
        verification       what is checked first
        enable_etdump      whether loading and running are traced
        debug_buffer_size  bytes for what operators put out, with enable_etdump; 0 captures nothing.
                           Memory is used only as far as it is filled
        data_path          the .ptd with the weights that lie outside the program: path or bytes
        tracer             "etscope", whose trace also says which program and method ran and keeps
                           values of every type, or "upstream", ExecuTorch's ETDumpGen. Either's
                           trace is an ETDump

        Raises Error: WRONG_KIND, TRUNCATED, MALFORMED, UNSUPPORTED, RUNTIME; an OSError where a
        file cannot be opened.
        """
        tracers = {"upstream": lib.ETS_TRACER_UPSTREAM, "etscope": lib.ETS_TRACER_ETSCOPE}
        if tracer not in tracers:
            raise Error(f"tracer is one of {', '.join(tracers)}, not {tracer!r}")
        if not 0 <= debug_buffer_size < 2**48:
            raise Error(f"debug_buffer_size is a number of bytes, not {debug_buffer_size}")
        source = _source_of(data)
        options = {}
        if verification == Verification.InternalConsistency:
            program = ffi.new("struct ets_program *")
            call(lib.ets_program_init, program, source.bytes, file=source.path)
            if enable_etdump and tracer == "etscope":
                number = lib.ets_program_fingerprint(program)
                options["fingerprint"] = number.to_bytes(8, "little")
        captures = enable_etdump and debug_buffer_size > 0
        return Program(
            self._engine, source, _source_of(data_path) if data_path is not None else None,
            tracer=tracers[tracer] if enable_etdump else lib.ETS_TRACER_NONE,
            capture=lib.ETS_CAPTURE_INTERMEDIATES if captures else lib.ETS_CAPTURE_NONE,
            debug_buffer_bytes=debug_buffer_size, **options,
        )  # fmt: skip


def _source_of(data):
    if isinstance(data, (str, os.PathLike)):
        return Source.of_file(data)
    if hasattr(data, "read"):
        data = data.read()
    if isinstance(data, (bytes, bytearray, memoryview)):
        return Source.of_buffer(bytes(data))
    raise TypeError(f"a path, bytes or an open file is expected, not a {type(data).__name__}")


def _write(path, bytes_):
    data = ffi.buffer(bytes_.data, bytes_.size) if bytes_.data != NULL else b""
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as reason:
        raise FileError(reason.strerror or str(reason), status="IO",
                        file=os.fspath(path)) from reason  # fmt: skip
