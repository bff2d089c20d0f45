"""The map that a backend gives to the record: from its events' identifiers to debug handles."""

from typing import Any, Dict, List, Optional, Tuple, Union

from etscope._errors import Error

Identifier = Union[int, str]


class DelegateMappingBuilder:
    """Collects what each event of a delegate stands for, while `preprocess` lowers its nodes.

        mapping = DelegateMappingBuilder()
        mapping.insert_delegate_mapping_entry(nodes=[mul, add], identifier="mul_add 0")
        return PreprocessResult(payload, debug_handle_map=mapping.get_delegate_mapping())

    generated_identifiers   False: the caller names every entry; True: entries are numbered from 0
    """

    def __init__(self, generated_identifiers: bool = False) -> None:
        self._is_numbering = generated_identifiers
        self._next = 0
        self._handles: Dict[Identifier, Tuple[int, ...]] = {}

    def get_delegate_mapping(self) -> Dict[Identifier, Tuple[int, ...]]:
        """{identifier: its debug handles, ascending, each once}, in the order of insertion."""
        return dict(self._handles)

    def insert_delegate_mapping_entry(
        self,
        nodes: Optional[Any] = None,
        handles: Optional[Union[int, List[Optional[int]]]] = None,
        identifier: Optional[Identifier] = None,
    ) -> Identifier:
        """Adds an entry and returns its identifier, the one that the runtime has to report.

        nodes        a node or several: of torch.fx, or of a record's graph (etscope.graph.Node)
        handles      a debug handle or several, instead of nodes
        identifier   a text, or a number from 0; None if they are generated

        Nodes without a handle, and handles that are None, are passed over. Raises Error: both or
        none of nodes and handles, no handle at all, an identifier that is there already, one where
        they are generated, none where they are not. The mapping is then as it was before.
        """
        if self._is_numbering and identifier is not None:
            raise Error(f"identifiers are generated here: {identifier!r} cannot be given")
        if not self._is_numbering and identifier is None:
            raise Error("an entry needs an identifier, or a builder with generated_identifiers")
        if identifier in self._handles:
            raise Error(f"identifier {identifier!r} has an entry already")
        if (nodes is None) == (handles is None):
            raise Error("give either nodes or handles")
        if self._is_numbering:
            identifier = self._next
            self._next += 1  # also where the entry fails: upstream's numbers have the same gaps
        found = map(_handle_of, _listed(nodes)) if handles is None else _listed(handles)
        found = {handle for handle in found if handle is not None}
        if not found:
            raise Error(f"entry {identifier!r} has no debug handle")
        self._handles[identifier] = tuple(sorted(found))
        return identifier


def _listed(value):
    return value if isinstance(value, (list, tuple, set, frozenset)) else [value]


def _handle_of(node):
    """The debug handle of a node of torch.fx or of etscope.graph; None without one."""
    meta = getattr(node, "meta", None)
    if meta is not None:
        return meta.get("debug_handle")
    try:
        return node.debug_handle
    except AttributeError:
        raise TypeError(f"a graph's node is expected, not {type(node).__name__}") from None
