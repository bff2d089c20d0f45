/* Buffers that runs leave to later ones. */
#include "test_reference_support.h"

#include "base/text.h"
#include "reference/reference_state.h"

static const struct ets_text cache_name = {"cache", 5};

static struct ets_tensor tensor_of(const float *numbers, int64_t count)
{
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT,
                                .rank = 1,
                                .sizes = {count},
                                .data = numbers,
                                .data_bytes = (size_t)count * sizeof *numbers};
    ets_tensor_set_contiguous(&tensor);
    return tensor;
}

static struct ets_reference_state *new_state(void)
{
    struct ets_reference_state *state = NULL;
    assert_int_equal(ets_reference_state_new(NULL, &state, NULL), ETS_OK);
    return state;
}

static void a_state__shows_what_was_put_when_it_settles(void **unused)
{
    (void)unused;
    const float first[2] = {1, 2}, second[3] = {3, 4, 5};
    struct ets_tensor tensor = tensor_of(first, 2);
    struct ets_reference_state *state = new_state();
    assert_null(ets_reference_state_find(state, cache_name));
    assert_null(ets_reference_state_find(NULL, cache_name));
    assert_int_equal(ets_reference_state_put(state, cache_name, &tensor, NULL, NULL), ETS_OK);
    assert_null(ets_reference_state_find(state, cache_name));
    ets_reference_state_settle(state);
    const struct ets_reference_buffer *buffer = ets_reference_state_find(state, cache_name);
    assert_non_null(buffer);
    const float *kept = buffer->tensor.data;
    assert_true(kept != first && kept[1] == 2);
    tensor = tensor_of(second, 3);
    assert_int_equal(ets_reference_state_put(state, cache_name, &tensor, NULL, NULL), ETS_OK);
    assert_true(kept[1] == 2); /* until it settles */
    ets_reference_state_settle(state);
    buffer = ets_reference_state_find(state, cache_name);
    assert_true(buffer->tensor.sizes[0] == 3 && ((const float *)buffer->tensor.data)[2] == 5);
    assert_int_equal(ets_reference_state_put(state, cache_name, NULL, "lost", NULL), ETS_OK);
    ets_reference_state_settle(state);
    assert_string_equal(ets_reference_state_find(state, cache_name)->reason, "lost");
    ets_reference_state_forget(state, cache_name);
    assert_null(ets_reference_state_find(state, cache_name));
    for (char name = 'a'; name <= 'z'; name++) {
        const struct ets_text text = {&name, 1};
        assert_int_equal(ets_reference_state_put(state, text, &tensor, NULL, NULL), ETS_OK);
    }
    ets_reference_state_settle(state);
    assert_non_null(ets_reference_state_find(state, ets_text_of("q")));
    ets_reference_state_free(state);
    ets_reference_state_free(NULL);
}

/* The model of tests/data/state/cache: (cache + x) / 2 goes to the cache, its relu out. */
struct model {
    struct subject subject;
    struct ets_reference_state *state;
    struct ets_reference *reference;
};

static struct model open_cache(int use_double)
{
    struct model model = {.subject = open_subject("state", "cache.etrecord", "forward"),
                          .state = new_state()};
    model.reference = open_reference(&(struct ets_reference_options){.engine = engine,
                                                                     .record = model.subject.record,
                                                                     .graph = model.subject.edge,
                                                                     .use_double = use_double,
                                                                     .start = model.state,
                                                                     .end = model.state});
    return model;
}

static void close_cache(struct model *model)
{
    ets_reference_close(model->reference);
    ets_reference_state_free(model->state);
    close_subject(&model->subject);
}

static double left_in_cache(const struct model *model)
{
    const struct ets_reference_buffer *buffer = ets_reference_state_find(model->state, cache_name);
    assert_non_null(buffer);
    assert_null(buffer->reason);
    const struct ets_tensor *tensor = &buffer->tensor;
    return tensor->scalar_type == ETS_SCALAR_DOUBLE ? *(const double *)tensor->data
                                                    : (double)*(const float *)tensor->data;
}

static void runs__start_where_the_one_before_ended(void **state)
{
    NEEDS_ENGINE();
    const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const struct ets_value input = {.kind = ETS_VALUE_TENSOR, .as.tensor = tensor_of(ones, 8)};
    for (int use_double = 0; use_double < 2; use_double++) {
        struct model model = open_cache(use_double);
        double expected = 0;
        for (int i = 0; i < 4; i++) {
            expected = (expected + 1) / 2;
            run_reference(model.reference, &input, 1, NULL, NULL);
            assert_true(left_in_cache(&model) == expected);
        }
        /* a run that fails leaves nothing */
        struct ets_error error;
        assert_int_equal(ets_reference_run(model.reference, &input, 2, NULL, NULL, &error),
                         ETS_INVALID_ARGUMENT);
        assert_true(left_in_cache(&model) == expected);
        ets_reference_state_forget(model.state, cache_name);
        run_reference(model.reference, &input, 1, NULL, NULL);
        assert_true(left_in_cache(&model) == 0.5);
        close_cache(&model);
    }
}

/* Puts 4 in place of what is written to the cache. */
static enum ets_status put_four(void *context, const struct ets_reference_result *result,
                                struct ets_value *replacement_out, struct ets_error *error)
{
    static const float fours[8] = {4, 4, 4, 4, 4, 4, 4, 4};
    const char *name = context;
    (void)error;
    if (ets_text_contains(result->node->name, name)) {
        *replacement_out =
            (struct ets_value){.kind = ETS_VALUE_TENSOR, .as.tensor = tensor_of(fours, 8)};
    }
    return ETS_OK;
}

static void runs__without_inputs_compute_what_follows_from_replaced_values(void **state)
{
    NEEDS_ENGINE();
    static char add[] = "add", nothing[] = "nothing of this name";
    struct model model = open_cache(1);
    const size_t unknown = ETS_REFERENCE_UNKNOWN_INPUTS;
    run_reference(model.reference, NULL, unknown, put_four, add);
    assert_true(left_in_cache(&model) == 2);
    run_reference(model.reference, NULL, unknown, put_four, nothing);
    const struct ets_reference_buffer *buffer = ets_reference_state_find(model.state, cache_name);
    assert_string_equal(buffer->reason, "the inputs of the run are not known");
    close_cache(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state__shows_what_was_put_when_it_settles),
        cmocka_unit_test(runs__start_where_the_one_before_ended),
        cmocka_unit_test(runs__without_inputs_compute_what_follows_from_replaced_values),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
