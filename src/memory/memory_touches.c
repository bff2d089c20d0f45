/* Finds which tensors each instruction of a method reads and writes. */
#include <string.h>

#include "base/text.h"
#include "format/program_lists.h"
#include "memory/memory_parts.h"

/* A list may be named by many instructions: no honest program repeats so many items. */
enum { TOUCHES_FLOOR = 1 << 20, TOUCHES_TIMES = 4 };

/* How often an instruction names a tensor, and where. */
struct naming {
    uint32_t step;  /* that these counts are of, plus 1 */
    uint32_t touch; /* the tensor's touch of that step */
    uint32_t count;
    bool is_result;
};

struct found_touch {
    uint32_t tensor;
    struct ets_plan_touch touch;
};

struct finder {
    struct ets_memory_plan *plan;
    struct ets_arena *arena;
    struct naming *namings;    /* [tensor_count] */
    bool *is_written;          /* [tensor_count] by a step before, or from the start */
    struct found_touch *found; /* in the order of steps */
    uint32_t count, capacity;
    uint32_t step, first_of_step;
    uint64_t budget; /* of values that may still be named */
    struct ets_error *error;
};

static enum ets_status fail_budget(const struct finder *f)
{
    return ets_fail(f->error, ETS_LIMIT, ETS_NO_OFFSET,
                    "method %.*s names more values than a file of %zu bytes may",
                    ETS_TEXT(f->plan->method.name), f->plan->method.program->bytes.size);
}

static enum ets_status name_tensor(struct finder *f, uint32_t value, bool is_result)
{
    const uint32_t tensor = f->plan->tensor_of[value];
    if (f->budget-- == 0) return fail_budget(f);
    if (tensor == ETS_PLAN_NONE) return ETS_OK;
    struct naming *naming = &f->namings[tensor];
    if (naming->step != f->step + 1) {
        struct found_touch *found =
            ets_arena_grow(f->arena, f->found, f->count, &f->capacity, sizeof *found);
        if (found == NULL) return ets_fail_memory(f->error, "what instructions read and write");
        *naming = (struct naming){.step = f->step + 1, .touch = f->count};
        f->found = found;
        f->found[f->count++] = (struct found_touch){tensor, {.step = f->step}};
    }
    naming->count++;
    naming->is_result |= is_result;
    return ETS_OK;
}

/* A value that an instruction names: a tensor, or those of a list. */
static enum ets_status name_value(struct finder *f, uint32_t index, bool is_result)
{
    struct ets_evalue value;
    if (f->plan->tensor_of[index] != ETS_PLAN_NONE) return name_tensor(f, index, is_result);
    ets_method_value(&f->plan->method, index, &value);
    if (value.kind != ETS_EVALUE_TENSOR_LIST && value.kind != ETS_EVALUE_OPTIONAL_TENSOR_LIST) {
        return ETS_OK;
    }
    for (uint32_t i = 0; i < value.item_count; i++) {
        const int32_t item = ets_evalue_item(&value, i);
        if (item >= 0) ETS_TRY(name_tensor(f, (uint32_t)item, is_result));
    }
    return ETS_OK;
}

/* "aten::copy_": changes its first argument. */
static bool is_in_place(const struct ets_instruction *call)
{
    const struct ets_text name = call->name;
    return name.size > 1 && name.data[name.size - 1] == '_';
}

/* The one operator without a result that writes: into its first argument, part by part. */
static bool writes_first(const struct ets_instruction *call)
{
    return ets_text_is(call->name, "executorch_prim::et_copy_index");
}

/*
 * Of a kernel call the last argument is the result, or the list of results. A result is among the
 * other arguments once more, as out= or as what is changed in place; named more often than that, it
 * is also read.
 */
static enum ets_status name_kernel_call(struct finder *f, const struct ets_instruction *call)
{
    const uint32_t count = call->argument_count;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_result = i + 1 == count || (i == 0 && writes_first(call));
        ETS_TRY(name_value(f, ets_instruction_argument(call, i), is_result));
    }
    for (uint32_t i = f->first_of_step; i < f->count; i++) {
        struct found_touch *found = &f->found[i];
        const struct naming *naming = &f->namings[found->tensor];
        found->touch.writes = naming->is_result;
        found->touch.reads = !naming->is_result || naming->count > 2 || is_in_place(call);
    }
    return ETS_OK;
}

/* Which arguments a delegate gives is not in the file: those that nothing has written yet. */
static enum ets_status name_delegate_call(struct finder *f, const struct ets_instruction *call)
{
    for (uint32_t i = 0; i < call->argument_count; i++) {
        ETS_TRY(name_value(f, ets_instruction_argument(call, i), false));
    }
    for (uint32_t i = f->first_of_step; i < f->count; i++) {
        struct found_touch *found = &f->found[i];
        found->touch.reads = f->is_written[found->tensor];
        found->touch.writes = !found->touch.reads;
    }
    return ETS_OK;
}

/* A move reads and writes, a jump reads its condition, a free does neither. */
static enum ets_status name_operands(struct finder *f, const struct ets_instruction *instruction)
{
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        ETS_TRY(name_value(f, ets_instruction_argument(instruction, i), i == 1));
    }
    for (uint32_t i = f->first_of_step; i < f->count; i++) {
        struct found_touch *found = &f->found[i];
        const struct naming *naming = &f->namings[found->tensor];
        found->touch.writes = naming->is_result;
        found->touch.reads = instruction->kind != ETS_INSTRUCTION_FREE_CALL &&
                             (!naming->is_result || naming->count > 1);
    }
    return ETS_OK;
}

static enum ets_status visit(struct finder *f, const struct ets_instruction *instruction)
{
    f->first_of_step = f->count;
    switch (instruction->kind) {
    case ETS_INSTRUCTION_KERNEL_CALL: ETS_TRY(name_kernel_call(f, instruction)); break;
    case ETS_INSTRUCTION_DELEGATE_CALL: ETS_TRY(name_delegate_call(f, instruction)); break;
    default: ETS_TRY(name_operands(f, instruction)); break;
    }
    for (uint32_t i = f->first_of_step; i < f->count; i++) {
        if (f->found[i].touch.writes) f->is_written[f->found[i].tensor] = true;
    }
    return ETS_OK;
}

/* Gives each tensor its touches, which stay in the order of steps. */
static enum ets_status hand_out(struct finder *f)
{
    struct ets_memory_plan *plan = f->plan;
    struct ets_plan_touch *touches = ets_arena_alloc_array(f->arena, f->count, sizeof *touches);
    uint32_t *next = ets_arena_alloc_array(f->arena, (size_t)plan->tensor_count + 1, sizeof *next);
    if (touches == NULL || next == NULL) {
        return ets_fail_memory(f->error, "what instructions read and write");
    }
    for (uint32_t i = 0; i < f->count; i++) next[f->found[i].tensor + 1]++;
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        plan->tensors[t].touches = touches + next[t];
        plan->tensors[t].touch_count = next[t + 1];
        next[t + 1] += next[t];
    }
    for (uint32_t i = 0; i < f->count; i++) {
        touches[next[f->found[i].tensor]++] = f->found[i].touch;
    }
    return ETS_OK;
}

enum ets_status ets_plan_find_touches(struct ets_memory_plan *plan, struct ets_arena *arena,
                                      struct ets_error *error)
{
    struct finder f = {.plan = plan, .arena = arena, .error = error};
    f.budget = TOUCHES_FLOOR + TOUCHES_TIMES * (uint64_t)plan->method.program->bytes.size;
    f.namings = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *f.namings);
    f.is_written = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *f.is_written);
    if (f.namings == NULL || f.is_written == NULL) {
        return ets_fail_memory(error, "what instructions read and write");
    }
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const enum ets_plan_kind kind = plan->tensors[t].kind;
        f.is_written[t] =
            kind == ETS_PLAN_CONSTANT || kind == ETS_PLAN_INPUT || kind == ETS_PLAN_BUFFER;
    }
    for (uint32_t c = 0; c < plan->method.chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(&plan->method, c, &chain);
        for (uint32_t i = 0; i < chain.instruction_count; i++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, i, &instruction);
            f.step = plan->chain_step[c] + i;
            ETS_TRY(visit(&f, &instruction));
        }
    }
    return hand_out(&f);
}
