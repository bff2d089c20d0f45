/* Nodes of a graph as calls that the rules can count, and sets of them as one operator. */
#include "cost/graph_costs.h"

#include "base/text.h"
#include "cost/call_names.h"
#include "host/key_table.h"
#include "host/strings.h"
#include "record/record_maps.h"
#include "record/size_expression.h"

/* A graph, or a branch of it. */
struct level {
    const struct ets_graph *graph;
    struct ets_cost_marks marks;
    bool *is_constant;     /* [value] a weight: nothing in the graph writes it */
    uint32_t *uses;        /* [value] by nodes, and as outputs of the graph */
    uint32_t *set_uses;    /* [value] by nodes of the set `set` */
    uint32_t *used_set;    /* [value] that set_uses is of */
    uint32_t *made_set;    /* [value] whose nodes make it */
    uint32_t *counted_set; /* [value] in which its bytes were counted */
    uint32_t *node_set;    /* [node] that it is in */
};

struct ets_graph_costs {
    struct ets_arena scratch; /* of one node */
    struct level *levels;
    uint32_t level_count, last; /* `last`: that the last node was of */
    uint32_t set;
    struct ets_arena *arena;
    const struct ets_size_symbols *symbols; /* of the inputs at hand; NULL: the example's sizes */
    bool is_example;                        /* of the value that was read last */
    struct ets_key_table known;             /* values and symbols whose sizes were evaluated */
    const int64_t **known_sizes;            /* [known.count]; NULL: not determined */
    uint32_t known_capacity;
};

static uint32_t value_of(const struct ets_graph *graph, struct ets_text name)
{
    const struct ets_graph_value *value = ets_graph_find_value(graph, name);
    return value == NULL ? ETS_GRAPH_NONE : (uint32_t)(value - graph->values);
}

/* Calls `visit` for each value among arguments, lists counted through. */
static void for_each_value(struct level *level, const struct ets_graph_argument *arguments,
                           uint32_t count,
                           void (*visit)(struct level *level, uint32_t value, void *context),
                           void *context)
{
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i].kind == ETS_ARGUMENT_TENSOR) {
            const uint32_t value = value_of(level->graph, arguments[i].name);
            if (value != ETS_GRAPH_NONE) visit(level, value, context);
        }
        for (uint32_t k = 0; arguments[i].kind == ETS_ARGUMENT_LIST && k < arguments[i].item_count;
             k++) {
            const struct ets_graph_argument *item = &arguments[i].items[k];
            const uint32_t value = item->kind == ETS_ARGUMENT_TENSOR
                                       ? value_of(level->graph, item->name)
                                       : ETS_GRAPH_NONE;
            if (value != ETS_GRAPH_NONE) visit(level, value, context);
        }
    }
}

static void count_use(struct level *level, uint32_t value, void *context)
{
    (void)context;
    level->uses[value]++;
}

/* Weights: what a graph takes and does not write back. Returns false where memory ran out. */
static bool find_constants(struct ets_arena *arena, struct level *level)
{
    const struct ets_graph *graph = level->graph;
    struct ets_strings mutated;
    if (ets_strings_init(&mutated, arena) != 0) return false;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct ets_graph_output *output = &graph->outputs[i];
        const bool is_state = output->role == ETS_OUTPUT_BUFFER_MUTATION;
        if (is_state && ets_strings_add(&mutated, output->target) == UINT32_MAX) return false;
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->inputs[i];
        const bool is_state = input->role == ETS_INPUT_BUFFER &&
                              ets_strings_find(&mutated, input->source) != UINT32_MAX;
        const bool is_weight =
            (input->role == ETS_INPUT_PARAMETER || input->role == ETS_INPUT_CONSTANT ||
             input->role == ETS_INPUT_BUFFER) &&
            !is_state;
        const uint32_t value = value_of(graph, input->argument.name);
        if (is_weight && value != ETS_GRAPH_NONE) level->is_constant[value] = true;
    }
    return true;
}

static bool open_level(struct ets_arena *arena, const struct ets_graph *graph, struct level *level)
{
    const size_t values = (size_t)graph->value_count + 1;
    uint32_t **const lists[] = {&level->marks.marks, &level->uses,     &level->set_uses,
                                &level->used_set,    &level->made_set, &level->counted_set};
    level->graph = graph;
    level->is_constant = ets_arena_alloc_array(arena, values, sizeof *level->is_constant);
    level->node_set = ets_arena_alloc_array(arena, graph->node_count, sizeof *level->node_set);
    bool ok = level->is_constant != NULL && level->node_set != NULL;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        *lists[i] = ets_arena_alloc_array(arena, values, sizeof **lists[i]);
        ok = ok && *lists[i] != NULL;
    }
    if (!ok || !find_constants(arena, level)) return false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for_each_value(level, graph->nodes[i].inputs, graph->nodes[i].input_count, count_use, NULL);
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        for_each_value(level, &graph->outputs[i].argument, 1, count_use, NULL);
    }
    return true;
}

struct ets_graph_costs *ets_graph_costs_open(struct ets_arena *arena, const struct ets_graph *graph)
{
    struct ets_graph_costs *costs = ets_arena_alloc(arena, sizeof *costs);
    if (costs == NULL) return NULL;
    costs->arena = arena;
    costs->level_count = 1 + graph->subgraph_count;
    costs->levels = ets_arena_alloc_array(arena, costs->level_count, sizeof *costs->levels);
    if (costs->levels == NULL) return NULL;
    for (uint32_t i = 0; i < costs->level_count; i++) {
        const struct ets_graph *level = i == 0 ? graph : graph->subgraphs[i - 1];
        if (!open_level(arena, level, &costs->levels[i])) return NULL;
    }
    ets_arena_init(&costs->scratch, arena->allocator, 0);
    ets_key_table_init(&costs->known, arena, 2);
    return costs;
}

void ets_graph_costs_close(struct ets_graph_costs *costs)
{
    if (costs != NULL) ets_arena_reset(&costs->scratch);
}

/* false: the input is none of the graph's. */
static bool bind_input(struct ets_size_symbols *symbols, const struct ets_graph_value *value,
                       const struct ets_value *input)
{
    const struct ets_tensor *tensor = &input->as.tensor;
    if (input->kind == ETS_VALUE_INT && value->expression.data != NULL) {
        return ets_size_bind(symbols, value->expression, input->as.int_value) != ETS_MISMATCH;
    }
    if (input->kind != ETS_VALUE_TENSOR || value->scalar_type < 0) return true;
    if (value->rank != tensor->rank) return false;
    for (uint32_t i = 0; i < value->rank; i++) {
        const bool is_fixed = value->size_texts == NULL || value->size_texts[i].data == NULL;
        if (is_fixed && value->sizes[i] != tensor->sizes[i]) return false;
    }
    return ets_size_bind_value(symbols, value, tensor->sizes) != ETS_MISMATCH;
}

bool ets_graph_costs_bind(struct ets_graph_costs *costs, const struct ets_value *inputs,
                          size_t count, const struct ets_size_symbols **sizes_out)
{
    const struct ets_graph *graph = costs->levels[0].graph;
    struct ets_size_symbols *symbols = ets_arena_alloc(costs->arena, sizeof *symbols);
    bool fits = true;
    size_t number = 0;
    *sizes_out = NULL;
    if (symbols == NULL || ets_size_symbols_init(symbols, costs->arena) != ETS_OK) return false;
    for (uint32_t i = 0; i < graph->input_count && fits; i++) {
        if (graph->inputs[i].role != ETS_INPUT_USER) continue;
        const uint32_t index = value_of(graph, graph->inputs[i].argument.name);
        const size_t at = number++;
        if (at >= count || index == ETS_GRAPH_NONE) continue;
        if (ets_size_symbols_add_value(symbols, &graph->values[index]) != ETS_OK) return false;
        fits = bind_input(symbols, &graph->values[index], &inputs[at]);
    }
    if (fits && number == count) *sizes_out = symbols;
    return true;
}

void ets_graph_costs_use(struct ets_graph_costs *costs, const struct ets_size_symbols *sizes)
{
    costs->symbols = sizes;
}

/* The sizes of a value for the inputs at hand; NULL: these do not determine all. false: no memory.
 */
static bool evaluate_sizes(struct ets_graph_costs *costs, const struct ets_graph_value *value,
                           const int64_t **sizes_out)
{
    int64_t *sizes = ets_arena_alloc_array(costs->arena, value->rank, sizeof *sizes);
    *sizes_out = NULL;
    if (sizes == NULL) return false;
    for (uint32_t i = 0; i < value->rank; i++) {
        const struct ets_text text = value->size_texts[i];
        sizes[i] = value->sizes[i];
        if (text.data == NULL) continue;
        if (ets_size_evaluate(costs->symbols, text, &sizes[i]) != ETS_OK || sizes[i] < 0) {
            return true;
        }
    }
    *sizes_out = sizes;
    return true;
}

/* The same, each value once: thousands of nodes may use one with a long expression. */
static bool find_sizes(struct ets_graph_costs *costs, const struct ets_graph_value *value,
                       const int64_t **sizes_out)
{
    const uint64_t key[] = {(uintptr_t)value, (uintptr_t)costs->symbols};
    const uint32_t before = costs->known.count;
    const uint32_t number = ets_key_table_add(&costs->known, key);
    if (number == ETS_KEY_NONE) return false;
    const int64_t **sizes = ets_arena_grow(costs->arena, costs->known_sizes, number,
                                           &costs->known_capacity, sizeof *sizes);
    if (sizes == NULL) return false;
    costs->known_sizes = sizes;
    if (number == before && !evaluate_sizes(costs, value, &sizes[number])) return false;
    *sizes_out = sizes[number];
    return true;
}

/*
 * A value with its sizes for the inputs at hand; with those of the example, and `is_example`, where
 * these do not determine all. false: no memory.
 */
static bool read_value(struct ets_graph_costs *costs, const struct ets_graph_value *value,
                       struct ets_cost_tensor *out)
{
    *out = (struct ets_cost_tensor){
        .scalar_type = value->scalar_type, .rank = value->rank, .sizes = value->sizes};
    costs->is_example = false;
    uint32_t open = 0;
    for (uint32_t i = 0; value->size_texts != NULL && i < value->rank; i++) {
        open += value->size_texts[i].data != NULL;
    }
    if (open == 0) return true;
    const int64_t *sizes = NULL;
    if (costs->symbols != NULL && !find_sizes(costs, value, &sizes)) return false;
    costs->is_example = sizes == NULL;
    if (sizes != NULL) out->sizes = sizes;
    return true;
}

/* The graph that a node is of; NULL: none. */
static struct level *level_of(struct ets_graph_costs *costs, const struct ets_graph_node *node)
{
    for (uint32_t i = 0; i < costs->level_count; i++) {
        const uint32_t at = (costs->last + i) % costs->level_count;
        const struct ets_graph *graph = costs->levels[at].graph;
        if (node < graph->nodes || node >= graph->nodes + graph->node_count) continue;
        costs->last = at;
        return &costs->levels[at];
    }
    return NULL;
}

/* One node while it is read. */
struct reader {
    struct ets_graph_costs *costs;
    const struct level *level;
    struct ets_cost_call *call;
};

static bool read_tensor(struct reader *r, struct ets_text name, struct ets_cost_tensor *out)
{
    const struct ets_graph *graph = r->level->graph;
    const uint32_t index = value_of(graph, name);
    if (index == ETS_GRAPH_NONE) {
        /* the last mark is of what is not known */
        *out = (struct ets_cost_tensor){.scalar_type = -1, .identity = graph->value_count};
        return true;
    }
    if (!read_value(r->costs, &graph->values[index], out)) return false;
    out->identity = index;
    out->is_constant = r->level->is_constant[index];
    if (r->costs->is_example) r->call->is_example = true;
    return true;
}

static bool read_list(struct reader *r, const struct ets_graph_argument *list,
                      struct ets_cost_argument *out)
{
    struct ets_arena *arena = &r->costs->scratch;
    struct ets_cost_tensor *tensors =
        ets_arena_alloc_array(arena, list->item_count, sizeof *tensors);
    int64_t *integers = ets_arena_alloc_array(arena, list->item_count, sizeof *integers);
    uint32_t count = 0;
    if (tensors == NULL || integers == NULL) return false;
    for (uint32_t i = 0; i < list->item_count; i++) {
        const struct ets_graph_argument *item = &list->items[i];
        if (item->kind == ETS_ARGUMENT_TENSOR && !read_tensor(r, item->name, &tensors[count++])) {
            return false;
        }
        integers[i] = item->kind == ETS_ARGUMENT_INT ? item->int_value : -1;
    }
    out->is_list = true;
    out->kind = count > 0 ? ETS_COST_TENSORS : ETS_COST_INTEGERS;
    out->count = count > 0 ? count : list->item_count;
    out->tensors = tensors;
    out->integers = integers;
    return true;
}

static bool read_argument(struct reader *r, const struct ets_graph_argument *argument,
                          struct ets_cost_argument *out)
{
    struct ets_arena *arena = &r->costs->scratch;
    out->label = argument->label;
    switch (argument->kind) {
    case ETS_ARGUMENT_TENSOR: {
        struct ets_cost_tensor *tensor = ets_arena_alloc(arena, sizeof *tensor);
        if (tensor == NULL || !read_tensor(r, argument->name, tensor)) return false;
        out->kind = ETS_COST_TENSORS;
        out->tensors = tensor;
        out->count = 1;
        return true;
    }
    case ETS_ARGUMENT_INT:
    case ETS_ARGUMENT_BOOL:
        out->kind = ETS_COST_INTEGERS;
        out->integers = &argument->int_value;
        out->count = 1;
        return true;
    case ETS_ARGUMENT_FLOAT:
        out->kind = ETS_COST_REAL;
        out->real = argument->float_value;
        return true;
    case ETS_ARGUMENT_LIST: return read_list(r, argument, out);
    case ETS_ARGUMENT_STRING: r->call->text = argument->name; return true;
    default: return true;
    }
}

static bool read_outputs(struct reader *r, const struct ets_graph_node *node)
{
    size_t room = 0;
    for (uint32_t i = 0; i < node->output_count; i++) room += 1 + node->outputs[i].item_count;
    struct ets_cost_tensor *outputs =
        ets_arena_alloc_array(&r->costs->scratch, room, sizeof *outputs);
    if (outputs == NULL) return false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        const struct ets_graph_argument *output = &node->outputs[i];
        const bool is_list = output->kind == ETS_ARGUMENT_LIST;
        for (uint32_t k = 0; k < (is_list ? output->item_count : 1); k++) {
            const struct ets_graph_argument *item = is_list ? &output->items[k] : output;
            if (item->kind != ETS_ARGUMENT_TENSOR) continue;
            const uint32_t value = value_of(r->level->graph, item->name);
            /* The saved statistics of a batch norm are emitted without elements. */
            if (i > 0 && value != ETS_GRAPH_NONE && r->level->uses[value] == 0) continue;
            if (!read_tensor(r, item->name, &outputs[r->call->output_count++])) return false;
        }
    }
    r->call->outputs = outputs;
    return true;
}

/* "aten", "permute_copy" of "aten.permute_copy.default"; of "add.Tensor" aten's. A name without
 * overload is Python's ("floordiv", of sizes) or a condition's or loop's, whose nodes are there. */
static void split_name(struct ets_text op, struct ets_cost_call *call)
{
    size_t first = 0, last = op.size;
    while (first < op.size && op.data[first] != '.') first++;
    if (first == op.size) {
        ets_cost_call_name((struct ets_text){"executorch_prim", 15}, op, call);
        return;
    }
    while (last > first && op.data[last - 1] != '.') last--;
    if (last <= first + 1) {
        ets_cost_call_name((struct ets_text){"aten", 4}, (struct ets_text){op.data, first}, call);
        return;
    }
    ets_cost_call_name((struct ets_text){op.data, first},
                       (struct ets_text){op.data + first + 1, last - first - 2}, call);
}

/* `level_out`: the graph that the node is of. */
static bool read_node(struct ets_graph_costs *costs, const struct ets_graph_node *node,
                      struct ets_cost_call *call, struct level **level_out)
{
    struct level *level = level_of(costs, node);
    *level_out = level;
    if (level == NULL) return true;
    struct reader r = {costs, level, call};
    ets_arena_reset(&costs->scratch);
    *call = (struct ets_cost_call){.marks = &level->marks, .argument_count = node->input_count};
    struct ets_cost_argument *arguments =
        ets_arena_alloc_array(&costs->scratch, node->input_count, sizeof *arguments);
    if (arguments == NULL || !read_outputs(&r, node)) return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!read_argument(&r, &node->inputs[i], &arguments[i])) return false;
    }
    call->arguments = arguments;
    split_name(node->op, call);
    return true;
}

bool ets_graph_costs_node(struct ets_graph_costs *costs, const struct ets_graph_node *node,
                          struct ets_cost *cost_out)
{
    struct ets_cost_call call;
    struct level *level;
    *cost_out = ets_cost_unknown(ETS_COST_NO_RULE);
    if (!read_node(costs, node, &call, &level)) return false;
    if (level != NULL) *cost_out = ets_cost_of_call(&call);
    return true;
}

/* A batch norm of what a convolution in the same set gives to it alone. */
static bool is_folded(const struct level *level, uint32_t set, const struct ets_cost_call *call,
                      const struct ets_graph_node *node)
{
    if (!ets_text_starts_with(call->base, "_native_batch_norm") &&
        !ets_text_is(call->base, "batch_norm")) {
        return false;
    }
    if (node->input_count == 0 || node->inputs[0].kind != ETS_ARGUMENT_TENSOR) return false;
    const struct ets_text input = node->inputs[0].name;
    const struct ets_graph_node *maker = ets_graph_find_node(level->graph, input);
    const uint32_t value = value_of(level->graph, input);
    return maker != NULL && value != ETS_GRAPH_NONE && level->uses[value] == 1 &&
           level->node_set[maker - level->graph->nodes] == set &&
           ets_text_contains(maker->op, ".convolution.");
}

/* Weights are dequantized when they are packed. */
static bool is_of_weights(const struct ets_cost_call *call)
{
    return ets_text_starts_with(call->base, "dequantize") && call->argument_count > 0 &&
           call->arguments[0].kind == ETS_COST_TENSORS && call->arguments[0].count > 0 &&
           call->arguments[0].tensors[0].is_constant;
}

static struct ets_cost without_bytes(struct ets_cost cost)
{
    cost.bytes_read = cost.weight_bytes = cost.bytes_written = 0;
    return cost;
}

bool ets_graph_costs_work(struct ets_graph_costs *costs, const struct ets_graph_node *node,
                          bool folds, struct ets_cost *cost_out)
{
    struct ets_cost_call call;
    struct level *level;
    *cost_out = ets_cost_unknown(ETS_COST_NO_RULE);
    if (!read_node(costs, node, &call, &level)) return false;
    if (level == NULL) return true;
    if (folds && is_folded(level, costs->set, &call, node)) {
        *cost_out = (struct ets_cost){.operators = 1, .folded = 1, .family = ETS_FAMILY_NORM};
    } else if (folds && is_of_weights(&call)) {
        *cost_out = (struct ets_cost){.operators = 1, .family = ETS_FAMILY_CONVERSION};
    } else {
        *cost_out = without_bytes(ets_cost_of_call(&call));
    }
    return true;
}

static void mark_use(struct level *level, uint32_t value, void *context)
{
    const uint32_t set = *(const uint32_t *)context;
    if (level->used_set[value] != set) level->set_uses[value] = 0;
    level->used_set[value] = set;
    level->set_uses[value]++;
}

static void mark_made(struct level *level, uint32_t value, void *context)
{
    level->made_set[value] = *(const uint32_t *)context;
}

/* Bytes of the set's border. */
struct border {
    struct ets_graph_costs *costs;
    uint32_t set;
    struct ets_cost cost;
    bool ok, has_memory;
};

static void add_bytes(struct level *level, uint32_t value, struct border *border, uint64_t *sum)
{
    struct ets_cost_tensor tensor;
    if (level->counted_set[value] == border->set) return;
    level->counted_set[value] = border->set;
    if (!read_value(border->costs, &level->graph->values[value], &tensor)) {
        border->has_memory = false;
        return;
    }
    if (border->costs->is_example) border->cost.is_example = true;
    *sum = ets_cost_plus(*sum, ets_cost_tensor_bytes(&tensor, &border->ok), &border->ok);
}

static void count_input(struct level *level, uint32_t value, void *context)
{
    struct border *border = context;
    if (level->made_set[value] == border->set) return;
    add_bytes(level, value, border,
              level->is_constant[value] ? &border->cost.weight_bytes : &border->cost.bytes_read);
}

static void count_output(struct level *level, uint32_t value, void *context)
{
    struct border *border = context;
    const uint32_t inside = level->used_set[value] == border->set ? level->set_uses[value] : 0;
    if (level->uses[value] > inside) add_bytes(level, value, border, &border->cost.bytes_written);
}

bool ets_graph_costs_set(struct ets_graph_costs *costs, const struct ets_graph_node *const *nodes,
                         size_t count, bool folds, struct ets_cost *cost_out)
{
    struct ets_cost sum = {.operators = 0};
    uint32_t set = ++costs->set;
    struct border border = {.costs = costs, .set = set, .ok = true, .has_memory = true};
    for (size_t i = 0; i < count; i++) {
        struct level *level = level_of(costs, nodes[i]);
        if (level == NULL) continue;
        level->node_set[nodes[i] - level->graph->nodes] = set;
        for_each_value(level, nodes[i]->inputs, nodes[i]->input_count, mark_use, &set);
        for_each_value(level, nodes[i]->outputs, nodes[i]->output_count, mark_made, &set);
    }
    for (size_t i = 0; i < count; i++) {
        struct ets_cost work;
        struct level *level = level_of(costs, nodes[i]);
        if (level == NULL) continue;
        if (!ets_graph_costs_work(costs, nodes[i], folds, &work)) return false;
        ets_cost_add(&sum, &work);
        for_each_value(level, nodes[i]->inputs, nodes[i]->input_count, count_input, &border);
        for_each_value(level, nodes[i]->outputs, nodes[i]->output_count, count_output, &border);
    }
    if (!border.has_memory) return false;
    if (!border.ok) sum = ets_cost_unknown(ETS_COST_TOO_LARGE);
    else if (sum.operators > 0) ets_cost_add(&sum, &border.cost);
    *cost_out = sum;
    return true;
}
