"""ETRecord: what the export of a program knew about it. Mirrors `executorch.devtools.etrecord`.

    record = parse_etrecord("model.etrecord")
    print(record.methods, record.edge_dialect_program.code)

    generate_etrecord("model.etrecord", edge_manager, executorch_manager, exported_program)
    slim("model.etrecord", "small.etrecord")
"""

from etscope.etrecord._record import ETRecord, generate_etrecord, parse_etrecord, slim

__all__ = ["ETRecord", "generate_etrecord", "parse_etrecord", "slim"]
