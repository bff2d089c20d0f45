"""The deepest stack below a function, from the objects of a library.

The compiler tells the frame of each function (-fstack-usage) and the disassembly who calls whom.
Functions are told apart by object and name, as static ones may share names. A call through a
pointer goes where INDIRECT says for the caller's file; from other files it is a callback of the
library's user, which is not counted.
"""

import re
import subprocess

# File of the caller -> what of the library it calls through pointers: (file, function), where
# None is every function of the file whose address is taken anywhere.
INDIRECT = {
    "etdump_writer": (("trace_source", None), ("trace_extra", None)),  # struct ets_etdump_source
    "trace_extra": (("etdump_writer", "put_extra_bytes"),),  # the sink for the extra block
    "recorder": (("trace_filter", "admits"),),  # struct ets_trace_choices
    "trace_tensors": (("trace_tensors", "get_of_array"),),  # reducers are told apart
    "flatbuffer_writer": (("etdump_writer", "append"),),  # ets_etdump_write_buffer's sink
}

FUNCTION = re.compile(r"^[0-9a-f]+ <([^.].*)>:$")  # a label inside of one begins with a dot
RELOCATION = re.compile(r"^\s+[0-9a-f]+:\s+(R_\w+)\s+(\S+)")
SECTION_PREFIX = re.compile(r"^\.text\.(unlikely\.)?")  # where the section stands for its function
INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\s+([a-z][\w.]*)\s*(.*)$")
CALL_RELOCATION = re.compile(r"R_(ARM_THM_(CALL|JUMP24)|RISCV_CALL(_PLT)?|AARCH64_(CALL|JUMP)26)$")
ARM_POINTER_CALL = re.compile(r"^(blx|bx|blr|br)$")


class Function:
    def __init__(self):
        self.frame = 0
        self.calls = set()  # names
        self.taken = set()  # names whose address it takes
        self.calls_pointer = False


def is_pointer_call(operation, operands, before):
    """Whether the instruction jumps to where a register says, and that is no return."""
    if ARM_POINTER_CALL.match(operation):
        return re.match(r"(r\d|x\d|ip)", operands) is not None
    # RISC-V: after auipc it is half of a call whose relocation tells the name.
    return operation in ("jalr", "jr") and before != "auipc" and not operands.startswith("ra")


def read_object(path):
    """Functions of one object by name."""
    functions = {}
    listing = subprocess.run(["llvm-objdump", "-dr", "--no-show-raw-insn", path], check=True,
                             capture_output=True, text=True).stdout
    current, before = None, ""
    for line in listing.splitlines():
        if match := FUNCTION.match(line):
            current = functions.setdefault(match[1], Function())
        elif current is None:
            continue
        elif match := RELOCATION.match(line):
            name = SECTION_PREFIX.sub("", match[2].split("+")[0])
            (current.calls if CALL_RELOCATION.match(match[1]) else current.taken).add(name)
        elif match := INSTRUCTION.match(line):
            if is_pointer_call(match[1], match[2].strip(), before):
                current.calls_pointer = True
            before = match[1]
    read_frames(path.with_suffix(".su"), functions)
    return functions


def read_frames(path, functions):
    for line in path.read_text().splitlines():
        place, size, kind = line.split("\t")
        name = place.rsplit(":", 1)[1]
        if kind != "static":
            raise ValueError(f"{path}: the stack of {name} is {kind}")
        if name in functions:
            functions[name].frame = int(size)


class Graph:
    """The functions of a library's objects; what lies outside of them takes no stack."""

    def __init__(self, paths):
        self.files = {path.stem: read_object(path) for path in paths}
        self.depths = {}

    def find(self, file, name):
        """The file in which `name` lies, seen from `file`; None: outside."""
        if name in self.files[file]:
            return file
        return next((other for other in self.files if name in self.files[other]), None)

    def taken(self, file):
        """Names of the functions of `file` whose address any file takes."""
        return {name for place, functions in self.files.items() for function in functions.values()
                for name in function.taken if self.find(place, name) == file}

    def callees(self, file, name):
        function = self.files[file][name]
        for callee in function.calls:
            place = self.find(file, callee)
            if place is not None:
                yield place, callee
        if function.calls_pointer:
            for other, callee in INDIRECT.get(file, ()):
                for name in self.taken(other) if callee is None else (callee,):
                    yield other, name

    def deepest(self, name, file=None, above=()):
        """(bytes, chain of names) of the deepest stack from `name` on."""
        file = file or next(place for place in self.files if name in self.files[place])
        if (file, name) in above:
            raise ValueError(f"{name} calls itself: {' '.join(n for _, n in above)}")
        if (file, name) not in self.depths:
            below = [self.deepest(callee, place, above + ((file, name),))
                     for place, callee in self.callees(file, name)]
            depth, chain = max(below, default=(0, []), key=lambda each: each[0])
            self.depths[file, name] = (depth + self.files[file][name].frame, [name] + chain)
        return self.depths[file, name]
