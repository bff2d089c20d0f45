/* Reads a method's plan: tensors with their places, what they are, and their lifetimes. */
#include "memory/memory_plan.h"

#include "base/text.h"
#include "memory/memory_parts.h"
#include "payload/payload_store.h"

enum { MOST_ALIGNMENT = 16 };

static enum ets_status list_tensors(struct ets_memory_plan *plan, struct ets_arena *arena,
                                    struct ets_error *error)
{
    const struct ets_method *method = &plan->method;
    uint32_t *tensor_of = ets_arena_alloc_array(arena, method->value_count, sizeof *tensor_of);
    plan->tensors = ets_arena_alloc_array(arena, method->value_count, sizeof *plan->tensors);
    if (tensor_of == NULL || plan->tensors == NULL) {
        return ets_fail_memory(error, "the tensors of a method");
    }
    for (uint32_t i = 0; i < method->value_count; i++) {
        struct ets_evalue value;
        ets_method_value(method, i, &value);
        tensor_of[i] = ETS_PLAN_NONE;
        if (value.kind != ETS_EVALUE_TENSOR) continue;
        tensor_of[i] = plan->tensor_count;
        plan->tensors[plan->tensor_count++] = (struct ets_plan_tensor){
            .value = i,
            .kind = ETS_PLAN_INTERMEDIATE,
            .place = value.tensor.place,
            .is_upper_bound = value.tensor.dynamism != ETS_SHAPE_STATIC,
            .arena = value.tensor.memory_id == 0 ? ETS_PLAN_NONE : value.tensor.memory_id - 1,
            .offset = value.tensor.memory_offset,
            .bytes = value.tensor.tensor_bytes,
            .first = ETS_PLAN_NONE,
            .last = ETS_PLAN_NONE,
            .producer = ETS_PLAN_NONE,
            .base = ETS_PLAN_NONE,
        };
    }
    plan->tensor_of = tensor_of;
    return ETS_OK;
}

static struct ets_plan_tensor *find_tensor(struct ets_memory_plan *plan, uint32_t value)
{
    const uint32_t tensor = plan->tensor_of[value];
    return tensor == ETS_PLAN_NONE ? NULL : &plan->tensors[tensor];
}

/* What the file says of a tensor's kind, before any instruction is looked at. */
static void name_kinds(struct ets_memory_plan *plan)
{
    struct ets_evalue value;
    for (uint32_t i = 0; i < plan->method.input_count; i++) {
        ets_method_input(&plan->method, i, &value);
        struct ets_plan_tensor *tensor = find_tensor(plan, value.index);
        if (tensor != NULL) tensor->kind = ETS_PLAN_INPUT;
    }
    for (uint32_t i = 0; i < plan->method.output_count; i++) {
        ets_method_output(&plan->method, i, &value);
        struct ets_plan_tensor *tensor = find_tensor(plan, value.index);
        if (tensor != NULL) tensor->is_output = true;
    }
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        struct ets_plan_tensor *tensor = &plan->tensors[t];
        switch (tensor->place) {
        case ETS_PLACE_CONSTANT:
        case ETS_PLACE_EXTERNAL_CONSTANT: tensor->kind = ETS_PLAN_CONSTANT; break;
        case ETS_PLACE_PLANNED_STATE:
        case ETS_PLACE_EXTERNAL_STATE: tensor->kind = ETS_PLAN_BUFFER; break;
        case ETS_PLACE_PLANNED:
        case ETS_PLACE_RUNTIME: break;
        }
    }
}

/*
 * A tensor that is read where nothing lies yet holds what an earlier call, or another method, left
 * in it; as does an output that nothing writes.
 */
static bool is_buffer(const struct ets_plan_tensor *tensor)
{
    if (tensor->arena == ETS_PLAN_NONE || tensor->bytes == 0) return false;
    if (tensor->base != ETS_PLAN_NONE) return false;
    return tensor->touch_count > 0 ? tensor->touches[0].reads : tensor->is_output;
}

/* What is left to say of a tensor's kind once the instructions were looked at. */
static void complete_kind(struct ets_plan_tensor *tensor)
{
    const bool is_view = tensor->base != ETS_PLAN_NONE;
    for (uint32_t i = 0; i < tensor->touch_count; i++) {
        const struct ets_plan_touch *touch = &tensor->touches[i];
        if (touch->writes && tensor->producer == ETS_PLAN_NONE && !is_view) {
            tensor->producer = touch->step;
        }
        tensor->reader_count += touch->reads;
    }
    if (tensor->kind != ETS_PLAN_INTERMEDIATE) return;
    if (is_buffer(tensor)) tensor->kind = ETS_PLAN_BUFFER;
    else if (tensor->is_output) tensor->kind = ETS_PLAN_OUTPUT;
    else if (tensor->touch_count == 0) tensor->kind = ETS_PLAN_UNUSED;
}

static void set_lifetime(const struct ets_memory_plan *plan, struct ets_plan_tensor *tensor)
{
    const uint32_t end = plan->step_count - 1, touches = tensor->touch_count;
    const bool is_view = tensor->base != ETS_PLAN_NONE;
    if (tensor->kind == ETS_PLAN_BUFFER || tensor->kind == ETS_PLAN_INPUT) tensor->first = 0;
    else if (is_view && tensor->producer == ETS_PLAN_NONE) tensor->first = 0;
    else if (is_view) tensor->first = tensor->producer;
    else if (touches > 0) tensor->first = tensor->touches[0].step;
    else if (tensor->is_output) tensor->first = end;
    if (touches > 0 && tensor->first > tensor->touches[0].step) { /* freed before it is a view */
        tensor->first = tensor->touches[0].step;
    }
    if (tensor->kind == ETS_PLAN_BUFFER || tensor->is_output) tensor->last = end;
    else tensor->last = touches > 0 ? tensor->touches[touches - 1].step : tensor->first;
}

/* Kinds and lifetimes of all tensors: what views show lives as long as they do. */
static void find_lifetimes(struct ets_memory_plan *plan)
{
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        complete_kind(&plan->tensors[t]);
        set_lifetime(plan, &plan->tensors[t]);
    }
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *view = &plan->tensors[t];
        if (view->base == ETS_PLAN_NONE) continue;
        struct ets_plan_tensor *base = &plan->tensors[view->base];
        if (view->last > base->last) base->last = view->last;
    }
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (tensor->first == ETS_PLAN_NONE) continue;
        ets_plan_extend_over_loops(plan, &tensor->first, &tensor->last);
        plan->is_upper_bound |= tensor->is_upper_bound && tensor->arena != ETS_PLAN_NONE;
    }
}

static enum ets_status count_steps(struct ets_memory_plan *plan, struct ets_arena *arena,
                                   struct ets_error *error)
{
    const uint32_t chains = plan->method.chain_count;
    uint32_t *starts = ets_arena_alloc_array(arena, (size_t)chains + 1, sizeof *starts);
    if (starts == NULL) return ets_fail_memory(error, "the chains of a method");
    for (uint32_t c = 0; c < chains; c++) {
        struct ets_chain chain;
        ets_method_chain(&plan->method, c, &chain);
        if (chain.instruction_count >= ETS_PLAN_NONE - 2 - starts[c]) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "method %.*s: too many instructions",
                            ETS_TEXT(plan->method.name));
        }
        starts[c + 1] = starts[c] + chain.instruction_count;
    }
    plan->chain_step = starts;
    plan->step_count = starts[chains] > 0 ? starts[chains] : 1;
    return ETS_OK;
}

/* What exporters add to an arena for kernels of delegates, which may read beyond a tensor. */
static uint64_t padding_of(const struct ets_method *method)
{
    uint64_t padding = 0;
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(method, i, &delegate);
        const uint64_t own = ets_payload_arena_padding(delegate.id);
        if (own > padding) padding = own;
    }
    return padding;
}

static enum ets_status list_arenas(struct ets_memory_plan *plan, struct ets_arena *arena,
                                   struct ets_error *error)
{
    plan->arena_count = plan->method.arena_count;
    plan->arenas = ets_arena_alloc_array(arena, plan->arena_count, sizeof *plan->arenas);
    if (plan->arenas == NULL) return ets_fail_memory(error, "the planned memory of a method");
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        ets_method_arena(&plan->method, a, &plan->arenas[a].planned);
    }
    return ETS_OK;
}

/* Exporters align to 16 bytes unless they are told otherwise. */
static void find_alignment(struct ets_memory_plan *plan)
{
    uint64_t offsets = MOST_ALIGNMENT;
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        if (plan->tensors[t].arena != ETS_PLAN_NONE) offsets |= plan->tensors[t].offset;
    }
    plan->alignment = (uint32_t)(offsets & (~offsets + 1));
}

static void find_slack(struct ets_memory_plan *plan)
{
    const uint64_t padding = padding_of(&plan->method);
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        struct ets_plan_arena *arena = &plan->arenas[a];
        const uint64_t tail = arena->planned.bytes - arena->end_bytes;
        if (tail >= padding) arena->slack_bytes = padding;
    }
}

enum ets_status ets_memory_plan_init(struct ets_memory_plan *plan, const struct ets_method *method,
                                     struct ets_arena *arena, struct ets_error *error)
{
    struct ets_plan_places places;
    struct ets_plan_flow flow;
    *plan = (struct ets_memory_plan){.method = *method};
    ETS_TRY(count_steps(plan, arena, error));
    ETS_TRY(list_arenas(plan, arena, error));
    ETS_TRY(list_tensors(plan, arena, error));
    find_alignment(plan);
    name_kinds(plan);
    ETS_TRY(ets_plan_places_init(&places, plan, 1, arena, error));
    ETS_TRY(ets_plan_find_touches(plan, &places, arena, error));
    ETS_TRY(ets_plan_find_loops(plan, arena, error));
    find_lifetimes(plan);
    if (!ets_plan_flow_init(&flow, plan, arena))
        return ets_fail_memory(error, "the jumps of a method");
    plan->never_ends = !flow.is_reached[plan->step_count];
    ETS_TRY(ets_plan_split_lifetimes(plan, &flow, arena, error));
    ETS_TRY(ets_plan_measure(plan, &places, arena, error));
    ETS_TRY(ets_plan_add_scratch(plan, arena, error));
    ETS_TRY(ets_plan_find_overlaps(plan, &places, &flow, arena, error));
    find_slack(plan);
    return ETS_OK;
}
