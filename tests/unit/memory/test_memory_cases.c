/* Lifetimes, views, overlaps and findings of small programs whose plans are known by hand. */
#include "test_files_support.h"

#include "test_faults_support.h"

#include "memory/memory_plan.h"
#include "output/table/memory_table.h"
#include "views/memory_findings.h"

enum { NONE = ETS_PLAN_NONE };

struct subject {
    struct ets_file *file;
    struct ets_program program;
    struct ets_arena arena;
    struct ets_memory_plan plan;
};

static struct subject *open_case(const char *method_name)
{
    struct subject *s = malloc(sizeof *s);
    struct ets_method method;
    struct ets_error error = {.message = ""};
    assert_non_null(s);
    s->file = open_file("plans/cases.pte");
    assert_int_equal(ets_program_init(&s->program, ets_file_bytes(s->file), &error), ETS_OK);
    assert_int_equal(ets_program_find_method(&s->program, method_name, &method, &error), ETS_OK);
    ets_arena_init(&s->arena, NULL, 0);
    if (ets_memory_plan_init(&s->plan, &method, &s->arena, &error) != ETS_OK) {
        fail_msg("%s: %s", method_name, error.message);
    }
    return s;
}

static void close_case(struct subject *s)
{
    ets_arena_reset(&s->arena);
    ets_file_close(s->file);
    free(s);
}

struct expected {
    uint32_t value;
    enum ets_plan_kind kind;
    uint32_t first, last, base; /* base: a value */
};

static void expect(const struct ets_memory_plan *plan, const struct expected *expected,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[plan->tensor_of[expected[i].value]];
        assert_int_equal(tensor->kind, expected[i].kind);
        assert_int_equal(tensor->first, expected[i].first);
        assert_int_equal(tensor->last, expected[i].last);
        assert_int_equal(tensor->base == NONE ? NONE : plan->tensors[tensor->base].value,
                         expected[i].base);
    }
}

#define EXPECT(plan, ...)                                      \
    do {                                                       \
        static const struct expected expected[] = __VA_ARGS__; \
        expect((plan), expected, COUNT(expected));             \
    } while (0)

static void test_memory_cases__peak_is_what_it_is_by_hand(void **state)
{
    (void)state;
    struct subject *s = open_case("known");
    static const uint64_t live[] = {16 + 32, 32 + 64, 32 + 64 + 16};
    assert_int_equal(s->plan.step_count, COUNT(live));
    for (uint32_t i = 0; i < COUNT(live); i++) assert_int_equal(s->plan.live[i], live[i]);
    assert_int_equal(s->plan.peak_step, 2);
    assert_int_equal(s->plan.planned_bytes, 160);
    assert_int_equal(s->plan.arenas[0].end_bytes, 128);
    assert_int_equal(s->plan.arenas[0].bound_bytes, 112);
    assert_int_equal(s->plan.alignment, 16);
    assert_int_equal(s->plan.overlap_count, 0);
    close_case(s);
}

static void test_memory_cases__loops_in_loops(void **state)
{
    (void)state;
    struct subject *s = open_case("loops");
    assert_int_equal(s->plan.loop_count, 2);
    assert_int_equal(s->plan.loops[0].first, 1);
    assert_int_equal(s->plan.loops[0].last, 6);
    assert_int_equal(s->plan.loops[1].first, 2);
    assert_int_equal(s->plan.loops[1].last, 4);
    assert_int_equal(s->plan.loops[1].parent, 0);
    static const uint32_t loop_of[] = {NONE, 0, 1, 1, 1, 0, 0, NONE};
    for (uint32_t i = 0; i < COUNT(loop_of); i++) assert_int_equal(s->plan.loop_of[i], loop_of[i]);
    EXPECT(&s->plan, {{0, ETS_PLAN_INPUT, 0, 0, NONE},
                      {1, ETS_PLAN_OUTPUT, 0, 7, NONE},
                      {2, ETS_PLAN_INTERMEDIATE, 1, 5, NONE},
                      {3, ETS_PLAN_INTERMEDIATE, 2, 3, NONE}});
    close_case(s);
}

static void expect_overlap(const struct ets_memory_plan *plan, enum ets_plan_overlap_kind kind,
                           uint32_t tensor, uint32_t older, uint32_t step)
{
    assert_int_equal(plan->overlap_count, 1);
    assert_int_equal(plan->overlaps[0].kind, kind);
    assert_int_equal(plan->tensors[plan->overlaps[0].tensor].value, tensor);
    assert_int_equal(plan->tensors[plan->overlaps[0].older].value, older);
    assert_int_equal(plan->overlaps[0].step, step);
}

/* The only finding of a plan, in words; or none. */
static void expect_finding(struct subject *s, const char *text, uint32_t mistakes)
{
    struct ets_memory_findings findings;
    char found[256] = "";
    assert_true(ets_memory_findings_collect(&s->arena, &s->plan, &findings));
    assert_int_equal(findings.count, text == NULL ? 0 : 1);
    assert_int_equal(findings.mistakes, mistakes);
    if (text == NULL) return;
    const size_t size = ets_memory_finding_print(&s->plan, findings.items, found, sizeof found);
    assert_int_equal(size, strlen(found));
    assert_string_equal(found, text);
}

static void test_memory_cases__results_in_place_are_aliases(void **state)
{
    (void)state;
    struct subject *s = open_case("in_place");
    expect_overlap(&s->plan, ETS_PLAN_IN_PLACE, 2, 1, 1);
    expect_finding(s, NULL, 0);
    assert_int_equal(s->plan.live[1], 16);
    close_case(s);
}

static void test_memory_cases__overwriting_what_is_needed_is_a_mistake(void **state)
{
    (void)state;
    struct subject *s = open_case("overwritten");
    expect_overlap(&s->plan, ETS_PLAN_OVERWRITE, 2, 1, 1);
    expect_finding(
        s,
        "instruction 1 writes value 2 (bytes 24 to 31 of memory 1) over value 1 (bytes 16 "
        "to 31 of memory 1), which is needed until instruction 2",
        1);
    close_case(s);
    s = open_case("scratch"); /* two results of one kernel */
    expect_overlap(&s->plan, ETS_PLAN_OVERWRITE, 2, 1, 0);
    close_case(s);
}

static void test_memory_cases__views_are_no_tensors_of_their_own(void **state)
{
    (void)state;
    struct subject *s = open_case("views");
    EXPECT(&s->plan, {{1, ETS_PLAN_INTERMEDIATE, 0, 1, NONE},
                      {2, ETS_PLAN_INTERMEDIATE, 0, 1, 1},
                      {3, ETS_PLAN_OUTPUT, 0, 1, 1}});
    assert_int_equal(s->plan.overlap_count, 0);
    assert_int_equal(s->plan.peak_bytes, 16 + 32);
    close_case(s);
}

static void test_memory_cases__what_delegates_take(void **state)
{
    (void)state;
    struct subject *s = open_case("delegate_view");
    EXPECT(&s->plan, {{2, ETS_PLAN_INTERMEDIATE, 0, 1, 1}, {3, ETS_PLAN_OUTPUT, 1, 1, NONE}});
    assert_int_equal(s->plan.overlap_count, 0);
    close_case(s);
    s = open_case("delegate_undecided");
    expect_overlap(&s->plan, ETS_PLAN_UNDECIDED, 2, 1, 1);
    expect_finding(
        s,
        "instruction 1 gives a delegate value 2 (bytes 16 to 31 of memory 1), the bytes "
        "of value 1 (bytes 16 to 31 of memory 1), which is needed until instruction 2: a "
        "view, or a mistake of the plan",
        0);
    close_case(s);
}

/* XNNPACK's payload tells what goes in and out. */
static void test_memory_cases__payloads_tell_what_delegates_take(void **state)
{
    (void)state;
    struct subject *s = open_case("delegate_told");
    EXPECT(&s->plan, {{1, ETS_PLAN_INTERMEDIATE, 0, 3, NONE},
                      {2, ETS_PLAN_INTERMEDIATE, 0, 2, 1},
                      {4, ETS_PLAN_INTERMEDIATE, 2, 3, NONE}});
    expect_finding(s, NULL, 0);
    close_case(s);
}

static void test_memory_cases__reading_what_nothing_writes_is_a_mistake(void **state)
{
    (void)state;
    struct subject *s = open_case("unwritten");
    expect_finding(
        s, "instruction 0 reads value 1 (bytes 16 to 31 of memory 1), which nothing writes", 1);
    close_case(s);
}

static void test_memory_cases__what_is_not_planned_has_no_arena(void **state)
{
    (void)state;
    struct subject *s = open_case("beside");
    EXPECT(&s->plan, {{0, ETS_PLAN_INPUT, 0, 0, NONE},
                      {1, ETS_PLAN_OUTPUT, 1, 1, NONE},
                      {2, ETS_PLAN_CONSTANT, 0, 0, NONE},
                      {4, ETS_PLAN_UNUSED, NONE, NONE, NONE},
                      {5, ETS_PLAN_INTERMEDIATE, 1, 1, NONE}});
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(s->plan.tensors[i].arena, NONE);
    assert_int_equal(s->plan.peak_bytes, 16);
    expect_finding(s, NULL, 0);
    close_case(s);
}

static void test_memory_cases__a_method_without_instructions(void **state)
{
    (void)state;
    struct subject *s = open_case("nothing");
    EXPECT(&s->plan, {{0, ETS_PLAN_INPUT, 0, 0, NONE}});
    assert_int_equal(s->plan.step_count, 1);
    assert_int_equal(s->plan.live[0], 16);
    close_case(s);
}

static void test_memory_cases__arenas_of_devices(void **state)
{
    (void)state;
    struct subject *s = open_case("devices");
    assert_int_equal(s->plan.arena_count, 2);
    assert_int_equal(s->plan.arenas[0].planned.device_type, ETS_DEVICE_CPU);
    assert_int_equal(s->plan.arenas[1].planned.device_type, ETS_DEVICE_CUDA);
    assert_int_equal(s->plan.arenas[0].peak_bytes, 16);
    assert_int_equal(s->plan.arenas[1].peak_bytes, 32);
    assert_int_equal(s->plan.live[0], 48);
    expect_finding(s, NULL, 0);
    close_case(s);
}

static const struct ets_plan_tensor *tensor_of(const struct subject *s, uint32_t value)
{
    return &s->plan.tensors[s->plan.tensor_of[value]];
}

static void expect_pieces(const struct subject *s, uint32_t value, bool is_conditional,
                          const struct ets_plan_piece *pieces, uint32_t count)
{
    const struct ets_plan_tensor *tensor = tensor_of(s, value);
    assert_int_equal(tensor->is_conditional, is_conditional);
    assert_int_equal(tensor->piece_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(tensor->pieces[i].first, pieces[i].first);
        assert_int_equal(tensor->pieces[i].last, pieces[i].last);
    }
}

#define EXPECT_PIECES(s, value, is_conditional, ...)                          \
    do {                                                                      \
        static const struct ets_plan_piece pieces[] = __VA_ARGS__;            \
        expect_pieces((s), (value), (is_conditional), pieces, COUNT(pieces)); \
    } while (0)

static void expect_live(const struct subject *s, const uint64_t *live, uint32_t count)
{
    assert_int_equal(s->plan.step_count, count);
    for (uint32_t i = 0; i < count; i++) assert_int_equal(s->plan.live[i], live[i]);
}

/* Value 1 is needed by the second branch only, 2 by the first. */
static void test_memory_cases__branches_leave_gaps(void **state)
{
    (void)state;
    struct subject *s = open_case("branch");
    static const uint64_t live[] = {17, 33, 49, 33, 32, 16, 32, 32};
    EXPECT_PIECES(s, 0, false, {{0, 2}});
    EXPECT_PIECES(s, 1, false, {{1, 3}, {6, 6}});
    EXPECT_PIECES(s, 2, false, {{2, 4}});
    EXPECT_PIECES(s, 3, false, {{4, 7}});
    expect_live(s, live, COUNT(live));
    assert_int_equal(s->plan.peak_step, 2);
    assert_false(s->plan.has_branches);
    expect_finding(s, NULL, 0);
    close_case(s);
}

/* At the end value 6 is 2, 3 or 0: each run has the bytes of one, and all three are counted. */
static void test_memory_cases__branches_in_branches_choose(void **state)
{
    (void)state;
    struct subject *s = open_case("branches");
    static const uint64_t live[] = {17, 18, 18, 17, 32, 16, 16, 32, 16, 16, 32, 16, 64};
    EXPECT_PIECES(s, 0, true, {{0, 4}, {7, 7}, {9, 10}, {12, 12}});
    EXPECT_PIECES(s, 2, true, {{4, 6}, {10, 10}, {12, 12}});
    EXPECT_PIECES(s, 3, true, {{7, 8}, {11, 12}});
    assert_int_equal(tensor_of(s, 6)->piece_count, 0);
    expect_live(s, live, COUNT(live));
    assert_true(s->plan.has_branches);
    expect_finding(s, NULL, 0);
    close_case(s);
}

/* Which result of two it is, is not known; how many bytes are in use is. */
static void test_memory_cases__a_choice_of_the_same_bytes_is_exact(void **state)
{
    (void)state;
    struct subject *s = open_case("choice");
    static const uint64_t live[] = {17, 32, 32, 32, 32, 32, 48};
    EXPECT_PIECES(s, 0, false, {{0, 6}});
    EXPECT_PIECES(s, 2, true, {{1, 3}, {6, 6}});
    EXPECT_PIECES(s, 3, true, {{4, 6}});
    expect_live(s, live, COUNT(live));
    assert_int_equal(s->plan.peak_bytes, 48);
    assert_int_equal(s->plan.peak_step, 6);
    assert_false(s->plan.has_branches);
    expect_finding(s, NULL, 0);
    close_case(s);
}

/* As the runtime does: a move copies no bytes, so value 2 is 1, whose bytes are written anew. */
static void test_memory_cases__moves_rename(void **state)
{
    (void)state;
    struct subject *s = open_case("renamed");
    static const uint64_t live[] = {32, 16, 16, 32};
    EXPECT_PIECES(s, 1, false, {{0, 3}});
    assert_int_equal(tensor_of(s, 2)->piece_count, 0);
    expect_live(s, live, COUNT(live));
    assert_int_equal(s->plan.peak_bytes, 32);
    assert_int_equal(s->plan.peak_step, 0);
    expect_finding(s, NULL, 0);
    close_case(s);
}

/* A mistake of executorch 1.5.1's planner, in either branch of the second condition. */
static void test_memory_cases__conditions_may_overwrite_results_of_others(void **state)
{
    (void)state;
    struct subject *s = open_case("conditions");
    static const uint64_t live[] = {17, 33, 33, 33, 33, 33, 33, 48, 48, 32, 32, 32, 48};
    static const uint32_t steps[] = {7, 10};
    expect_live(s, live, COUNT(live));
    assert_int_equal(s->plan.overlap_count, COUNT(steps));
    for (uint32_t i = 0; i < COUNT(steps); i++) {
        assert_int_equal(s->plan.overlaps[i].kind, ETS_PLAN_OVERWRITE);
        assert_int_equal(s->plan.overlaps[i].step, steps[i]);
        assert_int_equal(s->plan.tensors[s->plan.overlaps[i].older].value, 2);
    }
    close_case(s);
}

static void test_memory_cases__a_method_without_end_is_a_mistake(void **state)
{
    (void)state;
    struct subject *s = open_case("endless");
    assert_true(s->plan.never_ends);
    expect_finding(s, "jumps lead back for ever: no instruction ends the method", 1);
    close_case(s);
}

/* The reader of programs does not let such plans pass; the message names the value. */
static void test_memory_cases__tensors_outside_of_arenas_are_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"plans/outside.pte.damaged", "plans/no_arena.pte.damaged"};
    for (size_t i = 0; i < COUNT(files); i++) {
        struct ets_file *file = open_file(files[i]);
        struct ets_program program;
        struct ets_error error;
        assert_int_equal(ets_program_init(&program, ets_file_bytes(file), &error), ETS_MALFORMED);
        assert_non_null(strstr(error.message, "method forward: value 1: tensor"));
        ets_file_close(file);
    }
}

/* Plan, findings and table with an allocator that fails at its n-th call: NO_MEMORY, nothing owed.
 */
static enum ets_status show_all(const struct ets_program *program, struct failing *failing)
{
    const struct ets_allocator allocator = {failing_reallocate, failing_release, failing};
    enum ets_status status = ETS_OK;
    struct ets_table *table;
    if (ets_table_open(&allocator, &table, NULL) != ETS_OK) return ETS_NO_MEMORY;
    ets_memory_table_begin(table);
    for (uint32_t i = 0; i < program->method_count && status == ETS_OK; i++) {
        struct ets_method method;
        struct ets_memory_plan plan;
        struct ets_arena arena;
        struct ets_memory_lines lines;
        const struct ets_memory_options options = {.all = true};
        ets_program_method(program, i, &method);
        ets_arena_init(&arena, &allocator, 0);
        status = ets_memory_plan_init(&plan, &method, &arena, NULL);
        if (status == ETS_OK && !ets_memory_lines_collect(&arena, &plan, &options, &lines)) {
            status = ETS_NO_MEMORY;
        }
        if (status == ETS_OK) ets_memory_table_add(table, &lines, 0);
        ets_arena_reset(&arena);
    }
    ets_table_close(table);
    return status;
}

static void test_memory_cases__every_allocation_may_fail(void **state)
{
    (void)state;
    struct ets_file *file = open_file("plans/cases.pte");
    struct ets_program program;
    assert_int_equal(ets_program_init(&program, ets_file_bytes(file), NULL), ETS_OK);
    struct failing failing = {.fail_at = ULONG_MAX};
    assert_int_equal(show_all(&program, &failing), ETS_OK);
    const unsigned long calls = failing.calls;
    assert_true(calls > 10);
    for (unsigned long i = 0; i < calls; i++) {
        failing = (struct failing){.fail_at = i};
        const enum ets_status status = show_all(&program, &failing);
        assert_true(status == ETS_NO_MEMORY || status == ETS_OK); /* the table keeps its failures */
        assert_int_equal(failing.live, 0);
    }
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_cases__peak_is_what_it_is_by_hand),
        cmocka_unit_test(test_memory_cases__loops_in_loops),
        cmocka_unit_test(test_memory_cases__results_in_place_are_aliases),
        cmocka_unit_test(test_memory_cases__overwriting_what_is_needed_is_a_mistake),
        cmocka_unit_test(test_memory_cases__views_are_no_tensors_of_their_own),
        cmocka_unit_test(test_memory_cases__what_delegates_take),
        cmocka_unit_test(test_memory_cases__payloads_tell_what_delegates_take),
        cmocka_unit_test(test_memory_cases__reading_what_nothing_writes_is_a_mistake),
        cmocka_unit_test(test_memory_cases__what_is_not_planned_has_no_arena),
        cmocka_unit_test(test_memory_cases__a_method_without_instructions),
        cmocka_unit_test(test_memory_cases__arenas_of_devices),
        cmocka_unit_test(test_memory_cases__branches_leave_gaps),
        cmocka_unit_test(test_memory_cases__branches_in_branches_choose),
        cmocka_unit_test(test_memory_cases__a_choice_of_the_same_bytes_is_exact),
        cmocka_unit_test(test_memory_cases__moves_rename),
        cmocka_unit_test(test_memory_cases__conditions_may_overwrite_results_of_others),
        cmocka_unit_test(test_memory_cases__a_method_without_end_is_a_mistake),
        cmocka_unit_test(test_memory_cases__tensors_outside_of_arenas_are_refused),
        cmocka_unit_test(test_memory_cases__every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
