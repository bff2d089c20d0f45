/* The tables and slots of an XNNPACK payload (XNNGraph), for its reader. */
#ifndef ETSCOPE_FORMAT_XNNPACK_SCHEMA_H
#define ETSCOPE_FORMAT_XNNPACK_SCHEMA_H

#include "format/flatbuffer.h"
#include "format/xnnpack.h"

enum {
    GRAPH_VERSION,
    GRAPH_NODES,
    GRAPH_VALUES,
    GRAPH_EXTERNALS,
    GRAPH_INPUTS,
    GRAPH_OUTPUTS,
    GRAPH_INLINE_CONSTANTS,
    GRAPH_BUFFER_SIZES,
    GRAPH_CONSTANTS
};
enum { NODE_TAG, NODE_MEMBER, NODE_HANDLE, NODE_MIN_MAX };
enum { MIN_MAX_MIN, MIN_MAX_MAX };
enum { RESHAPE_SIZES = 1 };
enum { VALUE_TAG, VALUE_MEMBER };
enum { VALUE_IS_TENSOR = 1, VALUE_IS_QUANTIZED = 2 };
enum {
    TENSOR_TYPE,
    TENSOR_RANK,
    TENSOR_DIMS,
    TENSOR_CONSTANT,
    TENSOR_EXTERNAL,
    TENSOR_FLAGS,
    TENSOR_ID,
    TENSOR_DYNAMIC_TYPE /* of old payloads */
};
enum { TENSOR_IS_INPUT = 1, TENSOR_IS_OUTPUT = 2 };
enum { QUANTIZED_TENSOR, QUANTIZED_TAG, QUANTIZED_MEMBER };
enum { CHANNEL_SCALES, CHANNEL_DIM, CHANNEL_SCALE_CONSTANT, CHANNEL_SCALE_COUNT };
enum { TENSOR_SCALE, TENSOR_ZERO_POINT };
enum {
    GROUP_SCALES,
    GROUP_CHANNEL_DIM,
    GROUP_SIZE,
    GROUP_HALF_SCALES,
    GROUP_SCALE_CONSTANT,
    GROUP_SCALE_COUNT
};
enum { CONSTANT_OFFSET, CONSTANT_SIZE, CONSTANT_KEY };
enum { BUFFER_STORAGE };

/* The meaning of the slots of a node's table; -1: none. */
enum { XNNPACK_NO_SLOT = -1 };
struct ets_xnnpack_layout {
    int8_t inputs[ETS_XNNPACK_MOST_INPUTS];
    int8_t outputs[ETS_XNNPACK_MOST_OUTPUTS];
    int8_t flags;
    int8_t window; /* first of padding, kernel, stride, dilation: 10 slots, order h, w */
    int8_t groups; /* of input channels, output channels, groups: 3 slots */
    uint8_t input_count, output_count;
};

/* The layout of a node's table, or NULL for an unknown type. */
const struct ets_xnnpack_layout *ets_xnnpack_layout(int type);

/* XNNGraph, of both schemas. */
extern const struct ets_fb_type ets_xnnpack_graph_type;

#endif
