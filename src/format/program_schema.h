/* The tables and slots of a program (schema/program.fbs, identifier ET12), for its readers. */
#ifndef ETSCOPE_FORMAT_PROGRAM_SCHEMA_H
#define ETSCOPE_FORMAT_PROGRAM_SCHEMA_H

#include "etscope/program.h"
#include "format/flatbuffer.h"
#include "format/root_types.h"

enum {
    PROGRAM_VERSION,
    PROGRAM_PLANS,
    PROGRAM_CONSTANT_BUFFER,
    PROGRAM_INLINE_DELEGATES,
    PROGRAM_SEGMENTS,
    PROGRAM_CONSTANT_SEGMENT,
    PROGRAM_MUTABLE_SEGMENTS,
    PROGRAM_NAMED_DATA
};
enum {
    PLAN_NAME,
    PLAN_CONTAINER,
    PLAN_VALUES,
    PLAN_INPUTS,
    PLAN_OUTPUTS,
    PLAN_CHAINS,
    PLAN_OPERATORS,
    PLAN_DELEGATES,
    PLAN_ARENAS,
    PLAN_DEVICES
};
enum { CONTAINER_INPUT, CONTAINER_OUTPUT };
enum { PLAN_DEVICE_BUFFER, PLAN_DEVICE_TYPE, PLAN_DEVICE_INDEX };
enum { EVALUE_TAG, EVALUE_MEMBER };
enum {
    TENSOR_SCALAR_TYPE,
    TENSOR_STORAGE_OFFSET,
    TENSOR_SIZES,
    TENSOR_DIM_ORDER,
    TENSOR_REQUIRES_GRAD,
    TENSOR_DATA_BUFFER,
    TENSOR_ALLOCATION,
    TENSOR_LAYOUT,
    TENSOR_DYNAMISM,
    TENSOR_EXTRA
};
enum { ALLOCATION_MEMORY_ID, ALLOCATION_OFFSET_LOW, ALLOCATION_OFFSET_HIGH };
enum { EXTRA_MUTABLE_SEGMENT, EXTRA_NAME, EXTRA_LOCATION, EXTRA_DEVICE_TYPE, EXTRA_DEVICE_INDEX };
enum { OPERATOR_NAME, OPERATOR_OVERLOAD };
enum { CHAIN_INPUTS, CHAIN_OUTPUTS, CHAIN_INSTRUCTIONS, CHAIN_TRACES };
enum { INSTRUCTION_TAG, INSTRUCTION_MEMBER };
enum { CALL_TARGET, CALL_ARGUMENTS }; /* KernelCall and DelegateCall */
enum { MOVE_FROM, MOVE_TO };
enum { JUMP_CONDITION, JUMP_DESTINATION };
enum { FREE_VALUE };
enum { FRAME_FILE, FRAME_LINE, FRAME_NAME, FRAME_CONTEXT };
enum { DELEGATE_ID, DELEGATE_BLOB, DELEGATE_COMPILE_SPECS };
enum { BLOB_LOCATION, BLOB_INDEX };
enum { COMPILE_SPEC_KEY, COMPILE_SPEC_VALUE };
enum { OFFSETS_SEGMENT, OFFSETS_OFFSETS };
enum { NAMED_DATA_KEY, NAMED_DATA_SEGMENT };

/* DataLocation and TensorDataLocation. */
enum { BLOB_INLINE = 0, BLOB_IN_SEGMENT = 1 };
enum { TENSOR_IN_SEGMENT = 0, TENSOR_EXTERNAL = 1 };

static inline struct ets_fb ets_program_root(const struct ets_program *program)
{
    return (struct ets_fb){program->bytes.data, program->root_at};
}

static inline struct ets_fb ets_method_plan(const struct ets_method *method)
{
    return (struct ets_fb){method->program->bytes.data, method->plan_at};
}

/*
 * Reads the EValue table into `value_out`, with all checks that do not need other values. Accessors
 * call it again on verified values, where it cannot fail. Statuses: MALFORMED, UNSUPPORTED,
 * TRUNCATED.
 */
enum ets_status ets_program_read_value(const struct ets_method *method, uint32_t index,
                                       struct ets_evalue *value_out, struct ets_error *error);

/* The checks of init beyond FlatBuffer and segments: all indices are in range. */
enum ets_status ets_program_verify_meaning(const struct ets_program *program,
                                           struct ets_error *error);

#endif
