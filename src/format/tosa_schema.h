/*
 * The tables of a TOSA graph (TOSA 1.0, identifier TOSA), the payload of TOSABackend. Operators
 * refer to tensors and shapes by name, and to regions of control flow.
 */
#ifndef ETSCOPE_FORMAT_TOSA_SCHEMA_H
#define ETSCOPE_FORMAT_TOSA_SCHEMA_H

#include "format/flatbuffer.h"

/* Slots of the tables. */
enum { ETS_TOSA_GRAPH_VERSION = 0, ETS_TOSA_GRAPH_REGIONS = 1 };
enum { ETS_TOSA_REGION_NAME = 0, ETS_TOSA_REGION_BLOCKS = 1 };
enum {
    ETS_TOSA_BLOCK_OPERATORS = 1,
    ETS_TOSA_BLOCK_TENSORS = 2,
    ETS_TOSA_BLOCK_INPUTS = 3,
    ETS_TOSA_BLOCK_OUTPUTS = 4,
    ETS_TOSA_BLOCK_SHAPES = 5
};
enum {
    ETS_TOSA_OPERATOR_NUMBER = 0,
    ETS_TOSA_OPERATOR_ATTRIBUTE_TYPE = 1,
    ETS_TOSA_OPERATOR_ATTRIBUTE = 2,
    ETS_TOSA_OPERATOR_INPUTS = 3,
    ETS_TOSA_OPERATOR_OUTPUTS = 4
};
enum {
    ETS_TOSA_TENSOR_NAME = 0,
    ETS_TOSA_TENSOR_SHAPE = 1,
    ETS_TOSA_TENSOR_TYPE = 2,
    ETS_TOSA_TENSOR_DATA = 3,
    ETS_TOSA_TENSOR_IS_VARIABLE = 4,
    ETS_TOSA_TENSOR_IS_UNRANKED = 5
};
enum { ETS_TOSA_SHAPE_NAME = 0, ETS_TOSA_SHAPE_RANK = 1, ETS_TOSA_SHAPE_DATA = 2 };

/* The root, TosaGraph. */
extern const struct ets_fb_type ets_tosa_graph_type;

/* The attributes of operator `number`, with their names and slots; NULL: none are known. The table
 * was verified with these fields. */
const struct ets_fb_type *ets_tosa_attributes(uint32_t number);

#endif
