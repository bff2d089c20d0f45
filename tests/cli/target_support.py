"""A device for `--target`: stand-ins of ssh and adb whose device is a folder, and a bundle for it.

The bundle is that of this machine's own processor, so that what is pushed really runs there.
"""

import os
import subprocess
import sys
from pathlib import Path

import run_support as support

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


def has_engine():
    return (BUILD / "lib" / "libetscope_engine.so").exists()


def make_bundle(folder):
    """Packs what is built into the folder, under the name by which it is found."""
    machine = os.uname().machine
    folders = [f"/lib/{machine}-linux-gnu", f"/usr/lib/{machine}-linux-gnu", "/lib64", "/usr/lib64", "/lib",
               "/usr/lib"]  # fmt: skip
    prefix = folder / "prefix"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
    subprocess.run([sys.executable, support.ROOT / "tools" / "make_bundle.py", prefix,
                    folder / f"etscope-bundle-{machine}.tar",
                    *(word for each in folders for word in ("--libraries", each))],
                   check=True, capture_output=True)  # fmt: skip


def write_stand_ins(folder, before=""):
    """Programs `ssh` and `adb` in the folder; `before` is what each call does before its script."""
    for name, text in (("ssh", SSH), ("adb", ADB)):
        path = folder / name
        path.write_text(text.format(before=before))
        path.chmod(0o755)


def environment(folder, device, bundles):
    return {"ETSCOPE_SSH": str(folder / "ssh"), "ETSCOPE_ADB": str(folder / "adb"),
            "ETSCOPE_BUNDLES": str(bundles), "ETSCOPE_TEST_DEVICE": str(device)}  # fmt: skip
