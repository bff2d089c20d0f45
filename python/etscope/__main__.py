"""The program, as `etscope` and as `python -m etscope`: all its commands, at its own speed."""

import os
import sys


def main():
    """Becomes the program that lies beside this file; returns only if there is none."""
    name = "etscope.exe" if os.name == "nt" else "etscope"
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    if not os.path.exists(program):
        print("etscope: this installation has the library alone, without the program: install a wheel, "
              "or `pip install` the source where a C compiler is", file=sys.stderr)  # fmt: skip
        return 6
    sys.stdout.flush()
    if os.name == "nt":  # where execv lets the shell go on at once
        import subprocess  # takes longer than most commands

        return subprocess.call([program, *sys.argv[1:]])
    os.execv(program, ["etscope", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
