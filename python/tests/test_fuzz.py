"""Hostile bytes and odd arguments: whatever comes, an exception and never a crash.

ETSCOPE_FUZZ_EXAMPLES tells how many inputs each test tries (default 80); a failure prints one.
"""

import os
import tempfile
import warnings
import zipfile

import numpy as np
import pytest

from etscope import BundledProgram, Error, Inspector, parse_etrecord
from etscope.bundled_program import (
    MethodTestCase, MethodTestSuite, deserialize_from_flatbuffer_to_bundled_program,
    serialize_from_bundled_program_to_flatbuffer,
)  # fmt: skip
from etscope.inspector import TimeScale
from made import record
from fixtures import file

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

EXAMPLES = int(os.environ.get("ETSCOPE_FUZZ_EXAMPLES", "80"))
bounded = settings(
    max_examples=EXAMPLES, deadline=None, database=None, derandomize="ETSCOPE_FUZZ_EXAMPLES"
    not in os.environ, print_blob=True, suppress_health_check=list(hypothesis.HealthCheck),
)  # fmt: skip

RECORD = file("mlp_xnnpack", "model.etrecord")


def read(name, model="mlp_xnnpack"):
    with open(file(model, name), "rb") as stream:
        return stream.read()


with zipfile.ZipFile(RECORD) as _archive:
    ENTRIES = {name: _archive.read(name) for name in _archive.namelist()}
DUMPS = [read("debug.etdp"), read("profile.etdp"), read("debug.etdp", "map_loop")]

edits = st.lists(
    st.tuples(
        st.integers(0, 1 << 20),
        st.one_of(st.integers(0, 255), st.sampled_from([0, 127, 255])),
    ),
    max_size=12,
)


def damaged(data, changes, keep=None):
    data = bytearray(data if keep is None else data[: keep % (len(data) + 1)])
    for position, byte in changes:
        if data:
            data[position % len(data)] = byte
    return bytes(data)


def look_at(inspector):
    """Everything that reads the C library's memory."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = inspector.to_dataframe()
        assert len(frame.columns) == 17
        for block in inspector.event_blocks:
            repr(block.events[:3])
        inspector.find_total_for_module("")
        inspector.get_op_list("Execute")
        inspector.to_dataframe(include_delegate_debug_data=True)
        for table in (inspector.by_module, inspector.by_source, inspector.by_run, inspector.tree):
            assert table(steady=True).attrs["headline"] is not None
        inspector.diff(inspector, allow_mismatch=True)
        for shown in (inspector, *inspector.event_blocks):
            assert "<script" not in shown._repr_html_()


@bounded
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes(data, partial):
    for prefix in (b"", b"\x40\0\0\0\x10\0\0\0ED00", b"\x10\0\0\0ED00", b"PK\x03\x04"):
        for opened in (
            lambda: look_at(Inspector(etdump_data=prefix + data, partial=partial)),
            lambda: parse_etrecord(prefix + data),
        ):
            try:
                opened()
            except Error as error:
                assert error.status and str(error)


@bounded
@given(st.sampled_from(DUMPS), edits, st.one_of(st.none(), st.integers(0, 1 << 20)), st.booleans(),
       st.booleans())  # fmt: skip
def test_damaged_traces(data, changes, keep, partial, with_record):
    try:
        with tempfile.NamedTemporaryFile() as buffer:
            buffer.write(read("debug.bin")[: 4 * len(changes) * 8])
            buffer.flush()
            inspector = Inspector(
                etdump_data=damaged(data, changes, keep),
                etrecord=RECORD if with_record else None,
                debug_buffer_path=buffer.name,
                partial=partial,
                allow_mismatch=True,
            )
            look_at(inspector)
    except Error as error:
        assert error.status and str(error)


@bounded
@given(st.sampled_from(sorted(ENTRIES)), edits, st.one_of(st.none(), st.integers(0, 1 << 20)))
def test_damaged_records(entry, changes, keep):
    """Entries with the CRC of their damage, so that every reader behind the zip gets to see it."""
    data = record(RECORD, **{entry: damaged(ENTRIES[entry], changes, keep)})
    try:
        opened = parse_etrecord(data)
        path = file("mlp_xnnpack", "profile.etdp")
        look_at(Inspector(path, etrecord=opened, allow_mismatch=True))
    except Error as error:
        assert error.status and str(error)
    for name in ("edge_dialect_program", "exported_program", "graph_map", "_representative_inputs",
                 "_reference_outputs", "_debug_handle_map", "_delegate_map"):  # fmt: skip
        try:
            value = getattr(parse_etrecord(data), name)
            if hasattr(value, "code"):
                str(value), [node.inputs for node in value.nodes], value.subgraphs
        except Error as error:
            assert error.status and str(error)


REFUSALS = (Error, TypeError, ValueError, OSError, ImportError)
ARRAYS = [np.ones((2, 16), "f4"), np.ones((16, 2), "f4").T, np.zeros(0), np.array(1.5),
          np.ones((1,) * 20), np.array(["x"]), np.ones(3, ">i4"),
          np.ones((2, 16), "f4")[::-1]]  # fmt: skip
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3),
                    st.sampled_from(ARRAYS))  # fmt: skip
BUNDLE, PROGRAM = read("model.bpte"), read("model.pte")


@bounded
@given(st.sampled_from([BUNDLE, PROGRAM]), edits, st.one_of(st.none(), st.integers(0, 1 << 20)))
def test_damaged_bundles_and_programs(data, changes, keep):
    data = damaged(data, changes, keep)
    try:
        bundle = deserialize_from_flatbuffer_to_bundled_program(data)
        repr(bundle), [case.inputs for suite in bundle.method_test_suites
                       for case in suite.test_cases]  # fmt: skip
        serialize_from_bundled_program_to_flatbuffer(bundle)
    except Error as error:
        assert error.status and str(error)
    with tempfile.NamedTemporaryFile() as program:
        program.write(data)
        program.flush()
        try:
            trace = file("mlp_xnnpack", "profile.etdp")
            look_at(Inspector(trace, etrecord=RECORD, program=program.name, allow_mismatch=True))
        except Error as error:
            assert error.status and str(error)
        try:
            BundledProgram(program.name, [])
        except Error as error:
            assert error.status and error.file == program.name


@bounded
@given(st.lists(st.recursive(scalars, lambda inner: st.lists(inner, max_size=3)), max_size=3),
       st.text(max_size=4))  # fmt: skip
def test_any_test_cases(values, name):
    try:
        suite = MethodTestSuite(name, [MethodTestCase(values, values)])
        serialize_from_bundled_program_to_flatbuffer(BundledProgram(PROGRAM, [suite]))
    except REFUSALS:
        pass


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.binary(max_size=8), st.sampled_from(list(TimeScale)), st.lists(st.integers(), max_size=2),
    st.just(file("mlp_xnnpack", "profile.etdp")), st.just(RECORD),
)  # fmt: skip
PARAMETERS = [
    "etdump_path", "etdump_data", "etrecord", "source_time_scale", "target_time_scale",
    "debug_buffer_path", "delegate_metadata_parser", "delegate_time_scale_converter",
    "enable_module_hierarchy", "reference_graph_name", "method", "partial", "allow_mismatch",
    "tensors",
]  # fmt: skip

@bounded
@given(st.dictionaries(st.sampled_from(PARAMETERS), anything, max_size=4))
def test_any_arguments(arguments):
    arguments.setdefault("etdump_path", file("mlp_xnnpack", "profile.etdp"))
    for key in ("etdump_path", "etrecord", "debug_buffer_path"):
        if isinstance(arguments.get(key), int):
            return  # a file descriptor: theirs, not ours
    try:
        inspector = Inspector(**arguments)
        inspector.to_dataframe()
    except REFUSALS:
        pass


VALID = Inspector(
    file("mlp_xnnpack", "debug.etdp"), etrecord=RECORD,
    debug_buffer_path=file("mlp_xnnpack", "debug.bin"),
)  # fmt: skip


@bounded
@given(st.sampled_from(["find_total_for_module", "get_op_list", "get_exported_program", "find",
                        "node", "graph", "to_dataframe", "by_module", "diff"]), anything)  # fmt: skip
def test_any_calls(name, argument):
    graph = VALID.get_exported_program()
    for owner in (VALID, graph, VALID._etrecord):
        if hasattr(owner, name):
            try:
                getattr(owner, name)(argument)
            except (*REFUSALS, KeyError, AttributeError):
                pass
