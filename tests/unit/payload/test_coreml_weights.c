/*
 * Weights that Core ML's programs store quantized, by each of the operations that unpack them.
 * Exporters make such programs; these ones are made here, with the fields that they write.
 */
#include "base/text.h"
#include "payload/payload_store.h"
#include "test_files_support.h"

/* A message while it is written. */
struct message {
    uint8_t bytes[2048];
    size_t size;
};

static void put_byte(struct message *m, unsigned byte)
{
    assert_true(m->size < sizeof m->bytes);
    m->bytes[m->size++] = (uint8_t)byte;
}

static void put_varint(struct message *m, uint64_t value)
{
    for (; value > 0x7f; value >>= 7) put_byte(m, (unsigned)(value & 0x7f) | 0x80);
    put_byte(m, (unsigned)value);
}

static void put_number(struct message *m, uint32_t field, uint64_t value)
{
    put_varint(m, (uint64_t)field << 3);
    put_varint(m, value);
}

static void put_bytes(struct message *m, uint32_t field, const void *bytes, size_t size)
{
    put_varint(m, (uint64_t)field << 3 | 2);
    put_varint(m, size);
    for (size_t i = 0; i < size; i++) put_byte(m, ((const uint8_t *)bytes)[i]);
}

static void put_text(struct message *m, uint32_t field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

static void put_message(struct message *m, uint32_t field, const struct message *inner)
{
    put_bytes(m, field, inner->bytes, inner->size);
}

/* {1: key, 2: value} */
static void put_entry(struct message *m, uint32_t map, const char *key, const struct message *value)
{
    struct message entry = {.size = 0};
    put_text(&entry, 1, key);
    put_message(&entry, 2, value);
    put_message(m, map, &entry);
}

static struct message type_of(unsigned data_type, uint32_t rank, const uint32_t *sizes)
{
    struct message tensor = {.size = 0}, type = {.size = 0};
    put_number(&tensor, 1, data_type);
    put_number(&tensor, 2, rank);
    for (uint32_t i = 0; i < rank; i++) {
        struct message constant = {.size = 0}, dimension = {.size = 0};
        put_number(&constant, 1, sizes[i]);
        put_message(&dimension, 1, &constant);
        put_message(&tensor, 3, &dimension);
    }
    put_message(&type, 1, &tensor);
    return type;
}

static struct message named_of(const char *name, const struct message *type)
{
    struct message named = {.size = 0};
    put_text(&named, 1, name);
    put_message(&named, 2, type);
    return named;
}

/* A value in the program: raw elements. */
static struct message value_of(const struct message *type, const void *bytes, size_t size)
{
    struct message raw = {.size = 0}, tensor = {.size = 0}, immediate = {.size = 0};
    struct message value = {.size = 0};
    put_bytes(&raw, 1, bytes, size);
    put_message(&tensor, 7, &raw);
    put_message(&immediate, 1, &tensor);
    put_message(&value, 2, type);
    put_message(&value, 3, &immediate);
    return value;
}

static void put_input(struct message *operation, const char *key, const char *name)
{
    struct message binding = {.size = 0}, argument = {.size = 0};
    put_text(&binding, 1, name);
    put_message(&argument, 1, &binding);
    put_entry(operation, 2, key, &argument);
}

static void put_const(struct message *block, const char *name, const struct message *type,
                      const struct message *value)
{
    struct message operation = {.size = 0};
    const struct message output = named_of(name, type);
    put_text(&operation, 1, "const");
    put_message(&operation, 3, &output);
    put_entry(&operation, 5, "val", value);
    put_message(block, 3, &operation);
}

enum { FLOAT16 = 10, FLOAT32 = 11, INT8 = 21, UINT8 = 31, UINT4 = 35 };

static const uint32_t weight_sizes[] = {3, 4};

/* y = linear(x, w) with what makes w before it. */
static size_t make_payload(const struct message *weights, uint8_t *out, size_t room)
{
    static const uint32_t in_sizes[] = {2, 4}, out_sizes[] = {2, 3};
    const struct message in = type_of(FLOAT16, 2, in_sizes),
                         result = type_of(FLOAT16, 2, out_sizes);
    const struct message x = named_of("x", &in), y = named_of("aten_linear_default", &result);
    static struct message block, function, program, model;
    struct message linear = {.size = 0};
    block = *weights;
    put_text(&linear, 1, "linear");
    put_input(&linear, "weight", "w");
    put_input(&linear, "x", "x");
    put_message(&linear, 3, &y);
    put_message(&block, 3, &linear);
    put_text(&block, 2, "aten_linear_default");
    function.size = program.size = model.size = 0;
    put_message(&function, 1, &x);
    put_text(&function, 2, "CoreML7");
    put_entry(&function, 3, "CoreML7", &block);
    put_entry(&program, 2, "main", &function);
    put_number(&model, 1, 8);
    put_message(&model, 502, &program);
    char directory[512];
    snprintf(directory, sizeof directory,
             "{\"nodes\":[{\"kind\":0,\"dataRegion\":{\"offset\":0,\"size\":%zu}},"
             "{\"kind\":1,\"children\":{\"model.mlmodel\":0}},"
             "{\"kind\":1,\"children\":{\"com.apple.CoreML\":1}},"
             "{\"kind\":1,\"children\":{\"Data\":2}},"
             "{\"kind\":1,\"children\":{\"model.mlpackage\":3}}]}",
             model.size);
    const size_t length = strlen(directory);
    assert_true(model.size + length <= room);
    memcpy(out, model.bytes, model.size);
    for (size_t i = 0; i < length; i++) out[model.size + i] = (uint8_t)directory[length - 1 - i];
    return model.size + length;
}

struct opened {
    uint8_t payload[8192];
    struct ets_program program;
    struct ets_arena arena;
    struct ets_payload_store store;
    const struct ets_payload_value *weight;
    struct ets_bytes bytes;
};

/* Reads the payload, which has one node and its weight. */
static void open_weight(const struct message *weights, struct opened *o)
{
    const size_t size = make_payload(weights, o->payload, sizeof o->payload);
    const struct ets_delegate delegate = {.id = ets_text_of("CoreMLBackend"),
                                          .blob = {o->payload, size}};
    const struct ets_payload_graph *graph;
    const char *reason = "";
    o->program = (struct ets_program){.bytes = delegate.blob};
    ets_arena_init(&o->arena, NULL, 0);
    ets_payload_store_init(&o->store, &o->arena, &o->program);
    assert_int_equal(ets_payload_store_read(&o->store, &delegate, &graph, &reason, NULL), ETS_OK);
    if (graph == NULL) fail_msg("%s", reason);
    assert_int_equal(graph->node_count, 1);
    assert_int_equal(graph->nodes[0].input_count, 2);
    assert_int_equal(graph->nodes[0].depth, 4);
    assert_int_equal(graph->argument_count, 2);
    o->weight = ets_payload_value(graph, graph->nodes[0].inputs[1]);
    assert_non_null(o->weight);
    assert_int_equal(o->weight->rank, 2);
    assert_int_equal(o->weight->dims[0], 3);
    o->bytes = ets_payload_constant_bytes(graph, o->weight->constant);
}

/* The operation that makes w; what it takes is added by the caller. */
static struct message unpacking(const char *type)
{
    struct message operation = {.size = 0};
    const struct message result = type_of(FLOAT16, 2, weight_sizes), w = named_of("w", &result);
    put_text(&operation, 1, type);
    put_message(&operation, 3, &w);
    return operation;
}

static void affine__one_scale_for_each_channel(void **state)
{
    (void)state;
    static struct opened o;
    static const uint32_t channels[] = {3};
    static const uint8_t data[12] = {7}, scales[12] = {0};
    const struct message int8 = type_of(INT8, 2, weight_sizes),
                         float32 = type_of(FLOAT32, 1, channels);
    const struct message stored = value_of(&int8, data, 12), scale = value_of(&float32, scales, 12);
    struct message operation = unpacking("constexpr_affine_dequantize"), block = {.size = 0};
    put_entry(&operation, 5, "quantized_data", &stored);
    put_entry(&operation, 5, "scale", &scale);
    put_message(&block, 3, &operation);
    open_weight(&block, &o);
    assert_string_equal(o.weight->type->name, "int8");
    assert_int_equal(o.bytes.size, 12);
    assert_int_equal(o.bytes.data[0], 7);
    assert_int_equal(o.weight->quantization.kind, ETS_PAYLOAD_PER_CHANNEL);
    assert_int_equal(o.weight->quantization.scale_count, 3);
    assert_int_equal(o.weight->quantization.channel_dim, 0);
    ets_arena_reset(&o.arena);
}

static void blockwise__scales_of_groups(void **state)
{
    (void)state;
    static struct opened o;
    static const uint32_t groups[] = {3, 2};
    static const uint8_t data[6] = {1}, scales[12] = {0};
    const struct message uint4 = type_of(UINT4, 2, weight_sizes),
                         half = type_of(FLOAT16, 2, groups);
    const struct message stored = value_of(&uint4, data, 6), scale = value_of(&half, scales, 12);
    struct message operation = unpacking("constexpr_blockwise_shift_scale"), block = {.size = 0};
    put_const(&block, "w_quantized", &uint4, &stored);
    put_const(&block, "w_scale", &half, &scale);
    put_input(&operation, "data", "w_quantized");
    put_input(&operation, "scale", "w_scale");
    put_message(&block, 3, &operation);
    open_weight(&block, &o);
    assert_string_equal(o.weight->type->name, "uint4");
    assert_int_equal(o.weight->type->bits, 4);
    assert_int_equal(o.bytes.size, 6);
    assert_int_equal(o.weight->quantization.kind, ETS_PAYLOAD_PER_GROUP);
    assert_int_equal(o.weight->quantization.group_size, 2);
    ets_arena_reset(&o.arena);
}

static void table__indices_are_as_wide_as_the_table_needs(void **state)
{
    (void)state;
    static struct opened o;
    static const uint32_t entries[] = {16}, packed[] = {6};
    static const uint8_t indices[6] = {1}, values[32] = {0};
    const struct message bytes = type_of(UINT8, 1, packed), half = type_of(FLOAT16, 1, entries);
    const struct message stored = value_of(&bytes, indices, 6), table = value_of(&half, values, 32);
    struct message operation = unpacking("constexpr_lut_to_dense"), block = {.size = 0};
    put_entry(&operation, 5, "indices", &stored);
    put_entry(&operation, 5, "lut", &table);
    put_message(&block, 3, &operation);
    open_weight(&block, &o);
    assert_string_equal(o.weight->type->name, "uint4");
    assert_int_equal(o.bytes.size, 6);
    ets_arena_reset(&o.arena);
}

/* What unpacks it is not known: the weight has its result's type, and no bytes. */
static void unknown__operations_claim_no_bytes(void **state)
{
    (void)state;
    static struct opened o;
    const struct message operation = unpacking("constexpr_of_another_year");
    struct message block = {.size = 0};
    put_message(&block, 3, &operation);
    open_weight(&block, &o);
    assert_string_equal(o.weight->type->name, "float16");
    assert_int_equal(o.weight->constant, ETS_PAYLOAD_NONE);
    ets_arena_reset(&o.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine__one_scale_for_each_channel),
        cmocka_unit_test(blockwise__scales_of_groups),
        cmocka_unit_test(table__indices_are_as_wide_as_the_table_needs),
        cmocka_unit_test(unknown__operations_claim_no_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
