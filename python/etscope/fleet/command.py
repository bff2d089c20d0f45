"""etscope-fleet: dispatches to the sub-commands, whose arguments live with their jobs."""

import argparse
import errno
import signal
import sys

from etscope import __version__
from etscope._errors import Error
from etscope.fleet.show import plain


INTERRUPTED = 130  # as shells say it of a command that Ctrl-C ended


def main(arguments=None):
    try:
        return _run(arguments)
    except ModuleNotFoundError as error:
        print(f"etscope-fleet: needs {error.name}: pip install 'etscope[fleet]'", file=sys.stderr)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # there is nothing left to stop
        print("etscope-fleet: stopped; the data set is whole: the command can be run again", file=sys.stderr)
        return INTERRUPTED
    return 2


def _run(arguments):
    from etscope.fleet import ask_command, compaction, ingest  # these need the extra

    parser = argparse.ArgumentParser(
        prog="etscope-fleet", description="Compares traces of a fleet of devices.")  # fmt: skip
    parser.add_argument("--version", action="version", version=f"etscope-fleet {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for job in (ingest, compaction, ask_command):
        job.add_commands(commands)
    words = parser.parse_args(arguments)
    try:
        return words.run(words)
    except (Error, OSError) as error:
        is_full = getattr(error, "errno", None) == errno.ENOSPC
        room = "; what is committed stays: make room and begin again" if is_full else ""
        print(f"etscope-fleet: {plain(error)}{room}", file=sys.stderr)
    except MemoryError:
        print("etscope-fleet: not enough memory; what is committed stays", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
