"""For those who write backends: what was delegated, and what a delegate's events stand for.

Mirrors `executorch.devtools.backend_debug`, with `executorch.exir.backend.utils`'s
DelegateMappingBuilder beside it. PyTorch is never imported.
"""

from etscope.backend_debug.delegate_mapping import DelegateMappingBuilder
from etscope.backend_debug.delegation_info import (
    DelegationBreakdown,
    DelegationInfo,
    get_delegation_info,
    print_delegation_info,
)

__all__ = [
    "DelegateMappingBuilder",
    "DelegationBreakdown",
    "DelegationInfo",
    "get_delegation_info",
    "print_delegation_info",
]
