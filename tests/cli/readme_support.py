"""Commands that stand in the documents, a folder to run them in, and outputs made comparable."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tarfile
import tempfile
from pathlib import Path

import run_support as support
import target_support
from language_support import write_tokenizers

COMMAND = re.compile(r"^(?P<prompt>\$ )?(?P<line>(?:build/bin/)?etscope .*)$")


def blocks_of(text):
    """Code blocks of a Markdown text: fenced ones for a shell or without a language, indented."""
    fenced = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    for language, block in fenced.findall(text):
        if language in ("", "console", "sh", "shell", "text"):
            yield block.splitlines()
    indented = []
    for paragraph in [*re.split(r"\n(?:[ \t]*\n)+", fenced.sub("\n", text)), ""]:
        lines = paragraph.strip("\n").splitlines()
        if lines and all(line.startswith("    ") for line in lines):
            indented += ["", *(line[4:] for line in lines)]  # a block goes on behind empty lines
        elif indented:
            yield indented[1:]
            indented = []


def commands_of(text):
    """Pairs: a command line, and the output lines below it; none where no output is shown."""
    for lines in blocks_of(text):
        command, expected = None, []
        for line in [*lines, "$ etscope "]:
            match = COMMAND.match(line)
            if not match:
                expected.append(line)
                continue
            if command:
                shows = command["prompt"] or command["line"].startswith("build/")
                yield command["line"], trimmed(expected) if shows else []
            command, expected = match, []


def headings_of(text):
    """The anchors of a Markdown text's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S),
                              re.MULTILINE):
        found.add(re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-"))
    return found


def trimmed(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def write_browser(folder):
    """A stand-in of the user's browser, which gets what it shall show; and of the page that reads files."""
    folder.mkdir()
    for name in ("xdg-open", "open"):
        program = folder / name
        program.write_text(f"#!{sys.executable}\nimport sys, urllib.request\nurllib.request.urlopen(sys.argv[1]).read()\n")
        program.chmod(0o755)
    support.write_opened_page(folder)
    return folder


class Sandbox:
    """A folder with the files that documents name, and etscope on the path of its shell."""

    FILES = {
        "weights.ptd": "../ptd/external.ptd",
        "model.pte": "model.pte", "model.bpte": "model.bpte", "model.etrecord": "model.etrecord",
        "trace.etdp": "profile.etdp", "profile.etdp": "profile.etdp", "debug.etdp": "debug.etdp",
        "debug.bin": "debug.bin", "image.npy": "inputs/forward.0.0.npy",
        "x.npy": "inputs/forward.0.0.npy",
        "before.etdp": "profile.etdp", "after.etdp": "profile.etdp",
        "counted.etdump": "../memory/counted.etdp",
        "before.pte": "model.pte", "after.pte": "model.pte",
        "b1.etdp": "profile.etdp", "b2.etdp": "profile.etdp", "b3.etdp": "profile.etdp",
        "a1.etdp": "profile.etdp", "a2.etdp": "profile.etdp", "a3.etdp": "profile.etdp",
        "monday.etdp": "profile.etdp", "tuesday.etdp": "profile.etdp",
        "int8.pte": "../quantized/int8.pte", "int8.etrecord": "../quantized/int8.etrecord",
        "float.etrecord": "../quantized/float.etrecord",
        "portable.etdp": "profile.etdp", "portable.etrecord": "model.etrecord",
        "xnnpack.etdp": "../mlp_xnnpack/profile.etdp",
        "xnnpack.etrecord": "../mlp_xnnpack/model.etrecord", "xnnpack.pte": "../mlp_xnnpack/model.pte",
        "gpt.pte": "../gpt_portable/model.pte", "unused.pte": "../unused_constant/table.pte",
        "machine.json": "../machines/epyc.json",
        "ort.json": "../exchange/onnxruntime_sequential.json",
        "litert.csv": "../exchange/litert_benchmark.csv",
        "pytorch.json": "../exchange/pytorch_stack.json",
    }

    LANGUAGE_MODELS = {"llm.pte": "cached.pte", "speech.pte": "speech.pte", "float.pte": "cached.pte",
                       "llm_4bit.pte": "rounded.pte"}
    LAYERS = {"llm_8da4w.pte": "4bit.pte", "llm_8da4w.etrecord": "4bit.etrecord", "llm_float.etrecord": "float.etrecord"}

    def __enter__(self):
        self.owner = tempfile.TemporaryDirectory()
        self.folder = Path(self.owner.name)
        for name, source in self.FILES.items():
            shutil.copy(support.DATA / "mlp_portable" / source, self.folder / name)
        shutil.copy(support.DATA / "captures" / "uart.log", self.folder)
        for kind, models in (("generate", self.LANGUAGE_MODELS), ("quality", self.LAYERS)):
            with tarfile.open(support.DATA / kind / "models.tar.xz") as archive:
                for name, source in models.items():
                    (self.folder / name).write_bytes(archive.extractfile(source).read())
        for position, tokens in ((0, [3, 17, 9, 4]), (4, [50])):  # steps of a generation
            support.write_npy(self.folder / f"tokens{position}.npy", "<i8", (1, len(tokens)), tokens)
            support.write_npy(self.folder / f"position{position}.npy", "<i8", (1,), [position])
        (self.folder / "prompt.txt").write_text("3 17 9 4 50 11 7 42\n")
        (self.folder / "tokenizer.json").write_text("{}")
        self.modules = write_tokenizers(self.folder / "modules")
        (self.folder / "text.txt").write_text(" ".join(str((7 * i * i + 3 * i + 1) % 64) for i in range(24)))
        image = (self.folder / "image.npy").read_bytes()
        (self.folder / "image.bin").write_bytes(image[10 + int.from_bytes(image[8:10], "little"):])
        (self.folder / "budget.txt").write_text("total p50 <= +5%\n")
        support.write_npy(self.folder / "y.npy", "<f4", (2, 4), [0.25] * 8)  # of the output's shape
        for folder in ("before", "after", "base", "new"):  # of recordings
            (self.folder / folder).mkdir()
            shutil.copy(self.folder / "profile.etdp", self.folder / folder / "1.etdp")
        for folder in ("examples", "tests"):
            (self.folder / folder).symlink_to(support.ROOT / folder)
        (self.folder / "build" / "bin").mkdir(parents=True)
        (self.folder / "build" / "bin" / "etscope").symlink_to(support.ETSCOPE)
        backend = Path(support.ETSCOPE).parent.parent / "lib" / "libdemo_backend.so"
        (self.folder / backend.name).symlink_to(backend)
        for home in (".local/share/bash-completion/completions",):
            (self.folder / home).mkdir(parents=True)
        self.browsers = write_browser(self.folder / ".browser")
        return self

    def __exit__(self, *_):
        self.owner.cleanup()

    def device(self):
        """A stand-in of another machine, with a bundle."""
        folder = self.folder / ".device"
        if not folder.exists():
            folder.mkdir()
            target_support.write_stand_ins(folder)
        bundles = target_support.own_bundles() if target_support.has_engine() else folder
        own = self.folder / "build" / "engines" / "board"
        for bundle in () if own.exists() else bundles.glob("*.tar"):
            with tarfile.open(bundle) as tar:
                tar.extractall(own)
        return target_support.environment(folder, folder, bundles)

    def shell(self, line):
        """Runs one line; standard error comes with standard output, as on a terminal."""
        path = os.pathsep.join([os.path.dirname(support.ETSCOPE), str(self.browsers), os.environ.get("PATH", "")])
        environment = {**os.environ, "PATH": path, "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                       "ETSCOPE_PAGE": str(self.browsers / "page.html"),
                       "PYTHONPATH": os.pathsep.join([str(self.modules), os.environ.get("PYTHONPATH", "")])}
        environment.pop("COLUMNS", None)
        if "--target" in line:
            environment.update(self.device())
        return subprocess.run(["sh", "-c", line], cwd=self.folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                              check=False)


# A measured number: 12.345, <1, 3..4, 1,000, 0.8..1.7%, 14.8; not #3, file.py:21, +8, float32.
NUMBER = re.compile(r"(?<![\w#:/+.\-])[<~]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"
                    r"(?:\.\.\d[\d,]*(?:\.\d+)?)?%?(?![\w.])")
DRIFT = re.compile(r" over time(: the last third takes| in N of N recordings)")
UNIT = re.compile(r"\b(avg|p50|min|max|p10|p90|total|N) (ns|us|ms|s)\b")


def normal(line):
    """The words of a line, its numbers, units and column widths taken out."""
    line = re.sub(r"^[|\s-]+$", "", line)
    return UNIT.sub(r"\1", re.sub(r"\s+", " ", NUMBER.sub("N", line))).strip()


def alike(wanted, found):
    """Whether two normal lines agree, as far as neither was cut to fit the screen."""
    cut = min((at for at in (wanted.find("…"), found.find("…")) if at >= 0), default=None)
    return wanted == found if cut is None else wanted[:cut] == found[:cut]


def difference(command, expected, output):
    """What the documents show and the command does not print, or None. "..." is any lines."""
    found = [normal(line) for line in output.splitlines()]
    wanted = [normal(line) for line in expected]
    if not any(line.startswith("note: ") for line in wanted):
        found = [line for line in found if not line.startswith("note: ")]
    if not any(DRIFT.search(line) for line in wanted):  # a machine with other work on it
        found = [line for line in found if not DRIFT.search(line)]
    found, wanted = [line for line in found if line], [line for line in wanted if line]
    if "--top" in command or " -n " in command:
        found, wanted = found[:2], wanted[:2]  # which lines are the first may change
    elif "--sort" in command or "--group-by" in command or " -g " in command:
        found, wanted = sorted(found), sorted(wanted)
    at, skipping = 0, False
    for line in wanted:
        if line == "...":
            skipping = True
            continue
        while skipping and at < len(found) and not alike(line, found[at]):
            at += 1
        if at == len(found):
            return f"not printed: {line}"
        if not alike(line, found[at]):
            return f"shown:   {line}\nprinted: {found[at]}"
        at, skipping = at + 1, False
    return None if skipping or at == len(found) else f"not shown: {found[at]}"
