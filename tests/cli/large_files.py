"""Large programs and data files whose data are holes of sparse files."""

import struct

import support


def grow_last_segment(source, target, size):
    """A copy of a program of `size` bytes, whose last segment is a hole of a sparse file."""
    data = bytearray(source.read_bytes())

    def number(at, form="<I"):
        return struct.unpack_from(form, data, at)[0]

    def field(table, slot):
        vtable = table - number(table, "<i")
        if 4 + 2 * slot >= number(vtable, "<H"):
            return 0
        offset = number(vtable + 4 + 2 * slot, "<H")
        return offset and table + offset

    at = field(number(0), 4)
    vector = at + number(at)
    last = (0, 0)
    for i in range(number(vector)):
        place = vector + 4 + 4 * i
        table = place + number(place)
        if field(table, 0) and field(table, 1):
            last = max(last, (number(field(table, 0), "<Q"), field(table, 1)))
    base = number(24, "<Q")
    struct.pack_into("<Q", data, last[1], size - base - last[0])
    struct.pack_into("<Q", data, 32, size - base)
    with target.open("wb") as file:
        file.write(data)
        file.truncate(size)


def make_data_file(path, entries):
    """A .ptd whose entries are holes of a sparse file."""
    dump = support.Dump()
    dump.data = bytearray(48)
    struct.pack_into("<4s4sI", dump.data, 4, b"FT01", b"FH01", 40)
    root, references = dump.table({1: ("ref", 0), 2: ("ref", 0)})
    struct.pack_into("<I", dump.data, 0, root)
    places = vector(dump, references[1], len(entries))
    offset = 0
    for place, (_, size) in zip(places, entries):
        at, _ = dump.table({0: ("<Q", offset), 1: ("<Q", size)})
        dump.point(place, at)
        offset += -(-size // 128) * 128
    places = vector(dump, references[2], len(entries))
    for i, (place, (key, _)) in enumerate(zip(places, entries)):
        at, inner = dump.table({0: ("ref", 0), 1: ("<I", i)})
        dump.point(place, at)
        dump.text(inner[0], key)
    base = -(-len(dump.data) // 128) * 128
    struct.pack_into("<QQQQ", dump.data, 16, 48, len(dump.data) - 48, base, offset)
    with path.open("wb") as file:
        file.write(dump.data)
        file.truncate(base + offset)


def vector(dump, reference, count):
    dump.align(4)
    dump.point(reference)
    start = len(dump.data) + 4
    dump.data += struct.pack("<I", count) + bytes(4 * count)
    return [start + 4 * i for i in range(count)]
