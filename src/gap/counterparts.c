/* Pairs the nodes of a quantized graph with those of its float original. */
#include "gap/counterparts.h"
#include "operators/operator_traits.h"
#include "record/record_maps.h"

#include "inspect/names.h"

bool ets_gap_quantizes(const struct ets_graph_node *node)
{
    return ets_operator_is(node->op, ETS_OPERATOR_QUANTIZATION);
}

/* 1-byte weights are quantized, with any scaling operators. */
static bool is_byte_weight(const struct ets_graph_value *value)
{
    return value != NULL && value->rank >= 2 &&
           (value->scalar_type == ETS_SCALAR_CHAR || value->scalar_type == ETS_SCALAR_BYTE);
}

static bool has_byte_weights(const struct ets_graph *graph)
{
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->inputs[i];
        if (input->role != ETS_INPUT_PARAMETER && input->role != ETS_INPUT_BUFFER) continue;
        if (is_byte_weight(ets_graph_find_value(graph, input->argument.name))) return true;
    }
    return false;
}

bool ets_gap_graph_quantizes(const struct gap_graph *graph)
{
    if (has_byte_weights(graph->graph)) return true;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_text name = ets_operator_base_name(graph->nodes[i]->op);
        const bool is_part = ets_text_starts_with(name, "access_subclass_inner_tensor");
        if (is_part && is_byte_weight(ets_gap_output_value(graph, i, 0))) return true;
        if (ets_gap_quantizes(graph->nodes[i])) return true;
    }
    return false;
}

/* Steps between the smallest and the largest quantized number; 0: unknown. */
static int64_t quantized_range(const struct ets_graph_node *node)
{
    int64_t low = 0, high = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct ets_graph_argument *input = &node->inputs[i];
        if (ets_text_is(input->label, "quant_min")) low = input->int_value;
        if (ets_text_is(input->label, "quant_max")) high = input->int_value;
    }
    return low >= -(1 << 16) && high <= 1 << 16 && low < high ? high - low : 0;
}

enum ets_computes ets_gap_quantizes_to(const struct ets_graph_node *node)
{
    if (!ets_gap_quantizes(node)) return ETS_COMPUTES_EXACT;
    if (ets_text_starts_with(ets_operator_base_name(node->op), "choose_qparams")) {
        return ETS_COMPUTES_DYNAMIC_INT8;
    }
    const int64_t range = quantized_range(node);
    return range > 0 && range < 16 ? ETS_COMPUTES_INT4 : ETS_COMPUTES_STATIC_INT8;
}

/* One of the two graphs. */
struct side {
    const struct gap_graph *graph;
    uint32_t *kind;  /* [node] number of its operator; GAP_NONE: not paired */
    uint32_t *place; /* [node] number of its operator in its module; GAP_NONE: not known */
    bool *is_paired; /* [node] */
};

struct pairing {
    struct ets_arena *arena;
    struct ets_strings kinds, modules;
    struct ets_key_table places; /* kind, module */
    struct side own, other;
    uint32_t *partner; /* [other's node] node of the own graph, or GAP_NONE */
    bool knows_places; /* some are in the same module of both */
};

/* Numbers a node's operator in its module; false: no memory. */
static bool find_place(struct pairing *p, struct side *side, uint32_t node)
{
    const struct ets_text path = ets_graph_module_path(side->graph->nodes[node]);
    if (path.data == NULL) return true;
    const uint32_t module = ets_strings_add(&p->modules, path);
    const uint64_t key[] = {side->kind[node], module};
    if (module == UINT32_MAX) return false;
    side->place[node] = ets_key_table_add(&p->places, key);
    return side->place[node] != ETS_KEY_NONE;
}

static bool init_side(struct pairing *p, struct side *side, const struct gap_graph *graph)
{
    side->graph = graph;
    side->kind = ets_arena_alloc_array(p->arena, graph->node_count, sizeof(uint32_t));
    side->place = ets_arena_alloc_array(p->arena, graph->node_count, sizeof(uint32_t));
    side->is_paired = ets_arena_alloc_array(p->arena, graph->node_count, sizeof(bool));
    if (side->kind == NULL || side->place == NULL || side->is_paired == NULL) return false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_graph_node *node = graph->nodes[i];
        side->kind[i] = side->place[i] = GAP_NONE;
        if (graph->level[i] > 0 || ets_gap_quantizes(node) || ets_gap_output_count(node) != 1)
            continue;
        side->kind[i] = ets_strings_add(&p->kinds, ets_operator_base_name(node->op));
        if (side->kind[i] == UINT32_MAX || !find_place(p, side, i)) return false;
    }
    return true;
}

static void pair(struct pairing *p, uint32_t own, uint32_t other)
{
    p->partner[other] = own;
    p->own.is_paired[own] = p->other.is_paired[other] = true;
}

/* Whether their modules are known, and not the same: then equal names are chance. */
static bool are_elsewhere(const struct pairing *p, uint32_t own, uint32_t other)
{
    const uint32_t a = p->own.place[own], b = p->other.place[other];
    return p->knows_places && a != GAP_NONE && b != GAP_NONE && a != b;
}

/* Counts the nodes of each group that have no pair yet. */
static void count_left(const struct side *side, const uint32_t *group, uint32_t *counts)
{
    for (uint32_t i = 0; i < side->graph->node_count; i++) {
        if (group[i] != GAP_NONE && !side->is_paired[i]) counts[group[i]]++;
    }
}

/* Pairs what is left in order, in each group of which both have the same number. */
static bool pair_by_order(struct pairing *p, const uint32_t *own_group, const uint32_t *other_group,
                          size_t groups)
{
    uint32_t *own_count = ets_arena_alloc_array(p->arena, groups, sizeof *own_count);
    uint32_t *other_count = ets_arena_alloc_array(p->arena, groups, sizeof *other_count);
    uint32_t *first = ets_arena_alloc_array(p->arena, groups + 1, sizeof *first);
    uint32_t *nodes = ets_arena_alloc_array(p->arena, p->own.graph->node_count, sizeof *nodes);
    if (own_count == NULL || other_count == NULL || first == NULL || nodes == NULL) return false;
    count_left(&p->own, own_group, own_count);
    count_left(&p->other, other_group, other_count);
    for (size_t i = 0; i < groups; i++) first[i + 1] = first[i] + own_count[i];
    for (uint32_t i = p->own.graph->node_count; i-- > 0;) {
        const uint32_t group = own_group[i];
        if (group == GAP_NONE || p->own.is_paired[i]) continue;
        nodes[--first[group + 1]] = i; /* the end of each group becomes its start */
    }
    for (uint32_t i = 0; i < p->other.graph->node_count; i++) {
        const uint32_t group = other_group[i];
        if (group == GAP_NONE || p->other.is_paired[i]) continue;
        if (own_count[group] != other_count[group]) continue;
        const uint32_t own = nodes[first[group + 1]++];
        if (!are_elsewhere(p, own, i)) pair(p, own, i);
    }
    return true;
}

struct first_input {
    uint32_t value;
};

static void see_first(void *context, uint32_t value)
{
    struct first_input *input = context;
    if (input->value == GAP_NONE) input->value = value;
}

/* The node that computes the first input of `node`. */
static uint32_t maker_of_first(const struct gap_graph *graph, uint32_t node)
{
    struct first_input input = {GAP_NONE};
    ets_gap_graph_inputs(graph, node, see_first, &input);
    return input.value == GAP_NONE ? GAP_NONE : graph->places[input.value].node;
}

/* The operators whose values a node takes, past nodes that quantize; inputs of the graph are not
 * counted. */
enum { MOST_MAKERS = 3, MOST_STEPS = 4 };

struct makers {
    const struct gap_graph *graph;
    uint32_t nodes[MOST_MAKERS], count;
};

static void see_maker(void *context, uint32_t value)
{
    struct makers *makers = context;
    uint32_t node = makers->graph->places[value].node;
    for (int i = 0; i < MOST_STEPS && node != GAP_NONE; i++) {
        if (!ets_gap_quantizes(makers->graph->nodes[node])) break;
        node = maker_of_first(makers->graph, node);
    }
    if (node == GAP_NONE) return;
    if (makers->count < MOST_MAKERS) makers->nodes[makers->count] = node;
    makers->count++;
}

static struct makers makers_of(const struct gap_graph *graph, uint32_t node)
{
    struct makers makers = {graph, {GAP_NONE, GAP_NONE, GAP_NONE}, 0};
    ets_gap_graph_inputs(graph, node, see_maker, &makers);
    return makers;
}

/* The kind, the place and the makers of a node of one graph, which are nodes of the own graph. */
enum { KEY_WORDS = 3 };

static void key_of(const struct side *side, uint32_t node, const struct makers *makers,
                   uint64_t *key)
{
    key[0] = (uint64_t)side->kind[node] << 32 | side->place[node];
    key[1] = (uint64_t)makers->nodes[0] << 32 | makers->nodes[1];
    key[2] = (uint64_t)makers->nodes[2] << 32 | makers->count;
}

/* Pairs what is left if it is the only one of its kind and module that takes values of pairs. */
static bool pair_by_inputs(struct pairing *p)
{
    struct ets_key_table keys;
    ets_key_table_init(&keys, p->arena, KEY_WORDS);
    const uint32_t count = p->own.graph->node_count;
    uint32_t *only = ets_arena_alloc_array(p->arena, count, sizeof *only);
    uint64_t key[KEY_WORDS];
    if (only == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (p->own.kind[i] == GAP_NONE || p->own.is_paired[i]) continue;
        const struct makers makers = makers_of(p->own.graph, i);
        if (makers.count == 0 || makers.count > MOST_MAKERS) continue;
        key_of(&p->own, i, &makers, key);
        const uint32_t known = keys.count, at = ets_key_table_add(&keys, key);
        if (at == ETS_KEY_NONE) return false;
        only[at] = at == known ? i : GAP_NONE;
    }
    for (uint32_t i = 0; i < p->other.graph->node_count; i++) {
        if (p->other.kind[i] == GAP_NONE || p->other.is_paired[i]) continue;
        struct makers makers = makers_of(p->other.graph, i);
        bool are_paired = makers.count > 0 && makers.count <= MOST_MAKERS;
        for (uint32_t k = 0; are_paired && k < makers.count; k++) {
            makers.nodes[k] = p->partner[makers.nodes[k]];
            are_paired = makers.nodes[k] != GAP_NONE;
        }
        if (!are_paired) continue;
        key_of(&p->other, i, &makers, key);
        const uint32_t at = ets_key_table_find(&keys, key);
        if (at == ETS_KEY_NONE || only[at] == GAP_NONE || p->own.is_paired[only[at]]) continue;
        pair(p, only[at], i);
    }
    return true;
}

/* Whether two nodes take values that are paired, but not with each other. */
static bool take_others(const struct pairing *p, uint32_t own, uint32_t other)
{
    const struct makers one = makers_of(p->own.graph, own), two = makers_of(p->other.graph, other);
    for (uint32_t i = 0; i < MOST_MAKERS && i < one.count && i < two.count; i++) {
        const uint32_t partner = p->partner[two.nodes[i]];
        if (partner == GAP_NONE || !p->own.is_paired[one.nodes[i]]) continue;
        if (partner != one.nodes[i]) return true;
    }
    return false;
}

static void pair_by_name(struct pairing *p)
{
    for (uint32_t i = 0; i < p->other.graph->node_count; i++) {
        const uint32_t kind = p->other.kind[i];
        if (kind == GAP_NONE || p->other.is_paired[i]) continue;
        const struct ets_graph_node *node =
            ets_graph_find_node(p->own.graph->graph, p->other.graph->nodes[i]->name);
        const uint32_t own = node == NULL ? GAP_NONE : ets_gap_graph_number(p->own.graph, node);
        if (own == GAP_NONE || p->own.kind[own] != kind || p->own.is_paired[own]) continue;
        if (!are_elsewhere(p, own, i) && !take_others(p, own, i)) pair(p, own, i);
    }
}

/* A batch norm that only the other graph has, right after a paired node, takes that node's partner.
 */
static void fold_batch_norms(struct pairing *p)
{
    for (uint32_t i = 0; i < p->other.graph->node_count; i++) {
        const struct ets_text name = ets_operator_base_name(p->other.graph->nodes[i]->op);
        if (p->other.kind[i] == GAP_NONE || p->partner[i] != GAP_NONE) continue;
        if (!ets_text_is(name, "batch_norm") && !ets_text_starts_with(name, "_native_batch_norm")) {
            continue;
        }
        const uint32_t before = maker_of_first(p->other.graph, i);
        if (before == GAP_NONE || p->partner[before] == GAP_NONE) continue;
        p->partner[i] = p->partner[before];
        p->partner[before] = GAP_NONE;
        p->other.kind[before] = GAP_NONE; /* its value is taken, so it is not missing */
    }
}

/* The node of user output `index`, or GAP_NONE. */
static uint32_t output_node(const struct gap_graph *graph, uint32_t index)
{
    for (uint32_t i = 0; i < graph->graph->output_count; i++) {
        const struct ets_graph_output *output = &graph->graph->outputs[i];
        if (output->role != ETS_OUTPUT_USER || index-- > 0) continue;
        const uint32_t value = ets_gap_graph_value(graph, 0, output->argument.name);
        return value == GAP_NONE ? GAP_NONE : graph->places[value].node;
    }
    return GAP_NONE;
}

/* Outputs of the models are pairs by their position, however they are computed. */
static void pair_outputs(struct pairing *p)
{
    bool have_pairs = false;
    for (uint32_t i = 0; i < p->other.graph->node_count; i++)
        have_pairs |= p->partner[i] != GAP_NONE;
    if (!have_pairs) return; /* models with nothing in common */
    for (uint32_t i = 0; i < p->other.graph->graph->output_count; i++) {
        const uint32_t own = output_node(p->own.graph, i), other = output_node(p->other.graph, i);
        if (own == GAP_NONE || other == GAP_NONE || p->partner[other] != GAP_NONE) continue;
        if (p->other.kind[other] == GAP_NONE) continue;
        p->partner[other] = own;
    }
}

static bool takes(const struct gap_graph *graph, uint32_t node, uint32_t maker)
{
    const struct makers makers = makers_of(graph, node);
    return makers.count == 1 && makers.nodes[0] == maker;
}

/*
 * Where the program computes two operators in the other order, what leaves the second of each model
 * is the pair; what is between them has none. `swapped_out`: the first such, in the order of the
 * other model.
 */
static void pair_swapped(struct pairing *p, uint32_t swapped_out[2])
{
    swapped_out[0] = swapped_out[1] = GAP_NONE;
    for (uint32_t second = 0; second < p->other.graph->node_count; second++) {
        const struct makers makers = makers_of(p->other.graph, second);
        const uint32_t own = p->partner[second], first = makers.nodes[0];
        if (makers.count != 1 || own == GAP_NONE || p->partner[first] == GAP_NONE) continue;
        const uint32_t own_of_first = p->partner[first];
        if (!takes(p->own.graph, own_of_first, own)) continue;
        p->partner[second] = own_of_first;
        p->partner[first] = GAP_NONE;
        p->other.kind[first] = GAP_NONE; /* it is not missing */
        if (swapped_out[0] != GAP_NONE) continue;
        swapped_out[0] = first;
        swapped_out[1] = second;
    }
}

/* [node] its dequantize node, or itself; NULL: no memory. */
static uint32_t *find_values(struct ets_arena *arena, const struct gap_graph *graph)
{
    uint32_t *value = ets_arena_alloc_array(arena, graph->node_count, sizeof *value);
    for (uint32_t i = 0; value != NULL && i < graph->node_count; i++) value[i] = i;
    for (uint32_t i = 0; value != NULL && i < graph->node_count; i++) {
        const struct ets_text name = ets_operator_base_name(graph->nodes[i]->op);
        if (graph->level[i] > 0 || !ets_text_starts_with(name, "dequantize_")) continue;
        const uint32_t quantize = maker_of_first(graph, i);
        if (quantize == GAP_NONE || !ets_gap_quantizes(graph->nodes[quantize])) continue;
        const uint32_t node = maker_of_first(graph, quantize);
        if (node != GAP_NONE && value[node] == node) value[node] = i;
    }
    return value;
}

/* Quantized values are compared with quantized values of the other graph, if it has them. */
static struct gap_counterpart pair_values(uint32_t own, const uint32_t *own_value, uint32_t other,
                                          const uint32_t *other_value)
{
    const bool is_quantized = own_value[own] != own;
    return (struct gap_counterpart){own_value[own], is_quantized ? other_value[other] : other};
}

enum ets_status ets_gap_counterparts_find(struct ets_arena *arena, const struct gap_graph *own,
                                          const struct gap_graph *other,
                                          struct gap_counterpart **pairs_out, uint32_t *count_out,
                                          uint32_t *unpaired_out, uint32_t swapped_out[2],
                                          struct ets_error *error)
{
    struct pairing p = {.arena = arena};
    const size_t kinds = (size_t)own->node_count + other->node_count + 1;
    p.partner = ets_arena_alloc_array(arena, other->node_count, sizeof *p.partner);
    *pairs_out = ets_arena_alloc_array(arena, other->node_count, sizeof **pairs_out);
    ets_key_table_init(&p.places, arena, 2);
    if (p.partner == NULL || *pairs_out == NULL || ets_strings_init(&p.kinds, arena) != 0 ||
        ets_strings_init(&p.modules, arena) != 0 || !init_side(&p, &p.own, own) ||
        !init_side(&p, &p.other, other)) {
        return gap_fail_memory(error);
    }
    for (uint32_t i = 0; i < other->node_count; i++) p.partner[i] = GAP_NONE;
    const uint32_t *own_value = find_values(arena, own), *other_value = find_values(arena, other);
    if (own_value == NULL || other_value == NULL ||
        !pair_by_order(&p, p.own.place, p.other.place, kinds)) {
        return gap_fail_memory(error);
    }
    for (uint32_t i = 0; i < other->node_count; i++) p.knows_places |= p.other.is_paired[i];
    if (!pair_by_order(&p, p.own.kind, p.other.kind, kinds)) return gap_fail_memory(error);
    if (!pair_by_inputs(&p)) return gap_fail_memory(error);
    pair_by_name(&p);
    fold_batch_norms(&p);
    pair_swapped(&p, swapped_out);
    pair_outputs(&p);
    *count_out = *unpaired_out = 0;
    for (uint32_t i = 0; i < other->node_count; i++) {
        if (p.partner[i] != GAP_NONE) {
            (*pairs_out)[(*count_out)++] = pair_values(p.partner[i], own_value, i, other_value);
        } else {
            *unpaired_out += p.other.kind[i] != GAP_NONE;
        }
    }
    return ETS_OK;
}
