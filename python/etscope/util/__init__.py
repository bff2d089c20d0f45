"""Tools under the names that they have in executorch.util."""
