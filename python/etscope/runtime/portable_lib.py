"""The functions and classes of `executorch.extension.pybindings.portable_lib`, over etscope.runtime.

For scripts that use these names; new ones say more with etscope.runtime. Outputs are torch tensors
where torch is installed, else NumPy arrays, and always copies.
"""

import importlib.util

from etscope._errors import Error
from etscope._library import call
from etscope.runtime._bundled import BundledModule as _BundledModule
from etscope.runtime._metadata import MethodMeta, TensorInfo
from etscope.runtime._runtime import Runtime, Verification


def _tensors():
    return "numpy" if importlib.util.find_spec("torch") is None else "torch"


class BundledModule(_BundledModule):
    """A bundled program whose test cases are to be run. Tolerances have upstream's defaults."""

    def __init__(self, bundle):
        super().__init__(bundle, _tensors())

    def verify_result_with_bundled_expected_output(
        self, method_name, testset_idx, rtol=1e-5, atol=1e-8
    ):
        """Runs a test case; returns the outputs. Raises Error (MISMATCH) if they are off."""
        return super().verify_result_with_bundled_expected_output(
            method_name, testset_idx, rtol, atol
        )


class ExecuTorchMethod:
    """A loaded method."""

    def __init__(self, method):
        self._method = method

    def set_inputs(self, inputs):
        """Sets all inputs."""
        self._method.set_inputs(inputs)

    def execute(self):
        """Runs on the inputs that were set."""
        self._method.execute(None)

    def get_outputs(self, clone_outputs=True):
        """The outputs of the latest run."""
        return self._method.get_outputs(_tensors())

    def call(self, inputs=(), clone_outputs=True):
        """Sets the inputs, runs, returns the outputs."""
        return self._method.execute(inputs, _tensors())

    __call__ = call

    def get_attribute(self, name):
        """A copy of what a named tensor holds now, as a buffer of the model."""
        return self._method.get_attribute(name, _tensors())

    def method_meta(self):
        """The MethodMeta."""
        return self._method.metadata


class ExecuTorchProgram:
    """A program whose methods are loaded one by one."""

    def __init__(self, program):
        self._program = program

    def num_methods(self):
        """How many methods there are."""
        return len(self._program.method_names)

    def get_method_name(self, method_index):
        """The name of a method, in the file's order. Raises Error (NOT_FOUND)."""
        count = self.num_methods()
        if not 0 <= method_index < count:
            raise Error(f"the program has {count} methods, and no number {method_index}",
                        status="NOT_FOUND")  # fmt: skip
        return self._program._names[method_index]

    def load_method(self, method_name):
        """The ExecuTorchMethod."""
        return ExecuTorchMethod(self._program.load_method(method_name))

    def method_meta(self, method_name):
        """The MethodMeta, without loading the method."""
        return self._program.metadata(method_name)

    def has_etdump(self):
        """Whether it is traced."""
        return self._program._traces

    def write_etdump_result_to_file(self, path, debug_buffer_path=None):
        """Ends the trace and writes it."""
        self._program.write_etdump_result_to_file(path, debug_buffer_path)


class ExecuTorchModule(ExecuTorchProgram):
    """A program whose methods are loaded when they are called."""

    def __call__(self, inputs, clone_outputs=True):
        """Runs "forward"."""
        return self.run_method("forward", inputs, clone_outputs)

    forward = __call__

    def run_method(self, method_name, inputs, clone_outputs=True):
        """Runs a method and returns its outputs."""
        return self.load_method(method_name).call(inputs)

    def plan_execute(self, method_name, clone_outputs=True):
        """Runs a method on the inputs that load_bundled_input set."""
        return self._program.load_method(method_name).execute(None, _tensors())

    def load_bundled_input(self, bundle, method_name, testset_idx):
        """Sets the inputs of a test case."""
        self._program.load_method(method_name).load_bundled_input(bundle, testset_idx)

    def verify_result_with_bundled_expected_output(
        self, bundle, method_name, testset_idx, rtol=1e-5, atol=1e-8
    ):
        """Runs a test case; returns the outputs. Raises Error (MISMATCH) if they are off."""
        self.load_bundled_input(bundle, method_name, testset_idx)
        outputs = self.plan_execute(method_name)
        self._program.load_method(method_name).verify_method_outputs(
            bundle, testset_idx, rtol, atol
        )
        return outputs

    def method_names(self):
        """The methods' names."""
        return list(self._program._names)


def _opened(data, enable_etdump, debug_buffer_size, verification, data_path=None):
    return Runtime.get().load_program(
        data, enable_etdump=enable_etdump, debug_buffer_size=debug_buffer_size,
        verification=verification, data_path=data_path,
    )  # fmt: skip


def _load_program(path, enable_etdump=False, debug_buffer_size=0,
                  program_verification=Verification.Minimal, data_path=None):  # fmt: skip
    return ExecuTorchProgram(
        _opened(path, enable_etdump, debug_buffer_size, program_verification, data_path)
    )


def _load_program_from_buffer(buffer, enable_etdump=False, debug_buffer_size=0,
                              program_verification=Verification.Minimal,
                              data_path=None):  # fmt: skip
    return _load_program(buffer, enable_etdump, debug_buffer_size, program_verification, data_path)


def _load_for_executorch(program_path, data_path=None, enable_etdump=False, debug_buffer_size=0,
                         program_verification=Verification.InternalConsistency):  # fmt: skip
    return ExecuTorchModule(
        _opened(program_path, enable_etdump, debug_buffer_size, program_verification, data_path)
    )


def _load_for_executorch_from_buffer(
    buffer, data_map_buffer=None, enable_etdump=False, debug_buffer_size=0,
    program_verification=Verification.InternalConsistency,
):  # fmt: skip
    return _load_for_executorch(buffer, data_map_buffer, enable_etdump, debug_buffer_size,
                                program_verification)  # fmt: skip


def _load_for_executorch_from_bundled_program(module, data_map_buffer=None, enable_etdump=False,
                                              debug_buffer_size=0):  # fmt: skip
    return _load_for_executorch_from_buffer(module.program, data_map_buffer, enable_etdump,
                                            debug_buffer_size)  # fmt: skip


def _load_for_executorch_from_data_loader(loader, data_path=None, enable_etdump=False,
                                          debug_buffer_size=0):  # fmt: skip
    """Loads from a file that is open for reading, or bytes. Raises Error for a PyDataLoader."""
    if type(loader).__name__ == "PyDataLoader":
        raise Error("a PyDataLoader has its bytes in C++, where Python cannot read them: give the "
                    "program's path, its bytes or an open file", status="UNSUPPORTED")  # fmt: skip
    return _load_for_executorch(loader, data_path, enable_etdump, debug_buffer_size)


def _load_bundled_program_from_buffer(buffer, non_const_pool_size=0):
    return BundledModule(buffer)


def _get_operator_names():
    return sorted(Runtime.get().operator_registry.operator_names)


def _get_registered_backend_names():
    return Runtime.get().backend_registry.registered_backend_names


def _is_available(backend_name):
    return Runtime.get().backend_registry.is_available(backend_name)


def _threadpool_get_thread_count():
    return Runtime.get()._engine.thread_count()


def _unsafe_reset_threadpool(num_threads):
    call(Runtime.get()._engine.set_thread_count, num_threads)


def _create_profile_block(name):
    """Raises Error (UNSUPPORTED): there are no profile blocks, a trace has the times."""
    _refuse_profile_blocks()


def _dump_profile_results():
    """Raises Error (UNSUPPORTED), as _create_profile_block."""
    _refuse_profile_blocks()


def _reset_profile_results():
    """Does nothing, as there is nothing to forget."""


def _refuse_profile_blocks():
    raise Error("profile blocks are of a profiler that ExecuTorch's packages are built without, so "
                "that they are empty there: load with enable_etdump=True, and "
                "write_etdump_result_to_file has the times", status="UNSUPPORTED")  # fmt: skip


__all__ = [
    "BundledModule", "ExecuTorchMethod", "ExecuTorchModule", "ExecuTorchProgram", "MethodMeta",
    "TensorInfo", "Verification",
]  # fmt: skip
