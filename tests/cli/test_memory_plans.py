"""Arenas, offsets and lifetimes of every fixture's program against its bytes, read by other means.

The FlatBuffer is walked here with nothing but its vtables (field numbers of schema/program.fbs), and
lifetimes are found byte by byte: who wrote each byte last, and who names it.
"""

import json
import struct
import unittest

import support
from support import DATA, OK

PROGRAMS = sorted(DATA.glob("*/*.pte"))
SIZES = [1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2]  # bytes of an element by scalar type
BOOL, TENSOR, TENSOR_LIST, OPTIONAL_LIST = 3, 5, 10, 11
KERNEL, DELEGATE, MOVE, JUMP, FREE = 1, 2, 3, 4, 5


class Table:
    """A table of a FlatBuffer."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]

    def place(self, field):
        size, = struct.unpack_from("<H", self.data, self.vtable)
        slot = 4 + 2 * field
        offset = struct.unpack_from("<H", self.data, self.vtable + slot)[0] if slot < size else 0
        return self.at + offset if offset else None

    def number(self, field, kind="<i", default=0):
        place = self.place(field)
        return default if place is None else struct.unpack_from(kind, self.data, place)[0]

    def target(self, field):
        place = self.place(field)
        return None if place is None else place + struct.unpack_from("<I", self.data, place)[0]

    def table(self, field):
        at = self.target(field)
        return None if at is None else Table(self.data, at)

    def numbers(self, field, kind="i"):
        at = self.target(field)
        if at is None:
            return []
        count, = struct.unpack_from("<I", self.data, at)
        return list(struct.unpack_from(f"<{count}{kind}", self.data, at + 4))

    def tables(self, field):
        at = self.target(field)
        starts = self.numbers(field, "I")
        return [Table(self.data, at + 4 + 4 * i + start) for i, start in enumerate(starts)]

    def text(self, field):
        return bytes(self.numbers(field, "B")).decode()


def read_program(path):
    data = path.read_bytes()
    root = Table(data, struct.unpack_from("<I", data)[0])
    return [Method(plan) for plan in root.tables(1)]


class Method:
    def __init__(self, plan):
        self.name = plan.text(0)
        self.values = [(value.number(0, "<B"), value.table(1)) for value in plan.tables(2)]
        self.inputs, self.outputs = plan.numbers(3), plan.numbers(4)
        self.arenas = plan.numbers(8, "q")
        self.operators = [op.text(0) for op in plan.tables(6)]
        self.instructions = [(instruction.number(0, "<B"), instruction.table(1))
                             for chain in plan.tables(5) for instruction in chain.tables(2)]
        self.tensors = {number: self.tensor(value)
                        for number, (kind, value) in enumerate(self.values) if kind == TENSOR}

    @staticmethod
    def tensor(table):
        size = SIZES[table.number(0, "<b")]
        for extent in table.numbers(2):
            size *= extent
        allocation = table.table(6)
        place = None
        if allocation is not None:
            place = (allocation.number(0, "<I"),
                     allocation.number(1, "<I") | allocation.number(2, "<I") << 32)
        extra = table.table(9)
        is_external = extra is not None and extra.number(2, "<b") == 1
        return {"bytes": size, "place": place, "rank": len(table.numbers(2)),
                "type": table.number(0, "<b"),
                "has_data": table.number(5, "<I") != 0 or is_external,
                "is_bound": table.number(8, "<b") != 0}

    def expand(self, arguments):
        for number in arguments:
            kind, value = self.values[number]
            if kind == TENSOR:
                yield number
            elif kind in (TENSOR_LIST, OPTIONAL_LIST):
                yield from (item for item in value.numbers(0) if item >= 0)

    def scratch(self, name, arguments):
        """Bytes right before the result of a kernel of Cortex-M that no other instruction names."""
        first = next((number for number in arguments[::-1] if number != arguments[-1]), None)
        tensor = self.tensors.get(first)
        users = sum(first in call.numbers(1) for kind, call in self.instructions
                    if kind in (KERNEL, DELEGATE))
        is_scratch = (name.startswith("cortex_m::") and tensor is not None and users == 1 and
                      first not in self.inputs and not tensor["has_data"] and
                      tensor["place"] is not None and tensor["rank"] == 1 and tensor["type"] in (0, 1))
        return {first} if is_scratch else set()

    def accesses(self):
        """What each instruction reads and writes; of delegates the arguments, undivided."""
        for kind, call in self.instructions:
            if kind == KERNEL:
                arguments = call.numbers(1)
                name = self.operators[call.number(0)]
                results = set(self.expand(arguments[-1:]))
                if name == "executorch_prim::et_copy_index":
                    results = {arguments[0]}
                named = list(self.expand(arguments))
                reads = {number for number in named if number not in results or
                         named.count(number) > 2 or name.endswith("_")}
                if name == "executorch_prim::et_view":  # shows what lies there, from now on
                    reads, results = set(named), set()
                if name == "llama::update_cache":  # changes a part of its second argument
                    results.add(arguments[1])
                scratch = self.scratch(name, arguments)
                yield reads - scratch, results | scratch, []
            elif kind == DELEGATE:
                yield set(), set(), list(self.expand(call.numbers(1)))
            elif kind == MOVE:
                yield (set(self.expand([call.number(0)])), set(self.expand([call.number(1)])), [])
            else:
                yield set(self.expand([call.number(0)])), set(), []

    def loops(self):
        return [(call.number(1), step) for step, (kind, call) in enumerate(self.instructions)
                if kind == JUMP and call.number(1) <= step]


def span(tensor):
    memory, offset = tensor["place"]
    return [(memory, byte) for byte in range(offset, offset + tensor["bytes"])]


class Lifetimes:
    """First and last instruction of each planned tensor, by the bytes that are written."""

    def __init__(self, method):
        self.method, self.last_write, self.last_read = method, {}, {}
        self.writer = {}  # of a byte
        self.written, self.base = set(), {}
        self.named, self.born = {}, {}
        for number, tensor in method.tensors.items():
            if number in method.inputs or tensor["has_data"]:
                self.written.add(number)
                self.write_bytes(number)
        for step, (reads, writes, arguments) in enumerate(method.accesses()):
            if arguments:
                reads, writes = self.divide(arguments)
            for number in reads:
                self.read(number, step)
                if not writes and number in self.base and self.named[number][0] == step:
                    self.born[number] = step
            for number in writes:
                self.write(number, step)
        for number in method.outputs:
            if number in method.tensors and number not in self.named:
                self.see(number)
        self.lives = {number: self.life(number) for number, tensor in method.tensors.items()
                      if tensor["place"] is not None}
        for view, base in self.base.items():
            first, last = self.lives[base]
            self.lives[base] = first, max(last, self.lives[view][1])
        for number, life in self.lives.items():
            self.lives[number] = self.through_loops(life)

    def write_bytes(self, number):
        if self.method.tensors[number]["place"] is not None:
            self.writer.update(dict.fromkeys(span(self.method.tensors[number]), number))

    def divide(self, arguments):
        """A delegate gives what nobody wrote, from the last argument that somebody did write on."""
        unique = list(dict.fromkeys(arguments))
        begin = max((i + 1 for i, number in enumerate(unique) if number in self.written),
                    default=0)
        while begin + 1 < len(unique) and self.looks_like_a_view(unique[begin]):
            begin += 1
        return unique[:begin], unique[begin:]

    def shown(self, number):
        tensor = self.method.tensors[number]
        if tensor["place"] is None or not tensor["bytes"]:
            return None
        owner = self.writer.get(span(tensor)[0])
        if owner is None or span(self.method.tensors[owner])[-1] < span(tensor)[-1]:
            return None
        return owner

    def looks_like_a_view(self, number):
        owner = self.shown(number)
        return (owner is not None and
                self.method.tensors[owner]["place"] == self.method.tensors[number]["place"] and
                self.method.tensors[owner]["bytes"] == self.method.tensors[number]["bytes"] and
                self.last_read.get(owner, -1) <= self.last_write.get(owner, -1))

    def see(self, number):
        owner = self.shown(number)
        if number in self.written or owner is None:
            return
        self.written.add(number)
        self.base[number] = self.base.get(owner, owner)
        self.born[number] = max(self.last_write.get(owner, 0), 0)

    def read(self, number, step):
        self.named.setdefault(number, [step, step, "read"])[1] = step
        self.see(number)
        self.last_read[number] = step

    def write(self, number, step):
        self.named.setdefault(number, [step, step, "write"])[1] = step
        self.written.add(number)
        self.last_write[number] = step
        self.write_bytes(number)

    def life(self, number):
        method, end = self.method, max(len(self.method.instructions), 1) - 1
        named = self.named.get(number)
        is_input, is_output = number in method.inputs, number in method.outputs
        if named is None and not is_input and not is_output and not method.tensors[number]["has_data"]:
            return None
        if not is_input and number not in self.base and (
                method.tensors[number]["has_data"] or
                (named is not None and named[2] == "read" and method.tensors[number]["bytes"]) or
                (named is None and is_output)):
            return 0, end
        first = 0 if is_input else self.born.get(number, named[0] if named else end)
        last = end if is_output else named[1] if named else first
        return first, last

    def through_loops(self, life):
        for _ in self.method.loops():  # until nothing changes, at most once for each
            for begin, end in self.method.loops():
                if life is None or life[1] < begin or end < life[0]:
                    continue
                if begin <= life[0] and life[1] <= end:
                    continue
                life = min(life[0], begin), max(life[1], end)
        return life


class Paths:
    """Steps at which each planned tensor is live, where jumps or moves are: by walking every path.

    On a path, a value is a storage: its own, or since a move that of another value. A storage is live from
    what was written to it, or from the start for inputs, to the last instruction that names it.
    """

    MOST = 1000

    def __init__(self, method):
        self.method = method
        self.accesses = list(method.accesses())
        self.live = {number: set() for number in method.tensors}
        self.constants = self.constant_conditions()
        self.walked = 0
        self.walk([])

    def constant_conditions(self):
        named = set(self.method.inputs)
        for kind, call in self.method.instructions:
            if kind in (KERNEL, DELEGATE):
                named.update(call.numbers(1))
            elif kind in (MOVE, FREE):
                named.update([call.number(0), call.number(1)])
        return {number: bool(value.number(0, "<b")) for number, (kind, value)
                in enumerate(self.method.values) if kind == BOOL and number not in named}

    def followers(self, step):
        kind, call = self.method.instructions[step]
        if kind != JUMP:
            return [step + 1]
        decided = self.constants.get(call.number(0))
        return {None: [step + 1, call.number(1)], True: [step + 1],
                False: [call.number(1)]}[decided]

    def walk(self, path):
        step = path[-1] if path else None
        ends = len(self.method.instructions)
        for follower in [0] if step is None else self.followers(step):
            if follower >= ends:
                self.walked += 1
                assert self.walked < self.MOST
                self.replay(path)
            else:
                assert follower not in path, "a loop has no end of paths"
                self.walk(path + [follower])

    def replay(self, path):
        storage = {number: number for number in self.method.tensors}
        open_since = {number: 0 for number in self.method.inputs if number in storage}
        last = dict.fromkeys(open_since, 0)
        spans = []

        def name(number, at):
            if number in open_since:
                last[number] = at

        for at, step in enumerate(path):
            kind, call = self.method.instructions[step]
            reads, writes, arguments = self.accesses[step]
            assert not arguments, "delegates are not divided here"
            for number in reads:
                name(storage[number], at)
            if kind == MOVE:
                storage[call.number(1)] = storage[call.number(0)]
                continue
            for number in map(storage.get, writes):
                if number in open_since and number not in reads:
                    spans.append((number, open_since[number], last[number]))
                    open_since[number] = at
                open_since.setdefault(number, at)
                last[number] = at
        for number in self.method.outputs:
            if number in storage:
                name(storage[number], len(path) - 1)
        spans += [(number, since, last[number]) for number, since in open_since.items()]
        for number, since, until in spans:
            self.live[number].update(path[since:until + 1])

    def lifetime(self, number):
        pieces = []
        for step in sorted(self.live[number]):
            if pieces and step == pieces[-1][1] + 1:
                pieces[-1][1] = step
            else:
                pieces.append([step, step])
        return [f"{first}..{last}" for first, last in pieces]


def has_flow(method):
    return any(kind == MOVE or kind == JUMP and call.number(1) > step
               for step, (kind, call) in enumerate(method.instructions))


def document(path):
    done = support.run("memory", path, "--no-siblings", "--all", "--format", "json")
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    assert done.returncode in (OK, 1), done.stderr
    return json.loads(done.stdout)["rows"]


class MemoryPlans(unittest.TestCase):
    def check_method(self, method, rows):
        self.assertEqual(sorted(row["value"] for row in rows), sorted(method.tensors))
        lives = Lifetimes(method)
        paths = Paths(method) if has_flow(method) else None
        for row in rows:
            tensor = method.tensors[row["value"]]
            self.assertEqual(row["size_bytes"], tensor["bytes"])
            self.assertEqual(row["size_is"], "at most" if tensor["is_bound"] else "exact")
            place = tensor["place"] or (None, None)
            self.assertEqual((row["memory_id"], row["offset"]), place)
            if tensor["place"] is None:
                continue
            self.assertLessEqual(place[1] + tensor["bytes"], method.arenas[place[0]])
            with self.subTest(value=row["value"]):
                base = lives.base.get(row["value"])
                self.assertEqual(row["view_of"], base)
                if paths is not None:
                    self.assertEqual(row["lifetime"], paths.lifetime(row["value"]))
                    continue
                life = lives.lives[row["value"]]
                self.assertEqual(row["lifetime"], [] if life is None else ["%d..%d" % life])
                self.assertEqual((row["first"], row["last"]),
                                 lives.lives[row["value"]] or (None, None))

    def test_memory_plans__against_the_bytes(self):
        checked = branching = 0
        for path in PROGRAMS:
            if path.parent.name == "schema":
                continue  # arenas of 4 GiB
            rows = document(path)
            for method in read_program(path):
                if method.name == "delegate_told":
                    continue  # needs XNNPACK's payload
                with self.subTest(path=path, method=method.name):
                    self.check_method(method, [row for row in rows if row["method"] == method.name])
                    checked += 1
                    branching += has_flow(method)
        self.assertGreater(checked, 50)
        self.assertGreaterEqual(branching, 4)


if __name__ == "__main__":
    unittest.main()
