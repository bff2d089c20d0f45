"""Which nodes are tapped: functions from a node to bool, of torch.fx or of etscope's graphs."""

import fnmatch
from typing import Any, Callable, Tuple

from etscope._errors import Error

NodeSelector = Callable[[Any], bool]


def select_all_call_function(exclude: Tuple[str, ...] = ("getitem",)) -> NodeSelector:
    """Every call whose target's name is not in `exclude`."""

    def selects(node):
        if node.op != "call_function":
            return False
        names = (str(node.target), getattr(node.target, "__name__", None))
        return not any(name in exclude for name in names)

    return selects


def select_by_op_type(*op_targets: str) -> NodeSelector:
    """Calls whose target, as text, ends with one of these: "aten.linear.default"."""
    _check(op_targets, "select_by_op_type", "an op target")
    return lambda node: node.op == "call_function" and str(node.target).endswith(op_targets)


def select_by_module_path(*patterns: str, output_only: bool = True) -> NodeSelector:
    """Nodes inside of modules with such paths: "layers.*.attention".

    output_only: of each module only the nodes that no other node of it uses.
    """
    _check(patterns, "select_by_module_path", "a pattern")

    def fits(entry):
        path = entry[0] if isinstance(entry, tuple) and entry else entry
        if path is None or path == ():
            return False
        return any(fnmatch.fnmatchcase(str(path), pattern) for pattern in patterns)

    return _inside(fits, output_only)


def select_by_module_class(*class_names: str, output_only: bool = True) -> NodeSelector:
    """Nodes inside of modules of such classes, by their names without package: "RMSNorm".

    output_only: of each module only the nodes that no other node of it uses.
    """
    _check(class_names, "select_by_module_class", "a class name")

    def fits(entry):
        has_class = isinstance(entry, tuple) and len(entry) > 1
        return has_class and class_name(entry[1]) in class_names

    return _inside(fits, output_only)


def select_any(*selectors: NodeSelector) -> NodeSelector:
    """What at least one of the selectors selects."""
    return lambda node: any(selects(node) for selects in selectors)


def select_all(*selectors: NodeSelector) -> NodeSelector:
    """What every selector selects; without selectors every node."""
    return lambda node: all(selects(node) for selects in selectors)


def select_not(selector: NodeSelector) -> NodeSelector:
    """What the selector does not select."""
    return lambda node: not selector(node)


def class_name(module_type):
    """ "Linear" of a class, of "torch.nn.modules.linear.Linear" and of "<class '...Linear'>"."""
    name = getattr(module_type, "__name__", None)
    return str(module_type).rpartition(".")[2].rstrip("'>") if name is None else name


def _check(names, function, what):
    if not names:
        raise ValueError(f"{function} needs {what}")


def _inside(fits, output_only):
    def modules(node):
        stack = node.meta.get("nn_module_stack") or {}
        return {key for key, entry in stack.items() if fits(entry)}

    def selects(node):
        inside = modules(node)
        if not inside or not output_only:
            return bool(inside)
        return all(inside.isdisjoint(user.meta.get("nn_module_stack") or ()) for user in _users(node))

    return selects


def _users(node):
    try:
        return node.users
    except AttributeError as reason:
        raise Error("nodes of an ETRecord's graph do not tell what uses them: select with "
                    "output_only=False") from reason  # fmt: skip
