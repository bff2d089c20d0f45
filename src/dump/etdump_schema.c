/* The tables of an ETDump (etdump_schema_flatcc.fbs), for the verifier. */
#include "dump/etdump_schema.h"
#include "format/descriptor.h"

static const struct ets_fb_field tensor_fields[] = {
    SCALAR("scalar_type", TENSOR_SCALAR_TYPE, ETS_FB_I8),
    SCALARS("sizes", TENSOR_SIZES, ETS_FB_I64),
    SCALARS("strides", TENSOR_STRIDES, ETS_FB_I64),
    SCALAR("offset", TENSOR_OFFSET, ETS_FB_I64),
};
static const struct ets_fb_type tensor_type = TYPE("Tensor", tensor_fields);

static const struct ets_fb_field tensor_list_fields[] = {TABLES("tensors", 0, tensor_type)};
static const struct ets_fb_type tensor_list_type = TYPE("TensorList", tensor_list_fields);

static const struct ets_fb_field int_fields[] = {SCALAR("int_val", 0, ETS_FB_I64)};
static const struct ets_fb_type int_type = TYPE("Int", int_fields);
static const struct ets_fb_field bool_fields[] = {SCALAR("bool_val", 0, ETS_FB_BOOL)};
static const struct ets_fb_type bool_type = TYPE("Bool", bool_fields);
static const struct ets_fb_field float_fields[] = {SCALAR("float_val", 0, ETS_FB_F32)};
static const struct ets_fb_type float_type = TYPE("Float", float_fields);
static const struct ets_fb_field double_fields[] = {SCALAR("double_val", 0, ETS_FB_F64)};
static const struct ets_fb_type double_type = TYPE("Double", double_fields);

static const struct ets_fb_field value_fields[] = {
    SCALAR("val", VALUE_TYPE, ETS_FB_I8),
    TABLE("tensor", VALUE_TENSOR, 0, tensor_type),
    TABLE("tensor_list", VALUE_TENSOR_LIST, 0, tensor_list_type),
    TABLE("int_value", VALUE_INT, 0, int_type),
    TABLE("float_value", VALUE_FLOAT, 0, float_type),
    TABLE("double_value", VALUE_DOUBLE, 0, double_type),
    TABLE("bool_value", VALUE_BOOL, 0, bool_type),
    TABLE("output", VALUE_OUTPUT, 0, bool_type),
};
static const struct ets_fb_type value_type = TYPE("Value", value_fields);

static const struct ets_fb_field profile_fields[] = {
    STRING("name", PROFILE_NAME, ETS_FB_NAME),
    SCALAR("chain_index", PROFILE_CHAIN, ETS_FB_I32),
    SCALAR_OR_MINUS_ONE("instruction_id", PROFILE_INSTRUCTION, ETS_FB_I32),
    SCALAR_OR_MINUS_ONE("delegate_debug_id_int", PROFILE_DELEGATE_ID, ETS_FB_I32),
    STRING("delegate_debug_id_str", PROFILE_DELEGATE_NAME, ETS_FB_NAME),
    BLOB("delegate_debug_metadata", PROFILE_METADATA),
    SCALAR("start_time", PROFILE_START, ETS_FB_U64),
    SCALAR("end_time", PROFILE_END, ETS_FB_U64),
};
static const struct ets_fb_type profile_type = TYPE("ProfileEvent", profile_fields);

static const struct ets_fb_field allocation_fields[] = {
    SCALAR("allocator_id", ALLOCATION_ALLOCATOR, ETS_FB_I32),
    SCALAR("allocation_size", ALLOCATION_BYTES, ETS_FB_U64),
};
static const struct ets_fb_type allocation_type = TYPE("AllocationEvent", allocation_fields);

static const struct ets_fb_field debug_fields[] = {
    SCALAR("chain_index", DEBUG_CHAIN, ETS_FB_U64),
    SCALAR_OR_MINUS_ONE("instruction_id", DEBUG_INSTRUCTION, ETS_FB_I32),
    TABLE("debug_entry", DEBUG_ENTRY, 0, value_type),
    SCALAR_OR_MINUS_ONE("delegate_debug_id_int", DEBUG_DELEGATE_ID, ETS_FB_I32),
    STRING("delegate_debug_id_str", DEBUG_DELEGATE_NAME, ETS_FB_NAME),
    STRING("name", DEBUG_NAME, ETS_FB_NAME),
};
static const struct ets_fb_type debug_type = TYPE("DebugEvent", debug_fields);

static const struct ets_fb_field event_fields[] = {
    TABLE("profile_event", EVENT_PROFILE, 0, profile_type),
    TABLE("allocation_event", EVENT_ALLOCATION, 0, allocation_type),
    TABLE("debug_event", EVENT_DEBUG, 0, debug_type),
};
const struct ets_fb_type ets_etdump_event_type = TYPE("Event", event_fields);

static const struct ets_fb_field allocator_fields[] = {STRING("name", ALLOCATOR_NAME, ETS_FB_NAME)};
static const struct ets_fb_type allocator_type = TYPE("Allocator", allocator_fields);

/* A run always has a name; a missing name means that the table of runs is damaged. */
static const struct ets_fb_field run_fields[] = {
    STRING("name", RUN_NAME, ETS_FB_REQUIRED | ETS_FB_NAME),
    SCALAR_OR_MINUS_ONE("bundled_input_index", RUN_BUNDLED_INPUT_INDEX, ETS_FB_I32),
    TABLES("allocators", RUN_ALLOCATORS, allocator_type),
    TABLES("events", RUN_EVENTS, ets_etdump_event_type),
};
static const struct ets_fb_type run_type = TYPE("RunData", run_fields);
const struct ets_fb_type ets_etdump_frame_type = {"RunData", run_fields, 3};

static const struct ets_fb_field etdump_fields[] = {
    SCALAR("version", ETDUMP_VERSION, ETS_FB_U32),
    TABLES("run_data", ETDUMP_RUN_DATA, run_type),
};
const struct ets_fb_type ets_etdump_type = TYPE("ETDump", etdump_fields);
