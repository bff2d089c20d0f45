"""ETRecord: what the export of a program knew about it. Mirrors `executorch.devtools.etrecord`.

    record = parse_etrecord("model.etrecord")
    print(record.methods, record.edge_dialect_program.code)
"""

from etscope.etrecord._reader import ETRecord, parse_etrecord

__all__ = ["ETRecord", "parse_etrecord"]
