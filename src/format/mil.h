/*
 * The messages of a Core ML model that has an ML Program (coremltools mlmodel/format/Model.proto,
 * FeatureTypes.proto and MIL.proto): where their fields are, and what types and values say.
 */
#ifndef ETSCOPE_FORMAT_MIL_H
#define ETSCOPE_FORMAT_MIL_H

#include <stdbool.h>
#include <stdint.h>

#include "format/protobuf.h"

/* Numbers of fields, by message. */
enum { ETS_MAP_KEY = 1, ETS_MAP_VALUE = 2 };
enum { ETS_MODEL_VERSION = 1, ETS_MODEL_DESCRIPTION = 2, ETS_MODEL_PROGRAM = 502 };
enum { ETS_MIL_PROGRAM_FUNCTIONS = 2 };
enum { ETS_MIL_FUNCTION_INPUTS = 1, ETS_MIL_FUNCTION_OPSET = 2, ETS_MIL_FUNCTION_BLOCKS = 3 };
enum { ETS_MIL_BLOCK_OUTPUTS = 2, ETS_MIL_BLOCK_OPERATIONS = 3 };
enum {
    ETS_MIL_OPERATION_TYPE = 1,
    ETS_MIL_OPERATION_INPUTS = 2,
    ETS_MIL_OPERATION_OUTPUTS = 3,
    ETS_MIL_OPERATION_ATTRIBUTES = 5
};
enum { ETS_MIL_ARGUMENT_BINDINGS = 1 };
enum { ETS_MIL_BINDING_NAME = 1, ETS_MIL_BINDING_VALUE = 2 };
enum { ETS_MIL_NAMED_NAME = 1, ETS_MIL_NAMED_TYPE = 2 };

/* Numbers of data types. */
enum ets_mil_data_type {
    ETS_MIL_BOOL = 1,
    ETS_MIL_STRING = 2,
    ETS_MIL_FLOAT16 = 10,
    ETS_MIL_FLOAT32 = 11,
    ETS_MIL_FLOAT64 = 12,
    ETS_MIL_BFLOAT16 = 13,
    ETS_MIL_INT8 = 21,
    ETS_MIL_INT16 = 22,
    ETS_MIL_INT32 = 23,
    ETS_MIL_INT64 = 24,
    ETS_MIL_INT4 = 25,
    ETS_MIL_UINT8 = 31,
    ETS_MIL_UINT16 = 32,
    ETS_MIL_UINT32 = 33,
    ETS_MIL_UINT64 = 34,
    ETS_MIL_UINT4 = 35,
    ETS_MIL_UINT2 = 36,
    ETS_MIL_UINT1 = 37,
    ETS_MIL_UINT6 = 38,
    ETS_MIL_UINT3 = 39,
    ETS_MIL_FLOAT8E4M3FN = 40,
    ETS_MIL_FLOAT8E5M2 = 41,
    ETS_MIL_DATA_TYPES
};

enum { ETS_MIL_MAX_RANK = 16 };

/* Of a tensor, or of the tensor that a state holds. */
struct ets_mil_type {
    uint32_t data_type; /* enum ets_mil_data_type; 0: no tensor */
    uint32_t rank;
    uint32_t dims[ETS_MIL_MAX_RANK]; /* 0 where a size is not fixed */
    bool is_state;
    bool is_open; /* some sizes are not fixed, or there are too many */
};
struct ets_mil_type ets_mil_type_of(struct ets_bytes value_type);

enum ets_mil_numbers {
    ETS_MIL_NO_NUMBERS,
    ETS_MIL_FLOATS,
    ETS_MIL_INTEGERS, /* also booleans */
    ETS_MIL_DOUBLES,
    ETS_MIL_STRINGS,
    ETS_MIL_RAW /* elements as they lie in memory */
};

struct ets_mil_value {
    struct ets_mil_type type;
    enum ets_mil_numbers numbers; /* of a value in the program */
    struct ets_bytes items;       /* message whose field 1 repeats; of RAW: the elements */
    bool is_blob;                 /* the elements are in the file of weights, at: */
    uint64_t blob_offset;
};
/* Of a Value message. */
struct ets_mil_value ets_mil_value_of(struct ets_bytes value);

/* Elements that lie in one run: RAW, or packed floats and doubles. data NULL: they do not. */
struct ets_bytes ets_mil_elements(const struct ets_mil_value *value);

#endif
