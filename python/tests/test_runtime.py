"""etscope.runtime over the engine; skipped where there is none."""

import gc
import io
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

from etscope import Error, Inspector, parse_etrecord
from etscope.runtime import Runtime, Verification
from fixtures import DATA, MODELS, ROOT, file, golden

try:
    Runtime.get()
except Error as error:
    pytest.skip(str(error), allow_module_level=True)

ADD = DATA / "made" / "add.pte"
BFLOAT16 = DATA / "made" / "bfloat16.pte"
ONES = np.ones((2, 2), "f4")


def load(path, **options):
    return Runtime.get().load_program(path, **options)


def case_inputs(model, method, case=0):
    """The recorded inputs of a test case, in order."""
    names = (DATA / model / "inputs").glob(f"{method}.{case}.*.npy")
    return [np.load(path) for path in sorted(names, key=lambda path: int(path.suffixes[-2][1:]))]


@pytest.mark.parametrize("model", MODELS)
def test_outputs_are_those_that_the_record_has(model):
    record = parse_etrecord(file(model, "model.etrecord"))
    program = load(file(model, "model.pte"))
    assert program.method_names == set(record.methods)
    for method, cases in record._reference_outputs.items():
        for case, expected in enumerate(cases):
            outputs = program.load_method(method).execute(case_inputs(model, method, case))
            assert len(outputs) == len(expected)
            for ours, theirs in zip(outputs, expected):
                assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
                np.testing.assert_allclose(
                    ours.astype("f8"), theirs.astype("f8"), rtol=0.02 if "int8" in model else 2e-3,
                    atol=0.05 if "int8" in model else 2e-3,
                )  # fmt: skip


def test_a_trace_is_what_upstream_records(tmp_path):
    program = load(file("mlp_portable", "model.pte"), enable_etdump=True, debug_buffer_size=10**7)
    method = program.load_method("forward")
    outputs = method.execute(case_inputs("mlp_portable", "forward"))
    etdump, debug = tmp_path / "trace.etdp", tmp_path / "debug.bin"
    program.write_etdump_result_to_file(etdump, debug)
    inspector = Inspector(
        etdump, etrecord=file("mlp_portable", "model.etrecord"), debug_buffer_path=debug
    )
    ours = [[event.name for event in block.events] for block in inspector.event_blocks]
    theirs = [
        [event["name"] for event in block["events"]] for block in golden("mlp_portable")["debug"]
    ]
    assert ours == theirs
    (output,) = inspector.event_blocks[1].run_output
    np.testing.assert_array_equal(output, outputs[0])

    again = tmp_path / "again.etdp"
    program.write_etdump_result_to_file(str(again), None)
    assert again.read_bytes() == etdump.read_bytes()
    with pytest.raises(Error, match="trace is finished"):
        method.execute(case_inputs("mlp_portable", "forward"))


def test_etscopes_tracer_says_which_method_ran(tmp_path):
    program = load(file("multi_method", "model.pte"), enable_etdump=True, tracer="etscope")
    program.load_method("encode").execute(case_inputs("multi_method", "encode"))
    program.write_etdump_result_to_file(tmp_path / "trace.etdp", tmp_path / "no.bin")
    assert not (tmp_path / "no.bin").exists()  # nothing was captured
    inspector = Inspector(tmp_path / "trace.etdp", etrecord=file("multi_method", "model.etrecord"))
    pyarrow = pytest.importorskip("pyarrow")
    events = pyarrow.table(inspector.events).to_pylist()
    assert {event["method"] for event in events if event["run_name"] == "Execute"} == {"encode"}


@pytest.mark.filterwarnings("error")
def test_a_full_debug_buffer_is_told(tmp_path):
    paths = (tmp_path / "trace.etdp", tmp_path / "debug.bin")
    needed = 64
    for _ in range(2):
        program = load(ADD, enable_etdump=True, debug_buffer_size=needed)
        for _ in range(9):
            program.load_method("forward").execute([ONES, ONES])
        if needed == 64:
            with pytest.warns(UserWarning, match="debug_buffer_size=") as caught:
                program.write_etdump_result_to_file(*paths)
            needed = int(str(caught[0].message).split("=")[1].split()[0])
    assert paths[1].stat().st_size <= needed
    program.write_etdump_result_to_file(*paths)  # without a warning




def test_inputs_of_any_layout():
    program = load(file("mlp_portable", "model.pte")).load_method("forward")
    (values,) = case_inputs("mlp_portable", "forward")
    (expected,) = program.execute([values])
    wide = np.zeros((2, 48), "f4")
    wide[:, ::3] = values
    for same in (np.asfortranarray(values), values[::-1, ::-1][::-1, ::-1], wide[:, ::3],
                 values.astype(">f4"), values.copy()[:, ::-1].copy()[:, ::-1]):  # fmt: skip
        np.testing.assert_array_equal(program.execute([same])[0], expected)
    np.testing.assert_array_equal(program.execute(values)[0], expected)
    np.testing.assert_array_equal(program.execute((v for v in [values]))[0], expected)
    values.flags.writeable = False
    np.testing.assert_array_equal(program.execute([values])[0], expected)


def test_outputs_are_the_callers():
    program = load(ADD)
    method = program.load_method("forward")
    (first,) = method.execute([ONES, ONES])
    (second,) = method.execute([ONES, 2 * ONES])
    assert first.sum() == 8 and second.sum() == 12
    del program, method
    gc.collect()
    assert first.sum() == 8 and first.flags.writeable


@pytest.mark.parametrize("name, expected", [("shared", [5, 12, 6]), ("own", [0, 2, 0])])
def test_methods_share_state_where_it_was_planned_so(name, expected):
    program = load(DATA / "state" / f"{name}.pte")
    methods = {each: program.load_method(each) for each in program.method_names}
    methods["set_state"].execute([np.full(1, 5, "f4")])
    outputs = [methods["get_state"].execute([]), methods["forward"].execute([np.ones(1, "f4")]),
               methods["get_state"].execute([])]  # fmt: skip
    assert [output[0].item() for output in outputs] == expected


def test_bfloat16_and_plain_values():
    method = load(BFLOAT16).load_method("forward")
    bits = np.full((2, 3), 0x4080, "u2")  # 4.0
    (output,) = method.execute([bits, 3, True, 0.5])
    assert output.view("u2").tolist() == [[0x40A0] * 3] * 2  # 4 * 0.5 + 3
    named = bits.view(np.dtype("u2", metadata={"scalar_type": "bfloat16"}))
    scalars = [np.int64(3), np.bool_(True), np.float64(0.5)]
    for same in ([named, *scalars], [output.view("u2"), 3, True, 0.5]):
        assert method.execute(same)[0].shape == (2, 3)
    for wrong in ([bits, 4, True, 0.5], [bits, 3, True, "half"], [bits, 3, 1, 0.5],
                  [bits, 2**70, True, 0.5], [bits, None, True, 0.5],
                  [bits.astype("f4"), 3, True, 0.5]):  # fmt: skip
        with pytest.raises(Error):
            method.execute(wrong)


def test_wrong_inputs_are_told():
    method = load(file("mlp_portable", "model.pte")).load_method("forward")
    for inputs, message in (
        ([], "expected 1 inputs, got 0"),
        ([np.ones((3, 16), "f4")], r"expected float32 \[2, 16\], got float32 \[3, 16\]"),
        ([np.ones((2, 16))], r"expected float32 \[2, 16\], got float64"),
        ([3.5], "expected float32"),
        ([None], "expected float32"),
        (["text"], "not a str"),
        ([np.array(["text"])], "tensors cannot be of str"),
        ([np.ones((1,) * 20, "f4")], "20 dimensions"),
    ):
        with pytest.raises(Error, match=message):
            method.execute(inputs)
    with pytest.raises(Error, match="tensors"):
        method.execute([np.ones((2, 16), "f4")], tensors="lists")
    assert method.execute([np.ones((2, 16), "f4")])[0].shape == (2, 4)


def test_smaller_inputs_where_the_shape_is_dynamic():
    method = load(file("dynamic", "model.pte")).load_method("forward")
    (info,) = method.metadata.inputs
    shape = method.metadata.input_tensor_meta(0).sizes()
    assert shape[0] == 8
    (output,) = method.execute([np.ones((5, *shape[1:]), "f4")])
    assert output.shape[0] == 5
    with pytest.raises(Error, match="or less"):
        method.execute([np.ones((9, *shape[1:]), "f4")])


def test_metadata():
    program = load(file("mlp_xnnpack", "model.pte"))
    meta = program.metadata("forward")
    assert (meta.name(), meta.num_inputs(), meta.num_outputs()) == ("forward", 1, 1)
    info = meta.input_tensor_meta(0)
    assert (info.sizes(), info.dtype(), info.nbytes()) == ((2, 16), 6, 128)
    assert info.numpy_dtype == np.float32 and info.is_memory_planned() is True
    assert meta.output_tensor_meta(0).sizes() == (2, 4)
    assert meta.backend_names() == ["XnnpackBackend"] and meta.num_instructions() == 1
    assert meta.planned_bytes() > 0
    assert "sizes=[2, 16], dtype=Float" in repr(meta)
    for index in (1, -1):
        with pytest.raises(IndexError):
            meta.input_tensor_meta(index)
    plain = load(BFLOAT16).metadata("forward")
    with pytest.raises(ValueError, match="no tensor but Double"):
        plain.input_tensor_meta(3)
    assert plain.input_tensor_meta(0).dtype() == 15


def test_registries():
    runtime = Runtime.get()
    assert runtime is Runtime.get() and runtime.version
    assert "aten::add.out" in runtime.operator_registry.operator_names
    names = runtime.backend_registry.registered_backend_names
    assert runtime.backend_registry.is_available("XnnpackBackend") == ("XnnpackBackend" in names)
    assert runtime.backend_registry.is_available("NoBackend") is False


def test_programs_from_anywhere(tmp_path):
    data = ADD.read_bytes()
    with open(ADD, "rb") as stream:
        for source in (str(ADD), ADD, data, bytearray(data), io.BytesIO(data), stream):
            method = load(source).load_method("forward")
            assert method.execute([ONES, ONES])[0][0, 0] == 2
    minimal = load(data, verification=Verification.Minimal).load_method("forward")
    assert minimal.execute([ONES, ONES])[0][0, 0] == 2
    with pytest.raises(TypeError):
        load(3)


def test_errors():
    with pytest.raises(FileNotFoundError):
        load("/no/such.pte")
    with pytest.raises(Error) as caught:
        load(b"no program at all, but long enough to be looked at" * 3)
    assert caught.value.status == "WRONG_KIND"
    data = ADD.read_bytes()
    for cut in (0, 40, len(data) // 2, len(data) - 1):
        with pytest.raises(Error):
            load(data[:cut])
    with pytest.raises(Error, match="bundled program"):
        load(file("mlp_portable", "model.bpte"))
    program = load(ADD)
    for function in (program.load_method, program.metadata):
        with pytest.raises(KeyError, match="no method backward; the program has forward") as caught:
            function("backward")
        assert caught.value.status == "NOT_FOUND" and isinstance(caught.value, Error)
    assert program.load_method("forward") is program.load_method("forward")
    with pytest.raises(RuntimeError, match="enable_etdump"):
        program.write_etdump_result_to_file("trace.etdp", "debug.bin")
    for options in ({"tracer": "none"}, {"debug_buffer_size": -1}, {"data_path": "/no.ptd"}):
        with pytest.raises(Error):
            load(ADD, enable_etdump=True, **options)
    with pytest.raises(OSError):
        load(ADD, enable_etdump=True).write_etdump_result_to_file("/no/folder/trace.etdp", None)


def test_every_byte_flipped_is_told_or_runs():
    data = bytearray(ADD.read_bytes())
    for at in range(0, len(data), 7):
        data[at] ^= 0xFF
        try:
            load(data).load_method("forward")
        except Error as error:
            assert str(error)
        data[at] ^= 0xFF


def test_a_data_file():
    program, weights = DATA / "ptd" / "external.pte", DATA / "ptd" / "external.ptd"
    method = load(program, data_path=weights).load_method("forward")
    inputs = [np.ones(method.metadata.input_tensor_meta(0).sizes(), "f4")]
    counts = [method.execute(inputs)[0] for _ in range(2)]
    np.testing.assert_allclose(counts[1] - counts[0], 1, rtol=1e-6)  # its buffer counts
    with pytest.raises(Error, match="without its data file"):
        load(program).load_method("forward")


def test_a_program_that_is_cut_while_it_is_open(tmp_path):
    copy = tmp_path / "program.pte"
    copy.write_bytes(ADD.read_bytes())
    method = load(copy).load_method("forward")
    copy.write_bytes(b"")
    with pytest.raises(Error, match="changed"):
        method.execute([ONES, ONES])


def test_threads_share_a_method():
    method = load(file("mlp_portable", "model.pte")).load_method("forward")
    inputs = [np.full((2, 16), value, "f4") for value in range(4)]
    expected = [method.execute([value])[0] for value in inputs]
    wrong = []

    def work(index):
        for _ in range(50):
            if not np.array_equal(method.execute([inputs[index]])[0], expected[index]):
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_example(tmp_path):
    examples = ROOT / "examples"
    script, program = examples / "tracing" / "trace_runtime.py", examples / "mlp" / "portable.pte"
    words = map(str, (script, program, tmp_path / "trace.etdp"))
    command = [sys.executable, "-W", "error", *words]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("1 outputs, float32 (1, 10)\n")
    assert "native_call_relu.out" in done.stdout
    assert pathlib.Path(tmp_path, "trace.bin").stat().st_size > 0


def test_a_trace_says_which_program_ran_by_default(tmp_path):
    """As that of the command line; ETDumpGen's does not."""
    inputs = case_inputs("multi_method", "encode")
    for options, is_told in (({}, True), ({"tracer": "upstream"}, False)):
        program = load(file("multi_method", "model.pte"), enable_etdump=True, **options)
        program.load_method("encode").execute(inputs)
        program.write_etdump_result_to_file(tmp_path / "trace.etdp")
        Inspector(tmp_path / "trace.etdp", program=file("multi_method", "model.pte"))
        if is_told:
            with pytest.raises(Error, match="program") as caught:
                Inspector(tmp_path / "trace.etdp", program=file("mlp_portable", "model.pte"))
            assert caught.value.status == "MISMATCH"
