"""The program, as `etscope` and as `python -m etscope`: all its commands, at its own speed."""

import os
import sys


def main():
    """Becomes the program that lies beside this file; returns only if there is none."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "etscope")
    if not os.path.exists(program):
        print("etscope: this installation has the library alone, without the program: install a wheel, "
              "or `pip install` the source where a C compiler is", file=sys.stderr)  # fmt: skip
        return 6
    sys.stdout.flush()
    os.execv(program, ["etscope", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
