"""etscope-fleet: dispatches to the sub-commands, whose arguments live with their jobs."""

import argparse
import errno
import sys

from etscope._errors import Error
from etscope.fleet import ask_command, ingest

JOBS = (ingest, ask_command)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="etscope-fleet", description="Compares traces of a fleet of devices.")  # fmt: skip
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for job in JOBS:
        job.add_commands(commands)
    words = parser.parse_args(arguments)
    try:
        return words.run(words)
    except ModuleNotFoundError as error:
        print(f"etscope-fleet: needs {error.name}: pip install 'etscope[fleet]'", file=sys.stderr)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            error = f"{error}; what is committed stays: make room and begin again"
        print(f"etscope-fleet: {error}", file=sys.stderr)
    except Error as error:
        print(f"etscope-fleet: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
