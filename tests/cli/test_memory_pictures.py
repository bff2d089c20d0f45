"""`etscope memory --map` and `-o FILE.svg`: plans as pictures."""

import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import support
from support import DATA, MODELS, OK, USAGE

SVG = "{http://www.w3.org/2000/svg}"


def memory(model, *words):
    return support.run("memory", DATA / model / "model.pte", "--no-siblings", *words)


class Map(unittest.TestCase):
    def test_map__letters_are_tensors(self):
        lines = memory("mlp_portable", "--map", "--width", "60").stdout.decode().splitlines()
        self.assertIn("2.4 KiB planned", lines[0])
        self.assertEqual(lines[2], "memory 1, 2.4 KiB; instructions 0 to 5")
        self.assertEqual(len([line for line in lines if " |" in line]), 16)
        self.assertEqual(lines[18].split("|")[1][:12], "AAAAAAAAAAAA")
        self.assertEqual(lines[19], "instruction 0     1     2     3     4     5")
        self.assertIn("peak", lines[21])
        self.assertEqual(lines[23], "A     2.0 KiB  value 5 (intermediate) aten::permute_copy.out")

    def test_map__fits_its_width(self):
        for width in (40, 80, 200):
            lines = memory("gpt_portable", "--map", "--width", str(width)).stdout.decode()
            drawn = [line for line in lines.splitlines() if " |" in line]
            self.assertEqual(len(drawn), 16)
            self.assertTrue(all(len(line) <= width for line in drawn), width)

    def test_map__explains_its_letters(self):
        lines = memory("gpt_portable", "--map").stdout.decode().splitlines()
        drawn = {cell for line in lines if " |" in line for cell in line.split("|")[1]}
        legend = {line[0] for line in lines if line[1:3] == "  " and line[0] != " "}
        self.assertIn("+", legend)
        self.assertLessEqual(drawn - {"."}, legend)

    def test_map__points_at_the_peak(self):
        for model in MODELS:
            for width in ("40", "80"):
                self.check_peaks(memory(model, "--map", "--width", width).stdout.decode())

    def check_peaks(self, text):
        lines = text.splitlines()
        for line in (line for line in lines if line.startswith("      peak  ")):
            above = lines[:lines.index(line)]
            steps = int([one for one in above if "; instructions 0 to " in one][-1].split()[-1]) + 1
            columns = len(above[-3].split("|")[1])
            peak = int(re.search(r"at instruction (\d+)", line)[1])
            column = line.index("^") - 12
            self.assertLess(column, columns, text)
            self.assertLessEqual(column * steps // columns, peak, text)
            self.assertGreaterEqual((column + 1) * steps // columns, peak, text)

    def test_map__numbers_of_instructions_stand_where_they_begin(self):
        for model in MODELS:
            for width in (40, 80, 200):
                lines = memory(model, "--map", "--width", str(width)).stdout.decode().splitlines()
                for i, line in enumerate(lines):
                    if not line.startswith("instruction "):
                        continue
                    columns = len(lines[i - 1].split("|")[1])
                    heading = [one for one in lines[:i] if "; instructions 0 to " in one][-1]
                    steps = int(heading.split()[-1]) + 1
                    numbers = list(re.finditer(r"\d+", line))
                    self.assertGreater(len(numbers), 1 if steps > 5 else 0)
                    self.assertLessEqual(len(line), 12 + columns)
                    for number in numbers:
                        column = number.start() - 12
                        self.assertGreaterEqual(column * steps // columns, int(number[0]))
                        self.assertLess((column - 1) * steps // columns, int(number[0]))

    def test_map__draws_each_method(self):
        text = memory("multi_method", "--map").stdout.decode()
        for method in ("forward", "encode", "decode"):
            self.assertIn(f"{method}: ", text)


class Picture(unittest.TestCase):
    def draw(self, model, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.svg"
            done = memory(model, "-o", path, *words)
            self.assertEqual(done.returncode, OK, done.stderr)
            return ElementTree.fromstring(path.read_bytes())

    def test_picture__each_tensor_is_a_box_with_a_title(self):
        picture = self.draw("mlp_portable")
        titles = [title.text for title in picture.iter(SVG + "title")]
        self.assertIn("value 9 (intermediate): 256 B at 2048, instructions 1 to 2, aten::addmm.out",
                      titles)
        self.assertEqual(len(list(picture.iter(SVG + "g"))), len(titles) - 1)

    def test_picture__axes_have_instruction_numbers(self):
        for model, last in ("mlp_portable", 5), ("gpt_portable", 100):
            shown = [text.text for text in self.draw(model).iter(SVG + "text")]
            apart = 1 if last == 5 else 20
            for step in range(0, last + 1, apart):
                self.assertGreaterEqual(shown.count(str(step)), 2, step)

    def test_picture__its_headline_has_a_title(self):
        titles = [title.text for title in self.draw("gpt_portable").iter(SVG + "title")]
        said = memory("gpt_portable").stdout.decode().splitlines()[0]
        self.assertEqual(titles[1], said)

    def test_picture__every_program(self):
        for model in MODELS:
            if model == "multi_method":
                continue
            self.assertEqual(self.draw(model).tag, SVG + "svg", model)

    def test_picture__is_of_one_method(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.svg"
            done = memory("multi_method", "-o", path)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(b"--method", done.stderr)
            self.assertFalse(path.exists())
        self.assertEqual(self.draw("multi_method", "--method", "encode").tag, SVG + "svg")


class Ignored(unittest.TestCase):
    def refuse(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            words = [word.replace("FOLDER", folder) for word in words]
            done = memory("mlp_portable", *words)
            self.assertEqual((done.returncode, done.stdout), (USAGE, b""), words)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [], words)
            return done.stderr.decode()

    def test_map__refuses_what_it_would_ignore(self):
        for words in (["--all"], ["--sort", "size"], ["--top", "3"], ["-c", "size"],
                      ["-f", "json"]):
            self.assertIn("does not change the text of --map", self.refuse("--map", *words))

    def test_picture__refuses_what_it_would_ignore(self):
        for words in (["--map"], ["--what-if"], ["--steps"], ["--all"], ["--at", "2"],
                      ["-f", "json"], ["-n", "3"], ["--sort", "size"], ["--width", "40"]):
            self.assertIn("does not change the picture",
                          self.refuse("-o", "FOLDER/a.svg", *words))

    def test_picture__is_svg(self):
        for ending in ("png", "PNG", "pdf", "jpeg"):
            self.assertIn("only .svg", self.refuse("-o", f"FOLDER/a.{ending}"))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "A.SVG"
            self.assertEqual(memory("mlp_portable", "-o", path).returncode, OK)
            self.assertEqual(ElementTree.parse(path).getroot().tag, SVG + "svg")

    def test_memory__takes_one_program(self):
        self.assertIn("memory takes one program, not 2",
                      self.refuse(str(DATA / "gpt_portable" / "model.pte")))


if __name__ == "__main__":
    unittest.main()
