"""The numeric error of each line at the margin of the source: what `gap` finds, laid out."""

import struct
import unittest

import run_support as support
from gap_support import FLOAT_ORIGINAL, INT8, GapTest, files
from run_support import USAGE

RANKS = [None, "agrees", "inexact", "inherited", "off", "harmless", "suspect", "guilty"]
COLUMNS = ["own_error", "total_error", "own_snr", "snr", "finding", "error_of", "error_in"]


def without_times(dump):
    """An ETDump whose events of time are left out: what a tracer writes that only logs values."""
    data = bytearray(dump)

    def field(at, slot):
        table = at + struct.unpack_from("<I", data, at)[0]
        vtable = table - struct.unpack_from("<i", data, table)[0]
        size = struct.unpack_from("<H", data, vtable)[0]
        if 4 + 2 * slot >= size:
            return None
        place = struct.unpack_from("<H", data, vtable + 4 + 2 * slot)[0]
        return table + place if place else None

    def vector(at):
        at += struct.unpack_from("<I", data, at)[0]
        return at, [at + 4 + 4 * i for i in range(struct.unpack_from("<I", data, at)[0])]

    _, runs = vector(field(4, 1))
    for run in runs:
        events = field(run, 3)
        if events is None:
            continue
        head, places = vector(events)
        kept = [place + struct.unpack_from("<I", data, place)[0] for place in places
                if field(place, 0) is None]
        struct.pack_into("<I", data, head, len(kept))
        for place, target in zip(places, kept):
            struct.pack_into("<I", data, place, target - place)
    return bytes(data)


class LineErrorsTest(GapTest):
    def lines(self, *words):
        return support.json_rows(self.ok("annotate", *words, "--format", "json").stdout)

    def shown(self, *words):
        return self.ok("annotate", *words).stdout

    def worst(self, rows):
        """Of the rows of each line the one that stands out most."""
        found = {}
        for row in rows:
            key = (RANKS.index(row["finding"]),
                   -1 if row["own_error"] is None else row["own_error"])
            if row["source"] is not None and key >= found.get(row["source"], (key,))[0]:
                found[row["source"]] = (key, row)
        return {source: row for source, (_, row) in found.items()}

    def check_lines(self, *words):
        expected = self.worst(self.gap(*words))
        found = {f"{line['file']}:{line['line']}": line for line in self.lines(*words)
                 if line["finding"] is not None}
        self.assertEqual(set(found), set(expected))
        for source, line in found.items():
            for column in ("own_error", "finding"):
                self.assertEqual(line[column], expected[source][column], source)
        return found


class Errors(LineErrorsTest):
    def test_line_errors__a_line_has_the_error_of_its_values(self):
        for model in ("mlp_portable", "gpt_portable", "gpt_xnnpack", "dynamic", "cond", "map_loop"):
            with self.subTest(model=model):
                found = self.check_lines(*files(model))
                self.assertEqual({line["finding"] for line in found.values()}, {"agrees"})
        found = self.check_lines(*INT8, *FLOAT_ORIGINAL)
        self.assertEqual([place for place, line in found.items() if line["finding"] == "harmless"],
                         ["models/net.py:20"])
        line = found["models/net.py:20"]
        self.assertGreater(line["own_error"], 0.2)
        self.assertAlmostEqual(line["own_snr"], 11.4, delta=0.2)
        self.assertEqual(line["error_of"], ["linear"])

    def test_line_errors__the_guilty_line_is_marked_and_the_finding_is_said(self):
        words = self.plant("gpt_portable", 28, 3, 0.1)
        found = self.check_lines(*words)
        self.assertEqual([place for place, line in found.items() if line["finding"] == "guilty"],
                         ["models/zoo.py:36"])
        text = self.shown(*words).splitlines()
        (marked,) = (line for line in text if " guilty " in line)
        self.assertRegex(marked, r"guilty +linear_8 +36 +return s\.head")
        self.assertNotIn("agrees ", text[3])
        headline = self.headline(*words)
        self.assertTrue(text[0].endswith(headline), text[0])
        self.assertEqual(text[1], "")

    def test_line_errors__other_lines_of_a_partition_say_where_their_error_is(self):
        found = {line["line"]: line for line in self.lines(*INT8)}
        self.assertLess(found[21]["own_error"], 1e-7)
        self.assertEqual(len(found[21]["error_of"]), 25)
        for number in (17, 18, 19, 20):
            self.assertEqual(found[number]["error_in"], ["models/net.py:21"])
            self.assertIsNone(found[number]["own_error"])
        self.assertRegex(self.shown(*INT8), r"in net\.py:21 +17\n")

    def test_line_errors__nothing_else_changes(self):
        for model in ("gpt_xnnpack", "conv_portable"):
            words = files(model)
            plain = self.lines(*words[:3])
            with_errors = self.lines(*words)
            self.assertEqual(set(with_errors[0]) - set(plain[0]), set(COLUMNS))
            known = [{name: value for name, value in line.items() if name not in COLUMNS}
                     for line in with_errors]
            for line in plain:
                self.assertIn(line, known)
            for line in known:
                if line not in plain:  # only an error is known of it
                    self.assertIsNone(line["avg_ns"])

    def test_line_errors__a_trace_without_times_has_them_too(self):
        for model, line in (("gpt_portable", 36), ("linear_fp32_xnnpack", 6)):
            with self.subTest(model=model):
                words = files(model)
                (self.folder / "bare.etdp").write_bytes(without_times(words[0].read_bytes()))
                bare = self.lines("bare.etdp", *words[1:])
                self.assertEqual({row["avg_ns"] for row in bare}, {None})
                (output,) = (row for row in bare if row["line"] == line)
                self.assertEqual(output["finding"], "agrees")
                self.assertLess(output["own_error"], 1e-6)
                text = self.shown("bare.etdp", *words[1:])
                self.assertIn("own ", text)
                self.assertNotIn("p50", text)

    def test_line_errors__without_times_the_program_tells_the_kernels(self):
        for model in ("gpt_portable", "gpt_xnnpack", "mlp_portable", "conv_xnnpack"):
            with self.subTest(model=model):
                words = (*files(model)[1:], "--program", support.DATA / model / "model.pte")
                trace = files(model)[0]
                (self.folder / "bare.etdp").write_bytes(without_times(trace.read_bytes()))
                self.assertEqual(self.headline("bare.etdp", *words), self.headline(trace, *words))
                timed, bare = ({(line["file"], line["line"]): [line[name] for name in COLUMNS]
                                for line in self.lines(dump, *words)
                                if line["finding"] is not None or line["error_in"]}
                               for dump in (trace, "bare.etdp"))
                self.assertEqual(bare, timed)
                why = support.json_rows(self.ok("gap", "bare.etdp", *words[:2], "--alignment",
                                                "--format", "json").stdout)
                self.assertTrue(any("the program is needed to name the kernel" in (row["reason"] or "")
                                    for row in why))

    def test_line_errors__the_method_that_is_shown_is_compared(self):
        words = (*files("multi_method"), "--program", support.DATA / "multi_method" / "model.bpte")
        for method, run in (("decode", 1), ("encode", 3), ("forward", 5)):
            for choice in (("--method", method), ("--run", run)):
                with self.subTest(method=method, choice=choice):
                    found = self.lines(*words, *choice)
                    self.assertEqual({line["method"] for line in found}, {method})
                    self.assertIn("agrees", {line["finding"] for line in found})
        self.assertTrue(self.shown(*words, "--method", "encode").startswith("run 3: all 3 values agree"))

    def test_line_errors__another_trace_as_the_reference(self):
        words = self.plant("mlp_portable", 2, 3, 0.1)
        trace, _, _, _, buffer = files("mlp_portable")
        found = self.lines(*words, "--reference-trace", trace, "--reference-debug-buffer", buffer)
        (line,) = (line for line in found if line["finding"] == "guilty")
        self.assertIsNone(line["own_error"])  # nothing was computed again
        self.assertGreater(line["total_error"], 0.01)

    def test_line_errors__filters_leave_their_lines(self):
        words = (*INT8, *FLOAT_ORIGINAL)
        found = {line["line"]: line["finding"] for line in
                 self.lines(*words, "--source", "net.py:20") if line["finding"] is not None}
        self.assertEqual(found, {20: "harmless", 21: "agrees"})  # 21: the call's output, of both lines
        for line in self.lines(*files("gpt_portable"), "--module", "blocks.0"):
            self.assertIn(line["line"], (26, 27, 28, 29))
            self.assertIsNotNone(line["own_error"])


class Words(LineErrorsTest):
    def test_line_errors__every_format_and_width_has_them(self):
        words = (*INT8, *FLOAT_ORIGINAL)
        expected = self.lines(*words)
        for form, separator in (("csv", ","), ("tsv", "\t")):
            text = self.ok("annotate", *words, "--format", form).stdout.splitlines()
            self.assertEqual(text[0].split(separator), list(expected[0]))
            self.assertEqual(len(text), len(expected) + 1)
        text = self.ok("annotate", *words, "--format", "markdown").stdout
        self.assertRegex(text, r"\| own \| +total \| finding ")
        self.assertRegex(text, r"\| +0\.269 \| +0\.27 \| harmless ")
        for width in (40, 60, 80, 100):
            text = self.ok("annotate", *words, "--width", width).stdout
            self.assertRegex(text, r" 0\.269 .*harmless", width)
            if width >= 80:
                self.assertLessEqual(max(map(len, text.splitlines())), width)

    def test_line_errors__what_is_missing_is_said_in_a_line(self):
        words = files("mlp_portable")
        done = support.call("annotate", *words, ETSCOPE_ENGINE="/nowhere/engine.so")
        plain = support.call("gap", *words, ETSCOPE_ENGINE="/nowhere/engine.so")
        self.assertEqual((done.returncode, done.stdout), (plain.returncode, ""))
        self.assertEqual(done.stderr, plain.stderr)
        self.assertEqual(done.stderr.count("etscope: "), 1)
        for option, value in (("--reference", "edge"), ("--input", "x.npy"), ("--case", "0"),
                              ("--reference-dtype", "f64"), ("--engine", "x.so")):
            self.fails(USAGE, f"{option} needs --debug-buffer",
                       "annotate", *words[:3], option, value)
        self.fails(USAGE, "needs --reference-trace", "annotate", *words,
                   "--reference-debug-buffer", words[-1])

    def test_line_errors__a_trace_that_captured_nothing_is_refused(self):
        folder = support.DATA / "mlp_portable"
        done = support.call("annotate", folder / "profile.etdp", *files("mlp_portable")[1:])
        plain = support.call("gap", folder / "profile.etdp", *files("mlp_portable")[1:])
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (plain.returncode, "", plain.stderr))


if __name__ == "__main__":
    unittest.main()
