/* The tables of a program's FlatBuffer (program.fbs), for the verifier. */
#include "format/program_schema.h"
#include "format/descriptor.h"

#include "format/program_parts.h"

static const struct ets_fb_field allocation_fields[] = {
    SCALAR("memory_id", ALLOCATION_MEMORY_ID, ETS_FB_U32),
    SCALAR("memory_offset_low", ALLOCATION_OFFSET_LOW, ETS_FB_U32),
    SCALAR("memory_offset_high", ALLOCATION_OFFSET_HIGH, ETS_FB_U32),
};
static const struct ets_fb_type allocation_type = TYPE("AllocationDetails", allocation_fields);

static const struct ets_fb_field extra_fields[] = {
    SCALAR("mutable_data_segments_idx", EXTRA_MUTABLE_SEGMENT, ETS_FB_U64),
    STRING("fully_qualified_name", EXTRA_NAME, 0),
    SCALAR("location", EXTRA_LOCATION, ETS_FB_I8),
    SCALAR("device_type", EXTRA_DEVICE_TYPE, ETS_FB_I8),
    SCALAR("device_index", EXTRA_DEVICE_INDEX, ETS_FB_I8),
};
static const struct ets_fb_type extra_type = TYPE("ExtraTensorInfo", extra_fields);

static const struct ets_fb_field tensor_fields[] = {
    SCALAR("scalar_type", TENSOR_SCALAR_TYPE, ETS_FB_I8),
    SCALAR("storage_offset", TENSOR_STORAGE_OFFSET, ETS_FB_I32),
    SCALARS("sizes", TENSOR_SIZES, ETS_FB_I32),
    SCALARS("dim_order", TENSOR_DIM_ORDER, ETS_FB_U8),
    SCALAR("requires_grad", TENSOR_REQUIRES_GRAD, ETS_FB_BOOL),
    SCALAR("data_buffer_idx", TENSOR_DATA_BUFFER, ETS_FB_U32),
    TABLE("allocation_info", TENSOR_ALLOCATION, 0, allocation_type),
    SCALAR("layout", TENSOR_LAYOUT, ETS_FB_I8),
    SCALAR("shape_dynamism", TENSOR_DYNAMISM, ETS_FB_I8),
    TABLE("extra_tensor_info", TENSOR_EXTRA, 0, extra_type),
};
static const struct ets_fb_type tensor_type = TYPE("Tensor", tensor_fields);

static const struct ets_fb_field int_fields[] = {SCALAR("int_val", 0, ETS_FB_I64)};
static const struct ets_fb_type int_type = TYPE("Int", int_fields);
static const struct ets_fb_field bool_fields[] = {SCALAR("bool_val", 0, ETS_FB_BOOL)};
static const struct ets_fb_type bool_type = TYPE("Bool", bool_fields);
static const struct ets_fb_field double_fields[] = {SCALAR("double_val", 0, ETS_FB_F64)};
static const struct ets_fb_type double_type = TYPE("Double", double_fields);
static const struct ets_fb_field string_fields[] = {STRING("string_val", 0, 0)};
static const struct ets_fb_type string_type = TYPE("String", string_fields);
static const struct ets_fb_field int_list_fields[] = {SCALARS("items", 0, ETS_FB_I64)};
static const struct ets_fb_type int_list_type = TYPE("IntList", int_list_fields);
static const struct ets_fb_field double_list_fields[] = {SCALARS("items", 0, ETS_FB_F64)};
static const struct ets_fb_type double_list_type = TYPE("DoubleList", double_list_fields);
static const struct ets_fb_field bool_list_fields[] = {SCALARS("items", 0, ETS_FB_BOOL)};
static const struct ets_fb_type bool_list_type = TYPE("BoolList", bool_list_fields);
static const struct ets_fb_field tensor_list_fields[] = {SCALARS("items", 0, ETS_FB_I32)};
static const struct ets_fb_type tensor_list_type = TYPE("TensorList", tensor_list_fields);
static const struct ets_fb_type optional_list_type = TYPE("OptionalTensorList", tensor_list_fields);

/* Null has no content, so its table is never read. */
static const struct ets_fb_type null_type = {"Null", NULL, 0};
static const struct ets_fb_type *const kernel_types[] = {
    [ETS_EVALUE_NULL] = &null_type,
    [ETS_EVALUE_INT] = &int_type,
    [ETS_EVALUE_BOOL] = &bool_type,
    [ETS_EVALUE_DOUBLE] = &double_type,
    [ETS_EVALUE_TENSOR] = &tensor_type,
    [ETS_EVALUE_STRING] = &string_type,
    [ETS_EVALUE_INT_LIST] = &int_list_type,
    [ETS_EVALUE_DOUBLE_LIST] = &double_list_type,
    [ETS_EVALUE_BOOL_LIST] = &bool_list_type,
    [ETS_EVALUE_TENSOR_LIST] = &tensor_list_type,
    [ETS_EVALUE_OPTIONAL_TENSOR_LIST] = &optional_list_type,
};
static const struct ets_fb_union kernel_types_union = {kernel_types, COUNT(kernel_types)};
static const struct ets_fb_field evalue_fields[] = {UNION("val", EVALUE_TAG, kernel_types_union)};
static const struct ets_fb_type evalue_type = TYPE("EValue", evalue_fields);

static const struct ets_fb_field kernel_call_fields[] = {
    SCALAR("op_index", CALL_TARGET, ETS_FB_I32),
    SCALARS("args", CALL_ARGUMENTS, ETS_FB_I32),
};
static const struct ets_fb_type kernel_call_type = TYPE("KernelCall", kernel_call_fields);
static const struct ets_fb_field delegate_call_fields[] = {
    SCALAR("delegate_index", CALL_TARGET, ETS_FB_I32),
    SCALARS("args", CALL_ARGUMENTS, ETS_FB_I32),
};
static const struct ets_fb_type delegate_call_type = TYPE("DelegateCall", delegate_call_fields);
static const struct ets_fb_field move_fields[] = {
    SCALAR("move_from", MOVE_FROM, ETS_FB_I32),
    SCALAR("move_to", MOVE_TO, ETS_FB_I32),
};
static const struct ets_fb_type move_type = TYPE("MoveCall", move_fields);
static const struct ets_fb_field jump_fields[] = {
    SCALAR("cond_value_index", JUMP_CONDITION, ETS_FB_I32),
    SCALAR("destination_instruction", JUMP_DESTINATION, ETS_FB_I32),
};
static const struct ets_fb_type jump_type = TYPE("JumpFalseCall", jump_fields);
static const struct ets_fb_field free_fields[] = {SCALAR("value_index", FREE_VALUE, ETS_FB_I32)};
static const struct ets_fb_type free_type = TYPE("FreeCall", free_fields);

static const struct ets_fb_type *const instruction_types[] = {
    [ETS_INSTRUCTION_KERNEL_CALL] = &kernel_call_type,
    [ETS_INSTRUCTION_DELEGATE_CALL] = &delegate_call_type,
    [ETS_INSTRUCTION_MOVE_CALL] = &move_type,
    [ETS_INSTRUCTION_JUMP_FALSE_CALL] = &jump_type,
    [ETS_INSTRUCTION_FREE_CALL] = &free_type,
};
static const struct ets_fb_union instruction_union = {instruction_types, COUNT(instruction_types)};
static const struct ets_fb_field instruction_fields[] = {
    UNION("instr_args", INSTRUCTION_TAG, instruction_union),
};
static const struct ets_fb_type instruction_type = TYPE("Instruction", instruction_fields);

static const struct ets_fb_field frame_fields[] = {
    STRING("filename", FRAME_FILE, 0),
    SCALAR("lineno", FRAME_LINE, ETS_FB_I32),
    STRING("name", FRAME_NAME, 0),
    STRING("context", FRAME_CONTEXT, 0),
};
static const struct ets_fb_type frame_type = TYPE("Frame", frame_fields);
static const struct ets_fb_field frame_list_fields[] = {TABLES("items", 0, frame_type)};
static const struct ets_fb_type frame_list_type = TYPE("FrameList", frame_list_fields);

static const struct ets_fb_field chain_fields[] = {
    SCALARS("inputs", CHAIN_INPUTS, ETS_FB_I32),
    SCALARS("outputs", CHAIN_OUTPUTS, ETS_FB_I32),
    TABLES("instructions", CHAIN_INSTRUCTIONS, instruction_type),
    TABLES("stacktrace", CHAIN_TRACES, frame_list_type),
};
static const struct ets_fb_type chain_type = TYPE("Chain", chain_fields);

static const struct ets_fb_field operator_fields[] = {
    STRING("name", OPERATOR_NAME, ETS_FB_REQUIRED | ETS_FB_NAME),
    STRING("overload", OPERATOR_OVERLOAD, ETS_FB_NAME),
};
static const struct ets_fb_type operator_type = TYPE("Operator", operator_fields);

static const struct ets_fb_field blob_fields[] = {
    SCALAR("location", BLOB_LOCATION, ETS_FB_I8),
    SCALAR("index", BLOB_INDEX, ETS_FB_U32),
};
static const struct ets_fb_type blob_type = TYPE("BackendDelegateDataReference", blob_fields);
static const struct ets_fb_field compile_spec_fields[] = {
    STRING("key", COMPILE_SPEC_KEY, ETS_FB_REQUIRED),
    BLOB("value", COMPILE_SPEC_VALUE),
};
static const struct ets_fb_type compile_spec_type = TYPE("CompileSpec", compile_spec_fields);
static const struct ets_fb_field delegate_fields[] = {
    STRING("id", DELEGATE_ID, ETS_FB_REQUIRED | ETS_FB_NAME),
    TABLE("processed", DELEGATE_BLOB, ETS_FB_REQUIRED, blob_type),
    TABLES("compile_specs", DELEGATE_COMPILE_SPECS, compile_spec_type),
};
static const struct ets_fb_type delegate_type = TYPE("BackendDelegate", delegate_fields);

static const struct ets_fb_field container_fields[] = {
    STRING("encoded_inp_str", CONTAINER_INPUT, 0),
    STRING("encoded_out_str", CONTAINER_OUTPUT, 0),
};
static const struct ets_fb_type container_type = TYPE("ContainerMetadata", container_fields);
static const struct ets_fb_field device_fields[] = {
    SCALAR("buffer_idx", PLAN_DEVICE_BUFFER, ETS_FB_I32),
    SCALAR("device_type", PLAN_DEVICE_TYPE, ETS_FB_I8),
    SCALAR("device_index", PLAN_DEVICE_INDEX, ETS_FB_I8),
};
static const struct ets_fb_type device_type = TYPE("NonConstBufferDevice", device_fields);

static const struct ets_fb_field plan_fields[] = {
    STRING("name", PLAN_NAME, ETS_FB_REQUIRED | ETS_FB_NAME),
    TABLE("container_meta_type", PLAN_CONTAINER, 0, container_type),
    TABLES("values", PLAN_VALUES, evalue_type),
    SCALARS("inputs", PLAN_INPUTS, ETS_FB_I32),
    SCALARS("outputs", PLAN_OUTPUTS, ETS_FB_I32),
    TABLES("chains", PLAN_CHAINS, chain_type),
    TABLES("operators", PLAN_OPERATORS, operator_type),
    TABLES("delegates", PLAN_DELEGATES, delegate_type),
    SCALARS("non_const_buffer_sizes", PLAN_ARENAS, ETS_FB_I64),
    TABLES("non_const_buffer_device", PLAN_DEVICES, device_type),
};
static const struct ets_fb_type plan_type = TYPE("ExecutionPlan", plan_fields);

/* Buffer and BackendDelegateInlineData have the same form: one byte vector. */
static const struct ets_fb_field buffer_fields[] = {BLOB("storage", 0)};
static const struct ets_fb_type buffer_type = TYPE("Buffer", buffer_fields);
static const struct ets_fb_field inline_fields[] = {BLOB("data", 0)};
static const struct ets_fb_type inline_type = TYPE("BackendDelegateInlineData", inline_fields);

static const struct ets_fb_field offsets_fields[] = {
    SCALAR("segment_index", OFFSETS_SEGMENT, ETS_FB_U32),
    SCALARS("offsets", OFFSETS_OFFSETS, ETS_FB_U64),
};
static const struct ets_fb_type offsets_type = TYPE("SubsegmentOffsets", offsets_fields);
static const struct ets_fb_field named_data_fields[] = {
    STRING("key", NAMED_DATA_KEY, ETS_FB_REQUIRED),
    SCALAR("segment_index", NAMED_DATA_SEGMENT, ETS_FB_U32),
};
static const struct ets_fb_type named_data_type = TYPE("NamedData", named_data_fields);

static const struct ets_fb_field program_fields[] = {
    SCALAR("version", PROGRAM_VERSION, ETS_FB_U32),
    TABLES("execution_plan", PROGRAM_PLANS, plan_type),
    TABLES("constant_buffer", PROGRAM_CONSTANT_BUFFER, buffer_type),
    TABLES("backend_delegate_data", PROGRAM_INLINE_DELEGATES, inline_type),
    TABLES("segments", PROGRAM_SEGMENTS, ets_parts_segment_type),
    TABLE("constant_segment", PROGRAM_CONSTANT_SEGMENT, 0, offsets_type),
    TABLES("mutable_data_segments", PROGRAM_MUTABLE_SEGMENTS, offsets_type),
    TABLES("named_data", PROGRAM_NAMED_DATA, named_data_type),
};
const struct ets_fb_type ets_program_type = TYPE("Program", program_fields);
