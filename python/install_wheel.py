"""Packs this build's wheel and installs it into the environment of this Python, for its tests.

    python install_wheel.py BUILD WHEELS
"""

import pathlib
import shutil
import subprocess
import sys

TOOL = pathlib.Path(__file__).resolve().parents[1] / "tools" / "make_wheel.py"


def main():
    build, wheels = sys.argv[1:]
    shutil.rmtree(wheels, ignore_errors=True)
    subprocess.run([sys.executable, TOOL, "etscope", build, "--output", wheels], check=True)
    (wheel,) = pathlib.Path(wheels).glob("etscope-*.whl")
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                    "--no-deps", "--no-index", "--force-reinstall", wheel], check=True)  # fmt: skip


if __name__ == "__main__":
    main()
