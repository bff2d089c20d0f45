"""Packs etscope, its engine and all libraries that they need, for machines of one processor.

    python3 tools/make_bundle.py PREFIX OUTPUT.tar [--libraries FOLDER ...] [--readelf PROGRAM]

PREFIX is what `cmake --install` wrote. Libraries of the system are looked for in FOLDERs, in order;
the bundle has its own loader and C library, so that it runs wherever the kernel is new enough. `start`
in it is the program. The same files make the same bytes.
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


def dynamic(path, readelf):
    """(names of needed libraries, the loader or None) of an ELF file."""
    done = subprocess.run([readelf, "-dl", "-W", path], capture_output=True, text=True, check=True)
    loader = re.search(r"interpreter: ([^\]]+)\]", done.stdout)
    return re.findall(r"\(NEEDED\).*\[(.+)\]", done.stdout), loader and pathlib.Path(loader[1]).name


def find(name, folders):
    for folder in folders:
        if (folder / name).exists():
            return folder / name
    sys.exit(f"make_bundle: {name} is in none of {', '.join(map(str, folders))}")


def collect(prefix, folders, readelf):
    """{name in the bundle: file}, and the name of the loader."""
    own = prefix / "lib" / "etscope"
    files = {"etscope": prefix / "bin" / "etscope"}
    files.update((path.name, path) for path in sorted(own.glob("*.so")))
    if not (own / "libetscope_engine.so").exists():
        sys.exit(f"make_bundle: no engine in {own}: `make engine` builds it")
    _, loader = dynamic(files["etscope"], readelf)
    wanted = [loader, "libz.so.1"]
    for path in list(files.values()):
        wanted += dynamic(path, readelf)[0]
    while wanted:
        name = wanted.pop()
        if name in files:
            continue
        files[name] = find(name, folders)
        wanted += dynamic(files[name], readelf)[0]
    return files, loader


def add(tar, name, data, mode):
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), mode
    tar.addfile(info, io.BytesIO(data))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--libraries", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--readelf", default="readelf")
    options = parser.parse_args()
    if shutil.which(options.readelf) is None:
        sys.exit(f"make_bundle: {options.readelf} is missing (Debian: binutils)")
    files, loader = collect(options.prefix, options.libraries, options.readelf)
    part = options.output.with_suffix(".part")
    with tarfile.open(part, "w", format=tarfile.USTAR_FORMAT) as tar:
        add(tar, "start", START.format(loader=loader).encode(), 0o755)
        for name in sorted(files):
            add(tar, name, files[name].read_bytes(), 0o755)
    part.replace(options.output)
    print(f"{options.output}: {len(files) + 1} files, {options.output.stat().st_size >> 20} MiB")


if __name__ == "__main__":
    main()
