"""BundledProgram: a program and the test cases of its methods."""

import io
import os

from etscope._errors import Error, RefusedError
from etscope._library import Source, call, ffi, lib, text
from etscope._tensors import check_tensors, value_of
from etscope._values import value_of_input
from etscope.bundled_program.config import MethodTestCase, MethodTestSuite

_INFO = "struct ets_engine_value_info *"  # kind and tensor: what value_of_input is told to expect


class BundledProgram:
    """A program with test cases.

    executorch_program  a .pte: its path, its bytes, or what has them as `buffer`, as
                        ExecutorchProgramManager
    method_test_suites  a MethodTestSuite for each method that has test cases
    pte_file_path       the path of a .pte, instead of executorch_program

    Raises Error for both programs or none; WRONG_KIND, TRUNCATED, MALFORMED, UNSUPPORTED for what
    is no program; an OSError where a file cannot be opened; MISMATCH, an AssertionError too, for
    test cases that are not of the program: methods, numbers of values, types and shapes are
    compared, and plain numbers, which a program has fixed.
    """

    def __init__(self, executorch_program, method_test_suites, pte_file_path=None):
        if (executorch_program is None) == (pte_file_path is None):
            raise Error("give either executorch_program or pte_file_path")
        given = pte_file_path if executorch_program is None else executorch_program
        self.executorch_program = executorch_program
        self._source = _source_of(given)
        self.method_test_suites = _sorted(list(method_test_suites))
        _NewBundle(self._source, self.method_test_suites).check()

    def __repr__(self):
        counts = ", ".join(f"{s.method_name}: {len(s.test_cases)}" for s in self.method_test_suites)
        return f"BundledProgram({counts or 'no test cases'})"

    @property
    def program(self):
        """The bytes of the program."""
        self._source.check()
        return bytes(ffi.buffer(self._source.bytes.data, self._source.bytes.size))

    def serialize_to_schema(self):
        """The etscope.bundled_program.schema.BundledProgram: what the file would hold."""
        from etscope.bundled_program._schema_forms import schema_of

        out = io.BytesIO()
        self._write(out.write)
        return schema_of(out.getvalue())

    def __eq__(self, other):
        """Whether the files of both would hold the same; `other` may be of the schema's class."""
        from etscope.bundled_program.schema import BundledProgram as SchemaProgram

        if not isinstance(other, (BundledProgram, SchemaProgram)):
            return NotImplemented
        same = other.serialize_to_schema() if isinstance(other, BundledProgram) else other
        return self.serialize_to_schema() == same

    __hash__ = None

    def _write(self, write):
        """Calls write(bytes) for each piece of the file, in order."""
        bundle = _NewBundle(self._source, _sorted(self.method_test_suites))
        bundle.check()
        bundle.write(write)

    @classmethod
    def _read(cls, data, tensors):
        """What a file holds, even where its cases are not of its program."""
        check_tensors(tensors)
        source, bundle = Source.of_buffer(data), ffi.new("struct ets_bundle *")
        call(lib.ets_bundle_init, bundle, source.bytes)
        self = cls.__new__(cls)
        self._source = Source(bundle.program, keeps=source)
        self.executorch_program = self.program
        self._source = Source.of_buffer(self.executorch_program)
        self.method_test_suites = [_suite(bundle, i, tensors) for i in range(bundle.suite_count)]
        return self


def _source_of(program):
    if isinstance(program, (str, os.PathLike)):
        return Source.of_file(program)
    return Source.of_buffer(getattr(program, "buffer", program))


def _sorted(suites):
    """In the order of the names' bytes, as files have them."""
    for suite in suites:
        name = suite.method_name
        if not isinstance(name, str) or not name.isprintable():
            raise RefusedError(f"a method cannot be named {name!r}")
    return sorted(suites, key=lambda suite: suite.method_name.encode())


class _NewBundle:
    """A struct ets_new_bundle over a Source, and all that it points to."""

    def __init__(self, source, suites):
        self._source = source
        self._kept = []
        self._program = ffi.new("struct ets_program *")
        source.check()
        call(lib.ets_program_init, self._program, source.bytes, file=source.path)
        self._pointer = self._new("struct ets_new_bundle *")
        self._pointer.program = source.bytes
        self._pointer.suite_count = len(suites)
        self._pointer.suites = new_suites = self._new("struct ets_new_suite[]", len(suites))
        for new, suite in zip(new_suites, suites):
            self._fill_suite(new, suite)

    def check(self):
        """Raises Error if the cases are not of the program."""
        call(lib.ets_new_bundle_check, self._pointer, self._program, file=self._source.path,
             error_class=RefusedError)  # fmt: skip

    def write(self, write):
        failures = []

        def take(context, data, size):
            write(ffi.buffer(data, size))
            return 0

        callback = ffi.callback(
            "int(void *, const void *, size_t)", take, error=1,
            onerror=lambda kind, failure, trace: failures.append(failure),
        )  # fmt: skip
        sink = ffi.new("struct ets_bundle_sink *", {"write": callback})
        try:
            call(lib.ets_bundle_write, self._pointer, sink, file=self._source.path)
        except Error:
            if failures:
                raise failures[0] from None
            raise

    def _new(self, *arguments):
        self._kept.append(ffi.new(*arguments))
        return self._kept[-1]

    def _fill_suite(self, new, suite):
        new.method = self._new("char[]", suite.method_name.encode())
        declared = _declared(self._program, new.method)
        new.case_count = len(suite.test_cases)
        new.cases = new_cases = self._new("struct ets_new_case[]", len(suite.test_cases))
        for i, (new_case, case) in enumerate(zip(new_cases, suite.test_cases)):
            where = f"{suite.method_name}, case {i}"
            new_case.input_count = len(case.inputs)
            new_case.inputs = self._values(case.inputs, declared[0], f"{where}: input")
            new_case.expected_count = len(case.expected_outputs)
            new_case.expected = self._values(
                case.expected_outputs, declared[1], f"{where}: expected output"
            )

    def _values(self, values, declared, where):
        """The array of struct ets_value."""
        array, anything = self._new("struct ets_value[]", len(values)), ffi.new(_INFO)
        for i, value in enumerate(values):
            wanted = declared[i] if i < len(declared) else anything
            try:
                found, borrowed = value_of_input(value, wanted)
            except Error as reason:
                raise RefusedError(f"{where} {i}: {reason}", status=reason.status) from reason
            if found.kind == lib.ETS_VALUE_TENSOR == wanted.kind:
                borrowed = _in_order_of(wanted.tensor, found, borrowed)
            array[i] = found[0]
            self._kept.append(borrowed)
        return array


def _declared(program, name):
    """The inputs and outputs of a method: two lists, empty if there is no such method."""
    method = ffi.new("struct ets_method *")
    if lib.ets_program_find_method(program, name, method, ffi.NULL) != lib.ETS_OK:
        return [], []
    inputs = [_info(lib.ets_method_input, method, i) for i in range(method.input_count)]
    outputs = [_info(lib.ets_method_output, method, i) for i in range(method.output_count)]
    return inputs, outputs


def _info(read, method, index):
    """Of a value that bundles cannot hold the kind is NONE."""
    value, info = ffi.new("struct ets_evalue *"), ffi.new(_INFO)
    read(method, index, value)
    for kind in ("TENSOR", "INT", "BOOL", "DOUBLE"):
        if value.kind == getattr(lib, "ETS_EVALUE_" + kind):
            info.kind, info.tensor = getattr(lib, "ETS_VALUE_" + kind), value.tensor.tensor
    return info


def _in_order_of(declared, value, array):
    """Brings a tensor into the declared order of dimensions; returns what has its elements now.

    The runtime takes an input's bytes as they lie.
    """
    import numpy as np

    tensor = ffi.addressof(getattr(value, "as"), "tensor")
    if tensor.rank != declared.rank:
        return array
    order = sorted(range(tensor.rank), key=lambda i: -declared.strides[i])
    array = np.ascontiguousarray(array.transpose(order)) if order else array
    lib.ets_tensor_set_dim_order(tensor, bytes(order))
    tensor.data = ffi.cast("const void *", array.ctypes.data) if array.size else ffi.NULL
    tensor.data_bytes = array.nbytes
    return array


def _suite(bundle, index, tensors):
    suite, case = ffi.new("struct ets_bundle_suite *"), ffi.new("struct ets_bundle_case *")
    lib.ets_bundle_suite(bundle, index, suite)
    cases = []
    for i in range(suite.case_count):
        lib.ets_bundle_case(suite, i, case)
        where = f"{text(suite.method_name)}, case {i}"
        inputs = _values(lib.ets_bundle_input, case, case.input_count, tensors, where)
        expected = _values(lib.ets_bundle_expected, case, case.expected_count, tensors, where)
        cases.append(MethodTestCase(inputs, expected))
    return MethodTestSuite(text(suite.method_name), cases)


def _values(read, case, count, tensors, where):
    value, values = ffi.new("struct ets_value *"), []
    for i in range(count):
        read(case, i, value)
        if value.kind == lib.ETS_VALUE_OTHER:
            raise Error(f"{where}: value {i} is of a kind that is not known", status="UNSUPPORTED")
        values.append(value_of(value, tensors))
    return values
