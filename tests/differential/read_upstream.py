"""Reads ETDumps with ExecuTorch's own reader: read_upstream.py FILE...

Prints a line of JSON for each; its first line is the version of executorch.
"""

import dataclasses
import json
import pathlib
import sys
from importlib.metadata import version

from executorch.devtools.etdump.serialize import deserialize_from_etdump_flatcc

print(version("executorch"))
for name in sys.argv[1:]:
    dump = deserialize_from_etdump_flatcc(pathlib.Path(name).read_bytes())
    print(json.dumps(dataclasses.asdict(dump), default=list), flush=True)
