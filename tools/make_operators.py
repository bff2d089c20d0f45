#!/usr/bin/env python3
"""Writes src/reference/operator_schemas.c: the operators that a graph's evaluation knows.

    python3 tools/make_operators.py <libetscope_engine.so> src/reference/expression_table.c \\
        > src/reference/operator_schemas.c

Needs torch and executorch, whose registries have the schemas. An operator is in the table where the
runtime registers a kernel that takes its arguments (an "out" variant), or where the file of
expressions names it.
"""
import ctypes
import re
import sys
from fractions import Fraction

import torch

try:  # their import registers operators
    import executorch.exir.passes.dim_order_ops_registry  # noqa: F401
    import executorch.extension.llm.custom_ops.custom_ops  # noqa: F401
    import torchao.quantization.pt2e._affine_quantization  # noqa: F401
    import torch.ao.quantization.fx._decomposed  # noqa: F401
except ImportError as error:
    sys.exit(f"make_operators: {error}")

# What outputs have anyway, so that kernels do not take it.
OF_OUTPUTS = {"dtype", "layout", "device", "pin_memory", "memory_format", "generator"}
# Their numbers are nobody else's: they cannot be compared.
RANDOM = {"rand", "randn", "native_dropout"}
# Of complex numbers, whose kernels do not check what they are given.
COMPLEX = {"_fft_c2r", "_fft_r2c", "view_as_real_copy", "_conj_physical"}
# Namespaces of a library that the import below brings, and a runtime may lack.
OF_LIBRARIES = ("llama::", "preprocess::")
TYPES = {"Tensor": "t", "Scalar": "S", "int": "i", "SymInt": "i", "float": "f", "bool": "b",
         "str": "s", "ScalarType": "D", "MemoryFormat": "M", "Layout": "L", "Device": "V",
         "Generator": "G", "Dimname": "N", "Storage": "N", "Stream": "N"}


NUMBERS = [("a", "S", None, False), ("b", "S", None, False)]
OF_ONE_NUMBER = {"neg", "pos", "not_", "abs", "sym_float", "sym_int", "sym_not"}


class Engine(ctypes.Structure):
    """The first fields of struct ets_engine."""
    _fields_ = [("interface_version", ctypes.c_uint32), ("struct_bytes", ctypes.c_uint32),
                ("runtime_version", ctypes.c_char_p), ("tracing", ctypes.c_int),
                ("ticks", ctypes.c_uint64 * 2), ("backends", ctypes.c_void_p * 3),
                ("kernel_count", ctypes.CFUNCTYPE(ctypes.c_size_t)),
                ("kernel_name", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_size_t))]


def kernel_names(path):
    interface = ctypes.CDLL(path).ets_engine_interface
    interface.restype = ctypes.POINTER(Engine)
    engine = interface().contents
    names = {engine.kernel_name(i).decode() for i in range(engine.kernel_count())}
    return sorted(name for name in names if not name.startswith(OF_LIBRARIES))


def type_code(declared):
    """'SymInt[2]?' to 'i[2]?', by the letters of TYPES."""
    letters = re.match(r"[A-Za-z]+", declared).group()
    return TYPES[letters] + declared[len(letters):]


def split_schema(schema):
    """[(name, type, default or None, is written)] of the arguments; the types of the returns."""
    text = str(schema)
    inner, returns = re.match(r"[^(]*\((.*)\) -> (.*)$", text).groups()
    arguments = []
    for part in re.split(r",\s*(?![^(\[]*[)\]])", inner):
        if part in ("", "*"):
            continue
        declared, default = (part.split("=", 1) + [None])[:2]
        kind, name = declared.rsplit(" ", 1)
        written = "!" in kind
        arguments.append((name, type_code(re.sub(r"\([^)]*\)", "", kind)), default, written))
    if returns.startswith("("):
        returns = re.sub(r"\([a-z]!?( -> \*)?\)", "", returns)[1:-1]
    kinds = [re.sub(r"\([^)]*\)", "", part).split(" ")[0] for part in returns.split(", ") if part]
    return arguments, [type_code(kind) for kind in kinds]


def default_text(kind, default):
    words = {"None": "", "True": "1", "False": "0", "Mean": "1", "contiguous_format": "1"}
    if default is None or default in words:
        return words.get(default)
    if kind[0] in "fS":
        number = Fraction(default)
        return str(number)
    default = re.sub(r"^\[(-?[0-9]+)(, \1)*\]$", r"\1", default)  # one number stands for the list
    if not re.fullmatch(r'-?[0-9]+|\[\]|".*"', default):
        return None  # the graph must give it
    return default.strip('"')


def row(name, kernel, arguments, returns, kernel_arguments):
    parts = []
    for argument, kind, default, written in arguments:
        unused = "" if kernel_arguments is None or argument in kernel_arguments else "-"
        value = default_text(kind, default)
        parts.append(f"{unused}{kind}{'!' if written else ''} {argument}" + ("" if value is None else f"={value}"))
    kernel_text = f'"{kernel}"' if kernel else "NULL"
    return f'{{"{name}", {kernel_text}, "{";".join(parts)}", "{" ".join(returns)}"}},'


def is_left_out(schema):
    return schema.name.split("::")[1] in RANDOM | COMPLEX


def kernel_rows(names):
    functional = {}
    for schema in torch._C._jit_get_all_schemas():
        arguments, _ = safe_split(schema)
        if arguments is not None and not any(written for *_, written in arguments):
            functional.setdefault(schema.name, []).append(schema)
    for kernel in names:
        base, _, overload = kernel.partition(".")
        try:
            out = torch._C._get_schema(base, overload)
        except RuntimeError:
            continue  # executorch_prim and the like: no operator of torch
        arguments, _ = split_schema(out)
        outs = [name for name, *_, written in arguments if written]
        wanted = {name: kind for name, kind, _, written in arguments if not written}
        for schema in functional.get(out.name, []):
            given, returns = split_schema(schema)
            kinds = {name: kind for name, kind, *_ in given}
            extra = set(kinds) - set(wanted)
            same = all(kinds.get(name) == kind for name, kind in wanted.items())
            if not same or extra - OF_OUTPUTS or is_left_out(schema):
                continue
            if len(returns) != len(outs) or overload == schema.overload_name:
                continue
            yield graph_name(schema), row(graph_name(schema), kernel, given, returns, set(wanted))


def safe_split(schema):
    try:
        return split_schema(schema)
    except (KeyError, AttributeError, ValueError):
        return None, None


def graph_name(schema):
    return f"{schema.name.replace('::', '.')}.{schema.overload_name or 'default'}"


def expression_rows(path, known):
    with open(path, encoding="utf-8") as file:
        names = re.findall(r'^    \{"([a-z_A-Z0-9]+(?:\.[a-z_A-Z0-9]+)+)", ', file.read(), re.M)
    for name in names:
        if name in known:
            continue
        if name.count(".") == 1:  # Python's own, on numbers
            one = name.startswith("math.") or name.split(".")[1] in OF_ONE_NUMBER
            yield name, row(name, None, NUMBERS[:1 if one else 2], ["S"], None)
            continue
        space, base, overload = name.split(".")
        schema = torch._C._get_schema(f"{space}::{base}", "" if overload == "default" else overload)
        arguments, returns = split_schema(schema)
        yield name, row(name, None, arguments, returns, None)


def main():
    engine, expressions = sys.argv[1:]
    rows = {}
    for name, text in kernel_rows(kernel_names(engine)):
        rows.setdefault(name, text)
    rows.update(expression_rows(expressions, rows))
    print("/* Written by tools/make_operators.py; operators.h says how to read it. */")
    print('#include "reference/operators.h"\n')
    print("/* clang-format off */\nconst struct reference_operator ets_reference_operators[] = {")
    for name in sorted(rows):
        print(f"    {rows[name]}")
    print("};\n/* clang-format on */\n")
    print("const uint32_t ets_reference_operator_count =\n"
          "    sizeof ets_reference_operators / sizeof *ets_reference_operators;")


if __name__ == "__main__":
    main()
