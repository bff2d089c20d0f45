/*
 * The tables of a payload of ExecuTorch's native backend (backends/native, identifier NPTG), for
 * the verifier and for those who write every field.
 */
#ifndef ETSCOPE_FORMAT_NATIVE_SCHEMA_H
#define ETSCOPE_FORMAT_NATIVE_SCHEMA_H

#include "format/flatbuffer.h"

/* The root, Program. */
extern const struct ets_fb_type ets_native_program_type;

/* Slots of the schema's tables. */
enum { ETS_NATIVE_METHODS = 1 };
enum {
    ETS_NATIVE_GRAPH = 1, /* of a method */
    ETS_NATIVE_CONSTANTS = 2,
    ETS_NATIVE_OUTPUT_SPECS = 3,
    ETS_NATIVE_BUFFERS = 4
};
enum {
    ETS_NATIVE_NODES = 0,
    ETS_NATIVE_INPUTS = 1,
    ETS_NATIVE_OUTPUTS = 2,
    ETS_NATIVE_TENSORS = 3
};
enum {
    ETS_NATIVE_NODE_NAME = 0,
    ETS_NATIVE_NODE_KIND = 1,
    ETS_NATIVE_NODE_TARGET = 2,
    ETS_NATIVE_NODE_INPUTS = 3,
    ETS_NATIVE_NODE_OUTPUTS = 4
};
enum { ETS_NATIVE_KIND_CALL = 0 };
/* Of all tables that name a tensor: constants, buffers, tensors, arguments, results. */
enum { ETS_NATIVE_NAME = 0, ETS_NATIVE_META = 1, ETS_NATIVE_KEY = 1, ETS_NATIVE_ARGUMENT = 1 };
enum { ETS_NATIVE_CONSTANT_META = 2, ETS_NATIVE_SPEC_KIND = 1, ETS_NATIVE_RESULT_NAMES = 3 };
enum { ETS_NATIVE_META_TYPE = 0, ETS_NATIVE_META_SIZES = 1 };
enum { ETS_NATIVE_SIZE_MIN = 0, ETS_NATIVE_SIZE_MAX = 1 };

/* Tags of an argument. The slots of its table: 0 what it is, 1 a value of the run instead. */
enum ets_native_argument {
    ETS_NATIVE_TENSOR = 1,
    ETS_NATIVE_NONE,
    ETS_NATIVE_INT,
    ETS_NATIVE_FLOAT,
    ETS_NATIVE_BOOL,
    ETS_NATIVE_STRING,
    ETS_NATIVE_DTYPE,
    ETS_NATIVE_INTS,
    ETS_NATIVE_FLOATS,
    ETS_NATIVE_BOOLS,
    ETS_NATIVE_TENSOR_LIST,
    ETS_NATIVE_OPTIONAL_TENSORS,
    ETS_NATIVE_SUBGRAPH
};

#endif
