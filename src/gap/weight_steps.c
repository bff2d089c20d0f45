/* Counts how many steps of its scale a quantized weight uses. */
#include "gap/weight_steps.h"

#include <math.h>

#include "base/text.h"
#include "etscope/numerics.h"
#include "gap/counterparts.h"
#include "gap/gap_details.h"

/* Steps that a coarse channel reaches at most. */
enum { FEW_STEPS = 3 };
/* From a value to the operator that it is the quantized result of. */
enum { MOST_STEPS = 4 };

/* The scale of a node that dequantizes with a single one; NaN: it does not. */
static double scale_of(const struct ets_graph_node *node)
{
    const bool is_it = ets_text_contains(node->op, "dequantize_per_tensor");
    for (uint32_t i = 0; is_it && i < node->input_count; i++) {
        const struct ets_graph_argument *input = &node->inputs[i];
        if (!ets_text_is(input->label, "scale")) continue;
        if (input->kind == ETS_ARGUMENT_FLOAT) return input->float_value;
    }
    return NAN;
}

static bool measure(const struct ets_tensor *value, double step, struct ets_gap_weight_use *use)
{
    struct ets_elements elements;
    double number, squares = 0, of_channel = 0, loudest = 0;
    *use = (struct ets_gap_weight_use){.step = step};
    if (ets_elements_init(&elements, value, NULL) != ETS_OK) return false;
    const uint64_t channels = (uint64_t)value->sizes[0], all = ets_tensor_count(value);
    const uint64_t each = channels > 0 && all > 0 ? all / channels : all;
    use->channel_count = channels;
    while (ets_elements_next(&elements, &number)) {
        if (!isfinite(number)) return false;
        const double size = fabs(number);
        use->count++;
        if (size < step / 2) use->zero_count++;
        squares += number * number;
        if (size > use->largest) use->largest = size;
        if (size > of_channel) of_channel = size;
        if (use->count % each != 0) continue;
        use->coarse_count += of_channel > step / 2 && of_channel < (FEW_STEPS + 0.5) * step;
        if (of_channel > loudest) {
            use->next = loudest;
            loudest = of_channel;
            use->loudest = use->count / each - 1;
        } else if (of_channel > use->next) {
            use->next = of_channel;
        }
        of_channel = 0;
    }
    use->rms = use->count > 0 ? sqrt(squares / (double)use->count) : 0;
    return use->count > 0;
}

enum ets_status ets_gap_weight_steps_see(struct gap_weight_steps *steps,
                                         const struct gap_graph *graph, uint32_t node,
                                         const struct ets_tensor *value, struct ets_error *error)
{
    struct ets_gap_weight_use use;
    const double step = scale_of(graph->nodes[node]);
    if (graph->level[node] > 0 || !(step > 0) || value->rank < 2) return ETS_OK;
    if (!ets_gap_graph_is_of_record(graph, node) || !measure(value, step, &use)) return ETS_OK;
    struct ets_gap_weight_use *items =
        ets_arena_grow(steps->arena, steps->items, steps->count, &steps->capacity, sizeof *items);
    uint32_t *nodes = ets_arena_grow(steps->arena, steps->nodes, steps->count,
                                     &steps->node_capacity, sizeof *nodes);
    if (items != NULL) steps->items = items;
    if (nodes != NULL) steps->nodes = nodes;
    if (items == NULL || nodes == NULL) return gap_fail_memory(error);
    items[steps->count] = use;
    nodes[steps->count++] = node;
    return ETS_OK;
}

struct search {
    const struct gap_weight_steps *steps;
    const struct gap_graph *graph;
    const struct ets_gap_weight_use *found;
    uint32_t maker; /* of the last input; GAP_NONE: no node */
};

static void see_input(void *context, uint32_t value)
{
    struct search *search = context;
    const uint32_t node = search->graph->places[value].node;
    search->maker = node;
    for (uint32_t i = 0; node != GAP_NONE && i < search->steps->count; i++) {
        if (search->steps->nodes[i] == node) search->found = &search->steps->items[i];
    }
}

const struct ets_gap_weight_use *ets_gap_weight_steps_of(const struct gap_weight_steps *steps,
                                                         const struct gap_graph *graph,
                                                         uint32_t node)
{
    struct search search = {.steps = steps, .graph = graph};
    for (int i = 0; i < MOST_STEPS; i++) {
        search.maker = GAP_NONE;
        ets_gap_graph_inputs(graph, node, see_input, &search);
        if (search.found != NULL || !ets_gap_quantizes(graph->nodes[node])) return search.found;
        if (search.maker == GAP_NONE) return NULL;
        node = search.maker; /* what is quantized here */
    }
    return NULL;
}

/* Of so many weights that became 0, one says so: bells lose one or two in a hundred. */
static const double MANY_ZEROS = 0.2;
/* Of so many channels that have but a few steps. */
static const double MANY_COARSE = 0.5;

/* Whether one weight that is far larger than the others sets the step: channels have few steps
 * left.
 */
bool ets_gap_weight_is_cause(const struct ets_gap_weight_use *weight)
{
    if (weight == NULL) return false;
    if ((double)weight->coarse_count >= MANY_COARSE * (double)weight->channel_count &&
        weight->coarse_count > 0) {
        return true;
    }
    return (double)weight->zero_count >= MANY_ZEROS * (double)weight->count &&
           weight->largest >= 8 * weight->rms;
}

uint32_t ets_gap_weight_steps_cause(const struct gap_weight_steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        if (ets_gap_weight_is_cause(&steps->items[i])) return i;
    }
    return GAP_NONE;
}

struct user {
    const struct gap_graph *graph;
    uint32_t weight; /* node */
    bool is_found;
};

static void see_weight(void *context, uint32_t value)
{
    struct user *user = context;
    user->is_found |= user->graph->places[value].node == user->weight;
}

const struct ets_graph_node *ets_gap_weight_steps_user(const struct gap_weight_steps *steps,
                                                       const struct gap_graph *graph,
                                                       uint32_t index)
{
    for (uint32_t i = steps->nodes[index] + 1; i < graph->node_count; i++) {
        struct user user = {graph, steps->nodes[index], false};
        ets_gap_graph_inputs(graph, i, see_weight, &user);
        if (user.is_found) return graph->nodes[i];
    }
    return NULL;
}
