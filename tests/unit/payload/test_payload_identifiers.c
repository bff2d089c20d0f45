/* What identifiers of delegates' events say, and that cut ones are plain names. */
#include <stdio.h>

#include "base/text.h"
#include "payload/payload_identifiers.h"
#include "test_faults_support.h"

static const struct ets_text nobody = {NULL, 0};

static struct ets_payload_identifier read(struct ets_arena *arena, struct ets_text backend,
                                          struct ets_text name, const char *metadata)
{
    struct ets_payload_identifier said;
    const struct ets_bytes bytes = {(const uint8_t *)metadata,
                                    metadata == NULL ? 0 : strlen(metadata)};
    assert_int_equal(ets_payload_identifier_read(arena, backend, name, bytes, &said, NULL), ETS_OK);
    return said;
}

static void assert_label(const struct ets_payload_identifier *said, const char *expected)
{
    if (expected == NULL) {
        assert_null(said->label.data);
        return;
    }
    assert_int_equal(said->label.size, strlen(expected));
    assert_memory_equal(said->label.data, expected, said->label.size);
}

static const char dispatch[] =
    "{\"operator\": {\"name\": \"aten.relu.default\", \"delegate_node_id\": 7, \"args\": ["
    "{\"type\": \"TENSOR\", \"value_ref\": 1, \"dtype\": \"Float\", \"sizes\": [2, 16]}, "
    "{\"type\": \"TENSORREF\", \"value_ref\": 2, \"sizes\": [32]}, "
    "{\"type\": \"TENSOR\", \"value_ref\": 3, \"sizes\": [2, 32], \"packed_dim\": 0}, "
    "{\"type\": \"INT\", \"value\": 4}]}, "
    "\"kernel_name\": \"relu_float\", \"operator_id\": 1, \"dispatch_id\": 3}";

static void names__say_what_was_measured(void **state)
{
    static const struct {
        const char *name;
        enum ets_payload_measure measure;
        const char *unit, *label, *edge_name;
        int64_t number;
    } cases[] = {
        {"ETVK_EXECUTE", ETS_PAYLOAD_PHASE, NULL, NULL, NULL, -1},
        {"VGF_COPY_INPUTS", ETS_PAYLOAD_PHASE, NULL, NULL, NULL, -1},
        {dispatch, ETS_PAYLOAD_DEVICE_TIME, NULL, "relu_float 2x32", NULL, 7},
        {"{\"kernel_name\": \"nchw\"}", ETS_PAYLOAD_DEVICE_TIME, NULL, "nchw", NULL, -1},
        {"QNN (execute) time (us)", ETS_PAYLOAD_FIGURE, "us", "QNN (execute) time", NULL, -1},
        {"Accelerator (execute) time", ETS_PAYLOAD_FIGURE, "cycles", "Accelerator (execute) time",
         NULL, -1},
        {"DDR spill (bytes)", ETS_PAYLOAD_FIGURE, "bytes", "DDR spill", NULL, -1},
        {"Number of HVX threads used (count)", ETS_PAYLOAD_FIGURE, "count",
         "Number of HVX threads used", NULL, -1},
        {"aten_add_tensor:OpId_25 (cycles)", ETS_PAYLOAD_PART, "cycles", "aten_add_tensor",
         "aten_add_tensor", -1},
        {"aten_add_tensor:OpId_25", ETS_PAYLOAD_PART, "cycles", "aten_add_tensor",
         "aten_add_tensor", -1},
        {"Input OpId_2 (cycles)", ETS_PAYLOAD_PART, "cycles", "Input", NULL, -1},
        {"Fully Connected (NC, F32) GEMM #1", ETS_PAYLOAD_TIME, NULL, NULL, NULL, -1},
        {"x_to_fp16:cast", ETS_PAYLOAD_TIME, NULL, NULL, NULL, -1},
        {"", ETS_PAYLOAD_TIME, NULL, NULL, NULL, -1},
    };
    struct ets_arena arena;
    (void)state;
    ets_arena_init(&arena, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ets_payload_identifier said =
            read(&arena, nobody, ets_text_of(cases[i].name), NULL);
        assert_int_equal(said.measure, cases[i].measure);
        assert_label(&said, cases[i].label);
        assert_int_equal(said.number, cases[i].number);
        assert_int_equal(said.unit == NULL, cases[i].unit == NULL);
        if (said.unit != NULL) assert_string_equal(said.unit, cases[i].unit);
        assert_int_equal(said.edge_name.data == NULL, cases[i].edge_name == NULL);
        if (said.edge_name.data != NULL)
            assert_true(ets_text_is(said.edge_name, cases[i].edge_name));
    }
    ets_arena_reset(&arena);
}

static void core_ml__is_known_by_what_it_attaches(void **state)
{
    static const char cost[] = "{\"operatorName\": \"conv\", \"estimatedCost\": 0.2}";
    const struct ets_text name = ets_text_of("y:conv");
    struct ets_arena arena;
    (void)state;
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(read(&arena, nobody, name, cost).measure, ETS_PAYLOAD_ESTIMATE);
    assert_int_equal(read(&arena, nobody, name, "{\"cost\": 1}").measure, ETS_PAYLOAD_TIME);
    assert_int_equal(read(&arena, nobody, name, "estimatedCost").measure, ETS_PAYLOAD_TIME);
    ets_arena_reset(&arena);
}

static void names__are_only_read_as_their_backend_writes_them(void **state)
{
    struct ets_arena arena;
    (void)state;
    ets_arena_init(&arena, NULL, 0);
    const struct ets_text xnnpack = ets_text_of("XnnpackBackend");
    assert_int_equal(read(&arena, xnnpack, ets_text_of(dispatch), NULL).measure, ETS_PAYLOAD_TIME);
    assert_int_equal(
        read(&arena, ets_text_of("VulkanBackend"), ets_text_of("a (us)"), NULL).measure,
        ETS_PAYLOAD_TIME);
    ets_arena_reset(&arena);
}

static void dispatches__that_are_cut_are_plain_names(void **state)
{
    struct ets_arena arena;
    (void)state;
    ets_arena_init(&arena, NULL, 0);
    for (size_t size = 0; size < sizeof dispatch - 1; size++) {
        char *copy = malloc(size + 1); /* so that reading beyond it is seen */
        assert_non_null(copy);
        memcpy(copy, dispatch, size);
        const struct ets_payload_identifier said =
            read(&arena, nobody, (struct ets_text){copy, size}, NULL);
        assert_int_equal(said.measure, ETS_PAYLOAD_TIME);
        assert_null(said.label.data);
        free(copy);
    }
    ets_arena_reset(&arena);
}

static void dispatches__need_memory_for_their_label(void **state)
{
    struct failing failing = {.fail_at = 0};
    const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
    struct ets_payload_identifier said;
    struct ets_arena arena;
    struct ets_error error;
    (void)state;
    ets_arena_init(&arena, &allocator, 0);
    assert_int_equal(ets_payload_identifier_read(&arena, nobody, ets_text_of(dispatch),
                                                 (struct ets_bytes){NULL, 0}, &said, &error),
                     ETS_NO_MEMORY);
    ets_arena_reset(&arena);
    assert_int_equal(failing.live, 0);
}

static void labels__are_bounded(void **state)
{
    char text[4096];
    size_t used = 0;
    struct ets_arena arena;
    (void)state;
    used += (size_t)snprintf(text, sizeof text,
                             "{\"kernel_name\": \"%0*d\", \"operator\": {"
                             "\"args\": [{\"type\": \"TENSOR\", \"sizes\": [1",
                             300, 0);
    for (int i = 0; i < 100; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, ", 4294967295");
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "]}]}}");
    ets_arena_init(&arena, NULL, 0);
    const struct ets_payload_identifier said =
        read(&arena, nobody, (struct ets_text){text, used}, NULL);
    assert_int_equal(said.measure, ETS_PAYLOAD_DEVICE_TIME);
    assert_true(said.label.size > 83 && said.label.size < 320);
    assert_memory_equal(said.label.data + 80, "... 1x", 6);
    ets_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names__say_what_was_measured),
        cmocka_unit_test(core_ml__is_known_by_what_it_attaches),
        cmocka_unit_test(names__are_only_read_as_their_backend_writes_them),
        cmocka_unit_test(dispatches__that_are_cut_are_plain_names),
        cmocka_unit_test(dispatches__need_memory_for_their_label),
        cmocka_unit_test(labels__are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
