/*
 * graph.h - one model of a computation graph, whatever file it came from: the ATen program and the
 * edge programs of an ETRecord. (Source of the rules: executorch/exir/serde schema 5.4.)
 *
 *     const struct ets_graph *graph;
 *     if (ets_etrecord_edge_graph(record, "forward", &graph, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < graph->node_count; i++) {
 *             const struct ets_graph_node *node = &graph->nodes[i];
 *             printf("%.*s %s\n", (int)node->name.size, node->name.data, node->op.data);
 *         }
 *     }
 *
 * Plain structs, borrowed from the record they were read from and never changed afterwards, so
 * that any thread may read them. Every text here is terminated by a NUL that its size does not
 * count. An absent text has data NULL.
 */
#ifndef ETSCOPE_GRAPH_H
#define ETSCOPE_GRAPH_H

#include "etscope/bytes.h"
#include "etscope/status.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An index that names nothing. */
#define ETS_GRAPH_NONE UINT32_MAX

/* Names to indices; opaque. */
struct ets_graph_index;

/* One frame of a Python stack trace. */
struct ets_graph_frame {
    struct ets_text file;     /* "models/zoo.py" */
    struct ets_text function; /* "forward" */
    struct ets_text code;     /* the source line, without indentation; may be absent */
    uint32_t line;            /* 1-based */
};

/* One level of nn_module_stack, outermost first. */
struct ets_graph_module {
    struct ets_text key;  /* "L__self__" or an object number */
    struct ets_text path; /* "layers.0.linear"; "" is the model itself */
    struct ets_text type; /* "torch.nn.modules.linear.Linear" */
};

/* One level of a node's origin, newest first (the last from_node element at each level). */
struct ets_graph_origin {
    struct ets_text name;      /* "linear" */
    struct ets_text target;    /* "aten.linear.default" */
    struct ets_text pass_name; /* "ExportedProgram.module()" */
    struct ets_text action;    /* "create" */
    uint64_t graph_id;         /* unique inside one record only */
};

/* What a value is, as far as the graph knows. */
struct ets_graph_value {
    struct ets_text name;
    int32_t scalar_type; /* enum ets_scalar_type; -1: not a tensor or unknown */
    uint32_t rank;
    const int64_t *sizes; /* [rank]; a symbolic size is its hint, or -1 without one */
    const struct ets_text
        *size_texts;            /* [rank] "s0*2" where symbolic, absent where fixed; or NULL */
    struct ets_text expression; /* of a SymInt, SymBool or SymFloat: "u0", "u0 >= 2"; else absent */
};

enum ets_argument_kind {
    ETS_ARGUMENT_NONE = 0,
    ETS_ARGUMENT_TENSOR = 1,        /* name */
    ETS_ARGUMENT_SYMBOL = 2,        /* name: as_sym_int, as_sym_bool, as_sym_float by name */
    ETS_ARGUMENT_INT = 3,           /* int_value */
    ETS_ARGUMENT_BOOL = 4,          /* int_value */
    ETS_ARGUMENT_FLOAT = 5,         /* float_value; infinities and NaN included */
    ETS_ARGUMENT_STRING = 6,        /* name holds the text */
    ETS_ARGUMENT_SCALAR_TYPE = 7,   /* int_value: enum ets_scalar_type; -1 unknown */
    ETS_ARGUMENT_MEMORY_FORMAT = 8, /* int_value: 1 contiguous, 2 channels last, 4 preserve */
    ETS_ARGUMENT_LAYOUT = 9,        /* int_value */
    ETS_ARGUMENT_DEVICE = 10,       /* name: "cpu" */
    ETS_ARGUMENT_LIST = 11,         /* items[item_count] */
    ETS_ARGUMENT_GRAPH = 12,        /* name; graph: index into ets_graph.subgraphs */
    ETS_ARGUMENT_OTHER = 13         /* as_operator, as_custom_obj...: name holds the tag */
};

struct ets_graph_argument {
    enum ets_argument_kind kind;
    struct ets_text label; /* the operator schema's argument name; may be empty */
    struct ets_text name;
    int64_t int_value;
    double float_value;
    uint32_t graph;
    uint32_t item_count;
    const struct ets_graph_argument *items;
};

struct ets_graph_node {
    struct ets_text name;   /* "aten_add_tensor": the JSON node's own name */
    struct ets_text target; /* "executorch.exir.dialects.edge.ops.aten.add.Tensor" */
    /*
     * The operator as upstream's Inspector prints it: "aten.add.Tensor" for edge operators,
     * "add.Tensor" for plain ATen ones, "executorch_call_delegate", "cond".
     */
    struct ets_text op;
    int64_t debug_handle;        /* -1: none in the file; 0: present but unset */
    struct ets_text stack_trace; /* as stored, innermost frame last; may be absent */
    uint32_t frame_count;        /* the same, taken apart: outermost first */
    const struct ets_graph_frame *frames;
    uint32_t module_count;
    const struct ets_graph_module *modules;
    uint32_t origin_count; /* 0 also where the text cannot be read */
    const struct ets_graph_origin *origins;
    uint32_t input_count;
    const struct ets_graph_argument *inputs;
    uint32_t output_count; /* getitem nodes are folded into these */
    const struct ets_graph_argument *outputs;
};

enum ets_graph_input_role {
    ETS_INPUT_USER = 0,
    ETS_INPUT_PARAMETER = 1,
    ETS_INPUT_BUFFER = 2,
    ETS_INPUT_CONSTANT = 3, /* tensor_constant, constant_input */
    ETS_INPUT_OTHER = 4     /* token, custom_obj, inputs of a subgraph */
};

struct ets_graph_input {
    struct ets_graph_argument argument;
    enum ets_graph_input_role role;
    struct ets_text source; /* parameter, buffer or constant name, absent for user inputs */
};

enum ets_graph_output_role {
    ETS_OUTPUT_USER = 0,
    ETS_OUTPUT_BUFFER_MUTATION = 1,
    ETS_OUTPUT_OTHER = 2
};

struct ets_graph_output {
    struct ets_graph_argument argument;
    enum ets_graph_output_role role;
    struct ets_text target; /* the mutated buffer's name, absent otherwise */
};

struct ets_graph {
    struct ets_text
        name; /* record entry ("edge_dialect_exported_program/forward") or branch name */
    struct ets_text dialect; /* "EDGE", "TRAINING": first verifier; absent in a subgraph */
    uint32_t schema_major, schema_minor;
    uint32_t node_count;
    const struct ets_graph_node *nodes;
    uint32_t input_count;
    const struct ets_graph_input *inputs;
    uint32_t output_count;
    const struct ets_graph_output *outputs;
    uint32_t value_count;
    const struct ets_graph_value *values;
    uint32_t subgraph_count; /* of this program, every depth; breadth-first; top graph only */
    const struct ets_graph *const *subgraphs;
    const struct ets_graph_index *index; /* makes finding fast; NULL: finding looks at all names */
};

/* The value named `name`, or NULL; the first of several. Constant time with an index. */
ETS_API const struct ets_graph_value *ets_graph_find_value(const struct ets_graph *graph,
                                                           struct ets_text name);

/* The node named `name`, or NULL; the first of several. Constant time with an index. */
ETS_API const struct ets_graph_node *ets_graph_find_node(const struct ets_graph *graph,
                                                         struct ets_text name);

/* 0 for a frame of torch or executorch themselves: a file below site-packages/torch or
 * site-packages/executorch, or "<eval_with_key>", which torch.fx generates. */
ETS_API int ets_graph_frame_is_user(const struct ets_graph_frame *frame);

/*
 * The user's line of a node: its last frame outside of torch and executorch themselves
 * (ets_graph_frame_is_user), else its last frame. NULL where there is no stack trace, or where all
 * that it leads to is generated code, as of the nodes that quantizing puts in.
 */
ETS_API const struct ets_graph_frame *ets_graph_user_frame(const struct ets_graph_node *node);

/*
 * The innermost module's path ("" is the model itself, as is the "_export_root" of strict exports);
 * absent where there is none.
 */
ETS_API struct ets_text ets_graph_module_path(const struct ets_graph_node *node);

#ifdef __cplusplus
}
#endif

#endif
