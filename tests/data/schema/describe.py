"""Writes programs.txt and bundles.txt: what flatc and the schemas find in the test programs.

    python3 describe.py

Strides, places, hashes and the like are worked out here a second time, from the JSON that flatc
prints, so that the unit tests compare two readers that share no line.
"""
import json
import pathlib
import re
import struct
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {0: ("uint8", 1), 1: ("int8", 1), 2: ("int16", 2), 3: ("int32", 4), 4: ("int64", 8),
         5: ("float16", 2), 6: ("float32", 4), 7: ("float64", 8), 11: ("bool", 1),
         15: ("bfloat16", 2)}
MASK = (1 << 64) - 1


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & MASK
    return f"{value:016x}"


def xxh64(data):
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5

    def rotl(value, bits):
        return (value << bits | value >> 64 - bits) & MASK

    def mix(acc, word):
        return rotl((acc + word * p2) & MASK, 31) * p1 & MASK

    stripes = len(data) // 32
    if stripes:
        acc = [(p1 + p2) & MASK, p2, 0, -p1 & MASK]
        for words in struct.iter_unpack("<4Q", data[: 32 * stripes]):
            acc = [mix(a, w) for a, w in zip(acc, words)]
        value = sum(rotl(a, b) for a, b in zip(acc, (1, 7, 12, 18))) & MASK
        for a in acc:
            value = ((value ^ mix(0, a)) * p1 + p4) & MASK
    else:
        value = p5
    value = (value + len(data)) & MASK
    rest = data[32 * stripes:]
    while len(rest) >= 8:
        word, = struct.unpack_from("<Q", rest)
        value = (rotl(value ^ mix(0, word), 27) * p1 + p4) & MASK
        rest = rest[8:]
    if len(rest) >= 4:
        word, = struct.unpack_from("<I", rest)
        value = (rotl(value ^ word * p1 & MASK, 23) * p2 + p3) & MASK
        rest = rest[4:]
    for byte in rest:
        value = rotl(value ^ byte * p5 & MASK, 11) * p1 & MASK
    value = (value ^ value >> 33) * p2 & MASK
    value = (value ^ value >> 29) * p3 & MASK
    return f"{value ^ value >> 32:016x}"


def flatc(schema, data):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.bin")
        path.write_bytes(data)
        subprocess.run(["flatc", "--json", "--strict-json", "--raw-binary", "--defaults-json", "-o",
                        folder, str(HERE / schema), "--", str(path)], check=True)
        text = pathlib.Path(folder, "x.json").read_text()
    names = {"inf": "Infinity", "nan": "NaN"}
    text = re.sub(r"(?<=[:\[,] )(-?)(inf|nan)\b", lambda m: m[1] + names[m[2]], text)
    return json.loads(text)


def layout(t):
    """Type name, strides and bytes of a tensor."""
    name, width = TYPES[t["scalar_type"]]
    sizes, order = t.get("sizes", []), t.get("dim_order", [])
    strides, step, count = [0] * len(sizes), 1, 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(sizes[dim], 1)
    for size in sizes:
        count *= size
    return name, strides, count * width


class Program:
    def __init__(self, data):
        self.data = data
        self.size, self.base, self.bytes = len(data), 0, 0
        if data[8:12] == b"eh00":
            _, self.size, self.base, self.bytes = struct.unpack_from("<IQQQ", data, 12)
        self.json = flatc("program.fbs", data[: self.size])
        self.segments = [(s["offset"], s["size"]) for s in self.json.get("segments", [])]

    def segment(self, index):
        offset, size = self.segments[index]
        return self.data[self.base + offset: self.base + offset + size] if size else b""

    def subsegment(self, offsets, index):
        return self.segment(offsets.get("segment_index", 0))[offsets["offsets"][index]:]

    def constant(self, index):
        offsets = self.json.get("constant_segment", {})
        if len(offsets.get("offsets", [])) > 1:
            return self.subsegment(offsets, index)
        return bytes(self.json["constant_buffer"][index]["storage"])

    def tensor(self, t):
        name, strides, wanted = layout(t)
        text = f"{name} {t.get('sizes', [])} {strides} dyn {t['shape_dynamism']} bytes {wanted}"
        if t.get("extra_tensor_info", {}).get("location"):
            text += f" external {t['extra_tensor_info']['fully_qualified_name']}"
        index, plan = t["data_buffer_idx"], t.get("allocation_info")
        if plan:
            offset = plan["memory_offset_high"] << 32 | plan["memory_offset_low"]
            text += f" in {plan['memory_id']} at {offset}"
        if index and "external" not in text:
            where = (self.subsegment(self.json["mutable_data_segments"][0], index) if plan
                     else self.constant(index))
            text += f" data {index} {fnv(where[:wanted])}"
        place = [["runtime", "constant"], ["planned", "planned, with state"]][bool(plan)][index > 0]
        if "external" in text:
            place = "external state" if plan else "external"
        return f"tensor {place} {text}"

    def value(self, v):
        kind, held = v["val_type"], v.get("val", {})
        if kind == "Null":
            return "null"
        if kind == "Tensor":
            return self.tensor(held)
        if kind in ("Int", "Bool", "Double", "String"):
            name = kind.lower()
            what = held[f"{name}_val"]
            if kind == "Double":
                what = f"{what:.9g}"
            return f"{name} {int(what) if kind in ('Int', 'Bool') else what}"
        items = [f"{i:.9g}" if kind == "DoubleList" else str(int(i)) for i in held.get("items", [])]
        name = {"IntList": "int list", "DoubleList": "double list", "BoolList": "bool list",
                "TensorList": "tensor list", "OptionalTensorList": "optional tensor list"}[kind]
        return f"{name} [{', '.join(items)}]"

    def instruction(self, plan, i):
        kind, held = i["instr_args_type"], i["instr_args"]
        if kind == "KernelCall":
            op = plan["operators"][held["op_index"]]
            return f"{kind} {op['name']}.{op['overload']} {held['args']}"
        if kind == "DelegateCall":
            return f"{kind} {plan['delegates'][held['delegate_index']]['id']} {held['args']}"
        if kind == "MoveCall":
            return f"{kind} [{held['move_from']}, {held['move_to']}]"
        if kind == "JumpFalseCall":
            return f"{kind} [{held['cond_value_index']}] to {held['destination_instruction']}"
        return f"{kind} [{held['value_index']}]"

    def delegate(self, d):
        where = d["processed"]
        blob = self.segment(where["index"]) if where["location"] else bytes(
            self.json["backend_delegate_data"][where["index"]].get("data", []))
        text = f"{d['id']} at {where['location']}:{where['index']} {len(blob)} {fnv(blob)}"
        for spec in d.get("compile_specs", []):
            text += f" {spec['key']}={fnv(bytes(spec.get('value', [])))}"
        return text

    def lines(self):
        yield (f"file {len(self.data)} flatbuffer {self.size} base {self.base} "
               f"segments {self.bytes} version {self.json['version']} {xxh64(self.data)}")
        for i, (offset, size) in enumerate(self.segments):
            yield f"segment {i} at {self.base + offset} {size} {fnv(self.segment(i))}"
        for n in self.json.get("named_data", []):
            yield f"named {n['key']} {n['segment_index']}"
        for plan in self.json["execution_plan"]:
            yield f"method {plan['name']} {plan['inputs']} {plan['outputs']}"
            for i, size in enumerate(plan["non_const_buffer_sizes"][1:]):
                yield f" arena {i + 1} {size}"
            for i, op in enumerate(plan.get("operators", [])):
                yield f" operator {i} {op['name']} {op['overload']}"
            for i, d in enumerate(plan.get("delegates", [])):
                yield f" delegate {i} {self.delegate(d)}"
            for i, v in enumerate(plan["values"]):
                yield f" value {i} {self.value(v)}"
            for c, chain in enumerate(plan["chains"]):
                yield f" chain {c} traces {len(chain.get('stacktrace', []))}"
                for i, instruction in enumerate(chain.get("instructions", [])):
                    yield f"  {i} {self.instruction(plan, instruction)}"


def bundle_lines(data):
    value = flatc("bundled_program.fbs", data)
    inner = bytes(value["program"])
    yield f"version {value['version']} program {data.index(inner)} {len(inner)} {fnv(inner)}"
    for suite in value["method_test_suites"]:
        for c, case in enumerate(suite["test_cases"]):
            for what in ("inputs", "expected_outputs"):
                for i, v in enumerate(case.get(what, [])):
                    yield f"{suite['method_name']} {c} {what} {i} {bundled_value(v)}"


def bundled_value(v):
    kind, held = v["val_type"], v["val"]
    if kind != "Tensor":
        what = held[f"{kind.lower()}_val"]
        return f"{kind.lower()} {what:.9g}" if kind == "Double" else f"{kind.lower()} {int(what)}"
    name, strides, wanted = layout(held)
    return f"tensor {name} {held['sizes']} {strides} {fnv(bytes(held['data'])[:wanted])}"


def write(name, pattern, lines):
    with open(HERE / name, "w") as out:
        end = pathlib.PurePath(pattern).suffix
        for path in [*sorted(HERE.parent.glob(f"*/{pattern}")), *sorted(HERE.glob(f"*{end}")),
                     *sorted(HERE.parent.glob(f"ptd/*{end}"))]:
            print(f"# {path.relative_to(HERE.parent)}", file=out)
            for line in lines(path.read_bytes()):
                print(line, file=out)


write("programs.txt", "model.pte", lambda data: Program(data).lines())
write("bundles.txt", "model.bpte", bundle_lines)
