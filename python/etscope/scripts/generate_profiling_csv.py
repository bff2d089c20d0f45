"""The Inspector's table of a trace as CSV. Mirrors `executorch.devtools.scripts`.

    python -m etscope.scripts.generate_profiling_csv --etdump_path=trace.etdp --output=table.csv

`etscope inspect --format csv` writes the CSV of etscope's own columns.
"""

import argparse
import sys

from etscope._errors import Error
from etscope.inspector import Inspector


def generate_csv(etdump_path, output):
    """Writes the data frame of a trace to the file `output`. Raises Error, or OSError."""
    Inspector(etdump_path).to_dataframe().to_csv(output)


def main(arguments=None):
    """The command. Returns the process's exit code."""
    parser = argparse.ArgumentParser(prog="python -m etscope.scripts.generate_profiling_csv",
                                     description="Write a trace's table as CSV")  # fmt: skip
    parser.add_argument("--etdump_path", default="./model.etdump", help="the trace (%(default)s)")
    parser.add_argument("--output", default="./model_profiling.csv",
                        help="the CSV file to write (%(default)s)")  # fmt: skip
    options = parser.parse_args(arguments)
    print(f"Generating CSV from {options.etdump_path}")
    try:
        generate_csv(options.etdump_path, options.output)
    except (Error, OSError) as error:
        print(f"etscope: {error}", file=sys.stderr)
        return 1
    print(f"Saved CSV to {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
