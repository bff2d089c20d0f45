/* The tables of Vulkan's payload. */
#include "format/vulkan_schema.h"

#include "format/descriptor.h"

static const struct ets_fb_field call_fields[] = {
    SCALAR("node_id", 0, ETS_FB_U32),
    STRING("name", 1, ETS_FB_NAME),
    SCALARS("args", 2, ETS_FB_I32),
};
static const struct ets_fb_type call_type = TYPE("OperatorCall", call_fields);

/* 255, which is -1, means that the override of the graph or a default holds. */
#define LAYOUTS(storage, slot, layout, next)                                 \
    {storage, slot, ETS_FB_SCALAR, ETS_FB_MINUS_ONE, {.scalar = ETS_FB_U8}}, \
    {                                                                        \
        layout, next, ETS_FB_SCALAR, ETS_FB_MINUS_ONE,                       \
        {                                                                    \
            .scalar = ETS_FB_U8                                              \
        }                                                                    \
    }

static const struct ets_fb_field tensor_fields[] = {
    SCALAR("datatype", 0, ETS_FB_I8),
    SCALARS("dims", 1, ETS_FB_U32),
    SCALAR("constant_id", 2, ETS_FB_I32),
    SCALAR("mem_obj_id", 3, ETS_FB_I32),
    LAYOUTS("storage_type", 4, "memory_layout", 5),
    {"staging_datatype", 6, ETS_FB_SCALAR, ETS_FB_LARGEST, {.scalar = ETS_FB_I8}},
};
static const struct ets_fb_type tensor_type = TYPE("VkTensor", tensor_fields);

static const struct ets_fb_type null_type = {"Null", NULL, 0};
static const struct ets_fb_field int_fields[] = {SCALAR("int_val", 0, ETS_FB_I64)};
static const struct ets_fb_type int_type = TYPE("Int", int_fields);
static const struct ets_fb_field double_fields[] = {SCALAR("double_val", 0, ETS_FB_F64)};
static const struct ets_fb_type double_type = TYPE("Double", double_fields);
static const struct ets_fb_field bool_fields[] = {SCALAR("bool_val", 0, ETS_FB_BOOL)};
static const struct ets_fb_type bool_type = TYPE("Bool", bool_fields);
static const struct ets_fb_field ints_fields[] = {SCALARS("items", 0, ETS_FB_I64)};
static const struct ets_fb_type ints_type = TYPE("IntList", ints_fields);
static const struct ets_fb_field doubles_fields[] = {SCALARS("items", 0, ETS_FB_F64)};
static const struct ets_fb_type doubles_type = TYPE("DoubleList", doubles_fields);
static const struct ets_fb_field bools_fields[] = {SCALARS("items", 0, ETS_FB_BOOL)};
static const struct ets_fb_type bools_type = TYPE("BoolList", bools_fields);
static const struct ets_fb_field values_fields[] = {SCALARS("items", 0, ETS_FB_I32)};
static const struct ets_fb_type values_type = TYPE("ValueList", values_fields);
static const struct ets_fb_field string_fields[] = {STRING("string_val", 0, 0)};
static const struct ets_fb_type string_type = TYPE("String", string_fields);
static const struct ets_fb_field symbol_fields[] = {SCALAR("value", 0, ETS_FB_I32)};
static const struct ets_fb_type symbol_type = TYPE("SymInt", symbol_fields);

static const struct ets_fb_type *const kinds[] = {
    NULL,       &null_type,    &int_type,   &double_type, &bool_type,   &tensor_type,
    &ints_type, &doubles_type, &bools_type, &values_type, &string_type, &symbol_type,
};
static const struct ets_fb_union kind_union = {kinds, COUNT(kinds)};
static const struct ets_fb_field value_fields[] = {UNION("value", 0, kind_union)};
static const struct ets_fb_type value_type = TYPE("VkValue", value_fields);

static const struct ets_fb_field bytes_fields[] = {
    SCALAR("offset", 0, ETS_FB_U64),
    SCALAR("length", 1, ETS_FB_U64),
    STRING("named_key", 2, 0),
};
static const struct ets_fb_type bytes_type = TYPE("VkBytes", bytes_fields);

static const struct ets_fb_field graph_fields[] = {
    STRING("version", 0, 0),
    TABLES("chain", 1, call_type),
    TABLES("values", 2, value_type),
    SCALARS("input_ids", 3, ETS_FB_U32),
    SCALARS("output_ids", 4, ETS_FB_U32),
    TABLES("constants", 5, bytes_type),
    TABLES("shaders", 6, bytes_type),
    LAYOUTS("storage_type_override", 7, "memory_layout_override", 8),
};
const struct ets_fb_type ets_vulkan_graph_type = TYPE("VkGraph", graph_fields);
