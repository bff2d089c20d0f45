"""What torch and executorch hand in: programs and managers. Neither is imported to look at them."""

from etscope._errors import Error
from etscope.etrecord._reader import ATEN, EDGE, SIDE_FILES
from etscope.graph import Graph

# Names that an entry of the user's may not hold, as readers tell entries by their names.
RESERVED = (
    "ETRECORD_V0", ATEN, "export_graph_id", EDGE, "et_dialect_graph_module", "debug_handle_map",
    "delegate_map", "instruction_id_to_num_outs_map", "reference_outputs", "representative_inputs",
    "delegate_info",
)  # fmt: skip


def is_program(value):
    """Whether it is one program: a Graph of a record, or torch's ExportedProgram."""
    return isinstance(value, Graph) or (
        hasattr(value, "graph_signature") and hasattr(value, "state_dict")
    )


def methods_of(value, what):
    """{method: program} of an EdgeProgramManager, a program (its method is None) or such a dict."""
    if hasattr(value, "debug_handle_map"):
        raise Error(f"{what} cannot be a {type(value).__name__}, which is lowered to ExecuTorch")
    if is_program(value):
        return {None: value}
    if isinstance(value, dict) and all(map(is_program, value.values())):
        return dict(value)
    if hasattr(value, "methods") and callable(getattr(value, "exported_program", None)):
        return {name: value.exported_program(name) for name in sorted(value.methods)}
    if is_program(getattr(value, "exported_program", None)):  # ExirExportedProgram
        return {None: value.exported_program}
    raise Error(f"{what} cannot be a {type(value).__name__}")


def executorch_maps(program):
    """The three maps of an ExecutorchProgram or its manager."""
    names = ("debug_handle_map", "delegate_map", "instruction_id_to_num_outs_map")
    try:
        return [getattr(program, name) for name in names]
    except AttributeError as reason:
        raise Error(f"no ExecuTorch program: {reason}") from reason


def is_bundle(value):
    """Whether it is executorch's BundledProgram."""
    return hasattr(value, "method_test_suites")


def bundled_outputs(bundle):
    """{method: [[expected output] of each test case]}. Raises Error for a case without."""
    found = {}
    for suite in bundle.method_test_suites:
        found[suite.method_name] = [case.expected_outputs for case in suite.test_cases]
        if not all(found[suite.method_name]):
            raise Error(f"a test case of {suite.method_name} has no expected outputs")
    return found


def bundled_inputs(bundle):
    """The inputs of the first case of "forward"; None without such a method."""
    for suite in bundle.method_test_suites:
        if suite.method_name == "forward":
            if not suite.test_cases:
                raise Error("the test suite of forward is empty")
            return suite.test_cases[0].inputs
    return None


def serialize(program):
    """JSON, state dict, constants and example inputs of torch's ExportedProgram, by executorch."""
    try:
        from executorch.exir.serde.serialize import serialize as serialize_program
    except ImportError as reason:
        raise Error("saving PyTorch's programs needs executorch, which is not installed",
                    status="UNAVAILABLE") from reason  # fmt: skip
    artifact = serialize_program(program)
    return (
        artifact.exported_program, artifact.state_dict, artifact.constants, artifact.example_inputs
    )  # fmt: skip


def graph_id(program):
    """What ties the ATen program to the edge program: the identity of its graph."""
    return None if isinstance(program, Graph) else id(program.graph)


def deserialize(parts):
    """torch's ExportedProgram of what `serialize` gives, by executorch."""
    try:
        from executorch.exir.serde.export_serialize import SerializedArtifact
        from executorch.exir.serde.serialize import deserialize as deserialize_program
    except ImportError as reason:
        raise Error("reading PyTorch's programs needs torch and executorch, which are not "
                    "installed", status="UNAVAILABLE") from reason  # fmt: skip
    return deserialize_program(SerializedArtifact(*parts))


def loaded(record, name):
    """torch's ExportedProgram of a program in an OpenRecord. This unpickles what the record holds.

    Raises Error (UNAVAILABLE).
    """
    if not record.has_weights(name):
        raise Error("this ETRecord was saved without weights", status="UNAVAILABLE",
                    file=record.path)  # fmt: skip
    entries = [name + suffix for suffix in ("", *SIDE_FILES)]
    return deserialize(
        bytes(record.bytes_of(entry)) if entry in record.entries else b"" for entry in entries
    )
