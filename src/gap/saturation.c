/* Measures what fixed scales cut off. */
#include "gap/saturation.h"

#include <math.h>

#include "base/text.h"
#include "etscope/numerics.h"
#include "gap/counterparts.h"
#include "reference/weights.h"

/* From a value to what was quantized: dequantize, quantize. */
enum { MOST_STEPS = 4, LEAST_BEYOND = 8 };

/* Values of so few steps of their scale are coarse, if what shares it reaches as many more. */
enum { FEW_STEPS = 8, TIMES_MORE = 8 };

struct parameters {
    double scale;
    int64_t zero_point, least, most;
    uint32_t found;
};

/* The parameters of a node that quantizes a tensor with constants. */
static bool read_parameters(const struct ets_graph_node *node, struct parameters *p)
{
    *p = (struct parameters){.found = 0};
    if (!ets_text_contains(node->op, "quantize_per_tensor") ||
        ets_text_contains(node->op, "dequantize_per_tensor")) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct ets_graph_argument *input = &node->inputs[i];
        const bool is_int = input->kind == ETS_ARGUMENT_INT;
        if (ets_text_is(input->label, "scale") && input->kind == ETS_ARGUMENT_FLOAT) {
            p->scale = input->float_value;
            p->found |= 1;
        } else if (ets_text_is(input->label, "zero_point") && is_int) {
            p->zero_point = input->int_value;
            p->found |= 2;
        } else if (ets_text_is(input->label, "quant_min") && is_int) {
            p->least = input->int_value;
            p->found |= 4;
        } else if (ets_text_is(input->label, "quant_max") && is_int) {
            p->most = input->int_value;
            p->found |= 8;
        }
    }
    return p->found == 15 && p->scale > 0 && isfinite(p->scale) && p->least < p->most;
}

static void see_first(void *context, uint32_t value)
{
    uint32_t *first = context;
    if (*first == GAP_NONE) *first = value;
}

/* The value that a node takes first, or GAP_NONE. */
static uint32_t first_of(const struct gap_graph *graph, uint32_t node)
{
    uint32_t first = GAP_NONE;
    ets_gap_graph_inputs(graph, node, see_first, &first);
    return first;
}

/* Its node, or GAP_NONE. */
static uint32_t maker_of(const struct gap_graph *graph, uint32_t node)
{
    const uint32_t first = first_of(graph, node);
    return first == GAP_NONE ? GAP_NONE : graph->places[first].node;
}

/* Number of an input among those that a run is given; GAP_NONE: it is not. */
static uint32_t number_of_input(const struct gap_graph *graph, uint32_t value)
{
    uint32_t number = 0;
    if (value == GAP_NONE || !ets_gap_graph_is_user(graph, value)) return GAP_NONE;
    for (uint32_t i = 0; i < graph->places[value].output; i++) {
        number += ets_reference_input_is_given(&graph->graph->inputs[i]);
    }
    return number;
}

enum ets_status ets_gap_saturations_find(struct gap_saturations *saturations,
                                         struct ets_arena *arena, const struct gap_graph *graph,
                                         struct ets_error *error)
{
    *saturations = (struct gap_saturations){.graph = graph};
    saturations->items =
        ets_arena_alloc_array(arena, graph->node_count, sizeof *saturations->items);
    if (saturations->items == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct parameters p;
        if (graph->level[i] > 0 || !read_parameters(graph->nodes[i], &p)) continue;
        const uint32_t maker = maker_of(graph, i);
        const uint32_t input = number_of_input(graph, first_of(graph, i));
        if (maker == GAP_NONE && input == GAP_NONE) continue;
        saturations->items[saturations->count++] =
            (struct gap_saturation){.quantize = i,
                                    .maker = maker,
                                    .step = p.scale,
                                    .seen = {.node = maker == GAP_NONE ? NULL : graph->nodes[maker],
                                             .input = input,
                                             .lowest = (double)(p.least - p.zero_point) * p.scale,
                                             .highest = (double)(p.most - p.zero_point) * p.scale}};
    }
    return ETS_OK;
}

uint32_t ets_gap_quantized_node(const struct gap_graph *graph, uint32_t node)
{
    for (int step = 0; step < MOST_STEPS && node != GAP_NONE; step++) {
        if (!ets_gap_quantizes(graph->nodes[node])) return node;
        node = maker_of(graph, node);
    }
    return GAP_NONE;
}

static void measure(struct gap_saturation *saturation, const struct ets_tensor *value)
{
    struct ets_gap_saturation *seen = &saturation->seen;
    struct ets_elements elements;
    double number, cut = 0, squares = 0;
    if (ets_elements_init(&elements, value, NULL) != ETS_OK) return;
    seen->count = seen->low_count = seen->high_count = 0;
    seen->smallest = INFINITY;
    seen->largest = -INFINITY;
    while (ets_elements_next(&elements, &number)) {
        if (!isfinite(number)) continue;
        const double over = fmax(number - seen->highest, seen->lowest - number);
        seen->count++;
        squares += number * number;
        seen->smallest = fmin(seen->smallest, number);
        seen->largest = fmax(seen->largest, number);
        if (over <= saturation->step / 2) continue; /* it is only rounded */
        cut += over * over;
        seen->low_count += number < seen->lowest;
        seen->high_count += number > seen->highest;
    }
    /* A handful of numbers is no evidence. */
    const bool is_evidence = seen->low_count + seen->high_count >= LEAST_BEYOND;
    seen->error = squares > 0 && is_evidence ? sqrt(cut / squares) : 0;
}

void ets_gap_saturations_see_inputs(struct gap_saturations *saturations,
                                    const struct ets_value *inputs, size_t count)
{
    for (uint32_t i = 0; i < saturations->count; i++) {
        struct gap_saturation *item = &saturations->items[i];
        if (item->maker != GAP_NONE || item->seen.input >= count) continue;
        const struct ets_value *input = &inputs[item->seen.input];
        if (input->kind == ETS_VALUE_TENSOR) measure(item, &input->as.tensor);
    }
}

void ets_gap_saturations_see(struct gap_saturations *saturations, uint32_t node,
                             const struct ets_tensor *value)
{
    for (uint32_t i = 0; i < saturations->count; i++) {
        if (saturations->items[i].maker == node) measure(&saturations->items[i], value);
    }
}

/* What the first to quantize a node's value cuts off; NULL: nothing. */
static const struct ets_gap_saturation *seen_behind(const struct gap_saturations *saturations,
                                                    uint32_t maker)
{
    for (uint32_t i = 0; i < saturations->count; i++) {
        const struct gap_saturation *item = &saturations->items[i];
        if (item->maker == maker && item->seen.error > 0) return &item->seen;
    }
    return NULL;
}

const struct ets_gap_saturation *ets_gap_saturation_of(const struct gap_saturations *saturations,
                                                       uint32_t node)
{
    if (saturations->count == 0 || node == GAP_NONE) return NULL;
    if (!ets_gap_quantizes(saturations->graph->nodes[node])) return seen_behind(saturations, node);
    for (int step = 0; step < MOST_STEPS && node != GAP_NONE; step++) {
        if (!ets_gap_quantizes(saturations->graph->nodes[node])) return NULL;
        for (uint32_t i = 0; i < saturations->count; i++) {
            const struct gap_saturation *item = &saturations->items[i];
            if (item->quantize == node) return item->seen.error > 0 ? &item->seen : NULL;
        }
        node = maker_of(saturations->graph, node);
    }
    return NULL;
}

static double reach_of(const struct ets_gap_saturation *seen)
{
    return fmax(fabs(seen->smallest), fabs(seen->largest));
}

struct takers {
    const struct gap_graph *graph;
    uint32_t maker; /* whose value is looked for, before it is quantized */
    bool is_taken;
};

static void see_taken(void *context, uint32_t value)
{
    struct takers *takers = context;
    const uint32_t node = takers->graph->places[value].node;
    takers->is_taken |= ets_gap_quantized_node(takers->graph, node) == takers->maker;
}

static bool takes(const struct gap_graph *graph, uint32_t node, uint32_t maker)
{
    struct takers takers = {graph, maker, false};
    ets_gap_graph_inputs(graph, node, see_taken, &takers);
    return takers.is_taken;
}

/* What joins values has one scale for all of them: the exporter gives it to each. */
static void find_shared(const struct gap_saturations *saturations,
                        const struct gap_saturation *coarse, struct ets_gap_coarse_scale *out)
{
    for (uint32_t i = 0; i < saturations->count; i++) {
        const struct gap_saturation *item = &saturations->items[i];
        const bool is_alike = item->maker != GAP_NONE && item->step == coarse->step &&
                              item->seen.count > 0 &&
                              reach_of(&item->seen) >= TIMES_MORE * out->reach;
        if (!is_alike || item->maker == coarse->maker) continue;
        if (!takes(saturations->graph, item->maker, coarse->maker)) continue;
        out->shared = saturations->graph->nodes[item->maker];
        out->shared_reach = reach_of(&item->seen);
        return;
    }
}

void ets_gap_saturations_find_coarse(const struct gap_saturations *saturations, uint32_t node,
                                     struct ets_gap_coarse_scale *coarse_out)
{
    *coarse_out = (struct ets_gap_coarse_scale){.node = NULL};
    for (uint32_t i = 0; i < saturations->count; i++) {
        const struct gap_saturation *item = &saturations->items[i];
        const double reach = reach_of(&item->seen);
        if (item->maker != node || item->seen.count == 0) continue;
        const double range = fmax(fabs(item->seen.lowest), fabs(item->seen.highest));
        if (!(reach > 0) || reach >= FEW_STEPS * item->step || TIMES_MORE * reach >= range) {
            continue;
        }
        coarse_out->node = saturations->graph->nodes[node];
        coarse_out->step = item->step;
        coarse_out->reach = reach;
        find_shared(saturations, item, coarse_out);
        return;
    }
}

void ets_gap_saturations_clear(struct gap_saturations *saturations,
                               const struct ets_gap_saturation *seen)
{
    for (uint32_t i = 0; i < saturations->count; i++) {
        if (&saturations->items[i].seen == seen) saturations->items[i].seen.error = 0;
    }
}

void ets_gap_saturations_judge(const struct gap_saturations *saturations,
                               struct ets_gap_conclusion *verdict)
{
    const double most = ets_tolerance_of(ETS_COMPUTES_STATIC_INT8)->tolerance.of_rms;
    for (uint32_t i = 0; i < saturations->count; i++) {
        const struct ets_gap_saturation *seen = &saturations->items[i].seen;
        if (!(seen->error > most)) continue;
        if (verdict->saturated++ == 0) verdict->saturation = seen;
    }
}
