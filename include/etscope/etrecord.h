/*
 * etrecord.h - reads ETRecords, in which an export describes a program, and the graphs in them.
 *
 *     struct ets_error error;
 *     struct ets_file *file = NULL;
 *     struct ets_etrecord *record;
 *     if (ets_file_open("model.etrecord", &file, &error) == ETS_OK &&
 *         ets_etrecord_open(ets_file_bytes(file), NULL, &record, &error) == ETS_OK) {
 *         const int64_t *handles;
 *         size_t count;
 *         ets_etrecord_handles(record, "forward", 3, &handles, &count, NULL);
 *         ets_etrecord_close(record);
 *     }
 *     ets_file_close(file);
 *
 * Opening reads the directory and the small maps. Graphs and tensors are read on first use and
 * kept. The file's bytes must stay valid until close, because tensors point into them. Everything
 * returned is valid until close. Use a record from one thread at a time.
 *
 * The file is untrusted input. Nothing in it is executed (pickles are read by an allow-list), every
 * count, size and depth has a limit, and an entry's CRC is checked before it is used. Statuses of
 * all reading functions: WRONG_KIND, TRUNCATED, MALFORMED, UNSUPPORTED, LIMIT, NO_MEMORY, NOT_FOUND
 * (no such method or entry), UNAVAILABLE (built without zlib or RapidJSON). Messages name the
 * entry; offsets are those of the whole file.
 */
#ifndef ETSCOPE_ETRECORD_H
#define ETSCOPE_ETRECORD_H

#include "etscope/base.h"
#include "etscope/tensor.h"

ETS_DECLARATIONS_BEGIN

struct ets_etrecord;
struct ets_graph; /* below */

ETS_API enum ets_status ets_etrecord_open(struct ets_bytes bytes,
                                          const struct ets_allocator *allocator,
                                          struct ets_etrecord **record_out,
                                          struct ets_error *error);
ETS_API void ets_etrecord_close(struct ets_etrecord *record); /* NULL is allowed */

/*
 * The name of this record in errors of calls that take several files (`file` of struct ets_error),
 * for example its path. Borrowed until close. The default is "the ETRecord".
 */
ETS_API void ets_etrecord_set_name(struct ets_etrecord *record, const char *name);

/* Entries of the zip in file order. */
struct ets_etrecord_entry {
    struct ets_text name;
    uint64_t offset; /* of the payload in the file */
    uint64_t size;   /* bytes of the payload, uncompressed */
};
ETS_API size_t ets_etrecord_entry_count(const struct ets_etrecord *record);
ETS_API const struct ets_etrecord_entry *ets_etrecord_entry(const struct ets_etrecord *record,
                                                            size_t index);
/* The entry's bytes; they point into the file if the entry is stored uncompressed. */
ETS_API enum ets_status ets_etrecord_entry_bytes(struct ets_etrecord *record, const char *name,
                                                 struct ets_bytes *bytes_out,
                                                 struct ets_error *error);

/* All methods of the maps and of the edge programs, sorted by name. */
ETS_API size_t ets_etrecord_method_count(const struct ets_etrecord *record);
ETS_API const char *ets_etrecord_method_name(const struct ets_etrecord *record, size_t index);

/*
 * debug_handle_map: the handles of `instruction` of `method`, in the map's order. `*handles_out`
 * NULL and `*count_out` 0: the instruction has no entry. *is_list_out (may be NULL) is 1 if the
 * entry is a list, as for a delegate call, and 0 if it is a number.
 */
ETS_API void ets_etrecord_handles(const struct ets_etrecord *record, const char *method,
                                  int64_t instruction, const int64_t **handles_out,
                                  size_t *count_out, int *is_list_out);
/* The instructions that have an entry, ascending; {NULL, 0} for an unknown method. */
ETS_API void ets_etrecord_mapped_instructions(const struct ets_etrecord *record, const char *method,
                                              const int64_t **instructions_out, size_t *count_out);

/* delegate_map: the backend of a delegate call's instruction ("XnnpackBackend"), or NULL. */
ETS_API const char *ets_etrecord_backend(const struct ets_etrecord *record, const char *method,
                                         int64_t instruction);

/* export_graph_id, or 0 if there is none. */
ETS_API uint64_t ets_etrecord_export_graph_id(const struct ets_etrecord *record);

/* Graphs: the edge program of a method, the ATen program, or any graph by its entry name. */
ETS_API enum ets_status ets_etrecord_edge_graph(struct ets_etrecord *record, const char *method,
                                                const struct ets_graph **graph_out,
                                                struct ets_error *error);
ETS_API enum ets_status ets_etrecord_aten_graph(struct ets_etrecord *record,
                                                const struct ets_graph **graph_out,
                                                struct ets_error *error);
/*
 * `name` is a name in graph_map, "edge_after_transform/forward". "/forward" is added to a name
 * without "/".
 */
ETS_API enum ets_status ets_etrecord_graph(struct ets_etrecord *record, const char *name,
                                           const struct ets_graph **graph_out,
                                           struct ets_error *error);
/* Names that ets_etrecord_graph accepts; NULL past the end. */
ETS_API const char *ets_etrecord_graph_name(const struct ets_etrecord *record, size_t index);

/* One named value of a state dict or constants entry. */
struct ets_named_value {
    struct ets_text name;
    struct ets_value value; /* tensors point into the file */
    /* Class of an ETS_VALUE_OTHER, "torchao.quantization.Int8Tensor"; absent: unknown. */
    struct ets_text class_name;
};

/*
 * Reads a torch.save entry that is a dict of tensors: "<program>_state_dict" or
 * "<program>_constants". Objects that are neither tensors nor numbers are ETS_VALUE_OTHER. The
 * values inside such an object (a tensor subclass "w" with its scale, a list) follow it as
 * "w.scale", "w.0". Names are terminated. An entry of zero bytes, which is a saved None, has no
 * values.
 */
ETS_API enum ets_status ets_etrecord_named_values(struct ets_etrecord *record, const char *entry,
                                                  const struct ets_named_value **values_out,
                                                  size_t *count_out, struct ets_error *error);

/*
 * 1 if the record holds the weights of the program of this entry name, or if the program has none.
 * 0 if they were left out: the "_state_dict" or "_constants" of a slim record is empty or absent.
 * Joining needs no weights; computing does.
 */
ETS_API int ets_etrecord_has_weights(const struct ets_etrecord *record, const char *program);

/*
 * representative_inputs of the method "forward", one after another. Lists, tuples and dicts are
 * flattened in order, as PyTorch flattens arguments. There may be more values than the method takes
 * (a list of cases, for example); use the first ones, as ExecuTorch does. NOT_FOUND: the record has
 * none.
 */
ETS_API enum ets_status ets_etrecord_representative_inputs(struct ets_etrecord *record,
                                                           const struct ets_value **values_out,
                                                           size_t *count_out,
                                                           struct ets_error *error);

enum ets_nest_kind { ETS_NEST_VALUE, ETS_NEST_LIST, ETS_NEST_TUPLE, ETS_NEST_DICT };

/* A value of the representative inputs, or a container of values. Borrowed from the record. */
struct ets_nest {
    enum ets_nest_kind kind;
    uint32_t count;      /* items, which follow it; 0 for a value */
    struct ets_text key; /* its key in a dict, numbers as text; else absent */
};

/*
 * The nesting of representative_inputs, in the order of the values above. Each list, tuple and dict
 * precedes its items. `([x, y], {"scale": z})` is a tuple of 2, a list of 2, two values, a dict of
 * 1, a value. NOT_FOUND: no inputs.
 */
ETS_API enum ets_status ets_etrecord_representative_nests(struct ets_etrecord *record,
                                                          const struct ets_nest **nests_out,
                                                          size_t *count_out,
                                                          struct ets_error *error);

/* reference_outputs of a method's `test_case`. NOT_FOUND: none, or no such case. */
ETS_API enum ets_status ets_etrecord_reference_outputs(struct ets_etrecord *record,
                                                       const char *method, size_t test_case,
                                                       const struct ets_value **values_out,
                                                       size_t *count_out, struct ets_error *error);
/* The number of cases for `method`; 0 if there are none. */
ETS_API enum ets_status ets_etrecord_reference_case_count(struct ets_etrecord *record,
                                                          const char *method, size_t *count_out,
                                                          struct ets_error *error);

/*
 * Computation graphs: the ATen program and the edge programs of an ETRecord, in one form. (Source:
 * executorch/exir/serde, schema 5.4.)
 *
 *     const struct ets_graph *graph;
 *     if (ets_etrecord_edge_graph(record, "forward", &graph, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < graph->node_count; i++) {
 *             const struct ets_graph_node *node = &graph->nodes[i];
 *             printf("%.*s %s\n", ETS_TEXT(node->name), node->op.data);
 *         }
 *     }
 *
 * These are plain structs, borrowed from the record and never changed, so that any thread may read
 * them. Every text here is terminated by a NUL that its size does not count. An absent text has
 * data NULL.
 */

/* No index. */
#define ETS_GRAPH_NONE UINT32_MAX

/* Maps names to indices; opaque. */
struct ets_graph_index;

/* One frame of a Python stack trace. */
struct ets_graph_frame {
    struct ets_text file;     /* "models/zoo.py" */
    struct ets_text function; /* "forward" */
    struct ets_text code;     /* the source line, without indentation; may be absent */
    uint32_t line;            /* 1-based */
    struct ets_text place;    /* "models/zoo.py:16" */
};

/* One level of nn_module_stack, outermost first. */
struct ets_graph_module {
    struct ets_text key;  /* "L__self__" or an object number */
    struct ets_text path; /* "layers.0.linear"; "" is the whole model */
    struct ets_text type; /* "torch.nn.modules.linear.Linear" */
};

/* One level of a node's origin, newest first (the last from_node element at each level). */
struct ets_graph_origin {
    struct ets_text name;      /* "linear" */
    struct ets_text target;    /* "aten.linear.default" */
    struct ets_text pass_name; /* "ExportedProgram.module()" */
    struct ets_text action;    /* "create" */
    uint64_t graph_id;         /* unique within one record only */
};

/* What the graph knows about a value. */
struct ets_graph_value {
    struct ets_text name;
    int32_t scalar_type; /* enum ets_scalar_type; -1: not a tensor or unknown */
    uint32_t rank;
    const int64_t *sizes;              /* [rank]; of a symbolic size the hint, or -1 without one */
    const struct ets_text *size_texts; /* [rank] "s0*2" if symbolic, absent if fixed; or NULL */
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
    ETS_ARGUMENT_OTHER = 13,        /* as_custom_obj...: name holds the tag */
    ETS_ARGUMENT_TARGET = 14        /* name: "torch.ops.llama.update_cache.default" */
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
     * The operator as ExecuTorch's Inspector prints it: "aten.add.Tensor" for edge operators,
     * "add.Tensor" for plain ATen ones, "executorch_call_delegate", "cond".
     */
    struct ets_text op;
    int64_t debug_handle;        /* -1: not in the file; 0: present but unset */
    struct ets_text stack_trace; /* as stored, innermost frame last; may be absent */
    uint32_t frame_count;        /* frames of stack_trace, outermost first */
    const struct ets_graph_frame *frames;
    uint32_t module_count;
    const struct ets_graph_module *modules;
    uint32_t origin_count; /* 0 also if the text cannot be parsed */
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
    uint32_t subgraph_count; /* set in the top graph only: all depths, breadth-first */
    const struct ets_graph *const *subgraphs;
    const struct ets_graph_index *index; /* speeds up searches; NULL: all names are compared */
};

/*
 * The user's source line of a node: its last frame outside torch and executorch
 * (ets_graph_frame_is_user), else the last frame in torch's own modules, such as
 * torch/nn/modules/rnn.py. NULL if there is no stack trace, or if all frames are generated code:
 * those of nodes inserted by quantization, and of the code that traces models for export
 * (torch/_dynamo, torch/export, torch/fx...).
 */
ETS_API const struct ets_graph_frame *ets_graph_user_frame(const struct ets_graph_node *node);

/*
 * The innermost module's path; absent if there is none. "" is the whole model, as is "_export_root"
 * of strict exports.
 */
ETS_API struct ets_text ets_graph_module_path(const struct ets_graph_node *node);

ETS_DECLARATIONS_END

#endif
