/* Profiles cut at every byte, with wrong values, and without memory. */
#include "test_faults_support.h"

#include <stdio.h>

#include "etscope/file.h"
#include "etscope/inspect.h"
#include "import/import.h"

static const struct {
    const char *file;
    enum ets_foreign_kind kind;
} profiles[] = {
    {"onnxruntime_sequential.json", ETS_FOREIGN_ONNX},
    {"pytorch_steps.json", ETS_FOREIGN_PYTORCH},
    {"pytorch_stack.json", ETS_FOREIGN_PYTORCH},
    {"pytorch_steps.json", ETS_FOREIGN_CHROME},
    {"litert_benchmark.csv", ETS_FOREIGN_LITERT_CSV},
    {"litert_summary.txt", ETS_FOREIGN_LITERT_CSV},
    {"litert_benchmark.pb", ETS_FOREIGN_LITERT_PROTO},
    {"litert_events.txt", ETS_FOREIGN_LITERT_EVENTS},
    {"llama_runner.log", ETS_FOREIGN_RUNNER_LOG},
    {"inspector_printed.txt", ETS_FOREIGN_TABLE},
    {"inspector_frame.csv", ETS_FOREIGN_TABLE},
    {"inspector_saved.tsv", ETS_FOREIGN_TABLE},
    {"inspect.json", ETS_FOREIGN_TABLE_JSON},
    {"inspect.txt", ETS_FOREIGN_TABLE_TEXT},
    {"inspect.md", ETS_FOREIGN_TABLE_TEXT},
    {"inspect.jsonl", ETS_FOREIGN_TABLE_LINES},
    {"tflm_events.log", ETS_FOREIGN_TFLM_LOG},
    {"tflm_totals.log", ETS_FOREIGN_TFLM_LOG},
};

enum { PROFILES = sizeof profiles / sizeof *profiles };

static struct ets_file *open_profile(size_t index)
{
    char path[512];
    struct ets_file *file;
    snprintf(path, sizeof path, "%s/exchange/%s", TEST_DATA, profiles[index].file);
    assert_int_equal(ets_file_open(path, &file, NULL), ETS_OK);
    return file;
}

/* What import makes can be inspected. */
static void assert_sound(const struct ets_imported *imported)
{
    struct ets_inspection *inspection;
    struct ets_error error;
    const struct ets_inspect_options options = {.record = NULL};
    assert_int_equal(ets_inspection_open(imported->dump, &options, &inspection, &error), ETS_OK);
    assert_int_equal(ets_inspection_damage_total(inspection), 0);
    assert_int_equal(ets_inspection_run_count(inspection), imported->run_count);
    assert_int_equal(ets_inspection_events(inspection)->count, imported->event_count);
    ets_inspection_close(inspection);
}

static void test_import_faults__every_kind_is_recognized(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROFILES; i++) {
        struct ets_file *file = open_profile(i);
        const enum ets_foreign_kind kind = ets_foreign_sniff(ets_file_bytes(file));
        if (profiles[i].kind != ETS_FOREIGN_CHROME) assert_int_equal(kind, profiles[i].kind);
        ets_file_close(file);
    }
    static const char *const others[] = {
        "",         " ",      "[",         "{}",   "{\"roofs\": []}", "\n\n",
        "a,b\n1,2", "[1, 2]", "\x0a\x01x", "\x12", "\x0a\xff\xff\xff"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct ets_bytes bytes = {(const uint8_t *)others[i], strlen(others[i])};
        assert_int_equal(ets_foreign_sniff(bytes), ETS_FOREIGN_NONE);
    }
}

/* Blanks around colons are as a tool likes them that read and wrote a profile. */
static void test_import_faults__onnx_is_recognized_with_any_blanks(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ets_foreign_kind kind;
    } cases[] = {
        {"[{\"cat\" : \"Session\"", ETS_FOREIGN_ONNX},
        {"[{\"cat\": \"Session\", \"ph\": \"X\", \"name\": \"model_loading_uri\"",
         ETS_FOREIGN_ONNX},
        {"[{\"name\":\"session_initialization\",\"ph\":\"X\",\"cat\":\"Session\"}]",
         ETS_FOREIGN_ONNX},
        {" [\n {\n  \"cat\"\t:\n\"Session\",\n \"name\": \"model_run\"", ETS_FOREIGN_ONNX},
        {"[{\"ph\": \"X\", \"cat\": \"Node\", \"args\": {\"op_name\": \"Gemm\"}}]",
         ETS_FOREIGN_ONNX},
        {"[{\"ph\": \"X\", \"cat\": \"Node\", \"name\": \"a\"}]", ETS_FOREIGN_CHROME},
        {"[{\"ph\": \"X\", \"cat\": \"Session\", \"name\": \"a\"}]", ETS_FOREIGN_CHROME},
        {"[{\"ph\": \"X\", \"cat\": \"Session2\", \"name\": \"model_run\"}]", ETS_FOREIGN_CHROME},
        {"[{\"ph\": \"X\", \"name\": \"model_run\", \"cat\"", ETS_FOREIGN_CHROME},
        {"[\"cat\"", ETS_FOREIGN_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t size = strlen(cases[i].text);
        uint8_t *copy = malloc(size); /* so that sanitizers see reads behind the end */
        assert_non_null(copy);
        memcpy(copy, cases[i].text, size);
        assert_int_equal(ets_foreign_sniff((struct ets_bytes){copy, size}), cases[i].kind);
        free(copy);
    }
}

static void test_import_faults__a_cut_at_every_byte_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROFILES; i++) {
        struct ets_file *file = open_profile(i);
        const struct ets_bytes whole = ets_file_bytes(file);
        const size_t step = whole.size > 5000 ? 7 : 1; /* parsing JSON is quadratic here */
        for (size_t size = first_fault(i); size < whole.size;
             size += FAULT_STRIDE * (size < 600 ? 1 : step)) {
            uint8_t *copy = malloc(size + 1); /* so that sanitizers see reads behind the end */
            struct ets_imported imported;
            struct ets_error error = {.message = ""};
            assert_non_null(copy);
            memcpy(copy, whole.data, size);
            const enum ets_status status = ets_import((struct ets_bytes){copy, size},
                                                      profiles[i].kind, NULL, &imported, &error);
            if (status == ETS_OK) assert_sound(&imported); /* a cut between lines or fields */
            else assert_damage_told(status, &error, size);
            ets_imported_reset(&imported);
            free(copy);
        }
        ets_file_close(file);
    }
}

static void test_import_faults__changed_bytes_are_told_or_sound(void **state)
{
    (void)state;
    static const uint8_t values[] = {0, '"', '-', '9', '}', ',', 0x7f, 0xff};
    for (size_t i = 0; i < PROFILES; i++) {
        struct ets_file *file = open_profile(i);
        const struct ets_bytes whole = ets_file_bytes(file);
        uint8_t *copy = malloc(whole.size);
        assert_non_null(copy);
        memcpy(copy, whole.data, whole.size);
        const size_t step = whole.size > 5000 ? 11 : 1;
        for (size_t at = first_fault(i); at < whole.size; at += step * FAULT_STRIDE) {
            struct ets_imported imported;
            struct ets_error error = {.message = ""};
            copy[at] = values[at % sizeof values];
            const enum ets_status status = ets_import((struct ets_bytes){copy, whole.size},
                                                      profiles[i].kind, NULL, &imported, &error);
            if (status == ETS_OK) assert_sound(&imported);
            else assert_damage_told(status, &error, whole.size);
            ets_imported_reset(&imported);
            copy[at] = whole.data[at];
        }
        free(copy);
        ets_file_close(file);
    }
}

static void test_import_faults__every_failed_allocation_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROFILES; i++) {
        struct ets_file *file = open_profile(i);
        struct failing failing = {.fail_at = 0};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        for (;; failing.fail_at++) {
            struct ets_imported imported;
            struct ets_error error = {.message = ""};
            failing.calls = 0;
            const enum ets_status status =
                ets_import(ets_file_bytes(file), profiles[i].kind, &allocator, &imported, &error);
            if (status != ETS_OK) assert_int_equal(status, ETS_NO_MEMORY);
            if (status != ETS_OK) assert_true(error.message[0] != '\0');
            ets_imported_reset(&imported);
            assert_int_equal(failing.live, 0);
            if (status == ETS_OK) break;
        }
        assert_true(failing.fail_at > 1);
        ets_file_close(file);
    }
}

#define EVENT "{\"cat\" : \"Node\", \"ph\" : \"X\", \"name\" : \"a\", "
#define OPERATORS "= Run Order =\nnode type, first, avg_ms, %, cdf%, mem KB, times called, name\n"
#define LINE                                                        \
    "index\ttag\tevent_type\tstart_timestamp_us\telapsed_time_us\t" \
    "event_metadata1\tevent_metadata2\tevent_source\n"
#define REST "\t0\t0\t0" /* the last three of eight fields */

#define TOTALS "\"Unique Tag\",\"Total ticks across all events with that tag.\"\n"

/* prompt and generated tokens; start, end of the prompt, end; units a second. Nothing was loaded.
 */
#define OBSERVED(prompt, generated, start, middle, end, units)                          \
    "PyTorchObserver {\"prompt_tokens\":" #prompt ",\"generated_tokens\":" #generated   \
    ",\"model_load_start_ms\":1,\"model_load_end_ms\":1,\"inference_start_ms\":" #start \
    ",\"inference_end_ms\":" #end ",\"prompt_eval_end_ms\":" #middle                    \
    ",\"SCALING_FACTOR_UNITS_PER_SECOND\":" #units "}"

static void test_import_faults__wrong_values_are_named(void **state)
{
    (void)state;
    static const struct {
        enum ets_foreign_kind kind;
        const char *text, *words;
    } cases[] = {
        {ETS_FOREIGN_NONE, "x", "not a profile of ONNX Runtime"},
        {ETS_FOREIGN_ONNX, "", "the JSON cannot be read"},
        {ETS_FOREIGN_ONNX, "{}", "no list of trace events"},
        {ETS_FOREIGN_ONNX, "[]", "no operator"},
        {ETS_FOREIGN_ONNX, "[5]", "event 0 of the list is no object"},
        {ETS_FOREIGN_ONNX, "[{}]", "no operator"},
        {ETS_FOREIGN_ONNX, "[" EVENT "\"ts\" :1}]", "event 0: \"dur\" is missing"},
        {ETS_FOREIGN_ONNX, "[" EVENT "\"dur\" :1}]", "event 0: \"ts\" is missing"},
        {ETS_FOREIGN_ONNX, "[" EVENT "\"ts\" :-1, \"dur\" :1}]", "event 0: \"ts\" is no time"},
        {ETS_FOREIGN_ONNX, "[" EVENT "\"ts\" :1, \"dur\" :-0.5}]", "\"dur\" is no time"},
        {ETS_FOREIGN_ONNX, "[" EVENT "\"ts\" :NaN, \"dur\" :1}]", "\"ts\" is no time"},
        {ETS_FOREIGN_ONNX, "[" EVENT "\"ts\" :1, \"dur\" :Infinity}]", "\"dur\" is no time"},
        {ETS_FOREIGN_ONNX, "[" EVENT "\"ts\" :1e300, \"dur\" :1}]", "\"ts\" is no time"},
        {ETS_FOREIGN_ONNX, "[" EVENT "\"ts\" :18446744073709551615, \"dur\" :1}]", "\"ts\""},
        {ETS_FOREIGN_ONNX, "[" EVENT "\"ts\" :\"1\", \"dur\" :1}]", "\"ts\" is no time"},
        {ETS_FOREIGN_ONNX, "[" EVENT "\"ts\" :4611686018427387, \"dur\" :4611686018427387}]",
         "\"dur\" is too long"},
        {ETS_FOREIGN_PYTORCH, "{\"traceEvents\": []}", "on_trace_ready"},
        {ETS_FOREIGN_PYTORCH, "{\"traceEvents\": 5}", "no list of trace events"},
        {ETS_FOREIGN_PYTORCH,
         "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"ts\": 1, \"dur\": 1}]}",
         "event 0: an operator without a name"},
        {ETS_FOREIGN_CHROME, "[{\"ph\":\"X\",\"ts\":1,\"dur\":1}]", "a slice without a name"},
        {ETS_FOREIGN_CHROME, "[{\"ph\":\"B\"},{\"ph\":\"C\"},{\"ph\":\"E\"}]",
         "the profile of Chrome JSON has no operator and no execution; left out: 2 events of "
         "phases B "
         "and E"},
        {ETS_FOREIGN_CHROME, "{\"traceEvents\":[],\"metadata\":{\"exporter\":\"etscope\"}}",
         "the exported trace has no events"},
        {ETS_FOREIGN_LITERT_CSV, "= Run Order =\nwrong", "line 2 of the operator profile"},
        {ETS_FOREIGN_LITERT_CSV, OPERATORS "A, 1, 1", "line 3 of the operator profile: it has few"},
        {ETS_FOREIGN_LITERT_CSV, OPERATORS "A, -1, 1, 1%, 1%, 0, 1, n", "no time in milliseconds"},
        {ETS_FOREIGN_LITERT_CSV, OPERATORS "A, nan, 1, 1%, 1%, 0, 1, n", "no time in millisecond"},
        {ETS_FOREIGN_LITERT_CSV, OPERATORS ", 1, 1, 1%, 1%, 0, 1, n", "it has"},
        {ETS_FOREIGN_LITERT_CSV, OPERATORS, "no operators of regular runs"},
        {ETS_FOREIGN_LITERT_CSV,
         OPERATORS "A, 4e12, 1, 1%, 1%, 0, 1, n\nA, 4e12, 1, 1%, 1%, 0, 1, n", "146 years"},
        {ETS_FOREIGN_LITERT_EVENTS, LINE "0\tAdd\t2\t1\t1", "line 2 of the events: it has few"},
        {ETS_FOREIGN_RUNNER_LOG, "\nPyTorchObserver {}",
         "line 2, PyTorchObserver: it has no prompt"},
        {ETS_FOREIGN_RUNNER_LOG, OBSERVED(8, 2, 5, 9, 7, 1000), "inference_end_ms is before"},
        {ETS_FOREIGN_RUNNER_LOG, OBSERVED(8, 2, 5, 4, 7, 1000), "prompt_eval_end_ms is before"},
        {ETS_FOREIGN_RUNNER_LOG, OBSERVED(8, 2, 5, 6, 7, 0), "is no unit of time"},
        {ETS_FOREIGN_RUNNER_LOG, OBSERVED(8, 2, 5, 6, 9007199254740992, 1), "longer than three"},
        {ETS_FOREIGN_RUNNER_LOG, OBSERVED(1073741825, 2, 5, 6, 7, 1000), "more tokens than any"},
        {ETS_FOREIGN_RUNNER_LOG, OBSERVED(0, 0, 5, 6, 7, 1000), "no operator and no execution"},
        {ETS_FOREIGN_TFLM_LOG, "A took 1 ticks (0 ms)", "no operator and no execution"},
        {ETS_FOREIGN_TFLM_LOG, "A took -1 ticks (0 ms).", "left out: 1 events that did not end"},
        {ETS_FOREIGN_TFLM_LOG, "A took 1152921504606846977 ticks (0 ms).", "more than 2^60 ticks"},
        {ETS_FOREIGN_TFLM_LOG, TOTALS "A, 5\n", "has no line with their total"},
        {ETS_FOREIGN_TFLM_LOG, TOTALS "A, 5\n\"total number of ticks\", 6", "do not add up"},
        {ETS_FOREIGN_LITERT_EVENTS, LINE "0\tAdd\tx\t1\t1" REST, "line 2 of the events: its third"},
        {ETS_FOREIGN_LITERT_EVENTS, LINE "0\tAdd\t2\t-1\t1" REST, "its fourth field"},
        {ETS_FOREIGN_LITERT_EVENTS, LINE "0\tAdd\t2\t1\t" REST, "its fifth field"},
        {ETS_FOREIGN_LITERT_EVENTS, LINE "0\t\t2\t1\t1" REST, "its second field"},
        {ETS_FOREIGN_LITERT_EVENTS, LINE "0\tAdd\t2\t4000000000000000\t4000000000000000" REST,
         "line 2 of the events: its fifth field, elapsed_time_us, is too long"},
        {ETS_FOREIGN_LITERT_EVENTS, LINE "0\tInvoke\t1\t4611686018427387\t4611686018427387" REST,
         "its fifth field, elapsed_time_us, is too long"},
        {ETS_FOREIGN_LITERT_EVENTS,
         LINE "0\tInvoke\t1\t1\t1" REST "\n1\tAdd\t8\t0\t4000000000000000" REST
              "\n2\tAdd\t8\t0\t4000000000000000" REST "\n3\tAdd\t8\t0\t4000000000000000" REST,
         "line 4 of the events: with the events before it"},
        {ETS_FOREIGN_LITERT_PROTO, "\x1a\x05\x0a", "longer than the message"},
        {ETS_FOREIGN_LITERT_PROTO, "\x1b", "unknown wire type"},
        {ETS_FOREIGN_LITERT_PROTO, "\xff\xff", "ends inside a field's number"},
        {ETS_FOREIGN_LITERT_PROTO, "\x08\xff", "ends inside a number"},
        {ETS_FOREIGN_LITERT_PROTO, "\x1a\xff", "ends inside a length"},
        {ETS_FOREIGN_LITERT_PROTO,
         "\x1a\x13\x0a\x11\x1a\x0f\x12\x0d\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x48\x01",
         "a time below 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ets_bytes bytes = {(const uint8_t *)cases[i].text, strlen(cases[i].text)};
        struct ets_imported imported;
        struct ets_error error = {.message = ""};
        const enum ets_status status = ets_import(bytes, cases[i].kind, NULL, &imported, &error);
        assert_damage_told(status, &error, bytes.size);
        if (strstr(error.message, cases[i].words) == NULL) {
            print_message("%s: %s\n", cases[i].text, error.message);
        }
        assert_non_null(strstr(error.message, cases[i].words));
        ets_imported_reset(&imported);
    }
}

static void test_import_faults__of_equal_keys_the_first_counts(void **state)
{
    (void)state;
    static const char text[] = "[" EVENT "\"ts\" :5, \"dur\" :1, \"dur\" :-7, \"ts\" :\"x\"}]";
    struct ets_imported imported;
    assert_int_equal(ets_import((struct ets_bytes){(const uint8_t *)text, sizeof text - 1},
                                ETS_FOREIGN_ONNX, NULL, &imported, NULL),
                     ETS_OK);
    assert_sound(&imported);
    ets_imported_reset(&imported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import_faults__every_kind_is_recognized),
        cmocka_unit_test(test_import_faults__onnx_is_recognized_with_any_blanks),
        cmocka_unit_test(test_import_faults__a_cut_at_every_byte_is_told),
        cmocka_unit_test(test_import_faults__changed_bytes_are_told_or_sound),
        cmocka_unit_test(test_import_faults__every_failed_allocation_is_told),
        cmocka_unit_test(test_import_faults__wrong_values_are_named),
        cmocka_unit_test(test_import_faults__of_equal_keys_the_first_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
