/* Layers of a record's graph, and where a graph takes its last token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "etscope/file.h"
#include "quality/graph_tail.h"
#include "quality/quality_layers.h"
#include "test_faults_support.h"

static struct subject {
    struct ets_file *file;
    struct ets_etrecord *record;
    const struct ets_graph *graph;
} gpt;

static int open_gpt(void **state)
{
    (void)state;
    struct ets_error error = {.message = ""};
    const char *path = TEST_DATA "/gpt_portable/model.etrecord";
    if (ets_file_open(path, &gpt.file, &error) != ETS_OK ||
        ets_etrecord_open(ets_file_bytes(gpt.file), NULL, &gpt.record, &error) != ETS_OK ||
        ets_etrecord_aten_graph(gpt.record, &gpt.graph, &error) != ETS_OK) {
        fprintf(stderr, "%s\n", error.message);
        return -1;
    }
    return 0;
}

static int close_gpt(void **state)
{
    (void)state;
    ets_etrecord_close(gpt.record);
    ets_file_close(gpt.file);
    return 0;
}

static void test_record_layers__are_weights_of_products_and_embeddings(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_quality_layers layers;
    uint32_t embeddings = 0;
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_quality_layers_find(gpt.record, gpt.graph, &arena, &layers, NULL), ETS_OK);
    assert_true(layers.count > 2 && !layers.is_narrow);
    for (uint32_t i = 0; i < layers.count; i++) {
        const struct ets_quality_layer *layer = &layers.items[i];
        assert_true(layer->rows > 0 && layer->columns > 0 && layer->numbers != NULL);
        assert_true(layer->name.size > 0 && layer->name.size < layer->source.size);
        assert_true(layer->present == NULL && layer->scheme.bits == 0);
        embeddings += layer->is_embedding;
    }
    assert_true(embeddings >= 1 && embeddings < layers.count);
    /* the same record has the same numbers in the same places, in floating point */
    assert_int_equal(ets_quality_layers_join(&layers, gpt.record, gpt.graph, &arena, NULL), ETS_OK);
    for (uint32_t i = 0; i < layers.count; i++) {
        const struct ets_quality_layer *layer = &layers.items[i];
        const size_t count = (size_t)(layer->rows * layer->columns);
        assert_true(layer->origin.node == NULL);
        assert_int_equal(layer->origin.source.size, layer->source.size);
        assert_memory_equal(layer->origin.source.data, layer->source.data, layer->source.size);
        assert_true(ets_weight_scheme_is_float(&layer->scheme));
        assert_memory_equal(layer->numbers, layer->present, count * sizeof(float));
    }
    ets_arena_reset(&arena);
}

static void test_record_layers__missing_memory_is_told(void **state)
{
    (void)state;
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long at = first_fault(1); status != ETS_OK; at += FAULT_STRIDE) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_quality_layers layers;
        struct ets_graph_tail tail;
        struct ets_error error = {.status = ETS_OK};
        ets_arena_init(&arena, &allocator, 0);
        status = ets_quality_layers_find(gpt.record, gpt.graph, &arena, &layers, &error);
        if (status == ETS_OK) {
            status = ets_quality_layers_join(&layers, gpt.record, gpt.graph, &arena, &error);
        }
        if (status == ETS_OK) {
            status = ets_graph_tail_find(gpt.graph, 0, &arena, &tail, &error);
        }
        assert_int_equal(status, error.status);
        if (status != ETS_OK) assert_int_equal(status, ETS_NO_MEMORY);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
    }
}

#define TEXT(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }
#define VALUE(text)                                     \
    {                                                   \
        .kind = ETS_ARGUMENT_TENSOR, .name = TEXT(text) \
    }
#define NUMBER(value)                                \
    {                                                \
        .kind = ETS_ARGUMENT_INT, .int_value = value \
    }

/* x = f(tokens); last = x[:, -1]; logits = linear(last, w) */
static const struct ets_graph_argument of_f[] = {VALUE("tokens")}, f[] = {VALUE("x")},
                                       last[] = {VALUE("last")}, logits[] = {VALUE("logits")},
                                       of_linear[] = {VALUE("last"), VALUE("w")};
static struct ets_graph_argument of_last[] = {VALUE("x"), NUMBER(1), NUMBER(-1)};
static const struct ets_graph_node nodes[] = {{.name = TEXT("f"),
                                               .op = TEXT("aten.relu.default"),
                                               .input_count = 1,
                                               .inputs = of_f,
                                               .output_count = 1,
                                               .outputs = f},
                                              {.name = TEXT("last"),
                                               .op = TEXT("aten.select.int"),
                                               .input_count = 3,
                                               .inputs = of_last,
                                               .output_count = 1,
                                               .outputs = last},
                                              {.name = TEXT("logits"),
                                               .op = TEXT("aten.linear.default"),
                                               .input_count = 2,
                                               .inputs = of_linear,
                                               .output_count = 1,
                                               .outputs = logits}};
static struct ets_graph_input inputs[] = {
    {.argument = VALUE("tokens"), .role = ETS_INPUT_USER},
    {.argument = VALUE("w"), .role = ETS_INPUT_PARAMETER, .source = TEXT("head.weight")}};
static const struct ets_graph_output outputs[] = {
    {.argument = VALUE("logits"), .role = ETS_OUTPUT_USER}};

static bool find_tail(uint32_t output)
{
    const struct ets_graph graph = {.name = TEXT("graph"),
                                    .node_count = 3,
                                    .nodes = nodes,
                                    .input_count = 2,
                                    .inputs = inputs,
                                    .output_count = 1,
                                    .outputs = outputs};
    struct ets_arena arena;
    struct ets_graph_tail tail;
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_graph_tail_find(&graph, output, &arena, &tail, NULL), ETS_OK);
    const bool is_found = tail.taken != NULL;
    if (is_found) {
        assert_ptr_equal(tail.taken, &nodes[1]);
        assert_string_equal(tail.tokens.data, "x");
        assert_int_equal(tail.graph.node_count, 1);
        assert_ptr_equal(tail.originals[0], &nodes[2]);
        assert_int_equal(tail.graph.input_count, 2); /* w, and the last token */
        assert_string_equal(tail.graph.inputs[1].argument.name.data, "last");
        assert_false(tail.keeps_dimension);
    }
    ets_arena_reset(&arena);
    return is_found;
}

static void test_graph_tail__is_what_the_last_token_alone_goes_through(void **state)
{
    (void)state;
    assert_true(find_tail(0));
    assert_false(find_tail(1)); /* no such output */
}

static void test_graph_tail__other_inputs_spoil_it(void **state)
{
    (void)state;
    inputs[1].role = ETS_INPUT_USER;
    assert_false(find_tail(0));
    inputs[1].role = ETS_INPUT_PARAMETER;
    of_last[2].int_value = 0; /* the first token */
    assert_false(find_tail(0));
    of_last[2].int_value = -1;
    of_last[1].int_value = 2; /* of another dimension */
    assert_false(find_tail(0));
    of_last[1].int_value = 1;
    assert_true(find_tail(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record_layers__are_weights_of_products_and_embeddings),
        cmocka_unit_test(test_record_layers__missing_memory_is_told),
        cmocka_unit_test(test_graph_tail__is_what_the_last_token_alone_goes_through),
        cmocka_unit_test(test_graph_tail__other_inputs_spoil_it),
    };
    return cmocka_run_group_tests(tests, open_gpt, close_gpt);
}
