/* KL divergence, agreement and log probabilities of logits; values are those of NumPy in float64.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "generate/quality.h"
#include "test_faults_support.h"

static void expect_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-6) fail_msg("%.9g instead of %.9g", value, expected);
}

static struct ets_quality_token compare(const float *reference, const float *model,
                                        uint32_t vocabulary, int64_t token)
{
    struct ets_quality_token out = {.position = 1, .token = token};
    struct ets_error error = {.message = ""};
    if (ets_quality_compare(reference, model, vocabulary, &out, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
    return out;
}

/* By hand: p = (1/2, 1/4, 1/4), q = (1/4, 1/4, 1/2): KL = 1/2 ln 2 - 1/4 ln 2. */
static void test_quality__divergence_is_that_computed_by_hand(void **state)
{
    (void)state;
    const float reference[] = {0.693147181f, 0, 0}, model[] = {5, 5, 5.693147181f};
    const struct ets_quality_token token = compare(reference, model, 3, 0);
    expect_near(token.kl, 0.25 * log(2));
    expect_near(token.log_probability, log(0.25));
    expect_near(token.reference_log_probability, log(0.5));
    assert_true(token.best == 2 && token.reference_best == 0);
    assert_true(!token.is_same && token.is_near);
}

static void test_quality__divergence_is_that_of_numpy(void **state)
{
    (void)state;
    const float reference[] = {2.5f, -1.25f, 0.75f, 3.0f, -4.0f, 0.5f, 1.5f};
    const float model[] = {2.25f, -1.0f, 1.0f, 2.0f, -3.5f, 0.25f, 1.75f};
    const struct ets_quality_token token = compare(reference, model, 7, 2);
    expect_near(token.kl, 0.122198744);
    expect_near(token.log_probability, -2.297013162);
    expect_near(token.reference_log_probability, -2.959178568);
    assert_true(token.best == 0 && token.reference_best == 3 && token.is_near);
}

static void test_quality__equal_logits_diverge_by_nothing(void **state)
{
    (void)state;
    const float row[] = {1000, 999.5f, -1000, 0.25f};
    const struct ets_quality_token token = compare(row, row, 4, 1);
    assert_true(token.kl == 0 && token.is_same && token.is_near);
    expect_near(token.log_probability, -0.974076984);
}

/* Equal logits: the first is best, as in a generation, and the sixth of six is not among five. */
static void test_quality__of_equal_tokens_the_first_is_best(void **state)
{
    (void)state;
    const float reference[] = {1, 1, 1, 1, 1, 1}, fifth[] = {0, 0, 0, 0, 2, 2};
    const float sixth[] = {0, 0, 0, 0, 0, 1};
    struct ets_quality_token token = compare(reference, fifth, 6, 0);
    assert_true(token.reference_best == 0 && token.best == 4 && token.is_near);
    token = compare(reference, sixth, 6, 0);
    assert_true(token.best == 5 && !token.is_near);
}

static void test_quality__ruled_out_tokens(void **state)
{
    (void)state;
    const float all[] = {1, 1, 1}, less[] = {1, 1, -INFINITY};
    expect_near(compare(less, all, 3, 0).kl, log(1.5));
    const struct ets_quality_token token = compare(all, less, 3, 2);
    assert_true(token.kl == INFINITY && token.log_probability == -INFINITY);
    expect_near(compare(less, less, 3, 0).kl, 0);
}

static void test_quality__logits_that_are_no_numbers_are_refused(void **state)
{
    (void)state;
    const float fine[] = {1, 2};
    const float bad[][2] = {{NAN, 1}, {1, INFINITY}, {-INFINITY, -INFINITY}};
    static const char *const messages[] = {"logit 0 is NaN", "logit 1 is infinite",
                                           "all logits are -infinity"};
    for (int i = 0; i < 3; i++) {
        struct ets_quality_token token = {.token = 0};
        struct ets_error error = {.message = ""};
        assert_int_equal(ets_quality_compare(fine, bad[i], 2, &token, &error), ETS_RUNTIME);
        assert_string_equal(error.message, messages[i]);
        assert_int_equal(ets_quality_compare(bad[i], fine, 2, &token, NULL), ETS_RUNTIME);
    }
}

static void test_quality__sums(void **state)
{
    (void)state;
    struct ets_quality_token tokens[] = {
        {.kl = 0.25,
         .is_same = true,
         .is_near = true,
         .log_probability = -1,
         .reference_log_probability = -0.5},
        {.kl = 0.75, .is_near = true, .log_probability = -2, .reference_log_probability = -0.5},
        {.kl = 0.5, .log_probability = -3, .reference_log_probability = -0.5},
    };
    struct ets_quality quality = {.tokens = tokens, .count = 3};
    ets_quality_sum_up(&quality);
    expect_near(quality.kl, 0.5);
    expect_near(quality.kl_lower, 0); /* 0.5 -+ 4.302653 * 0.25 / sqrt(3), cut at 0 */
    assert_true(fabs(quality.kl_upper - 1.121036) < 1e-3);
    expect_near(quality.perplexity, exp(2));
    expect_near(quality.reference_perplexity, exp(0.5));
    assert_true(quality.same_count == 1 && quality.near_count == 2);
    assert_true(quality.worst == 1 && quality.first_other == 1);
    quality.count = 1;
    ets_quality_sum_up(&quality);
    assert_true(quality.worst == 0 && quality.first_other == 1);
    assert_true(isnan(quality.kl_lower) && isnan(quality.kl_upper));
}

/* Rows of logits as a program gives them: all of a call, of another type, too many. */
static void test_quality__runs_take_rows_by_position(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_quality_runs runs;
    struct ets_error error = {.message = ""};
    const int64_t text[] = {0, 1, 2};
    uint8_t logits[] = {0, 0, 3, 1, 1, 1, 2, 0, 0};
    uint8_t halves[] = {0, 0, 0, 0, 0, 0x3c}; /* 0, 0, 1 */
    struct ets_tensor all = {.scalar_type = ETS_SCALAR_BYTE,
                             .rank = 3,
                             .sizes = {1, 3, 3},
                             .data = logits,
                             .data_bytes = sizeof logits};
    struct ets_tensor one = {.scalar_type = ETS_SCALAR_HALF,
                             .rank = 2,
                             .sizes = {1, 3},
                             .data = halves,
                             .data_bytes = sizeof halves};
    ets_tensor_set_contiguous(&all);
    ets_tensor_set_contiguous(&one);
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_quality_runs_init(&runs, text, 3, 3, &arena, &error), ETS_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(ets_quality_keep(&runs, i, &all, i, 3, &error), ETS_OK);
    }
    assert_int_equal(ets_quality_score(&runs, 0, &one, 0, 1, &error), ETS_OK);
    assert_int_equal(ets_quality_score(&runs, 1, &all, 1, 3, &error), ETS_OK);
    assert_int_equal(ets_quality_score(&runs, 2, &all, 2, 3, &error), ETS_OK);
    const struct ets_quality_token *tokens = runs.result.tokens;
    assert_int_equal(runs.result.count, 2);
    assert_true(tokens[0].position == 1 && tokens[0].token == 1 && tokens[0].kl > 0);
    expect_near(tokens[0].log_probability, -1.551444714);
    assert_true(tokens[1].position == 2 && tokens[1].token == 2 && tokens[1].kl == 0);
    assert_int_equal(ets_quality_score(&runs, 0, &all, 0, 1, &error), ETS_MISMATCH);
    runs.vocabulary = 2;
    assert_int_equal(ets_quality_score(&runs, 0, &one, 0, 1, &error), ETS_MISMATCH);
    assert_string_equal(error.message, "a token has 3 logits, expected the 2 of the vocabulary");
    ets_arena_reset(&arena);
}

static void test_quality__missing_memory_is_told(void **state)
{
    (void)state;
    const int64_t text[] = {0, 1, 2};
    for (unsigned long at = 0; at < 4; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_quality_runs runs;
        struct ets_error error = {.message = ""};
        ets_arena_init(&arena, &allocator, 0);
        /* rows of 4 MiB are blocks of their own */
        const enum ets_status status =
            ets_quality_runs_init(&runs, text, 3, 1 << 20, &arena, &error);
        assert_int_equal(status, error.status);
        if (at < 2) assert_int_equal(status, ETS_NO_MEMORY);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quality__divergence_is_that_computed_by_hand),
        cmocka_unit_test(test_quality__divergence_is_that_of_numpy),
        cmocka_unit_test(test_quality__equal_logits_diverge_by_nothing),
        cmocka_unit_test(test_quality__of_equal_tokens_the_first_is_best),
        cmocka_unit_test(test_quality__ruled_out_tokens),
        cmocka_unit_test(test_quality__logits_that_are_no_numbers_are_refused),
        cmocka_unit_test(test_quality__sums),
        cmocka_unit_test(test_quality__runs_take_rows_by_position),
        cmocka_unit_test(test_quality__missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
