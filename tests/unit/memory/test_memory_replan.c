/* Plans made anew: by hand, and of every fixture, each checked pair by pair. */
#include "host/arena.h"
#include "memory/memory_replan.h"
#include "test_files_support.h"

enum { STEPS = 8, MOST = 16 };

/* A plan without a program: tensors of one arena. */
struct made {
    struct ets_memory_plan plan;
    struct ets_plan_arena arena;
    struct ets_plan_tensor tensors[MOST];
    struct ets_plan_piece pieces[MOST];
    uint32_t list[MOST];
    uint64_t live[STEPS];
};

static void add_tensor(struct made *made, uint64_t offset, uint64_t bytes, uint32_t first,
                       uint32_t last)
{
    const uint32_t index = made->plan.tensor_count++;
    made->tensors[index] = (struct ets_plan_tensor){.value = index,
                                                    .kind = ETS_PLAN_OUTPUT,
                                                    .offset = offset,
                                                    .bytes = bytes,
                                                    .first = first,
                                                    .last = last,
                                                    .producer = ETS_PLAN_NONE,
                                                    .base = ETS_PLAN_NONE,
                                                    .piece_count = 1};
    made->pieces[index] = (struct ets_plan_piece){first, last};
    made->list[index] = index;
    for (uint32_t s = first; s <= last; s++) made->live[s] += bytes;
    if (offset + bytes > made->arena.end_bytes) made->arena.end_bytes = offset + bytes;
}

static const struct ets_memory_plan *finish(struct made *made)
{
    made->arena.tensors = made->list;
    made->arena.tensor_count = made->plan.tensor_count;
    made->arena.live = made->live;
    made->arena.planned.bytes = made->arena.end_bytes + made->arena.slack_bytes;
    for (uint32_t s = 0; s < STEPS; s++) {
        if (made->live[s] > made->arena.peak_bytes) made->arena.peak_bytes = made->live[s];
    }
    for (uint32_t t = 0; t < made->plan.tensor_count; t++) {
        if (made->tensors[t].pieces == NULL) made->tensors[t].pieces = &made->pieces[t];
    }
    made->plan.arenas = &made->arena;
    made->plan.arena_count = 1;
    made->plan.tensors = made->tensors;
    made->plan.step_count = STEPS;
    made->plan.planned_bytes = made->arena.planned.bytes;
    return &made->plan;
}

static void replan(const struct ets_memory_plan *plan, const struct ets_replan_options *options,
                   struct ets_arena *arena, struct ets_replan *replan)
{
    struct ets_error error = {.message = ""};
    struct ets_replan_fault fault;
    if (ets_memory_replan(plan, options, arena, replan, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
    if (!ets_memory_replan_check(plan, options, replan, &fault)) {
        fail_msg("tensors %u and %u: %llu and %llu", fault.tensor, fault.other,
                 (unsigned long long)replan->offsets[fault.tensor],
                 (unsigned long long)replan->offsets[fault.other]);
    }
}

static void test_memory_replan__fills_a_gap(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_replan found;
    struct made made = {.arena = {.slack_bytes = 64}};
    const struct ets_replan_options options = {.in_place = false};
    ets_arena_init(&arena, NULL, 0);
    add_tensor(&made, 0, 256, 0, 1);
    add_tensor(&made, 256, 128, 1, 5);
    add_tensor(&made, 384, 256, 2, 5); /* could lie at 0, where the first is over */
    replan(finish(&made), &options, &arena, &found);
    assert_int_equal(found.planned_bytes, 384 + 64); /* the end is aligned already */
    assert_int_equal(found.arena_bytes[0], 384 + 64);
    ets_arena_reset(&arena);
}

/* Two tensors of branches: they are never live together, though one's first and last step span
 * the other's. */
static void test_memory_replan__branches_share_bytes(void **state)
{
    (void)state;
    static const struct ets_plan_piece pieces[] = {{0, 1}, {6, 7}};
    struct ets_arena arena;
    struct ets_replan found;
    struct made made = {.arena = {.slack_bytes = 0}};
    const struct ets_replan_options options = {.in_place = false};
    ets_arena_init(&arena, NULL, 0);
    add_tensor(&made, 0, 64, 0, 7);
    add_tensor(&made, 64, 64, 2, 5);
    made.tensors[0].pieces = pieces;
    made.tensors[0].piece_count = 2;
    for (uint32_t s = 2; s <= 5; s++) made.live[s] = 64;
    replan(finish(&made), &options, &arena, &found);
    assert_int_equal(found.planned_bytes, 64);
    ets_arena_reset(&arena);
}

static void test_memory_replan__aligns_offsets(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_replan found;
    struct made made = {.plan.step_count = STEPS};
    ets_arena_init(&arena, NULL, 0);
    add_tensor(&made, 0, 4, 0, 3);
    add_tensor(&made, 16, 4, 0, 3);
    add_tensor(&made, 32, 4, 0, 3);
    finish(&made);
    const uint32_t alignments[] = {0, 4, 64};
    const uint64_t bytes[] = {48, 12, 192};
    for (size_t i = 0; i < COUNT(alignments); i++) {
        const struct ets_replan_options options = {.alignment = alignments[i]};
        replan(&made.plan, &options, &arena, &found);
        assert_int_equal(found.planned_bytes, bytes[i]);
    }
    struct ets_error error;
    const struct ets_replan_options odd = {.alignment = 24};
    assert_int_equal(ets_memory_replan(&made.plan, &odd, &arena, &found, &error),
                     ETS_INVALID_ARGUMENT);
    ets_arena_reset(&arena);
}

static void test_memory_replan__leaves_a_tensor_out(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_replan found;
    struct made made = {.plan.step_count = STEPS};
    const struct ets_replan_options options = {.without_count = 1, .without = {1, 0}};
    ets_arena_init(&arena, NULL, 0);
    add_tensor(&made, 0, 64, 0, 4);
    add_tensor(&made, 64, 512, 1, 3);
    add_tensor(&made, 576, 64, 2, 4);
    replan(finish(&made), &options, &arena, &found);
    assert_int_equal(found.planned_bytes, 128);
    ets_arena_reset(&arena);
}

static void test_memory_replan__keeps_views_on_their_bytes(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_replan found;
    struct made made = {.plan.step_count = STEPS};
    const struct ets_replan_options options = {.in_place = false};
    ets_arena_init(&arena, NULL, 0);
    add_tensor(&made, 1024, 64, 0, 1);
    add_tensor(&made, 1024, 64, 3, 4); /* shows it later, while nothing names the first */
    add_tensor(&made, 0, 32, 2, 4);
    made.tensors[1].base = 0;
    add_tensor(&made, 2048, 64, 0, 4);
    add_tensor(&made, 2056, 8, 1, 2); /* a part of the one before */
    replan(finish(&made), &options, &arena, &found);
    assert_int_equal(found.offsets[0], found.offsets[1]);
    assert_int_equal(found.offsets[4], found.offsets[3] + 8);
    assert_true(found.planned_bytes == 160);
    ets_arena_reset(&arena);
}

static void test_memory_replan_check__finds_what_is_wrong(void **state)
{
    (void)state;
    struct ets_replan_fault fault;
    struct made made = {.plan.step_count = STEPS};
    const struct ets_replan_options options = {.in_place = false};
    add_tensor(&made, 0, 64, 0, 3);
    add_tensor(&made, 64, 64, 2, 4);
    finish(&made);
    uint64_t bytes[] = {128}, offsets[] = {0, 64};
    const uint32_t nobody[] = {ETS_PLAN_NONE, ETS_PLAN_NONE};
    const struct ets_replan given = {offsets, nobody, bytes, 128};
    assert_true(ets_memory_replan_check(&made.plan, &options, &given, &fault));
    offsets[1] = 48; /* over the end of the first, while both are live */
    assert_false(ets_memory_replan_check(&made.plan, &options, &given, &fault));
    assert_int_equal(fault.tensor, 0);
    assert_int_equal(fault.other, 1);
    offsets[1] = 80; /* beyond the arena */
    assert_false(ets_memory_replan_check(&made.plan, &options, &given, &fault));
    assert_int_equal(fault.tensor, 1);
    offsets[1] = 56; /* not aligned */
    assert_false(ets_memory_replan_check(&made.plan, &options, &given, &fault));
}

/* Checking a plan compares all pairs of its tensors, in whichever arena they lie. */
static void test_memory_replan__refuses_huge_plans(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_replan found;
    struct ets_error error = {.message = ""};
    const struct ets_memory_plan plan = {.tensor_count = 5001};
    const struct ets_replan_options options = {.in_place = false};
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_memory_replan(&plan, &options, &arena, &found, &error), ETS_LIMIT);
    assert_string_equal(error.message, "5001 tensors are too many to plan again");
    ets_arena_reset(&arena);
}

static void test_memory_replan__sums_saturate(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_replan found;
    struct made made = {.arena = {.slack_bytes = UINT64_MAX}};
    struct ets_error error = {.message = ""};
    const struct ets_replan_options options = {.in_place = false};
    ets_arena_init(&arena, NULL, 0);
    add_tensor(&made, 0, 256, 0, 1);
    finish(&made);
    assert_int_equal(ets_memory_replan(&made.plan, &options, &arena, &found, &error), ETS_OK);
    assert_true(found.arena_bytes[0] == UINT64_MAX && found.planned_bytes == UINT64_MAX);
    ets_arena_reset(&arena);
}

/* Every plan of a fixture is valid, none is below what is live at once. */
static void check_method(const struct ets_method *method, struct ets_arena *arena)
{
    struct ets_error error = {.message = ""};
    struct ets_memory_plan plan;
    struct ets_replan found, in_place;
    const struct ets_replan_options options = {.in_place = false};
    const struct ets_replan_options chains = {.in_place = true};
    if (ets_memory_plan_init(&plan, method, arena, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
    replan(&plan, &options, arena, &found);
    for (uint32_t a = 0; a < plan.arena_count; a++) {
        assert_true(found.arena_bytes[a] >= plan.arenas[a].peak_bytes);
    }
    replan(&plan, &chains, arena, &in_place);
    for (uint32_t alignment = 1; alignment <= 256; alignment *= 4) {
        const struct ets_replan_options aligned = {.alignment = alignment};
        replan(&plan, &aligned, arena, &found);
    }
    for (uint32_t t = 0; t < plan.tensor_count; t++) {
        const struct ets_replan_options without = {.without_count = 1, .without = {t, 0}};
        replan(&plan, &without, arena, &found);
    }
}

static void test_memory_replan__fixtures(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT(fixture_models); m++) {
        struct ets_error error = {.message = ""};
        struct ets_program program;
        struct ets_file *file = open_fixture(fixture_models[m], "model.pte");
        assert_int_equal(ets_program_init(&program, ets_file_bytes(file), &error), ETS_OK);
        for (uint32_t i = 0; i < program.method_count; i++) {
            struct ets_method method;
            struct ets_arena arena;
            ets_arena_init(&arena, NULL, 0);
            ets_program_method(&program, i, &method);
            check_method(&method, &arena);
            ets_arena_reset(&arena);
        }
        ets_file_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_replan__fills_a_gap),
        cmocka_unit_test(test_memory_replan__branches_share_bytes),
        cmocka_unit_test(test_memory_replan__aligns_offsets),
        cmocka_unit_test(test_memory_replan__leaves_a_tensor_out),
        cmocka_unit_test(test_memory_replan__keeps_views_on_their_bytes),
        cmocka_unit_test(test_memory_replan_check__finds_what_is_wrong),
        cmocka_unit_test(test_memory_replan__refuses_huge_plans),
        cmocka_unit_test(test_memory_replan__sums_saturate),
        cmocka_unit_test(test_memory_replan__fixtures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
