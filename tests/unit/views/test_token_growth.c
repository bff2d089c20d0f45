/* How much longer each token takes: where it is clear, and where it is not said. */
#include "test_recorded_runs.h"

#include "views/token_growth.h"

enum { TOKENS = 40 };

/* What is said of a generation whose token `i` takes base + growth * i ticks, and noise. */
static void say(char *text, size_t room, double growth, uint64_t noise, enum ets_run_stage stage)
{
    static uint8_t bytes[TRACE_BYTES];
    const struct ets_text method = {"forward", 7};
    struct ets_run_tokens told[TOKENS];
    uint64_t ticks[TOKENS];
    for (uint32_t i = 0; i < TOKENS; i++) {
        const uint64_t off = noise == 0 ? 0 : (i * i * 7919 + i * 31) % 101 % noise;
        ticks[i] = i == 0 ? 900000 : (uint64_t)(20000 + growth * i) + off;
        told[i] = (struct ets_run_tokens){method, i, stage, 1, 8 + i};
    }
    size_t size;
    uint8_t *grown = with_entries(record_runs(bytes, ticks, TOKENS), told, TOKENS, &size);
    struct ets_inspection *inspection =
        inspect((struct ets_bytes){grown, size}, (struct ets_inspect_options){.record = NULL});
    struct ets_arena arena;
    struct ets_text_builder out = {text, room, 0};
    ets_arena_init(&arena, NULL, 0);
    text[0] = '\0';
    assert_true(ets_add_token_growth(&arena, inspection, 0, 1, &out));
    ets_arena_reset(&arena);
    ets_inspection_close(inspection);
    free(grown);
}

static void growth__is_said_with_its_interval(void **state)
{
    (void)state;
    char text[256];
    say(text, sizeof text, 300, 0, ETS_STAGE_DECODE);
    assert_string_equal(text,
                        "each token takes 300 ns more than the one before (95 % interval 300 "
                        "ns), at tokens 9 to 47");
    say(text, sizeof text, -100, 0, ETS_STAGE_DECODE);
    assert_non_null(strstr(text, "each token takes 100 ns less than the one before"));
}

static void growth__that_is_not_clear_is_not_said(void **state)
{
    (void)state;
    char text[256];
    say(text, sizeof text, 0, 0, ETS_STAGE_DECODE);
    assert_string_equal(text, "");
    say(text, sizeof text, 0, 13, ETS_STAGE_DECODE);
    assert_string_equal(text, "");
    say(text, sizeof text, 300, 0, ETS_STAGE_PREFILL);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth__is_said_with_its_interval),
        cmocka_unit_test(growth__that_is_not_clear_is_not_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
