"""Makes small files that ask for much, and measures commands that read them."""

import io
import json
import os
import pathlib
import resource
import struct
import subprocess
import tempfile
import unittest
import zipfile

import support

FLOOR, FACTOR = 512 << 20, 256
EVALUATION = 2 << 30
# Of text that escapes make longer: a byte becomes "\x1b" or "\u001b".
LONGER = 6
SECONDS = 20

IS_LONG = bool(os.environ.get("ETSCOPE_LONG"))


def scaled(count):
    """As many as `make test-long` has; a quarter in `make test`, which takes a quarter of the time."""
    return count if IS_LONG else count // 4


class Bomb(support.Dump):
    """A FlatBuffer whose tables share what they can."""

    def __init__(self, identifier):
        super().__init__()
        self.start = 4 if identifier == b"ED00" else 0  # behind the size, where there is one
        self.data[self.start + 4:self.start + 8] = identifier

    def root(self, fields):
        at, references = self.table(fields)
        struct.pack_into("<I", self.data, self.start, at - self.start)
        return references

    def share(self, references, text):
        """One text for many references before it."""
        self.align(4)
        target = len(self.data)
        for reference in references:
            self.point(reference, target)
        self.data += struct.pack("<I", len(text)) + text + b"\0"

    def save(self, path):
        self.align(8)
        if self.start > 0:
            struct.pack_into("<I", self.data, 0, len(self.data) - self.start)
        pathlib.Path(path).write_bytes(self.data)
        return path


def shared_names(path, events, name, is_delegated=True):
    """Events of distinct instructions with one name, whose delegate identifier it is, too."""
    bomb = Bomb(b"ED00")
    runs = bomb.root({1: ("ref", None)})
    (place,) = bomb.vector(runs[1], 1)
    run, references = bomb.table({0: ("ref", None), 3: ("ref", None)})
    bomb.point(place, run)
    names = [references[0]]
    for number, event in enumerate(bomb.vector(references[3], events)):
        at, inner = bomb.table({0: ("ref", None)})
        bomb.point(event, at)
        fields = {0: ("ref", None), 1: ("<i", 0), 2: ("<i", number), 4: ("ref", None),
                  6: ("<Q", number), 7: ("<Q", number + 5)}
        if not is_delegated:
            del fields[4]
        at, texts = bomb.table(fields)
        bomb.point(inner[0], at)
        names += texts.values()
    bomb.share(names, name)
    return bomb.save(path)


def many_runs(path, count, size):
    """Runs of one event each, whose long name they share; each is a block of its own."""
    bomb = Bomb(b"ED00")
    runs = bomb.root({1: ("ref", None)})
    names = []
    for number, place in enumerate(bomb.vector(runs[1], count)):
        run, references = bomb.table({0: ("ref", None), 3: ("ref", None)})
        bomb.point(place, run)
        names.append(references[0])
        (event,) = bomb.vector(references[3], 1)
        at, inner = bomb.table({0: ("ref", None)})
        bomb.point(event, at)
        at, texts = bomb.table({0: ("ref", None), 1: ("<i", 0), 2: ("<i", number)})
        bomb.point(inner[0], at)
        names.append(texts[0])
    bomb.share(names, b"r" * size)
    return bomb.save(path)


def delegate_calls(path, calls, name, held=b""):
    """Calls of one delegate by its index; they share their list of arguments, and what it holds."""
    bomb = Bomb(b"ET12")
    program = bomb.root({1: ("ref", None), 3: ("ref", None)})
    (place,) = bomb.vector(program[1], 1)
    plan, parts = bomb.table({slot: ("ref", None) for slot in (0, 2, 3, 4, 5, 6, 7, 8)})
    bomb.point(place, plan)
    bomb.text(parts[0], "forward")
    for slot in (2, 3, 4, 6):
        bomb.vector(parts[slot], 0)
    bomb.vector(parts[8], 0)
    (place,) = bomb.vector(parts[5], 1)
    chain, lists = bomb.table({2: ("ref", None)})
    bomb.point(place, chain)
    for place in bomb.vector(lists[2], calls):
        at, inner = bomb.table({0: ("<B", 2), 1: ("ref", None)})
        bomb.point(place, at)
        at, _ = bomb.table({0: ("<i", 0)})
        bomb.point(inner[1], at)
    (place,) = bomb.vector(parts[7], 1)
    delegate, inner = bomb.table({0: ("ref", None), 1: ("ref", None)})
    bomb.point(place, delegate)
    bomb.text(inner[0], name)
    blob, _ = bomb.table({0: ("<b", 0), 1: ("<I", 0)})
    bomb.point(inner[1], blob)
    (place,) = bomb.vector(program[3], 1)
    data, inner = bomb.table({0: ("ref", None)})
    bomb.point(place, data)
    bomb.align(16)
    bomb.data += bytes(12)  # so that what is held is aligned
    bomb.point(inner[0])
    bomb.data += struct.pack("<I", len(held)) + held
    return bomb.save(path)


def wide_call(path, events):
    """One delegate call with as many operators."""
    bomb = Bomb(b"ED00")
    runs = bomb.root({1: ("ref", None)})
    (place,) = bomb.vector(runs[1], 1)
    run, references = bomb.table({0: ("ref", None), 3: ("ref", None)})
    bomb.point(place, run)
    names = []
    for number, place in enumerate(bomb.vector(references[3], events + 1)):
        is_call = number == events
        slot, name = (0, "DELEGATE_CALL") if is_call else (4, f"Clamp (NC, F32) #{number}")
        at, inner = bomb.table({0: ("ref", None)})
        bomb.point(place, at)
        at, texts = bomb.table({slot: ("ref", None), 1: ("<i", 0), 2: ("<i", 0), 3: ("<i", -1),
                                6: ("<Q", 5 if is_call else 10 * number + 10),
                                7: ("<Q", 10 * number + 19)})
        bomb.point(inner[0], at)
        names.append((texts[slot], name))
    for place, name in names:
        bomb.text(place, name)
    bomb.share([references[0]], b"Execute")
    return bomb.save(path)


def one_handle(path, model, instructions, nodes, size):
    """A record in which every instruction has the handle that all nodes share, with long traces."""
    source = support.fixture(model, "model.etrecord")
    edge = "edge_dialect_exported_program/forward"
    with zipfile.ZipFile(source) as record:
        program = json.loads(record.read(edge))
    graph = program["graph_module"]["graph"]["nodes"]
    node = next(node for node in graph if "debug_handle" in node["metadata"])
    handle = int(node["metadata"]["debug_handle"])
    node["metadata"]["stack_trace"] = f'  File "{"p" * size}.py", line 3, in forward\n    x = y\n'
    graph += [node] * nodes
    support.replace_entries(source, path, {
        edge: json.dumps(program),
        "debug_handle_map": json.dumps({"forward": {str(i): [handle] for i in range(instructions)}})})
    return path


def share_tensor(bomb, references, size):
    """One tensor of `size` bytes for many values."""
    value, tensor = bomb.table({0: ("<b", 5), 1: ("ref", None)})
    for place in references:
        bomb.point(place, value)
    at, lists = bomb.table({0: ("<b", 6), 1: ("ref", None), 2: ("ref", None), 3: ("<q", 0)})
    bomb.point(tensor[1], at)
    for place, number in ((lists[1], size // 4), (lists[2], 1)):
        bomb.align(8)
        bomb.data += bytes(4)
        bomb.point(place)
        bomb.data += struct.pack("<Iq", 1, number)


def shared_tensor(path, buffer, events, size):
    """A trace whose captured values are all one tensor, and the debug buffer that it fills."""
    bomb = Bomb(b"ED00")
    runs = bomb.root({1: ("ref", None)})
    (place,) = bomb.vector(runs[1], 1)
    run, references = bomb.table({0: ("ref", None), 3: ("ref", None)})
    bomb.point(place, run)
    values = []
    for number, place in enumerate(bomb.vector(references[3], events)):
        at, inner = bomb.table({2: ("ref", None)})
        bomb.point(place, at)
        at, entry = bomb.table({0: ("<Q", 0), 1: ("<i", number), 2: ("ref", None)})
        bomb.point(inner[2], at)
        values.append(entry[2])
    share_tensor(bomb, values, size)
    bomb.share([references[0]], b"Execute")
    pathlib.Path(buffer).write_bytes(bytes(size))
    return bomb.save(path)


def logged_values(path, buffer, events, size):
    """A trace of as many relus, each with its captured value: all one tensor, which is the buffer."""
    bomb = Bomb(b"ED00")
    runs = bomb.root({1: ("ref", None)})
    (place,) = bomb.vector(runs[1], 1)
    run, references = bomb.table({0: ("ref", None), 3: ("ref", None)})
    bomb.point(place, run)
    values, names = [], []
    places = bomb.vector(references[3], 2 * events)
    for number in range(events):
        at, inner = bomb.table({0: ("ref", None)})
        bomb.point(places[2 * number], at)
        at, entry = bomb.table({0: ("ref", None), 1: ("<i", 0), 2: ("<i", number),
                                6: ("<Q", number), 7: ("<Q", number + 1)})
        bomb.point(inner[0], at)
        names.append(entry[0])
        at, inner = bomb.table({2: ("ref", None)})
        bomb.point(places[2 * number + 1], at)
        at, entry = bomb.table({0: ("<Q", 0), 1: ("<i", number), 2: ("ref", None)})
        bomb.point(inner[2], at)
        values.append(entry[2])
    share_tensor(bomb, values, size)
    bomb.share([references[0]], b"Execute")
    bomb.share(names, b"native_call_relu.out")
    pathlib.Path(buffer).write_bytes(bytes(size))
    return bomb.save(path)


def chain(path, count, numbers, gathers):
    """A record of relus, one behind the other, each an instruction; `gathers`: a cat needs them all."""
    source = support.fixture("mlp_portable", "model.etrecord")
    entry = "edge_dialect_exported_program/forward"
    with zipfile.ZipFile(source) as record:
        program = json.loads(record.read(entry))
    graph, signature = (program["graph_module"][part] for part in ("graph", "signature"))
    relu = next(node for node in graph["nodes"] if node["target"].endswith("relu.default"))

    def tensor(name):
        return {"as_tensor": {"name": name}}

    def node(name, handle, target, argument, label="self"):
        return {**relu, "name": name, "target": target, "outputs": [tensor(name)],
                "inputs": [{**relu["inputs"][0], "name": label, "arg": argument}],
                "metadata": {"debug_handle": str(handle), "stack_trace": ""}}
    names = ["x", *(f"r{i}" for i in range(count))]
    sizes = {"sizes": [{"as_int": numbers}], "strides": [{"as_int": 1}]}
    held = {name: {**graph["tensor_values"]["x"], **sizes} for name in names}
    nodes = [node(names[i + 1], i + 1, relu["target"], tensor(names[i])) for i in range(count)]
    if gathers:
        nodes.append(node("all", count + 1, relu["target"].replace("relu", "cat"),
                          {"as_tensors": [tensor(name)["as_tensor"] for name in names]},
                          "tensors"))
        held["all"] = {**held["x"], "sizes": [{"as_int": numbers * len(names)}]}
    last = tensor(nodes[-1]["name"])
    graph.update(nodes=nodes, tensor_values=held, inputs=[tensor("x")], outputs=[last])
    signature["input_specs"] = signature["input_specs"][-1:]
    signature["output_specs"] = [{"user_output": {"arg": last}}]
    handles = {str(i): [i + 1] for i in range(len(nodes))}
    support.replace_entries(source, path, {
        entry: json.dumps(program), "debug_handle_map": json.dumps({"forward": handles})})
    return path


def shared_cases(path, program, cases, size):
    """A bundled program whose test cases have their own values, all of the same bytes."""
    bomb = Bomb(b"BP08")
    root = bomb.root({1: ("ref", None), 2: ("ref", None)})
    (place,) = bomb.vector(root[1], 1)
    suite, parts = bomb.table({0: ("ref", None), 1: ("ref", None)})
    bomb.point(place, suite)
    tensors = []
    for case in bomb.vector(parts[1], cases):
        at, lists = bomb.table({0: ("ref", None), 1: ("ref", None)})
        bomb.point(case, at)
        for place in lists.values():
            (place,) = bomb.vector(place, 1)
            at, inner = bomb.table({0: ("<B", 1), 1: ("ref", None)})
            bomb.point(place, at)
            at, tensor = bomb.table({0: ("<b", 6), 1: ("ref", None), 2: ("ref", None),
                                     3: ("ref", None)})
            bomb.point(inner[1], at)
            tensors.append(tensor)
    for slot, data, width in ((1, struct.pack("<2i", 1, size // 4), 4), (2, bytes(size), 1),
                              (3, b"\0\1", 1)):
        bomb.align(4)
        shared = len(bomb.data)
        bomb.data += struct.pack("<I", len(data) // width) + data
        for tensor in tensors:
            bomb.point(tensor[slot], shared)
    bomb.share([parts[0]], b"forward")
    bomb.share([root[2]], pathlib.Path(program).read_bytes())
    return bomb.save(path)


def payload(nodes, values):
    """An XNNPACK payload of equal nodes and values."""
    bomb = Bomb(b"XN00")
    root = bomb.root({1: ("ref", None), 2: ("ref", None), 3: ("<I", 1)})
    places = bomb.vector(root[1], nodes), bomb.vector(root[2], values)
    for place in places[0]:
        node, inner = bomb.table({0: ("<B", 1), 1: ("ref", None), 2: ("<I", 3)})
        bomb.point(place, node)
        at, _ = bomb.table({0: ("<I", 0), 1: ("<I", 0), 2: ("<I", 0)})
        bomb.point(inner[1], at)
    sizes = []
    for place in places[1]:
        value, inner = bomb.table({0: ("<B", 1), 1: ("ref", None)})
        bomb.point(place, value)
        at, dims = bomb.table({0: ("<h", 1), 1: ("<I", 1), 2: ("ref", None)})
        bomb.point(inner[1], at)
        sizes += dims.values()
    bomb.align(4)
    for place in sizes:
        bomb.point(place)
    bomb.data += struct.pack("<II", 1, 1)
    bomb.align(8)
    return bytes(bomb.data)


def vulkan_payload(calls, arguments, items, name=b"aten.add.Tensor"):
    """A Vulkan payload whose calls share a list of arguments, which all are one list of no tensors."""
    bomb = Bomb(b"VK00")
    root = bomb.root({slot: ("ref", None) for slot in (1, 2, 3, 4, 5)})
    (place,) = bomb.vector(root[2], 1)
    value, inner = bomb.table({0: ("<B", 9), 1: ("ref", None)})
    bomb.point(place, value)
    at, held = bomb.table({0: ("ref", None)})
    bomb.point(inner[1], at)
    bomb.vector(held[0], items)
    lists, names = [], []
    for place in bomb.vector(root[1], calls):
        fields = {0: ("<I", 0), 1: ("ref", None), 2: ("ref", None)}
        if name is None:
            del fields[1]
        at, inner = bomb.table(fields)
        bomb.point(place, at)
        names += [inner[1]] if name is not None else []
        lists.append(inner[2])
    bomb.align(4)
    for place in lists:
        bomb.point(place)
    bomb.data += struct.pack("<I", arguments) + bytes(4 * arguments)
    if name is not None:
        bomb.share(names, name)
    for slot in (3, 4, 5):
        bomb.vector(root[slot], 0)
    bomb.align(8)
    return bytes(bomb.data)


def tosa_payload(regions, operators):
    """A TOSA payload whose regions share a block, whose operators name all regions in a circle."""
    bomb = Bomb(b"TOSA")
    root = bomb.root({1: ("ref", None)})
    blocks = []
    for index, place in enumerate(bomb.vector(root[1], regions)):
        region, inner = bomb.table({0: ("ref", None), 1: ("ref", None)})
        bomb.point(place, region)
        bomb.share([inner[0]], b"r%d" % index)
        blocks += bomb.vector(inner[1], 1)
    block, lists = bomb.table({1: ("ref", None)})
    for place in blocks:
        bomb.point(place, block)
    for index, place in enumerate(bomb.vector(lists[1], operators)):
        operator, inner = bomb.table({0: ("<I", 70), 1: ("<B", 70), 2: ("ref", None)})
        bomb.point(place, operator)
        attributes, names = bomb.table({0: ("ref", None), 1: ("ref", None)})
        bomb.point(inner[2], attributes)
        bomb.share([names[0]], b"r%d" % (index % regions))
        bomb.share([names[1]], b"r%d" % ((index + 1) % regions))
    bomb.align(8)
    return bytes(bomb.data)


def vela_payload(commands):
    """A stream of Vela with these words as commands."""
    def block(name, data=b""):
        return struct.pack("<16sI12x", name, len(data)) + data + bytes(-len(data) % 16)

    count = len(commands)
    action = 2 | (count >> 16 & 0xff) << 8 | (count & 0xffff) << 16
    driver = struct.pack(f"<4sIII{1 + count}I", b"COP1", 1, 7, 0, action, *commands)
    return (block(b"vela_bin_stream") + block(b"cmd_data", driver) + block(b"vela_end_stream"))


def memo(levels):
    """A pickle of a list whose two items are one list, whose two items are one list, ..."""
    data = b"\x80\x02]q\0"
    for level in range(1, levels):
        data += b"](h" + bytes([level - 1]) + b"h" + bytes([level - 1]) + b"eq" + bytes([level])
    return data + b"."


def torch_saved(pickled):
    """torch.save's zip around a pickle."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        archive.writestr("archive/byteorder", "little")
        archive.writestr("archive/version", "3\n")
    return held.getvalue()


def limit_memory():
    """A bomb that goes off ends the command, not the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def measure(*words):
    """Exit code, bytes of output, peak of resident memory and processor's seconds of a command."""
    with tempfile.TemporaryFile() as errors, subprocess.Popen(
            [support.ETSCOPE, *map(str, words)], stdout=subprocess.PIPE, stderr=errors,
            env={**os.environ, "LC_ALL": "C.UTF-8"}, preexec_fn=limit_memory) as process:
        written = 0
        while part := process.stdout.read(1 << 20):
            written += len(part)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        message = errors.read(2000).decode()
    seconds = usage.ru_utime + usage.ru_stime
    return process.returncode, written, usage.ru_maxrss * 1024, seconds, message


class Bounded(unittest.TestCase):
    """Measures commands, whose words are texts and the paths of their files."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = pathlib.Path(cls.holder.name)

    def check(self, *words, floor=FLOOR):
        files = [word for word in words if isinstance(word, pathlib.Path)]
        bound = floor + FACTOR * sum(path.stat().st_size for path in files)
        code, written, peak, seconds, message = measure(*words)
        if os.environ.get("BOMBS"):
            print(f"{code} {written >> 10:>9} KiB out {peak >> 20:>5} MiB {seconds:6.2f} s",
                  *(word.name if isinstance(word, pathlib.Path) else word for word in words),
                  message[:150].strip())
        with self.subTest(words=words):
            self.assertIn(code, (support.OK, 1, support.USAGE, support.INPUT, support.MISMATCH,
                                 support.UNAVAILABLE), message)
            self.assertNotIn("no such", message)
            self.assertLess(written, LONGER * bound)
            self.assertLess(peak, bound)
            self.assertLess(seconds, SECONDS)
        return code, message
