/*
 * The tables of an MLX payload (ExecuTorch backends/apple/mlx/serialization/schema.fbs), for the
 * verifier and for those who write every field. The graph lies behind a header of 24 bytes: zero,
 * MLX0, and where it ends.
 */
#ifndef ETSCOPE_FORMAT_MLX_SCHEMA_H
#define ETSCOPE_FORMAT_MLX_SCHEMA_H

#include "format/flatbuffer.h"

/* The root, MLXGraph. */
extern const struct ets_fb_type ets_mlx_graph_type;

/* Slots of the schema's tables. */
enum {
    ETS_MLX_CONSTANTS = 1, /* counts of tensors, which are numbered in this order: */
    ETS_MLX_INPUTS = 2,
    ETS_MLX_OUTPUTS = 3,
    ETS_MLX_BUFFERS = 4,
    ETS_MLX_TEMPORARIES = 5,
    ETS_MLX_CHAINS = 7,
    ETS_MLX_MAIN_CHAIN = 8,
    ETS_MLX_INPUT_MAP = 10,
    ETS_MLX_OUTPUT_MAP = 11,
    ETS_MLX_NAMED_SLOTS = 13,
    ETS_MLX_TENSOR_META = 14
};
enum { ETS_MLX_CHAIN_INSTRUCTIONS = 0, ETS_MLX_OPERATOR_TAG = 0, ETS_MLX_OPERATOR = 1 };
enum { ETS_MLX_SLOT_INDEX = 0, ETS_MLX_SLOT_TYPE = 1, ETS_MLX_SLOT_OF_TENSOR = 0 };
enum { ETS_MLX_NAMED_NAME = 0, ETS_MLX_NAMED_SLOT = 1 };
enum { ETS_MLX_META_SHAPE = 0, ETS_MLX_META_TYPE = 1, ETS_MLX_DIM_VALUE = 0, ETS_MLX_DIM_MAX = 2 };

/* An instruction's operator: its name and fields. NULL: only newer writers know it. */
const struct ets_fb_type *ets_mlx_operator(uint8_t number);

/* What a field of an operator holds. Scalars of a run have numbers of their own. */
enum ets_mlx_field_kind {
    ETS_MLX_PLAIN,  /* what its descriptor says */
    ETS_MLX_TENSOR, /* u32, UINT32_MAX where it is absent */
    ETS_MLX_TENSORS,
    ETS_MLX_INT_OR_NUMBER,    /* table {i64, number, is_number} */
    ETS_MLX_INTS_OR_NUMBERS,  /* several of them */
    ETS_MLX_FLOAT_OR_NUMBER,  /* table {f64, number, is_number} */
    ETS_MLX_NUMBER_OR_TENSOR, /* table {number, tensor, is_number} */
    ETS_MLX_INDEX             /* table {i64, number, tensor, which of them} */
};
enum ets_mlx_field_kind ets_mlx_field_kind(const struct ets_fb_field *field);

#endif
