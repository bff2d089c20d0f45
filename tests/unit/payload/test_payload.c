/* What delegates were given, of two backends: alike, each payload once, and within one limit. */
#include "format/delegate_numbers.h"
#include "payload/payload_events.h"
#include "payload/payload_store.h"
#include "test_faults_support.h"
#include "test_files_support.h"

struct opened {
    struct ets_file *file;
    struct ets_program program;
    struct ets_method method;
    struct ets_arena arena;
    struct ets_payload_store store;
};

static void open_program(const char *name, const struct ets_allocator *allocator,
                         struct opened *out)
{
    out->file = open_file(name);
    assert_int_equal(ets_program_init(&out->program, ets_file_bytes(out->file), NULL), ETS_OK);
    ets_program_method(&out->program, 0, &out->method);
    ets_arena_init(&out->arena, allocator, 0);
    ets_payload_store_init(&out->store, &out->arena, &out->program);
}

static void close_program(struct opened *opened)
{
    ets_arena_reset(&opened->arena);
    ets_file_close(opened->file);
}

static const struct ets_payload_graph *read(struct opened *opened, uint32_t number,
                                            const char **reason_out)
{
    struct ets_delegate delegate;
    const struct ets_payload_graph *graph;
    ets_method_delegate(&opened->method, number, &delegate);
    assert_int_equal(ets_payload_store_read(&opened->store, &delegate, &graph, reason_out, NULL),
                     ETS_OK);
    return graph;
}

static void assert_text(struct ets_text text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.data, expected, text.size);
}

static void vulkan__calls_are_nodes(void **state)
{
    (void)state;
    struct opened opened;
    open_program("payloads/vulkan_before.pte", NULL, &opened);
    const struct ets_payload_graph *graph = read(&opened, 0, NULL);
    assert_non_null(graph);
    assert_string_equal(ets_payload_format(graph), "Vulkan graph");
    assert_int_equal(graph->node_count, 9);
    assert_int_equal(graph->argument_count, 2);
    const struct ets_payload_node *convolution = &graph->nodes[2];
    assert_text(convolution->name, "et_vk.conv_with_clamp.default");
    assert_text(convolution->operation, "convolution");
    assert_int_equal(convolution->debug_handle, -1);
    assert_int_equal(convolution->input_count, 3);
    assert_true(convolution->has_clamp && convolution->clamp_min == 0);
    const struct ets_payload_value *weight = ets_payload_value(graph, convolution->inputs[1]);
    assert_string_equal(weight->type->name, "float32");
    assert_int_equal(weight->rank, 4);
    assert_int_equal(ets_payload_elements(weight), 8 * 3 * 3 * 3);
    assert_int_equal(ets_payload_constant_bytes(graph, weight->constant).size, 864);
    const struct ets_payload_parameter *stride = &convolution->parameters[3];
    assert_int_equal(stride->kind, ETS_PAYLOAD_INTEGERS);
    assert_int_equal(stride->count, 2);
    assert_int_equal(stride->integers[0], 1);
    assert_int_equal(ets_payload_producer(graph, graph->nodes[3].inputs[0]), 2);
    /* two outputs, and a list of inputs */
    assert_int_equal(graph->nodes[5].output_count, 2);
    assert_int_equal(graph->nodes[8].input_count, 2);
    assert_false(ets_payload_has_events(graph));
    close_program(&opened);
}

static void xnnpack__nodes_state_what_they_multiply(void **state)
{
    (void)state;
    struct opened opened;
    open_program("conv_xnnpack/model.pte", NULL, &opened);
    const struct ets_payload_graph *graph = read(&opened, 0, NULL);
    assert_non_null(graph);
    bool has_convolution = false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_payload_node *node = &graph->nodes[i];
        if (strcmp(node->name.data, "Conv2d") != 0) continue;
        const struct ets_payload_value *weight = ets_payload_value(graph, node->inputs[1]);
        has_convolution = true;
        assert_text(node->operation, "convolution");
        assert_int_equal(node->depth, ets_payload_elements(weight) / weight->dims[0]);
        assert_true(ets_payload_constant_bytes(graph, weight->constant).size > 0);
    }
    assert_true(has_convolution);
    struct ets_payload_events events;
    assert_int_equal(ets_payload_events(&opened.arena, graph, &events, NULL), ETS_OK);
    assert_true(events.count > 0);
    close_program(&opened);
}

/* Temporaries are written again, and what prepares constants is no part of a run. */
static void mlx__each_write_is_a_value(void **state)
{
    (void)state;
    struct opened opened;
    open_program("payload_truth/mlx/lin_int4/model.pte", NULL, &opened);
    const struct ets_payload_graph *graph = read(&opened, 0, NULL);
    assert_non_null(graph);
    assert_string_equal(ets_payload_format(graph), "MLX graph");
    assert_int_equal(graph->node_count, 4);
    assert_int_equal(graph->argument_count, 2);
    const struct ets_payload_node *product = &graph->nodes[2], *add = &graph->nodes[3];
    assert_text(product->name, "QuantizedMatmul");
    assert_text(product->operation, "linear");
    assert_int_equal(product->depth, 64);
    assert_int_equal(ets_payload_producer(graph, add->inputs[0]), 2);
    assert_int_not_equal(add->inputs[0], add->outputs[0]); /* one tensor in the payload */
    const struct ets_payload_value *weight = ets_payload_value(graph, product->inputs[1]);
    assert_string_equal(weight->type->name, "int4");
    assert_int_equal(ets_payload_elements(weight), 32 * 64);
    assert_int_equal(ets_payload_constant_bytes(graph, weight->constant).size, 1024);
    assert_int_equal(weight->quantization.group_size, 32);
    assert_int_equal(weight->quantization.scale_count, 64);
    assert_text(graph->constants[weight->constant].name,
                "f.parametrizations.weight.original0_to_packed");
    close_program(&opened);
}

static void native__nodes_have_names_of_the_edge_program(void **state)
{
    (void)state;
    struct opened opened;
    open_program("payload_truth/native/res/model.pte", NULL, &opened);
    const struct ets_payload_graph *graph = read(&opened, 0, NULL);
    assert_non_null(graph);
    assert_string_equal(ets_payload_format(graph), "native graph");
    assert_int_equal(graph->node_count, 9);
    assert_int_equal(graph->constant_count, 8);
    assert_int_equal(graph->argument_count, 2);
    assert_text(graph->nodes[2].edge_name, "aten_convolution_default_1");
    assert_text(graph->nodes[2].operation, "convolution");
    assert_int_equal(graph->nodes[2].parameter_count, 9);
    assert_string_equal(graph->nodes[2].parameters[3].name, "stride");
    assert_int_equal(ets_payload_producer(graph, graph->nodes[5].inputs[0]), 1);
    assert_text(graph->constants[0].key, "stem.weight");
    assert_true(ets_payload_tells_operations(graph));
    close_program(&opened);
}

/* The table of types for devices (delegate_numbers.c) and that of graphs are of one mind. */
static void xnnpack__numbers_for_devices_are_those_of_the_graph(void **state)
{
    (void)state;
    static const char *const names[] = {"conv_xnnpack/model.pte", "conv_xnnpack_int8/model.pte",
                                        "linear_int8_xnnpack/model.pte", "torchao/8da4w.pte"};
    for (size_t f = 0; f < COUNT(names); f++) {
        struct opened opened;
        struct ets_delegate delegate;
        uint32_t counts[ETS_PAYLOAD_INT4 + 1] = {0};
        open_program(names[f], NULL, &opened);
        const struct ets_payload_graph *graph = read(&opened, 0, NULL);
        ets_method_delegate(&opened.method, 0, &delegate);
        const struct ets_delegate_numbers numbers = ets_delegate_numbers(&delegate);
        for (uint32_t i = 0; i < graph->value_count; i++) counts[graph->values[i].type->numbers]++;
        assert_int_equal(counts[ETS_PAYLOAD_FLOAT32], numbers.float32);
        assert_int_equal(counts[ETS_PAYLOAD_FLOAT16], numbers.float16);
        assert_int_equal(counts[ETS_PAYLOAD_BFLOAT16], numbers.bfloat16);
        assert_int_equal(counts[ETS_PAYLOAD_INT8], numbers.static_int8);
        assert_int_equal(counts[ETS_PAYLOAD_INT8_DYNAMIC], numbers.dynamic_int8);
        assert_int_equal(counts[ETS_PAYLOAD_INT4], numbers.int4);
        close_program(&opened);
    }
}

static void store__reads_a_payload_once(void **state)
{
    (void)state;
    struct opened opened;
    open_program("conv_xnnpack/model.pte", NULL, &opened);
    const struct ets_payload_graph *graph = read(&opened, 0, NULL);
    const size_t used = opened.arena.used_bytes;
    for (int i = 0; i < 1000; i++) assert_ptr_equal(read(&opened, 0, NULL), graph);
    assert_int_equal(opened.arena.used_bytes, used);
    close_program(&opened);
}

static void store__says_why_a_payload_is_not_read(void **state)
{
    (void)state;
    struct opened opened;
    const char *reason = NULL;
    open_program("payload_truth/aoti/lin_standin/model.pte", NULL, &opened);
    assert_null(read(&opened, 0, &reason));
    assert_string_equal(reason, "its payload (AOTInductor keys) does not tell its operators");
    close_program(&opened);
}

static void store__tells_the_scratch_of_a_call(void **state)
{
    (void)state;
    struct opened opened;
    struct ets_delegate delegate;
    uint64_t scratch;
    open_program("payloads/ethosu55.pte", NULL, &opened);
    ets_method_delegate(&opened.method, 0, &delegate);
    assert_int_equal(ets_payload_store_scratch(&opened.store, &delegate, &scratch, NULL), ETS_OK);
    assert_int_equal(scratch, 25344);
    close_program(&opened);
}

/* Payloads that overlap are read until the limit of the program is reached, and then told. */
static void store__has_one_limit(void **state)
{
    (void)state;
    struct opened opened;
    const struct ets_payload_graph *graph;
    const char *reason = NULL;
    struct ets_delegate delegate;
    open_program("payloads/vulkan_before.pte", NULL, &opened);
    ets_method_delegate(&opened.method, 0, &delegate);
    struct ets_bytes blob = delegate.blob;
    uint32_t read_count = 0;
    for (; blob.size > delegate.blob.size / 2 && reason == NULL; blob.size--) {
        const struct ets_delegate part = {.id = delegate.id, .blob = blob};
        assert_int_equal(ets_payload_store_read(&opened.store, &part, &graph, &reason, NULL),
                         ETS_OK);
        read_count += graph != NULL;
        if (graph == NULL && strstr(reason, "limit") == NULL) reason = NULL;
    }
    assert_non_null(reason);
    assert_string_equal(reason, "the limit for reading payloads was reached");
    assert_true(opened.arena.used_bytes < 64 * opened.program.bytes.size + (1 << 20));
    close_program(&opened);
}

static const char *const readable[] = {
    "payloads/vulkan_before.pte",           "conv_xnnpack/model.pte",
    "payload_truth/mlx/lin_int4/model.pte", "payload_truth/mlx/res/model.pte",
    "payload_truth/native/res/model.pte",   "payload_truth/coreml/lin_fp32/model.pte",
    "payload_truth/coreml/multi/model.pte", "payload_truth/openvino/lin/model.pte"};

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(readable); f++) {
        enum ets_status status = ETS_NO_MEMORY;
        for (unsigned long at = 0; status != ETS_OK; at++) {
            struct failing failing = {.fail_at = at};
            const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
            struct opened opened;
            struct ets_delegate delegate;
            struct ets_error error = {.status = ETS_OK};
            const struct ets_payload_graph *graph;
            open_program(readable[f], &allocator, &opened);
            ets_method_delegate(&opened.method, 0, &delegate);
            status = ets_payload_store_read(&opened.store, &delegate, &graph, NULL, &error);
            assert_true(status == ETS_OK ? graph != NULL : error.status == ETS_NO_MEMORY);
            close_program(&opened);
            assert_int_equal(failing.live, 0);
        }
    }
}

/* A payload that ends anywhere is read whole or told, never further. */
static void every_byte_may_be_the_last(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(readable); f++) {
        struct opened opened;
        struct ets_delegate delegate;
        open_program(readable[f], NULL, &opened);
        ets_method_delegate(&opened.method, 0, &delegate);
        for (size_t size = first_fault(f); size < delegate.blob.size; size += FAULT_STRIDE) {
            uint8_t *copy = malloc(size + 1);
            struct ets_payload_store store;
            struct ets_arena arena;
            const struct ets_payload_graph *graph;
            const char *reason = "";
            assert_non_null(copy);
            memcpy(copy, delegate.blob.data, size);
            ets_arena_init(&arena, NULL, 0);
            ets_payload_store_init(&store, &arena, &opened.program);
            const struct ets_delegate part = {.id = delegate.id, .blob = {copy, size}};
            assert_int_equal(ets_payload_store_read(&store, &part, &graph, &reason, NULL), ETS_OK);
            assert_true(graph != NULL || reason[0] != '\0');
            ets_arena_reset(&arena);
            free(copy);
        }
        close_program(&opened);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vulkan__calls_are_nodes),
        cmocka_unit_test(xnnpack__nodes_state_what_they_multiply),
        cmocka_unit_test(mlx__each_write_is_a_value),
        cmocka_unit_test(native__nodes_have_names_of_the_edge_program),
        cmocka_unit_test(xnnpack__numbers_for_devices_are_those_of_the_graph),
        cmocka_unit_test(store__reads_a_payload_once),
        cmocka_unit_test(store__says_why_a_payload_is_not_read),
        cmocka_unit_test(store__tells_the_scratch_of_a_call),
        cmocka_unit_test(store__has_one_limit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_byte_may_be_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
