"""etscope's JSON reader beside Python's json: the same values, and the same documents refused."""

import json
import math
import os
import random
import struct
import subprocess
import unittest

READER = os.environ.get("READ_JSON")
DOCUMENTS = 200000 if os.environ.get("ETSCOPE_LONG") else 20000
SPACES = ("", "", "", " ", "\n", "\t \r")
LITERALS = ("null", "true", "false", "NaN", "Infinity", "-Infinity")
NUMBERS = ("0", "-0", "-0.0", "1", "0.1", "1e5", "1E+5", "1e-400", "1e400", "-1e400", "5e-324", "2.2250738585072011e-308",
           "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615",
           "18446744073709551616", "-9223372036854775808", "-9223372036854775809", "0.30000000000000004",
           "123456789012345678901234567890", "1.7976931348623159e308")
WRONG = ("", "01", "+1", ".5", "1.", "1e", "- 1", "nan", "-NaN", "True", "'a'", "[1,]", "{,}", '{"a":1,}', '{"a"}', "{a:1}",
         '"\x01"', '"\\x41"', '"\\u12"', '"\\', '"', "[", "]", "{", "}", "nul", "1 2", "[1 2]", '{"a" 1}', "/**/1", "\ufeff1",
         "0x10", "1_000", "Infinit", "--1", "1e+", "\\u0041", '"\t"', "\x00", "1\x00")
PIECES = ("a", "ß", "\U0001f600", "\u2028", "\\n", "\\/", "\\\\", '\\"', "\\b\\f\\r\\t", "\\u0041", "\\u00e9", "\\ud83d\\ude00",
          "\\ud83d", "\\ude00", "\\ud83d\\u0041", "\\uD83D\\uDE00", "\\u0000", "\x7f", " ", "etscope")


class Documents:
    """Documents made up, of which some are then damaged."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def number(self):
        kind = self.chance.randrange(4)
        if kind == 0:
            return self.chance.choice(NUMBERS)
        if kind == 1:
            return str(self.chance.randrange(-1 << 66, 1 << 66) >> self.chance.randrange(66))
        if kind == 2:
            return repr(struct.unpack("<d", self.chance.randbytes(8))[0]).replace("nan", "0").replace("inf", "1")
        return f"{self.chance.randrange(1000)}.{self.chance.randrange(10 ** 18)}e{self.chance.randrange(-340, 320)}"

    def text(self):
        return '"' + "".join(self.chance.choice(PIECES) for _ in range(self.chance.randrange(5))) + '"'

    def value(self, depth=0):
        kind = self.chance.randrange(4 if depth > 5 else 6)
        if kind == 0:
            return self.chance.choice(LITERALS)
        if kind == 1:
            return self.text()
        if kind < 4:
            return self.number()
        count = self.chance.randrange(4)
        space = self.chance.choice(SPACES)
        if kind == 4:
            return "[" + space + ("," + space).join(self.value(depth + 1) for _ in range(count)) + "]"
        members = (self.text() + space + ":" + space + self.value(depth + 1) for _ in range(count))
        return "{" + space + (space + ",").join(members) + "}"

    def document(self):
        text = self.chance.choice(SPACES) + self.value() + self.chance.choice(SPACES)
        for _ in range(self.chance.choice((0, 0, 0, 1, 1, 2))):
            at, end = sorted(self.chance.randrange(len(text) + 1) for _ in range(2))
            kind = self.chance.randrange(4)
            if kind == 0:
                text = text[:at] + text[at + 1:]
            elif kind == 1:
                text = text[:at] + self.chance.choice(WRONG) + text[at:]
            elif kind == 2:
                text = text[:at] + text[at:end] + text[at:]
            else:
                text = text[:at] + self.chance.choice('{}[]",:0-+.eE\\\x00\x1f ') + text[at + 1:]
        return text


def shown(value):
    """As the program writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return f"i{value}"
    if isinstance(value, float):
        return ("d", value) if math.isfinite(value) else f"d{value}"
    if isinstance(value, str):  # a surrogate alone is no text; the reader replaces it
        return "t" + value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode().hex()
    if isinstance(value, Pairs):
        return ["{", *((shown(name), shown(of)) for name, of in value)]
    return ["[", *map(shown, value)]


def in_range(text):
    """A number beyond those of doubles is refused, where Python's is infinite; so is 0e400, which is 0."""
    number = float(text)
    digits, _, exponent = text.lower().partition("e")
    if math.isinf(number) or int(exponent or "0") - len(digits.partition(".")[2]) > 308:
        raise ValueError(text)
    return number


def whole(text):
    number = int(text)
    return number if -(1 << 63) <= number < 1 << 64 else in_range(text)


class Pairs(list):
    """An object's members, also those of equal names."""


def parse(line):
    """What the program wrote, in the form of shown()."""
    at = 0

    def value():
        nonlocal at
        if line[at] in "[{":
            kind, end = line[at], {"[": "]", "{": "}"}[line[at]]
            at += 1
            found = [kind]
            while line[at] != end:
                one = value()
                if kind == "{":
                    at += 1
                    one = (one, value())
                found.append(one)
                at += line[at] == ","
            at += 1
            return found
        start = at
        while at < len(line) and line[at] not in ",:]}":
            at += 1
        word = line[start:at]
        return ("d", float.fromhex(word[1:])) if word[:1] == "d" and word[1:4].lstrip("-") not in ("nan", "inf", "in") else word
    return value()


@unittest.skipUnless(READER, "this build reads no JSON")
class JsonBesidePython(unittest.TestCase):
    def answers(self, documents):
        data = b"".join(struct.pack("<I", len(each)) + each for each in documents)
        done = subprocess.run([READER], input=data, capture_output=True, timeout=600, check=True)
        lines = done.stdout.decode().split("\n")
        self.assertEqual(len(lines), len(documents) + 1)
        return lines[:-1]

    def expected(self, document):
        try:
            return shown(json.loads(document, object_pairs_hook=Pairs, parse_float=in_range, parse_int=whole))
        except ValueError:
            return "refused"

    def check(self, documents):
        refused = 0
        for document, line in zip(documents, self.answers([each.encode() for each in documents])):
            expected = self.expected(document)
            refused += expected == "refused"
            if expected == ("d", 0.0):  # equal to -0.0
                self.assertEqual(line[:2] == "d-", math.copysign(1, expected[1]) < 0, document)
            self.assertEqual(line if line == "refused" else parse(line), expected, ascii(document))
        return refused

    def test_json_beside_python__made_up_documents(self):
        made = Documents(7)
        documents = [made.document() for _ in range(DOCUMENTS)]
        refused = self.check(documents)
        self.assertGreater(refused, DOCUMENTS / 10)
        self.assertGreater(DOCUMENTS - refused, DOCUMENTS / 2)

    def test_json_beside_python__all_numbers_and_mistakes(self):
        self.check([*NUMBERS, *(f"[{each}]" for each in NUMBERS), *LITERALS, *WRONG, *(f"[{each}]" for each in WRONG)])


if __name__ == "__main__":
    unittest.main()
