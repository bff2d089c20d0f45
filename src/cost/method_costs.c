/* Kernel calls of a program as calls that the rules can count. */
#include "cost/method_costs.h"

#include "base/text.h"
#include "cost/call_names.h"
#include "format/program_lists.h"
#include "host/key_table.h"

enum { PROGRAM_TIMES = 16 };

bool ets_method_costs_open(struct ets_arena *arena, const struct ets_method *method,
                           struct ets_method_costs *costs_out)
{
    *costs_out = (struct ets_method_costs){
        .method = *method,
        .arena = arena,
        .budget = PROGRAM_TIMES * (uint64_t)method->program->bytes.size,
        .marks.marks = ets_arena_alloc_array(arena, (size_t)method->value_count + 1,
                                             sizeof *costs_out->marks.marks),
    };
    ets_arena_init(&costs_out->scratch, arena->allocator, 0);
    return costs_out->marks.marks != NULL;
}

void ets_method_costs_close(struct ets_method_costs *costs)
{
    ets_arena_reset(&costs->scratch);
}

/* One call while it is read. */
struct reader {
    struct ets_method_costs *costs;
    struct ets_cost_call *call;
    bool has_budget;
};

static bool is_constant(const struct ets_program_tensor *tensor)
{
    return tensor->place == ETS_PLACE_CONSTANT || tensor->place == ETS_PLACE_EXTERNAL_CONSTANT;
}

void ets_method_costs_constants(struct ets_method_costs *costs,
                                const struct ets_instruction *instruction, bool *is_constant_out)
{
    for (uint32_t i = 0; i < instruction->argument_count && costs->budget > 0; i++) {
        struct ets_evalue value;
        costs->budget--;
        ets_method_value(&costs->method, ets_instruction_argument(instruction, i), &value);
        is_constant_out[i] = value.kind == ETS_EVALUE_TENSOR && is_constant(&value.tensor);
    }
}

/* Whether the sizes of a dynamic value are now those of the run. */
static bool bind(const struct ets_method_costs *costs, enum ets_shape_dynamism dynamism,
                 int64_t *sizes, uint32_t rank)
{
    return costs->sizes != NULL && dynamism == ETS_SHAPE_BOUND &&
           ets_token_sizes_bind(costs->sizes, sizes, rank);
}

static bool read_tensor(struct reader *r, uint32_t index, struct ets_cost_tensor *out)
{
    struct ets_evalue value;
    ets_method_value(&r->costs->method, index, &value);
    *out = (struct ets_cost_tensor){.scalar_type = -1, .identity = index};
    if (value.kind != ETS_EVALUE_TENSOR) return true;
    const struct ets_program_tensor *tensor = &value.tensor;
    int64_t *sizes = ets_arena_alloc_array(&r->costs->scratch, tensor->tensor.rank, sizeof *sizes);
    if (sizes == NULL) return false;
    for (uint32_t i = 0; i < tensor->tensor.rank; i++) sizes[i] = tensor->tensor.sizes[i];
    const bool is_dynamic = tensor->dynamism != ETS_SHAPE_STATIC;
    out->scalar_type = (int)tensor->tensor.scalar_type;
    out->rank = tensor->tensor.rank;
    out->sizes = sizes;
    out->is_constant = is_constant(tensor);
    out->is_bound = is_dynamic && !bind(r->costs, tensor->dynamism, sizes, out->rank);
    out->is_state = r->costs->is_state != NULL && r->costs->is_state[index];
    if (out->is_bound) r->call->at_most = true;
    return true;
}

static bool spend(struct reader *r, uint32_t items)
{
    if (items > r->costs->budget) r->has_budget = false;
    else r->costs->budget -= items;
    return r->has_budget;
}

/* The tensors of a list; None among them is left out. */
static bool read_tensors(struct reader *r, const struct ets_evalue *list,
                         struct ets_cost_argument *out)
{
    if (!spend(r, list->item_count)) return true;
    struct ets_cost_tensor *tensors =
        ets_arena_alloc_array(&r->costs->scratch, list->item_count, sizeof *tensors);
    if (tensors == NULL) return false;
    for (uint32_t i = 0; i < list->item_count; i++) {
        const int32_t item = ets_evalue_item(list, i);
        struct ets_evalue value;
        if (item < 0) continue;
        ets_method_value(&r->costs->method, (uint32_t)item, &value);
        if (value.kind != ETS_EVALUE_TENSOR) continue;
        if (!read_tensor(r, (uint32_t)item, &tensors[out->count++])) return false;
    }
    out->kind = ETS_COST_TENSORS;
    out->tensors = tensors;
    out->is_list = true;
    return true;
}

static bool read_integers(struct reader *r, const struct ets_evalue *list,
                          struct ets_cost_argument *out)
{
    if (!spend(r, list->item_count)) return true;
    int64_t *integers =
        ets_arena_alloc_array(&r->costs->scratch, list->item_count, sizeof *integers);
    if (integers == NULL) return false;
    for (uint32_t i = 0; i < list->item_count; i++) {
        struct ets_evalue value;
        const int32_t item = ets_evalue_item(list, i);
        if (item < 0) continue;
        ets_method_value(&r->costs->method, (uint32_t)item, &value);
        integers[i] = value.kind == ETS_EVALUE_INT ? value.int_value : -1;
    }
    *out = (struct ets_cost_argument){.kind = ETS_COST_INTEGERS,
                                      .count = list->item_count,
                                      .integers = integers,
                                      .is_list = true};
    return true;
}

static bool read_argument(struct reader *r, uint32_t index, struct ets_cost_argument *out)
{
    struct ets_evalue value;
    ets_method_value(&r->costs->method, index, &value);
    switch (value.kind) {
    case ETS_EVALUE_TENSOR: {
        struct ets_cost_tensor *tensor = ets_arena_alloc(&r->costs->scratch, sizeof *tensor);
        if (tensor == NULL || !read_tensor(r, index, tensor)) return false;
        *out = (struct ets_cost_argument){.kind = ETS_COST_TENSORS, .count = 1, .tensors = tensor};
        return true;
    }
    case ETS_EVALUE_TENSOR_LIST:
    case ETS_EVALUE_OPTIONAL_TENSOR_LIST: return read_tensors(r, &value, out);
    case ETS_EVALUE_INT_LIST: return read_integers(r, &value, out);
    case ETS_EVALUE_INT:
    case ETS_EVALUE_BOOL: {
        int64_t *integer = ets_arena_alloc(&r->costs->scratch, sizeof *integer);
        if (integer == NULL) return false;
        *integer = value.int_value;
        *out =
            (struct ets_cost_argument){.kind = ETS_COST_INTEGERS, .count = 1, .integers = integer};
        return true;
    }
    case ETS_EVALUE_DOUBLE:
        *out = (struct ets_cost_argument){.kind = ETS_COST_REAL, .real = value.double_value};
        return true;
    case ETS_EVALUE_STRING: r->call->text = value.string; return true;
    default: return true;
    }
}

/* What the operator gives is its last argument, and stands once more before that, where it is an
 * argument as well. */
static uint32_t without_outputs(struct ets_cost_argument *arguments, uint32_t count,
                                const struct ets_instruction *instruction,
                                struct ets_cost_call *call)
{
    if (count == 0 || arguments[count - 1].kind != ETS_COST_TENSORS) return count;
    const struct ets_cost_argument *last = &arguments[count - 1];
    call->outputs = last->tensors;
    call->output_count = last->count;
    const uint32_t list = ets_instruction_argument(instruction, count - 1);
    uint32_t left = count - 1;
    /* A list names its items, which may be arguments each, or it is the argument itself. */
    for (uint32_t i = last->count; left > 0; i--) {
        const bool is_list = ets_instruction_argument(instruction, left - 1) == list;
        const bool is_item =
            i > 0 && arguments[left - 1].kind == ETS_COST_TENSORS &&
            arguments[left - 1].count == 1 &&
            arguments[left - 1].tensors[0].identity == last->tensors[i - 1].identity;
        if (left == 1 || (!is_list && !is_item)) break; /* the first is what is computed with */
        left--;
        if (i == 0) break;
    }
    return left;
}

static void split_name(const struct ets_instruction *instruction, struct ets_cost_call *call)
{
    const struct ets_text name = instruction->name;
    size_t colon = 0;
    while (colon + 1 < name.size && memcmp(name.data + colon, "::", 2) != 0) colon++;
    if (colon + 1 >= name.size) {
        ets_cost_call_name((struct ets_text){NULL, 0}, name, call);
        return;
    }
    ets_cost_call_name((struct ets_text){name.data, colon},
                       (struct ets_text){name.data + colon + 2, name.size - colon - 2}, call);
}

/* A kernel call; *has_budget_out false: it is not read as a whole. false: no memory. */
static bool read_call(struct ets_method_costs *costs, const struct ets_instruction *instruction,
                      struct ets_cost_call *call, bool *has_budget_out)
{
    *call = (struct ets_cost_call){.is_kernel = true, .marks = &costs->marks};
    struct reader r = {costs, call, true};
    ets_arena_reset(&costs->scratch);
    *has_budget_out = spend(&r, instruction->argument_count);
    if (!*has_budget_out) return true;
    struct ets_cost_argument *arguments =
        ets_arena_alloc_array(&costs->scratch, instruction->argument_count, sizeof *arguments);
    if (arguments == NULL) return false;
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        if (!read_argument(&r, ets_instruction_argument(instruction, i), &arguments[i])) {
            return false;
        }
    }
    split_name(instruction, call);
    call->arguments = arguments;
    call->argument_count =
        without_outputs(arguments, instruction->argument_count, instruction, call);
    call->has_position = costs->sizes != NULL && costs->sizes->has_position;
    if (call->has_position) call->position = costs->sizes->position;
    *has_budget_out = r.has_budget;
    return true;
}

bool ets_method_costs_instruction(struct ets_method_costs *costs,
                                  const struct ets_instruction *instruction,
                                  struct ets_cost *cost_out)
{
    struct ets_cost_call call;
    bool has_budget;
    *cost_out = (struct ets_cost){.operators = 0};
    if (instruction->kind != ETS_INSTRUCTION_KERNEL_CALL) return true;
    if (!read_call(costs, instruction, &call, &has_budget)) return false;
    *cost_out = has_budget ? ets_cost_of_call(&call) : ets_cost_unknown(ETS_COST_TOO_LARGE);
    return true;
}

/* Where values lie, as far as it was looked at. */
struct places {
    struct ets_key_table written, state;
    bool ok; /* false: no memory */
};

/* The place in planned memory, which views share; false: it has none. */
static bool place_of(const struct ets_method_costs *costs, uint32_t value, uint64_t place_out[2])
{
    struct ets_evalue of;
    ets_method_value(&costs->method, value, &of);
    place_out[0] = of.kind == ETS_EVALUE_TENSOR ? of.tensor.memory_id : 0;
    place_out[1] = of.kind == ETS_EVALUE_TENSOR ? of.tensor.memory_offset : 0;
    return place_out[0] != 0;
}

static void add_place(struct places *places, struct ets_key_table *table, const uint64_t place[2])
{
    places->ok = ets_key_table_add(table, place) != ETS_KEY_NONE && places->ok;
}

static void note_written(const struct ets_method_costs *costs, struct places *places,
                         uint32_t value)
{
    uint64_t place[2];
    if (place_of(costs, value, place)) add_place(places, &places->written, place);
}

/* What a kernel reads before anything writes it is of the run before. */
static void note_call(const struct ets_method_costs *costs, const struct ets_cost_call *call,
                      struct places *places)
{
    uint64_t place[2];
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const struct ets_cost_argument *argument = &call->arguments[i];
        for (uint32_t k = 0; argument->kind == ETS_COST_TENSORS && k < argument->count; k++) {
            if (place_of(costs, argument->tensors[k].identity, place) &&
                ets_key_table_find(&places->written, place) == ETS_KEY_NONE) {
                add_place(places, &places->state, place);
            }
        }
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        note_written(costs, places, call->outputs[i].identity);
    }
}

static bool note_instruction(struct ets_method_costs *costs,
                             const struct ets_instruction *instruction, struct places *places)
{
    struct ets_cost_call call;
    bool has_budget;
    if (instruction->kind == ETS_INSTRUCTION_KERNEL_CALL) {
        if (!read_call(costs, instruction, &call, &has_budget)) return false;
        if (has_budget) note_call(costs, &call, places);
        return places->ok;
    }
    /* Delegates write into what nobody read before. */
    for (uint32_t i = 0; i < instruction->argument_count && costs->budget > 0; i++) {
        costs->budget--;
        note_written(costs, places, ets_instruction_argument(instruction, i));
    }
    return places->ok;
}

static bool find_state(struct ets_method_costs *costs)
{
    struct ets_chain chain;
    struct ets_arena room;
    struct places places = {.ok = true};
    ets_arena_init(&room, costs->scratch.allocator, 0);
    ets_key_table_init(&places.written, &room, 2);
    ets_key_table_init(&places.state, &room, 2);
    for (uint32_t i = 0; i < costs->method.input_count; i++) {
        struct ets_evalue value;
        ets_method_input(&costs->method, i, &value);
        note_written(costs, &places, value.index);
    }
    ets_method_chain(&costs->method, 0, &chain);
    bool ok = places.ok;
    for (uint32_t i = 0; ok && i < chain.instruction_count; i++) {
        struct ets_instruction instruction;
        ets_chain_instruction(&chain, i, &instruction);
        ok = note_instruction(costs, &instruction, &places);
    }
    for (uint32_t i = 0; ok && i < costs->method.value_count; i++) {
        uint64_t place[2];
        costs->is_state[i] =
            place_of(costs, i, place) && ets_key_table_find(&places.state, place) != ETS_KEY_NONE;
    }
    ets_arena_reset(&room);
    return ok;
}

bool ets_method_costs_use(struct ets_method_costs *costs, const struct ets_token_sizes *sizes)
{
    costs->sizes = sizes;
    if (sizes == NULL || costs->is_state != NULL) return true;
    const size_t count = (size_t)costs->method.value_count + 1;
    costs->is_state = ets_arena_alloc_array(costs->arena, count, sizeof *costs->is_state);
    return costs->is_state != NULL && find_state(costs);
}

static void add_shape(struct ets_method_costs *costs, uint32_t index,
                      struct ets_call_shapes *shapes)
{
    struct ets_evalue value;
    ets_method_value(&costs->method, index, &value);
    if (value.kind != ETS_EVALUE_TENSOR) return;
    struct ets_tensor *tensor = &value.tensor.tensor;
    if (value.tensor.dynamism != ETS_SHAPE_STATIC) {
        shapes->is_dynamic = true;
        if (!bind(costs, value.tensor.dynamism, tensor->sizes, tensor->rank)) {
            shapes->is_bounded = true;
        }
    } else if (costs->is_state != NULL && costs->is_state[index]) {
        bool ok = true;
        const uint64_t bytes = ets_cost_plus(shapes->state_bytes, value.tensor.tensor_bytes, &ok);
        if (ok) shapes->state_bytes = bytes;
    }
}

struct ets_call_shapes ets_method_costs_shapes(struct ets_method_costs *costs,
                                               const struct ets_instruction *instruction)
{
    struct ets_call_shapes shapes = {.state_bytes = 0};
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        if (costs->budget == 0) { /* no honest program has so many arguments */
            shapes.is_dynamic = shapes.is_bounded = true;
            break;
        }
        costs->budget--;
        add_shape(costs, ets_instruction_argument(instruction, i), &shapes);
    }
    return shapes;
}
