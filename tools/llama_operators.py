#!/usr/bin/env python3
"""Copies executorch's library of llama:: kernels so that it loads without PyTorch.

    tools/llama_operators.py LIBRARY STAND_INS COPY [--runtime FOLDER] [--reason FILE]

LIBRARY    extension/llm/custom_ops/libcustom_ops_aot_lib.so of executorch's wheel
STAND_INS  the library built from src/engine/llama, which stands in for PyTorch
COPY       is written; it needs STAND_INS in its own folder
FOLDER     with libexecutorch*.so, by default ../../../lib of LIBRARY
FILE       gets the reason why there is no copy, or nothing; then the exit code is always 0

The copy has the same size and code. What changes, in place:
* PyTorch's libraries among those that it needs become STAND_INS; its own name and search path
* each undefined symbol that STAND_INS has begins with "ets" instead of "_ZN" (see stand_ins.cc)
* symbols that a process has only once (STB_GNU_UNIQUE) become ordinary ones: PyTorch has the same

Before, every symbol that the library wants is looked for in STAND_INS, in the runtime and in the
system's libraries. If one is nowhere, another version of executorch wants more of PyTorch, and no
copy is made. A copy for this processor is loaded once, in a process of its own.
"""

import argparse
import ctypes
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

OF_PYTORCH = re.compile(r"^(libtorch(_\w+)?|libc10|_C(\.[\w-]+)?)\.so$")
PREFIX, STAND_IN_PREFIX = b"_ZN", b"ets"

PT_LOAD, PT_DYNAMIC = 1, 2
DT_NEEDED, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 5, 6, 10, 14, 15, 29
SHT_DYNSYM = 11
STB_WEAK, STB_GNU_UNIQUE = 2, 10
MOST_ENTRIES = 1 << 20


class Refused(Exception):
    """Why no copy is made: one line."""


class Elf:
    """A shared library of any processor: its dynamic section and symbols, read and written in place."""

    def __init__(self, path):
        self.name = Path(path).name
        try:
            self.data = bytearray(Path(path).read_bytes())
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}") from error
        if self.data[:4] != b"\x7fELF" or self.data[4:6] not in (b"\1\1", b"\1\2", b"\2\1", b"\2\2"):
            raise Refused(f"{self.name} is not an ELF file")
        self.is_64 = self.data[4] == 2
        self.order = "<" if self.data[5] == 1 else ">"
        if self.is_64:
            _, self.machine, _, _, segments, sections, _, _, size, count, section_size, section_count, _ = \
                self.read(16, "HHIQQQIHHHHHH")
        else:
            _, self.machine, _, _, segments, sections, _, _, size, count, section_size, section_count, _ = \
                self.read(16, "HHIIIIIHHHHHH")
        self.segments = [self._segment(segments + i * size) for i in range(count)]
        self._read_dynamic()
        self.symbols = []
        for i in range(section_count):
            self._read_symbols(sections + i * section_size)
        if not self.symbols:
            raise Refused(f"{self.name} has no dynamic symbols")

    def read(self, at, form):
        try:
            return struct.unpack_from(self.order + form, self.data, at)
        except struct.error as error:
            raise Refused(f"{self.name} is damaged: nothing at byte {at}") from error

    def _segment(self, at):
        """(type, offset, address, bytes of the file)"""
        if self.is_64:
            kind, _, offset, address, _, size = self.read(at, "IIQQQQ")
        else:
            kind, offset, address, _, size = self.read(at, "IIIII")
        return kind, offset, address, size

    def _place(self, address):
        for kind, offset, begin, size in self.segments:
            if kind == PT_LOAD and begin <= address < begin + size:
                return offset + address - begin
        raise Refused(f"{self.name} is damaged: nothing is at address {address}")

    def _read_dynamic(self):
        """Fills `dynamic`: [(tag, value, where the value is)]."""
        self.dynamic, self.word = [], "Q" if self.is_64 else "I"
        width = struct.calcsize(self.order + self.word)
        for kind, offset, _, size in self.segments:
            if kind != PT_DYNAMIC:
                continue
            for at in range(offset, offset + min(size, MOST_ENTRIES), 2 * width):
                tag, value = self.read(at, 2 * self.word)
                if tag == 0:
                    break
                self.dynamic.append((tag, value, at + width))
        values = {tag: value for tag, value, _ in self.dynamic}
        if DT_STRTAB not in values or DT_STRSZ not in values:
            raise Refused(f"{self.name} is not a shared library")
        self.names, self.names_size = self._place(values[DT_STRTAB]), values[DT_STRSZ]

    def _read_symbols(self, section):
        """Appends the symbols of the section, if that is what it has."""
        if self.is_64:
            _, kind, _, _, offset, size, _, _, _, each = self.read(section, "IIQQQQIIQQ")
        else:
            _, kind, _, _, offset, size, _, _, _, each = self.read(section, "IIIIIIIIII")
        if kind != SHT_DYNSYM:
            return
        if each < (24 if self.is_64 else 16) or size // each > MOST_ENTRIES:
            raise Refused(f"{self.name} is damaged: its symbols have {each} bytes each")
        for at in range(offset + each, offset + size - each + 1, each): # the first is none
            if self.is_64:
                name, info, _, section = self.read(at, "IBBH")
                info_at = at + 4
            else:
                name, _, _, info, _, section = self.read(at, "IIIBBH")
                info_at = at + 12
            self.symbols.append((name, self.text(name), info >> 4, section, info_at))

    def text(self, name):
        begin = self.names + name
        end = self.data.find(b"\0", begin, self.names + self.names_size)
        if name >= self.names_size or end < 0:
            raise Refused(f"{self.name} is damaged: the name at {name} has no end")
        return bytes(self.data[begin:end])

    def wanted(self):
        """The names of symbols that others must have."""
        return [name for _, name, binding, section, _ in self.symbols
                if section == 0 and binding != STB_WEAK]

    def given(self):
        return {name for _, name, _, section, _ in self.symbols if section != 0}

    def tagged(self, *tags):
        """[(text, offset of the text, where the offset is)] of these dynamic entries."""
        return [(self.text(value).decode("utf-8", "replace"), value, at)
                for tag, value, at in self.dynamic if tag in tags]

    def overwrite(self, name, text):
        """Puts a text that is not longer in the place of one that nothing else is a part of."""
        old = self.text(name)
        begin = self.names + name
        if len(text) > len(old) or (name > 0 and self.data[begin - 1] != 0) or any(
                name < other < name + len(old) for other in self._offsets()):
            raise Refused(f"{self.name}: no room for {text.decode()} in the place of {old.decode()}")
        self.data[begin:begin + len(old)] = text.ljust(len(old), b"\0")

    def _offsets(self):
        texts = (DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH)
        yield from (value for tag, value, _ in self.dynamic if tag in texts)
        yield from (symbol[0] for symbol in self.symbols)


def system_has(libraries):
    """A function that tells whether the system's libraries have a symbol; nothing of others is run."""
    handles = []
    for name in libraries:
        try:
            handles.append(ctypes.CDLL(name))
        except OSError as error:
            raise Refused(f"the system has no {name}: {error}") from error
    return lambda symbol: any(hasattr(handle, symbol) for handle in handles)


def check(library, stand_ins, runtime):
    """Returns the names that the stand-ins have; raises Refused if anything is missing."""
    instead = {PREFIX + name[len(STAND_IN_PREFIX):] for name in stand_ins.given()
               if name.startswith(STAND_IN_PREFIX) and not name.startswith(b"ets_")}
    of_runtime, of_system, unknown = set(), [], []
    for name, _, _ in library.tagged(DT_NEEDED) + stand_ins.tagged(DT_NEEDED):
        if (runtime / name).exists():
            of_runtime |= Elf(runtime / name).given()
        elif not OF_PYTORCH.match(name):
            of_system.append(name)
    has = system_has(of_system)
    for name in sorted(library.wanted()):
        if name not in instead and name not in of_runtime and not has(name.decode("ascii", "replace")):
            unknown.append(name.decode("ascii", "replace"))
    if unknown:
        more = len(unknown) - 1
        raise Refused(f"{library.name} wants {unknown[0]}"
                      + (f" and {more} more symbol{'s' * (more > 1)}" if more else "")
                      + ", which neither the runtime nor etscope's stand-ins for PyTorch have")
    return instead


def patch(library, stand_ins, own_name, instead):
    name = (stand_ins.tagged(DT_SONAME) or [(stand_ins.name,)])[0][0].encode()
    needed = [(text, value, at) for text, value, at in library.tagged(DT_NEEDED) if OF_PYTORCH.match(text)]
    if not needed:
        raise Refused(f"{library.name} does not need PyTorch")
    longest = max(needed, key=lambda entry: len(entry[0]))[1]
    library.overwrite(longest, name)
    for _, _, at in needed:
        struct.pack_into(library.order + library.word, library.data, at, longest)
    for _, value, _ in library.tagged(DT_SONAME):
        library.overwrite(value, own_name.encode())
    for _, value, _ in library.tagged(DT_RPATH, DT_RUNPATH):
        library.overwrite(value, b"$ORIGIN")
    for value, symbol, binding, section, info_at in library.symbols:
        if section == 0 and symbol in instead:
            library.overwrite(value, STAND_IN_PREFIX + symbol[len(PREFIX):])
        if binding == STB_GNU_UNIQUE and section != 0:
            library.data[info_at] = STB_WEAK << 4 | library.data[info_at] & 15


def machine_of_this_process():
    """As ELF counts processors."""
    with open("/proc/self/exe", "rb") as executable:
        return struct.unpack_from("=H", executable.read(20), 18)[0]


def try_out(copy, before):
    """Loads the copy in another process, which it would end if it laid out PyTorch's types otherwise."""
    script = "import ctypes, os, sys; [ctypes.CDLL(path, os.RTLD_NOW) for path in sys.argv[1:]]"
    done = subprocess.run([sys.executable, "-c", script, *map(str, before), str(copy)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode < 0:
        raise Refused(f"loading the copy ends the process with signal {-done.returncode}")
    if done.returncode > 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason told"]
        raise Refused(f"the copy cannot be loaded: {said[-1]}")


def make(options):
    library, stand_ins = Elf(options.library), Elf(options.stand_ins)
    runtime = options.runtime or options.library.parent / "../../../lib"
    patch(library, stand_ins, options.copy.name, check(library, stand_ins, runtime))
    new = options.copy.with_name(options.copy.name + ".new")
    try:
        new.write_bytes(library.data)
        new.chmod(0o755)
        if library.machine == machine_of_this_process():
            of_runtime = [runtime / name for name, _, _ in library.tagged(DT_NEEDED) if (runtime / name).exists()]
            try_out(new, [*of_runtime, options.stand_ins])
        os.replace(new, options.copy)
    finally:
        new.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("stand_ins", type=Path)
    parser.add_argument("copy", type=Path)
    parser.add_argument("--runtime", type=Path)
    parser.add_argument("--reason", type=Path)
    options = parser.parse_args()
    reason = ""
    try:
        make(options)
    except Refused as refused:
        reason = str(refused)
        options.copy.unlink(missing_ok=True)
        print(f"the llama:: kernels are left out: {reason}", file=sys.stderr)
    if options.reason is not None:
        options.reason.write_text(reason + "\n" if reason else "")
        return 0
    return 1 if reason else 0


if __name__ == "__main__":
    sys.exit(main())
