/* Every fixture, traced by etscope's recorder and by ExecuTorch's ETDumpGen: the same dump. */
#include "test_engine_support.h"

#include "record/numpy.h"

#include "etscope/bundle.h"
#include "etscope/etdump.h"
#include "etscope/trace_extra.h"

static const char *const portable[] = {"mlp_portable", "conv_portable", "gpt_portable", "cond",
                                       "map_loop",     "multi_method",  "dynamic",      "types"};
static const char *const delegated[] = {"mlp_xnnpack",         "conv_xnnpack",
                                        "conv_xnnpack_int8",   "gpt_xnnpack",
                                        "linear_fp32_xnnpack", "linear_int8_xnnpack"};

/* A finished trace; borrowed from the program. */
struct traced {
    struct opened model;
    struct ets_file *bundled;
    struct ets_bytes file, debug;
    struct ets_etdump dump;
};

static void run_case(struct ets_engine_method *method, const struct ets_bundle_case *test_case)
{
    struct ets_error error = {.status = ETS_OK};
    for (uint32_t i = 0; i < test_case->input_count; i++) {
        struct ets_value input;
        ets_bundle_input(test_case, i, &input);
        if (engine->method_set_input(method, i, &input, &error) != ETS_OK) {
            fail_msg("%s", error.message);
        }
    }
    run(method, 1);
}

/* Loads all methods first, then runs their cases in turn. */
static void run_all(struct traced *traced, struct ets_bundle *bundle)
{
    struct ets_engine_method *methods[8];
    uint32_t most_cases = 0;
    assert_true(bundle->suite_count <= 8);
    for (uint32_t i = 0; i < bundle->suite_count; i++) {
        struct ets_bundle_suite suite;
        char name[64];
        ets_bundle_suite(bundle, i, &suite);
        snprintf(name, sizeof name, "%.*s", (int)suite.method_name.size, suite.method_name.data);
        methods[i] = open_method(traced->model, name);
        if (suite.case_count > most_cases) most_cases = suite.case_count;
    }
    for (uint32_t number = 0; number < most_cases; number++) {
        for (uint32_t i = 0; i < bundle->suite_count; i++) {
            struct ets_bundle_suite suite;
            struct ets_bundle_case test_case;
            ets_bundle_suite(bundle, i, &suite);
            if (number >= suite.case_count) continue;
            ets_bundle_case(&suite, number, &test_case);
            run_case(methods[i], &test_case);
        }
    }
    for (uint32_t i = 0; i < bundle->suite_count; i++) engine->method_close(methods[i]);
}

static struct traced trace(const char *model, enum ets_engine_tracer tracer,
                           enum ets_engine_capture capture)
{
    struct traced traced = {.model = open_model(model, tracer, capture, 0),
                            .bundled = open_fixture(model, "model.bpte")};
    struct ets_bundle bundle;
    struct ets_error error = {.status = ETS_OK};
    assert_int_equal(ets_bundle_init(&bundle, ets_file_bytes(traced.bundled), NULL), ETS_OK);
    run_all(&traced, &bundle);
    if (engine->trace_finish(traced.model.program, &traced.file, &traced.debug, &error) != ETS_OK ||
        ets_etdump_init(&traced.dump, traced.file, &error) != ETS_OK) {
        fail_msg("%s: %s", model, error.message);
    }
    return traced;
}

static void release(struct traced *traced)
{
    ets_file_close(traced->bundled);
    close_model(traced->model);
}

static struct ets_engine_trace_statistics statistics_of(const struct traced *traced)
{
    struct ets_engine_trace_statistics statistics;
    engine->trace_statistics(traced->model.program, &statistics);
    return statistics;
}

static int is_same_text(struct ets_text a, struct ets_text b)
{
    return (a.data == NULL) == (b.data == NULL) && a.size == b.size &&
           (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static int is_same_event(const struct ets_etdump_event *a, const struct ets_etdump_event *b)
{
    return a->kind == b->kind && is_same_text(a->name, b->name) && a->chain == b->chain &&
           a->instruction == b->instruction && a->delegate_id == b->delegate_id &&
           is_same_text(a->delegate_name, b->delegate_name) &&
           (a->metadata.data == NULL) == (b->metadata.data == NULL) &&
           a->metadata.size == b->metadata.size &&
           (a->metadata.size == 0 ||
            memcmp(a->metadata.data, b->metadata.data, a->metadata.size) == 0) &&
           a->allocator == b->allocator && a->allocated_bytes == b->allocated_bytes &&
           (a->kind != ETS_EVENT_PROFILE || b->start_ticks <= b->end_ticks);
}

static void read_tensor(const struct traced *traced, const struct ets_debug_value *value,
                        uint32_t index, struct ets_tensor *tensor)
{
    int64_t offset;
    struct ets_error error = {.status = ETS_OK};
    if (ets_etdump_tensor(&traced->dump, value, index, tensor, &offset, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
    if (ets_tensor_count(tensor) == 0) {
        assert_int_equal(offset, -1);
    } else if (ets_etdump_tensor_data(traced->debug, offset, tensor, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
}

static void compare_tensors(const struct traced *ours, const struct ets_debug_value *our_value,
                            const struct traced *upstream,
                            const struct ets_debug_value *upstream_value, uint32_t index)
{
    struct ets_tensor a, b;
    read_tensor(ours, our_value, index, &a);
    read_tensor(upstream, upstream_value, index, &b);
    assert_int_equal(a.scalar_type, b.scalar_type);
    assert_int_equal(a.rank, b.rank);
    assert_memory_equal(a.sizes, b.sizes, a.rank * sizeof a.sizes[0]);
    assert_memory_equal(a.strides, b.strides, a.rank * sizeof a.strides[0]);
    assert_int_equal(a.data_bytes, b.data_bytes);
    if (ets_tensor_count(&a) != 0) assert_memory_equal(a.data, b.data, a.data_bytes);
}

static void compare_values(const struct traced *ours, size_t our_payload,
                           const struct traced *upstream, size_t upstream_payload)
{
    struct ets_debug_value a, b;
    ets_etdump_debug_value(&ours->dump, our_payload, &a);
    ets_etdump_debug_value(&upstream->dump, upstream_payload, &b);
    assert_int_equal(a.type, b.type);
    assert_int_equal(a.is_present, b.is_present);
    assert_int_equal(a.tensor_count, b.tensor_count);
    for (uint32_t i = 0; i < a.tensor_count; i++) compare_tensors(ours, &a, upstream, &b, i);
    if (a.tensor_count != 0) {
        assert_int_equal(a.is_output, b.is_output); /* upstream marks no others */
    } else {
        assert_int_equal(a.int_value, b.int_value);
        assert_true(a.double_value == b.double_value);
    }
}

/* What ETDumpGen has no form for, so that the engine kept it from it. */
static int is_only_ours(const struct traced *ours, const struct ets_etdump_event *event)
{
    struct ets_debug_value value;
    if (event->kind != ETS_EVENT_DEBUG) return 0;
    ets_etdump_debug_value(&ours->dump, event->payload_at, &value);
    for (uint32_t i = 0; i < value.tensor_count; i++) {
        struct ets_tensor tensor;
        read_tensor(ours, &value, i, &tensor);
        if (tensor.scalar_type == ETS_SCALAR_HALF || tensor.scalar_type == ETS_SCALAR_BFLOAT16) {
            return 1;
        }
    }
    return 0;
}

/* Returns how many events only ours has. */
static uint32_t compare_runs(const char *model, const struct traced *ours,
                             const struct traced *upstream, uint32_t index)
{
    struct ets_etdump_run a, b;
    uint32_t other = 0, more = 0;
    ets_etdump_run(&ours->dump, index, &a);
    ets_etdump_run(&upstream->dump, index, &b);
    assert_true(is_same_text(a.name, b.name));
    assert_int_equal(a.bundled_input_index, b.bundled_input_index);
    assert_int_equal(a.allocator_count, b.allocator_count);
    for (uint32_t i = 0; i < a.event_count; i++) {
        struct ets_etdump_event event, expected;
        ets_etdump_event(&ours->dump, &a, i, &event);
        if (is_only_ours(ours, &event)) {
            more++;
            continue;
        }
        assert_true(other < b.event_count);
        ets_etdump_event(&upstream->dump, &b, other++, &expected);
        if (!is_same_event(&event, &expected)) fail_msg("%s: run %u, event %u", model, index, i);
        if (event.kind == ETS_EVENT_DEBUG) {
            compare_values(ours, event.payload_at, upstream, expected.payload_at);
        }
    }
    assert_int_equal(other, b.event_count);
    return more;
}

static void compare_counts(const struct traced *ours, const struct traced *upstream, uint32_t more)
{
    const struct ets_engine_trace_statistics a = statistics_of(ours), b = statistics_of(upstream);
    assert_int_equal(more, b.dropped_type_count);
    assert_int_equal(a.block_count, b.block_count);
    assert_int_equal(a.profile_event_count, b.profile_event_count);
    assert_int_equal(a.debug_event_count, b.debug_event_count + more);
    assert_int_equal(a.dropped_type_count, 0);
    assert_int_equal(a.dropped_space_count, 0);
    assert_int_equal(a.dropped_invalid_count, b.dropped_invalid_count);
    assert_int_equal(a.debug_bytes_used, a.debug_bytes_needed);
    assert_int_equal(a.debug_bytes_used, ours->debug.size);
}

static uint32_t compare_dumps(const char *model, enum ets_engine_capture capture)
{
    struct traced ours = trace(model, ETS_TRACER_ETSCOPE, capture);
    struct traced upstream = trace(model, ETS_TRACER_UPSTREAM, capture);
    uint32_t more = 0;
    assert_int_equal(ours.dump.run_count, upstream.dump.run_count);
    for (uint32_t i = 0; i < ours.dump.run_count; i++) {
        more += compare_runs(model, &ours, &upstream, i);
    }
    compare_counts(&ours, &upstream, more);
    release(&ours);
    release(&upstream);
    return more;
}

static uint32_t compare_model(const char *model)
{
    assert_int_equal(compare_dumps(model, ETS_CAPTURE_NONE), 0);
    const uint32_t outputs = compare_dumps(model, ETS_CAPTURE_OUTPUTS);
    const uint32_t all = compare_dumps(model, ETS_CAPTURE_INTERMEDIATES);
    assert_true(outputs <= all);
    return all;
}

static void test_fixtures__portable_programs_give_the_same_dump(void **state)
{
    NEEDS_ENGINE();
    for (size_t i = 0; i < sizeof portable / sizeof portable[0]; i++) {
        const uint32_t more = compare_model(portable[i]);
        assert_int_equal(more > 0, strcmp(portable[i], "types") == 0);
    }
}

static void test_fixtures__delegated_programs_give_the_same_dump(void **state)
{
    NEEDS_BACKEND("XnnpackBackend");
    for (size_t i = 0; i < sizeof delegated / sizeof delegated[0]; i++) {
        assert_int_equal(compare_model(delegated[i]), 0);
    }
}

/* A binary16 number; the fixtures have no infinities and no NaN. */
static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    double value = (bits & 1023) / 1024.0 + (exponent != 0);
    assert_true(exponent != 31);
    for (int i = exponent == 0 ? 1 : exponent; i > 15; i--) value *= 2;
    for (int i = exponent == 0 ? 1 : exponent; i < 15; i++) value /= 2;
    return (bits & 0x8000) != 0 ? -value : value;
}

/* 1 where each element of `half` is the one of `single`, rounded. */
static int is_rounded(const struct ets_tensor *half, const struct ets_tensor *single)
{
    const size_t count = half->data_bytes / 2;
    if (single->scalar_type != ETS_SCALAR_FLOAT || single->data_bytes / 4 != count) return 0;
    for (size_t i = 0; i < count; i++) {
        uint16_t bits;
        float wanted;
        memcpy(&bits, (const uint8_t *)half->data + 2 * i, sizeof bits);
        memcpy(&wanted, (const uint8_t *)single->data + 4 * i, sizeof wanted);
        const double error = half_value(bits) - (double)wanted;
        const double most = (wanted < 0 ? -wanted : wanted) / 2048.0 + 1e-7;
        if (error > most || error < -most) return 0;
    }
    return 1;
}

/* Where the program rounds to float16 its input is in float32: the first one captured. */
static void test_types__float16_intermediates_are_right(void **state)
{
    NEEDS_ENGINE();
    struct traced ours = trace("types", ETS_TRACER_ETSCOPE, ETS_CAPTURE_INTERMEDIATES);
    struct ets_file *file = open_fixture("types", "inputs/forward.0.0.npy");
    struct ets_tensor input;
    struct ets_etdump_run first;
    uint32_t halves = 0, rounded = 0;
    assert_int_equal(ets_npy_read(ets_file_bytes(file), &input, NULL), ETS_OK);
    ets_etdump_run(&ours.dump, 1, &first); /* after the load: case 0 */
    for (uint32_t i = 0; i < first.event_count; i++) {
        struct ets_etdump_event event;
        ets_etdump_event(&ours.dump, &first, i, &event);
        if (!is_only_ours(&ours, &event)) continue;
        struct ets_debug_value value;
        struct ets_tensor tensor;
        ets_etdump_debug_value(&ours.dump, event.payload_at, &value);
        read_tensor(&ours, &value, 0, &tensor);
        halves++;
        rounded += (uint32_t)is_rounded(&tensor, &input);
    }
    assert_true(halves > 0);
    assert_true(rounded > 0);
    ets_file_close(file);
    release(&ours);
}

/* Methods and invocations are in the extra block, whose strings name no others. */
static void test_extra__says_methods_and_invocations(void **state)
{
    NEEDS_ENGINE();
    static const struct {
        const char *method;
        enum ets_trace_purpose purpose;
        uint32_t invocation;
    } expected[] = {{"encode", ETS_TRACE_LOAD, 0},
                    {"decode", ETS_TRACE_LOAD, 0},
                    {"encode", ETS_TRACE_EXECUTE, 0},
                    {"decode", ETS_TRACE_EXECUTE, 3},
                    {"encode", ETS_TRACE_EXECUTE, 1}};
    struct opened opened = open_model("multi_method", ETS_TRACER_ETSCOPE, ETS_CAPTURE_NONE, 0);
    struct ets_engine_method *first = open_method(opened, "encode");
    struct ets_engine_method *second = open_method(opened, "decode");
    struct ets_bytes dump, debug;
    struct ets_trace_extra extra;
    struct ets_trace_extra_run found;
    set_inputs(opened, first, "multi_method", "encode", 0);
    set_inputs(opened, second, "multi_method", "decode", 0);
    run(first, 1);
    engine->trace_enable(opened.program, 0);
    run(second, 3); /* not recorded, but counted */
    engine->trace_enable(opened.program, 1);
    run(second, 1);
    run(first, 1);
    assert_int_equal(engine->trace_finish(opened.program, &dump, &debug, NULL), ETS_OK);
    assert_int_equal(ets_trace_extra_init(&extra, dump, NULL), ETS_OK);
    size_t at = 0, count = 0;
    for (; ets_trace_extra_next_run(&extra, &at, &found); count++) {
        assert_true(count < sizeof expected / sizeof expected[0]);
        assert_int_equal(found.run, count);
        assert_int_equal(found.purpose, expected[count].purpose);
        assert_int_equal(found.invocation, expected[count].invocation);
        assert_int_equal(found.method.size, strlen(expected[count].method));
        assert_memory_equal(found.method.data, expected[count].method, found.method.size);
    }
    assert_int_equal(count, sizeof expected / sizeof expected[0]);
    engine->method_close(first);
    engine->method_close(second);
    close_model(opened);
}

/* Recording nothing is no trace; running on after the end is refused. */
static void test_engine__suspended_and_finished(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("mlp_portable", ETS_TRACER_ETSCOPE, ETS_CAPTURE_OUTPUTS, 0);
    struct ets_bytes dump, debug;
    struct ets_error error;
    engine->trace_enable(opened.program, 0);
    struct ets_engine_method *method = open_method(opened, "forward");
    set_inputs(opened, method, "mlp_portable", "forward", 0);
    run(method, 1);
    assert_int_equal(engine->trace_finish(opened.program, &dump, &debug, NULL), ETS_OK);
    assert_int_equal(dump.size + debug.size, 0);
    assert_int_equal(engine->method_execute(method, &error), ETS_INVALID_ARGUMENT);
    engine->method_close(method);
    close_model(opened);
}

/* Every size of the debug buffer from nothing to enough. */
static void test_engine__a_full_debug_buffer_drops_and_counts(void **state)
{
    NEEDS_ENGINE();
    struct traced whole = trace("mlp_portable", ETS_TRACER_ETSCOPE, ETS_CAPTURE_INTERMEDIATES);
    const struct ets_engine_trace_statistics all = statistics_of(&whole);
    release(&whole);
    for (size_t limit = 1; limit <= all.debug_bytes_needed; limit += limit < 64 ? 21 : 256) {
        struct opened opened =
            open_model("mlp_portable", ETS_TRACER_ETSCOPE, ETS_CAPTURE_INTERMEDIATES, limit);
        struct ets_engine_method *method = open_method(opened, "forward");
        struct ets_engine_trace_statistics found;
        struct ets_bytes dump, debug;
        struct ets_etdump view;
        set_inputs(opened, method, "mlp_portable", "forward", 0);
        run(method, 1);
        assert_int_equal(engine->trace_finish(opened.program, &dump, &debug, NULL), ETS_OK);
        assert_int_equal(ets_etdump_init(&view, dump, NULL), ETS_OK);
        engine->trace_statistics(opened.program, &found);
        assert_true(debug.size <= limit);
        assert_true(found.debug_event_count + found.dropped_space_count <= all.debug_event_count);
        assert_true(found.dropped_space_count > 0 || debug.size == found.debug_bytes_needed);
        engine->method_close(method);
        close_model(opened);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixtures__portable_programs_give_the_same_dump),
        cmocka_unit_test(test_fixtures__delegated_programs_give_the_same_dump),
        cmocka_unit_test(test_types__float16_intermediates_are_right),
        cmocka_unit_test(test_extra__says_methods_and_invocations),
        cmocka_unit_test(test_engine__suspended_and_finished),
        cmocka_unit_test(test_engine__a_full_debug_buffer_drops_and_counts),
    };
    return cmocka_run_group_tests_name("adapter_fixtures", tests, open_engine, close_engine);
}
