/* Kernel calls of a program as calls that the rules can count. */
#include "cost/method_costs.h"

#include "base/text.h"
#include "cost/call_names.h"
#include "format/program_lists.h"

enum { PROGRAM_TIMES = 16 };

bool ets_method_costs_open(struct ets_arena *arena, const struct ets_method *method,
                           struct ets_method_costs *costs_out)
{
    *costs_out = (struct ets_method_costs){
        .method = *method,
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
    out->scalar_type = (int)tensor->tensor.scalar_type;
    out->rank = tensor->tensor.rank;
    out->sizes = sizes;
    out->is_constant =
        tensor->place == ETS_PLACE_CONSTANT || tensor->place == ETS_PLACE_EXTERNAL_CONSTANT;
    out->is_bound = tensor->dynamism != ETS_SHAPE_STATIC;
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

bool ets_method_costs_instruction(struct ets_method_costs *costs,
                                  const struct ets_instruction *instruction,
                                  struct ets_cost *cost_out)
{
    *cost_out = (struct ets_cost){.operators = 0};
    if (instruction->kind != ETS_INSTRUCTION_KERNEL_CALL) return true;
    struct ets_cost_call call = {.is_kernel = true, .marks = &costs->marks};
    struct reader r = {costs, &call, true};
    ets_arena_reset(&costs->scratch);
    if (!spend(&r, instruction->argument_count)) {
        *cost_out = ets_cost_unknown(ETS_COST_TOO_LARGE);
        return true;
    }
    struct ets_cost_argument *arguments =
        ets_arena_alloc_array(&costs->scratch, instruction->argument_count, sizeof *arguments);
    if (arguments == NULL) return false;
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        if (!read_argument(&r, ets_instruction_argument(instruction, i), &arguments[i])) {
            return false;
        }
    }
    split_name(instruction, &call);
    call.arguments = arguments;
    call.argument_count =
        without_outputs(arguments, instruction->argument_count, instruction, &call);
    *cost_out = r.has_budget ? ets_cost_of_call(&call) : ets_cost_unknown(ETS_COST_TOO_LARGE);
    return true;
}

bool ets_method_costs_is_bounded(struct ets_method_costs *costs,
                                 const struct ets_instruction *instruction)
{
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        struct ets_evalue value;
        if (costs->budget == 0) return true; /* no honest program has so many arguments */
        costs->budget--;
        ets_method_value(&costs->method, ets_instruction_argument(instruction, i), &value);
        if (value.kind == ETS_EVALUE_TENSOR && value.tensor.dynamism != ETS_SHAPE_STATIC) {
            return true;
        }
    }
    return false;
}
