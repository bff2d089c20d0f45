"""Commands by the names that they have in executorch.devtools.scripts."""
