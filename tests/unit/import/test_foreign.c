/* Times as they are written, and what encloses what. */
#include <math.h>
#include <stdio.h>

#include "test_faults_support.h"

#include "etscope/etdump.h"
#include "import/foreign.h"

static struct ets_text text_of(const char *text)
{
    return (struct ets_text){text, strlen(text)};
}

static void test_foreign__times_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int digits;
        int64_t ns;
    } cases[] = {
        {"0", 3, 0},
        {"1", 3, 1000},
        {"0.001", 3, 1},
        {"4517890162086.940", 3, 4517890162086940},
        {"1700000000123456.789", 3, 1700000000123456789}, /* a double would say ...768 */
        {"1e3", 3, 1000000},
        {"1.5E-3", 3, 2}, /* 1.5 ns: to the nearest */
        {"0.0004", 3, 0},
        {"0.0005", 3, 1},
        {"-2.5", 3, -2500},
        {"0.000000000000000000000000000001", 3, 0},
        {"4611686018427387904", 0, INT64_C(1) << 62},
        {"0.00266667", 6, 2667},
        {"0e9999", 3, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns = -1;
        assert_true(ets_decimal_ns(text_of(cases[i].text), cases[i].digits, &ns));
        assert_true(ns == cases[i].ns);
    }
}

static void test_foreign__what_is_no_time_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",     "-",     "NaN",     "Infinity", "-Infinity", "1.",
        ".5",   "1e",    "1e99999", "0x10",     "1 ",        "4611686018427387905",
        "1e30", "1,000", "1e19",    "++1",      "1.2.3",     "99999999999999999999999"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns;
        assert_false(ets_decimal_ns(text_of(cases[i]), 0, &ns));
    }
}

/* The events of the ETDump that a profile becomes: "run: name(start..end) ...; run: ..." */
static void tell(const char *profile, enum ets_foreign_kind kind, char *out, size_t room)
{
    struct ets_imported imported;
    struct ets_error error = {.message = ""};
    struct ets_etdump dump;
    size_t used = 0;
    const struct ets_bytes bytes = {(const uint8_t *)profile, strlen(profile)};
    assert_int_equal(ets_import(bytes, kind, NULL, &imported, &error), ETS_OK);
    assert_int_equal(ets_etdump_init(&dump, imported.dump, &error), ETS_OK);
    for (uint32_t r = 0; r < dump.run_count; r++) {
        struct ets_etdump_run run;
        ets_etdump_run(&dump, r, &run);
        used += (size_t)snprintf(out + used, room - used, "%s%.*s:", r > 0 ? "; " : "",
                                 (int)run.name.size, run.name.data);
        for (uint32_t e = 0; e < run.event_count; e++) {
            struct ets_etdump_event event;
            ets_etdump_event(&dump, &run, e, &event);
            used += (size_t)snprintf(out + used, room - used, " %.*s", (int)event.name.size,
                                     event.name.data);
            if (event.chain >= 0) {
                used += (size_t)snprintf(out + used, room - used, "#%d", (int)event.instruction);
            }
            used += (size_t)snprintf(out + used, room - used, "(%llu..%llu)",
                                     (unsigned long long)event.start_ticks,
                                     (unsigned long long)event.end_ticks);
        }
    }
    ets_imported_reset(&imported);
}

#define NODE(name, op, tid, ts, dur)                                                  \
    "{\"cat\" : \"Node\",\"pid\" :1,\"tid\" :" #tid ",\"dur\" :" #dur ",\"ts\" :" #ts \
    ",\"ph\" : \"X\",\"name\" :\"" name "_kernel_time\",\"args\" : {\"op_name\" : \"" op "\"}}"
#define SESSION(name, ts, dur)                                                    \
    "{\"cat\" : \"Session\",\"pid\" :1,\"tid\" :1,\"dur\" :" #dur ",\"ts\" :" #ts \
    ",\"ph\" : \"X\",\"name\" :\"" name "\",\"args\" : {}}"

static void test_foreign__only_control_flow_encloses_nodes(void **state)
{
    (void)state;
    char told[512];
    /* Cast takes no microsecond, right before Gemm; Softmax is in the body of If, elsewhere. */
    tell("[" NODE("c", "Cast", 1, 10, 0) "," NODE("g", "Gemm", 1, 10, 5) "," NODE(
             "s", "Softmax", 2, 21, 3) "," NODE("i", "If", 1, 20, 6) "," SESSION("model_run", 8,
                                                                                 20) "]",
         ETS_FOREIGN_ONNX, told, sizeof told);
    assert_string_equal(told,
                        "Execute: Cast#0(2000..2000) Gemm#1(2000..7000) "
                        "Softmax#3(13000..16000) If#2(12000..18000) "
                        "Method::execute(0..20000)");
}

static void test_foreign__nodes_without_names_are_told_apart_by_order(void **state)
{
    (void)state;
    char told[512];
    tell("[" NODE("", "Gemm", 1, 10, 2) "," NODE("", "Relu", 1, 12, 1) "," NODE(
             "", "Gemm", 1, 13,
             3) "," SESSION("model_run", 8, 20) "," NODE("", "Gemm", 1, 30,
                                                         1) "," NODE("", "Gemm", 1, 31,
                                                                     1) "," SESSION("model_run", 30,
                                                                                    5) "]",
         ETS_FOREIGN_ONNX, told, sizeof told);
    assert_string_equal(told,
                        "Execute: Gemm#0(2000..4000) Relu#1(4000..5000) Gemm#2(5000..8000) "
                        "Method::execute(0..20000); "
                        "Execute: Gemm#0(22000..23000) Gemm#2(23000..24000) "
                        "Method::execute(22000..27000)");
}

static void test_foreign__a_node_that_two_executions_may_enclose_is_in_none(void **state)
{
    (void)state;
    char told[512];
    tell("[" NODE("n", "Add", 7, 12, 1) "," SESSION("model_run", 10, 5) ","
         "{\"cat\" : \"Session\",\"pid\" :1,\"tid\" :2,\"dur\" :5,\"ts\" :11,\"ph\" : \"X\","
         "\"name\" :\"model_run\"}]",
         ETS_FOREIGN_ONNX, told, sizeof told);
    assert_string_equal(told,
                        "Outside of runs: Add#0(2000..3000); "
                        "Execute: Method::execute(0..5000); "
                        "Execute: Method::execute(1000..6000)");
}

static void test_foreign__a_node_between_two_runs_is_of_the_one_that_begins(void **state)
{
    (void)state;
    char told[512];
    tell("[" NODE("n", "Add", 7, 20, 1) "," SESSION("model_run", 10, 10) "," SESSION("model_run",
                                                                                     20, 10) "]",
         ETS_FOREIGN_ONNX, told, sizeof told);
    assert_string_equal(told,
                        "Execute: Method::execute(0..10000); "
                        "Execute: Add#0(10000..11000) Method::execute(10000..20000)");
}

static void test_foreign__ended_frames_leave_room_for_later_ones(void **state)
{
    (void)state;
    enum { BRANCHES = 100 };
    char *profile = malloc(BRANCHES * 400), *told = malloc(BRANCHES * 400);
    size_t used = 0;
    assert_non_null(profile);
    assert_non_null(told);
    for (int i = 0; i < BRANCHES; i++) {
        used += (size_t)sprintf(profile + used,
                                "%c{\"cat\" : \"Node\",\"pid\" :1,\"tid\" :1,\"dur\" :8,\"ts\" :%d,"
                                "\"ph\" : \"X\",\"name\" :\"i\",\"args\" :{\"op_name\" :\"If\"}}",
                                i == 0 ? '[' : ',', 10 * i);
    }
    sprintf(profile + used, ",%s,%s]", NODE("b", "Add", 2, 993, 1), SESSION("model_run", 0, 1000));
    tell(profile, ETS_FOREIGN_ONNX, told, BRANCHES * 400);
    assert_non_null(strstr(told, " Add#1(993000..994000) If#0(990000..998000) Method::execute("));
    free(profile);
    free(told);
}

#define EVENTS                                                                       \
    "index\ttag\tevent_type\tstart_timestamp_us\telapsed_time_us\tevent_metadata1\t" \
    "event_metadata2\tevent_source\n"

static void test_foreign__events_of_a_delegate_are_inside_of_its_node_while_they_fit(void **state)
{
    (void)state;
    char told[512];
    tell(EVENTS
         "0\tInvoke\t1\t1000\t100\t0\t0\t0\n"
         "1\tTfLiteXNNPackDelegate\t2\t1010\t60\t4\t0\t0\n"
         "2\tGEMM\t8\t0\t40\t0\t0\t0\n3\tSoftmax\t8\t0\t20\t1\t0\t0\n"
         "4\tAdd\t8\t0\t1\t2\t0\t0\n5\tCUMSUM\t2\t1075\t5\t5\t0\t0\n"
         "6\tMul\t8\t0\t3\t3\t0\t0\n",
         ETS_FOREIGN_LITERT_EVENTS, told, sizeof told);
    assert_string_equal(told,
                        "Execute: GEMM#1(10000..50000) Softmax#2(50000..70000) "
                        "TfLiteXNNPackDelegate#0(10000..70000) Add#3(70000..71000) "
                        "CUMSUM#4(75000..80000) Mul#5(80000..83000) "
                        "Method::execute(0..100000)");
}

#define SLICE(name, tid, ts, dur)                                                                 \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur \
    "}"

static void test_foreign__slices_nest_in_their_thread(void **state)
{
    (void)state;
    char told[512];
    tell("[" SLICE("in", 1, 2.5, 1) "," SLICE("out", 1, 1, 4) "," SLICE(
             "beside", 2, 2, 1) "," SLICE("overlaps", 1, 4, 3) "," SLICE("in", 1, 4.5, 0.5) "]",
         ETS_FOREIGN_CHROME, told, sizeof told);
    assert_string_equal(told,
                        "Execute: in#1(1500..2500) out#0(0..4000) beside#2(1000..2000) "
                        "in#4(3500..4000) overlaps#3(3000..6000) "
                        "Method::execute(0..6000)");
}

static void test_foreign__deep_nesting_ends_in_a_list(void **state)
{
    (void)state;
    enum { DEEP = 500 };
    char *profile = malloc(DEEP * 80), *told = malloc(DEEP * 80);
    size_t used = 0;
    assert_non_null(profile);
    assert_non_null(told);
    for (int i = 0; i < DEEP; i++) {
        used +=
            (size_t)sprintf(profile + used, "%c{\"ph\":\"X\",\"name\":\"a\",\"ts\":%d,\"dur\":%d}",
                            i == 0 ? '[' : ',', i, 2 * DEEP - 2 * i);
    }
    sprintf(profile + used, "]");
    tell(profile, ETS_FOREIGN_CHROME, told, DEEP * 80);
    unsigned events = 0;
    for (const char *at = told; (at = strchr(at, '#')) != NULL; at++) events++;
    assert_int_equal(events, DEEP);
    free(profile);
    free(told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign__times_are_exact),
        cmocka_unit_test(test_foreign__what_is_no_time_is_refused),
        cmocka_unit_test(test_foreign__only_control_flow_encloses_nodes),
        cmocka_unit_test(test_foreign__nodes_without_names_are_told_apart_by_order),
        cmocka_unit_test(test_foreign__a_node_that_two_executions_may_enclose_is_in_none),
        cmocka_unit_test(test_foreign__a_node_between_two_runs_is_of_the_one_that_begins),
        cmocka_unit_test(test_foreign__ended_frames_leave_room_for_later_ones),
        cmocka_unit_test(test_foreign__events_of_a_delegate_are_inside_of_its_node_while_they_fit),
        cmocka_unit_test(test_foreign__slices_nest_in_their_thread),
        cmocka_unit_test(test_foreign__deep_nesting_ends_in_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
