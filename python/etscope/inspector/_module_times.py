"""What a module of the model takes, from the events of a block."""

import difflib
import re

# Ties of a delegate's event to operators of its own (Event.tie).
_EXACT = ("map", "node", "near")


def total_inside(block, module):
    """The sum of the averages of a block's operators inside `module`: a path or a key."""
    calls = _tied_calls(block.events)
    total = 0.0
    for event in block.events:
        if event.name == "OPERATOR_CALL" or event.perf_data is None:
            continue
        call = calls.get(event._instruction_id)
        if call is not None and (event.is_delegated_op or event.name == "DELEGATE_CALL"):
            if call.counts_in_full(module) == bool(event.is_delegated_op):
                continue
        if _is_partly_inside(event, module):
            total += event.perf_data.avg
    return total


class _Call:
    """A delegate call and its operators. Either the call counts, or those of them inside do."""

    def __init__(self, event, operators):
        self._event = event
        self._is_known = all(e.tie in _EXACT and not e._has_own_clock for e in operators)

    def counts_in_full(self, module):
        """Where its operators are not known one by one, or all its nodes are inside."""
        stacks = self._event.module_hierarchy.values()
        return not self._is_known or all(_is_stack_inside(stack, module) for stack in stacks)


def _tied_calls(events):
    """{instruction: _Call} of the calls whose operators a program tied to anything."""
    operators = {}
    for event in events:
        if event.is_delegated_op and event.perf_data is not None and event.tie is not None:
            operators.setdefault(event._instruction_id, []).append(event)
    return {
        event._instruction_id: _Call(event, operators[event._instruction_id])
        for event in events
        if event.name == "DELEGATE_CALL" and event._instruction_id in operators
    }


def _is_partly_inside(event, module):
    return any(_is_stack_inside(stack, module) for stack in event.module_hierarchy.values())


def _is_stack_inside(stack, module):
    """Whether one of the modules {key: (path, type)} is `module`, or inside it."""
    return any(
        module in (key, path) or _path(path) == module or _path(path).startswith(module + ".")
        for key, (path, _) in (stack or {}).items()
    )


def _path(path):
    """A module's path without the number of its call: torch calls the second "layer@1"."""
    return re.sub(r"@[0-9]+", "", path)


def names_in(stacks):
    """All names that modules {key: (path, type)} go by, those above them included."""
    names = set()
    for stack in stacks:
        for key, (path, _) in (stack or {}).items():
            parts = _path(path).split(".")
            names.update((key, path))
            names.update(".".join(parts[: i + 1]) for i in range(len(parts)))
    return names


def nearest(name, known):
    """Words that name what `name` may have meant; "" where nothing is like it."""
    found = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.4)
    if not found:
        return "; the events have no modules" if not known else ""
    return f"; the nearest: {', '.join(map(repr, found))}"
