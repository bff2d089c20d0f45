"""ETDump files by the classes of their schema. Mirrors `executorch.devtools.etdump`."""
