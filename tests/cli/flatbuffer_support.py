"""FlatBuffers read by a schema file (.fbs), independently of etscope: every field as plain data.

Enough of the schema language for tests/data/schema, and enough of the format for files that are
whole: `read(schema, data)` gives what `etscope dump` calls "flatbuffer", where bytes are `bytes`.
"""

import re
import struct

SCALARS = {"bool": "?", "byte": "b", "ubyte": "B", "short": "h", "ushort": "H", "int": "i",
           "uint": "I", "long": "q", "ulong": "Q", "float": "f", "double": "d"}
NUMBERS = {"dim_order"}  # vectors of bytes that are numbers


class Schema:
    """Tables (name -> list of field, type, default), unions and enumerations of a schema file."""

    def __init__(self, text):
        text = re.sub(r"//[^\n]*", "", text)
        self.enums = dict(re.findall(r"enum\s+(\w+)\s*:\s*(\w+)\s*{", text))
        self.unions = {name: [word.strip() for word in members.split(",") if word.strip()]
                       for name, members in re.findall(r"union\s+(\w+)\s*{([^}]*)}", text)}
        # (table, field) -> names of its numbers; schemas without enumerations get them by hand
        self.names = {}
        numbers = {name: {int(value): word for word, value in
                          re.findall(r"(\w+)\s*=\s*(-?\d+)", body)}
                   for name, body in re.findall(r"enum\s+(\w+)\s*:\s*\w+\s*{([^}]*)}", text)}
        self.enumerators = numbers
        self.tables = {}
        for name, body in re.findall(r"table\s+(\w+)\s*{([^}]*)}", text):
            self.tables[name] = [
                (field, kind, int(default) if re.fullmatch(r"-?\d+", default) else 0)
                for field, kind, default in re.findall(
                    r"(\w+)\s*:\s*(?:\w+\.)?(\[?\w+\]?)\s*(?:=\s*([-\w]+))?[^;]*;", body)]
            self.names |= {(name, field): numbers[kind]
                           for field, kind, _ in self.tables[name] if kind in numbers}
        self.root = re.search(r"root_type\s+(\w+)", text).group(1)

    def scalar(self, kind):
        """The struct character of a scalar or enumeration, or None."""
        return SCALARS.get(self.enums.get(kind, kind))


class Reader:
    """Reads tables of `data` by `schema`."""

    def __init__(self, schema, data):
        self.schema, self.data = schema, data

    def load(self, character, at):
        return struct.unpack_from("<" + character, self.data, at)[0]

    def follow(self, at):
        return at + self.load("I", at)

    def text(self, at):
        start = self.follow(at)
        return self.data[start + 4:start + 4 + self.load("I", start)].decode("utf-8", "replace")

    def vector(self, field, kind, at):
        start = self.follow(at)
        count, first = self.load("I", start), start + 4
        character = self.schema.scalar(kind)
        if kind == "ubyte" and field not in NUMBERS:
            return self.data[first:first + count]
        if character:
            size = struct.calcsize("<" + character)
            return [self.load(character, first + size * i) for i in range(count)]
        if kind == "string":
            return [self.text(first + 4 * i) for i in range(count)]
        return [self.table(kind, self.follow(first + 4 * i)) for i in range(count)]

    def table(self, name, at):
        vtable = at - self.load("i", at)
        slots = (self.load("H", vtable) - 4) // 2
        place = lambda slot: at + offset if slot < slots and (
            offset := self.load("H", vtable + 4 + 2 * slot)) else None
        found, slot = {}, 0
        for field, kind, default in self.schema.tables[name]:
            if kind in self.schema.unions:
                tag = self.load("B", place(slot)) if place(slot) else 0
                members = self.schema.unions[kind]
                member = members[tag - 1] if tag else "NONE"
                found[field + "_type"] = member
                found[field] = (None if not tag else {} if not self.schema.tables[member]
                                else self.table(member, self.follow(place(slot + 1))))
                slot += 2
                continue
            where = place(slot)
            slot += 1
            character = self.schema.scalar(kind)
            if character:
                zero = False if kind == "bool" else default
                value = self.load(character, where) if where else zero
                found[field] = self.schema.names.get((name, field), {}).get(value, value)
            elif where is None:
                found[field] = None
            elif kind == "string":
                found[field] = self.text(where)
            elif kind.startswith("["):
                found[field] = self.vector(field, kind[1:-1], where)
            else:
                found[field] = self.table(kind, self.follow(where))
        return found


def read(schema, data, root_at=0):
    """The root table of `data`, whose offset stands at `root_at`."""
    reader = Reader(schema, data)
    return reader.table(schema.root, reader.follow(root_at))
