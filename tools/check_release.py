"""Installs each file of a release into an empty environment and asks it the question of the demo.

What runs programs profiles the example with XNNPACK, and must name the model's source lines. What only
reads inspects a recorded trace, and must print what build/bin/etscope prints. No compiler is on the path.
Files for aarch64 run in QEMU. `check` returns the faults, and prints a line for each file.
"""

import base64
import gzip
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile

from make_wheel import ROOT

HERE = platform.machine()
EXAMPLE = ROOT / "examples" / "mobile_cnn"
TRACE = ROOT / "tests" / "data" / "mlp_xnnpack"
READ = ("inspect", TRACE / "profile.etdp", "--etrecord", TRACE / "model.etrecord")
PROFILE = ("profile", EXAMPLE / "xnnpack.pte", "--etrecord", EXAMPLE / "xnnpack.etrecord", "--runs", "20", "--top", "8")
QEMU = {"aarch64": ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")}


class Fault(Exception):
    """What is wrong with a file: one line."""


class Skip(Exception):
    """Why a file cannot be tried here."""


def execute(command, folder, **environment):
    """The standard output of a command that must end well, in an environment that has nothing."""
    environment = {"PATH": "/nowhere", "HOME": str(folder), "LC_ALL": "C.UTF-8", "COLUMNS": "120", **environment}
    done = subprocess.run([str(each) for each in command], cwd=folder, env=environment, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip
    if done.returncode != 0:
        raise Fault(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def on(processor):
    """The words before a command for a processor."""
    if processor == HERE:
        return ()
    emulator = QEMU.get(processor)
    path = shutil.which(emulator[0]) if emulator else None
    if path is None:
        raise Skip(f"nothing here runs programs for {processor}")
    return (path, *emulator[1:])


def ask_reader(command, folder, **environment):
    expected = execute([ROOT / "build/bin/etscope", *READ], folder)
    found = execute([*command, *READ], folder, **environment)
    if found != expected:
        raise Fault("inspect prints otherwise than build/bin/etscope")


def ask_runner(command, folder, **environment):
    start = time.monotonic()
    found = execute([*command, *PROFILE], folder, **environment)
    seconds = time.monotonic() - start
    if "XnnpackBackend" not in found or "mobile_cnn.py:" not in found:
        raise Fault(f"profile names no source lines of XNNPACK: {found[:300]}")
    execute([*command, "run", PROFILE[1], "-o", folder / "t.etdp"], folder, **environment)
    execute([*command, "report", folder / "t.etdp", "--etrecord", EXAMPLE / "xnnpack.etrecord", "-o",
             folder / "report.html"], folder, **environment)  # fmt: skip
    if "<html" not in (folder / "report.html").read_text(encoding="utf-8")[:2000]:
        raise Fault("report wrote no page")
    return f"profile in {seconds:.2f} s, report of {(folder / 'report.html').stat().st_size >> 10} KiB"


def size_of(folder):
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def check_wheels(dist, version, folder):
    """Both wheels of this processor, with their dependencies, as `pip install` brings them."""
    wheels = list(dist.glob(f"etscope*-{version}-py3-none-*{HERE}.whl"))
    if len(wheels) != 2:
        raise Fault(f"{len(wheels)} wheels for {HERE}, expected 2")
    venv.create(folder / "env", with_pip=True)
    python, start = folder / "env/bin/python", time.monotonic()
    before = size_of(folder / "env")
    config = {name: value for name, value in os.environ.items()
              if name in ("HOME", "XDG_CONFIG_HOME") or name.startswith(("PIP_", "SSL_"))
              or name.lower().endswith("_proxy")}  # where pip is told its index
    execute([python, "-m", "pip", "install", "--quiet", *wheels], folder, **config)
    installed, own = time.monotonic(), size_of(folder / "env") - before
    execute([python, "-m", "etscope.doctor", "--install-engine"], folder, **config)
    fetched = time.monotonic()
    said = ask_runner([folder / "env/bin/etscope"], folder)
    ask_reader([python, "-m", "etscope"], folder)
    execute([python, "-c", "import sys; from etscope import Inspector; print(Inspector(etdump_path=sys.argv[1]))",
             TRACE / "profile.etdp"], folder)  # fmt: skip
    return (f"pip install {installed - start:.1f} s and {own >> 20} MiB with dependencies, --install-engine "
            f"{fetched - installed:.1f} s and {(size_of(folder / 'env') - before - own) >> 20} MiB, {said}")


def check_wheels_elsewhere(dist, version, folder):
    """Both wheels for aarch64, unpacked, over the runtime of that processor."""
    before = on("aarch64")
    for wheel in dist.glob(f"etscope*-{version}-py3-none-*aarch64.whl"):
        with zipfile.ZipFile(wheel) as opened:
            opened.extractall(folder)
    (folder / "etscope/etscope").chmod(0o755)
    ask_reader([*before, folder / "etscope/etscope"], folder)
    for library in (ROOT / "build/release/engine-aarch64/runtime/executorch/lib").glob("libexecutorch*.so"):
        shutil.copy(library, folder / "etscope_engine")
    return ask_runner([*before, folder / "etscope/etscope"], folder)


def check_static(dist, version, folder, processor):
    name = f"etscope-{version}-linux-{processor}-static"
    with tarfile.open(dist / f"{name}.tar.gz") as tar:
        tar.extractall(folder)
    ask_reader([*on(processor), folder / name / "etscope"], folder)
    if (folder / name / "etscope").read_bytes().find(b"/lib/ld-") >= 0:
        raise Fault("the program is not static")
    return "inspect prints what build/bin/etscope prints"


def check_page(dist, version, folder):
    path = dist / f"etscope-{version}.html"
    if not path.exists():
        raise Skip("it was not built: make page")
    text = path.read_text()
    packed = re.search(r'data-name="etscope\.wasm">([^<]+)<', text)
    if packed is None or not gzip.decompress(base64.b64decode(packed[1])).startswith(b"\0asm"):
        raise Fault("the page holds no program")
    if "connect-src 'none'" not in text:
        raise Fault("the page's policy does not forbid the network")
    return "it holds the program, and may connect to nothing; web_files tries it"


def check_windows(dist, version, folder):
    path = dist / f"etscope-{version}-windows-x86_64.zip"
    if not path.exists():
        raise Skip("it was not built: make windows")
    wine = shutil.which("wine64", path=f"{os.environ['PATH']}:/usr/lib/wine")
    if wine is None:
        raise Skip("wine64 is missing")
    (wheel,) = dist.glob(f"etscope-{version}-py3-none-win_amd64.whl")
    for archive in (path, wheel):
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
    environment = {"PATH": os.environ["PATH"], "WINEDEBUG": "-all", "WINEPREFIX": str(ROOT / "build/wine"),
                   "WINEDLLOVERRIDES": "mscoree,mshtml="}  # fmt: skip
    (ROOT / "build/wine").mkdir(exist_ok=True)
    # Its server, which the first program starts, must not hold a pipe that is read here.
    subprocess.run([wine, folder / "etscope/etscope.exe", "--version"], env={**os.environ, **environment}, check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    for program in (folder / path.stem / "etscope.exe", folder / "etscope/etscope.exe"):
        ask_reader([wine, program], folder, **environment)
    return "inspect prints in Wine what build/bin/etscope prints; the wheel was not installed on Windows"


def check_debian(dist, version, folder):
    (package,) = dist.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", package, folder / "root"], check=True)
    said = ask_runner([folder / "root/usr/bin/etscope"], folder)
    if shutil.which("lintian") is None:
        return f"{said}; lintian is missing"
    done = subprocess.run(["lintian", "--fail-on", "error,warning", "--allow-root", package], capture_output=True,
                          text=True, check=False)  # fmt: skip
    if done.returncode != 0:
        raise Fault(f"lintian: {done.stdout.strip()}")
    return f"{said}; lintian finds nothing"


def check_bundle(dist, version, folder, processor):
    path = dist / f"etscope-bundle-{processor}.tar"
    if not path.exists():
        raise Skip(f"a bundle for {processor} is made on x86_64 and there alone")
    with tarfile.open(path) as tar:
        tar.extractall(folder)
    loader = next(folder.glob("ld-linux*"))
    return ask_runner([*on(processor), loader, "--library-path", folder, folder / "etscope"], folder)


def check_source(dist, version, folder):
    """As the formula builds it."""
    with tarfile.open(dist / f"etscope-{version}.tar.gz") as tar:
        names = tar.getnames()
        tar.extractall(folder)
    unwanted = [name for name in names if re.search(r"/(fuzz/corpus|tests|build[^/]*|node_modules)/", name)]
    if unwanted:
        raise Fault(f"has {unwanted[0]} and {len(unwanted) - 1} more")
    source = folder / f"etscope-{version}"
    environment = {name: value for name, value in os.environ.items()
                   if name == "PATH" or name.startswith("CCACHE") or name.endswith("LAUNCHER")}  # fmt: skip
    execute(["cmake", "-S", source, "-B", folder / "build", "-DBUILD_TESTING=OFF", "-DETS_WERROR=OFF",
             "-DEXECUTORCH_ROOT="], folder, **environment)  # fmt: skip
    execute(["cmake", "--build", folder / "build", "--parallel", os.environ.get("JOBS", str(os.cpu_count())),
             "--target", "etscope"], folder, **environment)  # fmt: skip
    ask_reader([folder / "build/bin/etscope"], folder)
    return f"{len(names)} files, built as the formula builds them"


def check_lists(dist, version, folder):
    """SHA256SUMS, bill of materials, formula and Dockerfile agree with the files."""
    sums = dict(reversed(line.split("  ", 1)) for line in (dist / "SHA256SUMS").read_text().splitlines())
    names = {path.name for path in dist.iterdir()} - {"SHA256SUMS"}
    if set(sums) != names:
        raise Fault(f"SHA256SUMS lacks or has too much: {sorted(set(sums) ^ names)}")
    for name in names:
        if hashlib.sha256((dist / name).read_bytes()).hexdigest() != sums[name]:
            raise Fault(f"{name} is another than in SHA256SUMS")
    listed = json.loads((dist / f"etscope-{version}.spdx.json").read_text())
    digests = {each["fileName"][2:]: each["checksums"][1]["checksumValue"] for each in listed["files"]}
    artifacts = {name for name in names if name.endswith((".whl", ".deb", ".tar", ".tar.gz", ".zip", ".html"))}
    if set(digests) != artifacts or any(sums[name] != digests[name] for name in artifacts):
        raise Fault("the bill of materials is not of these files")
    if sums[f"etscope-{version}.tar.gz"] not in (dist / "etscope.rb").read_text():
        raise Fault("the formula has another digest than the source")
    copied = re.search(r"^COPY (\S+)", (dist / "Dockerfile").read_text(), re.M)[1]
    if copied not in names:
        raise Fault(f"the Dockerfile copies {copied}, which is not there")
    return f"{len(names)} files"


CHECKS = (
    ("wheels", check_wheels, ()),
    ("wheels for aarch64", check_wheels_elsewhere, ()),
    ("static program for x86_64", check_static, ("x86_64",)),
    ("static program for aarch64", check_static, ("aarch64",)),
    ("program for Windows", check_windows, ()),
    ("page that reads files", check_page, ()),
    ("Debian package", check_debian, ()),
    ("bundle for x86_64", check_bundle, ("x86_64",)),
    ("bundle for aarch64", check_bundle, ("aarch64",)),
    ("source", check_source, ()),
    ("lists and recipes", check_lists, ()),
)


def check(dist, version):
    faults = []
    for name, function, arguments in CHECKS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                said = function(dist, version, pathlib.Path(folder), *arguments)
            except Skip as reason:
                said = f"left out: {reason}"
            except (Fault, OSError, subprocess.CalledProcessError) as fault:
                faults.append(name)
                said = f"FAULT: {fault}"
        print(f"{name}: {said}", file=sys.stderr, flush=True)
    return faults
