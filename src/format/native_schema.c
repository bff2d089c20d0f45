/* The tables of the native backend's payload. */
#include "format/native_schema.h"

#include "format/descriptor.h"

#define STRINGS(name, slot)            \
    {                                  \
        name, slot, ETS_FB_STRINGS, 0, \
        {                              \
            0                          \
        }                              \
    }

static const struct ets_fb_field size_fields[] = {SCALAR("min", 0, ETS_FB_I64),
                                                  SCALAR_OR_MINUS_ONE("max", 1, ETS_FB_I64)};
static const struct ets_fb_type size_type = TYPE("SizeRange", size_fields);
static const struct ets_fb_field meta_fields[] = {SCALAR("dtype", 0, ETS_FB_I8),
                                                  TABLES("sizes", 1, size_type),
                                                  SCALARS("dim_order", 2, ETS_FB_I32)};
static const struct ets_fb_type meta_type = TYPE("TensorMeta", meta_fields);
static const struct ets_fb_field tensor_fields[] = {STRING("name", 0, ETS_FB_NAME),
                                                    TABLE("meta", 1, 0, meta_type)};
static const struct ets_fb_type tensor_type = TYPE("TensorValue", tensor_fields);

static const struct ets_fb_field name_fields[] = {STRING("name", 0, ETS_FB_NAME)};
static const struct ets_fb_type tensor_argument_type = TYPE("TensorArgument", name_fields);
static const struct ets_fb_type none_type = {"NoneArgument", NULL, 0};
static const struct ets_fb_field int_fields[] = {SCALAR("value", 0, ETS_FB_I64),
                                                 STRING("ref", 1, ETS_FB_NAME)};
static const struct ets_fb_type int_type = TYPE("IntArgument", int_fields);
static const struct ets_fb_field float_fields[] = {SCALAR("value", 0, ETS_FB_F64),
                                                   STRING("ref", 1, ETS_FB_NAME)};
static const struct ets_fb_type float_type = TYPE("FloatArgument", float_fields);
static const struct ets_fb_field bool_fields[] = {SCALAR("value", 0, ETS_FB_BOOL),
                                                  STRING("ref", 1, ETS_FB_NAME)};
static const struct ets_fb_type bool_type = TYPE("BoolArgument", bool_fields);
static const struct ets_fb_field string_fields[] = {STRING("value", 0, 0)};
static const struct ets_fb_type string_type = TYPE("StringArgument", string_fields);
static const struct ets_fb_field dtype_fields[] = {SCALAR("value", 0, ETS_FB_I8)};
static const struct ets_fb_type dtype_type = TYPE("DTypeArgument", dtype_fields);
static const struct ets_fb_field ints_fields[] = {SCALARS("values", 0, ETS_FB_I64),
                                                  STRINGS("refs", 1)};
static const struct ets_fb_type ints_type = TYPE("IntListArgument", ints_fields);
static const struct ets_fb_field floats_fields[] = {SCALARS("values", 0, ETS_FB_F64)};
static const struct ets_fb_type floats_type = TYPE("FloatListArgument", floats_fields);
static const struct ets_fb_field bools_fields[] = {SCALARS("values", 0, ETS_FB_BOOL)};
static const struct ets_fb_type bools_type = TYPE("BoolListArgument", bools_fields);
static const struct ets_fb_field tensors_fields[] = {STRINGS("names", 0)};
static const struct ets_fb_type tensors_type = TYPE("TensorListArgument", tensors_fields);
static const struct ets_fb_field optionals_fields[] = {STRINGS("names", 0),
                                                       SCALARS("has_value", 1, ETS_FB_BOOL)};
static const struct ets_fb_type optionals_type =
    TYPE("OptionalTensorListArgument", optionals_fields);
/* The graph inside is not followed. */
static const struct ets_fb_type subgraph_type = TYPE("SubgraphArgument", name_fields);

static const struct ets_fb_type *const arguments[] = {
    NULL,        &tensor_argument_type, &none_type,      &int_type,      &float_type,
    &bool_type,  &string_type,          &dtype_type,     &ints_type,     &floats_type,
    &bools_type, &tensors_type,         &optionals_type, &subgraph_type,
};
static const struct ets_fb_union argument_union = {arguments, COUNT(arguments)};
static const struct ets_fb_field argument_fields[] = {UNION("value", 0, argument_union)};
static const struct ets_fb_type argument_type = TYPE("Argument", argument_fields);
static const struct ets_fb_field named_fields[] = {STRING("name", 0, ETS_FB_NAME),
                                                   TABLE("arg", 1, 0, argument_type),
                                                   SCALAR("mutated", 2, ETS_FB_BOOL)};
static const struct ets_fb_type named_type = TYPE("NamedArgument", named_fields);
static const struct ets_fb_field result_fields[] = {
    STRING("name", 0, ETS_FB_NAME), STRING("alias_of", 1, ETS_FB_NAME),
    SCALAR("kind", 2, ETS_FB_I8), STRINGS("names", 3)};
static const struct ets_fb_type result_type = TYPE("NodeOutput", result_fields);
static const struct ets_fb_field pair_fields[] = {STRING("key", 0, 0), STRING("value", 1, 0)};
static const struct ets_fb_type pair_type = TYPE("KeyValue", pair_fields);
static const struct ets_fb_field node_fields[] = {
    STRING("name", 0, ETS_FB_NAME),    SCALAR("op_kind", 1, ETS_FB_I8),
    STRING("target", 2, ETS_FB_NAME),  TABLES("inputs", 3, named_type),
    TABLES("outputs", 4, result_type), TABLES("metadata", 5, pair_type)};
static const struct ets_fb_type node_type = TYPE("Node", node_fields);
static const struct ets_fb_field graph_fields[] = {TABLES("nodes", 0, node_type),
                                                   STRINGS("inputs", 1), STRINGS("outputs", 2),
                                                   TABLES("tensor_values", 3, tensor_type)};
static const struct ets_fb_type graph_type = TYPE("Graph", graph_fields);

static const struct ets_fb_field constant_fields[] = {
    STRING("placeholder", 0, ETS_FB_NAME), STRING("data_key", 1, ETS_FB_NAME),
    TABLE("meta", 2, 0, meta_type), SCALAR("kind", 3, ETS_FB_I8),
    SCALAR("mutated", 4, ETS_FB_BOOL)};
static const struct ets_fb_type constant_type = TYPE("NamedTensorRef", constant_fields);
static const struct ets_fb_field spec_fields[] = {
    STRING("name", 0, ETS_FB_NAME), SCALAR("kind", 1, ETS_FB_I8), STRING("target", 2, ETS_FB_NAME)};
static const struct ets_fb_type spec_type = TYPE("OutputSpec", spec_fields);
static const struct ets_fb_field buffer_fields[] = {STRING("name", 0, ETS_FB_NAME),
                                                    STRING("fqn", 1, ETS_FB_NAME)};
static const struct ets_fb_type buffer_type = TYPE("MutableBuffer", buffer_fields);
static const struct ets_fb_field method_fields[] = {
    STRING("name", 0, ETS_FB_NAME), TABLE("graph", 1, 0, graph_type),
    TABLES("constants", 2, constant_type), TABLES("output_specs", 3, spec_type),
    TABLES("mutable_buffers", 4, buffer_type)};
static const struct ets_fb_type method_type = TYPE("Method", method_fields);
static const struct ets_fb_field program_fields[] = {STRING("version", 0, 0),
                                                     TABLES("methods", 1, method_type)};
const struct ets_fb_type ets_native_program_type = TYPE("Program", program_fields);
