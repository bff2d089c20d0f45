/* The reader of XNNPACK payloads: what the fixtures hold, and damage. */
#include "base/load.h"
#include "etscope/program.h"
#include "test_files_support.h"
#include "walk_xnnpack.h"

/* The payload of a program's delegate in a heap block of its own. */
static struct ets_bytes load(const char *name, uint32_t index)
{
    struct ets_file *file = open_file(name);
    struct ets_program program;
    struct ets_method method;
    struct ets_delegate delegate;
    assert_int_equal(ets_program_init(&program, ets_file_bytes(file), NULL), ETS_OK);
    ets_program_method(&program, 0, &method);
    ets_method_delegate(&method, index, &delegate);
    assert_memory_equal(delegate.id.data, ETS_XNNPACK_BACKEND, delegate.id.size);
    uint8_t *copy = malloc(delegate.blob.size);
    assert_non_null(copy);
    memcpy(copy, delegate.blob.data, delegate.blob.size);
    const struct ets_bytes bytes = {copy, delegate.blob.size};
    ets_file_close(file);
    return bytes;
}

static void release(struct ets_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

static void find_value(const struct ets_xnnpack *payload, uint32_t id,
                       struct ets_xnnpack_value *value_out)
{
    for (uint32_t i = 0; i < payload->value_count; i++) {
        ets_xnnpack_value(payload, i, value_out);
        if (value_out->id == id) return;
    }
    fail_msg("no value %u", id);
}

static void test_xnnpack__nodes_and_tensors_of_a_convolution(void **state)
{
    (void)state;
    const struct ets_bytes bytes = load("conv_xnnpack/model.pte", 0);
    struct ets_xnnpack payload;
    struct ets_xnnpack_node node;
    struct ets_xnnpack_value value;
    assert_int_equal(ets_xnnpack_sniff(bytes), 1);
    assert_int_equal(ets_xnnpack_init(&payload, bytes, NULL), ETS_OK);
    static const struct {
        const char *name;
        int64_t handle;
    } expected[] = {{"StaticTranspose", -1},   {"Conv2d", 1},
                    {"DepthwiseConv2d", 4},    {"Hardswish", 5},
                    {"GlobalAvgPooling2d", 6}, {"StaticTranspose", -1},
                    {"StaticReshape", 7},      {"FullyConnected", 8}};
    assert_int_equal(payload.node_count, sizeof expected / sizeof *expected);
    assert_int_equal(payload.external_count, 2);
    for (uint32_t i = 0; i < payload.node_count; i++) {
        ets_xnnpack_node(&payload, i, &node);
        assert_string_equal(ets_xnnpack_node_name(node.type), expected[i].name);
        assert_int_equal(node.debug_handle, expected[i].handle);
    }
    ets_xnnpack_node(&payload, 1, &node);
    assert_int_equal(node.input_count, 3); /* data, filter, bias */
    assert_int_equal(node.kernel[0], 3);
    assert_int_equal(node.stride[1], 2);
    assert_int_equal(node.groups, 1);
    assert_int_equal(node.has_min_max, 1);
    assert_true(node.output_min == 0.0f && node.output_max == 6.0f); /* relu6 */
    find_value(&payload, node.inputs[1], &value);
    assert_int_equal(value.type, ETS_XNNPACK_FP32);
    assert_int_equal(value.rank, 4);
    assert_int_equal(ets_xnnpack_dim(&payload, &value, 0), node.group_output_channels);
    assert_int_equal(ets_xnnpack_dim(&payload, &value, 3), node.group_input_channels);
    assert_int_equal(value.external_id, ETS_XNNPACK_INTERNAL);
    struct ets_xnnpack_constant constant;
    ets_xnnpack_constant(&payload, value.constant_index, &constant);
    assert_int_equal(constant.key.size, 64); /* a SHA-256 in hexadecimal */
    assert_int_equal(constant.size, 4 * 9 * node.group_output_channels * node.group_input_channels);
    release(bytes);
}

static void test_xnnpack__arguments_of_the_call(void **state)
{
    (void)state;
    const struct ets_bytes bytes = load("mlp_xnnpack/model.pte", 0);
    struct ets_xnnpack payload;
    assert_int_equal(ets_xnnpack_init(&payload, bytes, NULL), ETS_OK);
    uint32_t inputs = 0, outputs = 0;
    for (uint32_t i = 0; i < payload.value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(&payload, i, &value);
        if (value.is_input) assert_int_equal(value.external_id, 0);
        if (value.is_output) assert_int_equal(value.external_id, 1);
        inputs += value.is_input != 0;
        outputs += value.is_output != 0;
    }
    assert_int_equal(inputs, 1);
    assert_int_equal(outputs, 1);
    release(bytes);
}

static void test_xnnpack__quantised_values(void **state)
{
    (void)state;
    const struct ets_bytes bytes = load("linear_int8_xnnpack/model.pte", 0);
    struct ets_xnnpack payload;
    struct ets_xnnpack_node node;
    struct ets_xnnpack_value value;
    assert_int_equal(ets_xnnpack_init(&payload, bytes, NULL), ETS_OK);
    assert_int_equal(payload.node_count, 2);
    ets_xnnpack_node(&payload, 1, &node);
    find_value(&payload, node.inputs[0], &value);
    assert_string_equal(ets_xnnpack_type_name(value.type), "qdint8");
    assert_int_equal(value.is_quantized, 1);
    find_value(&payload, node.inputs[1], &value);
    assert_string_equal(ets_xnnpack_type_name(value.type), "qcint8");
    assert_int_equal(ets_xnnpack_type_bits(value.type), 8);
    assert_int_equal(value.quantization.kind, ETS_XNNPACK_PER_CHANNEL);
    assert_int_equal(value.quantization.scale_count, 256);
    struct ets_xnnpack_constant scales;
    ets_xnnpack_constant(&payload, value.quantization.scale_constant, &scales);
    assert_int_equal(scales.size, 256 * 4);
    release(bytes);
}

static void test_xnnpack__kinds_of_quantisation(void **state)
{
    (void)state;
    const struct ets_bytes per_tensor = load("conv_xnnpack_int8/model.pte", 0);
    const struct ets_bytes in_groups = load("torchao/8da4w.pte", 0);
    struct ets_xnnpack payload;
    struct ets_xnnpack_value value;
    uint32_t kinds[ETS_XNNPACK_PER_GROUP + 1] = {0};
    assert_int_equal(ets_xnnpack_init(&payload, per_tensor, NULL), ETS_OK);
    for (uint32_t i = 0; i < payload.value_count; i++) {
        ets_xnnpack_value(&payload, i, &value);
        kinds[value.quantization.kind]++;
        if (value.quantization.kind != ETS_XNNPACK_PER_TENSOR) continue;
        assert_true(value.quantization.scale > 0);
    }
    assert_true(kinds[ETS_XNNPACK_PER_TENSOR] > 0 && kinds[ETS_XNNPACK_PER_CHANNEL] > 0);
    assert_int_equal(kinds[ETS_XNNPACK_PER_GROUP], 0);
    assert_int_equal(ets_xnnpack_init(&payload, in_groups, NULL), ETS_OK);
    for (uint32_t i = 0; i < payload.value_count; i++) {
        ets_xnnpack_value(&payload, i, &value);
        kinds[value.quantization.kind]++;
        if (value.quantization.kind != ETS_XNNPACK_PER_GROUP) continue;
        assert_int_equal(value.quantization.group_size, 32);
        assert_true(value.quantization.scale_constant > 0);
    }
    assert_true(kinds[ETS_XNNPACK_PER_GROUP] > 0 && kinds[ETS_XNNPACK_PER_TOKEN] > 0);
    release(in_groups);
    release(per_tensor);
}

static void test_xnnpack__a_payload_without_its_header(void **state)
{
    (void)state;
    const struct ets_bytes bytes = load("mlp_xnnpack/model.pte", 0);
    struct ets_xnnpack payload, bare;
    assert_int_equal(ets_xnnpack_init(&payload, bytes, NULL), ETS_OK);
    assert_int_equal(ets_xnnpack_init(&bare, payload.flatbuffer, NULL), ETS_OK);
    assert_int_equal(bare.node_count, payload.node_count);
    walk_xnnpack(&bare);
    release(bytes);
}

static void test_xnnpack__what_is_wrong_is_said(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
        enum ets_status status;
        const char *message;
    } changes[] = {
        {4, 0x31304e59, ETS_WRONG_KIND, "not an XNNPACK payload: neither XH00 nor XN01 at byte 4"},
        {10, 1u << 30, ETS_TRUNCATED, NULL},
        {14, 7, ETS_MALFORMED, NULL},
        {14, UINT32_MAX, ETS_TRUNCATED, NULL},
        {18, 40, ETS_MALFORMED, NULL},
        {22, UINT32_MAX, ETS_MALFORMED, NULL},
        {36, 0x39394e58, ETS_UNSUPPORTED, "XNNPACK graph is neither XN01 nor XN00"},
    };
    const struct ets_bytes bytes = load("mlp_xnnpack/model.pte", 0);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        uint8_t *copy = malloc(bytes.size);
        struct ets_xnnpack payload;
        struct ets_error error = {.message = ""};
        assert_non_null(copy);
        memcpy(copy, bytes.data, bytes.size);
        for (size_t k = 0; k < 4; k++) {
            copy[changes[i].at + k] = (uint8_t)(changes[i].value >> 8 * k);
        }
        const struct ets_bytes changed = {copy, bytes.size};
        assert_int_equal(ets_xnnpack_init(&payload, changed, &error), changes[i].status);
        assert_int_equal(error.status, changes[i].status);
        if (changes[i].message != NULL) assert_string_equal(error.message, changes[i].message);
        free(copy);
    }
    release(bytes);
}

static void test_xnnpack__every_cut_and_every_flipped_bit_is_survived(void **state)
{
    (void)state;
    static const char *const names[] = {"linear_int8_xnnpack/model.pte", "conv_xnnpack/model.pte"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const struct ets_bytes bytes = load(names[n], 0);
        for (size_t size = 0; size < bytes.size; size++) {
            uint8_t *cut = malloc(size > 0 ? size : 1);
            struct ets_xnnpack payload;
            assert_non_null(cut);
            if (size > 0) memcpy(cut, bytes.data, size);
            assert_int_not_equal(ets_xnnpack_init(&payload, (struct ets_bytes){cut, size}, NULL),
                                 ETS_OK);
            free(cut);
        }
        uint8_t *copy = (uint8_t *)(uintptr_t)bytes.data;
        unsigned long read = 0;
        for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
            struct ets_xnnpack payload;
            copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (ets_xnnpack_init(&payload, bytes, NULL) == ETS_OK) {
                walk_xnnpack(&payload);
                read++;
            }
            copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        assert_true(read > 0); /* numbers may change */
        release(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xnnpack__nodes_and_tensors_of_a_convolution),
        cmocka_unit_test(test_xnnpack__arguments_of_the_call),
        cmocka_unit_test(test_xnnpack__quantised_values),
        cmocka_unit_test(test_xnnpack__kinds_of_quantisation),
        cmocka_unit_test(test_xnnpack__a_payload_without_its_header),
        cmocka_unit_test(test_xnnpack__what_is_wrong_is_said),
        cmocka_unit_test(test_xnnpack__every_cut_and_every_flipped_bit_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
