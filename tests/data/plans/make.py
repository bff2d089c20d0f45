"""Makes small programs whose plans are known by hand, with flatc and ../schema/program.fbs.

    python3 make.py

cases.pte      a method for each rule of lifetimes and overlaps; tests/unit/memory tells what to expect
outside.pte.damaged    a tensor that leaves its arena
no_arena.pte.damaged   a tensor with a memory id that the method has no arena for
"""
import importlib.util
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location("schema_make", HERE.parent / "schema" / "make.py")
schema = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(schema)


def planned(sizes, offset, memory=1, **fields):
    return schema.tensor(sizes, plan=(memory, offset), **fields)


def items(*values):
    return schema.held("TensorList", items=list(values))


def xnnpack_payload():
    """Of one linear layer: argument 0 goes in, argument 1 comes out."""
    data = (HERE.parents[2] / "examples" / "linear_formats" / "fp32.pte").read_bytes()
    base, = struct.unpack_from("<Q", data, data.index(b"eh00") + 16)
    return list(data[base:base + 720])


FALSE = schema.held("Bool", bool_val=False)


class Method:
    def __init__(self, name, arenas, values, inputs, outputs):
        self.operators = []
        self.instructions = []
        self.plan = {"name": name, "values": values, "inputs": inputs, "outputs": outputs,
                     "operators": self.operators, "delegates": [],
                     "non_const_buffer_sizes": [0, *arenas],
                     "chains": [{"instructions": self.instructions}]}

    def add(self, kind, **fields):
        self.instructions.append({"instr_args_type": kind, "instr_args": fields})
        return self

    def call(self, name, *args):
        base, _, overload = name.partition(".")
        operator = {"name": base, "overload": overload}
        if operator not in self.operators:
            self.operators.append(operator)
        return self.add("KernelCall", op_index=self.operators.index(operator), args=list(args))

    def delegate(self, *args):
        self.plan["delegates"] = [{"id": "OneBackend", "processed": {"location": 0, "index": 0}}]
        return self.add("DelegateCall", delegate_index=0, args=list(args))

    def move(self, source, target):
        return self.add("MoveCall", move_from=source, move_to=target)

    def jump(self, condition, destination):
        return self.add("JumpFalseCall", cond_value_index=condition,
                        destination_instruction=destination)


def cases():
    yield (Method("known", [160],
                  [planned([4], 0), planned([8], 16), planned([16], 64), planned([4], 0)], [0], [3])
           .call("aten::first.out", 0, 1, 1)      # 16 + 32
           .call("aten::second.out", 1, 2, 2)     # 32 + 64
           .call("aten::third.out", 1, 2, 3, 3))  # 32 + 64 + 16

    # Two loops in each other: 1 is carried by the outer, 2 by the inner, 3 lives in a turn.
    yield (Method("loops", [64],
                  [planned([4], 0), planned([4], 16), planned([4], 32), planned([4], 48), FALSE],
                  [0], [1])
           .call("aten::begin.out", 0, 1, 1)
           .call("aten::outer.out", 1, 2, 2)
           .call("aten::inner.out", 2, 3, 3)
           .call("aten::use.out", 3, 2, 2, 2)
           .jump(4, 2)
           .call("aten::end.out", 2, 1, 1)
           .jump(4, 1)
           .call("aten::last_", 1, 1))

    # Value 1 is needed by the second branch only, 2 by the first; 3 by what comes behind both.
    yield (Method("branch", [128],
                  [planned([4], 0), planned([4], 16), planned([4], 32), planned([4], 48),
                   planned([], 64, scalar_type=11), FALSE, planned([4], 80), planned([4], 96)], [0], [7])
           .call("aten::ask.out", 0, 4, 4)
           .call("aten::one.out", 0, 1, 1)
           .call("aten::two.out", 0, 2, 2)
           .jump(4, 6)
           .call("aten::three.out", 2, 3, 3)
           .jump(5, 7)
           .call("aten::other.out", 1, 3, 3)
           .call("aten::end.out", 3, 7, 7))

    # A branch in a branch; value 6 is never written, but 2, 3 or 0 by a move.
    yield (Method("branches", [128],
                  [planned([4], 0), planned([], 16, scalar_type=11), planned([4], 32), planned([4], 48),
                   FALSE, planned([], 64, scalar_type=11), planned([4], 80), planned([4], 96)], [0], [7])
           .call("aten::ask.out", 0, 1, 1)
           .call("aten::ask.out", 0, 5, 5)
           .jump(1, 9)
           .jump(5, 7)
           .call("aten::two.out", 0, 2, 2)
           .move(2, 6)
           .jump(4, 10)
           .call("aten::three.out", 0, 3, 3)
           .jump(4, 11)
           .move(0, 6)
           .jump(4, 12)
           .move(3, 6)
           .call("aten::end.out", 6, 7, 7))

    # Two conditions: both branches of the second write over the result of the first, at bytes 32.
    yield (Method("conditions", [96],
                  [planned([4], 0), planned([], 16, scalar_type=11), planned([4], 32), planned([4], 32),
                   FALSE, planned([4], 48), planned([8], 32), planned([4], 32), planned([4], 64),
                   planned([4], 80), planned([4], 80)], [0, 1], [8])
           .jump(1, 4)
           .call("aten::exp.out", 0, 2, 2)
           .move(2, 5)
           .jump(4, 6)
           .call("aten::sin.out", 0, 3, 3)
           .move(3, 5)
           .jump(1, 10)
           .call("aten::cat.out", 0, 6, 6)
           .call("aten::sum.out", 6, 9, 9)
           .jump(4, 12)
           .call("aten::cos.out", 0, 7, 7)
           .call("aten::tan.out", 7, 9, 9)
           .call("aten::mul.out", 5, 9, 8, 8))

    # Both branches have their result at the same bytes: whichever runs, as many are in use.
    yield (Method("choice", [80],
                  [planned([4], 0), planned([], 16, scalar_type=11), planned([4], 32), planned([4], 32),
                   FALSE, planned([4], 48), planned([4], 64)], [0, 1], [6])
           .jump(1, 4)
           .call("aten::exp.out", 0, 2, 2)
           .move(2, 5)
           .jump(4, 6)
           .call("aten::sin.out", 0, 3, 3)
           .move(3, 5)
           .call("aten::mul.out", 0, 5, 6, 6))

    yield (Method("endless", [32], [planned([4], 0), planned([4], 16), FALSE], [0], [1])
           .call("aten::exp.out", 0, 1, 1)
           .jump(2, 0))

    # What a move renamed is written: the bytes are those of value 1.
    yield (Method("renamed", [64],
                  [planned([4], 0), planned([4], 16), planned([4], 32), planned([4], 48)], [0], [3])
           .call("aten::one.out", 0, 1, 1)
           .move(1, 2)
           .call("aten::two_", 2, 2)
           .call("aten::end.out", 2, 3, 3))

    yield (Method("in_place", [32], [planned([4], 0), planned([4], 16), planned([4], 16)], [0], [2])
           .call("aten::exp.out", 0, 1, 1)
           .call("aten::relu.out", 1, 2, 2))

    # Value 2 takes the bytes of 1, which instruction 2 reads.
    yield (Method("overwritten", [48],
                  [planned([4], 0), planned([4], 16), planned([2], 24), planned([4], 32)], [0], [3])
           .call("aten::exp.out", 0, 1, 1)
           .call("aten::sum.out", 0, 2, 2)
           .call("aten::add.out", 1, 2, 3, 3))

    # Value 2 is 1 in another shape: nothing writes it. 3 is the output in another shape.
    yield (Method("views", [64],
                  [planned([4], 0), planned([2, 4], 16), planned([8], 16), planned([4, 2], 16)],
                  [0], [3])
           .call("aten::exp.out", 0, 1, 1)
           .call("aten::sum.out", 2, 0, 0))

    # A delegate takes 2, a view of 1, and gives 3; nothing says that it does not give 2.
    yield (Method("delegate_view", [64],
                  [planned([4], 0), planned([4], 16), planned([2, 2], 16), planned([4], 32)],
                  [0], [3])
           .call("aten::exp.out", 0, 1, 1)
           .delegate(2, 3))
    yield (Method("delegate_undecided", [64],
                  [planned([4], 0), planned([4], 16), planned([2, 2], 16), planned([4], 32)],
                  [0], [3])
           .call("aten::exp.out", 0, 1, 1)
           .delegate(0, 2)
           .call("aten::add.out", 1, 2, 3, 3))

    # As above, but the payload of the delegate tells that it takes 2, although 1 was read before.
    told = Method("delegate_told", [80],
                  [planned([4], 0), planned([4], 16), planned([2, 2], 16), planned([4], 32),
                   planned([4], 48), planned([4], 64)], [0], [5])
    told.call("aten::exp.out", 0, 1, 1).call("aten::sin.out", 1, 3, 3).delegate(2, 4)
    told.call("aten::add.out", 1, 4, 5, 5)
    told.plan["delegates"] = [{"id": "XnnpackBackend", "processed": {"location": 0, "index": 1}}]
    yield told

    yield (Method("scratch", [48],
                  [planned([4], 0), planned([4], 16), planned([4], 16), items(1, 2)], [0], [1])
           .call("aten::two.out", 0, 1, 2, 3))

    yield (Method("unwritten", [48], [planned([4], 0), planned([4], 16), planned([4], 32)], [0], [2])
           .call("aten::add.out", 0, 1, 2, 2))

    # What the caller gives and takes, a constant, a tensor that nothing uses, one of no bytes.
    yield (Method("beside", [32],
                  [schema.tensor([8]), schema.tensor([8]), schema.tensor([2], data_buffer_idx=1),
                   planned([4], 0), planned([4], 16), planned([0, 4], 0)], [0], [1])
           .call("aten::add.out", 0, 2, 3, 3)
           .call("aten::exp.out", 3, 5, 1, 1))

    yield Method("nothing", [16], [planned([4], 0)], [0], [0])

    accelerated = Method("devices", [16, 32],
                         [planned([4], 0), planned([8], 0, memory=2), planned([4], 0)], [0], [2])
    accelerated.plan["non_const_buffer_device"] = [
        {"buffer_idx": 2, "device_type": 1, "device_index": 0}]
    accelerated.plan["values"][1]["val"]["extra_tensor_info"] = {"device_type": 1}
    yield accelerated.call("aten::first.out", 0, 1, 1).call("aten::second.out", 1, 2, 2)


def save(name, methods):
    value = {"execution_plan": [method.plan for method in methods],
             "constant_buffer": [{"storage": []}, {"storage": [0] * 8}],
             "backend_delegate_data": [{"data": [1, 2, 3]}, {"data": xnnpack_payload()}]}
    data = schema.program(value, [])
    (size,) = struct.unpack_from("<Q", data, 16)  # in the header: what follows is padding
    (HERE / name).write_bytes(data[:size])


def main():
    save("cases.pte", list(cases()))
    for name, tensor in (("outside", planned([4], 24)), ("no_arena", planned([4], 0, memory=2))):
        save(f"{name}.pte.damaged", [Method("forward", [32], [planned([4], 0), tensor], [0], [1])
                             .call("aten::exp.out", 0, 1, 1)])


if __name__ == "__main__":
    main()
