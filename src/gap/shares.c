/* Measures what part of the outputs' error each operator makes. */
#include "gap/shares.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "etscope/numerics.h"
#include "gap/number_pairs.h"
#include "reference/reference.h"
#include "reference/reference_value.h"

/* Evaluations take as long as the first; more operators than these seldom matter. After some
 * seconds of processor time, what was measured has to do. */
enum { MOST_SHARES = 16, MOST_SECONDS = 20 };
/* Numbers of an output that are compared, evenly spread. */
enum { MOST_NUMBERS = 1 << 18 };
/* All errors that are kept together. */
#define MOST_BYTES (UINT64_C(256) << 20)
/* Own errors below are rounding. */
static const double LEAST_ERROR = 1e-6;

struct output {
    uint32_t row; /* its number */
    uint64_t step;
    uint32_t count; /* of the numbers that are compared */
    double *clean, *error;
    double power; /* of the reference */
};

struct candidate {
    uint32_t row;
    struct ets_tensor error; /* what it adds: float64, contiguous */
    double share;
};

enum pass { PASS_CLEAN, PASS_ERRORS, PASS_SHARE };

struct shares {
    struct ets_gap_report *report;
    struct ets_arena arena;
    struct output *outputs;
    uint32_t output_count;
    struct candidate items[MOST_SHARES];
    uint32_t count;
    enum pass pass;
    struct candidate *current;
    uint64_t bytes;   /* of the errors that are kept */
    double *injected; /* room for the largest error */
    double power, projected, left;
    const struct ets_gap_evaluation *how;
    uint64_t seen, to_see;
};

static bool is_worth(const struct ets_gap_report *report, const struct ets_gap_row *row)
{
    const int type = (int)row->value->captured.tensor.scalar_type;
    if (!row->has_own || !(row->own_error > LEAST_ERROR) || isinf(row->own_error)) return false;
    if (!ets_reference_is_floating(type)) return false;
    return report->verdict.against == ETS_GAP_AGAINST_OTHER || row->judged_own > row->tolerance;
}

/* Keeps those with the largest own errors. */
static void choose(struct shares *s)
{
    for (uint32_t i = 0; i < s->report->compared.count; i++) {
        const struct ets_gap_row *row = &s->report->rows[i];
        if (!is_worth(s->report, row)) continue;
        uint32_t at = s->count < MOST_SHARES ? s->count++ : MOST_SHARES;
        for (; at > 0 && s->report->rows[s->items[at - 1].row].judged_own < row->judged_own; at--) {
            if (at < MOST_SHARES) s->items[at] = s->items[at - 1];
        }
        if (at < MOST_SHARES) s->items[at] = (struct candidate){.row = i, .share = NAN};
    }
}

static enum ets_status list_outputs(struct shares *s, struct ets_error *error)
{
    struct ets_gap_report *report = s->report;
    s->outputs = ets_arena_alloc_array(&s->arena, report->compared.count, sizeof *s->outputs);
    if (s->outputs == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < report->compared.count; i++) {
        const struct ets_gap_row *row = &report->rows[i];
        if (!report->is_output[i] || !row->has_total) continue;
        const uint64_t all = ets_tensor_count(&row->value->captured.tensor);
        struct output *output = &s->outputs[s->output_count++];
        *output = (struct output){.row = i, .power = row->total.reference_square_sum};
        output->step = 1 + all / MOST_NUMBERS;
        const size_t room = (size_t)(all / output->step + 1);
        output->clean = ets_arena_alloc_array(&s->arena, room, sizeof(double));
        output->error = ets_arena_alloc_array(&s->arena, room, sizeof(double));
        if (output->clean == NULL || output->error == NULL) return gap_fail_memory(error);
    }
    return ETS_OK;
}

/* What is needed of an output's clean value and of the device's. */
static void see_clean(struct shares *s, struct output *output, const struct ets_tensor *clean,
                      const struct ets_tensor *device)
{
    struct gap_number_pairs pairs;
    if (!(output->power > 0) || !gap_number_pairs_init(&pairs, clean, device)) return;
    output->count = 0;
    for (uint64_t begun = 0; gap_number_pairs_next(&pairs); begun += pairs.count) {
        for (size_t i = 0; i < pairs.count; i++) {
            const double error = pairs.right[i] - pairs.left[i];
            if ((begun + i) % output->step != 0) continue;
            output->clean[output->count] = pairs.left[i];
            output->error[output->count++] = error;
            if (isfinite(error)) s->power += error * error / output->power;
        }
    }
}

static void project(struct shares *s, const struct output *output, const struct ets_tensor *value)
{
    struct ets_elements elements;
    double number;
    uint32_t at = 0;
    if (ets_elements_init(&elements, value, NULL) != ETS_OK) return;
    for (uint64_t i = 0; ets_elements_next(&elements, &number) && at < output->count; i++) {
        if (i % output->step != 0) continue;
        const double arrived = number - output->clean[at];
        const double left = output->error[at] - arrived;
        if (isfinite(left * output->error[at])) {
            s->projected += arrived * output->error[at] / output->power;
            s->left += left * left / output->power;
        }
        at++;
    }
}

/* The device's value minus what the reference computes from the device's values. */
static enum ets_status keep_error(struct shares *s, struct candidate *item,
                                  const struct ets_tensor *computed,
                                  const struct ets_tensor *device, struct ets_error *error)
{
    struct gap_number_pairs pairs;
    uint64_t at = 0;
    const uint64_t count = ets_tensor_count(device);
    if (s->bytes + count * sizeof(double) > MOST_BYTES) return ETS_OK;
    s->bytes += count * sizeof(double);
    double *numbers = ets_arena_alloc_array(&s->arena, (size_t)count, sizeof *numbers);
    if (numbers == NULL) return gap_fail_memory(error);
    if (!gap_number_pairs_init(&pairs, computed, device)) return ETS_OK;
    while (gap_number_pairs_next(&pairs)) {
        for (size_t i = 0; i < pairs.count && at < count; i++) {
            const double apart = pairs.right[i] - pairs.left[i];
            numbers[at++] = isfinite(apart) ? apart : 0;
        }
    }
    item->error = *device;
    item->error.scalar_type = ETS_SCALAR_DOUBLE;
    ets_tensor_set_contiguous(&item->error);
    item->error.data = (const uint8_t *)numbers;
    item->error.data_bytes = (size_t)count * sizeof *numbers;
    return ETS_OK;
}

/* The clean value plus the candidate's error. */
static void inject(struct shares *s, const struct ets_tensor *clean,
                   struct ets_value *replacement_out)
{
    const double *errors = (const double *)(const void *)s->current->error.data;
    struct ets_elements elements;
    double number;
    uint64_t at = 0;
    if (errors == NULL || ets_elements_init(&elements, clean, NULL) != ETS_OK) return;
    while (ets_elements_next(&elements, &number)) {
        s->injected[at] = number + errors[at];
        at++;
    }
    replacement_out->kind = ETS_VALUE_TENSOR;
    replacement_out->as.tensor = s->current->error;
    replacement_out->as.tensor.data = (const uint8_t *)s->injected;
}

static enum ets_status see(struct shares *s, uint32_t row, const struct ets_tensor *value,
                           const struct ets_tensor *device, struct ets_value *replacement_out,
                           struct ets_error *error)
{
    for (uint32_t i = 0; s->pass == PASS_ERRORS && i < s->count; i++) {
        if (s->items[i].row != row) continue;
        ETS_TRY(keep_error(s, &s->items[i], value, device, error));
    }
    if (s->pass == PASS_SHARE && s->current->row == row) inject(s, value, replacement_out);
    for (uint32_t i = 0; s->pass != PASS_ERRORS && i < s->output_count; i++) {
        if (s->outputs[i].row != row) continue;
        if (s->pass == PASS_CLEAN) see_clean(s, &s->outputs[i], value, device);
        else if (replacement_out->kind == ETS_VALUE_NONE) project(s, &s->outputs[i], value);
        else project(s, &s->outputs[i], &replacement_out->as.tensor);
    }
    return ETS_OK;
}

static enum ets_status observe(void *context, const struct ets_reference_result *result,
                               struct ets_value *replacement_out, struct ets_error *error)
{
    struct shares *s = context;
    const uint32_t row = ets_gap_row_of(s->report, result);
    struct ets_tensor value, device;
    uint8_t room[ETS_NUMBER_BYTES];
    s->seen++;
    if (s->how->progress != NULL && s->to_see > 0) {
        s->how->progress(s->how->progress_context, s->seen, s->to_see);
    }
    if (row != GAP_NONE && s->report->rows[row].value->captured.status == ETS_OK &&
        ets_tensor_of_value(&result->value, ETS_SCALAR_LONG, room, &value) &&
        ets_gap_reshape(&s->report->rows[row].value->captured.tensor, &value, &device)) {
        ETS_TRY(see(s, row, &value, &device, replacement_out, error));
    }
    if (row != GAP_NONE && s->pass == PASS_ERRORS) {
        ets_gap_replace(s->report, row, result, replacement_out);
    }
    ets_gap_take_random(s->report, result, replacement_out);
    return ETS_OK;
}

static enum ets_status run(struct shares *s, const struct gap_evaluation *e, enum pass pass,
                           struct ets_error *error)
{
    s->pass = pass;
    return ets_reference_run(e->reference, e->inputs, e->input_count, observe, s, error);
}

static enum ets_status make_room(struct shares *s, struct ets_error *error)
{
    uint64_t most = 1;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint64_t bytes = s->items[i].error.data_bytes;
        if (bytes > most) most = bytes;
    }
    s->injected = ets_arena_alloc(&s->arena, (size_t)most);
    return s->injected == NULL ? gap_fail_memory(error) : ETS_OK;
}

static enum ets_status measure(struct shares *s, const struct gap_evaluation *e,
                               struct ets_error *error)
{
    const clock_t start = clock();
    ETS_TRY(run(s, e, PASS_CLEAN, error));
    if (!(s->power > 0)) return ETS_OK;
    ETS_TRY(run(s, e, PASS_ERRORS, error));
    ETS_TRY(make_room(s, error));
    s->to_see = s->seen / 2 * (2 + s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        if (clock() - start > (clock_t)MOST_SECONDS * CLOCKS_PER_SEC) break;
        if (s->items[i].error.data == NULL) continue;
        s->current = &s->items[i];
        s->projected = s->left = 0;
        ETS_TRY(run(s, e, PASS_SHARE, error));
        struct ets_gap_row *row = &s->report->rows[s->items[i].row];
        row->share = s->projected / s->power;
        row->rest = sqrt(s->left / s->power); /* of the outputs' error, until it is known */
    }
    return ETS_OK;
}

enum ets_status ets_gap_shares_measure(struct ets_gap_report *report,
                                       const struct gap_evaluation *e,
                                       const struct ets_gap_evaluation *how,
                                       struct ets_error *error)
{
    struct shares s = {.report = report, .how = how};
    ets_arena_init(&s.arena, report->options.allocator, 0);
    enum ets_status status = ETS_OK;
    choose(&s);
    if (s.count > 0) status = list_outputs(&s, error);
    for (uint32_t i = 0; i < s.output_count; i++) {
        if (report->rows[s.outputs[i].row].total.broken_count > 0) s.count = 0;
    }
    if (status == ETS_OK && s.count > 0 && s.output_count > 0) status = measure(&s, e, error);
    ets_arena_reset(&s.arena);
    return status;
}
