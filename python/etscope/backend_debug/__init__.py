"""For authors of backends: shows what was delegated, and maps the events of delegates.

Mirrors `executorch.devtools.backend_debug`, with `executorch.exir.backend.utils`'s
DelegateMappingBuilder and format_delegated_graph beside it. PyTorch is never imported.
"""

from etscope.backend_debug.delegate_mapping import DelegateMappingBuilder
from etscope.backend_debug.delegation_info import (
    DelegationBreakdown,
    DelegationInfo,
    format_delegated_graph,
    get_delegation_info,
    print_delegated_graph,
    print_delegation_info,
)

__all__ = [
    "DelegateMappingBuilder",
    "DelegationBreakdown",
    "DelegationInfo",
    "format_delegated_graph",
    "get_delegation_info",
    "print_delegated_graph",
    "print_delegation_info",
]
