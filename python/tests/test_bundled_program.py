"""etscope.bundled_program: what is written is what `etscope bundle` writes, and is read again."""

import json
import os
import pathlib
import subprocess
import types

import numpy as np
import pytest

import etscope
from etscope import Error
from etscope.bundled_program import BundledProgram, schema
from etscope.bundled_program import serialize as forms
from etscope.bundled_program.config import MethodTestCase, MethodTestSuite
from etscope.bundled_program.serialize import (
    deserialize_from_flatbuffer_to_bundled_program as deserialize,
    serialize_from_bundled_program_to_flatbuffer as serialize,
)  # fmt: skip
from fixtures import DATA, file

MODELS = sorted(path.parent.name for path in DATA.glob("*/model.bpte"))
MODEL = file("mlp_portable", "model.pte")
X = np.arange(32, dtype="f4").reshape(2, 16)
Y = np.full((2, 4), 0.25, "f4")


def read(model, **options):
    return deserialize(pathlib.Path(file(model, "model.bpte")).read_bytes(), **options)


def forward(*cases):
    return [MethodTestSuite("forward", [MethodTestCase(*case) for case in cases])]


def values(bundle):
    """All that a bundle's cases hold, with types and layouts, to be compared."""

    def plain(value):
        if isinstance(value, np.ndarray):
            return str(value.dtype), value.shape, value.strides, value.tobytes()
        return type(value), value

    return [(suite.method_name, [(list(map(plain, case.inputs)),
                                  list(map(plain, case.expected_outputs)))
                                 for case in suite.test_cases])
            for suite in bundle.method_test_suites]  # fmt: skip


def test_inputs_are_those_of_the_files():
    (suite,) = read("mlp_portable").method_test_suites
    assert suite.method_name == "forward" and len(suite.test_cases) == 3
    for index, case in enumerate(suite.test_cases):
        path = DATA / "mlp_portable" / "inputs" / f"forward.{index}.0.npy"
        assert np.array_equal(case.inputs[0], np.load(path))
        assert case.expected_outputs[0].shape == (2, 4)


@pytest.mark.parametrize("model", MODELS)
def test_every_fixture_again(model):
    old = read(model)
    assert old.program == pathlib.Path(file(model, "model.pte")).read_bytes()
    new = BundledProgram(file(model, "model.pte"), old.method_test_suites)
    again = deserialize(serialize(new))
    assert values(again) == values(old) != []
    assert again.program == old.program
    assert serialize(again) == serialize(new) == serialize(old)


@pytest.mark.skipif("ETSCOPE" not in os.environ, reason="ETSCOPE names the command line tool")
@pytest.mark.parametrize("model", MODELS)
def test_bytes_are_those_of_the_command_line(model, tmp_path):
    path, bundle = tmp_path / "new.bpte", read(model)
    command = [os.environ["ETSCOPE"], "bundle", file(model, "model.pte"), "--cases-from",
               file(model, "model.bpte"), "-o", str(path)]  # fmt: skip
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    assert path.read_bytes() == serialize(bundle)


def test_a_program_is_a_path_bytes_or_what_has_a_buffer():
    data = pathlib.Path(MODEL).read_bytes()
    suites = forward(([X], [Y]), ([X + 1],))
    programs = [MODEL, pathlib.Path(MODEL), data, bytearray(data),
                types.SimpleNamespace(buffer=data)]  # fmt: skip
    written = {serialize(BundledProgram(program, suites)) for program in programs}
    written.add(serialize(BundledProgram(None, suites, pte_file_path=MODEL)))
    assert len(written) == 1
    (suite,) = deserialize(written.pop()).method_test_suites
    assert [len(case.expected_outputs) for case in suite.test_cases] == [1, 0]
    assert np.array_equal(suite.test_cases[1].inputs[0], X + 1)
    for program, path in ((None, None), (MODEL, MODEL)):
        with pytest.raises(RuntimeError, match="either"):
            BundledProgram(program, suites, path)


def test_layouts_and_strides():
    wide = np.zeros((4, 32), "f4")
    wide[::2, ::2] = X
    for array in (np.asfortranarray(X), wide[::2, ::2], X[::-1, ::-1], X.astype(">f4")):
        bundle = deserialize(serialize(BundledProgram(MODEL, forward(([array],)))))
        (found,) = bundle.method_test_suites[0].test_cases[0].inputs
        # The runtime takes the bytes in the order of dimensions that the program has.
        assert np.array_equal(found, array) and found.flags.c_contiguous


def test_a_program_that_takes_channels_last():
    from etscope._library import ffi, lib
    from etscope._values import value_of_input
    from etscope.bundled_program.core import _in_order_of

    image = np.arange(24, dtype="f4").reshape(1, 2, 3, 4)
    wanted = ffi.new("struct ets_engine_value_info *")
    wanted.kind = lib.ETS_VALUE_TENSOR
    wanted.tensor.rank, wanted.tensor.sizes = 4, list(image.shape)
    wanted.tensor.strides = [24, 1, 8, 2]
    value, keeps = value_of_input(image, wanted)
    keeps = _in_order_of(wanted.tensor, value, keeps)
    tensor = getattr(value, "as").tensor
    assert list(tensor.strides[0:4]) == [24, 1, 8, 2] and tensor.data_bytes == image.nbytes
    elements = bytes(ffi.buffer(tensor.data, tensor.data_bytes))
    assert elements == image.transpose(0, 2, 3, 1).tobytes()
    assert keeps.nbytes == image.nbytes


@pytest.mark.skipif(not {"ETSCOPE", "ETSCOPE_ENGINE"} <= set(os.environ), reason="no engine")
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_the_runtime_takes_it(layout, tmp_path):
    old = read("mlp_portable")
    for case in old.method_test_suites[0].test_cases:
        case.inputs[0] = layout(case.inputs[0])
    path = tmp_path / "new.bpte"
    path.write_bytes(serialize(old))
    command = [os.environ["ETSCOPE"], "verify", str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, done.stdout


def test_plain_numbers_are_those_of_the_program():
    bundle = read("types")
    found = [type(v) for s in bundle.method_test_suites for c in s.test_cases
             for v in c.inputs if not isinstance(v, np.ndarray)]  # fmt: skip
    case = MethodTestCase({"a": [1, True], "b": (2.5, np.float32(1))}, (None, X))
    assert case.inputs == [1, True, 2.5, np.float32(1)] and case.expected_outputs[0] is None
    assert set(found) <= {int, float, bool}


def test_what_is_read_equals_what_was_written():
    bundle = read("multi_method")
    again = deserialize(serialize(bundle))
    assert again == bundle and again == bundle.serialize_to_schema() == again
    again.method_test_suites[0].test_cases[0].inputs[0][...] += 1
    assert again != bundle and bundle != "a bundle"


def test_suites_are_sorted_by_name():
    bundle = read("multi_method")
    suites = bundle.method_test_suites
    names = [suite.method_name for suite in suites]
    assert len(names) > 1
    turned = BundledProgram(bundle.program, suites[::-1])
    assert [suite.method_name for suite in turned.method_test_suites] == sorted(names)
    assert serialize(turned) == serialize(bundle)
    with pytest.raises(etscope.Error):
        BundledProgram(bundle.program, [suites[0], suites[0]])


@pytest.mark.parametrize("suites, message", [
    (forward(([],)), "has 0 inputs instead of 1"),
    (forward(([X, X],)), "has 2 inputs instead of 1"),
    (forward(([X.astype("f8")],)), "float64"),
    (forward(([X[:, :8]],)), r"\[2, 8\]"),
    (forward(([1],)), "an int"),
    (forward(([X], [Y, Y])), "has 2 expected outputs instead of 1"),
    (forward(([X], [Y.astype("i4")])), "int32"),
    ([MethodTestSuite("backward", [])], "backward"),
])  # fmt: skip
def test_cases_of_another_program_are_refused(suites, message):
    for options in ({"executorch_program": MODEL}, {"executorch_program": None,
                                                    "pte_file_path": MODEL}):  # fmt: skip
        with pytest.raises(AssertionError, match=message) as caught:
            BundledProgram(method_test_suites=suites, **options)
        assert isinstance(caught.value, etscope.Error) and caught.value.status == "MISMATCH"
        assert caught.value.file == MODEL
    bundle = BundledProgram(MODEL, forward(([X],)))
    bundle.method_test_suites = suites
    with pytest.raises(AssertionError, match=message):
        serialize(bundle)


@pytest.mark.parametrize("inputs", [[None], ["text"], [{1}], [X, b"bytes"], [[1j]]])
def test_values_that_no_bundle_holds(inputs):
    with pytest.raises(AssertionError, match="is of type") as caught:
        MethodTestCase(inputs)
    assert isinstance(caught.value, etscope.Error)


@pytest.mark.parametrize("value, message", [
    (2**64, "does not fit into 64 bits"), (np.array(["a"]), "str32"),
    (np.zeros((1,) * 17, "f4"), "17 dimensions"), (np.zeros((0, 16), "f4"), r"\[0, 16\]"),
])  # fmt: skip
def test_values_that_no_method_takes(value, message):
    with pytest.raises(AssertionError, match="forward, case 1: input 0.*" + message):
        BundledProgram(MODEL, forward(([X],), ([value],)))


@pytest.mark.parametrize("name", ["for\0ward", "\udcff", 5])
def test_names_that_no_method_has(name):
    with pytest.raises(AssertionError, match="named"):
        BundledProgram(MODEL, [MethodTestSuite(name, [])])


def test_what_is_no_program():
    with pytest.raises(FileNotFoundError):
        BundledProgram("no such file.pte", [])
    for program in (file("mlp_portable", "model.bpte"), file("mlp_portable", "debug.etdp"), b""):
        with pytest.raises(etscope.Error):
            BundledProgram(program, [])
    with pytest.raises(TypeError):
        BundledProgram(5, [])


def test_what_is_no_bundle():
    with pytest.raises(etscope.Error) as caught:
        deserialize(pathlib.Path(MODEL).read_bytes())
    assert caught.value.status == "WRONG_KIND"
    whole = serialize(BundledProgram(MODEL, forward(([X], [Y]))))
    for size in range(0, len(whole), 97):
        with pytest.raises(etscope.Error):
            deserialize(whole[:size])
    with pytest.raises(etscope.Error, match="tensors"):
        deserialize(whole, tensors="jax")


def test_a_sink_that_fails():
    bundle = BundledProgram(MODEL, forward(([X],)))

    def refuse(data):
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        bundle._write(refuse)


def test_a_record_takes_it():
    from etscope.etrecord import parse_etrecord

    record = parse_etrecord(file("mlp_portable", "model.etrecord"))
    bundle = BundledProgram(MODEL, forward(([X], [Y])))
    record.update_representative_inputs(bundle)
    record.update_reference_outputs(bundle)
    assert np.array_equal(record._representative_inputs[0], X)


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    suites = forward(([torch.from_numpy(X)], [torch.from_numpy(Y)]))
    data = serialize(BundledProgram(MODEL, suites))
    assert data == serialize(BundledProgram(MODEL, forward(([X], [Y]))))
    case = deserialize(data, tensors="torch").method_test_suites[0].test_cases[0]
    assert torch.equal(case.inputs[0], torch.from_numpy(X))


def test_upstream_reads_it():
    upstream = pytest.importorskip("executorch.devtools.bundled_program.serialize")
    found = upstream.deserialize_from_flatbuffer_to_bundled_program(
        serialize(BundledProgram(MODEL, forward(([X], [Y]))))
    )
    value = found.method_test_suites[0].test_cases[0].inputs[0].val
    assert bytes(value.data) == X.tobytes() and list(value.sizes) == [2, 16]


def upstream_like(bundle):
    """What upstream's BundledProgram looks like."""
    program = types.SimpleNamespace(buffer=bundle.program)
    return types.SimpleNamespace(executorch_program=program, _pte_file_path=None,
                                 method_test_suites=bundle.method_test_suites,
                                 serialize_to_schema=None)  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
def test_forms_of_the_schema(model):
    """Classes, JSON, and the file: each of them gives the others."""
    data = pathlib.Path(file(model, "model.bpte")).read_bytes()
    bundle = deserialize(data)
    held = bundle.serialize_to_schema()
    assert held.version == 2 and held.program == bundle.program
    for suite, expected in zip(held.method_test_suites, bundle.method_test_suites):
        for case, other in zip(suite.test_cases, expected.test_cases):
            for value, array in zip(case.inputs, other.inputs):
                if isinstance(value.val, schema.Tensor):
                    assert value.val.sizes == list(array.shape)
                    assert len(value.val.data) == array.nbytes
    text = forms.serialize_from_bundled_program_to_json(held)
    assert forms.deserialize_from_json_to_bundled_program(text) == held
    assert forms.deserialize_from_json_to_bundled_program(forms.convert_from_flatbuffer(data)) == held
    assert serialize(held) == serialize(bundle) == forms.convert_to_flatbuffer(text)
    assert serialize(upstream_like(bundle)) == serialize(bundle)


def test_json_of_another_form_is_told():
    found = json.loads(forms.convert_from_flatbuffer(serialize(read("mlp_portable"))))
    tensor = found["method_test_suites"][0]["test_cases"][0]["inputs"][0]
    assert tensor["val_type"] == "Tensor" and tensor["val"]["scalar_type"] == 6
    tensor["val"]["scalar_type"] = "FLOAT"  # as flatc writes it
    forms.convert_to_flatbuffer(json.dumps(found))
    tensor["val"]["dim_order"] = [1]
    with pytest.raises(Error, match="dim_order"):
        forms.convert_to_flatbuffer(json.dumps(found))
    tensor["val_type"] = "Cube"
    with pytest.raises(Error, match=r"inputs\[0\].val_type: 'Cube' is none of Tensor, Int"):
        forms.convert_to_flatbuffer(json.dumps(found))
    for text in ("{", "[]", '{"version": 2}', '{"version": "x"}'):
        with pytest.raises(Error) as caught:
            forms.convert_to_flatbuffer(text)
        assert caught.value.status == "MALFORMED"
    with pytest.raises(TypeError):
        serialize(3)
