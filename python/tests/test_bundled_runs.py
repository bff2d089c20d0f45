"""Test cases of bundles, run and verified; attributes of methods."""

import numpy as np
import pytest

from etscope import Error
from etscope.runtime import BundledModule, Runtime
from fixtures import file

try:
    Runtime.get()
except Error as error:
    pytest.skip(str(error), allow_module_level=True)

MODELS = ["mlp_portable", "mlp_xnnpack", "multi_method", "dynamic"]


def bundle_of(model, **options):
    return BundledModule(file(model, "model.bpte"), **options)


@pytest.mark.parametrize("model", MODELS)
def test_every_case_is_as_expected(model):
    bundle = bundle_of(model)
    for method in bundle.method_names:
        for case in range(bundle.case_count(method)):
            outputs = bundle.verify_result_with_bundled_expected_output(method, case)
            assert outputs and isinstance(outputs[0], np.ndarray)


def test_a_method_runs_on_loaded_inputs():
    bundle = bundle_of("mlp_portable")
    method = Runtime.get().load_program(bundle.program).load_method("forward")
    method.load_bundled_input(bundle, 1)
    (found,) = method.execute(None)
    (expected,) = method.execute(bundle.inputs("forward", 1))
    np.testing.assert_array_equal(found, expected)
    method.verify_method_outputs(bundle, 1)
    with pytest.raises(Error, match=r"forward, case 0: output 0: 8 of 8 elements are outside of the "
                                    r"tolerance \(rtol 0, atol 1e-09\), the worst is") as caught:  # fmt: skip
        method.verify_method_outputs(bundle, 0, rtol=0, atol=1e-9)
    assert caught.value.status == "MISMATCH" and isinstance(caught.value, RuntimeError)
    method.verify_method_outputs(bundle, 0, rtol=0, atol=1)


def test_cases_that_are_not_there():
    bundle = bundle_of("mlp_portable")
    for method, case in (("backward", 0), ("forward", 99), ("forward", -1)):
        with pytest.raises(Error) as caught:
            bundle.execute(method, case)
        assert caught.value.status == "NOT_FOUND"
    with pytest.raises(Error) as caught:
        BundledModule(file("mlp_portable", "model.pte"))
    assert caught.value.status == "WRONG_KIND"


def test_attributes_are_the_named_tensors():
    meta = Runtime.get().load_program(file("mlp_portable", "model.pte")).metadata("forward")
    assert meta.num_attributes() == 0
    with pytest.raises(IndexError, match="no attribute 0: the method has 0"):
        meta.attribute_tensor_meta(0)
    meta = Runtime.get().load_program(file("ptd", "external.pte"),
                                      data_path=file("ptd", "external.ptd")).metadata("forward")  # fmt: skip
    found = {meta.attribute_name(i): repr(meta.attribute_tensor_meta(i))
             for i in range(meta.num_attributes())}  # fmt: skip
    assert list(found) == ["linear.weight", "linear.bias", "count"]
    assert found["linear.weight"] == (
        "TensorInfo(sizes=[3, 4], dtype=Float, is_memory_planned=False, nbytes=48)"
    )
    assert "sizes=[3], dtype=Float, is_memory_planned=True" in found["count"]


def test_an_attribute_holds_what_the_runs_left():
    """`count` is a buffer that each run changes."""
    program = Runtime.get().load_program(
        file("ptd", "external.pte"), data_path=file("ptd", "external.ptd")
    )
    method = program.load_method("forward")
    info = method.metadata.input_tensor_meta(0)
    before = method.get_attribute("count")
    assert method.get_attribute("linear.weight").shape == (3, 4)
    method.execute([np.ones(info.sizes(), info.numpy_dtype)])
    assert (method.get_attribute("count") != before).any()
    with pytest.raises(Error, match="no tensor named count.b") as caught:
        method.get_attribute("count.b")
    assert caught.value.status == "NOT_FOUND"
    with pytest.raises(Error, match='"numpy" or "torch"'):
        method.get_attribute("count", tensors="list")


def test_functions_of_portable_lib():
    from etscope.runtime import portable_lib

    with open(file("mlp_portable", "model.bpte"), "rb") as bundle_file:
        bundle = portable_lib._load_bundled_program_from_buffer(bundle_file.read())
    module = portable_lib._load_for_executorch_from_bundled_program(bundle)
    assert module.method_names() == ["forward"] and not module.has_etdump()
    module.load_bundled_input(bundle, "forward", 2)
    (found,) = module.plan_execute("forward")
    inputs = bundle.inputs("forward", 2)
    np.testing.assert_array_equal(np.asarray(module.forward(inputs)[0]), np.asarray(found))
    loose = {"rtol": 1e-4, "atol": 1e-5}
    for outputs in (
        module.verify_result_with_bundled_expected_output(bundle, "forward", 2, **loose),
        bundle.verify_result_with_bundled_expected_output("forward", 2, **loose),
    ):
        np.testing.assert_array_equal(np.asarray(outputs[0]), np.asarray(found))
    program = portable_lib._load_program(file("multi_method", "model.pte"))
    names = [program.get_method_name(i) for i in range(program.num_methods())]
    assert set(names) >= {"encode", "decode"}
    method = program.load_method("encode")
    assert method.method_meta().name() == program.method_meta("encode").name() == "encode"
    assert "aten::add.out" in portable_lib._get_operator_names()
    for name in portable_lib._get_registered_backend_names():
        assert isinstance(portable_lib._is_available(name), bool)
    count = portable_lib._threadpool_get_thread_count()
    assert count >= 1
    portable_lib._unsafe_reset_threadpool(count)
    for index in (-1, program.num_methods()):
        with pytest.raises(Error, match=f"no number {index}") as caught:
            program.get_method_name(index)
        assert caught.value.status == "NOT_FOUND"


def test_weights_of_a_program_from_bytes():
    from etscope.runtime import portable_lib

    with open(file("ptd", "external.pte"), "rb") as program:
        module = portable_lib._load_for_executorch_from_data_loader(
            program, file("ptd", "external.ptd")
        )
        program.seek(0)
        data = program.read()
    with open(file("ptd", "external.ptd"), "rb") as weights:
        again = portable_lib._load_for_executorch_from_buffer(data, weights.read())
    info = module.method_meta("forward").input_tensor_meta(0)
    inputs = [np.ones(info.sizes(), info.numpy_dtype)]
    np.testing.assert_array_equal(
        np.asarray(module.forward(inputs)[0]), np.asarray(again.forward(inputs)[0])
    )


def test_what_portable_lib_cannot_do_says_why():
    from etscope.runtime import portable_lib

    class PyDataLoader:
        pass

    for function, arguments, reason in (
        ("_load_for_executorch_from_data_loader", (PyDataLoader(),), "bytes in C\\+\\+.*open file"),
        ("_create_profile_block", ("a",), "enable_etdump=True"),
        ("_dump_profile_results", (), "enable_etdump=True"),
    ):
        with pytest.raises(Error, match=reason) as caught:
            getattr(portable_lib, function)(*arguments)
        assert caught.value.status == "UNSUPPORTED"
    assert portable_lib._reset_profile_results() is None
