"""`etscope plot`: pictures say what the tables say, in shapes and in words."""

import collections
import json
import pathlib
import re
import struct
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

import support
from support import DATA, OK, USAGE

SVG = "{http://www.w3.org/2000/svg}"
WIDTH, MARGIN = 960, 8
UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1, "cycles": 1}


def model(name, *kinds):
    options = []
    for kind in kinds or ("etrecord", "program"):
        ending = "pte" if kind == "program" else kind
        options += [f"--{kind}", str(DATA / name / f"model.{ending}")]
    return str(DATA / name / "profile.etdp"), options


def document(*words):
    done = support.run(*words, "--format", "json")
    assert done.returncode == OK, done.stderr
    return json.loads(done.stdout)


def bounds(row, column):
    return row[column], row[column + "_upper"]


def span_of_words(words):
    """Nanoseconds of "51.4 us", "3..4 us" or "<1 us"."""
    number, unit = words.split(" ")
    low, dots, high = number.partition("..")
    if number.startswith("<"):
        low, high = 0, number[1:]
    return float(low) * UNITS[unit], float(high if dots or number[0] == "<" else low) * UNITS[unit]


class Picture:
    """What an SVG shows: its texts, and groups with their titles and boxes."""

    def __init__(self, path):
        self.root = ElementTree.parse(path).getroot()
        self.title = self.root.find(f"{SVG}title").text
        self.texts = [text.text or "" for text in self.root.iter(f"{SVG}text")]
        self.groups = [(group.findtext(f"{SVG}title", ""),
                        [box for box in group.iter(f"{SVG}rect") if box.get("class") != "h"])
                       for group in self.root.iter(f"{SVG}g")]
        self.hatched = {group.findtext(f"{SVG}title", "") for group in self.root.iter(f"{SVG}g")
                        if any(box.get("class") == "h" for box in group.iter(f"{SVG}rect"))}
        self.height = float(self.root.get("height"))

    def named(self, pattern):
        return [(title, boxes) for title, boxes in self.groups if re.match(pattern, title)]


def width_of(boxes):
    return sum(float(box.get("width")) for box in boxes)


class Plot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def plot(self, kind, *words):
        path = self.folder / f"{kind}.svg"
        done = support.run("plot", kind, *map(str, words), "-o", str(path))
        self.assertEqual((done.returncode, done.stdout), (OK, b""), done.stderr)
        return Picture(path)

    def assert_words(self, title, row):
        """The title's time and share are those of the table, to three digits."""
        words = re.fullmatch(r".*: (\S+ \w+) \((\S+) %\)", title)
        self.assertTrue(words, title)
        for shown, number in zip(span_of_words(words[1]), bounds(row, "mid_ns")):
            self.assertAlmostEqual(shown, number, delta=0.006 * row["mid_ns_upper"], msg=title)
        shown = float(words[2].strip("<").split("..")[-1])
        self.assertAlmostEqual(shown, 100 * row["share_upper"], delta=0.11, msg=title)


class Icicles(Plot):
    def assert_tree(self, picture, rows, name):
        """Each box has a row, its words and (where nothing is undecided) its width."""
        shown = {}
        for title, boxes in picture.named(r"(?!one run).*: .*%\)$"):
            shown.setdefault(title.rsplit(": ", 1)[0], []).append((title, boxes))
        found = 0
        for row in rows:
            named = row[name][0] if isinstance(row[name], list) else row[name]
            if not shown.get(named):
                continue
            title, boxes = shown[named].pop(0)
            self.assert_words(title, row)
            low, high = bounds(row, "share")
            drawn = width_of(boxes) / (WIDTH - 2 * MARGIN)
            self.assertGreaterEqual(drawn, low - 1e-3, title)
            self.assertLessEqual(drawn, high + 1e-3, title)
            if low != high:
                self.assertTrue(title in picture.hatched or high - low < 0.002, title)
            found += 1
        self.assertGreater(found, 3)
        self.assertFalse([left for left in shown.values() if left])

    def test_plot__modules_are_as_wide_as_their_share(self):
        for fixture in ("gpt_xnnpack", "conv_portable"):
            trace, options = model(fixture)
            picture = self.plot("icicle", trace, *options)
            rows = document("inspect", trace, *options, "--group-by", "module", "--sort",
                            "order")["rows"]
            self.assertEqual(picture.title, "Time by module")
            self.assert_tree(picture, [row for row in rows if row["method"]], "module")

    def test_plot__calls_are_as_wide_as_their_share(self):
        for fixture in ("gpt_xnnpack", "conv_portable"):
            trace, options = model(fixture)
            picture = self.plot("icicle", trace, *options, "--group-by", "call")
            rows = document("inspect", trace, *options, "--tree")["rows"]
            self.assertEqual(picture.title, "Time by call")
            self.assert_tree(picture, [row for row in rows if row["block_index"] == 1], "operator")

    def test_plot__the_guide_shows_what_is_drawn(self):
        trace, options = model("gpt_xnnpack")
        self.plot("icicle", trace, *options)
        shown = DATA.parent.parent / "docs" / "pictures" / "plot-icicle.svg"
        self.assertEqual((self.folder / "icicle.svg").read_text(), shown.read_text())

    def test_plot__without_a_record_calls_are_drawn(self):
        trace, _ = model("conv_portable")
        self.assertEqual(self.plot("icicle", trace, "--no-siblings").title, "Time by call")

    def test_plot__one_run_alone(self):
        trace, options = model("conv_portable")
        picture = self.plot("icicle", trace, *options, "--group-by", "call", "--run", 3)
        rows = document("inspect", trace, *options, "--tree", "--run", "3")["rows"]
        self.assert_tree(picture, [row for row in rows if row["block_index"] == 1], "operator")


class Runs(Plot):
    def test_plot__each_run_is_a_dot_at_its_time(self):
        trace, options = model("conv_portable")
        picture = self.plot("runs", trace, *options)
        rows = document("inspect", trace, "--group-by", "run")["rows"]
        times = {row["run"]: row["time_ns"] for row in rows}
        dots = {}
        for title, [box] in picture.named(r"run \d+: "):
            run, words = re.match(r"run (\d+): (\S+ \w+)", title).groups()
            self.assertAlmostEqual(span_of_words(words)[1], times[int(run)],
                                   delta=0.006 * times[int(run)])
            dots[int(run)] = float(box.get("y"))
        self.assertEqual(set(dots), set(times))
        # All lie on one scale.
        fastest, slowest = min(times, key=times.get), max(times, key=times.get)
        pixels = (dots[slowest] - dots[fastest]) / (times[slowest] - times[fastest])
        for run, time in times.items():
            place = dots[fastest] + pixels * (time - times[fastest])
            self.assertAlmostEqual(dots[run], place, delta=0.02)

    def test_plot__the_median_is_that_of_the_table(self):
        trace, options = model("conv_portable")
        tree = document("inspect", trace, *options, "--tree")["rows"]
        whole = next(row for row in tree if row["state"])
        [(median, _)] = self.plot("runs", trace, *options).named("median: ")
        self.assertAlmostEqual(span_of_words(median.split(": ")[1])[1], whole["p50_ns"],
                               delta=0.006 * whole["p50_ns"])


    def test_plot__warm_up_outliers_and_the_interval_are_those_of_the_table(self):
        times = [9000, 4000] + [1000 + 7 * (i * i % 11) for i in range(28)]
        times[17] = 2500
        trace = support.make_dump(self.folder / "runs.etdp", [
            ("Execute", [support.call("a.out", 0, 5, time - 5),
                         support.framework("Method::execute", 0, time)]) for time in times])
        for words in ([], ["--steady"]):
            tree = document("inspect", trace, "--tree", *words)["rows"]
            whole = next(row for row in tree if row["state"])
            self.assertEqual((whole["warm_up_runs"], whole["outlier_runs"]), (2, [17]))
            picture = self.plot("runs", trace, *words)
            titles = {title for title, _ in picture.groups}
            self.assertEqual({title for title in titles if "warm-up" in title},
                             {"run 0: 9 us, warm-up", "run 1: 4 us, warm-up"})
            self.assertEqual({title for title in titles if "outlier" in title},
                             {"run 17: 2.50 us, outlier"})
            boxes = {box.get("class"): box for box in picture.root.iter(f"{SVG}rect")}
            share = float(boxes["shade"].get("width")) / (WIDTH - 76 - MARGIN)
            self.assertAlmostEqual(share, 2 / 30, delta=1e-3)
            [(median, _)] = picture.named("median: ")
            words = re.fullmatch(r"median: (.*), 95 % confidence interval (.*)", median)
            self.assertAlmostEqual(span_of_words(words[1])[1], whole["p50_ns"], delta=6)
            low, high = span_of_words(words[2])
            self.assertAlmostEqual(low, whole["ci_low_ns"], delta=6)
            self.assertAlmostEqual(high, whole["ci_high_ns"], delta=6)
        self.assertIn("median of the steady runs", picture.texts)


class Timelines(Plot):
    def test_plot__calls_stand_where_they_ran(self):
        for fixture in ("gpt_xnnpack", "conv_portable"):
            trace, options = model(fixture)
            picture = self.plot("timeline", trace, *options)
            run = int(re.search(r"Run (\d+) of the trace", " ".join(picture.texts))[1])
            events = document("sql", "select e.name, o.name as operator, start_ticks, time "
                              "from events e join operators o on e.operator = o.id "
                              f"where run = {run} order by start_ticks", trace, *options)["rows"]
            whole = next(event for event in events if event["name"] == "Method::execute")
            pixels = (WIDTH - 2 * MARGIN) / whole["time"]
            began = whole["start_ticks"]
            drawn = picture.named(r"(?!\d+ narrower).*: .*")
            self.assertGreater(len(drawn), 3)
            for title, boxes in drawn:
                self.assertTrue(any(
                    abs(float(boxes[0].get("x")) - MARGIN - pixels * (event["start_ticks"] - began))
                    < 0.02 and abs(width_of(boxes) - pixels * event["time"]) < 0.02
                    for event in events), title)

    def test_plot__the_median_run_is_drawn_unless_one_is_named(self):
        trace, _ = model("conv_portable")
        rows = document("inspect", trace, "--group-by", "run")["rows"]
        times = sorted((row["time_ns"], row["run"]) for row in rows)
        shown = " ".join(self.plot("timeline", trace).texts)
        self.assertIn(f"Run {times[(len(times) - 1) // 2][1]} of the trace", shown)
        self.assertIn("Run 2 of the trace", " ".join(self.plot("timeline", trace, "--run", 2).texts))


    def test_plot__what_a_delegate_does_not_place_is_counted(self):
        """Its events have a clock of its own, which nothing ties to the trace's."""
        events = [support.by_number(0, 0, 10**9, 10**9 + 300),
                  support.by_number(1, 0, 10**9 + 300, 10**9 + 400),
                  support.call("DELEGATE_CALL", 0, 10, 900),
                  support.framework("Method::execute", 0, 1000)]
        trace = support.make_dump(self.folder / "own.etdp", [("Execute", events)] * 3)
        for kind in ("timeline", "icicle"):
            picture = self.plot(kind, trace)
            self.assertTrue(any("not drawn: 2 " in text for text in picture.texts), picture.texts)
            self.assertTrue(picture.named("DELEGATE_CALL: 890 ns"))


class Waterfalls(Plot):
    def sides(self):
        (before, first), (after, second) = model("gpt_portable"), model("gpt_xnnpack")
        second[::2] = [option + "-b" for option in second[::2]]
        return [before, after, *first, *second]

    def test_plot__steps_are_those_of_the_difference(self):
        rows = document("diff", *self.sides())["rows"]
        rows = [row for row in rows if row["method"] == "forward"]
        whole = next(row for row in rows if row["operator"] == "Method::execute")
        picture = self.plot("waterfall", *self.sides())
        steps = picture.named(r".* -> .*, [+-].*")
        parts = sorted((row for row in rows if row["depth"] == 1 and row["change_ns"]),
                       key=lambda row: -abs(row["change_ns"]))
        self.assertGreaterEqual(len(steps), 16)
        for (title, boxes), row in zip(steps, parts):
            self.assertIn(row["operator"], title)
            self.assertTrue(title.endswith(", " + row["verdict"]), title)
            # One scale for all, from 0.
            [(_, total)] = picture.named("before: ")
            pixels = width_of(total) / whole["before_ns"]
            self.assertAlmostEqual(width_of(boxes), max(abs(row["change_ns"]) * pixels, 1),
                                   delta=0.02)
        self.assertIn("differ by a factor of 9.95", picture.texts[0])

    def test_plot__other_programs_are_no_difference(self):
        done = support.run("plot", "waterfall", model("gpt_portable")[0], model("mlp_portable")[0],
                           "-o", self.folder / "x.svg")
        self.assertEqual(done.returncode, support.MISMATCH)
        self.assertFalse((self.folder / "x.svg").exists())


class OtherCommands(Plot):
    """Pictures that other commands write, too."""

    def assert_same(self, kind, words, *other):
        self.plot(kind, *words)
        path = self.folder / "other.svg"
        done = support.run(*other, path)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual((self.folder / f"{kind}.svg").read_bytes(), path.read_bytes())
        # Labels on boxes are dark in both themes, but no headline is.
        head = Picture(path).root.find(f"{SVG}g")
        self.assertEqual(head.get("class"), "head")
        self.assertIn(".head text{fill:currentColor}", path.read_text())

    def test_plot__memory_and_size(self):
        program = DATA / "gpt_xnnpack" / "model.pte"
        self.assert_same("memory", [program], "memory", program, "-o")
        self.assert_same("size", [program], "size", program, "-o")

    def test_plot__roofline(self):
        trace, options = model("gpt_portable")
        words = [trace, *options, "--machine", DATA / "machines" / "epyc.json", "--threads", 1]
        self.assert_same("roofline", words, "inspect", *words, "-o")

    def test_plot__error(self):
        folder = DATA / "gpt_xnnpack"
        words = [folder / "debug.etdp", "--etrecord", folder / "model.etrecord", "--debug-buffer",
                 folder / "debug.bin"]
        if support.run("gap", *words).returncode == support.UNAVAILABLE:
            self.skipTest("there is no engine")
        self.assert_same("error", words, "gap", *words, "--picture")


class Png(Plot):
    # Of svg_drawing.c and png_drawing.c, for light.
    COLOURS = {"frame": (216, 220, 226), "delegate": (163, 217, 177), "total": (91, 100, 112),
               "point": (47, 109, 181), "faster": (47, 109, 181), "kernel": (169, 203, 240)}

    def decode(self, path):
        """Width, height and the colours of pixels with their counts."""
        data, at, chunks = path.read_bytes(), 8, {}
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            body = data[at + 8:at + 8 + size]
            check = struct.unpack_from(">I", data, at + 8 + size)[0]
            self.assertEqual(zlib.crc32(kind + body), check)
            chunks[kind] = chunks.get(kind, b"") + body
            at += 12 + size
        self.assertEqual(list(chunks), [b"IHDR", b"PLTE", b"IDAT", b"IEND"])
        width, height = struct.unpack_from(">II", chunks[b"IHDR"])
        pixels = zlib.decompress(chunks[b"IDAT"])
        self.assertEqual(len(pixels), height * (width + 1))
        palette = chunks[b"PLTE"]
        colours = collections.Counter()
        for i in range(1, len(palette) // 3):
            colours[tuple(palette[3 * i:3 * i + 3])] += pixels.count(i)
        return width, height, colours

    def test_plot__a_png_has_the_shapes_of_the_svg(self):
        (before, first), (after, second) = model("conv_portable"), model("gpt_portable")
        for kind, words, classes in (
                ("icicle", [before, *first], ["frame", "kernel"]),
                ("timeline", [after, *second], ["frame", "kernel"]),
                ("runs", [before], ["point"]),
                ("waterfall", Waterfalls.sides(self), ["total", "faster"])):
            svg = self.plot(kind, *words)
            path = self.folder / f"{kind}.png"
            done = support.run("plot", kind, *words, "-o", path)
            self.assertEqual((done.returncode, done.stdout), (OK, b""), done.stderr)
            width, height, colours = self.decode(path)
            self.assertEqual(width, 2 * WIDTH)
            self.assertAlmostEqual(height, 2 * svg.height, delta=120)
            self.assertLess(path.stat().st_size, 40_000)
            for name in classes:
                area = sum(float(box.get("width")) * float(box.get("height"))
                           for box in svg.root.iter(f"{SVG}rect") if box.get("class") == name)
                # Letters cover some of a box, and neighbours are a pixel apart.
                self.assertAlmostEqual(colours[self.COLOURS[name]] / 4, area, delta=0.12 * area,
                                       msg=(kind, name))

    def test_plot__what_has_no_png_says_so(self):
        for kind, words in (("memory", [DATA / "gpt_xnnpack" / "model.pte"]),
                            ("error", [model("gpt_xnnpack")[0]])):
            done = support.run("plot", kind, *words, "-o", self.folder / "x.png")
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(f"plot {kind} writes .svg only", done.stderr.decode())


class HostileNames(Plot):
    NAMES = ["<script>alert(1)</script>", "</title><script>", "]]>&amp;\"'", "x" * 4000,
             "\u202eevil\u202c", "\033[2J\007", b"\xff\x9b", "<image href='http://x/'/>"]

    def setUp(self):
        super().setUp()
        events = [support.call(name, i, 1000 * i, 1000 * i + 900)
                  for i, name in enumerate(self.NAMES)]
        events.append(support.framework("Method::execute", 0, 1000 * len(self.NAMES)))
        self.trace = support.make_dump(self.folder / "hostile.etdp",
                                       [("<b>", events)] * 3)

    def test_plot__names_stay_text(self):
        for kind, words in (("icicle", [self.trace]), ("timeline", [self.trace]),
                            ("runs", [self.trace]),
                            ("waterfall", [self.trace, self.trace])):
            self.plot(kind, *words)
            text = (self.folder / f"{kind}.svg").read_text()
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
            picture = Picture(self.folder / f"{kind}.svg")
            elements = {element.tag.removeprefix(SVG) for element in picture.root.iter()}
            self.assertLessEqual(elements, {"svg", "style", "title", "defs", "pattern", "path",
                                            "rect", "text", "g"})
            self.assertLess(max(len(title) for title, _ in picture.groups), 400)
            self.assertLess(picture.height, 800)
            done = support.run("plot", kind, *words, "-o", self.folder / "x.png")
            self.assertEqual(done.returncode, OK, done.stderr)
        titles = [title for title, _ in self.plot("icicle", self.trace).groups]
        self.assertTrue(any(title.startswith("<script>alert(1)</script>: ") for title in titles))


class Mistakes(Plot):
    def complaint(self, *words, code=USAGE):
        done = support.run("plot", *map(str, words))
        self.assertEqual((done.returncode, done.stdout), (code, b""), done.stderr)
        return done.stderr.decode()

    def test_plot__words_that_are_off(self):
        trace, _ = model("conv_portable")
        self.assertIn("plot needs a picture", self.complaint())
        self.assertIn("did you mean icicle?", self.complaint("icycle", trace))
        self.assertIn("the pictures are icicle, runs", self.complaint("xyzzyx", trace))
        self.assertIn("plot needs TRACE", self.complaint("runs"))
        self.assertIn("unexpected argument", self.complaint("runs", trace, trace, "-o", "x.svg"))
        self.assertIn("needs a file to write", self.complaint("runs", trace))
        self.assertIn("ends in .svg or .png", self.complaint("runs", trace, "-o", self.folder / "x.pdf"))
        self.assertIn("--group-by does not change the picture runs",
                      self.complaint("runs", trace, "--group-by", "call", "-o", self.folder / "x.svg"))
        self.assertIn("--pixels takes", self.complaint("runs", trace, "--pixels", "99999", "-o",
                                                      self.folder / "x.svg"))

    def test_plot__a_failure_leaves_nothing(self):
        target = self.folder / "x.svg"
        damaged = self.folder / "damaged.etdp"
        damaged.write_bytes(pathlib.Path(model("conv_portable")[0]).read_bytes()[:500])
        self.complaint("runs", damaged, "-o", target, code=support.INPUT)
        self.complaint("icicle", DATA / "conv_portable" / "profile.etdp", "--block", "0", "-o",
                       target, code=support.INPUT)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["damaged.etdp"])
        self.complaint("runs", model("conv_portable")[0], "-o", self.folder / "none" / "x.svg",
                       code=support.INTERNAL)


if __name__ == "__main__":
    unittest.main()
