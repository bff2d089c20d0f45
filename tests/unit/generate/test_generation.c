/* Which calls a generation makes, on an engine that only notes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/load.h"
#include "generate/token_times.h"

enum { VOCABULARY = 50, MOST_CALLS = 64 };

/* A method of the engine: its tokens' sum and position choose the next token. */
struct ets_engine_method {
    char name[32];
    int64_t tokens[MOST_CALLS], position;
    uint32_t count;
    uint8_t logits[VOCABULARY]; /* of type uint8 */
};

static struct fake {
    char log[2048]; /* "prefill 3@0 decode 1@3 " */
    unsigned opened, closed, executed, fail_at, stop_at;
    bool warms_up;
    uint32_t warm_up_calls;     /* of the last generation, */
    struct ets_cold_times cold; /* and its prompt's in them */
    uint64_t now;
} fake;

static enum ets_status open_method(struct ets_engine_program *program, const char *name,
                                   struct ets_engine_method **method_out, struct ets_error *error)
{
    static struct ets_engine_method methods[2];
    (void)program;
    (void)error;
    struct ets_engine_method *method = &methods[strcmp(name, "decode") == 0];
    memset(method, 0, sizeof *method);
    snprintf(method->name, sizeof method->name, "%s", name);
    fake.opened++;
    *method_out = method;
    return ETS_OK;
}

static void close_method(struct ets_engine_method *method)
{
    fake.closed += method != NULL;
}

static enum ets_status set_input(struct ets_engine_method *method, size_t index,
                                 const struct ets_value *value, struct ets_error *error)
{
    (void)error;
    const struct ets_tensor *tensor = &value->as.tensor;
    assert_true(tensor->data_bytes == ets_tensor_count(tensor) * 8);
    const uint8_t *bytes = tensor->data;
    if (index == 1) {
        method->position = (int64_t)ets_load_u64(bytes);
        return ETS_OK;
    }
    method->count = (uint32_t)ets_tensor_count(tensor);
    for (uint32_t i = 0; i < method->count; i++) {
        method->tokens[i] = (int64_t)ets_load_u64(bytes + 8 * i);
    }
    return ETS_OK;
}

static enum ets_status execute(struct ets_engine_method *method, struct ets_error *error)
{
    const size_t used = strlen(fake.log);
    if (++fake.executed == fake.fail_at) return ets_fail(error, ETS_RUNTIME, 0, "broken");
    fake.now += 1000;
    snprintf(fake.log + used, sizeof fake.log - used, "%s %u@%lld ", method->name, method->count,
             (long long)method->position);
    memset(method->logits, 0, sizeof method->logits);
    method->logits[(method->tokens[method->count - 1] + 1) % VOCABULARY] = 1;
    return ETS_OK;
}

static enum ets_status get_output(struct ets_engine_method *method, size_t index,
                                  struct ets_value *value_out, struct ets_error *error)
{
    (void)error;
    assert_int_equal(index, 0);
    *value_out = (struct ets_value){.kind = ETS_VALUE_TENSOR,
                                    .as.tensor = {.scalar_type = ETS_SCALAR_BYTE, .rank = 2}};
    struct ets_tensor *tensor = &value_out->as.tensor;
    tensor->sizes[0] = 1;
    tensor->sizes[1] = VOCABULARY;
    ets_tensor_set_contiguous(tensor);
    tensor->data = method->logits;
    tensor->data_bytes = sizeof method->logits;
    return ETS_OK;
}

/* What is untraced stands in parentheses. */
static void enable(struct ets_engine_program *program, int enabled)
{
    const size_t used = strlen(fake.log);
    assert_null(program);
    snprintf(fake.log + used, sizeof fake.log - used, "%s ", enabled ? ")" : "(");
}

static uint64_t now(void)
{
    return fake.now;
}

static bool is_stopped(void *context, uint32_t used)
{
    assert_null(context);
    assert_true(used < 32);
    return fake.stop_at != 0 && fake.executed >= fake.stop_at;
}

static const struct ets_engine engine = {.method_open = open_method,
                                         .method_close = close_method,
                                         .method_set_input = set_input,
                                         .method_execute = execute,
                                         .method_get_output = get_output,
                                         .trace_enable = enable};

static struct ets_token_method method_of(const char *name, uint32_t width, bool is_dynamic)
{
    struct ets_token_method method = {.position = 1,
                                      .position_kind = ETS_POSITION_FIRST,
                                      .width = width,
                                      .is_dynamic = is_dynamic,
                                      .vocabulary = VOCABULARY};
    snprintf(method.name, sizeof method.name, "%s", name);
    method.token_shape = (struct ets_tensor){.scalar_type = ETS_SCALAR_LONG, .rank = 2};
    method.token_shape.sizes[0] = 1;
    method.position_shape = (struct ets_tensor){.scalar_type = ETS_SCALAR_LONG, .rank = 1};
    return method;
}

static struct ets_token_model model_of(uint32_t prefill, bool is_dynamic, uint32_t decode)
{
    struct ets_token_model model = {.has_cache = true,
                                    .context = 32,
                                    .stated_by = "a test",
                                    .vocabulary = VOCABULARY,
                                    .filler = -1};
    model.prefill = method_of("prefill", prefill, is_dynamic);
    model.is_one = decode == 0;
    model.decode = model.is_one ? model.prefill : method_of("decode", decode, false);
    return model;
}

/* Runs on the tokens 10, 11, 12, ...; the log must be `expected`. */
static enum ets_status generate(const struct ets_token_model *model, uint32_t depth,
                                uint32_t prompt, uint32_t new_count, const char *expected,
                                struct ets_generation *generation, struct ets_error *error)
{
    int64_t tokens[MOST_CALLS];
    struct ets_arena arena;
    for (int i = 0; i < MOST_CALLS; i++) tokens[i] = 10 + i;
    const struct ets_generation_options options = {.engine = &engine,
                                                   .model = model,
                                                   .now_ns = now,
                                                   .is_stopped = is_stopped,
                                                   .tokens = tokens,
                                                   .depth_count = depth,
                                                   .prompt_count = prompt,
                                                   .new_count = new_count,
                                                   .warms_up = fake.warms_up};
    const struct fake before = fake;
    fake = (struct fake){
        .fail_at = before.fail_at, .stop_at = before.stop_at, .warms_up = before.warms_up};
    ets_arena_init(&arena, NULL, 0);
    const enum ets_status status = ets_generation_run(&options, &arena, generation, error);
    assert_int_equal(fake.opened, fake.closed);
    if (status == ETS_OK) {
        assert_string_equal(fake.log, expected);
        for (uint32_t i = 0; i < generation->new_count; i++) {
            assert_int_equal(generation->new_tokens[i], 10 + depth + prompt + i);
        }
        for (uint32_t i = 0; i < generation->call_count; i++) {
            assert_true(generation->calls[i].ns == 1000);
            if (generation->calls[i].is_warm_up) assert_int_equal(fake.warm_up_calls++, i);
        }
        fake.cold = ets_cold_times_of(generation, ETS_PHASE_PREFILL);
    }
    ets_arena_reset(&arena);
    return status;
}

static void expect(const struct ets_token_model *model, uint32_t depth, uint32_t prompt,
                   uint32_t new_count, const char *expected)
{
    struct ets_generation generation;
    struct ets_error error = {.message = ""};
    if (generate(model, depth, prompt, new_count, expected, &generation, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(generation.end, depth + prompt + new_count);
    assert_int_equal(generation.new_count, new_count);
}

static void refuse(const struct ets_token_model *model, uint32_t depth, uint32_t prompt,
                   uint32_t new_count, const char *message)
{
    struct ets_error error = {.message = ""};
    assert_int_not_equal(ets_generation_check(model, depth, prompt, new_count, &error), ETS_OK);
    if (strstr(error.message, message) == NULL) fail_msg("%s", error.message);
}

static void test_generation__one_method_takes_the_prompt_at_once(void **state)
{
    (void)state;
    const struct ets_token_model model = model_of(20, true, 0);
    expect(&model, 0, 5, 2, "prefill 5@0 prefill 1@5 prefill 1@6 ");
    expect(&model, 3, 5, 1, "prefill 3@0 prefill 5@3 prefill 1@8 ");
    expect(&model, 0, 25, 0, "prefill 20@0 prefill 5@20 ");
}

static void test_generation__a_fixed_prefill_leaves_the_rest_to_decode(void **state)
{
    (void)state;
    const struct ets_token_model model = model_of(4, false, 1);
    expect(&model, 0, 10, 1, "prefill 4@0 prefill 4@4 decode 1@8 decode 1@9 decode 1@10 ");
    expect(&model, 0, 3, 1, "decode 1@0 decode 1@1 decode 1@2 decode 1@3 ");
}

static void test_generation__a_prefill_without_position_is_for_the_first_tokens(void **state)
{
    (void)state;
    struct ets_token_model model = model_of(4, false, 1);
    model.prefill.position_kind = ETS_POSITION_ABSENT;
    model.prefill_starts = true;
    expect(&model, 0, 6, 1, "prefill 4@0 decode 1@4 decode 1@5 decode 1@6 ");
    expect(&model, 0, 8, 0, "prefill 4@0 decode 1@4 decode 1@5 decode 1@6 decode 1@7 ");
    expect(&model, 4, 1, 0, "prefill 4@0 decode 1@4 ");
    expect(&model, 1, 4, 0, "decode 1@0 decode 1@1 decode 1@2 decode 1@3 decode 1@4 ");
}

static void test_generation__one_token_a_call(void **state)
{
    (void)state;
    const struct ets_token_model model = model_of(1, false, 0);
    expect(&model, 0, 2, 1, "prefill 1@0 prefill 1@1 prefill 1@2 ");
}

static void test_generation__without_a_cache_each_call_computes_all(void **state)
{
    (void)state;
    struct ets_token_model model = model_of(32, true, 0);
    model.has_cache = false;
    model.prefill.position_kind = model.decode.position_kind = ETS_POSITION_ABSENT;
    expect(&model, 2, 3, 2, "prefill 5@0 prefill 6@0 prefill 7@0 ");
}

static void test_generation__what_does_not_fit_is_refused_before_anything_runs(void **state)
{
    (void)state;
    const struct ets_token_model model = model_of(4, false, 0);
    refuse(&model, 0, 33, 0, "a prompt of 33 tokens does not fit in the context of 32");
    refuse(&model, 16, 8, 9, "at most 8 can be new");
    refuse(&model, 0, UINT32_MAX, UINT32_MAX, "does not fit in the context");
    refuse(&model, 0, 6, 0, "no method takes the other 2 of 6: give a multiple of 4");
    refuse(&model, 0, 4, 1, "it cannot decode one new token");
    refuse(&model, 0, 0, 1, "a prompt has at least 1 token");
}

/* Notes the positions whose logits were given, and the call that gave them. */
static enum ets_status note_logits(void *context, uint32_t position,
                                   const struct ets_tensor *logits, uint32_t row, uint32_t rows,
                                   struct ets_error *error)
{
    char *log = context;
    const size_t used = strlen(log);
    (void)logits;
    (void)error;
    snprintf(log + used, 256 - used, "%u:%u/%u ", position, row, rows);
    return ETS_OK;
}

/* Runs with logits of each token; `given` is the log of them. */
static void expect_each(const struct ets_token_model *model, uint32_t count, const char *calls,
                        const char *given)
{
    int64_t tokens[MOST_CALLS];
    char log[256] = "";
    struct ets_arena arena;
    struct ets_generation generation;
    struct ets_error error = {.message = ""};
    for (int i = 0; i < MOST_CALLS; i++) tokens[i] = 10 + i;
    const struct ets_generation_options options = {.engine = &engine,
                                                   .model = model,
                                                   .now_ns = now,
                                                   .tokens = tokens,
                                                   .prompt_count = count,
                                                   .logits = note_logits,
                                                   .logits_context = log};
    fake = (struct fake){.fail_at = 0};
    ets_arena_init(&arena, NULL, 0);
    if (ets_generation_run(&options, &arena, &generation, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(fake.log, calls);
    assert_string_equal(log, given);
    assert_int_equal(generation.end, count);
    assert_int_equal(fake.opened, fake.closed);
    ets_arena_reset(&arena);
}

static void refuse_each(const struct ets_token_model *model, uint32_t count, const char *message)
{
    struct ets_error error = {.message = ""};
    assert_int_not_equal(ets_generation_check_each(model, count, &error), ETS_OK);
    if (strstr(error.message, message) == NULL) fail_msg("%s", error.message);
}

static void test_generation__logits_of_each_token_make_calls_short(void **state)
{
    (void)state;
    struct ets_token_model model = model_of(4, true, 0);
    expect_each(&model, 3, "prefill 1@0 prefill 1@1 prefill 1@2 ", "0:0/1 1:0/1 2:0/1 ");
    model = model_of(4, false, 1);
    expect_each(&model, 5, "decode 1@0 decode 1@1 decode 1@2 decode 1@3 decode 1@4 ",
                "0:0/1 1:0/1 2:0/1 3:0/1 4:0/1 ");
    model = model_of(8, true, 0);
    model.has_cache = false;
    model.prefill.position_kind = model.decode.position_kind = ETS_POSITION_ABSENT;
    expect_each(&model, 3, "prefill 1@0 prefill 2@0 prefill 3@0 ", "0:0/1 1:0/1 2:0/1 ");
}

static void test_generation__logits_of_each_token_that_are_not_given_are_refused(void **state)
{
    (void)state;
    struct ets_token_model model = model_of(4, false, 0);
    refuse_each(&model, 8, "prefill takes exactly 4 tokens and gives logits of the last alone");
    refuse_each(&model, 33, "33 tokens do not fit in the context of 32 (from a test)");
    model.prefill.gives_all = model.decode.gives_all = true;
    refuse_each(&model, 6, "no method takes the other 2 of 6: give a multiple of 4");
    model.has_cache = false;
    refuse_each(&model, 6, "takes exactly 4 tokens and keeps no cache");
    model.prefill.gives_all = false;
    refuse_each(&model, 4, "gives logits of the last alone");
}

static void test_generation__an_error_of_any_call_closes_all_methods(void **state)
{
    (void)state;
    const struct ets_token_model model = model_of(4, false, 1);
    for (unsigned at = 1; at <= 5; at++) {
        struct ets_generation generation;
        struct ets_error error = {.message = ""};
        fake = (struct fake){.fail_at = at};
        assert_int_equal(generate(&model, 0, 8, 3, "", &generation, &error), ETS_RUNTIME);
        assert_string_equal(error.message, "broken");
    }
    fake = (struct fake){.fail_at = 0};
}

static void test_generation__a_signal_ends_it_between_two_calls(void **state)
{
    (void)state;
    const struct ets_token_model model = model_of(20, true, 0);
    struct ets_generation generation;
    struct ets_error error = {.message = ""};
    fake = (struct fake){.stop_at = 2};
    assert_int_equal(generate(&model, 0, 5, 9, "prefill 5@0 prefill 1@5 ", &generation, &error),
                     ETS_OK);
    assert_true(generation.is_stopped && generation.new_count == 1);
    fake = (struct fake){.stop_at = 0};
}

static void test_generation__a_warm_up_is_the_prompt_and_one_token(void **state)
{
    (void)state;
    const struct ets_token_model model = model_of(4, false, 1);
    struct ets_generation generation;
    struct ets_error error = {.message = ""};
    fake = (struct fake){.warms_up = true};
    expect(&model, 0, 4, 2, "( prefill 4@0 decode 1@4 ) prefill 4@0 decode 1@4 decode 1@5 ");
    expect(&model, 0, 4, 0, "( prefill 4@0 ) prefill 4@0 ");
    assert_int_equal(generate(&model, 0, 5, 2,
                              "( prefill 4@0 decode 1@4 decode 1@5 ) "
                              "prefill 4@0 decode 1@4 decode 1@5 decode 1@6 ",
                              &generation, &error),
                     ETS_OK);
    assert_int_equal(generation.prompt_next, 15);
    assert_int_equal(generation.warm_up_next, 15);
    assert_int_equal(fake.warm_up_calls, 3);
    assert_true(fake.cold.first_ns == 1000 && fake.cold.total_ns == 2000);
    fake = (struct fake){.warms_up = true, .stop_at = 1};
    assert_int_equal(generate(&model, 0, 4, 2, "( prefill 4@0 ) ", &generation, &error), ETS_OK);
    assert_true(generation.is_stopped && generation.new_count == 0);
    fake = (struct fake){.warms_up = false};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generation__one_method_takes_the_prompt_at_once),
        cmocka_unit_test(test_generation__a_fixed_prefill_leaves_the_rest_to_decode),
        cmocka_unit_test(test_generation__a_prefill_without_position_is_for_the_first_tokens),
        cmocka_unit_test(test_generation__one_token_a_call),
        cmocka_unit_test(test_generation__without_a_cache_each_call_computes_all),
        cmocka_unit_test(test_generation__what_does_not_fit_is_refused_before_anything_runs),
        cmocka_unit_test(test_generation__logits_of_each_token_make_calls_short),
        cmocka_unit_test(test_generation__logits_of_each_token_that_are_not_given_are_refused),
        cmocka_unit_test(test_generation__an_error_of_any_call_closes_all_methods),
        cmocka_unit_test(test_generation__a_signal_ends_it_between_two_calls),
        cmocka_unit_test(test_generation__a_warm_up_is_the_prompt_and_one_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
