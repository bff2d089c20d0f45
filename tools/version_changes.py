"""What is other in the exports and in the wheel of another version of ExecuTorch.

Each change is a pair of a kind and a line. Kinds: BREAKS, what etscope read does not come out; LACKS,
what upstream's Python has and the drop-in does not; NEW, what etscope does not know yet; OTHER, what
differs without a loss; UNKNOWN, what could not be compared.
"""

BREAKS, LACKS, NEW, OTHER, UNKNOWN = "breaks", "lacks", "new", "other", "unknown"


def difference(found, expected):
    """What is gone and what was added, of two lists."""
    return ([each for each in expected if each not in found],
            [each for each in found if each not in expected])


def without_source(lines):
    return sum("- | -" in line for line in lines)


def is_loss(what, gone, added):
    """Whether a fact that differs is worse than before: lines of rows, verdicts and findings."""
    return (any(line.startswith("unread") for line in added)
            or what.startswith(("verified", "gap"))
            or what.endswith(("joined", "own trace")) and without_source(added) > without_source(gone))


def of_fact(what, found, expected):
    if found is None:
        return BREAKS, f"there is no {what}"
    if expected is None:
        return NEW, f"{what}: {'; '.join(found)}"
    gone, added = difference(found, expected)
    if not gone and not added:
        return OTHER, f"{what}: in another order"
    lines = [f"{sign} {' '.join(line.split())}"
             for sign, group in (("-", gone), ("+", added)) for line in group]
    return BREAKS if is_loss(what, gone, added) else OTHER, "\n    ".join([f"{what}:", *lines])


def of_facts(found, expected):
    """Of what etscope read (tests/cli/version_facts.py); what is the same of several models once."""
    models = {}
    for name in [*expected, *(name for name in found if name not in expected)]:
        if found.get(name) != expected.get(name):
            model, what = name.split(": ", 1)
            change = of_fact(what, found.get(name), expected.get(name))
            models.setdefault(change, []).append(model)
    for (kind, line), names in models.items():
        yield kind, f"{', '.join(names)}: {line}"


def of_table(name, found, expected):
    """A FlatBuffer's fields are known by their place, an enumeration's values by their number."""
    new, old = found.split(), expected.split()
    gone, added = difference(new, old)
    has_numbers = name.startswith("enum ") and all("=" in word for word in old)
    if gone:
        yield BREAKS, f"{name} no longer has {' '.join(gone)}"
    elif not has_numbers and new[:len(old)] != old:
        yield BREAKS, f"{name} has another order: {found}"
    if added:
        yield NEW, f"{name} has {' '.join(added)}"


def of_schema(tables, expected):
    for table, fields in expected.items():
        if table not in tables:
            yield BREAKS, f"{table} is not there"
        else:
            yield from of_table(table, tables[table], fields)
    for table in tables:
        if table not in expected:
            yield NEW, f"{table} {tables[table]}"


def of_schemas(found, expected):
    for schema in found:
        if schema in expected:
            for kind, line in of_schema(found[schema], expected[schema]):
                yield kind, f"schema of {schema}: {line}"


def of_signature(name, found, expected):
    gone, added = difference(found.split(", "), expected.split(", "))
    if added:
        yield LACKS, f"{name} takes {', '.join(added)}" + (f", took {', '.join(gone)}" if gone else "")
    elif gone:
        yield OTHER, f"{name} no longer takes {', '.join(gone)}"


def of_module(names, expected):
    for name, parameters in names.items():
        if name not in expected:
            yield LACKS, name if parameters == "-" else f"{name}({parameters})"
        else:
            yield from of_signature(name, parameters, expected[name])
    gone = [name for name in expected if name not in names]
    if gone:
        yield OTHER, f"no longer has {', '.join(gone)}"


def of_names(found, expected):
    """Of Python's modules; several have a class, which is told once. What is gone stays in the drop-in."""
    told = set()
    for module, names in found.items():
        for change in of_module(names, expected.get(module, {})):
            if change not in told:
                told.add(change)
                yield change[0], f"{module}: {change[1]}"


def of_list(verb, found, expected):
    gone, added = difference(found, expected)
    if found and added:
        yield NEW, f"{verb.format('')} {', '.join(added)}"
    if found and gone:
        yield OTHER, f"{verb.format('no longer ')} {', '.join(gone)}"


def of_wheel(found, expected):
    """Of what tools/wheel_facts.py prints; a part that was not recorded yet is as it is found."""
    expected = {**found, **expected}
    yield from of_schemas(found["schemas"], expected["schemas"])
    yield from of_names(found["names"], expected["names"])
    yield from of_list("XNNPACK's partitioner {}takes", found["partitioner"], expected["partitioner"])
    yield from of_list("the wheel {}has", found["places"], expected["places"])
    for what, why in found["unread"].items():
        yield UNKNOWN, f"{what}: {why}"


def of_making(made, differences):
    """Of made.json of tools/export_versions.py; `differences` are the largest of the version before."""
    models = {}
    for stage, why in made["failed"].items():
        model, what = stage.split(": ", 1)
        models.setdefault((what, why), []).append(model)
    for (what, why), names in models.items():
        yield BREAKS, f"{what} of {', '.join(names)}: {why}"
    for model, found in made["largest_difference"].items():
        known = differences.get(model)
        if found is not None and known is not None and found > 10 * known + 1e-6:
            yield OTHER, f"{model}: its own runtime is {found:.2g} off PyTorch, was {known:.2g}"
