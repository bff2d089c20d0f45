/* What a prompt's first run takes beyond what decode explains. */
#include "test_recorded_runs.h"

#include "views/first_use.h"

enum { RUNS = 6, TOKENS = 8 };

/* What is said of a prompt whose instruction took `prompt` ticks, and 100 for a token of decode. */
static void say(char *text, size_t room, uint64_t prompt, uint64_t rest, enum ets_run_stage stage)
{
    static uint8_t bytes[TRACE_BYTES];
    const struct ets_text method = {"forward", 7};
    struct ets_run_tokens told[RUNS];
    uint64_t ticks[RUNS], inner[RUNS];
    size_t size;
    for (uint32_t i = 0; i < RUNS; i++) {
        inner[i] = i == 0 ? prompt : 100;
        ticks[i] = i == 0 ? rest : 400;
        told[i] = i == 0 ? (struct ets_run_tokens){method, i, stage, TOKENS, 0}
                         : (struct ets_run_tokens){method, i, ETS_STAGE_DECODE, 1, 7 + i};
    }
    uint8_t *grown =
        with_entries(record_instructions(bytes, ticks, inner, RUNS), told, RUNS, &size);
    struct ets_inspection *inspection =
        inspect((struct ets_bytes){grown, size}, (struct ets_inspect_options){.record = NULL});
    struct ets_arena arena;
    struct ets_text_builder out = {text, room, 0};
    ets_arena_init(&arena, NULL, 0);
    text[0] = '\0';
    for (uint32_t block = 0; block < ets_inspection_block_count(inspection); block++) {
        assert_true(ets_add_first_use(&arena, inspection, block, 1, &out));
    }
    ets_arena_reset(&arena);
    ets_inspection_close(inspection);
    free(grown);
}

static void first_use__is_said_where_decode_does_not_explain_it(void **state)
{
    (void)state;
    char text[512];
    say(text, sizeof text, 50000, 10000, ETS_STAGE_PREFILL);
    assert_string_equal(text,
                        "instruction 3 (mul.out) took 50 us for 8 tokens, but at most 100 ns "
                        "for a token of decode: most of it is not the prompt's work, but "
                        "perhaps the first use in the process, or a pause of the machine; a second "
                        "prompt in the process tells them apart");
}

static void first_use__of_what_a_prompt_may_take_is_not_said(void **state)
{
    (void)state;
    char text[512];
    /* Three times as long as 8 tokens of decode, a small part of the run, another stage. */
    say(text, sizeof text, 2400, 10000, ETS_STAGE_PREFILL);
    assert_string_equal(text, "");
    say(text, sizeof text, 3000, 40000, ETS_STAGE_PREFILL);
    assert_string_equal(text, "");
    say(text, sizeof text, 50000, 10000, ETS_STAGE_ENCODE);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_use__is_said_where_decode_does_not_explain_it),
        cmocka_unit_test(first_use__of_what_a_prompt_may_take_is_not_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
