/*
 * What a delegate was given, alike for every backend: nodes in the order of execution, and the
 * values that they take and make.
 *
 *     const struct ets_payload_graph *graph;
 *     ETS_TRY(ets_payload_store_read(store, &delegate, &graph, &reason, error));
 *     for (uint32_t i = 0; graph != NULL && i < graph->node_count; i++) {
 *         const struct ets_payload_node *node = &graph->nodes[i];
 *         for (uint32_t k = 0; k < node->input_count; k++) {
 *             const struct ets_payload_value *value = ets_payload_value(graph, node->inputs[k]);
 *             if (value != NULL && value->constant != ETS_PAYLOAD_NONE) use_weight(value);
 *         }
 *     }
 *
 * Values and constants are numbers here: indices of the graph's lists. The bytes are the program's;
 * all else belongs to the arena that the graph was read into.
 */
#ifndef ETSCOPE_PAYLOAD_PAYLOAD_H
#define ETSCOPE_PAYLOAD_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etscope/base.h"

/* No node, value, constant or argument. */
#define ETS_PAYLOAD_NONE UINT32_MAX

/* What the elements of a value are. */
enum ets_payload_numbers {
    ETS_PAYLOAD_OTHER, /* not known, or none that is computed with */
    ETS_PAYLOAD_FLOAT64,
    ETS_PAYLOAD_FLOAT32,
    ETS_PAYLOAD_FLOAT16,
    ETS_PAYLOAD_BFLOAT16,
    ETS_PAYLOAD_INTEGER,
    ETS_PAYLOAD_INT8,         /* quantized by the export */
    ETS_PAYLOAD_INT8_DYNAMIC, /* quantized in each run */
    ETS_PAYLOAD_INT4
};

struct ets_payload_type {
    const char *name; /* as the backend calls it: "qcint8" */
    int scalar_type;  /* of programs, enum ets_scalar_type; -1: they have no such type */
    uint32_t bits;    /* of an element; 0: not known */
    enum ets_payload_numbers numbers;
};

enum ets_payload_quantization_kind {
    ETS_PAYLOAD_NOT_QUANTIZED,
    ETS_PAYLOAD_PER_CHANNEL,
    ETS_PAYLOAD_PER_TENSOR,
    ETS_PAYLOAD_PER_ROW,  /* scales are computed in each run */
    ETS_PAYLOAD_PER_GROUP /* of `group_size` elements of a channel */
};

/* How a value is quantized. Only the members of its kind are set. */
struct ets_payload_quantization {
    bool is_given; /* the payload says how, if only that it is not */
    int kind; /* enum ets_payload_quantization_kind, or a number that only newer writers know */
    float scale;
    int32_t zero_point;
    int32_t channel_dim;
    int32_t group_size;
    uint32_t scale_constant; /* that holds the scales; ETS_PAYLOAD_NONE: they are in the payload */
    uint32_t scale_count;
    bool is_scale_apart; /* nodes list the scales as a value of their own */
};

struct ets_payload_value {
    uint32_t id;                         /* as the payload calls it, where that is not its number */
    const struct ets_payload_type *type; /* never NULL */
    bool is_sizeless;                    /* its sizes are not known: rank and dims say nothing */
    uint32_t rank;
    const uint32_t *dims; /* [rank] in the order of the payload, which may be channels last */
    uint32_t argument;    /* of the delegate call; ETS_PAYLOAD_NONE: a value within */
    bool is_input, is_output;
    uint32_t constant;        /* whose bytes these are; ETS_PAYLOAD_NONE: computed, or given */
    uint32_t producer;        /* the node that makes it; ETS_PAYLOAD_NONE: none */
    uint32_t producer_output; /* which of its outputs that is */
    struct ets_payload_quantization quantization;
};

enum ets_payload_parameter_kind {
    ETS_PAYLOAD_NOTHING, /* left out, or of a kind that has no numbers */
    ETS_PAYLOAD_INTEGERS,
    ETS_PAYLOAD_REALS,
    ETS_PAYLOAD_TEXT,
    ETS_PAYLOAD_VALUES
};

/* What an operator was told beside values; of schema order, also which values are where. */
struct ets_payload_parameter {
    const char *name; /* "stride"; NULL: known by its place */
    enum ets_payload_parameter_kind kind;
    bool is_list;
    uint32_t count;
    const int64_t *integers;
    const double *reals;
    const uint32_t *values;
    struct ets_text text;
};

struct ets_payload_node {
    struct ets_text name;      /* as the backend calls it: "Conv2d", "aten.linear.default" */
    struct ets_text operation; /* base name of ATen's operator: "convolution"; data NULL: none */
    int64_t debug_handle;      /* -1: none */
    /* Of the edge program's node that it computes: "aten_relu_default"; data NULL: not known. */
    struct ets_text edge_name;
    /* Of a parameter that it takes, "p_fc1_weight" or "fc1.weight", where its own name was lost;
     * data NULL: none. */
    struct ets_text edge_parameter;
    /* What the runtime's events of it are called, where the payload states that; or data NULL. */
    struct ets_text symbol;
    bool has_number;
    uint32_t number; /* that events of it state, where they state one */
    uint32_t input_count, output_count;
    const uint32_t *inputs, *outputs; /* values; of layers: data, weight, bias. NONE: unknown */
    uint32_t parameter_count;
    const struct ets_payload_parameter *parameters;
    bool has_clamp; /* a clamp is part of the node: */
    float clamp_min, clamp_max;
    /*
     * Multiply-adds of a product for each element of its output (of a transposed convolution, its
     * input); reads of a pool. 0: see the parameters.
     */
    uint64_t depth;
    bool is_depthwise, is_transposed; /* of a convolution */
    bool is_conditional; /* in a branch or a loop: whether and how often it runs is not known */
};

/* A constant of which only a key is known may be in another file. */
struct ets_payload_constant {
    struct ets_text key;    /* of named data; data NULL: the bytes are in the payload */
    struct ets_text name;   /* of the model's parameter, as far as the key tells; data NULL: none */
    struct ets_bytes bytes; /* data NULL: not in the program */
    uint32_t named_data;    /* of the program; ETS_PAYLOAD_NONE: none */
    bool is_assembled;      /* from pieces of the payload: `bytes` is memory of the graph's own */
};

/* What is in a payload whose nodes cannot be read: parts, in a row of blocks with headers. */
struct ets_payload_part {
    struct ets_bytes bytes;
    const char *content; /* "NPU commands" */
    bool is_weight;
};
enum { ETS_PAYLOAD_MOST_PARTS = 4 };
struct ets_payload_parts {
    struct ets_payload_part items[ETS_PAYLOAD_MOST_PARTS];
    uint32_t count;
    struct ets_text weight_key; /* of named data that has the weights; data NULL: none */
};
struct ets_payload_block {
    struct ets_bytes header, bytes;
};

struct ets_payload_reader; /* payload_reader.h */

struct ets_payload_graph {
    const struct ets_payload_reader *reader;
    struct ets_bytes bytes, flatbuffer; /* the payload, and its graph within */
    const void *verified;               /* the reader's own view of them; NULL: none */
    /*
     * Files of a payload, among which constants lie: they are in the payload, or in the program's
     * named data `files_key`. data NULL: the graph is followed by constants alone.
     */
    struct ets_bytes files;
    struct ets_text files_key;
    uint32_t node_count, value_count, constant_count, argument_count;
    struct ets_payload_node *nodes;
    struct ets_payload_value *values;
    struct ets_payload_constant *constants;
    uint8_t *is_output; /* [argument_count] of the call: 1 for what it gives */
    const char *note;   /* what else the payload tells, and what it lacks; NULL: nothing */
    /* Memory of the device that values share by the export's plan, without what a driver adds; 0:
     * not told. */
    uint64_t device_bytes;
};

/* NULL for ETS_PAYLOAD_NONE. */
static inline const struct ets_payload_value *ets_payload_value(
    const struct ets_payload_graph *graph, uint32_t value)
{
    return value < graph->value_count ? &graph->values[value] : NULL;
}

/* The node that makes a value; ETS_PAYLOAD_NONE: none. */
static inline uint32_t ets_payload_producer(const struct ets_payload_graph *graph, uint32_t value)
{
    return value < graph->value_count ? graph->values[value].producer : ETS_PAYLOAD_NONE;
}

/* Empty: there is none, or it is not in the program. */
static inline struct ets_bytes ets_payload_constant_bytes(const struct ets_payload_graph *graph,
                                                          uint32_t constant)
{
    return constant < graph->constant_count ? graph->constants[constant].bytes
                                            : (struct ets_bytes){NULL, 0};
}

/* As programs call a type, "float32"; its own name where they have none. */
const char *ets_payload_dtype(const struct ets_payload_type *type);

/* Elements of a value; UINT64_MAX: too many to count, or not known. */
uint64_t ets_payload_elements(const struct ets_payload_value *value);

/* Whether nodes tell what they compute: one does. */
bool ets_payload_tells_operations(const struct ets_payload_graph *graph);

/* Whether all nodes have symbols. */
bool ets_payload_has_symbols(const struct ets_payload_graph *graph);

/* "XNNPACK graph" */
const char *ets_payload_format(const struct ets_payload_graph *graph);
/* Whether parameters are in the order of the operator's schema, values among them. */
bool ets_payload_is_in_schema_order(const struct ets_payload_graph *graph);
/* Whether the backend's element-wise operators may write over an input that nothing else reads. */
bool ets_payload_writes_in_place(const struct ets_payload_graph *graph);
/* Whether the types of values tell how the delegate quantizes. */
bool ets_payload_types_tell_quantization(const struct ets_payload_graph *graph);

#endif
