"""A trace and an ETRecord whose names would harm a page that does not show them as text.

    hostile_files.write(FOLDER)

writes names.etdp, whose operators have such names, and profile.etdp with model.etrecord, whose
module paths, files and lines of source do.
"""

import json
import pathlib
import shutil
import sys
import zipfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "cli"))

from support import call, fixture, framework, make_dump, replace_entries  # noqa: E402

MODEL = "mlp_portable"
GRAPH = "edge_dialect_exported_program/forward"
EVIL = ("</script><script>document.title=1</script><img src=x onerror=document.title=2></template>"
        "</style><!--\u202eright\u2066\u0007\u0085\u200b&amp__proto__'`${1}")
LONG = EVIL + "x" * 10000 + EVIL
DEEP = LONG + ".m" * 5000


def write_trace(path):
    names = [EVIL, LONG[-4000:], "constructor", "</main>", "\u202e"]
    make_dump(path, [(EVIL, [framework("Method::execute", 1000 * run, 1000 * run + 900)] +
                      [call(name, i, 1000 * run + 100 * i, 1000 * run + 100 * i + 50 + run)
                       for i, name in enumerate(names)]) for run in range(9)])


def write_record(path):
    def change(text):
        for old, new in (("models/zoo.py", EVIL), ("return torch.softmax", LONG),
                         (",l1,", f",{DEEP},"), (",l2,", f",{EVIL},")):
            assert old in text, old
            text = text.replace(old, json.dumps(new)[1:-1])
        return text

    record = fixture(MODEL, "model.etrecord")
    with zipfile.ZipFile(record) as source:
        changed = change(source.read(GRAPH).decode()).encode()
    replace_entries(record, path, {GRAPH: changed})


def write(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_trace(folder / "names.etdp")
    write_record(folder / "model.etrecord")
    shutil.copy(fixture(MODEL, "profile.etdp"), folder / "profile.etdp")
    return folder


if __name__ == "__main__":
    write(sys.argv[1])
