"""Prints the tables of src/output/text/character_width.c from Python's copy of the Unicode database.

    python3 tools/character_widths.py

Wide: East_Asian_Width W or F. Of no width: combining marks (Mn, Me), format characters (Cf, without
the soft hyphen), and the vowels and final consonants of Hangul that join what stands before them.
Unassigned characters between two ranges belong to them.
"""

import sys
import unicodedata


def is_wide(character):
    return unicodedata.east_asian_width(character) in "WF" and not is_nothing(character)


def is_nothing(character):
    if character == "\u00ad":
        return False
    return unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff"


def ranges(belongs):
    found = []
    open_range = False
    for code in range(0x80, sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.category(character) == "Cn":
            continue  # neither ends a range nor begins one
        if belongs(character):
            if open_range:
                found[-1][1] = code
            else:
                found.append([code, code])
        open_range = belongs(character)
    return found


def show(name, found):
    print(f"static const struct range {name}[] = {{")
    line = "   "
    for first, last in found:
        item = f" {{0x{first:x}, 0x{last:x}}},"
        if len(line) + len(item) > 100:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};")


print(f"/* Unicode {unicodedata.unidata_version}; made by tools/character_widths.py. */")
show("nothing", ranges(is_nothing))
print()
show("wide", ranges(is_wide))
