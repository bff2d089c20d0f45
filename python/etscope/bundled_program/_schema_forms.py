"""Bundles between the classes of the schema, files and what users have."""

from etscope._errors import Error, RefusedError
from etscope._library import NULL, Source, call, ffi, lib, text
from etscope._tensors import dtype_of
from etscope.bundled_program import schema
from etscope.bundled_program.config import MethodTestCase, MethodTestSuite
from etscope.scalar_type import ScalarType


def schema_of(data):
    """The schema.BundledProgram of a file's bytes. Raises Error as ets_bundle_init says."""
    source, bundle = Source.of_buffer(data), ffi.new("struct ets_bundle *")
    call(lib.ets_bundle_init, bundle, source.bytes)
    suite, case = ffi.new("struct ets_bundle_suite *"), ffi.new("struct ets_bundle_case *")
    suites = []
    for i in range(bundle.suite_count):
        lib.ets_bundle_suite(bundle, i, suite)
        cases = []
        for k in range(suite.case_count):
            lib.ets_bundle_case(suite, k, case)
            cases.append(schema.BundledMethodTestCase(
                _values(lib.ets_bundle_input, case, case.input_count),
                _values(lib.ets_bundle_expected, case, case.expected_count),
            ))  # fmt: skip
        suites.append(schema.BundledMethodTestSuite(text(suite.method_name), cases))
    program = bytes(ffi.buffer(bundle.program.data, bundle.program.size))
    return schema.BundledProgram(bundle.version, suites, program)


def _values(read, case, count):
    value, values = ffi.new("struct ets_value *"), []
    for i in range(count):
        read(case, i, value)
        held = getattr(value, "as")
        if value.kind == lib.ETS_VALUE_TENSOR:
            found = _tensor(held.tensor)
        elif value.kind == lib.ETS_VALUE_INT:
            found = schema.Int(held.int_value)
        elif value.kind == lib.ETS_VALUE_BOOL:
            found = schema.Bool(bool(held.bool_value))
        elif value.kind == lib.ETS_VALUE_DOUBLE:
            found = schema.Double(held.double_value)
        else:
            raise Error(f"value {i} is of a kind that the schema's classes do not have",
                        status="UNSUPPORTED")  # fmt: skip
        values.append(schema.Value(found))
    return values


def _tensor(tensor):
    sizes, strides = list(tensor.sizes[0 : tensor.rank]), tensor.strides[0 : tensor.rank]
    order = sorted(range(tensor.rank), key=lambda i: -strides[i])
    data = bytes(ffi.buffer(tensor.data, tensor.data_bytes)) if tensor.data != NULL else b""
    return schema.Tensor(ScalarType(tensor.scalar_type), sizes, data, order)


def program_and_suites(bundle):
    """(bytes of the program, [MethodTestSuite]) of a schema.BundledProgram, ours or upstream's."""
    suites = [
        MethodTestSuite(suite.method_name, [
            MethodTestCase([_plain(value) for value in case.inputs],
                           [_plain(value) for value in case.expected_outputs])
            for case in suite.test_cases
        ])
        for suite in bundle.method_test_suites
    ]  # fmt: skip
    return bytes(bundle.program), suites


def _plain(value):
    """An array or a number of a Value, whose class may be upstream's."""
    value = value.val
    for name in ("int_val", "bool_val", "double_val"):
        if hasattr(value, name):
            return getattr(value, name)
    return _array(value)


def _array(tensor):
    import numpy as np

    sizes, order = list(tensor.sizes), [int(i) for i in tensor.dim_order]
    dtype = dtype_of(int(tensor.scalar_type))
    try:
        array = np.frombuffer(bytes(tensor.data), dtype)
        # NumPy loses what a dtype says of itself in frombuffer.
        array = array.view(dtype).reshape([sizes[i] for i in order])
        return array.transpose(np.argsort(order)) if order else array.reshape(sizes)
    except (IndexError, ValueError) as reason:
        raise RefusedError(f"a tensor of sizes {sizes}, dim_order {order} and "
                           f"{len(tensor.data)} bytes: {reason}",
                           status="MALFORMED") from reason  # fmt: skip


def copied_suites(bundle):
    """The MethodTestSuites of upstream's BundledProgram, the one with tensors."""
    return [
        MethodTestSuite(suite.method_name, [
            MethodTestCase(case.inputs, case.expected_outputs) for case in suite.test_cases
        ])
        for suite in bundle.method_test_suites
    ]  # fmt: skip
