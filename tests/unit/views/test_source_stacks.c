/* Stacks of source lines: their own times are those of the lines, and add up to the run. */
#include "test_model_support.h"

#include "base/text.h"
#include "test_faults_support.h"
#include "views/source_stacks.h"

struct subject {
    struct model model;
    uint32_t block; /* the first that executes */
    struct ets_arena arena;
};

struct stacks {
    struct ets_work work;
    struct ets_chosen_runs runs;
    struct ets_source_lines lines;
    struct ets_source_stacks of;
};

static void open_subject(const char *name, struct subject *s)
{
    *s = (struct subject){.block = 0};
    open_model(name, &s->model);
    while (ets_inspection_total_row(s->model.inspection, s->block) == ETS_NO_INDEX) s->block++;
    ets_arena_init(&s->arena, NULL, 0);
}

static void close_subject(struct subject *s)
{
    ets_arena_reset(&s->arena);
    close_model(&s->model);
}

static bool collect(const struct subject *s, struct ets_arena *arena, struct stacks *stacks)
{
    return ets_work_collect(arena, s->model.inspection, s->block, ETS_WORK_KNOWN, NULL,
                            &stacks->work) &&
           ets_chosen_runs_find(arena, s->model.inspection, s->block, ETS_NO_INDEX, 0,
                                &stacks->runs) &&
           ets_source_lines_collect(arena, &stacks->work, &stacks->runs, NULL, NULL, false,
                                    &stacks->lines) &&
           ets_source_stacks_collect(arena, &stacks->work, &stacks->runs, &stacks->lines,
                                     &stacks->of);
}

/* Whether a line, or one that called it, is the line of a frame. */
static bool is_below(const struct ets_source_stacks *stacks, uint32_t line,
                     const struct ets_graph_frame *frame)
{
    for (; line != ETS_NO_INDEX; line = stacks->items[line].parent) {
        const struct ets_graph_frame *own = stacks->items[line].frame;
        if (own != NULL && own->line == frame->line && ets_text_equal(own->file, frame->file)) {
            return true;
        }
    }
    return false;
}

static void check_pieces(const struct stacks *s)
{
    for (uint32_t i = 0; i < s->work.count; i++) {
        const struct ets_place *place = &s->lines.places[s->lines.place_of_piece[i]];
        const uint32_t line = s->of.line_of_piece[i];
        assert_true(line < s->of.count && s->of.items[line].has_self);
        if (place->frame != NULL) assert_true(is_below(&s->of, line, place->frame));
        else assert_true(ets_text_equal(s->of.items[line].name, place->name));
    }
}

/* A line has its own time and that of what it called, and nothing else; to the tick. */
static void check_sums(const struct subject *s, const struct stacks *stacks)
{
    struct ets_statistics expected;
    double own = 0;
    const uint32_t total = ets_inspection_total_row(s->model.inspection, s->block);
    assert_int_equal(
        ets_inspection_row_statistics(s->model.inspection, total, ETS_NO_INDEX, &expected, NULL),
        ETS_OK);
    for (uint32_t i = 0; i < stacks->of.count; i++) {
        const struct ets_stack_line *line = &stacks->of.items[i];
        double sum = line->self.statistics.total;
        for (uint32_t k = i + 1; k < stacks->of.count; k++) {
            if (stacks->of.items[k].parent != i) continue;
            assert_int_equal(stacks->of.items[k].depth, line->depth + 1);
            sum += stacks->of.items[k].inclusive.statistics.total;
        }
        own += line->self.statistics.total;
        assert_true(sum == line->inclusive.statistics.total);
        assert_true(line->parent == ETS_NO_INDEX || line->parent < i);
    }
    assert_true(own == expected.total);
}

static void test_source_stacks__own_times_are_those_of_the_lines(void **state)
{
    static const char *const models[] = {"gpt_xnnpack", "gpt_portable", "conv_xnnpack", "map_loop",
                                         "cond",        "multi_method", "mlp_xnnpack"};
    (void)state;
    for (size_t m = 0; m < COUNT(models); m++) {
        struct subject s;
        struct stacks stacks;
        open_subject(models[m], &s);
        assert_true(collect(&s, &s.arena, &stacks));
        check_pieces(&stacks);
        check_sums(&s, &stacks);
        close_subject(&s);
    }
}

static const struct ets_stack_line *line_at(const struct stacks *stacks, uint32_t line)
{
    for (uint32_t i = 0; i < stacks->of.count; i++) {
        const struct ets_stack_line *each = &stacks->of.items[i];
        if (each->frame != NULL && each->frame->line == line) return each;
    }
    return NULL;
}

static void test_source_stacks__callers_hold_what_they_call(void **state)
{
    struct subject s;
    struct stacks stacks;
    (void)state;
    open_subject("gpt_xnnpack", &s);
    assert_true(collect(&s, &s.arena, &stacks));
    const struct ets_stack_line *blocks = line_at(&stacks, 35);
    const struct ets_stack_line *attention = line_at(&stacks, 28);
    assert_non_null(blocks);
    assert_non_null(attention);
    assert_int_equal(blocks->parent, ETS_NO_INDEX); /* no code that exports models is around it */
    assert_false(blocks->has_self);
    assert_text(blocks->frame->code, "for b in s.blocks: x=b(x)");
    assert_ptr_equal(&stacks.of.items[attention->parent], blocks);
    assert_true(attention->calls_per_run < blocks->calls_per_run);
    const struct ets_stack_line *last = &stacks.of.items[stacks.of.count - 1];
    assert_text(last->name, "(between operators)");
    assert_true(last->self.middle > 0);
    close_subject(&s);
}

static void test_source_stacks__survive_every_failed_allocation(void **state)
{
    struct subject s;
    bool ok = false;
    (void)state;
    open_subject("conv_xnnpack", &s);
    for (unsigned long fail_at = 0; !ok; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct stacks stacks;
        ets_arena_init(&arena, &allocator, 0);
        ok = collect(&s, &arena, &stacks);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(fail_at < 1000);
    }
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source_stacks__own_times_are_those_of_the_lines),
        cmocka_unit_test(test_source_stacks__callers_hold_what_they_call),
        cmocka_unit_test(test_source_stacks__survive_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
