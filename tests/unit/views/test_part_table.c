/* A user's parts: how they are read, refused and found. */
#include "test_inspect_support.h"

#include "base/text.h"
#include "views/part_table.h"

static enum ets_status read_table(const char *text, struct ets_arena *arena,
                                  struct ets_part_table *table, struct ets_error *error)
{
    return ets_part_table_read((struct ets_bytes){(const uint8_t *)text, strlen(text)}, arena,
                               table, error);
}

static void parts__are_found_by_module_and_operator(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_part_table table;
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(read_table("# ours\n\n*.experts.*\tMoE: experts  \r\n"
                                "op:llama::custom_sdpa* sdpa\n* the rest",
                                &arena, &table, NULL),
                     ETS_OK);
    assert_int_equal(table.count, 3);
    const struct ets_text sdpa = ets_text_of("llama::custom_sdpa.out");
    const struct ets_text add = ets_text_of("aten::add.out");
    assert_text(ets_part_table_find(&table, ets_text_of("l.0.experts.1"), sdpa), "MoE: experts");
    assert_text(ets_part_table_find(&table, ets_text_of("l.0.attn"), sdpa), "sdpa");
    assert_text(ets_part_table_find(&table, ets_text_of(""), add), "the rest");
    table.count = 2;
    assert_null(ets_part_table_find(&table, ets_text_of("l.0.attn"), add).data);
    assert_null(ets_part_table_find(NULL, ets_text_of("l.0.attn"), add).data);
    ets_arena_reset(&arena);
}

static void parts__that_are_wrong_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "no rule of a part; an example: *.experts.* MoE: experts"},
        {"# only this\n", "no rule of a part; an example: *.experts.* MoE: experts"},
        {"a b\nc\n", "line 2 \"c\": a rule must be: PATTERN PART, as in: *.experts.* MoE: experts"},
        {"op: b",
         "line 1 \"op: b\": a rule must be: PATTERN PART, as in: *.experts.* MoE: experts"},
        {"a (b)",
         "line 1 \"a (b)\": a part has at most 64 bytes, and does not begin with a "
         "parenthesis"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ets_arena arena;
        struct ets_part_table table;
        struct ets_error error;
        ets_arena_init(&arena, NULL, 0);
        assert_int_equal(read_table(wrong[i].text, &arena, &table, &error), ETS_MALFORMED);
        assert_string_equal(error.message, wrong[i].message);
        ets_arena_reset(&arena);
    }
}

static void parts__have_a_limit(void **state)
{
    (void)state;
    static char text[4 * 1001 + 1];
    struct ets_arena arena;
    struct ets_part_table table;
    for (int i = 0; i < 1001; i++) memcpy(text + 4 * i, "a b\n", 4);
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(read_table(text, &arena, &table, NULL), ETS_LIMIT);
    assert_int_equal(read_table(text + 4, &arena, &table, NULL), ETS_OK);
    ets_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts__are_found_by_module_and_operator),
        cmocka_unit_test(parts__that_are_wrong_are_refused_with_their_line),
        cmocka_unit_test(parts__have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
