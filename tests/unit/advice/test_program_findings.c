/* Findings that need the program and its graph: what they save, and what happens without memory. */
#include "test_model_support.h"

#include "test_faults_support.h"

#include <math.h>

#include "advice/saving_total.h"

static const struct ets_finding *find(const struct ets_findings *findings, const char *kind)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        if (strcmp(findings->items[i].kind, kind) == 0) return &findings->items[i];
    }
    return NULL;
}

static void collect(const struct model *m, struct ets_arena *arena, struct ets_findings *findings)
{
    const struct ets_findings_subject subject = {
        .inspection = m->inspection, .program = &m->program, .record = m->record};
    assert_int_equal(ets_findings_collect(arena, &subject, findings, NULL), ETS_OK);
}

static void test_findings__name_what_they_are_about(void **state)
{
    (void)state;
    struct model m;
    struct ets_arena arena;
    struct ets_findings findings;
    open_model("gpt_xnnpack", &m);
    ets_arena_init(&arena, NULL, 0);
    collect(&m, &arena, &findings);
    const struct ets_finding *guard = find(&findings, "attention_guard");
    assert_non_null(guard);
    assert_int_equal(guard->instruction_count, 12);
    assert_int_equal(guard->row_count, 12);
    for (uint32_t i = 1; i < guard->instruction_count; i++) {
        assert_true(guard->instructions[i - 1] < guard->instructions[i]);
    }
    assert_int_equal(guard->frame_count, 1);
    assert_true(guard->saving.ticks.lower > 0);
    assert_true(guard->saving.ticks.lower <= guard->saving.ticks.upper);
    assert_null(find(&findings, "nothing_delegated"));
    ets_arena_reset(&arena);
    close_model(&m);
}

/* No finding claims more than the rows it names take, and all together no more than the run. */
static void test_findings__claim_no_more_than_there_is(void **state)
{
    (void)state;
    static const char *const models[] = {"gpt_xnnpack",  "gpt_portable",      "conv_xnnpack",
                                         "mlp_portable", "conv_xnnpack_int8", "conv_portable"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        struct model m;
        struct ets_arena arena;
        struct ets_findings findings;
        struct ets_saving_total total;
        open_model(models[k], &m);
        ets_arena_init(&arena, NULL, 0);
        collect(&m, &arena, &findings);
        assert_true(ets_saving_total_find(&arena, m.inspection, &findings, &total));
        assert_true(total.away <= total.whole);
        for (uint32_t i = 0; i < findings.count; i++) {
            const struct ets_finding *finding = &findings.items[i];
            double most = 0;
            for (uint32_t r = 0; r < finding->row_count; r++) {
                struct ets_statistics times;
                assert_int_equal(ets_inspection_row_statistics(m.inspection, finding->rows[r],
                                                               ETS_NO_INDEX, &times, NULL),
                                 ETS_OK);
                const struct ets_row *row = ets_inspection_row(m.inspection, finding->rows[r]);
                most += times.max + (double)row->quantum_ticks * row->calls_per_run;
            }
            if (finding->row_count == 0 || isnan(finding->saving.ticks.upper)) continue;
            const double of_rows = finding->saving.measured.upper / finding->saving.most -
                                   finding->saving.beside - finding->saving.others;
            assert_true(of_rows <= most * (1 + 1e-9));
            assert_true(of_rows <= finding->share.upper * total.whole * (1 + 1e-9));
        }
        ets_arena_reset(&arena);
        close_model(&m);
    }
}

/* Times of runs with captured tensors order findings, and are not told. */
static void test_findings__tell_no_times_of_captured_runs(void **state)
{
    (void)state;
    struct model m;
    struct ets_arena arena;
    struct ets_findings findings;
    struct ets_saving_total total;
    open_model_trace("gpt_xnnpack", "debug.etdp", &m);
    ets_arena_init(&arena, NULL, 0);
    const struct ets_findings_subject subject = {
        .inspection = m.inspection, .program = &m.program, .record = m.record};
    assert_int_equal(ets_findings_collect(&arena, &subject, &findings, NULL), ETS_OK);
    assert_string_equal(findings.items[0].kind, "captured");
    assert_true(findings.count > 5);
    for (uint32_t i = 0; i < findings.count; i++) {
        assert_true(isnan(findings.items[i].share.upper));
        assert_true(isnan(findings.items[i].saving.ticks.upper));
        if (i > 0) assert_true(findings.items[i].cost <= findings.items[i - 1].cost);
    }
    assert_true(findings.items[1].cost > 0);
    assert_true(ets_saving_total_find(&arena, m.inspection, &findings, &total));
    assert_int_equal(total.count, 0);
    ets_arena_reset(&arena);
    close_model(&m);
}

/* Without times, what moves more bytes comes first. */
static void test_findings__without_times_are_ordered_by_bytes(void **state)
{
    (void)state;
    struct model m;
    struct ets_arena arena;
    struct ets_findings findings;
    uint32_t placed = 0;
    open_model("gpt_xnnpack", &m);
    const struct ets_findings_subject subject = {.program = &m.program, .record = m.record};
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_findings_collect(&arena, &subject, &findings, NULL), ETS_OK);
    for (uint32_t i = 0; i < findings.count; i++) {
        if (findings.items[i].instruction_count == 0) continue;
        if (placed++ > 0) assert_true(findings.items[i].bytes <= findings.items[i - 1].bytes);
    }
    assert_true(placed > 5);
    assert_true(findings.items[0].bytes > 0);
    ets_arena_reset(&arena);
    close_model(&m);
}

static void test_findings__without_memory_there_are_none(void **state)
{
    (void)state;
    struct model m;
    open_model("gpt_xnnpack", &m);
    const struct ets_findings_subject subject = {
        .inspection = m.inspection, .program = &m.program, .record = m.record};
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long n = 0; status != ETS_OK; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_findings findings;
        struct ets_error error = {.message = ""};
        struct ets_arena arena;
        ets_arena_init(&arena, &allocator, 0);
        status = ets_findings_collect(&arena, &subject, &findings, &error);
        if (status != ETS_OK) {
            assert_int_equal(status, ETS_NO_MEMORY);
            assert_true(strlen(error.message) > 0);
        }
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(n < 5000);
    }
    close_model(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings__name_what_they_are_about),
        cmocka_unit_test(test_findings__claim_no_more_than_there_is),
        cmocka_unit_test(test_findings__tell_no_times_of_captured_runs),
        cmocka_unit_test(test_findings__without_times_are_ordered_by_bytes),
        cmocka_unit_test(test_findings__without_memory_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
