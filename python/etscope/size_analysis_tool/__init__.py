"""What takes a model's bytes, by the names of executorch.devtools.size_analysis_tool."""
