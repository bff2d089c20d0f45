/*
 * Finds the stack of layers that takes the most time, and which of its layers differ. Layers are
 * compared by their medians over the runs: a mean of few runs is one of the machine's pauses.
 */
#include "views/layer_times.h"

#include <math.h>

#include "base/quantile.h"
#include "base/text.h"
#include "views/sentence_numbers.h"

/* A layer differs if it is this far from the median, and this many times as far as layers are. */
#define LEAST_DIFFERENCE 0.25
#define LEAST_DEVIATIONS 5.0
#define DEVIATION_OF_MEDIAN 1.4826 /* of a normal distribution, from its median deviation */

/* "model.layers" of "model.layers.3"; size 0: it is no layer. */
static struct ets_text stack_of(struct ets_text layer)
{
    size_t dot = layer.size;
    while (dot > 0 && layer.data[dot - 1] >= '0' && layer.data[dot - 1] <= '9') dot--;
    const bool is_layer = dot > 1 && dot < layer.size && layer.data[dot - 1] == '.';
    return is_layer ? (struct ets_text){layer.data, dot - 1} : (struct ets_text){"", 0};
}

static bool is_of(const struct ets_operator_line *line, struct ets_text stack)
{
    return line->row == ETS_NO_INDEX && ets_text_equal(stack_of(line->name), stack);
}

static struct ets_text largest_stack(const struct ets_operator_lines *lines)
{
    struct ets_text largest = {"", 0};
    double most = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_text stack = stack_of(lines->items[i].name);
        double time = 0;
        if (stack.size == 0 || ets_text_equal(stack, largest)) continue;
        for (uint32_t j = i; j < lines->count; j++) {
            if (is_of(&lines->items[j], stack)) time += lines->items[j].times.middle;
        }
        if (time > most) {
            most = time;
            largest = stack;
        }
    }
    return largest;
}

static double median_of(double *values, uint32_t count)
{
    ets_sort_doubles(values, count);
    return ets_quantile(values, count, 0.5);
}

static struct ets_span span_of(const struct ets_operator_line *line)
{
    return ets_span_of(line->times.statistics.p50, line->error, 1);
}

/* How far apart two spans are; 0: they meet. */
static double distance(struct ets_span span, struct ets_span usual)
{
    return fmax(fmax(span.lower - usual.upper, usual.lower - span.upper), 0);
}

/* The layers' lower bounds, upper bounds or what is between, by `part` from 0 to 1. */
static double median_at(const struct ets_operator_lines *lines, struct ets_text stack, double part,
                        double *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_span span = span_of(&lines->items[i]);
        if (!is_of(&lines->items[i], stack)) continue;
        values[count++] = span.lower + part * (span.upper - span.lower);
    }
    return median_of(values, count);
}

/* What layers are apart from the median, in the median. */
static double deviation_of(const struct ets_operator_lines *lines, struct ets_text stack,
                           double median, double *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_span span = span_of(&lines->items[i]);
        if (is_of(&lines->items[i], stack)) {
            values[count++] = fabs((span.lower + span.upper) / 2 - median);
        }
    }
    return DEVIATION_OF_MEDIAN * median_of(values, count);
}

static void add_usual(struct ets_layer_times *found, struct ets_span span)
{
    found->range.lower = fmin(found->range.lower, span.lower);
    found->range.upper = fmax(found->range.upper, span.upper);
}

bool ets_layer_times_find(struct ets_arena *arena, const struct ets_operator_lines *lines,
                          struct ets_layer_times *layers_out)
{
    struct ets_layer_times found = {.stack = largest_stack(lines), .range = {INFINITY, 0}};
    double *values = ets_arena_alloc_array(arena, (size_t)lines->count + 1, sizeof *values);
    double farthest = 0;
    if (values == NULL) return false;
    for (uint32_t i = 0; found.stack.size > 0 && i < lines->count; i++) {
        found.count += is_of(&lines->items[i], found.stack);
    }
    *layers_out = found;
    if (found.count < ETS_LEAST_LAYERS) return true;
    found.median = median_at(lines, found.stack, 0.5, values);
    const struct ets_span usual = {median_at(lines, found.stack, 0, values),
                                   median_at(lines, found.stack, 1, values)};
    const double deviation = deviation_of(lines, found.stack, found.median, values);
    const double least = fmax(LEAST_DIFFERENCE * found.median, LEAST_DEVIATIONS * deviation);
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_span span = span_of(&lines->items[i]);
        const double away = distance(span, usual);
        if (!is_of(&lines->items[i], found.stack)) continue;
        if (away <= least) {
            add_usual(&found, span);
            continue;
        }
        found.odd_count++;
        if (away <= farthest) continue;
        farthest = away;
        found.odd = lines->items[i].name;
        found.odd_time = span;
    }
    *layers_out = found;
    return true;
}

size_t ets_layer_times_print(const struct ets_layer_times *layers, uint32_t runs, double tick_ns,
                             char *text, size_t room)
{
    struct ets_text_builder note = {text, room, 0};
    const double scale = ets_time_scale(layers->median, tick_ns);
    if (layers->count < ETS_LEAST_LAYERS) return 0;
    if (layers->odd_count == 0) {
        ets_add_text(&note, "the %u layers of %.*s take ", layers->count, ETS_TEXT(layers->stack));
        ets_add_time_in(&note, layers->range, tick_ns, scale);
        ets_add_text(&note, " each; none stands out");
        return note.used;
    }
    ets_add_text(&note, "%.*s takes ", ETS_TEXT(layers->odd));
    ets_add_time_in(&note, layers->odd_time, tick_ns, scale);
    if (layers->odd_count > 1) {
        ets_add_text(&note, ", and %u more of the %u layers of %.*s differ", layers->odd_count - 1,
                     layers->count, ETS_TEXT(layers->stack));
    } else {
        ets_add_text(&note, ", unlike the other %u layers of %.*s", layers->count - 1,
                     ETS_TEXT(layers->stack));
    }
    ets_add_text(&note, layers->odd_count > 1 ? ": the others take " : ", which take ");
    ets_add_time_in(&note, layers->range, tick_ns, scale);
    if (runs == 1) ets_add_text(&note, ", in this one run");
    return note.used;
}
