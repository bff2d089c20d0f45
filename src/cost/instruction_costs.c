/* Picks, for each instruction, what tells its work: values of the program, a payload, the graph. */
#include "cost/instruction_costs.h"

#include "base/text.h"
#include "inspect/names.h"
#include "operators/operator_traits.h"
#include "payload/payload_events.h"

enum { MOST_NODES = 1 << 24 };

/* What a number in the table of known totals is of; larger than any count of nodes, doubled. */
#define OF_INSTRUCTION UINT64_MAX
#define OF_BOUNDS (UINT64_MAX - 1)

/* Keeps the names of the first different ones; of more it is not told which are. */
static void add_unruled(struct ets_total_cost *total, struct ets_text name)
{
    const uint32_t kept =
        total->unruled_count < ETS_UNRULED_NAMES ? total->unruled_count : ETS_UNRULED_NAMES;
    if (name.size == 0) return;
    for (uint32_t i = 0; i < kept; i++) {
        if (ets_text_equal(total->unruled[i], name)) return;
    }
    if (kept < ETS_UNRULED_NAMES) total->unruled[kept] = name;
    total->unruled_count = kept + 1;
}

void ets_total_cost_add(struct ets_total_cost *total, const struct ets_total_cost *part,
                        uint64_t times)
{
    struct ets_cost product = part->cost;
    ets_cost_multiply(&product, times);
    const uint32_t unknown = total->cost.unknown;
    ets_cost_add(&total->cost, &product);
    for (uint32_t i = 0; i < part->unruled_count && i < ETS_UNRULED_NAMES; i++) {
        add_unruled(total, part->unruled[i]);
    }
    if (part->unruled_count > ETS_UNRULED_NAMES) total->unruled_count = part->unruled_count;
    if (total->cost.unknown - unknown > (uint64_t)part->cost.unknown * times)
        return; /* too large */
    for (int i = 0; i < ETS_FAMILY_COUNT; i++) {
        /* Parts of what fits, which was just checked. */
        total->families[i].flops += part->families[i].flops * times;
        total->families[i].operators += part->families[i].operators * (uint32_t)times;
    }
}

void ets_total_cost_divide(struct ets_total_cost *total, uint64_t times)
{
    ets_cost_divide(&total->cost, times);
    for (int i = 0; i < ETS_FAMILY_COUNT; i++) {
        total->families[i].flops /= times;
        total->families[i].operators /= (uint32_t)times;
    }
}

/* One operator among those of a total. */
static void add_operator(struct ets_total_cost *total, const struct ets_cost *work,
                         struct ets_text name)
{
    struct ets_family_cost *family = &total->families[work->family];
    if (work->unknown > 0 && work->reason == ETS_COST_NO_RULE) add_unruled(total, name);
    if (ets_cost_state(work) != ETS_COST_KNOWN || work->folded > 0) return;
    family->flops += ets_cost_flops(work);
    family->operators++;
}

bool ets_instruction_costs_open(struct ets_arena *arena, const struct ets_method *method,
                                const struct ets_graph *graph,
                                struct ets_instruction_costs *costs_out)
{
    *costs_out = (struct ets_instruction_costs){
        .arena = arena, .has_method = method != NULL, .node_budget = MOST_NODES};
    ets_key_table_init(&costs_out->known, arena, 2);
    if (graph != NULL) {
        costs_out->graph = ets_graph_costs_open(arena, graph);
        if (costs_out->graph == NULL) return false;
    }
    if (method == NULL) return true;
    costs_out->method = *method;
    ets_payload_store_init(&costs_out->payloads, arena, method->program);
    costs_out->delegates =
        ets_arena_alloc_array(arena, method->delegate_count, sizeof *costs_out->delegates);
    return costs_out->delegates != NULL &&
           ets_method_costs_open(arena, method, &costs_out->kernels);
}

void ets_instruction_costs_close(struct ets_instruction_costs *costs)
{
    ets_graph_costs_close(costs->graph);
    if (costs->has_method) ets_method_costs_close(&costs->kernels);
}

/* For the run at hand; what it reads of weights is told only for that of a language model. */
static void set_sizes(const struct ets_instruction_costs *c, struct ets_delegate_cost *delegate)
{
    delegate->costs.sizes = c->has_sizes && delegate->is_dynamic ? &c->sizes : NULL;
    delegate->costs.argument_count = c->has_sizes ? delegate->argument_count : 0;
}

/* The delegate of a call whose payload can be read; NULL: none. *ok false: no memory. */
static struct ets_delegate_cost *delegate_of(struct ets_instruction_costs *c,
                                             const struct ets_instruction *instruction, bool *ok)
{
    struct ets_delegate delegate;
    if (instruction == NULL || instruction->kind != ETS_INSTRUCTION_DELEGATE_CALL) return NULL;
    struct ets_delegate_cost *known = &c->delegates[instruction->delegate_index];
    if (known->state != ETS_DELEGATE_NEW) {
        return known->state == ETS_DELEGATE_READ ? known : NULL;
    }
    known->state = ETS_DELEGATE_UNREAD;
    known->is_dynamic = ets_method_costs_shapes(&c->kernels, instruction).is_dynamic;
    ets_method_delegate(&c->method, (uint32_t)instruction->delegate_index, &delegate);
    const struct ets_payload_graph *graph;
    *ok = ets_payload_store_read(&c->payloads, &delegate, &graph, NULL, NULL) == ETS_OK;
    if (graph == NULL) return NULL;
    known->counted = ets_arena_alloc_array(c->arena, graph->node_count, sizeof *known->counted);
    *ok = known->counted != NULL && ets_payload_costs_open(c->arena, graph, &known->costs);
    if (!*ok) return NULL;
    const uint32_t arguments = instruction->argument_count;
    bool *is_constant = ets_arena_alloc_array(c->arena, arguments, sizeof *is_constant);
    *ok = is_constant != NULL;
    if (!*ok) return NULL;
    ets_method_costs_constants(&c->kernels, instruction, is_constant);
    known->costs.is_constant_argument = is_constant;
    known->argument_count = arguments;
    known->state = ETS_DELEGATE_READ;
    set_sizes(c, known);
    return known;
}

/* Of a kernel, as the program calls it. */
static struct ets_text name_of(const struct ets_cost_query *query)
{
    return query->instruction != NULL ? query->instruction->name : query->kernel;
}

/* Counted once, however many instructions call the delegate. */
static void total_of_payload(struct ets_delegate_cost *delegate, struct ets_total_cost *total)
{
    struct ets_total_cost *known = &delegate->total;
    if (!delegate->has_total) {
        *known = (struct ets_total_cost){.cost = ets_payload_cost(&delegate->costs, NULL, 0)};
        for (uint32_t i = 0; i < delegate->costs.graph->node_count; i++) {
            const struct ets_cost work = ets_payload_node_work(&delegate->costs, i);
            add_operator(known, &work, delegate->costs.graph->nodes[i].name);
        }
        delegate->has_total = true;
    }
    *total = *known;
}

/* Small files can have the same nodes listed many times. */
static bool spend_nodes(struct ets_instruction_costs *c, const struct ets_cost_query *query)
{
    const uint64_t nodes = (uint64_t)query->node_count + query->handle_count;
    if (nodes > c->node_budget) return false;
    c->node_budget -= nodes;
    return true;
}

/* The place of a total by its key, *is_new_out where it is still to be counted; NULL: no memory. */
static struct ets_total_cost *find_total(struct ets_instruction_costs *c, uint64_t of,
                                         uint64_t what, bool *is_new_out)
{
    const uint64_t key[] = {of, what};
    const uint32_t before = c->known.count;
    const uint32_t number = ets_key_table_add(&c->known, key);
    if (number == ETS_KEY_NONE) return NULL;
    struct ets_total_cost *totals =
        ets_arena_grow(c->arena, c->totals, number, &c->capacity, sizeof *totals);
    if (totals == NULL) return NULL;
    c->totals = totals;
    *is_new_out = number == before;
    return &totals[number];
}

/* Whether a call's sizes are upper bounds, and what of its inputs the run before left. false: no
 * memory. */
static bool find_bounds(struct ets_instruction_costs *c, const struct ets_instruction *instruction,
                        bool is_whole_call, struct ets_cost *cost)
{
    bool is_new;
    if (instruction == NULL || ets_cost_state(cost) == ETS_COST_UNKNOWN) return true;
    struct ets_total_cost *known = find_total(c, instruction->instruction_id, OF_BOUNDS, &is_new);
    if (known == NULL) return false;
    if (is_new) {
        const struct ets_call_shapes shapes = ets_method_costs_shapes(&c->kernels, instruction);
        known->cost.at_most = shapes.is_bounded;
        known->cost.state_bytes = shapes.state_bytes;
    }
    if (known->cost.at_most) cost->at_most = true;
    const uint64_t state = known->cost.state_bytes;
    if (is_whole_call) cost->state_bytes = state < cost->bytes_read ? state : cost->bytes_read;
    return true;
}

/* Nodes that a delegate took, of those that have the handles of its call. */
struct taken {
    const struct ets_graph_node **nodes;
    size_t count;
    uint32_t doubtful; /* that it took of others, which are not all its own */
};

/* How many entries of a call's list the nodes have, from `first` on to the last of one handle: a
 * node with several results has one for each that is used, at least two. */
static size_t entries_of(const struct ets_cost_query *query, size_t first, size_t *end_out)
{
    size_t entries = 0, i = first;
    for (; i < query->node_count && query->nodes[i].handle == query->nodes[first].handle; i++) {
        entries += query->nodes[i].node->output_count > 1 ? 2 : 1;
    }
    *end_out = i;
    return entries;
}

/*
 * The record's list names a handle once for each node that the call took; the nodes of a handle
 * need not all be among them, as a decomposed operator's may be partly delegated. Where the list is
 * too short for all of them, it is not known which ones it took.
 */
static bool find_taken(struct ets_instruction_costs *c, const struct ets_cost_query *query,
                       bool is_whole_call, struct taken *out)
{
    *out = (struct taken){
        .nodes = ets_arena_alloc_array(c->arena, query->node_count, sizeof *out->nodes)};
    struct ets_key_table handles;
    uint32_t *listed = ets_arena_alloc_array(c->arena, query->handle_count, sizeof *listed);
    if (out->nodes == NULL || listed == NULL) return false;
    ets_key_table_init(&handles, c->arena, 1);
    for (size_t i = 0; is_whole_call && i < query->handle_count; i++) {
        const uint64_t key = (uint64_t)query->handles[i];
        const uint32_t number = ets_key_table_add(&handles, &key);
        if (number == ETS_KEY_NONE) return false;
        listed[number]++;
    }
    for (size_t i = 0, end = 0; i < query->node_count; i = end) {
        const uint64_t key = (uint64_t)query->nodes[i].handle;
        const uint32_t number = ets_key_table_find(&handles, &key);
        const size_t entries = entries_of(query, i, &end);
        if (number != ETS_KEY_NONE && listed[number] < entries) {
            out->doubtful += listed[number];
            continue;
        }
        for (size_t k = i; k < end; k++) out->nodes[out->count++] = query->nodes[k].node;
    }
    return true;
}

/* Which batch norms went into weights, only the graph knows. */
static bool count_folded(struct ets_instruction_costs *c, const struct ets_cost_query *query,
                         struct ets_cost *cost)
{
    struct taken taken;
    struct ets_cost of_nodes;
    if (c->graph == NULL || query->node_count == 0 || !spend_nodes(c, query)) return true;
    if (!find_taken(c, query, false, &taken) ||
        !ets_graph_costs_set(c->graph, taken.nodes, taken.count, query->folds, &of_nodes)) {
        return false;
    }
    cost->folded = of_nodes.folded;
    return true;
}

static bool total_of_nodes(struct ets_instruction_costs *c, const struct ets_cost_query *query,
                           bool is_whole_call, struct ets_total_cost *total)
{
    struct taken taken;
    if (!spend_nodes(c, query)) {
        total->cost = ets_cost_unknown(ETS_COST_TOO_LARGE);
        return true;
    }
    if (!find_taken(c, query, is_whole_call, &taken) ||
        !ets_graph_costs_set(c->graph, taken.nodes, taken.count, query->folds, &total->cost)) {
        return false;
    }
    for (size_t i = 0; i < taken.count; i++) {
        struct ets_cost work;
        if (!ets_graph_costs_work(c->graph, taken.nodes[i], query->folds, &work)) return false;
        add_operator(total, &work, taken.nodes[i]->op);
    }
    if (taken.doubtful > 0) {
        struct ets_cost doubt = ets_cost_unknown(ETS_COST_NO_PAYLOAD);
        doubt.unknown = taken.doubtful;
        ets_cost_add(&total->cost, &doubt);
    }
    return true;
}

static bool is_equal(const struct ets_cost *a, const struct ets_cost *b)
{
    return a->operators == b->operators && a->macs == b->macs && a->ops == b->ops &&
           a->special == b->special && a->bytes_read == b->bytes_read &&
           a->bytes_written == b->bytes_written && a->weight_bytes == b->weight_bytes;
}

/*
 * Of a kernel the node of its name. A handle may be of several nodes, of one operator taken apart:
 * where these differ in cost, it is not known which one the kernel is.
 */
static bool cost_of_kernel_node(struct ets_instruction_costs *c, const struct ets_cost_query *query,
                                struct ets_cost *cost_out)
{
    const struct ets_text base = ets_operator_base_name(query->kernel);
    bool has_one = false;
    *cost_out = ets_cost_unknown(spend_nodes(c, query) ? ETS_COST_NO_SHAPE : ETS_COST_TOO_LARGE);
    if (cost_out->reason == ETS_COST_TOO_LARGE) return true;
    for (size_t i = 0; i < query->node_count; i++) {
        struct ets_cost cost;
        const struct ets_graph_node *node = query->nodes[i].node;
        if (!ets_text_equal(ets_operator_base_name(node->op), base)) continue;
        if (!ets_graph_costs_node(c->graph, node, &cost)) return false;
        if (has_one && !is_equal(&cost, cost_out)) {
            *cost_out = ets_cost_unknown(ETS_COST_NO_SHAPE);
            return true;
        }
        *cost_out = cost;
        has_one = true;
    }
    return true;
}

static bool cost_of_kernel(struct ets_instruction_costs *c, const struct ets_cost_query *query,
                           struct ets_cost *cost_out)
{
    if (query->instruction != NULL && c->has_method) {
        return ets_method_costs_instruction(&c->kernels, query->instruction, cost_out);
    }
    return cost_of_kernel_node(c, query, cost_out);
}

/* Of the graph's nodes, with the sizes that follow from inputs. */
static bool count_nodes(struct ets_instruction_costs *c, const struct ets_cost_query *query,
                        bool is_whole_call, const struct ets_size_symbols *sizes,
                        struct ets_total_cost *total_out)
{
    bool ok = true;
    *total_out = (struct ets_total_cost){.cost = {.operators = 0}};
    ets_graph_costs_use(c->graph, sizes);
    if (query->kernel.data != NULL) {
        ok = cost_of_kernel_node(c, query, &total_out->cost);
        add_operator(total_out, &total_out->cost, name_of(query));
    } else {
        ok = total_of_nodes(c, query, is_whole_call, total_out);
    }
    ets_graph_costs_use(c->graph, NULL);
    return ok;
}

/* Replaces upper bounds by the cost of the shapes that ran. */
static bool narrow(struct ets_instruction_costs *c, const struct ets_cost_query *query,
                   bool is_whole_call, struct ets_total_cost *total)
{
    struct ets_total_cost of_bounds, of_ran;
    if (c->ran == NULL || c->bounds == NULL || !total->cost.at_most || query->node_count == 0) {
        return true;
    }
    if (!count_nodes(c, query, is_whole_call, c->bounds, &of_bounds)) return false;
    if (of_bounds.cost.is_example || !is_equal(&of_bounds.cost, &total->cost)) return true;
    if (!count_nodes(c, query, is_whole_call, c->ran, &of_ran)) return false;
    if (!of_ran.cost.is_example) *total = of_ran;
    return true;
}

/* Whether the record's nodes tell more than a payload of which some nodes have no rule. Where
 * events are foretold, they have the payload's nodes, and so has the call. */
static bool is_better_known(const struct ets_instruction_costs *costs,
                            const struct ets_cost_query *query, struct ets_delegate_cost *delegate)
{
    struct ets_total_cost total;
    if (costs->graph == NULL || query->node_count == 0 ||
        ets_payload_has_events(delegate->costs.graph)) {
        return false;
    }
    total_of_payload(delegate, &total);
    return total.cost.unknown > 0;
}

static bool count_instruction(struct ets_instruction_costs *costs,
                              const struct ets_cost_query *query, struct ets_total_cost *total_out)
{
    bool ok = true;
    *total_out = (struct ets_total_cost){.cost = {.operators = 0}};
    if (query->kernel.data != NULL) {
        ok = cost_of_kernel(costs, query, &total_out->cost);
        add_operator(total_out, &total_out->cost, name_of(query));
        return ok && narrow(costs, query, true, total_out);
    }
    struct ets_delegate_cost *delegate = delegate_of(costs, query->instruction, &ok);
    if (!ok) return false;
    if (delegate != NULL && !is_better_known(costs, query, delegate)) {
        total_of_payload(delegate, total_out);
        if (!count_folded(costs, query, &total_out->cost)) return false;
    } else if (costs->graph == NULL || query->node_count == 0) {
        total_out->cost = ets_cost_unknown(ETS_COST_NO_PAYLOAD);
    } else if (!total_of_nodes(costs, query, true, total_out)) {
        return false;
    }
    return find_bounds(costs, query->instruction, true, &total_out->cost) &&
           narrow(costs, query, true, total_out);
}

/* The program's inputs, with the upper bounds of their sizes. */
static struct ets_value *bounds_of(struct ets_instruction_costs *costs)
{
    const uint32_t count = costs->method.input_count;
    struct ets_value *values = ets_arena_alloc_array(costs->arena, count, sizeof *values);
    for (uint32_t i = 0; values != NULL && i < count; i++) {
        struct ets_evalue value;
        ets_method_input(&costs->method, i, &value);
        values[i].kind = ETS_VALUE_NONE;
        if (value.kind != ETS_EVALUE_TENSOR) continue;
        values[i] = (struct ets_value){.kind = ETS_VALUE_TENSOR, .as.tensor = value.tensor.tensor};
    }
    return values;
}

bool ets_instruction_costs_bind(struct ets_instruction_costs *costs, const struct ets_value *inputs,
                                size_t count)
{
    if (costs->graph == NULL || !costs->has_method || count != costs->method.input_count) {
        return true;
    }
    const struct ets_value *bounds = bounds_of(costs);
    return bounds != NULL && ets_graph_costs_bind(costs->graph, inputs, count, &costs->ran) &&
           ets_graph_costs_bind(costs->graph, bounds, count, &costs->bounds);
}

/* A weight of a payload that has a dimension as long as the most tokens of a call. */
static bool has_such_weight(const struct ets_payload_graph *graph,
                            const struct ets_token_sizes *sizes)
{
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const struct ets_payload_value *value = &graph->values[i];
        int64_t dims[ETS_TENSOR_MAX_RANK];
        if (value->constant == ETS_PAYLOAD_NONE || value->rank > ETS_TENSOR_MAX_RANK) continue;
        for (uint32_t k = 0; k < value->rank; k++) dims[k] = value->dims[k];
        if (ets_token_sizes_are_in(sizes, dims, value->rank)) return true;
    }
    return false;
}

/* What payloads say of the sizes. */
static bool look_into_delegates(struct ets_instruction_costs *c)
{
    for (uint32_t i = 0; c->sizes.bound > 0 && i < c->method.delegate_count; i++) {
        struct ets_delegate delegate;
        const struct ets_payload_graph *graph;
        ets_method_delegate(&c->method, i, &delegate);
        if (ets_payload_store_read(&c->payloads, &delegate, &graph, NULL, NULL) != ETS_OK) {
            return false;
        }
        if (graph != NULL && has_such_weight(graph, &c->sizes)) c->sizes.is_distinct = false;
    }
    return true;
}

bool ets_instruction_costs_use(struct ets_instruction_costs *costs,
                               const struct ets_token_sizes *tokens)
{
    if (!costs->has_method) return true;
    if (tokens == NULL ? !costs->has_sizes
                       : costs->has_sizes && costs->sizes.tokens == tokens->tokens &&
                             costs->sizes.has_position == tokens->has_position &&
                             costs->sizes.position == tokens->position) {
        return true;
    }
    costs->has_sizes = tokens != NULL;
    if (tokens != NULL) {
        costs->sizes = *tokens;
        ets_token_sizes_find(&costs->method, &costs->sizes);
        if (!look_into_delegates(costs)) return false;
    }
    ets_key_table_init(&costs->known, costs->arena, 2);
    for (uint32_t i = 0; i < costs->method.delegate_count; i++) {
        struct ets_delegate_cost *delegate = &costs->delegates[i];
        delegate->has_total = false;
        set_sizes(costs, delegate);
    }
    return ets_method_costs_use(&costs->kernels, costs->has_sizes ? &costs->sizes : NULL);
}

bool ets_instruction_cost(struct ets_instruction_costs *costs, const struct ets_cost_query *query,
                          struct ets_total_cost *total_out)
{
    bool is_new;
    uint64_t of = (uintptr_t)query->nodes, what = 2 * (uint64_t)query->node_count;
    if (query->instruction != NULL) {
        of = query->instruction->instruction_id;
        what = OF_INSTRUCTION;
    } else if (query->kernel.data != NULL || query->node_count == 0) {
        return count_instruction(costs, query, total_out); /* of few nodes, and by name */
    }
    struct ets_total_cost *known = find_total(costs, of, what, &is_new);
    if (known == NULL) return false;
    if (!is_new) {
        *total_out = *known;
        return true;
    }
    const size_t at = (size_t)(known - costs->totals);
    if (!count_instruction(costs, query, total_out)) return false;
    costs->totals[at] = *total_out; /* the table may have moved */
    return true;
}

void ets_instruction_costs_start(struct ets_instruction_costs *costs,
                                 const struct ets_instruction *instruction)
{
    bool ok = true;
    struct ets_delegate_cost *delegate = delegate_of(costs, instruction, &ok);
    if (delegate != NULL) delegate->visit++;
}

/* The nodes that no part before had, in `nodes`. */
static uint32_t pick_nodes(struct ets_delegate_cost *delegate, const struct ets_unit_node *list,
                           size_t count, uint32_t *nodes)
{
    uint32_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t node = list[i].index;
        if (node >= delegate->costs.graph->node_count ||
            delegate->counted[node] == delegate->visit) {
            continue;
        }
        delegate->counted[node] = delegate->visit;
        nodes[used++] = node;
    }
    return used;
}

bool ets_instruction_part_cost(struct ets_instruction_costs *costs,
                               const struct ets_cost_query *query,
                               const struct ets_unit_node *payload_nodes, size_t payload_node_count,
                               struct ets_cost *cost_out)
{
    bool ok = true;
    if (query->is_counted_elsewhere) {
        *cost_out = (struct ets_cost){.operators = 0};
        return true;
    }
    struct ets_delegate_cost *delegate = delegate_of(costs, query->instruction, &ok);
    *cost_out = ets_cost_unknown(ETS_COST_NO_PAYLOAD);
    if (!ok) return false;
    if (delegate != NULL && payload_node_count > 0) {
        uint32_t *nodes = ets_arena_alloc_array(costs->arena, payload_node_count, sizeof *nodes);
        if (nodes == NULL) return false;
        const uint32_t count = pick_nodes(delegate, payload_nodes, payload_node_count, nodes);
        *cost_out = ets_payload_cost(&delegate->costs, nodes, count);
        if (!count_folded(costs, query, cost_out)) return false;
    } else if (costs->graph != NULL && query->node_count > 0) {
        struct ets_total_cost total = {.cost = {.operators = 0}};
        if (!total_of_nodes(costs, query, false, &total)) return false;
        *cost_out = total.cost;
    }
    struct ets_total_cost total = {.cost = *cost_out};
    if (!find_bounds(costs, query->instruction, false, &total.cost) ||
        !narrow(costs, query, false, &total)) {
        return false;
    }
    *cost_out = total.cost;
    return true;
}
