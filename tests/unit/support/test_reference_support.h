/* What the tests of references share: records, an engine, and what a run showed by names. */
#ifndef ETSCOPE_TESTS_REFERENCE_SUPPORT_H
#define ETSCOPE_TESTS_REFERENCE_SUPPORT_H

#include "etscope/numerics.h"
#include "reference/reference.h"
#include "test_engine_support.h"

/* A fixture's record, and its graphs of one method. */
struct subject {
    struct ets_file *file;
    struct ets_etrecord *record;
    const struct ets_graph *aten, *edge;
};

static inline struct subject open_subject(const char *folder, const char *name, const char *method)
{
    struct subject subject = {.file = open_fixture(folder, name)};
    struct ets_error error = {.status = ETS_OK};
    assert_int_equal(ets_etrecord_open(ets_file_bytes(subject.file), NULL, &subject.record, &error),
                     ETS_OK);
    assert_int_equal(ets_etrecord_edge_graph(subject.record, method, &subject.edge, &error),
                     ETS_OK);
    assert_int_equal(ets_etrecord_aten_graph(subject.record, &subject.aten, &error), ETS_OK);
    return subject;
}

static inline void close_subject(struct subject *subject)
{
    ets_etrecord_close(subject->record);
    ets_file_close(subject->file);
}

/* The graph's outputs as they were shown, copied; and counts. */
enum { MAX_SHOWN_OUTPUTS = 16 };
struct shown {
    const struct ets_graph *graph;
    struct ets_value outputs[MAX_SHOWN_OUTPUTS];
    unsigned count, missing;
    const char *reason; /* of the last that was missing */
};

static inline const struct ets_graph_argument *output_argument(const struct ets_graph_node *node,
                                                               uint32_t output)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        const struct ets_graph_argument *argument = &node->outputs[i];
        const uint32_t count = argument->kind == ETS_ARGUMENT_LIST ? argument->item_count : 1;
        if (output < count) {
            return argument->kind == ETS_ARGUMENT_LIST ? &argument->items[output] : argument;
        }
        output -= count;
    }
    return NULL;
}

static inline int is_of(const struct ets_graph *graph, const struct ets_graph_node *node)
{
    return node >= graph->nodes && node < graph->nodes + graph->node_count;
}

static inline void keep_output(struct shown *shown, uint32_t place, const struct ets_value *value)
{
    assert_true(place < MAX_SHOWN_OUTPUTS);
    shown->outputs[place] = *value;
    if (value->kind != ETS_VALUE_TENSOR) return;
    struct ets_tensor *tensor = &shown->outputs[place].as.tensor;
    void *copy = test_malloc(tensor->data_bytes + 1);
    if (tensor->data_bytes > 0) memcpy(copy, tensor->data, tensor->data_bytes);
    tensor->data = copy;
}

static inline enum ets_status keep_shown(void *context, const struct ets_reference_result *result,
                                         struct ets_value *replacement_out, struct ets_error *error)
{
    struct shown *shown = context;
    (void)replacement_out;
    (void)error;
    shown->count++;
    assert_true(result->output < result->output_count);
    if (result->value.kind == ETS_VALUE_NONE) {
        shown->missing++;
        shown->reason = result->reason;
        assert_non_null(result->reason);
    }
    if (!is_of(shown->graph, result->node)) return ETS_OK;
    const struct ets_text name = output_argument(result->node, result->output)->name;
    uint32_t place = 0;
    for (uint32_t i = 0; i < shown->graph->output_count; i++) {
        if (shown->graph->outputs[i].role != ETS_OUTPUT_USER) continue;
        const struct ets_text output = shown->graph->outputs[i].argument.name;
        if (output.size == name.size && memcmp(output.data, name.data, name.size) == 0) {
            keep_output(shown, place, &result->value);
        }
        place++;
    }
    return ETS_OK;
}

static inline void free_shown(struct shown *shown)
{
    for (unsigned i = 0; i < MAX_SHOWN_OUTPUTS; i++) {
        if (shown->outputs[i].kind == ETS_VALUE_TENSOR) {
            test_free((void *)(uintptr_t)shown->outputs[i].as.tensor.data);
        }
    }
    *shown = (struct shown){.graph = shown->graph};
}

static inline struct ets_reference *open_reference(const struct ets_reference_options *options)
{
    struct ets_reference *reference = NULL;
    struct ets_error error = {.status = ETS_OK};
    const enum ets_status status = ets_reference_open(options, &reference, &error);
    if (status != ETS_OK) print_error("%s\n", error.message);
    assert_int_equal(status, ETS_OK);
    return reference;
}

static inline void run_reference(struct ets_reference *reference, const struct ets_value *inputs,
                                 size_t input_count, ets_reference_observer *observer,
                                 void *context)
{
    struct ets_error error = {.status = ETS_OK};
    const enum ets_status status =
        ets_reference_run(reference, inputs, input_count, observer, context, &error);
    if (status != ETS_OK) print_error("%s\n", error.message);
    assert_int_equal(status, ETS_OK);
}

/* Of the same shape, and nearer than what rounding of float32 in another order does. */
static inline void assert_near(const struct ets_value *expected, const struct ets_value *given)
{
    struct ets_comparison sums;
    struct ets_error error = {.status = ETS_OK};
    assert_int_equal(expected->kind, ETS_VALUE_TENSOR);
    assert_int_equal(given->kind, ETS_VALUE_TENSOR);
    assert_int_equal(ets_comparison_of(&expected->as.tensor, &given->as.tensor, &sums, &error),
                     ETS_OK);
    assert_int_equal(sums.broken_count, 0);
    if (sums.unequal_count > 0) assert_true(ets_comparison_snr(&sums) > 115);
}

#endif
