#!/usr/bin/env python3
"""Makes all files of a release in build/release/dist, and checks each as its users will have it.

    tools/make_release.py [--check-only]

`make release` runs it after setup and build. Nothing is uploaded. The version is that of CMakeLists.txt.
Files are made anew; what compilers made is kept. Ends with the list of files, their sizes and SHA256SUMS.
"""

import argparse
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile

import check_release
import make_sbom
import release_recipes
from make_wheel import ROOT, version

RELEASE = ROOT / "build" / "release"
DIST = RELEASE / "dist"
PROCESSORS = ("x86_64", "aarch64")
WINDOWS = ROOT / "build-windows"
PAGE = ROOT / "build-wasm" / "etscope.html"
NOTICES = ("LICENSE", "NOTICE", "README.md", "CHANGELOG.md")


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(*command, **options):
    subprocess.run([str(each) for each in command], check=True, cwd=ROOT, **options)


def quietly(label, name, *command):
    run("tools/quiet.sh", label, RELEASE / f"{name}.log", *command)


def notes():
    """The section of CHANGELOG.md for this version; what is unreleased, as long as there is none."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for heading in (re.escape(f"[{version()}]"), r"\[Unreleased\]"):
        found = re.search(rf"^## {heading}.*?\n(.*?)(?=^## |\Z)", text, re.M | re.S)
        if found and found[1].strip():
            if "Unreleased" in heading:
                say(f"CHANGELOG.md has no section [{version()}]: the notes are those of [Unreleased]")
            return f"# etscope {version()}\n\n{found[1].strip()}\n"
    sys.exit(f"make_release: CHANGELOG.md says nothing of {version()}")


def make_sdist():
    """Of the files that git has: what else lies in the checkout is no part of a release."""
    changed = subprocess.run(["git", "status", "--porcelain"], check=True, cwd=ROOT, capture_output=True, text=True).stdout
    if changed:
        say(f"{len(changed.splitlines())} files differ from the commit; the source archive has the commit's")
    source = RELEASE / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    run("git", "archive", "--output", RELEASE / "source.tar", "HEAD")
    run("tar", "xf", RELEASE / "source.tar", "-C", source)
    script = ("import os, sys; os.chdir(sys.argv[1]); from scikit_build_core.build import build_sdist; "
              "print(build_sdist(sys.argv[2]))")
    quietly("packing the source", "sdist", RELEASE / "venv/bin/python", "-c", script, source, DIST)
    shutil.rmtree(source)


def make_wheels():
    run("tools/make_wheels.sh", stdout=subprocess.DEVNULL)
    for wheel in (RELEASE / "wheels").glob(f"*-{version()}-*.whl"):
        shutil.copy(wheel, DIST)


def documents():
    """{name in an archive: file} of what comes beside a program."""
    files = {name: ROOT / name for name in NOTICES}
    if PAGE.exists():
        files["etscope.html"] = PAGE  # where `etscope open` finds it
    files.update({f"man/{path.name}": path for path in sorted((ROOT / "docs/man").glob("*.1"))})
    files.update({f"completions/{path.name}": path for path in sorted((ROOT / "docs/completions").iterdir())})
    return files


def pack(name, files):
    """A .tar.gz in which all is in one folder; the same files make the same bytes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for inner, path in sorted(files.items()):
            data = path.read_bytes()
            info = tarfile.TarInfo(f"{name}/{inner}")
            info.size, info.mode = len(data), 0o755 if inner == "etscope" else 0o644
            tar.addfile(info, io.BytesIO(data))
    (DIST / f"{name}.tar.gz").write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))


def make_static_programs():
    """The readers, for any Linux: musl has no dlopen in them, so they neither run programs nor query SQL."""
    for processor in PROCESSORS:
        target = f"{processor}-linux-musl"
        run("tools/release_build.sh", RELEASE / target, "--toolchain", ROOT / "cmake/toolchains/zig.cmake",
            f"-DETS_ZIG_TARGET={target}", "-DEXECUTORCH_ROOT=", "--", "etscope")  # fmt: skip
        pack(f"etscope-{version()}-linux-{processor}-static",
             {"etscope": RELEASE / target / "bin/etscope", **documents()})  # fmt: skip


def take_windows_program():
    """What `make windows` built, if it was: an archive, and a wheel."""
    if not (WINDOWS / "bin/etscope.exe").exists():
        say("the program for Windows is left out: `make windows` builds it")
        return
    run(RELEASE / "venv/bin/python", "tools/make_wheel.py", "etscope", WINDOWS, "--platform", "win_amd64",
        "--output", DIST, stdout=subprocess.DEVNULL)  # fmt: skip
    name = f"etscope-{version()}-windows-x86_64"
    files = {each: WINDOWS / "bin" / each for each in ("etscope.exe", "libetscope.dll", "sqlite3.dll")}
    with zipfile.ZipFile(DIST / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as made:
        for inner, path in sorted({**files, **documents()}.items()):
            info = zipfile.ZipInfo(f"{name}/{inner}", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(info, path.read_bytes())


def take_page():
    """What `make page` built, if it was: one file."""
    if not PAGE.exists():
        say("the page that reads files is left out: `make page` builds it")
        return
    shutil.copy(PAGE, DIST / f"etscope-{version()}.html")


def make_debian_package():
    shutil.rmtree(ROOT / "build/packages", ignore_errors=True)
    quietly("packing the Debian package", "cpack", "sh", "-c", "cd build && exec cpack -G DEB")
    (made,) = (ROOT / "build/packages").glob("*.deb")
    shutil.copy(made, DIST)


def make_bundles():
    for processor in PROCESSORS if os.uname().machine == "x86_64" else (os.uname().machine,):
        run("tools/bundle.sh", processor, stdout=subprocess.DEVNULL)
        shutil.copy(ROOT / f"build/bundles/etscope-bundle-{processor}.tar", DIST)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def finish():
    """What is derived from the files that are there: list of materials, recipes, digests."""
    (DIST / f"etscope-{version()}.spdx.json").write_text(make_sbom.document(DIST, version()), encoding="utf-8")
    for name, text in release_recipes.recipes(DIST, version()).items():
        (DIST / name).write_text(text, encoding="utf-8")
    lines = [f"{digest(path)}  {path.name}\n" for path in sorted(DIST.iterdir())]
    (DIST / "SHA256SUMS").write_text("".join(lines))


STEPS = (make_sdist, make_wheels, make_static_programs, take_windows_program, take_page, make_debian_package, make_bundles)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check-only", action="store_true", help="check what an earlier call made")
    options = parser.parse_args()
    start = time.monotonic()
    if not options.check_only:
        text = notes()
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir(parents=True)
        (DIST / "RELEASE_NOTES.md").write_text(text, encoding="utf-8")
        for step in STEPS:
            step()
        finish()
    faults = check_release.check(DIST, version())
    for path in sorted(DIST.iterdir()):
        print(f"{path.stat().st_size:>12,}  {path.name}")
    print(f"{len(faults)} faults; {time.monotonic() - start:.0f} s; nothing was uploaded")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
