"""Packs exports of versions of ExecuTorch, and writes what etscope is expected to read of them.

    ETSCOPE=build/bin/etscope python3 tests/data/versions/make.py [EXPORTS]

EXPORTS has a folder for each version to add or replace, "1.6.0", with what tools/export_versions.py made.
Runs their programs and packs each folder. Writes expected.json of all archives: the facts of
tests/cli/version_facts.py of the newest version, and of each other one those that differ.
"""

import io
import json
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "cli")]
import version_facts  # noqa: E402


def stored(record):
    """The same zip, not deflated, as torch writes it: xz then packs what records have in common."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(record)) as source, zipfile.ZipFile(packed, "w") as target:
        for name in source.namelist():
            target.writestr(zipfile.ZipInfo(name), source.read(name))
    return packed.getvalue()


def pack(folder, archive):
    with tarfile.open(archive, "w:xz", preset=9) as packed:
        for path in sorted(folder.iterdir()):
            info = tarfile.TarInfo(path.name)
            data = path.read_bytes()
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))


def prepared(source, folder):
    """Copies the exports, and runs them."""
    for path in source.iterdir():
        if path.suffix in (".pte", ".bpte", ".etrecord") or path.name.endswith((".own.etdp", ".json")):
            data = path.read_bytes()
            is_record = path.suffix == ".etrecord"
            (folder / path.name).write_bytes(stored(data) if is_record else data)
    version_facts.record_traces(folder)


def order(version):
    return tuple(map(int, version.split(".")))


def add(source):
    with tempfile.TemporaryDirectory() as name:
        prepared(source, Path(name))
        pack(Path(name), FOLDER / f"{source.name}.tar.xz")


def packed_facts(version):
    with tempfile.TemporaryDirectory() as name, tarfile.open(FOLDER / f"{version}.tar.xz") as packed:
        packed.extractall(name)
        return version_facts.facts(Path(name))


def main():
    for source in map(Path, sys.argv[1:]):
        for folder in source.iterdir():
            add(folder)
    versions = sorted((path.name.removesuffix(".tar.xz") for path in FOLDER.glob("*.tar.xz")),
                      key=order, reverse=True)
    found = {version: packed_facts(version) for version in versions}
    base = found[versions[0]]
    expected = {version: facts if facts is base else version_facts.differing(facts, base)
                for version, facts in found.items()}
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
