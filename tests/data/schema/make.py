"""Makes the small files here of what no exported test program holds, with flatc and the schemas.

    python3 make.py

everything.pte   every kind of value, instruction and place; two delegates, stack traces, devices
inline.pte       an older program: no header, constants and delegate inside the FlatBuffer
oddities.bpte    scalar inputs, no expected outputs, permuted dimensions, empty and overlong tensors
named.ptd        two tensors and opaque bytes, two keys for one segment
"""
import json
import pathlib
import struct
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def flatc(schema, value):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.json")
        path.write_text(json.dumps(value))
        subprocess.run(["flatc", "--binary", "-o", folder, str(HERE / schema), str(path)],
                       check=True)
        made = [p for p in pathlib.Path(folder).iterdir() if p.suffix != ".json"]
        return made[0].read_bytes()


def padded(data, alignment):
    return data + bytes(-len(data) % alignment)


def join(segments, alignment=128):
    """The segments' table and their bytes."""
    table, region = [], b""
    for segment in segments:
        if segment:
            region = padded(region, alignment)
        table.append({"offset": len(region) if segment else 0, "size": len(segment)})
        region += segment
    return table, region


def insert_header(flat, header):
    root, = struct.unpack_from("<I", flat)
    return struct.pack("<I", root + len(header)) + flat[4:8] + header + flat[8:]


def program(value, segments):
    value["segments"], region = join(segments)
    flat = flatc("program.fbs", value)
    size = len(flat) + 32
    base = size + -size % 128
    header = b"eh00" + struct.pack("<IQQQ", 32, size, base, len(region))
    return padded(insert_header(flat, padded(header, 32)), 128) + region


def data_file(value, segments):
    value["segments"], region = join(segments)
    flat = flatc("flat_tensor.fbs", value)
    size = len(flat) + 48
    base = size + -size % 128
    header = b"FH01" + struct.pack("<IQQQQ", 40, 48, len(flat), base, len(region))
    return padded(insert_header(flat, padded(header, 48)), 128) + region


def held(kind, **fields):
    return {"val_type": kind, "val": fields}


def tensor(sizes, order=None, plan=None, **fields):
    order = order or list(range(len(sizes)))
    fields = {"scalar_type": 6, "sizes": sizes, "dim_order": order, **fields}
    if plan:
        memory, offset = plan
        fields["allocation_info"] = {"memory_id": memory, "memory_offset_low": offset & 0xFFFFFFFF,
                                     "memory_offset_high": offset >> 32}
    return held("Tensor", **fields)


def call(kind, **fields):
    return {"instr_args_type": kind, "instr_args": fields}


def everything():
    values = [
        held("Null"),
        held("Int", int_val=-7),
        held("Bool", bool_val=True),
        held("Double", double_val=0.5),
        held("String", string_val="mean"),
        held("IntList", items=[1, 1]),
        held("DoubleList", items=[1.5, -2.5]),
        held("BoolList", items=[True, False, True]),
        held("TensorList", items=[11, 12]),
        held("OptionalTensorList", items=[-1, 0, 11]),
        tensor([2, 3], data_buffer_idx=1),                                     # 10 constant
        tensor([2, 3], plan=(1, 0)),                                           # 11 planned
        tensor([4], plan=(1, 64), data_buffer_idx=2, requires_grad=True),      # 12 with state
        tensor([8, 2], shape_dynamism=1),                                      # 13 at run time
        tensor([5], extra_tensor_info={"fully_qualified_name": "w", "location": 1}),
        tensor([5], plan=(2, (1 << 32) + 16),                                  # 15 external state
               extra_tensor_info={"fully_qualified_name": "b", "location": 1, "device_type": 1,
                                  "device_index": 2}),
        tensor([2, 3, 4, 5], order=[0, 2, 3, 1], plan=(1, 128)),               # 16 channels last
        tensor([], plan=(1, 0)),                                               # 17 scalar
        tensor([0, 3], plan=(1, 0)),                                           # 18 empty
    ]
    frame = {"filename": "model.py", "lineno": 12, "name": "forward", "context": "return x + 1"}
    instructions = [
        call("KernelCall", op_index=0, args=[13, 10, 11, 11]),
        call("DelegateCall", delegate_index=0, args=[11, 12]),
        call("DelegateCall", delegate_index=1, args=[12, 16]),
        call("JumpFalseCall", cond_value_index=2, destination_instruction=5),
        call("MoveCall", move_from=11, move_to=12),
        call("FreeCall", value_index=11),
    ]
    getter = {"name": "get_size", "values": [held("Int", int_val=42)], "inputs": [], "outputs": [0],
              "chains": [{"inputs": [], "outputs": [], "instructions": []}], "operators": [],
              "delegates": [], "non_const_buffer_sizes": [0]}
    forward = {
        "name": "forward",
        "container_meta_type": {"encoded_inp_str": "T1#1($)", "encoded_out_str": "T1#1($)"},
        "values": values, "inputs": [13, 1], "outputs": [16, 12],
        "chains": [{"inputs": [], "outputs": [], "instructions": instructions,
                    "stacktrace": [{"items": [frame, frame]}, {"items": []}]}],
        "operators": [{"name": "aten::add", "overload": "out"}],
        "delegates": [
            {"id": "OneBackend", "processed": {"location": 1, "index": 2},
             "compile_specs": [{"key": "mode", "value": [1, 2, 3]}, {"key": "empty"}]},
            {"id": "TwoBackend", "processed": {"location": 0, "index": 0}, "compile_specs": []}],
        "non_const_buffer_sizes": [0, 608, (1 << 32) + 64],
        "non_const_buffer_device": [{"buffer_idx": 2, "device_type": 1, "device_index": 3}],
    }
    constants = struct.pack("<6f", *range(6))
    states = bytes(16) + struct.pack("<4f", *range(4))
    value = {
        "execution_plan": [forward, getter],
        "backend_delegate_data": [{"data": list(b"inlined blob")}],
        "constant_segment": {"segment_index": 0, "offsets": [0, 0]},
        "mutable_data_segments": [{"segment_index": 1, "offsets": [0, 0, 16]}],
        "named_data": [{"key": "first", "segment_index": 3}, {"key": "second", "segment_index": 3}],
    }
    return program(value, [constants, states, b"blob of a segment", b"named", b"", b"unused"])


def inline():
    plan = {"name": "forward",
            "values": [tensor([2], data_buffer_idx=1), tensor([2], plan=(1, 0)),
                       tensor([2], plan=(1, 16))],
            "inputs": [1], "outputs": [2],
            "chains": [{"instructions": [call("DelegateCall", delegate_index=0, args=[1, 0, 2])]}],
            "delegates": [{"id": "TwoBackend", "processed": {"location": 0, "index": 0}}],
            "non_const_buffer_sizes": [0, 32]}
    return flatc("program.fbs", {
        "execution_plan": [plan],
        "constant_buffer": [{}, {"storage": list(struct.pack("<2f", 1, 2))}],
        "backend_delegate_data": [{"data": list(b"old")}]})


def oddities():
    def bundled(sizes, data, order=None, scalar_type=6):
        return held("Tensor", scalar_type=scalar_type, sizes=sizes, data=list(data),
                    dim_order=order or list(range(len(sizes))))

    cases = [
        {"inputs": [held("Int", int_val=-5), held("Bool", bool_val=True),
                    held("Double", double_val=2.5)]},
        {"inputs": [bundled([2, 3], struct.pack("<6f", *range(6)), order=[1, 0]),
                    bundled([0, 3], b""), bundled([], struct.pack("<f", 7)),
                    bundled([2], bytes(range(6)), scalar_type=0)],
         "expected_outputs": [bundled([1], struct.pack("<f", 9))]},
        {"inputs": [], "expected_outputs": []},
    ]
    return flatc("bundled_program.fbs", {
        "version": 2, "program": list(inline()),
        "method_test_suites": [{"method_name": "forward", "test_cases": cases},
                               {"method_name": "forward", "test_cases": []}]})


def named():
    floats = struct.pack("<6f", *range(6))
    layout = {"scalar_type": 6, "sizes": [2, 3], "dim_order": [0, 1]}
    turned = {"scalar_type": 6, "sizes": [2, 3], "dim_order": [1, 0]}
    return data_file({"named_data": [
        {"key": "linear.weight", "segment_index": 0, "tensor_layout": layout},
        {"key": "linear.turned", "segment_index": 0, "tensor_layout": turned},
        {"key": "opaque", "segment_index": 1},
        {"key": "empty", "segment_index": 2,
         "tensor_layout": {"scalar_type": 4, "sizes": [0], "dim_order": [0]}}]},
        [floats, b"anything", b""])


if __name__ == "__main__":
    HERE.joinpath("everything.pte").write_bytes(everything())
    HERE.joinpath("inline.pte").write_bytes(inline())
    HERE.joinpath("oddities.bpte").write_bytes(oddities())
    HERE.joinpath("named.ptd").write_bytes(named())
