"""Devices for `--target`: stand-ins of ssh and adb whose device is a folder, a real sshd, and bundles for them.

A bundle is that of this machine's own processor, so that what is pushed really runs there, or that of 64-bit Arm, whose
program is started in QEMU.
"""

import atexit
import functools
import getpass
import io
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

import run_support as support
from support import FolderTest

BUILD = Path(support.ETSCOPE).parents[1]

# The last word is the script. ETSCOPE_TEST_DEVICE is the device's home.
SSH = """#!/bin/sh
for word in "$@"; do script=$word; done
case " $* " in *" -O exit "*) exit 0 ;; esac
echo "$*" >> "$ETSCOPE_TEST_DEVICE/calls"
{before}
HOME=$ETSCOPE_TEST_DEVICE exec sh -c "$script"
"""
ADB = """#!/bin/sh
there() {{ printf '%s' "$1" | sed "s,/data/local/tmp,$ETSCOPE_TEST_DEVICE,g"; }}
[ "$1" != -s ] || shift 2
echo "$*" >> "$ETSCOPE_TEST_DEVICE/calls"
{before}
case $1 in
shell) exec sh -c "$(there "$2")" ;;
push) exec cp "$2" "$(there "$3")" ;;
pull) exec cp "$(there "$2")" "$3" ;;
esac
exit 1
"""

SSHD_CONFIG = """Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
ForceCommand {folder}/login
"""
SSH_CONFIG = """Host *
IdentityFile {folder}/key
IdentitiesOnly yes
UserKnownHostsFile {folder}/known_hosts
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
"""
LOGIN = """#!/bin/sh
export HOME={device} ETSCOPE_TEST_DEVICE={device} PATH={folder}/bin:$PATH
echo "$SSH_ORIGINAL_COMMAND" | tr '\\n' ' ' >> "$HOME/calls"; echo >> "$HOME/calls"
script=$SSH_ORIGINAL_COMMAND
{before}
exec sh -c "$script"
"""

# Of a device with another processor.
UNAME = """#!/bin/sh
[ "$*" != -m ] || {{ echo {machine}; exit; }}
exec /bin/uname "$@"
"""


def has_engine():
    return (BUILD / "lib" / "libetscope_engine.so").exists()


def temporary_folder():
    """A folder that is removed when the tests have ended."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Path(folder.name)


@functools.lru_cache(maxsize=None)
def own_bundles():
    """A folder with the bundle of what is built, under the name by which it is found."""
    if not has_engine():
        raise unittest.SkipTest("the engine is not built")
    folder, machine = temporary_folder(), os.uname().machine
    folders = [f"/lib/{machine}-linux-gnu", f"/usr/lib/{machine}-linux-gnu", "/lib64", "/usr/lib64", "/lib",
               "/usr/lib"]  # fmt: skip
    prefix = folder / "prefix"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
    subprocess.run([sys.executable, support.ROOT / "tools" / "make_bundle.py", prefix,
                    folder / f"etscope-bundle-{machine}.tar",
                    *(word for each in folders for word in ("--libraries", each))],
                   check=True, capture_output=True)  # fmt: skip
    shutil.rmtree(prefix)
    return folder


@functools.lru_cache(maxsize=None)
def arm64_bundles():
    """A folder with the bundle of 64-bit Arm, as `make bundle` packed it, but for QEMU before its loader."""
    name = "etscope-bundle-aarch64.tar"
    if not (BUILD / "bundles" / name).exists():
        raise unittest.SkipTest("no bundle for aarch64: make bundle TARGET=aarch64")
    if shutil.which("qemu-aarch64") is None:
        raise unittest.SkipTest("qemu-aarch64 is missing (package qemu-user)")
    folder = temporary_folder()
    with tarfile.open(BUILD / "bundles" / name) as packed, \
            tarfile.open(folder / name, "w", format=tarfile.USTAR_FORMAT) as tar:  # fmt: skip
        for member in packed:
            data = packed.extractfile(member).read()
            if member.name == "start":
                assert data.count(b"exec ") == 1, data
                data = data.replace(b"exec ", b"exec qemu-aarch64 ")
                member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return folder


def write_program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Sshd:
    """An sshd of this user on 127.0.0.1 whose home is `device`; it takes one key, and runs what `before` says first."""

    def __init__(self, folder, device, machine=None):
        self.folder, self.device = folder, device
        fetched = BUILD / "sshd"  # by tools/setup.sh
        sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:{fetched}/usr/sbin")
        if sshd is None or shutil.which("ssh") is None:
            raise unittest.SkipTest("sshd or ssh is missing (make setup)")
        if os.geteuid() == 0:  # where no service manager made it
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        for name in ("host_key", "key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        key = (folder / "host_key.pub").read_text()
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {key}")
        (folder / "sshd_config").write_text(SSHD_CONFIG.format(port=self.port, folder=folder))
        (folder / "ssh_config").write_text(SSH_CONFIG.format(folder=folder))
        write_program(folder / "ssh", f'#!/bin/sh\nexec ssh -F {folder}/ssh_config "$@"\n')
        if machine is not None:
            write_program(folder / "bin" / "uname", UNAME.format(machine=machine))
        self.before("")
        self.log = open(folder / "sshd.log", "w", encoding="utf-8")
        self.process = subprocess.Popen([sshd, "-D", "-e", "-f", folder / "sshd_config"], stderr=self.log,
                                        env={**os.environ, "LD_LIBRARY_PATH": str(next(fetched.glob("usr/lib/*"), ""))})
        self.target = f"ssh:{getpass.getuser()}@127.0.0.1:{self.port}"
        self.wait()

    def before(self, what, device=None):
        """What each call does before its script. $PPID is the connection."""
        self.device = device or self.device
        write_program(self.folder / "login", LOGIN.format(device=self.device, folder=self.folder, before=what))

    def wait(self):
        """Until it answers; skips the test where it does not, as in a container that forbids it."""
        address, words = self.target[4:].rpartition(":")[0], ["-T", "-oBatchMode=yes", "-p", str(self.port)]
        for _ in range(50):
            done = subprocess.run([self.folder / "ssh", *words, address, "true"], capture_output=True, check=False)
            if done.returncode == 0:
                (self.device / "calls").unlink()
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.close()
        said = (self.folder / "sshd.log").read_text().strip().splitlines()
        raise unittest.SkipTest(f"no sshd on 127.0.0.1: {said[-1] if said else done.stderr}")

    def end_connections(self):
        """Kills what serves the connections, as a cable that is pulled."""
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                process, parent = int(path.parent.name), int(path.read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == self.process.pid:
                os.kill(process, signal.SIGKILL)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def write_stand_ins(folder, before=""):
    """Programs `ssh` and `adb` in the folder; `before` is what each call does before its script."""
    for name, text in (("ssh", SSH), ("adb", ADB)):
        write_program(folder / name, text.format(before=before))


def environment(folder, device, bundles):
    """For etscope, whose ssh and adb are those in the folder."""
    return {"ETSCOPE_SSH": str(folder / "ssh"), "ETSCOPE_ADB": str(folder / "adb"),
            "ETSCOPE_BUNDLES": str(bundles), "ETSCOPE_TEST_DEVICE": str(device)}  # fmt: skip


class TargetTest(FolderTest):
    """A test with a device of its own, whose home is self.device."""

    target = "ssh:me@board"
    machine = None  # of the device; None: this machine's
    bundles = staticmethod(own_bundles)

    def setUp(self):
        super().setUp()
        self.bundle_folder = self.bundles()
        self.device = self.folder / "device"
        self.device.mkdir()
        self.before("")

    def before(self, what):
        """What each call does before its script."""
        write_stand_ins(self.folder, what)

    def environment(self):
        words = environment(self.folder, self.device, self.bundle_folder)
        if self.machine is not None:
            write_program(self.folder / "bin" / "uname", UNAME.format(machine=self.machine))
            words["PATH"] = f"{self.folder}/bin:{os.environ['PATH']}"
        return words

    def words(self, *words):
        return [*words, "--target", self.target]

    def call(self, *words, code=support.OK):
        done = support.call(*self.words(*words), cwd=self.folder, **self.environment())
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def start(self, *words, **environment):
        """A command that goes on beside the test."""
        return subprocess.Popen([support.ETSCOPE, *map(str, self.words(*words))], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **self.environment(), **environment})  # fmt: skip

    def root(self):
        return self.device / ("etscope" if self.target.startswith("adb") else ".cache/etscope")

    def left(self):
        """What a command left in its folder there."""
        return sorted(path.name for path in (self.root() / "runs").glob("*"))

    def calls(self):
        """How often the device was called."""
        path = self.device / "calls"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def model(self, name="mlp_xnnpack", file="model.pte"):
        return support.DATA / name / file

    def wait_until(self, is_so):
        begun = time.time()
        while not is_so():
            self.assertLess(time.time(), begun + 60, (self.left(), self.processes()))
            time.sleep(0.05)

    def start_long_run(self):
        """A command that ends only when it is stopped, running there; its temporary files are in `tmp`."""
        self.call("run", self.model())
        (self.folder / "tmp").mkdir(exist_ok=True)
        running = self.start("run", self.model(), "--runs", "100000000", "--tracer", "none",
                             TMPDIR=str(self.folder / "tmp"))  # fmt: skip
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.stderr.close)
        self.wait_until(lambda: self.left() and self.processes())
        return running

    def processes(self):
        """Those that run the bundle of this test's device."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes()
            except OSError:
                continue
            if b"100000000" in words and os.fsencode(self.device) in words:
                found.append(path.parent.name)
        return found


class SshdTest(TargetTest):
    """A test whose device is behind a real sshd."""

    def setUp(self):
        self.sshd = None
        super().setUp()
        self.sshd = Sshd(self.folder, self.device, self.machine)
        self.addCleanup(self.sshd.close)
        self.target = self.sshd.target

    def before(self, what):
        if self.sshd is not None:
            self.sshd.before(what, self.device)
