"""Prints what an installed executorch says of formats and names that etscope stands in for, as JSON.

    PYTHON tools/wheel_facts.py

PYTHON is one that has executorch, of any version. Prints the tables of the FlatBuffers schemas that
the wheel holds, the names and signatures of python/tests/upstream_homes.py and what else their modules
export, the operators that XNNPACK's partitioner takes, and where the wheel has schemas, backends and
tools. `unread` says what could not be asked.
"""

import importlib
import importlib.util
import inspect
import json
import re
import sys
from pathlib import Path
from unittest import mock

sys.path.append(str(Path(__file__).resolve().parents[1] / "python/tests"))
from upstream_homes import HOMES  # noqa: E402

SCHEMAS = {
    "program": "schema/program.fbs",
    "scalar types": "schema/scalar_type.fbs",
    "tensor data": "extension/flat_tensor/serialize/flat_tensor.fbs",
    "bundled program": "devtools/bundled_program/schema/bundled_program_schema.fbs",
    "ETDump": "devtools/etdump/etdump_schema_flatcc.fbs",
    "XNNPACK": "backends/xnnpack/serialization/runtime_schema.fbs",
    "Vulkan": "backends/vulkan/serialization/schema.fbs",
    "MLX": "backends/mlx/serialization/schema.fbs",
    "native": "backends/native/serialization/native_graph.fbs",
    "TOSA 1.0": "backends/arm/tosa/schemas/tosa_1.0.fbs",
    "TOSA 1.1": "backends/arm/tosa/schemas/tosa_1.1.fbs",
}
DECLARATION = re.compile(r"\b(table|struct|enum|union)\s+(\w+)\s*(?::\s*(\w+)\s*)?(?:\([^)]*\)\s*)?\{([^}]*)\}")
ATTRIBUTES = re.compile(r"\([^)]*\)")
PARTITIONER = "executorch.backends.xnnpack.partition.config"


def members(kind, body):
    """The fields or values of a declaration, in order, as words."""
    body = ATTRIBUTES.sub("", body)
    parts = body.split(";") if kind in ("table", "struct") else body.split(",")
    return " ".join("".join(part.split()) for part in parts if part.strip())


def schema_tables(text):
    """{"table Name": "field:type field:type=default"}"""
    text = re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S))
    found = {f"{kind} {name}": members(kind, body)
             for kind, name, _, body in DECLARATION.findall(text)}
    identifier = re.search(r'file_identifier\s+"(\w+)"', text)
    return {**({"file identifier": identifier.group(1)} if identifier else {}), **found}


def parameter(found):
    stars = {found.VAR_POSITIONAL: "*", found.VAR_KEYWORD: "**"}.get(found.kind, "")
    default = "" if found.default is found.empty else f"={found.default!r}"
    return stars + found.name + ("=..." if " at 0x" in default or "<" in default else default)


def signature(thing):
    """The parameters and their defaults; - where there are none to tell."""
    try:
        return ", ".join(map(parameter, inspect.signature(thing).parameters.values()))
    except (TypeError, ValueError):
        return "-"


def described(name, thing):
    """The name and, of a class, its public members."""
    if inspect.ismodule(thing):
        return {name: "module"}
    found = {name: signature(thing)}
    if inspect.isclass(thing):
        found.update({f"{name}.{member}": signature(getattr(thing, member))
                      for member in dir(thing) if not member.startswith("_")})
    return found


def module_names(module, names):
    found = {}
    for name in sorted({*names, *getattr(module, "__all__", ())}):
        if hasattr(module, name):
            found.update(described(name, getattr(module, name)))
    return found


def all_names(unread):
    for part in ("", ".config", ".pytorch_exported_program_adater_impl"):
        sys.modules.setdefault("model_explorer" + part, mock.MagicMock())
    found = {}
    for theirs, names in HOMES.values():
        try:
            found.setdefault(theirs, {}).update(module_names(importlib.import_module(theirs), names))
        except Exception as error:  # noqa: BLE001: any failure of any version is an answer
            unread[theirs] = f"{type(error).__name__}: {error}"
    return found


def all_schemas(root, unread):
    found = {}
    for name, path in SCHEMAS.items():
        try:
            found[name] = schema_tables((root / path).read_text())
        except OSError:
            unread[f"schema of {name}"] = f"the wheel has no {path}"
    return found


def places(root):
    """The schemas, backends and developer tools of the wheel, by their paths."""
    folders = [path for part in ("backends", "devtools") for path in (root / part).glob("[a-z]*")
               if path.is_dir()]
    return sorted(path.relative_to(root).as_posix() for path in [*folders, *root.rglob("*.fbs")])


def partitioner(unread):
    try:
        configs = importlib.import_module(PARTITIONER).ALL_PARTITIONER_CONFIGS
        return sorted(config.target_name for config in configs)
    except Exception as error:  # noqa: BLE001
        unread["XNNPACK's partitioner"] = f"{type(error).__name__}: {error}"
        return []


def main():
    unread = {}
    root = Path(next(iter(importlib.util.find_spec("executorch").submodule_search_locations)))
    facts = {"schemas": all_schemas(root, unread), "names": all_names(unread),
             "partitioner": partitioner(unread), "places": places(root), "unread": unread}
    json.dump(facts, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
