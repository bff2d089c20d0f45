"""Puts ExecuTorch's libraries beside the engine of the wheel etscope-engine.

They come from the one wheel of executorch whose SHA-256 the engine's wheel names (runtime_wheel.py in
it), downloaded by pip or given as a file, or from an executorch of that version that is installed. No
PyTorch, no compiler: libraries are unpacked, and of the library of llama:: kernels a copy is made that
loads without PyTorch. The files are noted in RECORD of etscope-engine, so that uninstalling it removes
them.
"""

import base64
import contextlib
import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from etscope._errors import Error

LIBRARY = "executorch/lib/libexecutorch"
WITHOUT = ("_backend_openvino", "_backend_qnn")  # they need a vendor's libraries
LLAMA = "executorch/extension/llm/custom_ops/libcustom_ops_aot_lib.so"
COPY, REASON = "libetscope_llama.so", "libetscope_llama.txt"


def engine_folder():
    """The folder of the wheel etscope-engine; None if that wheel is not installed."""
    found = importlib.util.find_spec("etscope_engine")
    for folder in (found and found.submodule_search_locations) or ():
        if os.path.exists(os.path.join(folder, "runtime_wheel.py")):
            return pathlib.Path(folder)
    return None


def install(folder, wheel=None):
    """Installs the libraries into the engine's folder. Raises Error with what to do."""
    wanted = importlib.import_module("etscope_engine.runtime_wheel")
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        try:
            if wheel is None and _installed(wanted.VERSION) is not None:
                unpacked = _installed(wanted.VERSION)
            else:
                unpacked = work / "unpacked"
                path = wheel or _download(wanted, work / "wheel")
                with open(path, "rb") as opened:  # once: what is unpacked is what was checked
                    _check(path, opened, wanted)
                    _unpack(opened, unpacked)
            _put(folder, unpacked)
        except OSError as error:
            raise Error(f"{error.filename or folder}: {error.strerror or error}", status="IO") from error


def _installed(version):
    """The folder above an installed executorch of this version with its libraries; or None."""
    try:
        found = importlib.metadata.distribution("executorch")
    except importlib.metadata.PackageNotFoundError:
        return None
    folder = pathlib.Path(found.locate_file(""))
    is_whole = (folder / f"{LIBRARY}.so").exists() and (folder / LLAMA).exists()
    return folder if found.version.split("+")[0] == version and is_whole else None


def _download(wanted, folder):
    """The path of the wheel that pip downloads, whatever this Python's version is."""
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps",
               "--only-binary=:all:", "--implementation", "cp", "--python-version", wanted.PYTHON_VERSION,
               "--platform", wanted.PLATFORM, "--dest", str(folder), f"executorch=={wanted.VERSION}"]  # fmt: skip
    print("+", *command[1:], flush=True)
    done = subprocess.run(command, check=False)
    found = sorted(folder.glob("*.whl")) if done.returncode == 0 else []
    if len(found) != 1:
        raise Error(f"pip could not download executorch {wanted.VERSION} (see above); fetch its wheel for "
                    f"cp{wanted.PYTHON_VERSION.replace('.', '')} and {wanted.PLATFORM} elsewhere, and name it: "
                    "python -m etscope.doctor --install-engine --from FILE", status="UNAVAILABLE")  # fmt: skip
    return found[0]


def _check(path, opened, wanted):
    """Whether the open file is the wheel that the engine was built for."""
    digest = hashlib.sha256()
    for part in iter(lambda: opened.read(1 << 20), b""):
        digest.update(part)
    if digest.hexdigest() != wanted.SHA256:
        raise Error(f"{path}: has SHA-256 {digest.hexdigest()}, expected {wanted.SHA256}, the wheel of "
                    f"executorch {wanted.VERSION} for cp{wanted.PYTHON_VERSION.replace('.', '')} and "
                    f"{wanted.PLATFORM}", status="MISMATCH")  # fmt: skip


def _unpack(wheel, folder):
    """Only what is needed, of an open file whose digest was checked, so that names are those of the wheel."""
    with zipfile.ZipFile(wheel) as opened:
        names = [name for name in opened.namelist() if name.startswith((LIBRARY, LLAMA))]
        opened.extractall(folder, names)


def _put(folder, unpacked):
    libraries = [path for path in sorted((unpacked / LIBRARY).parent.glob("libexecutorch*.so"))
                 if not path.stem.endswith(WITHOUT)]  # fmt: skip
    with _part_of(folder) as part:
        for library in [*libraries, folder / "libetscope_llama_stand_ins.so"]:
            shutil.copyfile(library, part / library.name)
        _copy_llama(folder, unpacked, part)
        (part / "libetscope_llama_stand_ins.so").unlink()
        made = sorted(part.iterdir())
        for path in made:
            path.chmod(0o755 if path.suffix == ".so" else 0o644)
            path.replace(folder / path.name)
    _note(folder, [path.name for path in made])


@contextlib.contextmanager
def _part_of(folder):
    """A folder beside the files, from which they are moved when all are there."""
    part = pathlib.Path(tempfile.mkdtemp(prefix=".part-", dir=folder))
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _copy_llama(folder, unpacked, part):
    """The copy of the library of llama:: kernels, or the reason why there is none."""
    done = subprocess.run(
        [sys.executable, folder / "llama_operators.py", unpacked / LLAMA,
         part / "libetscope_llama_stand_ins.so", part / COPY, "--runtime", part, "--reason", part / REASON],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        said = done.stdout.strip().splitlines() or ["no reason told"]
        (part / REASON).write_text(f"the copy of their library failed: {said[-1]}\n")


def _note(folder, names):
    """Writes the files into RECORD of the distribution that owns the folder."""
    try:
        about = importlib.metadata.distribution("etscope-engine")
    except importlib.metadata.PackageNotFoundError:
        return
    record = next((pathlib.Path(about.locate_file(each)) for each in about.files or ()
                   if each.name == "RECORD"), None)  # fmt: skip
    if record is None:
        return
    kept = [line for line in record.read_text().splitlines()
            if line.split(",")[0] not in {f"{folder.name}/{name}" for name in names}]  # fmt: skip
    for name in names:
        data = (folder / name).read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        kept.append(f"{folder.name}/{name},sha256={digest},{len(data)}")
    part = record.with_name("RECORD.part")
    part.write_text("\n".join(kept) + "\n")
    part.replace(record)
