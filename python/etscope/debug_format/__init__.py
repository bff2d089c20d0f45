"""Graphs as trees of operators and values, by the names of executorch.devtools.debug_format."""
