/* Sentences of traces and their trust; damage to memory. */
#include "test_inspect_support.h"
#include "test_record_support.h"

#include "advice/findings.h"
#include "base/text.h"
#include "views/trust.h"

struct subject {
    struct ets_file *dump, *record_file, *program_file;
    struct ets_etrecord *record;
    struct ets_program program;
    struct ets_inspection *inspection;
    struct ets_arena arena;
};

static void open_subject(const char *model, struct subject *s)
{
    *s = (struct subject){.dump = open_fixture(model, "profile.etdp")};
    s->record_file = open_fixture(model, "model.etrecord");
    s->record = open_record(ets_file_bytes(s->record_file));
    s->program_file = open_fixture(model, "model.pte");
    assert_int_equal(ets_program_init(&s->program, ets_file_bytes(s->program_file), NULL), ETS_OK);
    s->inspection =
        inspect(ets_file_bytes(s->dump),
                (struct ets_inspect_options){.record = s->record, .program = &s->program});
    ets_arena_init(&s->arena, NULL, 0);
}

static void close_subject(struct subject *s)
{
    ets_arena_reset(&s->arena);
    ets_inspection_close(s->inspection);
    ets_etrecord_close(s->record);
    ets_file_close(s->program_file);
    ets_file_close(s->record_file);
    ets_file_close(s->dump);
}

static void assert_sentences(const struct ets_sentences *sentences, const char *const *expected,
                             uint32_t count)
{
    assert_int_equal(sentences->count, count);
    for (uint32_t i = 0; i < count; i++) assert_text(sentences->items[i], expected[i]);
}

static void assert_headline(const char *model, struct ets_headline_options options,
                            const char *const *expected, uint32_t count)
{
    struct subject s;
    struct ets_sentences headline;
    open_subject(model, &s);
    assert_true(ets_headline_make(&s.arena, s.inspection, &options, &headline));
    assert_sentences(&headline, expected, count);
    close_subject(&s);
}

#define ASSERT_HEADLINE(model, options, ...)                        \
    do {                                                            \
        static const char *const expected[] = {__VA_ARGS__};        \
        assert_headline(model, options, expected, COUNT(expected)); \
    } while (0)

static const struct ets_headline_options all = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};

static void test_headline__time_delegates_and_places(void **state)
{
    (void)state;
    ASSERT_HEADLINE(
        "gpt_xnnpack", all,
        "forward: 197 us per run (median of 5 runs, 185..787 us; too few for a 95 % interval)",
        "47.5 % in 12 calls of XnnpackBackend, 36.4 % in 56 kernel calls (largest: "
        "expand_copy.out at zoo.py:28, 9.0 %), 16.1 % between operators",
        "most expensive lines: zoo.py:28 36.7..51.6 %, zoo.py:29 11.6..17.6 %, zoo.py:26 "
        "6.2..7.2 %");
    ASSERT_HEADLINE(
        "mlp_portable", all,
        "forward: 6.03 us per run (median of 5 runs, 5.13..744 us; too few for a 95 % interval)",
        "70.7 % in 6 kernel calls, 29.3 % between operators",
        "most expensive modules: l1 51.0 %, (model) 12.3 %, l2 7.4 %");
}

static void test_headline__what_a_coarse_clock_does_not_decide(void **state)
{
    (void)state;
    ASSERT_HEADLINE(
        "mlp_xnnpack", all,
        "forward: 2.67 us per run (median of 5 runs, 1.88..159 us; too few for a 95 % interval)",
        "91.6 % in 1 call of XnnpackBackend, 8.4 % between operators",
        "which lines are the most expensive is not decided: the delegate's clock is too coarse");
}

static void test_headline__a_line_for_each_method_the_largest_first(void **state)
{
    (void)state;
    ASSERT_HEADLINE(
        "multi_method", all,
        "decode: 1.87 us per run (median of 5 runs, 1.19..340 us; too few for a 95 % interval); "
        "58.3 % in 2 kernel calls, 41.7 % between operators",
        "encode: 2.04 us per run (median of 5 runs, 1.67..25.5 us; too few for a 95 % interval); "
        "44.3 % in 3 kernel calls, 55.7 % between operators",
        "forward: 2.87 us per run (median of 5 runs, 2.77..3.33 us; too few for a 95 % interval); "
        "47.7 % in 5 kernel calls, 52.3 % between operators");
}

static void test_headline__one_run_and_none(void **state)
{
    (void)state;
    struct ets_headline_options options = all;
    options.run = 2;
    ASSERT_HEADLINE("mlp_portable", options,
                    "forward: 47.7 us in 1 run: one run does not show how much times vary",
                    "72.4 % in 6 kernel calls, 27.6 % between operators",
                    "most expensive modules: l1 53.0 %, (model) 13.7 %, l2 5.6 %");
    options = all;
    options.block = 0; /* the load */
    assert_headline("mlp_portable", options, NULL, 0);
}

static void test_trust__of_a_trace_of_another_tracer(void **state)
{
    (void)state;
    struct subject s;
    struct ets_sentences trust;
    static const char *const expected[] = {
        "tracing overhead is not known: the trace does not state it",
        "the trace does not state the unit of its clock: taken for ns",
        "XnnpackBackend reports times in steps of 1 us: its times are ranges",
        "whether events were lost is not known: the trace does not state it",
        "contains the names of operators, the source lines and modules of the model",
    };
    open_subject("gpt_xnnpack", &s);
    assert_true(ets_trust_collect(&s.arena, s.inspection, 0, &trust));
    assert_sentences(&trust, expected, COUNT(expected));
    close_subject(&s);
}

static void test_trust__every_missing_file_has_a_view_and_a_sentence(void **state)
{
    (void)state;
    for (int file = 0; file < ETS_MISSING_COUNT; file++) {
        const struct ets_missing missing = ets_missing_without((enum ets_missing_file)file);
        assert_non_null(missing.view);
        assert_true(strlen(missing.sentence) > 10);
    }
}

/* Each function fails, or succeeds with all there is. */
static void test_headline__without_memory_there_is_none(void **state)
{
    (void)state;
    struct subject s;
    open_subject("gpt_xnnpack", &s);
    for (int what = 0; what < 3; what++) {
        bool is_made = false;
        for (unsigned long n = 0; !is_made; n++) {
            struct failing failing = {.fail_at = n};
            const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
            const struct ets_findings_subject of = {.inspection = s.inspection};
            struct ets_arena arena;
            struct ets_sentences sentences = {NULL, 0};
            struct ets_findings findings = {.count = 0};
            ets_arena_init(&arena, &allocator, 0);
            if (what == 0) is_made = ets_headline_make(&arena, s.inspection, &all, &sentences);
            if (what == 1) is_made = ets_trust_collect(&arena, s.inspection, 0, &sentences);
            if (what == 2) is_made = ets_findings_collect(&arena, &of, &findings, NULL) == ETS_OK;
            if (is_made) assert_true(sentences.count + findings.count >= 3);
            ets_arena_reset(&arena);
            assert_int_equal(failing.live, 0);
            assert_true(n < 2000);
        }
    }
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headline__time_delegates_and_places),
        cmocka_unit_test(test_headline__what_a_coarse_clock_does_not_decide),
        cmocka_unit_test(test_headline__a_line_for_each_method_the_largest_first),
        cmocka_unit_test(test_headline__one_run_and_none),
        cmocka_unit_test(test_trust__of_a_trace_of_another_tracer),
        cmocka_unit_test(test_trust__every_missing_file_has_a_view_and_a_sentence),
        cmocka_unit_test(test_headline__without_memory_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
