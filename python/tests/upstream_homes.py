"""The names of upstream's modules that modules of this package stand in for."""

# {our module: (upstream's, names)}
HOMES = {
    "etscope": (
        "executorch.devtools",
        ("BundledProgram", "ETRecord", "Inspector", "generate_etrecord", "inspector",
         "parse_etrecord"),
    ),
    "etscope.inspector": (
        "executorch.devtools.inspector",
        ("Event", "EventBlock", "Inspector", "PerfData", "TimeScale", "compare_results",
         "parse_vgf_neural_statistics_delegate_metadata", "parse_vgf_neural_statistics_metadata"),
    ),
    "etscope.visualization": (
        "executorch.devtools.visualization.visualization_utils",
        ("ModelExplorerServer", "SingletonModelExplorerServer", "visualize", "visualize_graph",
         "visualize_model_explorer", "visualize_with_clusters"),
    ),
    "etscope.etrecord": (
        "executorch.devtools.etrecord", ("ETRecord", "generate_etrecord", "parse_etrecord"),
    ),
    "etscope.bundled_program.core": (
        "executorch.devtools.bundled_program.core", ("BundledProgram",),
    ),
    "etscope.bundled_program.config": (
        "executorch.devtools.bundled_program.config", ("MethodTestCase", "MethodTestSuite"),
    ),
    "etscope.bundled_program.serialize": (
        "executorch.devtools.bundled_program.serialize",
        ("deserialize_from_flatbuffer_to_bundled_program",
         "serialize_from_bundled_program_to_flatbuffer"),
    ),
    "etscope.backend_debug": (
        "executorch.devtools.backend_debug",
        ("DelegationBreakdown", "get_delegation_info", "print_delegation_info"),
    ),
    "etscope.backend_debug.delegation_info": (
        "executorch.devtools.backend_debug.delegation_info",
        ("DelegationBreakdown", "DelegationInfo", "get_delegation_info", "print_delegation_info"),
    ),
    "etscope.backend_debug.delegate_mapping": (
        "executorch.exir.backend.utils", ("DelegateMappingBuilder",),
    ),
    "etscope.runtime": (
        "executorch.runtime",
        ("BackendRegistry", "Method", "MethodMeta", "OperatorRegistry", "Program", "Runtime",
         "Verification"),
    ),
    "etscope.intermediate_output_tap": (
        "executorch.devtools.intermediate_output_tap",
        ("FULL_TENSOR", "NodeSelector", "STATS", "StatReducer", "TapRule", "TapSpec",
         "compare_aot_runtime_dataframe", "find_tap_nodes", "get_reducer", "is_tap_node",
         "select_all", "select_all_call_function", "select_any", "select_by_module_class",
         "select_by_module_path", "select_by_op_type", "select_not", "strip_taps_", "tap_compare",
         "tap_intermediate_outputs_"),
    ),
    "etscope.util.activation_memory_profiler": (
        "executorch.util.activation_memory_profiler",
        ("Allocation", "MemoryTimeline", "create_tensor_allocation_info", "generate_memory_trace"),
    ),
}  # fmt: skip
