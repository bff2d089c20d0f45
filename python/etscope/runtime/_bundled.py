"""Test cases of a bundled program: run, and held against what they expect."""

from etscope._errors import Error
from etscope._library import call, ffi, lib, text
from etscope._tensors import value_of


class BundledModule:
    """A bundled program (.bpte) whose test cases are to be run.

        bundle = BundledModule("model.bpte")
        outputs = bundle.verify_result_with_bundled_expected_output("forward", 0)

    bundle   its path or its bytes
    tensors  "numpy" or "torch": what outputs are

    Raises Error: WRONG_KIND, TRUNCATED, MALFORMED, UNSUPPORTED; an OSError where a file cannot be
    opened.
    """

    def __init__(self, bundle, tensors="numpy"):
        from etscope.runtime._runtime import _source_of

        self._source, self._tensors = _source_of(bundle), tensors
        self._bundle = ffi.new("struct ets_bundle *")
        call(lib.ets_bundle_init, self._bundle, self._source.bytes, file=self._source.path)
        self._methods = {}

    @property
    def program(self):
        """The bytes of the program."""
        self._source.check()
        return bytes(ffi.buffer(self._bundle.program.data, self._bundle.program.size))

    @property
    def method_names(self):
        """The methods that have test cases."""
        suite, names = ffi.new("struct ets_bundle_suite *"), []
        for i in range(self._bundle.suite_count):
            lib.ets_bundle_suite(self._bundle, i, suite)
            names.append(text(suite.method_name))
        return names

    def case_count(self, method_name):
        """How many test cases a method has. Raises Error (NOT_FOUND)."""
        return self._suite(method_name).case_count

    def execute(self, method_name, testset_idx):
        """Runs a method on the inputs of a test case and returns the list of its outputs.

        The method is loaded anew, so that no case sees what another one left in its buffers.
        """
        method = self._loaded(method_name)
        method.load_bundled_input(self, testset_idx)
        return method.execute(None, self._tensors)

    def verify_result_with_bundled_expected_output(
        self, method_name, testset_idx, rtol=None, atol=None
    ):
        """The same, and the outputs are held against the expected ones.

        rtol, atol: tolerances; None: those of `etscope verify` for the outputs' types. Raises Error
        (MISMATCH) with the first output that is not as expected, NOT_FOUND for a case that expects
        nothing.
        """
        outputs = self.execute(method_name, testset_idx)
        self._methods[method_name].verify_method_outputs(self, testset_idx, rtol, atol)
        return outputs

    def _loaded(self, method_name):
        from etscope.runtime._runtime import Runtime

        self._suite(method_name)
        self._methods[method_name] = Runtime.get().load_program(self.program).load_method(
            method_name
        )
        return self._methods[method_name]

    def _suite(self, method_name):
        self._source.check()
        suite = ffi.new("struct ets_bundle_suite *")
        call(lib.ets_bundle_find_suite, self._bundle, method_name.encode(), suite,
             file=self._source.path)  # fmt: skip
        return suite

    def _case(self, method_name, index):
        """(suite, case), which borrow from this object."""
        suite, case = self._suite(method_name), ffi.new("struct ets_bundle_case *")
        if not 0 <= index < suite.case_count:
            raise Error(f"{method_name} has {suite.case_count} test cases, and no number {index}",
                        status="NOT_FOUND", file=self._source.path)  # fmt: skip
        lib.ets_bundle_case(suite, index, case)
        return suite, case

    def inputs(self, method_name, testset_idx):
        """[value] of a test case: arrays or tensors, and numbers."""
        _, case = self._case(method_name, testset_idx)
        value, values = ffi.new("struct ets_value *"), []
        for i in range(case.input_count):
            lib.ets_bundle_input(case, i, value)
            if value.kind == lib.ETS_VALUE_OTHER:
                raise Error(f"{method_name}, case {testset_idx}: input {i} is of a kind that is "
                            "not known", status="UNSUPPORTED", file=self._source.path)  # fmt: skip
            values.append(value_of(value, self._tensors))
        return values

    def verify(self, method_name, testset_idx, outputs, count, rtol, atol):
        """Raises Error if `outputs`, `count` of struct ets_value, are not what is expected."""
        suite, case = self._case(method_name, testset_idx)
        rule = ffi.new("struct ets_tolerance_rule *", {
            "method": ffi.NULL, "test_case": -1, "output": -1, "scalar_type": -1,
            "relative": -1.0 if rtol is None else rtol, "absolute": -1.0 if atol is None else atol,
        })  # fmt: skip
        room = max(count, case.expected_count)
        verdicts = ffi.new("struct ets_output_verdict[]", room)
        verdict = ffi.new("struct ets_case_verdict *")
        call(lib.ets_verify_case, suite, case, outputs, count, rule, 1, verdicts, room, verdict,
             file=self._source.path)  # fmt: skip
        if verdict.failed_count > 0:
            first = verdict.first_failed
            raise Error(f"{method_name}, case {testset_idx}: output {first}: "
                        f"{_reason(verdicts[first])}", status="MISMATCH",
                        file=self._source.path)  # fmt: skip


def _reason(output):
    meaning = text(lib.ets_output_result_meaning(output.verdict))
    if output.verdict != lib.ETS_RESULT_DIFFERENT or not output.has_statistics:
        return meaning
    allowed = output.tolerance
    return (f"{output.closeness.outside_count} of {output.comparison.count} elements are outside "
            f"of the tolerance (rtol {allowed.relative:g}, atol {allowed.absolute:g}), the worst "
            f"is element {output.closeness.worst_index}")  # fmt: skip
