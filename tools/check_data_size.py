"""Checks that the recorded files in a clone stay small: test data, examples, fuzz corpora.

    python3 tools/check_data_size.py [FOLDER]

FOLDER is the project, by default the one that this script is in. Counts what git tracks, as it is
checked out. Ends with 1 where that is LIMIT bytes or more, and names the largest files.
"""

import argparse
import subprocess
import sys
from pathlib import Path

DATA = ("tests/data", "examples", "fuzz/corpus")
LIMIT = 16_000_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    root = parser.parse_args().root
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--", *DATA],
                            capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        print(f"size of data not checked: {listed.stderr.strip()}")
        return 0
    paths = [root / name for name in listed.stdout.split("\0") if name]
    sizes = {path: path.lstat().st_size for path in paths if path.is_file()}
    total = sum(sizes.values())
    if total < LIMIT:
        return 0
    print(f"{total:,} bytes of recorded files, the limit is {LIMIT:,}; the largest:")
    for path in sorted(sizes, key=sizes.get, reverse=True)[:10]:
        print(f"  {sizes[path]:>10,}  {path.relative_to(root)}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
