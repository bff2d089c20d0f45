"""Graphs of programs in a browser: the functions of executorch.devtools.visualization.

    from etscope.visualization import visualize

    visualize(edge_manager)               # an ExportedProgram, a manager, an ETRecord or its path

Where Model Explorer is installed (`pip install ai-edge-model-explorer`), it shows the graph;
otherwise etscope's report does, in one file without network.
"""

from etscope.visualization.visualization_utils import (
    ModelExplorerServer,
    SingletonModelExplorerServer,
    visualize,
    visualize_graph,
    visualize_model_explorer,
    visualize_with_clusters,
)

__all__ = [
    "ModelExplorerServer",
    "SingletonModelExplorerServer",
    "visualize",
    "visualize_graph",
    "visualize_model_explorer",
    "visualize_with_clusters",
]
