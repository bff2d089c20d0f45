"""`etscope inspect --machine FILE -o FILE.svg`: operators below the roofs of a machine."""

import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import support
from support import DATA, INPUT, OK, USAGE

SVG = "{http://www.w3.org/2000/svg}"
MACHINE = DATA / "machines" / "epyc.json"


def inspect(model, path, *words):
    folder = DATA / model
    return support.run("inspect", folder / "profile.etdp", "--etrecord", folder / "model.etrecord",
                       "--program", folder / "model.pte", "-o", path, *words)


class Roofline(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "roofline.svg"

    def test_roofline__operators_are_dots_with_titles(self):
        done = inspect("gpt_portable", self.path, "--machine", MACHINE, "--threads", 1)
        self.assertEqual(done.returncode, OK, done.stderr)
        picture = ElementTree.fromstring(self.path.read_bytes())
        titles = [title.text for title in picture.iter(SVG + "title")][2:]
        self.assertTrue(any(title.startswith("addmm.out, instruction ") for title in titles))
        self.assertTrue(all(" % of the roof (" in title for title in titles), titles)
        texts = [text.text for text in picture.iter(SVG + "text")]
        self.assertIn("float32 240 G/s", texts)
        self.assertIn("below the roof", texts)

    def test_roofline__the_guide_shows_what_is_drawn(self):
        done = inspect("gpt_portable", self.path, "--machine", MACHINE, "--threads", 1)
        self.assertEqual(done.returncode, OK, done.stderr)
        shown = DATA.parent.parent / "docs" / "pictures" / "roofline.svg"
        self.assertEqual(self.path.read_text(), shown.read_text())

    def test_roofline__needs_a_machine(self):
        done = inspect("gpt_portable", self.path)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"--machine FILE", done.stderr)
        self.assertFalse(self.path.exists())

    def test_roofline__threads_without_roofs_draw_no_dots(self):
        done = inspect("gpt_portable", self.path, "--machine", MACHINE, "--threads", 64)
        self.assertIn(done.returncode, (OK, USAGE, INPUT), done.stderr)
        if done.returncode == OK:
            picture = ElementTree.fromstring(self.path.read_bytes())
            self.assertEqual(len(list(picture.iter(SVG + "title"))), 1)


if __name__ == "__main__":
    unittest.main()
