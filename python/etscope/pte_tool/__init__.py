"""What differs between two programs, by the names of executorch.devtools.pte_tool."""
