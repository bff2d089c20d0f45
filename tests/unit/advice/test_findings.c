/* Each rule of findings: it finds what was planted, and nothing in the clean twin. */
#include "test_gap_support.h"

#include <math.h>

#include "advice/findings.h"
#include "base/text.h"
#include "views/timed_blocks.h"

enum { MOST_RUNS = 40, EVENTS = 8 };

/* A trace made of one method; times are nanoseconds of a run of 1,000,000. */
struct plan {
    uint32_t runs;
    uint64_t add, copy, call, reported; /* kernels; a delegate call, and what it reports of it */
    uint64_t first, drift;              /* more in the first run; more in each run than before */
    uint64_t outlier;                   /* more in the run before the last */
    uint64_t load;
    uint32_t sampled; /* only each run of so many has operators; 0: all have */
};

/* Everything accounted for, in steady runs. */
static const struct plan clean = {.runs = 20, .add = 990000, .load = 2000000};

struct trace {
    struct made_event events[MOST_RUNS][EVENTS], loading[1];
    struct made_run runs[MOST_RUNS + 1];
    struct made made;
    struct ets_arena arena;
    struct ets_findings findings;
};

static uint32_t fill_run(const struct plan *plan, uint32_t run, struct made_event *events)
{
    const uint64_t more = (run == 0 ? plan->first : 0) + run * plan->drift +
                          (run + 2 == plan->runs ? plan->outlier : 0);
    const uint64_t add = plan->add == 0 ? 0 : plan->add + more + 7 * (run % 3);
    uint64_t at = 1000;
    uint32_t count = 0;
    if (plan->sampled > 0 && run % plan->sampled > 0) {
        events[count++] = (struct made_event)FRAMEWORK("Method::execute", 0, 900000 + more);
        return count;
    }
    if (add > 0)
        events[count++] = (struct made_event)CALL("native_call_addmm.out", 0, at, at + add);
    at += add;
    if (plan->copy > 0) {
        events[count++] =
            (struct made_event)CALL("native_call_permute_copy.out", 1, at, at + plan->copy);
        at += plan->copy;
    }
    if (plan->call > 0) {
        if (plan->reported > 0) {
            events[count++] =
                (struct made_event)DELEGATE("conv", 2, at + 10, at + 10 + plan->reported);
        }
        events[count++] = (struct made_event)CALL("DELEGATE_CALL", 2, at, at + plan->call);
    }
    events[count++] = (struct made_event)FRAMEWORK("Method::execute", 0, 1000000 + more);
    return count;
}

static void examine(const struct plan *plan, struct trace *t)
{
    const struct made_event load = FRAMEWORK("Program::load_method", 0, plan->load);
    t->loading[0] = load;
    t->runs[0] = (struct made_run){"Default", -1, t->loading, 1, 0};
    for (uint32_t i = 0; i < plan->runs; i++) {
        const uint32_t count = fill_run(plan, i, t->events[i]);
        t->runs[i + 1] = (struct made_run){"Execute", -1, t->events[i], count, 0};
    }
    t->made = inspect_runs(t->runs, plan->runs + 1, (struct ets_inspect_options){.method = NULL});
    ets_arena_init(&t->arena, NULL, 0);
    const struct ets_findings_subject subject = {.inspection = t->made.inspection};
    assert_int_equal(ets_findings_collect(&t->arena, &subject, &t->findings, NULL), ETS_OK);
}

static void forget(struct trace *t)
{
    ets_arena_reset(&t->arena);
    made_close(&t->made);
}

static const struct ets_finding *find(const struct ets_findings *findings, const char *kind)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        if (strcmp(findings->items[i].kind, kind) == 0) return &findings->items[i];
    }
    return NULL;
}

/* The planted trace has the finding with this sentence, the clean one has not. */
static void assert_found(struct plan planted, struct plan twin, const char *kind,
                         const char *sentence)
{
    struct trace *t = calloc(1, sizeof *t);
    assert_non_null(t);
    examine(&planted, t);
    const struct ets_finding *finding = find(&t->findings, kind);
    assert_non_null(finding);
    assert_text(finding->sentence, sentence);
    forget(t);
    examine(&twin, t);
    assert_null(find(&t->findings, kind));
    forget(t);
    free(t);
}

static void test_findings__the_clean_trace_has_a_good_one_and_what_takes_its_time(void **state)
{
    (void)state;
    struct trace *t = calloc(1, sizeof *t);
    assert_non_null(t);
    examine(&clean, t);
    assert_int_equal(t->findings.count, 2);
    assert_text(t->findings.items[0].sentence, "99.0 % of a run is in addmm.out, 1 call");
    assert_false(ets_finding_is_advice(&t->findings.items[0]));
    assert_string_equal(t->findings.items[1].kind, "steady");
    assert_int_equal(t->findings.items[1].severity, ETS_SEVERITY_GOOD);
    assert_true(isnan(t->findings.items[1].share.lower));
    forget(t);
    free(t);
}

static void test_findings__where_time_goes(void **state)
{
    (void)state;
    struct plan plan = clean;
    plan.add = 700000;
    assert_found(plan, clean, "between_operators",
                 "30.0 % of a run is between operators: the runtime, and the tracer itself");
    plan = clean;
    plan.add = 800000;
    plan.copy = 190000;
    assert_found(plan, clean, "copies",
                 "19.0 % of a run copies tensors or changes their layout, in 1 call; the most in "
                 "permute_copy.out 19.0 %");
    plan = clean;
    plan.add = 400000;
    plan.call = 590000;
    struct plan only_delegate = plan;
    only_delegate.add = 0;
    only_delegate.call = 990000;
    assert_found(plan, only_delegate, "outside_delegates",
                 "40.0 % of a run is in 1 kernel call outside of delegates: addmm.out 40.0 %");
    assert_found(plan, clean, "outside_delegates",
                 "40.0 % of a run is in 1 kernel call outside of delegates: addmm.out 40.0 %");
}

static void test_findings__time_that_a_delegate_does_not_report(void **state)
{
    (void)state;
    struct plan plan = clean, twin;
    plan.add = 0;
    plan.call = 990000;
    plan.reported = 712345;
    twin = plan;
    twin.reported = 980123;
    assert_found(plan, twin, "not_reported",
                 "27.8 % of a run is inside delegate calls, but not in any operator that the "
                 "delegate reports: (delegate, not reported)");
}

static void test_findings__a_clock_that_is_not_the_traces(void **state)
{
    (void)state;
    struct plan plan = clean, twin;
    plan.add = 0;
    plan.call = 990000;
    plan.reported = 4000000;
    twin = plan;
    twin.reported = 980123;
    assert_found(plan, twin, "delegate_clock",
                 "the clock of a delegate is not known, so its 1 operator has no times: "
                 "calls at fewer than 3 places");
}

static void test_findings__runs(void **state)
{
    (void)state;
    struct plan plan = clean;
    plan.first = 2000000;
    assert_found(plan, clean, "warm_up",
                 "run 1 is warm-up (3 times the median of the others); steady from run 2");
    plan = clean;
    plan.drift = 20000;
    assert_found(plan, clean, "drift",
                 "runs got 26.7 % slower over time (last third against the first, p 8.7e-10)");
    plan = clean;
    plan.outlier = 900000;
    assert_found(plan, clean, "outliers", "1 outlier: run 19");
    plan = clean;
    plan.runs = 5;
    assert_found(plan, clean, "few_runs",
                 "5 runs are too few to find warm-up and drift, which need 8");
    plan.first = 2000000;
    assert_found(plan, clean, "first_run",
                 "run 1 took 3 times the median of the others; 5 runs are too few to distinguish "
                 "warm-up from noise");
    plan = clean;
    plan.load = 250000000;
    assert_found(plan, clean, "load", "loading takes 250 ms, as long as 250 runs");
}

/* What such runs do is not known; their blocks come behind the others, though they ran longer. */
static void test_findings__say_nothing_of_operators_that_no_run_recorded(void **state)
{
    (void)state;
    struct plan plan = clean;
    struct trace *t = calloc(1, sizeof *t);
    struct ets_timed_blocks blocks;
    assert_non_null(t);
    plan.sampled = 4;
    examine(&plan, t);
    assert_true(ets_timed_blocks_find(&t->arena, t->made.inspection, ETS_NO_INDEX, ETS_NO_INDEX, 0,
                                      &blocks));
    assert_int_equal(blocks.count, 2);
    assert_true(blocks.items[0].has_operators);
    assert_int_equal(blocks.items[0].runs.count, 5);
    assert_false(blocks.items[1].has_operators);
    assert_int_equal(blocks.items[1].runs.count, 15);
    assert_null(find(&t->findings, "between_operators"));
    const struct ets_finding *operators = find(&t->findings, "expensive_operator");
    assert_non_null(operators);
    assert_int_equal(operators->block, blocks.items[0].block);
    forget(t);
    free(t);
}

static void test_findings__are_ordered_by_what_they_cost(void **state)
{
    (void)state;
    struct plan plan = clean;
    struct trace *t = calloc(1, sizeof *t);
    assert_non_null(t);
    plan.add = 300000;
    plan.copy = 200000;
    plan.call = 100000;
    plan.first = 2000000;
    examine(&plan, t);
    static const char *const kinds[] = {
        "outside_delegates",  "between_operators", "copies", "warm_up", "expensive_operator",
        "expensive_operator", "expensive_operator"};
    assert_int_equal(t->findings.count, sizeof kinds / sizeof *kinds);
    for (uint32_t i = 0; i < t->findings.count; i++) {
        assert_string_equal(t->findings.items[i].kind, kinds[i]);
        assert_int_equal(t->findings.items[i].severity, ETS_SEVERITY_NOTE);
    }
    forget(t);
    free(t);
}

/* Findings of a program alone: its plan, and duplicated bytes. */
static void assert_model(const char *name, const char *method_name, const char *kind,
                         const char *sentence)
{
    struct ets_file *file = open_file(name);
    struct ets_program program;
    struct ets_method method;
    struct ets_memory_plan plan;
    struct ets_memory_lines lines;
    struct ets_byte_map *map;
    struct ets_arena arena;
    struct ets_findings findings;
    const struct ets_memory_options options = {.order = ETS_MEMORY_BY_PEAK};
    const struct ets_byte_source source = {"file", ets_file_bytes(file), file};
    const struct ets_byte_options bytes = {
        .sources = &source, .source_count = 1, .find_duplicates = true};
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_program_init(&program, ets_file_bytes(file), NULL), ETS_OK);
    assert_int_equal(ets_program_find_method(&program, method_name, &method, NULL), ETS_OK);
    assert_int_equal(ets_memory_plan_init(&plan, &method, &arena, NULL), ETS_OK);
    assert_true(ets_memory_lines_collect(&arena, &plan, &options, &lines));
    assert_int_equal(ets_byte_map_open(&bytes, NULL, &map, NULL, NULL), ETS_OK);
    const struct ets_findings_subject subject = {.memory = &lines, .bytes = map};
    assert_int_equal(ets_findings_collect(&arena, &subject, &findings, NULL), ETS_OK);
    const struct ets_finding *finding = find(&findings, kind);
    if (sentence == NULL) assert_null(finding);
    else assert_non_null(finding);
    if (sentence != NULL) assert_text(finding->sentence, sentence);
    ets_byte_map_close(map);
    ets_arena_reset(&arena);
    ets_file_close(file);
}

static void test_findings__of_a_program(void **state)
{
    (void)state;
    assert_model("gpt_portable/model.pte", "forward", "plan_above_bound",
                 "the memory plan is 12.0 KiB (14 %) above its lower bound of 88.0 KiB");
    assert_model("conv_xnnpack/model.pte", "forward", "plan_above_bound", NULL);
    assert_model("gpt_portable/model.pte", "forward", "memory_peak",
                 "the memory peak is 88.0 KiB, at instruction 48; its largest tensor, 64.0 KiB "
                 "(72.7 %), is of aten::permute_copy.out");
    assert_model(
        "cond/model.pte", "forward", "memory_peak",
        "the memory peak is 96 B, at instruction 4; its largest tensor, 64 B (66.7 %), is of "
        "aten::permute_copy.out");
    assert_model("gpt_portable/model.pte", "forward", "duplicates", NULL);
    assert_model("gpt_portable/model.pte", "forward", "plan_mistake", NULL);
    assert_model(
        "plans/cases.pte", "overwritten", "plan_mistake",
        "1 mistake in the memory plan: instruction 1 writes value 2 (bytes 24 to 31 of memory 1) "
        "over value 1 (bytes 16 to 31 of memory 1), which is needed until instruction 2");
}

/* Against itself all values agree. */
static void test_findings__of_values_that_agree(void **state)
{
    (void)state;
    struct errors e;
    struct ets_arena arena;
    struct ets_findings findings;
    open_errors("mlp_portable", &e);
    ets_arena_init(&arena, NULL, 0);
    const struct ets_findings_subject subject = {.gap = e.report};
    assert_int_equal(ets_findings_collect(&arena, &subject, &findings, NULL), ETS_OK);
    assert_int_equal(findings.count, 1);
    assert_string_equal(findings.items[0].kind, "values_agree");
    assert_string_equal(ets_severity_name(findings.items[0].severity), "good");
    ets_arena_reset(&arena);
    close_errors(&e);
}

/* What is damaged or unknown in fixtures, and not in their clean twins. */
static void assert_trace(const char *path, struct ets_inspect_options options, const char *kind,
                         const char *sentence)
{
    struct ets_file *file = open_file(path);
    struct ets_arena arena;
    struct ets_findings findings;
    struct ets_inspection *inspection = inspect(ets_file_bytes(file), options);
    ets_arena_init(&arena, NULL, 0);
    const struct ets_findings_subject subject = {.inspection = inspection};
    assert_int_equal(ets_findings_collect(&arena, &subject, &findings, NULL), ETS_OK);
    const struct ets_finding *finding = find(&findings, kind);
    if (sentence == NULL) assert_null(finding);
    else assert_non_null(finding);
    if (sentence != NULL) assert_text(finding->sentence, sentence);
    ets_arena_reset(&arena);
    ets_inspection_close(inspection);
    ets_file_close(file);
}

static void test_findings__of_damaged_traces(void **state)
{
    (void)state;
    const struct ets_inspect_options partial = {.partial = 1};
    assert_trace("types/debug.etdp", partial, "damage",
                 "1 part of the trace is damaged, at byte 32: the table of runs holds events: "
                 "ETDumpGen writes this after a float16 or bfloat16 tensor. Events were found one "
                 "by one; those tensors are lost");
    assert_trace("mlp_portable/profile.etdp", partial, "damage", NULL);
    assert_trace("mlp_portable/profile.etdp", partial, "lost_events", NULL);
    assert_trace("mlp_portable/profile.etdp", partial, "delegate_clock", NULL);
    assert_trace("mlp_portable/profile.etdp", partial, "other_program", NULL);
    assert_trace("mlp_portable/profile.etdp", partial, "not_joined", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings__the_clean_trace_has_a_good_one_and_what_takes_its_time),
        cmocka_unit_test(test_findings__where_time_goes),
        cmocka_unit_test(test_findings__time_that_a_delegate_does_not_report),
        cmocka_unit_test(test_findings__a_clock_that_is_not_the_traces),
        cmocka_unit_test(test_findings__runs),
        cmocka_unit_test(test_findings__of_a_program),
        cmocka_unit_test(test_findings__of_values_that_agree),
        cmocka_unit_test(test_findings__of_damaged_traces),
        cmocka_unit_test(test_findings__say_nothing_of_operators_that_no_run_recorded),
        cmocka_unit_test(test_findings__are_ordered_by_what_they_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
