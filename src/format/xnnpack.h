/*
 * xnnpack.h - reads the payload of a delegate of backend "XnnpackBackend": its nodes and tensors.
 *
 *     struct ets_delegate delegate;
 *     struct ets_xnnpack payload;
 *     ets_method_delegate(&method, 0, &delegate);
 *     if (ets_xnnpack_init(&payload, delegate.blob, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < payload.node_count; i++) {
 *             struct ets_xnnpack_node node;
 *             ets_xnnpack_node(&payload, i, &node);
 *             printf("%s, debug handle %lld\n", ets_xnnpack_node_name(node.type),
 *                    (long long)node.debug_handle);
 *         }
 *     }
 *
 * This is a view over the caller's bytes: nothing is allocated or copied, and any number of threads
 * may read. ets_xnnpack_init verifies everything once. The other functions cannot fail, provided
 * that `index` is below its count. Weights are not in the payload but in the program's named data
 * (or a data file), by key. Schema: ExecuTorch backends/xnnpack/serialization/schema.fbs and
 * runtime_schema.fbs, identifiers XN01 and XN00; header: runtime/XNNHeader.h.
 */
#ifndef ETSCOPE_FORMAT_XNNPACK_H
#define ETSCOPE_FORMAT_XNNPACK_H

#include "etscope/base.h"

/* The id of the backend in a program. */
#define ETS_XNNPACK_BACKEND "XnnpackBackend"

/* A value without an external id. */
#define ETS_XNNPACK_INTERNAL UINT32_MAX

/* X(NAME, number, name of the node in the schema) */
/* clang-format off */
#define ETS_XNNPACK_NODE_LIST(X)                                                     \
    X(ADD, 1, "Add")                                                                 \
    X(FULLY_CONNECTED, 2, "FullyConnected")                                          \
    X(SOFTMAX, 3, "Softmax")                                                         \
    X(SIGMOID, 4, "Sigmoid")                                                         \
    X(STATIC_TRANSPOSE, 5, "StaticTranspose")                                        \
    X(CLAMP, 6, "Clamp")                                                             \
    X(CONV2D, 7, "Conv2d")                                                           \
    X(DIV, 8, "Div")                                                                 \
    X(STATIC_RESIZE_BILINEAR_2D, 9, "StaticResizeBilinear2D")                        \
    X(STATIC_CONSTANT_PAD, 10, "StaticConstantPad")                                  \
    X(AVG_POOLING_2D, 11, "AvgPooling2d")                                            \
    X(MINIMUM, 12, "Minimum")                                                        \
    X(DEPTHWISE_CONV2D, 13, "DepthwiseConv2d")                                       \
    X(MAX_POOLING_2D, 14, "MaxPooling2d")                                            \
    X(MULTIPLY, 15, "Multiply")                                                      \
    X(SUBTRACT, 16, "Subtract")                                                      \
    X(FLOOR, 17, "Floor")                                                            \
    X(CONVERT, 18, "Convert")                                                        \
    X(GLOBAL_AVG_POOLING_2D, 19, "GlobalAvgPooling2d")                               \
    X(STATIC_RESHAPE, 20, "StaticReshape")                                           \
    X(ARG_MAX_POOLING_2D, 21, "ArgMaxPooling2d")                                     \
    X(SQUARE_ROOT, 22, "SquareRoot")                                                 \
    X(CEILING, 23, "Ceiling")                                                        \
    X(HARDSWISH, 24, "Hardswish")                                                    \
    X(LEAKY_RELU, 25, "LeakyReLU")                                                   \
    X(MAXIMUM, 26, "Maximum")                                                        \
    X(NEGATE, 27, "Negate")                                                          \
    X(SQUARE, 28, "Square")                                                          \
    X(ELU, 29, "ELU")                                                                \
    X(ABS, 30, "Abs")                                                                \
    X(PRELU, 31, "PReLU")                                                            \
    X(CONCATENATE2, 32, "Concatenate2")                                              \
    X(CONCATENATE3, 33, "Concatenate3")                                              \
    X(CONCATENATE4, 34, "Concatenate4")                                              \
    X(STATIC_SLICE, 35, "StaticSlice")                                               \
    X(SCALED_DOT_PRODUCT_ATTENTION, 36, "ScaledDotProductAttention")                 \
    X(BATCH_MATRIX_MULTIPLY, 37, "BatchMatrixMultiply")                              \
    X(CONCATENATE5, 38, "Concatenate5")                                              \
    X(CONV_TRANSPOSE_2D, 39, "ConvTranspose2d")                                      \
    X(RECIPROCAL_SQUARE_ROOT, 40, "ReciprocalSquareRoot")                            \
    X(LOG, 41, "Log")                                                                \
    X(GELU, 42, "Gelu")                                                              \
    X(TANH, 43, "Tanh")                                                              \
    X(EXP, 44, "Exp")                                                                \
    X(SIN, 45, "Sin")                                                                \
    X(COPY, 46, "Copy")                                                              \
    X(COS, 47, "Cos")
/* clang-format on */

enum ets_xnnpack_node_type {
#define ETS_XNNPACK_NODE_ENUM(name, number, text) ETS_XNNPACK_##name = number,
    ETS_XNNPACK_NODE_LIST(ETS_XNNPACK_NODE_ENUM)
#undef ETS_XNNPACK_NODE_ENUM
};

/* X(NAME, number, name, bits of one element) */
#define ETS_XNNPACK_TYPE_LIST(X) \
    X(INVALID, 0, "invalid", 0)  \
    X(FP32, 1, "fp32", 32)       \
    X(FP16, 2, "fp16", 16)       \
    X(QINT8, 3, "qint8", 8)      \
    X(QUINT8, 4, "quint8", 8)    \
    X(QINT32, 5, "qint32", 32)   \
    X(QCINT8, 6, "qcint8", 8)    \
    X(QCINT32, 7, "qcint32", 32) \
    X(QCINT4, 8, "qcint4", 4)    \
    X(QDINT8, 9, "qdint8", 8)    \
    X(QBINT4, 10, "qbint4", 4)   \
    X(QPINT8, 11, "qpint8", 8)   \
    X(INT32, 12, "int32", 32)    \
    X(PFP32, 13, "pfp32", 32)    \
    X(BF16, 14, "bf16", 16)

/* Element types: quantised per tensor (Q), channel (QC), row at run time (QD), group (QB). */
enum ets_xnnpack_type {
#define ETS_XNNPACK_TYPE_ENUM(name, number, text, bits) ETS_XNNPACK_##name = number,
    ETS_XNNPACK_TYPE_LIST(ETS_XNNPACK_TYPE_ENUM)
#undef ETS_XNNPACK_TYPE_ENUM
};

struct ets_xnnpack {
    struct ets_bytes bytes;      /* the whole payload */
    struct ets_bytes flatbuffer; /* inside `bytes` */
    struct ets_bytes constants;  /* inside `bytes`; empty today, because constants are named data */
    uint32_t node_count;
    uint32_t value_count;
    uint32_t external_count; /* arguments of the delegate call */
    uint32_t constant_count; /* the first, number 0, means "none" */
    int is_runtime_schema;   /* 1: identifier XN00, with constants inside the FlatBuffer */
    size_t root_at;          /* inner */
};

enum { ETS_XNNPACK_MOST_INPUTS = 5, ETS_XNNPACK_MOST_OUTPUTS = 2 };

/* A node. Inputs and outputs are value ids (ets_xnnpack_value's id); missing ones are left out. */
struct ets_xnnpack_node {
    int type;             /* enum ets_xnnpack_node_type */
    int64_t debug_handle; /* -1: none (inserted by the exporter) */
    uint32_t input_count, output_count;
    uint32_t inputs[ETS_XNNPACK_MOST_INPUTS]; /* in the schema's order: data, filter, bias */
    uint32_t outputs[ETS_XNNPACK_MOST_OUTPUTS];
    uint32_t flags;               /* XNNPACK's, as stored */
    int has_min_max;              /* 1: a clamp is part of the node */
    float output_min, output_max; /* -inf and inf if there is no clamp */
    /* Convolutions and poolings; else 0. Order: height, width. */
    uint32_t padding[4]; /* top, right, bottom, left */
    uint32_t kernel[2], stride[2], dilation[2];
    uint32_t groups, group_input_channels, group_output_channels;
    int has_all_sizes; /* StaticReshape: 1 if no size is taken from the input */
    size_t node_at;    /* offset of the node's table in the FlatBuffer */
};

/* The numbers are those of the schema's XNNQuantParams. */
enum ets_xnnpack_quantization_kind {
    ETS_XNNPACK_NOT_QUANTIZED = 0,
    ETS_XNNPACK_PER_CHANNEL = 1,
    ETS_XNNPACK_PER_TENSOR = 2,
    ETS_XNNPACK_PER_TOKEN = 3, /* computed at run time */
    ETS_XNNPACK_PER_GROUP = 4  /* of `group_size` elements of a channel */
};

/* How a value is quantised. Only the fields of its kind are set. */
struct ets_xnnpack_quantization {
    int kind; /* enum ets_xnnpack_quantization_kind, or a newer writer's number */
    float scale;
    int32_t zero_point;
    int32_t channel_dim;
    int32_t group_size;
    uint32_t scale_constant; /* the constant that holds the scales; 0: they are in the FlatBuffer */
    uint32_t scale_count;
};

/* A tensor. */
struct ets_xnnpack_value {
    uint32_t id;          /* by which nodes refer to it */
    int type;             /* enum ets_xnnpack_type */
    uint32_t rank;        /* 1 for scalars too */
    uint32_t external_id; /* argument of the delegate call, or ETS_XNNPACK_INTERNAL */
    int is_input, is_output;
    uint32_t constant_index; /* 0: no constant */
    int is_quantized;        /* 1: has quantisation parameters */
    struct ets_xnnpack_quantization quantization;
    size_t value_at; /* offset of the tensor's table in the FlatBuffer */
    size_t dims_at;  /* inner */
};

/* Where a constant's bytes are. */
struct ets_xnnpack_constant {
    struct ets_text key;    /* of the program's named data; data NULL: the bytes are here */
    struct ets_bytes bytes; /* if there is no key */
    uint64_t size;          /* in bytes */
};

/* 1 if `bytes` begin like a payload, with or without its header, else 0. */
int ets_xnnpack_sniff(struct ets_bytes bytes);

/*
 * Verifies `bytes`, which must stay valid as long as the view is used. Statuses: WRONG_KIND,
 * TRUNCATED, MALFORMED, UNSUPPORTED (an unknown node, element type or kind of value), LIMIT.
 * Offsets are relative to `bytes`. `payload` is not changed on failure. Value ids are not checked:
 * nodes may refer to ids that no value has.
 */
enum ets_status ets_xnnpack_init(struct ets_xnnpack *payload, struct ets_bytes bytes,
                                 struct ets_error *error);

/* Nodes in the order of execution. */
void ets_xnnpack_node(const struct ets_xnnpack *payload, uint32_t index,
                      struct ets_xnnpack_node *node_out);
/* Values in file order, which differs from the order of execution; ids may have gaps. */
void ets_xnnpack_value(const struct ets_xnnpack *payload, uint32_t index,
                       struct ets_xnnpack_value *value_out);
/* Sets 1 for each argument of the delegate call that is an output; [external_count], cleared. */
void ets_xnnpack_mark_outputs(const struct ets_xnnpack *payload, uint8_t *is_output);
/* Size of dimension `index`, in the order of the payload, which may be channels last. */
uint32_t ets_xnnpack_dim(const struct ets_xnnpack *payload, const struct ets_xnnpack_value *value,
                         uint32_t index);
void ets_xnnpack_constant(const struct ets_xnnpack *payload, uint32_t index,
                          struct ets_xnnpack_constant *constant_out);

/* "FullyConnected" for ETS_XNNPACK_FULLY_CONNECTED; NULL for an unknown number. Static storage. */
const char *ets_xnnpack_node_name(int type);
/* "fp32" for ETS_XNNPACK_FP32; NULL for an unknown number. Static storage. */
const char *ets_xnnpack_type_name(int type);
/* Bits of one element; 0 for an unknown type. */
uint32_t ets_xnnpack_type_bits(int type);

#endif
