"""The names that scripts import from ``executorch.devtools.etrecord._etrecord``."""

from etscope.etrecord import ETRecord, generate_etrecord, parse_etrecord

__all__ = ["ETRecord", "generate_etrecord", "parse_etrecord"]
