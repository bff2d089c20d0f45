"""What a node of a record calls: the operator's name, and torch's or executorch's own object of it."""

import operator

from etscope._errors import Error, MissingNameError


class Target(str):
    """The full name of what is called. It equals the name, and the operator of that name.

    resolve() gives the operator itself, and a call calls it; both import torch or executorch. A set
    or dict of operators does not find a Target, as it has the hash of its text.
    """

    def __eq__(self, other):
        if isinstance(other, str):
            return str.__eq__(self, other)
        name = _name_of(other)
        return NotImplemented if name is None else str.__eq__(self, name)

    def __ne__(self, other):
        same = self.__eq__(other)
        return same if same is NotImplemented else not same

    __hash__ = str.__hash__

    def resolve(self):
        """The operator of that name: torch.ops.aten.add.Tensor, executorch.exir.memory.alloc.

        Raises Error: UNAVAILABLE if torch or executorch is not installed, NOT_FOUND if it has
        no such operator (import the library that registers it), UNSUPPORTED for a name of anything
        else, which a file could hold to have it called.
        """
        try:
            return _found(self)
        except ImportError as reason:
            raise Error(f"{self} needs torch and executorch: {reason}",
                        status="UNAVAILABLE") from reason  # fmt: skip
        except (AttributeError, RuntimeError) as reason:
            if isinstance(reason, Error):
                raise
            raise MissingNameError(f"there is no operator {self}: import the library that has it",
                                   status="NOT_FOUND") from reason  # fmt: skip

    def __call__(self, *args, **kwargs):
        """Calls the operator."""
        return self.resolve()(*args, **kwargs)


def _name_of(target):
    """How a record names an operator, which is not imported to compare; None for other things."""
    module, name = (getattr(target, key, None) for key in ("__module__", "__name__"))
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    if (module, name) == ("executorch.exir.memory", "alloc"):
        return "memory.alloc"
    return f"{module.replace('._ops', '.ops', 1)}.{name}"


def _found(target):
    name = str(target)
    for start, root in _ROOTS.items():
        parts = name[len(start) :].split(".")
        if name.startswith(start) and not any(part.startswith("__") for part in parts):
            found, is_operator = root()
            for part in parts:
                found = getattr(found, part)
            if is_operator(found):
                return found
    raise Error(f"{name} is no operator of torch or executorch", status="UNSUPPORTED")


def _torch_ops():
    import torch

    return torch.ops, lambda found: isinstance(
        found, (torch._ops.OpOverload, torch._ops.HigherOrderOperator)
    )


def _torch_sizes():
    import torch

    return torch, lambda found: getattr(found, "__name__", "").lstrip("_").startswith("sym_")


def _dialect(name):
    def root():
        from executorch.exir.dialects._ops import ops

        return getattr(ops, name), lambda found: hasattr(found, "_schema")

    return root


def _memory():
    from executorch.exir import memory

    return memory, lambda found: getattr(found, "__module__", "") == memory.__name__


# {start of a name: (where the rest of it is looked up, what may be found there)}
_ROOTS = {
    "torch.ops.": _torch_ops,
    "torch.": _torch_sizes,
    "executorch.exir.dialects.edge.ops.": _dialect("edge"),
    "executorch.exir.dialects.backend.ops.": _dialect("backend"),
    "executorch.exir.memory.": _memory,
    "memory.": _memory,
    "_operator.": lambda: (operator, lambda found: type(found) is type(operator.add)),
}
