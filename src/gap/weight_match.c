/* Judges whether a program and another model belong together, by the rows of their weights. */
#include "gap/weight_match.h"
#include "verify/computing.h"

#include <math.h>
#include <stdlib.h>

#include "base/quantile.h"
#include "gap/counterparts.h"

enum { ROWS = 8, COLUMNS = 256, MOST_WEIGHTS = 4096 };

struct gap_weight {
    uint32_t rank, row_count, column_count; /* of what is kept */
    int64_t sizes[ETS_TENSOR_MAX_RANK];
    const float *numbers; /* [row_count][column_count] */
};

/* The first numbers of row `row` of a tensor: of its first dimension. */
static void read_row(const struct ets_tensor *tensor, uint32_t row, uint32_t count, float *numbers)
{
    struct ets_elements elements;
    struct ets_tensor part = *tensor;
    const int64_t skipped =
        (int64_t)row * tensor->strides[0] * (int64_t)ets_scalar_type_bytes(tensor->scalar_type);
    double number;
    part.sizes[0] = 1;
    if (skipped < 0 || (uint64_t)skipped > part.data_bytes) return;
    part.data = (const uint8_t *)tensor->data + skipped;
    part.data_bytes -= (size_t)skipped;
    if (ets_elements_init(&elements, &part, NULL) != ETS_OK) return;
    for (uint32_t i = 0; i < count && ets_elements_next(&elements, &number); i++) {
        numbers[i] = (float)number;
    }
}

/* Keeps part of a tensor that can be a weight: one with two dimensions or more. */
static enum ets_status add_weight(struct gap_weights *weights, const struct ets_tensor *tensor,
                                  struct ets_error *error)
{
    const uint64_t count = ets_tensor_count(tensor);
    const bool is_float = ets_type_computes((int)tensor->scalar_type) != ETS_COMPUTES_EXACT;
    if (tensor->rank < 2 || count == 0 || count == UINT64_MAX || !is_float) return ETS_OK;
    if (tensor->data == NULL || weights->count == MOST_WEIGHTS) return ETS_OK;
    if (weights->count == weights->capacity) {
        const uint32_t capacity = weights->capacity == 0 ? 64 : 2 * weights->capacity;
        struct gap_weight *items = ets_arena_alloc_array(weights->arena, capacity, sizeof *items);
        if (items == NULL) return gap_fail_memory(error);
        for (uint32_t i = 0; i < weights->count; i++) items[i] = weights->items[i];
        weights->items = items;
        weights->capacity = capacity;
    }
    const uint64_t columns = count / (uint64_t)tensor->sizes[0];
    struct gap_weight weight = {
        .rank = tensor->rank,
        .row_count = tensor->sizes[0] < ROWS ? (uint32_t)tensor->sizes[0] : ROWS,
        .column_count = columns < COLUMNS ? (uint32_t)columns : COLUMNS};
    for (uint32_t i = 0; i < tensor->rank; i++) weight.sizes[i] = tensor->sizes[i];
    float *numbers = ets_arena_alloc_array(
        weights->arena, (size_t)weight.row_count * weight.column_count, sizeof *numbers);
    if (numbers == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < weight.row_count; i++) {
        read_row(tensor, i, weight.column_count, numbers + (size_t)i * weight.column_count);
    }
    weight.numbers = numbers;
    weights->items[weights->count++] = weight;
    return ETS_OK;
}

/* Reads the tensors of one entry that the graph's inputs name. */
static enum ets_status read_entry(struct gap_weights *weights, struct ets_etrecord *record,
                                  const struct ets_graph *graph, const char *suffix,
                                  struct ets_error *error)
{
    const struct ets_named_value *values;
    struct ets_strings names;
    struct ets_error reason;
    size_t count;
    char *entry = ets_arena_alloc(weights->arena, graph->name.size + strlen(suffix) + 1);
    if (entry == NULL || ets_strings_init(&names, weights->arena) != 0) {
        return gap_fail_memory(error);
    }
    memcpy(entry, graph->name.data, graph->name.size);
    memcpy(entry + graph->name.size, suffix, strlen(suffix) + 1);
    const enum ets_status status =
        ets_etrecord_named_values(record, entry, &values, &count, &reason);
    if (status == ETS_NO_MEMORY) return gap_fail_memory(error);
    if (status != ETS_OK) return ETS_OK; /* a slim record: the reference reports missing weights */
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->inputs[i];
        const bool is_weight =
            input->role == ETS_INPUT_PARAMETER || input->role == ETS_INPUT_BUFFER;
        if (!is_weight || input->source.data == NULL) continue;
        if (ets_strings_add(&names, input->source) == UINT32_MAX) return gap_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t known = ets_strings_find(&names, values[i].name);
        if (known == UINT32_MAX || known == ETS_STRING_NONE) continue;
        if (values[i].value.kind != ETS_VALUE_TENSOR) continue;
        ETS_TRY(add_weight(weights, &values[i].value.as.tensor, error));
    }
    return ETS_OK;
}

enum ets_status ets_gap_weights_read(struct gap_weights *weights, struct ets_etrecord *record,
                                     const struct ets_graph *graph, struct ets_error *error)
{
    ETS_TRY(read_entry(weights, record, graph, "_state_dict", error));
    return read_entry(weights, record, graph, "_constants", error);
}

enum ets_status ets_gap_weights_see(struct gap_weights *weights, const struct gap_graph *graph,
                                    uint32_t node, const struct ets_tensor *value,
                                    struct ets_error *error)
{
    if (graph->level[node] > 0 || !ets_gap_quantizes(graph->nodes[node])) return ETS_OK;
    return ets_gap_graph_is_of_record(graph, node) ? add_weight(weights, value, error) : ETS_OK;
}

/* The median of the rows' absolute cosines; NaN: all rows of one side are 0. */
static double likeness(const struct gap_weight *one, const struct gap_weight *two)
{
    double cosines[ROWS];
    uint32_t count = 0;
    for (uint32_t row = 0; row < one->row_count; row++) {
        const float *left = one->numbers + (size_t)row * one->column_count;
        const float *right = two->numbers + (size_t)row * one->column_count;
        double product = 0, of_left = 0, of_right = 0;
        for (uint32_t i = 0; i < one->column_count; i++) {
            product += (double)left[i] * right[i];
            of_left += (double)left[i] * left[i];
            of_right += (double)right[i] * right[i];
        }
        const double power = sqrt(of_left) * sqrt(of_right);
        if (power > 0 && isfinite(power)) cosines[count++] = fabs(product) / power;
    }
    if (count == 0) return NAN;
    ets_sort_doubles(cosines, count);
    return cosines[count / 2];
}

static bool has_shape_of(const struct gap_weight *one, const struct gap_weight *two)
{
    if (one->rank != two->rank) return false;
    for (uint32_t i = 0; i < one->rank; i++) {
        if (one->sizes[i] != two->sizes[i]) return false;
    }
    return true;
}

/* Rows of one number are not conclusive: their cosine is only a sign. */
static bool tells(const struct gap_weight *weight)
{
    return weight->column_count > 2;
}

void ets_gap_weights_judge(const struct gap_weights *own, const struct gap_weights *other,
                           uint32_t paired, struct ets_gap_conclusion *verdict)
{
    uint32_t budget = 1 << 20; /* of pairs: many weights may have one shape */
    verdict->weights_compared = verdict->weights_alike = 0;
    verdict->paired = paired;
    for (uint32_t i = 0; i < own->count; i++) {
        double best = NAN;
        if (!tells(&own->items[i])) continue;
        for (uint32_t k = 0; k < other->count && !(best > 0.9) && budget > 0; k++, budget--) {
            if (!has_shape_of(&own->items[i], &other->items[k])) continue;
            best = fmax(best, likeness(&own->items[i], &other->items[k]));
        }
        verdict->weights_compared += !isnan(best);
        verdict->weights_alike += best > 0.9;
    }
    if (verdict->weights_compared > 0) {
        const bool alike = 2 * verdict->weights_alike >= verdict->weights_compared;
        verdict->mismatch = alike ? ETS_GAP_BELONGS : ETS_GAP_OTHER_WEIGHTS;
    } else if (paired < verdict->unpaired) {
        verdict->mismatch = ETS_GAP_OTHER_OPERATORS;
    }
}
