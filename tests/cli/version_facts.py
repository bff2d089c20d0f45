"""What etscope reads of small exports of one version of ExecuTorch, as facts to compare.

tools/export_versions.py makes the exports; record_traces adds runs of their programs in this runtime.
A fact has a name, "mixed: operators of forward", and a list of lines.
"""

import json
import unittest
import zipfile

import support

SIDE_FILES = ("_state_dict", "_constants", "_example_inputs")


class Unread(Exception):
    """A command did not end well; the message is its last line."""


def document(*words):
    done = support.run(*words, "--format", "json")
    if done.returncode == support.UNAVAILABLE:
        raise unittest.SkipTest(done.stderr.decode())
    if done.returncode != support.OK:
        raise Unread((done.stderr.decode().strip().splitlines() or ["no message"])[-1])
    return json.loads(done.stdout)


def cells(row, *names):
    """The cells of a row as one line: lists joined, absent ones as -."""
    def text(value):
        if isinstance(value, list):
            return " ".join(map(str, value)) or "-"
        return "-" if value is None else str(value)
    return " | ".join(text(row[name]) for name in names)


def methods_of(program):
    return [each["name"] for each in document("info", program)["rows"][0]["methods"]]


def traces(folder, name):
    """Method and trace of each run that record_traces made."""
    return [(path.name.split(".")[1], path) for path in sorted(folder.glob(f"{name}.*.etdp"))
            if path.name.split(".")[1] != "own"]


def record_traces(folder):
    """Runs each method of each bundled program on its test case, with all values."""
    for bundle in sorted(folder.glob("*.bpte")):
        for method in methods_of(bundle.with_suffix(".pte")):
            base = folder / f"{bundle.stem}.{method}"
            done = support.run("run", bundle, "--method", method, "--case", 0, "--capture",
                               "intermediates", "-o", f"{base}.etdp", "--debug-buffer",
                               f"{base}.bin")
            if done.returncode != support.OK:
                raise Unread(done.stderr.decode().strip())


def program_facts(folder, name):
    program = folder / f"{name}.pte"
    row = document("info", program)["rows"][0]
    yield "program", [f"schema version {row['schema_version']}"] + [
        f"{method['name']}: {json.dumps(method['instructions'])}, arenas "
        f"{[each['bytes'] for each in method['arenas']]}" for method in row["methods"]]
    for method in row["methods"]:
        yield f"operators of {method['name']}", [
            cells(each, "name", "overload", "calls") for each in method["operators"]] + [
            cells(each, "backend", "content", "node_count") for each in method["delegates"]]


def written_as(record, entry):
    """The version of torch.export's schema that a graph of a record is in."""
    with zipfile.ZipFile(record) as entries:
        version = json.loads(entries.read(entry))["schema_version"]
    return f"{version['major']}.{version['minor']}"


def record_facts(folder, name):
    record = folder / f"{name}.etrecord"
    row = document("info", record)["rows"][0]
    yield "entries of the record", sorted(each["name"] for each in row["entries"]
                                          if not each["name"].endswith(SIDE_FILES))
    yield "graphs of the record", sorted(
        f"{cells(each, 'name', 'dialect', 'node_count', 'error')} | "
        f"schema {written_as(record, each['name'])}" for each in row["graphs"])
    yield "values of the record", [
        "inputs " + " ".join(f"{each['scalar_type']} {each['sizes']}"
                             for each in row["representative_inputs"] or ())] + [
        f"{method['name']}: {cells(method, 'reference_case_count', 'mapped_instruction_count')}"
        for method in row["methods"]]


def with_record(folder, name):
    return "--etrecord", folder / f"{name}.etrecord", "--program", folder / f"{name}.pte"


def joined_facts(folder, name):
    for method, trace in traces(folder, name):
        found = document("inspect", trace, *with_record(folder, name))
        yield f"{method} joined", [
            "  " * row["depth"] + cells(row, "operator", "source", "module", "op_types")
            for row in found["rows"] if row["method"] == method]
        yield f"notes of {method}", [note for note in found["notes"] if "record has" in note]


def gap_facts(folder, name):
    for method, trace in traces(folder, name):
        try:
            rows = document("gap", trace, *with_record(folder, name))["rows"]
        except Unread as error:
            yield f"gap of {method}", [str(error).removeprefix(f"etscope: {folder}/")]
            continue
        yield f"gap of {method}", [cells(row, "aot_ops", "captured", "shape", "finding")
                                   for row in rows]


def cost_facts(folder, name):
    program, record = folder / f"{name}.pte", folder / f"{name}.etrecord"
    yield "cost", [cells(row, "method", "operator", "flops", "moved_bytes", "cost")
                   for row in document("cost", program, "--etrecord", record)["rows"]]
    yield "memory", [cells(row, "method", "kind", "size_bytes", "offset", "lifetime", "source")
                     for row in document("memory", program, "--etrecord", record)["rows"]]
    yield "weights", sorted(cells(row, "part", "role", "dtype", "shape", "size_bytes")
                            for row in document("size", program, "--no-siblings")["rows"]
                            if row["part"] in ("constant", "delegate_weight"))


def own_facts(folder, name):
    """Of the trace that the version's own runtime made."""
    trace = folder / f"{name}.own.etdp"
    if trace.exists():
        found = document("inspect", trace, *with_record(folder, name))
        yield "own trace", [cells(row, "method", "runs", "operator", "source")
                            for row in found["rows"]]


def verified_facts(folder, name):
    yield "verified", [cells(row, "method", "case", "output", "verdict")
                       for row in document("verify", folder / f"{name}.bpte")["rows"]]


READ = (program_facts, record_facts, joined_facts, cost_facts, own_facts)
COMPUTED = (verified_facts, gap_facts)  # by the engine


def facts(folder, kinds=READ + COMPUTED):
    """The facts of all exports in a folder."""
    found = {}
    for program in sorted(folder.glob("*.pte")):
        for kind in kinds:
            try:
                found.update({f"{program.stem}: {what}": lines
                              for what, lines in kind(folder, program.stem)})
            except Unread as error:
                what = kind.__name__.removesuffix("_facts")
                found[f"{program.stem}: {what}"] = [f"unread: {error}"]
    return found


def is_computed(name):
    return name.split(": ")[1].split()[0] in ("verified", "gap")


def differing(found, expected):
    """The facts of `found` that `expected` does not have; None for those that only it has."""
    names = [*found, *(name for name in expected if name not in found)]
    return {name: found.get(name) for name in names if found.get(name) != expected.get(name)}


def applied(changes, base):
    """The facts that differ from `base` by `changes`."""
    return {name: lines for name, lines in {**base, **changes}.items() if lines is not None}
