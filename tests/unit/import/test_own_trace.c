/* Traces that etscope exported, read back. */
#include <stdio.h>

#include "test_faults_support.h"

#include "etscope/inspect.h"
#include "import/import.h"

#define OWN(events)                                        \
    "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" events \
    "],\"metadata\":{\"exporter\":\"etscope\"}}"
#define TRACK(tid, name)                                                                           \
    "{\"ph\":\"M\",\"pid\":1,\"tid\":" #tid ",\"name\":\"thread_name\",\"args\":{\"name\":\"" name \
    "\"}}"
#define FRAME(tid, run, name, ts, dur)                                                           \
    ",{\"ph\":\"X\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur ",\"name\":\"" name \
    "\",\"cat\":\"runtime\",\"args\":{\"run\":" #run "}}"
#define EVENT(tid, run, at, name, cat, ts, dur)                                                  \
    ",{\"ph\":\"X\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur ",\"name\":\"" name \
    "\",\"cat\":\"" cat "\",\"args\":{\"run\":" #run ",\"instruction\":" #at "}}"

static struct ets_inspection *import(const char *text, struct ets_imported *imported)
{
    struct ets_inspection *inspection;
    struct ets_error error = {.message = ""};
    const struct ets_inspect_options options = {.record = NULL};
    const struct ets_bytes bytes = {(const uint8_t *)text, strlen(text)};
    assert_int_equal(ets_import(bytes, ETS_FOREIGN_CHROME, NULL, imported, &error), ETS_OK);
    assert_string_equal(imported->runtime, "ExecuTorch");
    assert_int_equal(ets_inspection_open(imported->dump, &options, &inspection, &error), ETS_OK);
    return inspection;
}

/* "name<parent" of each event, in order. */
static void tell(const struct ets_inspection *inspection, char *out, size_t room)
{
    const struct ets_event_table *events = ets_inspection_events(inspection);
    size_t used = 0;
    for (uint32_t i = 0; i < events->count; i++) {
        const uint32_t parent = events->parent[i];
        const uint32_t row = parent == ETS_NO_INDEX ? ETS_NO_INDEX : events->row[parent];
        const struct ets_text name = ets_inspection_row(inspection, events->row[i])->name;
        used += (size_t)snprintf(out + used, room - used, "%s%u:%.*s", i > 0 ? " " : "",
                                 events->run[i], (int)name.size, name.data);
        if (row == ETS_NO_INDEX) continue;
        const struct ets_text outer = ets_inspection_row(inspection, row)->name;
        used += (size_t)snprintf(out + used, room - used, "<%.*s@%u", (int)outer.size, outer.data,
                                 (unsigned)(events->start[parent] / 1000));
    }
}

static void test_own_trace__events_of_another_clock_go_to_their_calls(void **state)
{
    (void)state;
    char told[512];
    struct ets_imported imported;
    struct ets_inspection *inspection = import(
        OWN(TRACK(101, "forward") FRAME(101, 0, "Method::execute", 10, 50) EVENT(
            101, 0, 3, "DELEGATE_CALL", "delegate call", 11, 9)
                EVENT(101, 0, 3, "DELEGATE_CALL", "delegate call", 30, 9) "," TRACK(
                    102, "B (own clock: 1 ns is a tick)") EVENT(102, 0, 3, "a", "delegate", 0, 900)
                    EVENT(102, 0, 3, "b", "delegate", 900, 5)
                        EVENT(102, 0, 3, "a", "delegate", 905, 700)
                            EVENT(102, 0, 3, "b", "delegate", 1700, 7)),
        &imported);
    tell(inspection, told, sizeof told);
    assert_string_equal(told,
                        "0:a<DELEGATE_CALL@11 0:b<DELEGATE_CALL@11 "
                        "0:DELEGATE_CALL<Method::execute@10 "
                        "0:a<DELEGATE_CALL@30 0:b<DELEGATE_CALL@30 "
                        "0:DELEGATE_CALL<Method::execute@10 0:Method::execute");
    const struct ets_run *run = ets_inspection_run(inspection, 0);
    assert_int_equal(run->method.size, 7);
    assert_memory_equal(run->method.data, "forward", 7);
    assert_int_equal(run->purpose, ETS_TRACE_EXECUTE);
    ets_inspection_close(inspection);
    ets_imported_reset(&imported);
}

static void test_own_trace__runs_are_ordered_by_number_and_named(void **state)
{
    (void)state;
    char told[512];
    struct ets_imported imported;
    struct ets_inspection *inspection = import(
        OWN(TRACK(101, "Default") FRAME(101, 0, "Program::load_method", 0, 5)
                FRAME(101, 0, "Method::init", 1, 3) "," TRACK(102, "decode")
                    FRAME(102, 3, "Method::execute", 30, 5) "," TRACK(103, "encode, thread 1")
                        FRAME(103, 2, "Method::execute", 20, 5)
                            EVENT(103, 2, 0, "OPERATOR_CALL", "kernel", 20, 0)
                                EVENT(103, 2, 0, "native_call_a", "kernel", 20, 0)
                                    EVENT(103, 2, 1, "OPERATOR_CALL", "kernel", 20, 5)),
        &imported);
    tell(inspection, told, sizeof told);
    assert_string_equal(told,
                        "0:Method::init<Program::load_method@0 0:Program::load_method "
                        "1:native_call_a<OPERATOR_CALL@20 1:OPERATOR_CALL<Method::execute@20 "
                        "1:OPERATOR_CALL<Method::execute@20 1:Method::execute "
                        "2:Method::execute");
    assert_int_equal(ets_inspection_run(inspection, 0)->purpose, ETS_TRACE_LOAD);
    assert_int_equal(ets_inspection_run(inspection, 1)->method.size, 6);
    assert_memory_equal(ets_inspection_run(inspection, 1)->method.data, "encode", 6);
    assert_int_equal(ets_inspection_run(inspection, 1)->thread, 1);
    assert_memory_equal(ets_inspection_run(inspection, 2)->method.data, "decode", 6);
    ets_inspection_close(inspection);
    ets_imported_reset(&imported);
}

static void test_own_trace__a_call_inside_of_an_event_does_not_enclose_it(void **state)
{
    (void)state;
    char told[512];
    struct ets_imported imported;
    struct ets_inspection *inspection =
        import(OWN(TRACK(101, "forward") EVENT(101, 0, 1, "a", "delegate", 0, 100)
                       EVENT(101, 0, 1, "DELEGATE_CALL", "delegate call", 10, 10)
                           EVENT(102, 0, 1, "b", "delegate", 0, 90)
                               EVENT(102, 0, 1, "DELEGATE_CALL", "delegate call", 20, 10)
                                   FRAME(103, 0, "Method::execute", 0, 200)),
               &imported);
    tell(inspection, told, sizeof told);
    assert_int_equal(ets_inspection_events(inspection)->count, 5);
    assert_int_equal(imported.event_count, 5);
    assert_int_equal(imported.left_out_count, 0);
    ets_inspection_close(inspection);
    ets_imported_reset(&imported);
}

static void test_own_trace__a_slice_without_a_run_is_refused(void **state)
{
    (void)state;
    static const char *const runs[] = {"", "\"run\":-1", "\"run\":\"0\"", "\"run\":4294967296"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char text[256];
        struct ets_imported imported;
        struct ets_error error = {.message = ""};
        snprintf(text, sizeof text,
                 "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,"
                 "\"args\":{%s}}],\"metadata\":{\"exporter\":\"etscope\"}}",
                 runs[i]);
        const struct ets_bytes bytes = {(const uint8_t *)text, strlen(text)};
        const enum ets_status status =
            ets_import(bytes, ETS_FOREIGN_CHROME, NULL, &imported, &error);
        assert_damage_told(status, &error, bytes.size);
        assert_non_null(strstr(error.message, "has no \"run\""));
        ets_imported_reset(&imported);
    }
}

static void test_own_trace__instructions_have_an_upper_limit(void **state)
{
    (void)state;
    static const char text[] =
        "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,"
        "\"args\":{\"run\":0,\"instruction\":2000000000}}],"
        "\"metadata\":{\"exporter\":\"etscope\",\"runtime\":\"R\"}}";
    struct ets_imported imported;
    struct ets_error error = {.message = ""};
    const struct ets_bytes bytes = {(const uint8_t *)text, sizeof text - 1};
    const enum ets_status status = ets_import(bytes, ETS_FOREIGN_CHROME, NULL, &imported, &error);
    assert_damage_told(status, &error, bytes.size);
    assert_non_null(strstr(error.message, "instruction 2000000000 is beyond"));
    ets_imported_reset(&imported);
}

static void test_own_trace__every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const char text[] = OWN(TRACK(101, "forward") FRAME(101, 0, "Method::execute", 10, 50)
                                       EVENT(101, 0, 3, "DELEGATE_CALL", "delegate call", 11, 9)
                                           EVENT(102, 0, 3, "a", "delegate", 0, 900));
    struct failing failing = {.fail_at = 0};
    const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
    for (;; failing.fail_at++) {
        struct ets_imported imported;
        struct ets_error error = {.message = ""};
        failing.calls = 0;
        const enum ets_status status =
            ets_import((struct ets_bytes){(const uint8_t *)text, sizeof text - 1},
                       ETS_FOREIGN_CHROME, &allocator, &imported, &error);
        if (status != ETS_OK) assert_int_equal(status, ETS_NO_MEMORY);
        ets_imported_reset(&imported);
        assert_int_equal(failing.live, 0);
        if (status == ETS_OK) break;
    }
    assert_true(failing.fail_at > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_trace__events_of_another_clock_go_to_their_calls),
        cmocka_unit_test(test_own_trace__runs_are_ordered_by_number_and_named),
        cmocka_unit_test(test_own_trace__a_call_inside_of_an_event_does_not_enclose_it),
        cmocka_unit_test(test_own_trace__a_slice_without_a_run_is_refused),
        cmocka_unit_test(test_own_trace__instructions_have_an_upper_limit),
        cmocka_unit_test(test_own_trace__every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
