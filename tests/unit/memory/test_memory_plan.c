/* Arenas, places and lifetimes of exported programs, against numbers found by other means. */
#include "test_files_support.h"

#include "memory/memory_plan.h"

struct subject {
    struct ets_file *file;
    struct ets_program program;
    struct ets_arena arena;
    struct ets_memory_plan plan;
};

static void open_plan(struct subject *s, const char *name, const char *method_name)
{
    struct ets_method method;
    struct ets_error error = {.message = ""};
    s->file = open_file(name);
    assert_int_equal(ets_program_init(&s->program, ets_file_bytes(s->file), &error), ETS_OK);
    assert_int_equal(ets_program_find_method(&s->program, method_name, &method, &error), ETS_OK);
    ets_arena_init(&s->arena, NULL, 0);
    if (ets_memory_plan_init(&s->plan, &method, &s->arena, &error) != ETS_OK) {
        fail_msg("%s: %s", name, error.message);
    }
}

static void close_plan(struct subject *s)
{
    ets_arena_reset(&s->arena);
    ets_file_close(s->file);
}

struct expected {
    uint32_t value;
    enum ets_plan_kind kind;
    uint64_t offset, bytes;
    uint32_t first, last, producer, readers;
};

static void expect_tensor(const struct ets_memory_plan *plan, const struct expected *expected)
{
    const struct ets_plan_tensor *tensor = &plan->tensors[plan->tensor_of[expected->value]];
    assert_int_equal(tensor->value, expected->value);
    assert_int_equal(tensor->kind, expected->kind);
    assert_int_equal(tensor->arena, 0);
    assert_int_equal(tensor->offset, expected->offset);
    assert_int_equal(tensor->bytes, expected->bytes);
    assert_int_equal(tensor->first, expected->first);
    assert_int_equal(tensor->last, expected->last);
    assert_int_equal(tensor->producer, expected->producer);
    assert_int_equal(tensor->reader_count, expected->readers);
}

/* The planner placed these at export time; lifetimes follow from six instructions. */
static void test_memory_plan__mlp_has_the_planners_places(void **state)
{
    (void)state;
    struct subject s;
    static const struct expected tensors[] = {
        {4, ETS_PLAN_INPUT, 2304, 128, 0, 1, ETS_PLAN_NONE, 1},
        {5, ETS_PLAN_INTERMEDIATE, 0, 2048, 0, 1, 0, 1},
        {9, ETS_PLAN_INTERMEDIATE, 2048, 256, 1, 2, 1, 1},
        {12, ETS_PLAN_INTERMEDIATE, 512, 256, 2, 4, 2, 1},
        {13, ETS_PLAN_INTERMEDIATE, 0, 512, 3, 4, 3, 1},
        {17, ETS_PLAN_INTERMEDIATE, 2048, 32, 4, 5, 4, 1},
        {20, ETS_PLAN_OUTPUT, 0, 32, 5, 5, 5, 0},
    };
    static const uint64_t live[] = {2048 + 128, 2048 + 256 + 128, 256 + 256,
                                    256 + 512,  256 + 512 + 32,   32 + 32};
    open_plan(&s, "mlp_portable/model.pte", "forward");
    assert_int_equal(s.plan.arena_count, 1);
    assert_int_equal(s.plan.arenas[0].planned.bytes, 2432);
    assert_int_equal(s.plan.arenas[0].tensor_count, COUNT(tensors));
    assert_int_equal(s.plan.arenas[0].slack_bytes, 0);
    for (size_t i = 0; i < COUNT(tensors); i++) expect_tensor(&s.plan, &tensors[i]);
    assert_int_equal(s.plan.step_count, COUNT(live));
    for (uint32_t i = 0; i < COUNT(live); i++) assert_int_equal(s.plan.live[i], live[i]);
    assert_int_equal(s.plan.peak_bytes, 2432);
    assert_int_equal(s.plan.peak_step, 1);
    close_plan(&s);
}

/*
 * Both branches are written at the same bytes, and the input is needed by one or the other. The
 * output's own bytes stay unused: a move makes it value 19, or 27.
 */
static void test_memory_plan__branches_share_bytes(void **state)
{
    (void)state;
    struct subject s;
    static const struct expected tensors[] = {
        {12, ETS_PLAN_INTERMEDIATE, 0, 64, 3, 4, 3, 1},
        {20, ETS_PLAN_INTERMEDIATE, 0, 64, 8, 9, 8, 1},
        {11, ETS_PLAN_OUTPUT, 80, 16, ETS_PLAN_NONE, ETS_PLAN_NONE, 6, 0},
        {19, ETS_PLAN_INTERMEDIATE, 0, 16, 5, 7, 5, 1},
        {27, ETS_PLAN_INTERMEDIATE, 0, 16, 10, 11, 10, 1},
        {4, ETS_PLAN_INPUT, 112, 16, 0, 9, ETS_PLAN_NONE, 3},
    };
    static const uint64_t live[] = {16 + 4,       16 + 4 + 1,   16 + 1,  64 + 16,
                                    64 + 16 + 16, 16 + 16,      16,      16,
                                    64 + 16,      64 + 16 + 16, 16 + 16, 16};
    open_plan(&s, "cond/model.pte", "forward");
    for (size_t i = 0; i < COUNT(tensors); i++) expect_tensor(&s.plan, &tensors[i]);
    const struct ets_plan_tensor *input = &s.plan.tensors[s.plan.tensor_of[4]];
    assert_int_equal(input->piece_count, 2);
    assert_int_equal(input->pieces[0].last, 4);
    assert_int_equal(input->pieces[1].first, 8);
    assert_int_equal(s.plan.step_count, COUNT(live));
    for (uint32_t i = 0; i < COUNT(live); i++) assert_int_equal(s.plan.live[i], live[i]);
    assert_int_equal(s.plan.peak_bytes, 96);
    assert_int_equal(s.plan.peak_step, 4);
    assert_false(s.plan.has_branches);
    close_plan(&s);
}

/* What is read in each turn of a loop lives through it; what a turn makes and uses does not. */
static void test_memory_plan__loops_extend_lifetimes(void **state)
{
    (void)state;
    struct subject s;
    static const struct expected tensors[] = {
        {1, ETS_PLAN_INPUT, 224, 96, 0, 8, ETS_PLAN_NONE, 2},
        {2, ETS_PLAN_OUTPUT, 128, 96, 1, 9, 5, 0},
        {8, ETS_PLAN_INTERMEDIATE, 64, 32, 2, 3, 2, 1},
        {10, ETS_PLAN_INTERMEDIATE, 0, 32, 4, 5, 4, 1},
    };
    open_plan(&s, "map_loop/model.pte", "forward");
    assert_int_equal(s.plan.loop_count, 1);
    assert_false(s.plan.has_branches);
    assert_int_equal(s.plan.loops[0].first, 1);
    assert_int_equal(s.plan.loops[0].last, 8);
    assert_int_equal(s.plan.loops[0].parent, ETS_PLAN_NONE);
    for (size_t i = 0; i < COUNT(tensors); i++) expect_tensor(&s.plan, &tensors[i]);
    assert_true(s.plan.is_upper_bound);
    close_plan(&s);
}

/* A buffer without a start value is what is read first and written back at the end. */
static void test_memory_plan__mutable_buffers_live_all_the_time(void **state)
{
    (void)state;
    struct subject s;
    static const struct expected cache = {0, ETS_PLAN_BUFFER, 64, 32, 0, 3, 3, 2};
    open_plan(&s, "state/cache.pte", "forward");
    expect_tensor(&s.plan, &cache);
    assert_int_equal(s.plan.peak_bytes, 96);
    close_plan(&s);
    /* Set by another method, in an arena that all share. */
    open_plan(&s, "state/shared.pte", "get_state");
    assert_int_equal(s.plan.tensors[0].kind, ETS_PLAN_BUFFER);
    assert_int_equal(s.plan.tensors[0].arena, 1);
    assert_int_equal(s.plan.step_count, 1);
    assert_int_equal(s.plan.arenas[1].peak_bytes, 4);
    close_plan(&s);
}

/* Value 59 is 56 as [1, 16, 192]: no instruction writes it. */
static void test_memory_plan__views_live_with_what_they_show(void **state)
{
    (void)state;
    struct subject s;
    open_plan(&s, "gpt_portable/model.pte", "forward");
    const struct ets_plan_tensor *view = &s.plan.tensors[s.plan.tensor_of[59]];
    const uint32_t base = s.plan.tensor_of[56];
    assert_int_equal(view->base, base);
    assert_int_equal(view->kind, ETS_PLAN_INTERMEDIATE);
    assert_int_equal(view->producer, 6);
    assert_int_equal(view->first, 6);
    assert_int_equal(view->last, 7);
    assert_int_equal(s.plan.tensors[base].last, 7);
    const struct ets_plan_tensor *output = &s.plan.tensors[s.plan.tensor_of[459]];
    assert_true(output->is_output);
    for (uint32_t t = 0; t < s.plan.tensor_count; t++) {
        assert_int_not_equal(s.plan.tensors[t].kind, ETS_PLAN_BUFFER);
    }
    close_plan(&s);
}

static void test_memory_plan__xnnpack_padding_is_slack(void **state)
{
    (void)state;
    struct subject s;
    open_plan(&s, "mlp_xnnpack/model.pte", "forward");
    assert_int_equal(s.plan.arenas[0].planned.bytes, 224);
    assert_int_equal(s.plan.arenas[0].end_bytes, 160);
    assert_int_equal(s.plan.arenas[0].slack_bytes, 64);
    close_plan(&s);
}

/* What is live never exceeds its arena, and the levels agree with a count byte by byte. */
static void check_levels(const struct ets_memory_plan *plan)
{
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        const struct ets_plan_arena *arena = &plan->arenas[a];
        assert_true(arena->end_bytes + arena->slack_bytes <= arena->planned.bytes);
        assert_true(arena->peak_bytes <= arena->end_bytes);
        if (arena->live == NULL || arena->planned.bytes > (1 << 20)) continue;
        uint8_t *used = malloc((size_t)arena->planned.bytes + 1);
        assert_non_null(used);
        for (uint32_t step = 0; step < plan->step_count; step++) {
            uint64_t live = 0;
            memset(used, 0, (size_t)arena->planned.bytes);
            for (uint32_t i = 0; i < arena->tensor_count; i++) {
                const struct ets_plan_tensor *tensor = &plan->tensors[arena->tensors[i]];
                if (!ets_plan_is_live(tensor, step)) continue;
                memset(used + tensor->offset, 1, (size_t)tensor->bytes);
            }
            for (uint64_t b = 0; b < arena->planned.bytes; b++) live += used[b];
            assert_int_equal(arena->live[step], live);
        }
        free(used);
    }
}

static void test_memory_plan__levels_are_the_union_of_live_bytes(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT(fixture_models); m++) {
        struct ets_file *file = open_fixture(fixture_models[m], "model.pte");
        struct ets_program program;
        assert_int_equal(ets_program_init(&program, ets_file_bytes(file), NULL), ETS_OK);
        for (uint32_t i = 0; i < program.method_count; i++) {
            struct ets_method method;
            struct ets_memory_plan plan;
            struct ets_arena arena;
            ets_program_method(&program, i, &method);
            ets_arena_init(&arena, NULL, 0);
            assert_int_equal(ets_memory_plan_init(&plan, &method, &arena, NULL), ETS_OK);
            check_levels(&plan);
            for (uint32_t o = 0; o < plan.overlap_count; o++) {
                assert_int_not_equal(plan.overlaps[o].kind, ETS_PLAN_OVERWRITE);
            }
            ets_arena_reset(&arena);
        }
        ets_file_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_plan__mlp_has_the_planners_places),
        cmocka_unit_test(test_memory_plan__branches_share_bytes),
        cmocka_unit_test(test_memory_plan__loops_extend_lifetimes),
        cmocka_unit_test(test_memory_plan__mutable_buffers_live_all_the_time),
        cmocka_unit_test(test_memory_plan__views_live_with_what_they_show),
        cmocka_unit_test(test_memory_plan__xnnpack_padding_is_slack),
        cmocka_unit_test(test_memory_plan__levels_are_the_union_of_live_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
