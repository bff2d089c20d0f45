/* What is lost, and what does not belong together: planted in a trace, absent from its twin. */
#include "test_inspect_support.h"
#include "test_record_support.h"

#include "advice/findings.h"
#include "etscope/trace.h"

enum { RUNS = 20 };

struct recording {
    uint64_t now;
    uint64_t buffer[512];
    struct ets_trace_config config;
    struct ets_bytes dump; /* of the heap */
};

static uint64_t read_script(void *context)
{
    struct recording *r = context;
    return r->now += 10;
}

static void prepare(struct recording *r)
{
    *r = (struct recording){.now = 1000};
    r->config = (struct ets_trace_config){.buffer = r->buffer,
                                          .buffer_bytes = sizeof r->buffer,
                                          .clock = read_script,
                                          .clock_context = r};
}

static void record(struct recording *r, uint32_t runs)
{
    const struct ets_trace_run run = {.name = "Execute", .purpose = ETS_TRACE_EXECUTE};
    struct ets_trace trace;
    struct ets_trace_thread thread;
    size_t size;
    assert_int_equal(ets_trace_init(&trace, &r->config), ETS_OK);
    ets_trace_thread_init(&thread, &trace);
    for (uint32_t i = 0; i < runs; i++) {
        ets_trace_begin_run(&thread, &run);
        const struct ets_trace_span whole =
            ets_trace_begin_at(&thread, ETS_TRACE_METHODS, "Method::execute", -1, 0);
        ets_trace_set_instruction(&thread, 0, 0);
        ets_trace_end(&thread,
                      ets_trace_begin(&thread, ETS_TRACE_OPERATORS, "native_call_add.out"));
        ets_trace_set_instruction(&thread, -1, 0);
        ets_trace_end(&thread, whole);
        ets_trace_end_run(&thread);
    }
    ets_trace_finish(&trace);
    assert_int_equal(ets_trace_dump_size(&trace, &size, NULL), ETS_OK);
    uint8_t *data = malloc(size);
    assert_non_null(data);
    assert_int_equal(ets_trace_write_buffer(&trace, data, size, &size, NULL), ETS_OK);
    r->dump = (struct ets_bytes){data, size};
}

static void assert_finding(struct ets_bytes dump, struct ets_inspect_options options,
                           const char *kind, const char *sentence)
{
    struct ets_arena arena;
    struct ets_findings findings;
    const struct ets_finding *found = NULL;
    struct ets_inspection *inspection = inspect(dump, options);
    const struct ets_findings_subject subject = {.inspection = inspection};
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_findings_collect(&arena, &subject, &findings, NULL), ETS_OK);
    for (uint32_t i = 0; i < findings.count && found == NULL; i++) {
        if (strcmp(findings.items[i].kind, kind) == 0) found = &findings.items[i];
    }
    if (sentence == NULL) {
        assert_null(found);
    } else {
        assert_non_null(found);
        assert_int_equal(found->severity, ETS_SEVERITY_BAD);
        assert_text(found->sentence, sentence);
    }
    ets_arena_reset(&arena);
    ets_inspection_close(inspection);
}

static void test_trace_findings__lost_events(void **state)
{
    static const struct ets_inspect_options none = {.record = NULL};
    struct recording r;
    (void)state;
    prepare(&r);
    record(&r, 3);
    assert_finding(r.dump, none, "lost_events", NULL);
    free((void *)(uintptr_t)r.dump.data);
    prepare(&r);
    r.config.buffer_bytes = 1024;
    record(&r, RUNS);
    assert_finding(r.dump, none, "lost_events", "28 events were lost: the trace is incomplete");
    free((void *)(uintptr_t)r.dump.data);
    prepare(&r);
    r.config.buffer_bytes = 1024;
    r.config.mode = ETS_TRACE_RING;
    record(&r, RUNS);
    assert_finding(r.dump, none, "lost_events", "36 events were lost: the trace is incomplete");
    free((void *)(uintptr_t)r.dump.data);
}

static void test_trace_findings__another_program(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("multi_method", "model.pte");
    struct ets_program program;
    assert_int_equal(ets_program_init(&program, ets_file_bytes(file), NULL), ETS_OK);
    const struct ets_inspect_options options = {.program = &program, .allow_mismatch = 1};
    for (int is_other = 0; is_other < 2; is_other++) {
        struct recording r;
        uint8_t fingerprint[8];
        const uint64_t number = ets_program_fingerprint(&program) + (uint64_t)is_other;
        for (size_t k = 0; k < 8; k++) fingerprint[k] = (uint8_t)(number >> 8 * k);
        prepare(&r);
        r.config.fingerprint = (struct ets_bytes){fingerprint, sizeof fingerprint};
        record(&r, 3);
        assert_finding(r.dump, options, "other_program",
                       is_other ? "the trace has the fingerprint of another program: names and "
                                  "lines may be wrong"
                                : NULL);
        free((void *)(uintptr_t)r.dump.data);
    }
    ets_file_close(file);
}

static void assert_join(const char *trace, const char *record_name, const char *sentence)
{
    struct ets_file *dump = open_file(trace), *file = open_file(record_name);
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    assert_finding(ets_file_bytes(dump),
                   (struct ets_inspect_options){.record = record, .allow_mismatch = 1},
                   "not_joined", sentence);
    ets_etrecord_close(record);
    ets_file_close(file);
    ets_file_close(dump);
}

static void test_trace_findings__not_joined(void **state)
{
    (void)state;
    assert_join("mlp_portable/profile.etdp", "mlp_portable/model.etrecord", NULL);
    assert_join("mlp_portable/profile.etdp", "conv_portable/model.etrecord",
                "the model and the trace do not belong together: instruction 0 ran "
                "permute_copy.out but the record's forward has aten.convolution.default there");
    assert_join("payloads/up.etdp", "payloads/two.etrecord",
                "several methods fit the trace, so that it has no source lines: down, up");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_findings__lost_events),
        cmocka_unit_test(test_trace_findings__another_program),
        cmocka_unit_test(test_trace_findings__not_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
