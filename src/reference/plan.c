/*
 * Reads graphs into steps: names become slots, and argument trees become lists of the slots they
 * read.
 */
#include "record/record_maps.h"
#include "reference/reference_plan.h"

#include "base/error.h"
#include "base/text.h"
#include "reference/fallback.h"

struct builder {
    struct reference_plan *plan;
    struct reference_plan *plans; /* of the program */
    const struct ets_graph *top;
    uint32_t number; /* of the plan */
    struct ets_arena *arena;
    struct ets_error *error;
    uint32_t *list; /* the current list */
    uint32_t count, capacity;
};

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "the reference");
}

static enum ets_status fail_name(struct builder *builder, struct ets_text what,
                                 struct ets_text name, const char *why)
{
    return ets_fail(builder->error, ETS_MALFORMED, ETS_NO_OFFSET, "%.*s: %.*s%s%.*s%s",
                    ETS_TEXT(builder->plan->graph->name), ETS_TEXT(what), what.size > 0 ? ": " : "",
                    ETS_TEXT(name), why);
}

static enum ets_status collect(struct builder *builder, uint32_t slot)
{
    if (builder->count == builder->capacity) {
        const uint32_t capacity = builder->capacity == 0 ? 64 : builder->capacity * 2;
        uint32_t *list = ets_arena_alloc_array(builder->arena, capacity, sizeof *list);
        if (list == NULL) return no_memory(builder->error);
        if (builder->count > 0) memcpy(list, builder->list, builder->count * sizeof *list);
        builder->list = list;
        builder->capacity = capacity;
    }
    builder->list[builder->count++] = slot;
    return ETS_OK;
}

/* Returns the collected list and starts a new one. */
static enum ets_status finish_list(struct builder *builder, const uint32_t **list_out,
                                   uint32_t *count_out)
{
    uint32_t *list = ets_arena_alloc_array(builder->arena, builder->count, sizeof *list);
    if (list == NULL) return no_memory(builder->error);
    if (builder->count > 0) memcpy(list, builder->list, builder->count * sizeof *list);
    *list_out = list;
    *count_out = builder->count;
    builder->count = 0;
    return ETS_OK;
}

static bool is_named(const struct ets_graph_argument *argument)
{
    return argument->kind == ETS_ARGUMENT_TENSOR || argument->kind == ETS_ARGUMENT_SYMBOL;
}

/* Defines a value; its name must be new. */
static enum ets_status define(struct builder *builder, struct ets_text node,
                              const struct ets_graph_argument *argument)
{
    if (argument->kind == ETS_ARGUMENT_LIST) {
        for (uint32_t i = 0; i < argument->item_count; i++) {
            ETS_TRY(define(builder, node, &argument->items[i]));
        }
        return ETS_OK;
    }
    if (!is_named(argument)) return collect(builder, REFERENCE_NO_SLOT);
    const uint32_t next = builder->plan->names.count;
    const uint32_t slot = ets_strings_add(&builder->plan->names, argument->name);
    if (slot == UINT32_MAX) return no_memory(builder->error);
    if (slot != next) return fail_name(builder, node, argument->name, " is defined twice");
    return collect(builder, slot);
}

static enum ets_status read_argument(struct builder *builder, struct ets_text node,
                                     const struct ets_graph_argument *argument)
{
    if (argument->kind == ETS_ARGUMENT_LIST) {
        for (uint32_t i = 0; i < argument->item_count; i++) {
            ETS_TRY(read_argument(builder, node, &argument->items[i]));
        }
    }
    if (!is_named(argument)) return ETS_OK;
    const uint32_t slot = ets_strings_find(&builder->plan->names, argument->name);
    if (slot == UINT32_MAX || slot == REFERENCE_NO_SLOT) {
        return fail_name(builder, node, argument->name, " is used before it is defined");
    }
    return collect(builder, slot);
}

/* The operator's name without namespace and overload: "add_" of "torch.ops.aten.add_.Tensor". */
static struct ets_text base_name(struct ets_text target)
{
    struct ets_text parts[3] = {target, {NULL, 0}, {NULL, 0}}; /* the last three, newest first */
    size_t end = target.size;
    for (size_t i = target.size, part = 0; i-- > 0 && part < 2;) {
        if (target.data[i] != '.') continue;
        parts[part++] = (struct ets_text){target.data + i + 1, end - i - 1};
        end = i;
    }
    return parts[1].data != NULL ? parts[1] : parts[0];
}

/* Operators that return, or may return, a view of their first argument. */
static bool is_view(const struct ets_graph_node *node)
{
    static const char *const NAMES[] = {
        "alias",     "as_strided", "chunk",     "contiguous", "detach",    "diagonal",
        "expand",    "expand_as",  "flatten",   "movedim",    "narrow",    "permute",
        "reshape",   "reshape_as", "select",    "slice",      "split",     "split_with_sizes",
        "squeeze",   "swapaxes",   "t",         "to",         "transpose", "type_as",
        "unbind",    "unflatten",  "unsqueeze", "view",       "view_as",   "dropout",
        "lift_fresh"};
    const struct ets_text name = base_name(node->target);
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (ets_text_is(name, NAMES[i])) return true;
    }
    return false;
}

static enum ets_status read_bodies(struct builder *builder, struct reference_step *step)
{
    const struct ets_graph_node *node = step->node;
    unsigned count = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i].kind != ETS_ARGUMENT_GRAPH) continue;
        const uint32_t body = node->inputs[i].graph;
        /* Graphs are numbered breadth first, so a body follows its parent. */
        if (body >= builder->top->subgraph_count || body + 1 <= builder->number) {
            return fail_name(builder, node->name, node->inputs[i].name,
                             " is not a graph inside it");
        }
        if (count < 2) step->bodies[count++] = &builder->plans[body + 1];
    }
    return ETS_OK;
}

static enum ets_status read_step(struct builder *builder, struct reference_step *step)
{
    const struct ets_graph_node *node = step->node;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t at = builder->count;
        ETS_TRY(read_argument(builder, node->name, &node->inputs[i]));
        if (node->inputs[i].kind != ETS_ARGUMENT_TENSOR) continue;
        if (!ets_reference_input_is_written(node, i)) continue;
        if (step->written_count == REFERENCE_MOST_WRITTEN) {
            return fail_name(builder, node->name, node->inputs[i].name, " is one written too many");
        }
        step->written[step->written_count++] = builder->list[at];
    }
    ETS_TRY(finish_list(builder, &step->reads, &step->read_count));
    for (uint32_t i = 0; i < node->output_count; i++) {
        ETS_TRY(define(builder, node->name, &node->outputs[i]));
    }
    ETS_TRY(finish_list(builder, &step->writes, &step->write_count));
    step->is_in_place = ets_reference_operator_writes(node) && step->written_count > 0;
    return read_bodies(builder, step);
}

static enum ets_status read_inputs(struct builder *builder)
{
    const struct ets_graph *graph = builder->plan->graph;
    const struct ets_text input = {"input", 5};
    uint32_t count;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (graph->inputs[i].argument.kind == ETS_ARGUMENT_LIST) {
            return fail_name(builder, input, graph->inputs[i].argument.label, "a list");
        }
        ETS_TRY(define(builder, input, &graph->inputs[i].argument));
    }
    return finish_list(builder, &builder->plan->inputs, &count);
}

static enum ets_status read_outputs(struct builder *builder)
{
    const struct ets_graph *graph = builder->plan->graph;
    const struct ets_text output = {"output", 6};
    uint32_t *outputs = ets_arena_alloc_array(builder->arena, graph->output_count, sizeof *outputs);
    if (outputs == NULL) return no_memory(builder->error);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (!is_named(&graph->outputs[i].argument)) continue;
        ETS_TRY(read_argument(builder, output, &graph->outputs[i].argument));
        outputs[i] = builder->list[--builder->count];
    }
    builder->plan->outputs = outputs;
    return ETS_OK;
}

uint32_t ets_reference_plan_storage(const struct reference_plan *plan, uint32_t slot)
{
    while (plan->storage_of[slot] != slot) slot = plan->storage_of[slot];
    return slot;
}

/* A view refers to an earlier value, so paths end. */
static void join_storages(struct reference_plan *plan)
{
    for (uint32_t i = 0; i < plan->slot_count; i++) plan->storage_of[i] = i;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct reference_step *step = &plan->steps[i];
        for (uint32_t j = 0; j < step->written_count; j++) {
            plan->is_written[ets_reference_plan_storage(plan, step->written[j])] = true;
        }
        if (step->read_count == 0 || !(step->is_in_place || is_view(step->node))) continue;
        const uint32_t base = ets_reference_plan_storage(plan, step->reads[0]);
        for (uint32_t j = 0; j < step->write_count; j++) {
            if (step->writes[j] != REFERENCE_NO_SLOT) plan->storage_of[step->writes[j]] = base;
        }
    }
}

bool ets_reference_plan_is_written(const struct reference_plan *plan, uint32_t slot, uint32_t first,
                                   uint32_t end)
{
    const uint32_t storage = ets_reference_plan_storage(plan, slot);
    if (!plan->is_written[storage]) return false;
    for (uint32_t i = first; i < end; i++) {
        const struct reference_step *step = &plan->steps[i];
        for (uint32_t j = 0; j < step->written_count; j++) {
            if (ets_reference_plan_storage(plan, step->written[j]) == storage) return true;
        }
    }
    return false;
}

/* Sets the description of each slot, after all are named. */
static enum ets_status describe_slots(struct builder *builder)
{
    struct reference_plan *plan = builder->plan;
    plan->slot_count = plan->names.count;
    const size_t count = plan->slot_count;
    plan->described = ets_arena_alloc_array(builder->arena, count, sizeof *plan->described);
    plan->producers = ets_arena_alloc_array(builder->arena, count, sizeof *plan->producers);
    plan->storage_of = ets_arena_alloc_array(builder->arena, count, sizeof *plan->storage_of);
    plan->values = ets_arena_alloc_array(builder->arena, count, sizeof *plan->values);
    plan->is_written = ets_arena_alloc_array(builder->arena, count, sizeof *plan->is_written);
    if (plan->described == NULL || plan->producers == NULL || plan->storage_of == NULL ||
        plan->values == NULL || plan->is_written == NULL) {
        return no_memory(builder->error);
    }
    for (uint32_t i = 1; i < count; i++) {
        plan->described[i] = ets_graph_find_value(plan->graph, plan->names.texts[i]);
        plan->producers[i] = REFERENCE_NO_STEP;
    }
    for (uint32_t i = 0; i < plan->step_count; i++) {
        for (uint32_t j = 0; j < plan->steps[i].write_count; j++) {
            plan->producers[plan->steps[i].writes[j]] = i;
        }
    }
    plan->producers[REFERENCE_NO_SLOT] = REFERENCE_NO_STEP;
    join_storages(plan);
    return ETS_OK;
}

static enum ets_status add_symbols(const struct ets_graph *graph, struct ets_size_symbols *symbols,
                                   struct ets_error *error)
{
    for (uint32_t i = 0; i < graph->value_count; i++) {
        if (ets_size_symbols_add_value(symbols, &graph->values[i]) != ETS_OK) {
            return no_memory(error);
        }
    }
    return ETS_OK;
}

static enum ets_status read_plan(struct builder *builder)
{
    struct reference_plan *plan = builder->plan;
    if (ets_strings_init(&plan->names, builder->arena) != 0) return no_memory(builder->error);
    plan->step_count = plan->graph->node_count;
    plan->steps = ets_arena_alloc_array(builder->arena, plan->step_count, sizeof *plan->steps);
    if (plan->steps == NULL) return no_memory(builder->error);
    ETS_TRY(read_inputs(builder));
    for (uint32_t i = 0; i < plan->step_count; i++) {
        plan->steps[i].node = &plan->graph->nodes[i];
        ETS_TRY(read_step(builder, &plan->steps[i]));
    }
    ETS_TRY(read_outputs(builder));
    return describe_slots(builder);
}

enum ets_status ets_reference_program_read(const struct ets_graph *graph, struct ets_arena *arena,
                                           struct ets_size_symbols *symbols,
                                           struct reference_program *program_out,
                                           struct ets_error *error)
{
    const uint32_t count = graph->subgraph_count + 1;
    struct reference_plan *plans = ets_arena_alloc_array(arena, count, sizeof *plans);
    if (plans == NULL) return no_memory(error);
    *program_out = (struct reference_program){.graph = graph, .plans = plans, .plan_count = count};
    for (uint32_t i = 0; i < count; i++) {
        plans[i].graph = i == 0 ? graph : graph->subgraphs[i - 1];
        struct builder builder = {.plan = &plans[i],
                                  .plans = plans,
                                  .top = graph,
                                  .number = i,
                                  .arena = arena,
                                  .error = error};
        ETS_TRY(add_symbols(plans[i].graph, symbols, error));
        ETS_TRY(read_plan(&builder));
    }
    return ETS_OK;
}

static void use(uint32_t *last, uint32_t slot, uint32_t step)
{
    if (slot != REFERENCE_NO_SLOT) last[slot] = step;
}

/* The last step that needs each slot; step_count for a body's outputs. */
static void find_last_uses(const struct reference_plan *plan, uint32_t *last)
{
    for (uint32_t i = 0; i < plan->graph->input_count; i++) use(last, plan->inputs[i], 0);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct reference_step *step = &plan->steps[i];
        for (uint32_t j = 0; j < step->write_count; j++) use(last, step->writes[j], i);
        for (uint32_t j = 0; j < step->read_count; j++) use(last, step->reads[j], i);
        if (step->fallback == NULL) continue;
        for (uint32_t j = 0; j < step->fallback->leaf_count; j++) {
            use(last, step->fallback->leaves[j].slot, i);
        }
    }
    for (uint32_t i = 0; i < plan->graph->output_count; i++) {
        use(last, plan->outputs[i], plan->step_count);
    }
    for (uint32_t i = 0; i < plan->graph->input_count; i++) { /* buffers that the run leaves */
        const uint32_t slot = plan->inputs[i];
        if (plan->is_written[ets_reference_plan_storage(plan, slot)]) {
            use(last, slot, plan->step_count);
        }
    }
}

enum ets_status ets_reference_plan_deaths(struct reference_plan *plan, struct ets_arena *arena,
                                          struct ets_error *error)
{
    uint32_t *last = ets_arena_alloc_array(arena, plan->slot_count, sizeof *last);
    uint32_t *deaths = ets_arena_alloc_array(arena, plan->slot_count, sizeof *deaths);
    if (last == NULL || deaths == NULL) return no_memory(error);
    find_last_uses(plan, last);
    for (uint32_t i = 1; i < plan->slot_count; i++) {
        if (last[i] < plan->step_count) plan->steps[last[i]].death_count++;
    }
    uint32_t *next = deaths;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        plan->steps[i].deaths = next;
        next += plan->steps[i].death_count;
        plan->steps[i].death_count = 0;
    }
    for (uint32_t i = 1; i < plan->slot_count; i++) {
        if (last[i] == plan->step_count) continue;
        struct reference_step *step = &plan->steps[last[i]];
        deaths[(size_t)(step->deaths - deaths) + step->death_count++] = i;
    }
    return ETS_OK;
}
