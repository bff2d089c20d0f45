/* What a trace holds, and what is kept out of it. */
#include "test_engine_support.h"

#include <dirent.h>

#include "etscope/inspect.h"

static struct ets_engine_trace_statistics statistics_of(struct opened opened)
{
    struct ets_engine_trace_statistics statistics;
    engine->trace_statistics(opened.program, &statistics);
    return statistics;
}

/* An ETDump's framing: size prefix and identifier. */
static void check_dump(struct ets_bytes dump)
{
    assert_true(dump.size > 16);
    const uint32_t prefix = (uint32_t)dump.data[0] | (uint32_t)dump.data[1] << 8 |
                            (uint32_t)dump.data[2] << 16 | (uint32_t)dump.data[3] << 24;
    assert_int_equal(prefix, dump.size - 4);
    assert_memory_equal(dump.data + 8, "ED00", 4);
}

static void test_trace__has_a_block_for_each_load_and_run(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("mlp_portable", ETS_TRACER_UPSTREAM, ETS_CAPTURE_NONE, 0);
    struct ets_engine_method *method = open_method(opened, "forward");
    struct ets_bytes dump, debug;
    struct ets_error error;
    set_inputs(opened, method, "mlp_portable", "forward", 0);
    run(method, 5);
    assert_int_equal(engine->trace_finish(opened.program, &dump, &debug, &error), ETS_OK);
    check_dump(dump);
    assert_int_equal(debug.size, 0);
    const struct ets_engine_trace_statistics found = statistics_of(opened);
    assert_int_equal(found.block_count, 6);
    assert_int_equal(found.profile_event_count, 2 + 5 * 13); /* as the fixture's profile.etdp */
    assert_int_equal(found.debug_event_count, 0);
    assert_int_equal(engine->method_execute(method, &error), ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "finished"));
    engine->method_close(method);
    close_model(opened);
}

static void test_trace__keeps_memory_for_etscopes_tracer_alone(void **state)
{
    NEEDS_ENGINE();
    static const enum ets_engine_tracer others[] = {ETS_TRACER_NONE, ETS_TRACER_UPSTREAM};
    struct ets_file *file = open_fixture("mlp_portable", "model.pte");
    struct ets_engine_program_options options = {.program = ets_file_bytes(file),
                                                 .count_memory = 1};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct ets_engine_program *program = NULL;
        struct ets_error error = {.status = ETS_OK};
        options.tracer = others[i];
        assert_int_equal(engine->program_open(&options, &program, &error), ETS_INVALID_ARGUMENT);
        assert_non_null(strstr(error.message, "counting memory needs"));
        assert_null(program);
    }
    ets_file_close(file);
}

/* Counting moves every buffer; what is computed stays the same. */
static void test_trace__counted_runs_give_the_same_outputs(void **state)
{
    NEEDS_ENGINE();
    struct ets_value outputs[2];
    struct opened opened[2];
    struct ets_engine_method *methods[2];
    struct ets_bytes dump, debug;
    for (int counts = 0; counts < 2; counts++) {
        opened[counts] = (struct opened){open_fixture("gpt_portable", "model.pte"), NULL};
        const struct ets_engine_program_options options = {
            .program = ets_file_bytes(opened[counts].file),
            .tracer = ETS_TRACER_ETSCOPE,
            .count_memory = counts};
        assert_int_equal(engine->program_open(&options, &opened[counts].program, NULL), ETS_OK);
        methods[counts] = open_method(opened[counts], "forward");
        for (int i = 0; i < 2; i++) {
            set_inputs(opened[counts], methods[counts], "gpt_portable", "forward", 0);
            run(methods[counts], 1);
        }
        assert_int_equal(engine->method_get_output(methods[counts], 0, &outputs[counts], NULL),
                         ETS_OK);
    }
    assert_int_equal(outputs[0].as.tensor.data_bytes, outputs[1].as.tensor.data_bytes);
    assert_memory_equal(outputs[0].as.tensor.data, outputs[1].as.tensor.data,
                        outputs[0].as.tensor.data_bytes);
    /* A method that is still open is told of as well; afterwards it can be closed. */
    assert_int_equal(engine->trace_finish(opened[1].program, &dump, &debug, NULL), ETS_OK);
    check_dump(dump);
    for (int counts = 0; counts < 2; counts++) {
        engine->method_close(methods[counts]);
        close_model(opened[counts]);
    }
}

static void test_trace__is_empty_without_a_tracer(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("mlp_portable", ETS_TRACER_NONE, ETS_CAPTURE_NONE, 0);
    struct ets_bytes dump, debug;
    assert_int_equal(engine->trace_finish(opened.program, &dump, &debug, NULL), ETS_OK);
    assert_int_equal(dump.size + debug.size, 0);
    close_model(opened);
}

static void test_trace__warm_up_leaves_no_events(void **state)
{
    NEEDS_ENGINE();
    struct opened opened =
        open_model("mlp_portable", ETS_TRACER_UPSTREAM, ETS_CAPTURE_INTERMEDIATES, 0);
    struct ets_engine_method *method = open_method(opened, "forward");
    set_inputs(opened, method, "mlp_portable", "forward", 0);
    const struct ets_engine_trace_statistics before = statistics_of(opened);
    engine->trace_enable(opened.program, 0);
    run(method, 10);
    const struct ets_engine_trace_statistics after = statistics_of(opened);
    assert_memory_equal(&before, &after, sizeof before);
    engine->trace_enable(opened.program, 1);
    run(method, 1);
    assert_int_equal(statistics_of(opened).block_count, before.block_count + 1);
    assert_true(statistics_of(opened).debug_event_count > 0);
    engine->method_close(method);
    close_model(opened);
}

/* Nothing recorded at all is no trace, and no abort either. */
static void test_trace__suspended_from_the_start(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("mlp_portable", ETS_TRACER_UPSTREAM, ETS_CAPTURE_OUTPUTS, 0);
    struct ets_bytes dump, debug;
    engine->trace_enable(opened.program, 0);
    struct ets_engine_method *method = open_method(opened, "forward");
    set_inputs(opened, method, "mlp_portable", "forward", 0);
    run(method, 1);
    assert_int_equal(engine->trace_finish(opened.program, &dump, &debug, NULL), ETS_OK);
    assert_int_equal(dump.size + debug.size, 0);
    engine->method_close(method);
    close_model(opened);
}

static void test_trace__two_methods_share_one(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("multi_method", ETS_TRACER_UPSTREAM, ETS_CAPTURE_NONE, 0);
    struct ets_engine_method *first = open_method(opened, "encode");
    struct ets_engine_method *second = open_method(opened, "decode");
    struct ets_bytes dump, debug;
    set_inputs(opened, first, "multi_method", "encode", 0);
    set_inputs(opened, second, "multi_method", "decode", 0);
    run(first, 1);
    run(second, 1);
    run(first, 1);
    engine->method_close(first);
    assert_int_equal(engine->trace_finish(opened.program, &dump, &debug, NULL), ETS_OK);
    check_dump(dump);
    assert_int_equal(statistics_of(opened).block_count, 5);
    engine->method_close(second);
    close_model(opened);
}

/* Method, invocation, test case and fingerprint; the methods keep their own counts. */
static void test_trace__tells_what_ran(void **state)
{
    NEEDS_ENGINE();
    static const uint8_t fingerprint[65] = {1, 2, 3};
    struct ets_engine_program_options options = {.tracer = ETS_TRACER_ETSCOPE,
                                                 .fingerprint = {fingerprint, sizeof fingerprint}};
    struct opened opened = {open_fixture("multi_method", "model.pte"), NULL};
    struct ets_error error = {.status = ETS_OK};
    options.program = ets_file_bytes(opened.file);
    assert_int_equal(engine->program_open(&options, &opened.program, &error), ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "at most 64 bytes"));
    options.fingerprint.size = 64;
    assert_int_equal(engine->program_open(&options, &opened.program, &error), ETS_OK);
    struct ets_engine_method *encode = open_method(opened, "encode");
    struct ets_engine_method *decode = open_method(opened, "decode");
    set_inputs(opened, encode, "multi_method", "encode", 0);
    set_inputs(opened, decode, "multi_method", "decode", 0);
    run(encode, 1);
    engine->trace_set_case(opened.program, 7);
    run(decode, 1);
    engine->trace_set_case(opened.program, -1);
    run(encode, 1);
    struct ets_bytes dump, debug;
    assert_int_equal(engine->trace_finish(opened.program, &dump, &debug, &error), ETS_OK);
    struct ets_inspection *inspection = NULL;
    const struct ets_inspect_options plain = {.partial = 0};
    assert_int_equal(ets_inspection_open(dump, &plain, &inspection, &error), ETS_OK);
    static const struct {
        const char *method;
        enum ets_trace_purpose purpose;
        uint32_t invocation;
        int32_t test_case;
    } runs[] = {{"encode", ETS_TRACE_LOAD, 0, -1},
                {"decode", ETS_TRACE_LOAD, 0, -1},
                {"encode", ETS_TRACE_EXECUTE, 0, -1},
                {"decode", ETS_TRACE_EXECUTE, 0, 7},
                {"encode", ETS_TRACE_EXECUTE, 1, -1}};
    assert_int_equal(ets_inspection_run_count(inspection), sizeof runs / sizeof *runs);
    for (uint32_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const struct ets_run *found = ets_inspection_run(inspection, i);
        assert_int_equal(found->method.size, strlen(runs[i].method));
        assert_memory_equal(found->method.data, runs[i].method, found->method.size);
        assert_int_equal(found->purpose, runs[i].purpose);
        assert_int_equal(found->invocation, runs[i].invocation);
        assert_int_equal(found->bundled_input_index, runs[i].test_case);
    }
    const struct ets_trace_facts *summary = ets_inspection_trace(inspection);
    assert_int_equal(summary->fingerprint.size, 64);
    assert_memory_equal(summary->fingerprint.data, fingerprint, 64);
    assert_true(summary->cost_ns_q8 > 0);
    assert_int_equal(summary->pool_threads, engine->thread_count());
    ets_inspection_close(inspection);
    engine->method_close(encode);
    engine->method_close(decode);
    close_model(opened);
}

static void test_device_log__a_full_debug_buffer_drops_and_counts(void **state)
{
    NEEDS_ENGINE();
    struct opened whole =
        open_model("mlp_portable", ETS_TRACER_UPSTREAM, ETS_CAPTURE_INTERMEDIATES, 0);
    struct ets_engine_method *method = open_method(whole, "forward");
    set_inputs(whole, method, "mlp_portable", "forward", 0);
    run(method, 1);
    const struct ets_engine_trace_statistics all = statistics_of(whole);
    engine->method_close(method);
    close_model(whole);
    assert_true(all.debug_event_count > 0);
    assert_int_equal(all.dropped_space_count, 0);
    assert_int_equal(all.debug_bytes_needed, all.debug_bytes_used);
    /* Every size from nothing to enough. */
    for (size_t limit = 1; limit <= all.debug_bytes_needed; limit += limit < 64 ? 21 : 64) {
        struct opened opened =
            open_model("mlp_portable", ETS_TRACER_UPSTREAM, ETS_CAPTURE_INTERMEDIATES, limit);
        struct ets_bytes dump, debug;
        method = open_method(opened, "forward");
        set_inputs(opened, method, "mlp_portable", "forward", 0);
        run(method, 1);
        assert_int_equal(engine->trace_finish(opened.program, &dump, &debug, NULL), ETS_OK);
        check_dump(dump);
        const struct ets_engine_trace_statistics found = statistics_of(opened);
        assert_true(debug.size <= limit);
        assert_true(found.dropped_space_count > 0 || limit == all.debug_bytes_needed);
        assert_int_equal(found.debug_event_count + found.dropped_space_count,
                         all.debug_event_count);
        assert_int_equal(found.debug_bytes_needed, all.debug_bytes_needed);
        engine->method_close(method);
        close_model(opened);
    }
}

/* ETDumpGen garbles its dump at the first float16 tensor: here it never sees one. */
static void test_device_log__types_without_a_form_are_left_out(void **state)
{
    NEEDS_ENGINE();
    struct opened opened = open_model("types", ETS_TRACER_UPSTREAM, ETS_CAPTURE_INTERMEDIATES, 0);
    struct ets_engine_method *method = open_method(opened, "forward");
    struct ets_bytes dump, debug;
    set_inputs(opened, method, "types", "forward", 0);
    run(method, 1);
    assert_int_equal(engine->trace_finish(opened.program, &dump, &debug, NULL), ETS_OK);
    check_dump(dump);
    const struct ets_engine_trace_statistics found = statistics_of(opened);
    assert_true(found.dropped_type_count > 0);
    assert_true(found.debug_event_count > found.dropped_type_count);
    assert_string_equal(found.first_dropped, "float16 tensor");
    assert_true(found.first_dropped_instruction >= 0);
    engine->method_close(method);
    close_model(opened);
}

static void test_device_log__needs_a_tracer(void **state)
{
    NEEDS_ENGINE();
    struct ets_file *file = open_fixture("mlp_portable", "model.pte");
    const struct ets_engine_program_options options = {.program = ets_file_bytes(file),
                                                       .capture = ETS_CAPTURE_OUTPUTS};
    struct ets_engine_program *program;
    assert_int_equal(engine->program_open(&options, &program, NULL), ETS_INVALID_ARGUMENT);
    ets_file_close(file);
}

/* Threads of this process; -1 where the system does not list them. */
static int count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;
    if (folder == NULL) return -1;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') count++;
    }
    closedir(folder);
    return count;
}

static void test_threads__one_is_one(void **state)
{
    NEEDS_BACKEND("XnnpackBackend");
#ifdef ETS_EMULATED
    SKIP_BECAUSE("an emulator has threads of its own");
#endif
    struct ets_file *file = open_fixture("mlp_xnnpack", "model.pte");
    struct ets_engine_program_options options = {.program = ets_file_bytes(file), .threads = 1};
    struct opened opened = {file, NULL};
    assert_int_equal(engine->program_open(&options, &opened.program, NULL), ETS_OK);
    assert_int_equal(engine->thread_count(), 1);
    struct ets_engine_method *method = open_method(opened, "forward");
    set_inputs(opened, method, "mlp_xnnpack", "forward", 0);
    run(method, 1);
    if (count_threads() > 0) assert_int_equal(count_threads(), 1);
    /* The delegate holds on to the pool. */
    struct ets_engine_program *second;
    struct ets_error error;
    options.threads = 3;
    assert_int_equal(engine->program_open(&options, &second, &error), ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "methods are open"));
    engine->method_close(method);
    engine->program_close(opened.program);
    assert_int_equal(engine->program_open(&options, &opened.program, NULL), ETS_OK);
    assert_int_equal(engine->thread_count(), 3);
    close_model(opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace__has_a_block_for_each_load_and_run),
        cmocka_unit_test(test_trace__keeps_memory_for_etscopes_tracer_alone),
        cmocka_unit_test(test_trace__counted_runs_give_the_same_outputs),
        cmocka_unit_test(test_trace__is_empty_without_a_tracer),
        cmocka_unit_test(test_trace__warm_up_leaves_no_events),
        cmocka_unit_test(test_trace__suspended_from_the_start),
        cmocka_unit_test(test_trace__two_methods_share_one),
        cmocka_unit_test(test_trace__tells_what_ran),
        cmocka_unit_test(test_device_log__a_full_debug_buffer_drops_and_counts),
        cmocka_unit_test(test_device_log__types_without_a_form_are_left_out),
        cmocka_unit_test(test_device_log__needs_a_tracer),
        cmocka_unit_test(test_threads__one_is_one),
    };
    return cmocka_run_group_tests_name("engine_trace", tests, open_engine, close_engine);
}
