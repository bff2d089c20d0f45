"""Packs etscope, its engine and all libraries that they need, for machines of one processor.

    python3 tools/make_bundle.py PREFIX OUTPUT [--libraries FOLDER ...] [--system] [--readelf PROGRAM]

PREFIX is what `cmake --install` wrote; OUTPUT is a .tar, or a new folder. Libraries are looked for in
FOLDERs, in order; the bundle has its own loader and C library, so that it runs wherever the kernel is
new enough. With --system, what is in no FOLDER is the target system's: Android's loader and C
library, for example. `start` in it is the program. The same files make the same bytes.
"""

import argparse
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

START = """#!/bin/sh
B=${{0%/*}}
exec "$B/{loader}" --library-path "$B" "$B/etscope" "$@"
"""
SYSTEM_START = """#!/bin/sh
B=${0%/*}
LD_LIBRARY_PATH=$B${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$B/etscope" "$@"
"""


def dynamic(path, readelf):
    """(names of needed libraries, the loader or None) of an ELF file."""
    done = subprocess.run([readelf, "-dl", "-W", path], capture_output=True, text=True, check=True)
    loader = re.search(r"interpreter: ([^\]]+)\]", done.stdout)
    return re.findall(r"\(NEEDED\).*\[(.+)\]", done.stdout), loader and pathlib.Path(loader[1]).name


def find(name, folders, is_systems):
    for folder in folders:
        if (folder / name).exists():
            return folder / name
    if is_systems:
        return None
    sys.exit(f"make_bundle: {name} is in none of {', '.join(map(str, folders))}")


def collect(prefix, folders, readelf, is_systems):
    """{name in the bundle: file}, the name of the loader, and what is the target system's."""
    own = prefix / "lib" / "etscope"
    files = {"etscope": prefix / "bin" / "etscope"}
    files.update((path.name, path) for path in sorted(own.glob("*.so")))
    if not (own / "libetscope_engine.so").exists():
        sys.exit(f"make_bundle: no engine in {own}: `make engine` builds it")
    _, loader = dynamic(files["etscope"], readelf)
    wanted = [loader] if is_systems else [loader, "libz.so.1"]
    left = set()
    for path in list(files.values()):
        wanted += dynamic(path, readelf)[0]
    while wanted:
        name = wanted.pop()
        if name in files or name in left:
            continue
        path = find(name, folders, is_systems)
        if path is None:
            left.add(name)
            continue
        files[name] = path
        wanted += dynamic(path, readelf)[0]
    return files, loader, left


def add(tar, name, data, mode):
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), mode
    tar.addfile(info, io.BytesIO(data))


def write_tar(output, files):
    part = output.with_suffix(".part")
    with tarfile.open(part, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files.items():
            add(tar, name, data, 0o755)
    part.replace(output)


def write_folder(output, files):
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    for name, data in files.items():
        (output / name).write_bytes(data)
        (output / name).chmod(0o755)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--libraries", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--system", action="store_true")
    parser.add_argument("--readelf", default="readelf")
    options = parser.parse_args()
    if shutil.which(options.readelf) is None:
        sys.exit(f"make_bundle: {options.readelf} is missing (Debian: binutils)")
    files, loader, left = collect(options.prefix, options.libraries, options.readelf, options.system)
    start = SYSTEM_START if loader in left else START.format(loader=loader)
    write = write_tar if options.output.suffix == ".tar" else write_folder
    contents = {"start": start.encode(), **{name: files[name].read_bytes() for name in sorted(files)}}
    write(options.output, contents)
    print(f"{options.output}: {len(contents)} files, {sum(map(len, contents.values())) >> 20} MiB"
          + (f"; the target system has {', '.join(sorted(left))}" if left else ""))  # fmt: skip


if __name__ == "__main__":
    main()
