"""How many operators of a graph were delegated, and of which types."""

import re
from dataclasses import dataclass
from typing import Any, Dict, Optional

from etscope._errors import Error
from etscope.graph import Graph

_CALL = "executorch_call_delegate"


@dataclass
class DelegationBreakdown:
    """One type of operator: how many nodes of it are in delegates, and how many are not."""

    op_type: str = ""
    delegated: int = 0
    non_delegated: int = 0


class _Breakdowns(dict):
    """{type: DelegationBreakdown}; a type that is not there reads as one with no nodes."""

    def __missing__(self, op_type):
        return DelegationBreakdown(op_type)

    def add(self, node_name, is_delegated):
        """Counts a node: its name is its type, with a number behind where there are several."""
        op_type = re.sub(r"_[0-9]+$", "", node_name)
        counts = self.setdefault(op_type, DelegationBreakdown(op_type))
        if is_delegated:
            counts.delegated += 1
        else:
            counts.non_delegated += 1


@dataclass
class DelegationInfo:
    """How much of a graph was delegated.

    num_delegated_subgraphs  delegate calls
    num_delegated_nodes      operators inside them
    num_non_delegated_nodes  operators left outside; the calls themselves are none
    delegation_by_operator   {type, as "aten_add_tensor": DelegationBreakdown}
    """

    num_delegated_subgraphs: int
    num_delegated_nodes: int
    num_non_delegated_nodes: int
    delegation_by_operator: Dict[str, DelegationBreakdown]

    def get_summary(self) -> str:
        """The three numbers as three lines."""
        return (
            f"Total delegated subgraphs: {self.num_delegated_subgraphs}\n"
            f"Number of delegated nodes: {self.num_delegated_nodes}\n"
            f"Number of non-delegated nodes: {self.num_non_delegated_nodes}\n"
        )

    def get_operator_delegation_dataframe(self):
        """A pandas.DataFrame with a row for each type, sorted by it, and a last one, "Total".

        Columns: op_type, occurrences_in_delegated_graphs, occurrences_in_non_delegated_graphs.
        """
        import pandas as pd

        rows = sorted(self.delegation_by_operator.values(), key=lambda row: row.op_type)
        inside, outside = ([getattr(row, name) for row in rows]
                           for name in ("delegated", "non_delegated"))  # fmt: skip
        return pd.DataFrame(
            {
                "op_type": [*(row.op_type for row in rows), "Total"],
                "occurrences_in_delegated_graphs": [*inside, sum(inside)],
                "occurrences_in_non_delegated_graphs": [*outside, sum(outside)],
            }
        )


def get_delegation_info(
    graph_module: Any, *, method: Optional[str] = None, program: Optional[str] = None
) -> DelegationInfo:
    """Counts what was delegated of a record's edge program, or of PyTorch's lowered graph.

        info = get_delegation_info("model.etrecord", program="model.pte")
        print(info.get_summary())

    graph_module   an ETRecord, its path, or the Graph of one; torch's GraphModule or
                   ExportedProgram after it was lowered, or an EdgeProgramManager of them
    method         which one of a record or a manager with several
    program        path of the .pte or .bpte, for a record

    A record ties nodes to instructions by debug handles. Where some of the nodes of one handle were
    delegated and others were not, the operators that the program calls tell which; without
    `program` nodes and instructions are taken in order, with a warning that types may be wrong.
    Nodes in the bodies of branches and loops are not counted, nor is `getitem` of a record, whose
    graphs have no such nodes.

    Raises Error: several methods, of which none is named; no such method; a graph without debug
    handles; MISMATCH for a program that is not the record's; as parse_etrecord does. Raises
    TypeError for anything else.
    """
    found = _Breakdowns()
    module = _torch_module(graph_module, method)
    if module is not None:
        if program is not None:
            raise Error("a program is taken for a record; PyTorch's graph knows what was lowered")
        calls = _count_module(found, module)
    else:
        from etscope.backend_debug import _records

        graph = _graph_of(graph_module, method)
        calls = _records.count(found, graph, program)
    return DelegationInfo(
        num_delegated_subgraphs=calls,
        num_delegated_nodes=sum(counts.delegated for counts in found.values()),
        num_non_delegated_nodes=sum(counts.non_delegated for counts in found.values()),
        delegation_by_operator=found,
    )


def print_delegation_info(graph_module: Any, *, method: Optional[str] = None,
                          program: Optional[str] = None) -> None:  # fmt: skip
    """Prints the summary and the table; arguments as of get_delegation_info."""
    from etscope.inspector._frame import show

    info = get_delegation_info(graph_module, method=method, program=program)
    print(info.get_summary())
    show(info.get_operator_delegation_dataframe(), None)


def format_delegated_graph(graph_module: Any) -> str:
    """The text of PyTorch's lowered graph, with backend and graph of each delegate in it.

    graph_module: a GraphModule or ExportedProgram after it was lowered, or an EdgeProgramManager of
    one. Raises TypeError for anything else: `etscope delegates` shows this of records and programs.
    """
    module = _torch_module(graph_module, None)
    if module is None:
        raise TypeError("a lowered GraphModule is expected, not "
                        f"{type(graph_module).__name__}; `etscope delegates` shows what records "
                        "and programs delegate")  # fmt: skip
    return "\n".join(["graph():", *_graph_lines(module, "  ")]) + "\n"


def _graph_lines(module, indent):
    for node in module.graph.nodes:
        yield indent + str(node.format_node())
        if node.op == "get_attr" and node.name.startswith("lowered_module_"):
            lowered = getattr(module, node.name)
            yield f"{indent * 2}backend_id: {lowered.backend_id}"
            yield f"{indent * 2}lowered graph():"
            for inner in lowered.original_module.graph.nodes:
                yield indent * 3 + str(inner.format_node())


def print_delegated_graph(graph_module: Any) -> None:
    """Prints what format_delegated_graph gives."""
    print(format_delegated_graph(graph_module))


def _torch_module(value, method):
    """PyTorch's GraphModule, itself or inside what it comes in; None for all else."""
    if isinstance(value, Graph) or type(value).__name__ == "ETRecord":
        return None
    if callable(getattr(value, "exported_program", None)) and hasattr(value, "methods"):
        value, method = value.exported_program(_chosen(sorted(value.methods), method)), None
    module = getattr(value, "graph_module", value)
    if not hasattr(getattr(module, "graph", None), "nodes"):
        return None
    if method is not None:
        raise Error("a method is named for what may have several, not for one graph")
    return module


def _graph_of(value, method):
    """The Graph of a record."""
    from etscope.etrecord._record import as_etrecord

    if isinstance(value, Graph):
        if method is not None:
            raise Error("a method is named for what may have several, not for one graph")
        return value
    try:
        record = as_etrecord(value)
    except TypeError:
        record = None
    if record is None:
        raise TypeError("a record, a graph of one, or a GraphModule is expected, not "
                        f"{type(value).__name__}")  # fmt: skip
    programs = record._edge_programs or {}
    return programs[_chosen(sorted(programs), method, record.path)]


def _chosen(methods, method, file=None):
    if method is None and len(methods) == 1:
        return methods[0]
    if method in methods:
        return method
    problem = "a method has to be named" if method is None else f"there is no method {method!r}"
    raise Error(f"{problem}; edge programs: {', '.join(methods) or 'none'}",
                status="NOT_FOUND", file=file)  # fmt: skip


def _count_module(found, module):
    """Counts the nodes of a GraphModule, as upstream does; returns the number of its delegates."""
    calls = 0
    for node in module.graph.nodes:
        if node.op == "call_function" and not re.fullmatch(_CALL + r"(_[0-9]+)?", node.name):
            found.add(node.name, False)
        if node.op == "get_attr" and node.name.startswith("lowered_module_"):
            calls += 1
            for inner in getattr(module, node.target).original_module.graph.nodes:
                if inner.op == "call_function":
                    found.add(inner.name, True)
    return calls
