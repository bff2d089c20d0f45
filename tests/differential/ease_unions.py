"""Changes what flatc generated so that it verifies of unions what etscope reads: ease_unions.py FILE...

flatc's code follows the offset of a union's value whatever its type. etscope reads no values of types
that it does not know, nor of Null, which has nothing, and so does not verify where they lie.
"""

import pathlib
import re
import sys

UNION = re.compile(r"VerifyOffset\(verifier, (VT_\w+)\) &&\s*(Verify([A-Z]\w*)\(verifier, \w+\(\), (\w+)\(\)\)) &&")


def ease(match):
    field, call, union, kind = match.groups()
    is_unread = f"static_cast<unsigned>({kind}()) - 1u >= static_cast<unsigned>({union}_MAX)"
    if union == "KernelTypes":
        is_unread += f" || {kind}() == KernelTypes_Null"
    return f"({is_unread} || (VerifyField<uint32_t>(verifier, {field}, 4) && {call})) &&"


for name in sys.argv[1:]:
    path = pathlib.Path(name)
    path.write_text(UNION.sub(ease, path.read_text()))
