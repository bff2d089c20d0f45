"""Adds the extra block of docs/SPEC.md, section 6, to the bytes of a made ETDump."""

import struct
import zlib

FINGERPRINT, RUN, EXECUTE, TOKENS = 3, 4, 2, 18
PREFILL, DECODE = 1, 2


def entry(key, value):
    return struct.pack("<II", key, len(value)) + value + bytes(-len(value) % 8)


def fingerprint(value):
    return entry(FINGERPRINT, value)


def run(index, method="", is_cut=False):
    """What is told of a run: the method that it executes, and whether its begin is lost."""
    return entry(RUN, struct.pack("<IIIHH", index, 0, index, EXECUTE, is_cut) + method.encode())


def tokens(index, method, stage, count, position):
    """What a run of a language model computed."""
    return entry(TOKENS, struct.pack("<IIQI", index, count, position, stage) + method.encode())


def with_extra(dump, *entries):
    body = dump + bytes(-len(dump) % 8)
    entries = b"".join(entries)
    footer = struct.pack("<III", len(entries), zlib.crc32(entries), 1) + b"ETSX"
    whole = bytearray(body + entries + footer)
    struct.pack_into("<I", whole, 0, len(whole) - 4)
    return bytes(whole)
