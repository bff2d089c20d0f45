/* Tensors of a plan in every order, who is alive at a step, and live bytes by instruction. */
#include "test_files_support.h"

#include "views/memory_lines.h"
#include "views/memory_steps.h"

struct subject {
    struct ets_file *file;
    struct ets_program program;
    struct ets_arena arena;
    struct ets_memory_plan plan;
};

static struct subject *open_subject(const char *name)
{
    struct subject *s = malloc(sizeof *s);
    struct ets_method method;
    assert_non_null(s);
    s->file = open_file(name);
    assert_int_equal(ets_program_init(&s->program, ets_file_bytes(s->file), NULL), ETS_OK);
    ets_program_method(&s->program, 0, &method);
    ets_arena_init(&s->arena, NULL, 0);
    assert_int_equal(ets_memory_plan_init(&s->plan, &method, &s->arena, NULL), ETS_OK);
    return s;
}

static void close_subject(struct subject *s)
{
    ets_arena_reset(&s->arena);
    ets_file_close(s->file);
    free(s);
}

static struct ets_memory_lines collect(struct subject *s, struct ets_memory_options options)
{
    struct ets_memory_lines lines;
    assert_true(ets_memory_lines_collect(&s->arena, &s->plan, &options, &lines));
    return lines;
}

static void expect_values(const struct ets_memory_lines *lines, const uint32_t *values,
                          uint32_t count)
{
    assert_int_equal(lines->count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(lines->items[i].tensor->value, values[i]);
    }
}

static void test_memory_lines__orders(void **state)
{
    (void)state;
    static const uint32_t values[][7] = {
        [ETS_MEMORY_BY_PEAK] = {5, 9, 4, 13, 12, 17, 20},
        [ETS_MEMORY_BY_BYTES] = {5, 13, 9, 12, 4, 17, 20},
        [ETS_MEMORY_BY_OFFSET] = {5, 13, 20, 12, 9, 17, 4},
        [ETS_MEMORY_BY_FIRST] = {4, 5, 9, 12, 13, 17, 20},
        [ETS_MEMORY_BY_VALUE] = {4, 5, 9, 12, 13, 17, 20},
    };
    struct subject *s = open_subject("mlp_portable/model.pte");
    for (uint32_t order = 0; order < COUNT(values); order++) {
        const struct ets_memory_lines lines =
            collect(s, (struct ets_memory_options){.order = (enum ets_memory_order)order});
        expect_values(&lines, values[order], COUNT(values[order]));
        assert_int_equal(lines.at_peak.count, 3);
        assert_int_equal(lines.at_peak.bytes, 2432);
        assert_int_equal(lines.holders.count, 2);
        assert_int_equal(lines.holders.bytes, 2048 + 256);
        assert_int_equal(lines.constants.count, 4);
    }
    close_subject(s);
}

/* The peak's numbers stay, whatever is listed. */
static void test_memory_lines__alive_at_a_step(void **state)
{
    (void)state;
    static const uint32_t values[] = {13, 12};
    struct subject *s = open_subject("mlp_portable/model.pte");
    const struct ets_memory_lines lines =
        collect(s, (struct ets_memory_options){.only_at = true, .at = 3});
    expect_values(&lines, values, COUNT(values));
    assert_int_equal(lines.step, 3);
    assert_true(lines.items[0].is_at_peak);
    assert_int_equal(lines.holders.count, 2);
    close_subject(s);
}

/* Bytes that views show count once. */
static void test_memory_lines__views_hold_nothing_of_their_own(void **state)
{
    (void)state;
    struct subject *s = open_subject("gpt_portable/model.pte");
    const struct ets_memory_lines lines = collect(s, (struct ets_memory_options){.all = true});
    assert_int_equal(lines.at_peak.bytes, s->plan.peak_bytes);
    assert_int_equal(lines.count, s->plan.tensor_count);
    close_subject(s);
}

static void test_memory_lines__steps(void **state)
{
    (void)state;
    struct subject *s = open_subject("mlp_portable/model.pte");
    struct ets_memory_steps steps;
    assert_true(ets_memory_steps_collect(&s->arena, &s->plan, NULL, 0, &steps));
    assert_int_equal(steps.count, 6);
    uint64_t begun = 0, ended = 0;
    for (uint32_t i = 0; i < steps.count; i++) {
        begun += steps.items[i].new_bytes;
        assert_int_equal(steps.items[i].live_bytes, begun - ended); /* no byte is shared here */
        ended += steps.items[i].done_bytes;
    }
    assert_int_equal(begun, ended);
    assert_int_equal(steps.items[1].tensor_count, 3);
    assert_true(ets_memory_steps_collect(&s->arena, &s->plan, NULL, 2, &steps));
    assert_int_equal(steps.count, 2);
    assert_int_equal(steps.items[0].step, 0);
    assert_int_equal(steps.items[1].step, 1);
    close_subject(s);
}

/* A sentence ends where its room does. */
static void test_memory_lines__sentences_fit_their_room(void **state)
{
    (void)state;
    struct subject *s = open_subject("gpt_xnnpack/model.pte");
    const struct ets_memory_lines lines = collect(s, (struct ets_memory_options){.all = false});
    char whole[1024], part[1024];
    const size_t size = ets_memory_headline(&lines, whole, sizeof whole);
    assert_int_equal(size, strlen(whole));
    for (size_t room = 1; room <= size; room++) {
        memset(part, '!', sizeof part);
        const size_t used = ets_memory_headline(&lines, part, room);
        assert_true(used < room);
        assert_int_equal(part[used], '\0');
        assert_memory_equal(part, whole, used);
        assert_int_equal(part[room], '!');
    }
    close_subject(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_lines__orders),
        cmocka_unit_test(test_memory_lines__alive_at_a_step),
        cmocka_unit_test(test_memory_lines__views_hold_nothing_of_their_own),
        cmocka_unit_test(test_memory_lines__steps),
        cmocka_unit_test(test_memory_lines__sentences_fit_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
