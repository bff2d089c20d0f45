"""What tests of language models share: the programs of tests/data/generate, and how they are refused."""

import tarfile
import tempfile
from pathlib import Path

import run_support as support
from support import FolderTest

OWNER = tempfile.TemporaryDirectory()
MODELS = Path(OWNER.name)


def setUpModule():
    with tarfile.open(support.DATA / "generate" / "models.tar.xz") as archive:
        archive.extractall(MODELS)


def tearDownModule():
    OWNER.cleanup()


class LanguageTest(FolderTest):
    def call(self, code, *words):
        """Runs the command; skips the test where there is no engine."""
        done = support.call(*words)
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def only_error(self, done):
        self.assertEqual(done.stdout, "")
        errors = [line for line in done.stderr.splitlines() if line.startswith("etscope: ")]
        self.assertEqual(len(errors), 1, done.stderr)
        return errors[0]


def program(model):
    return model if isinstance(model, Path) else MODELS / f"{model}.pte"


# A stub of pytorch-tokenizers, whose letters are numbers: a is 1.
TOKENIZERS = """
import os
def get_tokenizer(path, config):
    if not os.path.exists(path):
        raise ValueError('no such\\nfile')
    return Stub(config)
class Stub:
    def __init__(self, config):
        self.first = 2 if config else 1
    def encode(self, text, bos, eos):
        print('a warning')
        assert bos and not eos
        return [self.first, *(ord(letter) - 96 for letter in text)]
    def decode(self, tokens):
        return ''.join('\\n' if token == 62 else chr(96 + token) for token in tokens)
"""


def write_tokenizers(folder):
    """A folder for PYTHONPATH."""
    folder.mkdir()
    (folder / "pytorch_tokenizers.py").write_text(TOKENIZERS)
    return folder
