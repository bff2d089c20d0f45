"""Shows graphs of programs: in Model Explorer where it is installed, otherwise as a report."""

import atexit
import copy
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import webbrowser

from etscope._errors import Error
from etscope.etrecord import ETRecord, parse_etrecord
from etscope.visualization._collection import collection_of, nodes_of


class ModelExplorerServer:
    """A server of Model Explorer for a `with` block.

        with ModelExplorerServer(open_in_browser=False):
            visualize(first, reuse_server=True)
            visualize(second, reuse_server=True)

    Raises Error: UNAVAILABLE without the command `model-explorer`.
    """

    wait_after_start = 2.0  # seconds

    def __init__(self, open_in_browser=True, port=None):
        self.server = _start_server(open_in_browser, port)

    def __enter__(self):
        time.sleep(self.wait_after_start)

    def __exit__(self, type, value, traceback):
        _stop(self.server, self.wait_after_start)


class SingletonModelExplorerServer:
    """The same; blocks inside of each other share one server, which the outermost ends."""

    server = None
    num_open = 0
    wait_after_start = 3.0  # seconds

    def __init__(self, open_in_browser=True, port=None):
        if SingletonModelExplorerServer.server is None:
            SingletonModelExplorerServer.server = _start_server(open_in_browser, port)

    def __enter__(self):
        SingletonModelExplorerServer.num_open += 1
        time.sleep(SingletonModelExplorerServer.wait_after_start)
        return self

    def __exit__(self, type, value, traceback):
        SingletonModelExplorerServer.num_open -= 1
        if SingletonModelExplorerServer.num_open == 0:
            _stop(SingletonModelExplorerServer.server, self.wait_after_start)
            SingletonModelExplorerServer.server = None


def visualize(visualizable, reuse_server=True, no_open_in_browser=False, **kwargs):
    """Shows the graph of a program in a browser.

        visualize(torch.export.export(model, inputs))
        visualize("model.etrecord")

    visualizable        torch's ExportedProgram, a program manager of executorch, an ETRecord or its
                        path
    reuse_server        use a server of Model Explorer that runs already, on ports 8080 to 8099
    no_open_in_browser  print the address instead
    kwargs              for model_explorer.visualize_from_config: `port`, `host`, `config`...

    Without Model Explorer a report is written and opened; its path is returned. Raises Error: it is
    none of these, or (without Model Explorer) the program cannot be serialized.
    """
    if not _has_model_explorer():
        return _open_report(visualizable, no_open_in_browser)
    collection = collection_of(
        {name: nodes_of(_graph_of(program)) for name, program in _programs_of(visualizable).items()}
    )
    _show(collection, reuse_server, no_open_in_browser, kwargs)
    return None


def visualize_graph(
    graph_module, exported_program, reuse_server=True, no_open_in_browser=False, **kwargs
):
    """Shows a graph module, such as one that a pass returned, in place of the program's own.

    Its operators may be any. Otherwise as visualize.
    """
    program = copy.copy(_only_program(exported_program))
    if not _has_model_explorer():
        program._graph_module = graph_module
        return _open_report(program, no_open_in_browser)
    collection = collection_of({"forward": nodes_of(graph_module.graph)})
    _show(collection, reuse_server, no_open_in_browser, kwargs)
    return None


def visualize_with_clusters(
    exported_program,
    json_file_name=None,
    no_open_in_browser=False,
    reuse_server=False,
    get_node_partition_name=lambda node: node.meta.get("delegation_tag", None),
    get_node_qdq_cluster_name=lambda node: node.meta.get("cluster", None),
    **kwargs,
):
    """Shows a program with its nodes in boxes: partitions, and clusters of quantized operators.

        visualize_with_clusters(program, "clusters.json")

    exported_program           torch's ExportedProgram
    json_file_name             write the graphs to this file, which Model Explorer opens, and show
                               nothing; needs no Model Explorer
    get_node_partition_name    of a torch.fx node, its partition; None: it is in none
    get_node_qdq_cluster_name  likewise

    A box is named "partition 0 (tag)", in the order of the graph, or "cluster (name)". Raises Error:
    UNAVAILABLE without Model Explorer and without json_file_name.
    """
    partitions = {}

    def namespace(node):
        partition, cluster = get_node_partition_name(node), get_node_qdq_cluster_name(node)
        boxes = []
        if partition is not None:
            number = partitions.setdefault(partition, len(partitions))
            boxes.append(f"partition {number} ({_without_slash(partition)})")
        if cluster is not None:
            boxes.append(f"cluster ({_without_slash(cluster)})")
        return "/".join(boxes)

    nodes = nodes_of(_graph_of(exported_program), namespace)
    collection = collection_of({"forward": nodes})
    if json_file_name is not None:
        pathlib.Path(json_file_name).write_text(json.dumps(collection), encoding="utf-8")
    else:
        _show(collection, reuse_server, no_open_in_browser, kwargs)


def visualize_model_explorer(**kwargs):
    """Calls model_explorer.visualize_from_config.

    Raises Error: UNAVAILABLE without Model Explorer.
    """
    if not _has_model_explorer():
        raise Error("Model Explorer is not installed: pip install ai-edge-model-explorer",
                    status="UNAVAILABLE")  # fmt: skip
    from model_explorer import visualize_from_config

    visualize_from_config(**kwargs)


def _without_slash(name):
    return name.replace("/", ":")  # which Model Explorer takes as another box


def _has_model_explorer():
    return importlib.util.find_spec("model_explorer") is not None


def _start_server(open_in_browser, port):
    command = ["model-explorer"]
    command += [] if open_in_browser else ["--no_open_in_browser"]
    command += [] if port is None else ["--port", str(port)]
    try:
        return subprocess.Popen(command)
    except OSError as reason:
        raise Error("model-explorer cannot be started: pip install ai-edge-model-explorer "
                    f"({reason.strerror})", status="UNAVAILABLE") from reason  # fmt: skip


def _stop(server, seconds):
    server.terminate()
    try:
        server.wait(seconds)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _show(collection, reuse_server, no_open_in_browser, kwargs):
    """Model Explorer reads the file when its page asks for it."""
    if not _has_model_explorer():
        return visualize_model_explorer()  # which says what is missing
    from model_explorer import config

    path = _folder() / "graph.json"
    path.write_text(json.dumps(collection), encoding="utf-8")
    chosen = config()
    chosen.add_model_from_path(str(path))
    if reuse_server:
        chosen.set_reuse_server()
    kwargs.setdefault("config", chosen)
    return visualize_model_explorer(no_open_in_browser=no_open_in_browser, **kwargs)


def _folder():
    """A folder that lives as long as the interpreter."""
    path = tempfile.mkdtemp(prefix="etscope-graph-")
    atexit.register(shutil.rmtree, path, True)
    return pathlib.Path(path)


def _is_record(value):
    return isinstance(value, (str, os.PathLike, ETRecord))


def _record_of(value):
    return value if isinstance(value, ETRecord) else parse_etrecord(os.fspath(value))


def _programs_of(visualizable):
    """{name: program} of what can be shown."""
    if not _is_record(visualizable):
        return {"forward": _only_program(visualizable)}
    programs = _record_of(visualizable).edge_dialect_program
    if programs is None:
        raise Error("the ETRecord has no edge program to show", status="NOT_FOUND")
    return programs if isinstance(programs, dict) else {"forward": programs}


def _only_program(visualizable):
    """As executorch finds it: of a manager the program of "forward"."""
    program = visualizable
    if callable(getattr(program, "exported_program", None)):
        program = program.exported_program()
    if not hasattr(program, "graph_signature"):
        raise Error(f"there is no graph to show in a {type(visualizable).__name__}: expected an "
                    "ExportedProgram, a manager of programs, an ETRecord or its path",
                    status="INVALID_ARGUMENT")  # fmt: skip
    return program


def _graph_of(program):
    return _only_program(program).graph


def _open_report(visualizable, no_open_in_browser):
    """Writes a report of the graph and opens it; returns its path."""
    from etscope.inspector._report import write_record_report

    folder = pathlib.Path(tempfile.mkdtemp(prefix="etscope-graph-"))
    if _is_record(visualizable):
        record = _record_of(visualizable)
    else:
        record = ETRecord()
        record.add_edge_dialect_program(_only_program(visualizable))
    if record.path is None:
        path = folder / "graph.etrecord"
        with open(path, "xb") as file:
            record._write(file, slim=True)  # what save asks for beyond the graph is not needed
        record = parse_etrecord(str(path))
    report = folder / "graph.html"
    write_record_report(record, report)
    address = f"{report.as_uri()}#1/graph"
    if no_open_in_browser or not webbrowser.open(address):
        print(f"The graph is in {address}")
    return str(report)
