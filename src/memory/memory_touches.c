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
    struct naming *namings; /* [tensor_count] */
    uint32_t *use_count;    /* [tensor_count] instructions that name it */
    bool *is_written;       /* [tensor_count] by a step before, or from the start */
    const struct ets_plan_places *places;
    struct ets_plan_delegates delegates;
    struct ets_plan_owners owners;    /* of places, by the writes so far */
    uint32_t *last_read, *last_write; /* [tensor_count] step + 1; 0: none */
    struct found_touch *found;        /* in the order of steps */
    uint32_t count, capacity;
    uint32_t step, first_of_step;
    uint32_t *step_begin; /* [step_count + 1] in `found` */
    uint64_t budget;      /* of values that may still be named */
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
    if (!ets_evalue_is_tensor_list(&value)) return ETS_OK;
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

/* Arguments that a kernel changes beside its result, by its schema. */
static bool is_changed(const struct ets_instruction *call, uint32_t argument)
{
    static const struct {
        const char *kernel;
        uint32_t first, last;
    } changed[] = {
        {"llama::update_cache", 1, 1},
        {"llama::update_cache_with_indices", 1, 1},
        {"llama::sdpa_with_kv_cache", 3, 4},
    };
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        if (argument < changed[i].first || argument > changed[i].last) continue;
        if (ets_text_is(call->name, changed[i].kernel)) return true;
    }
    return false;
}

/* A changed argument keeps the rest of what was there. */
static void note_changed(struct finder *f, const struct ets_instruction *call)
{
    for (uint32_t i = 0; i < call->argument_count; i++) {
        if (!is_changed(call, i)) continue;
        const uint32_t tensor = f->plan->tensor_of[ets_instruction_argument(call, i)];
        if (tensor == ETS_PLAN_NONE) continue;
        struct ets_plan_touch *touch = &f->found[f->namings[tensor].touch].touch;
        touch->reads = touch->writes = touch->is_partial = true;
    }
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
        found->touch.is_partial = found->touch.writes && writes_first(call);
    }
    note_changed(f, call);
    return ETS_OK;
}

/* The tensor that was written last to where another begins, if it covers all of that; else NONE. */
static uint32_t find_writer(const struct finder *f, uint32_t number)
{
    const struct ets_plan_places *places = f->places;
    if (places->begin[number] == places->end[number]) return ETS_PLAN_NONE;
    const uint32_t owner = ets_plan_owners_at(&f->owners, places->begin[number]);
    if (owner == ETS_PLAN_NONE || places->end[owner] < places->end[number]) return ETS_PLAN_NONE;
    return owner;
}

/* A tensor that is read before it is written is a view of what lies there, if something does. */
static void find_base(struct finder *f, uint32_t number)
{
    struct ets_plan_tensor *tensor = &f->plan->tensors[number];
    if (f->is_written[number]) return;
    const uint32_t found = find_writer(f, number);
    if (found == ETS_PLAN_NONE) return;
    const uint32_t base = f->plan->tensors[found].base;
    f->is_written[number] = true;
    tensor->base = base == ETS_PLAN_NONE ? found : base;
    if (f->last_write[found] > 0) tensor->producer = f->last_write[found] - 1;
}

/* et_view copies nothing: what it gives is its first argument, where the plan put both alike. */
static void name_view(struct finder *f, const struct ets_instruction *call)
{
    if (!ets_text_is(call->name, "executorch_prim::et_view") || call->argument_count < 2) return;
    const uint32_t last = call->argument_count - 1;
    const uint32_t of = f->plan->tensor_of[ets_instruction_argument(call, 0)];
    const uint32_t number = f->plan->tensor_of[ets_instruction_argument(call, last)];
    if (of == ETS_PLAN_NONE || number == ETS_PLAN_NONE || of == number) return;
    struct ets_plan_tensor *view = &f->plan->tensors[number], *base = &f->plan->tensors[of];
    if (f->is_written[number] || view->arena == ETS_PLAN_NONE || view->arena != base->arena ||
        view->offset != base->offset) {
        return;
    }
    f->found[f->namings[number].touch].touch = (struct ets_plan_touch){.step = f->step};
    if (!f->is_written[of]) find_base(f, of);
    view->base = base->base == ETS_PLAN_NONE ? of : base->base;
    view->producer = f->step;
    f->is_written[number] = true;
}

/*
 * Memory that a kernel of another library wants for itself: bytes that it alone names, right before
 * its result, and that nothing writes (cortex_m::quantized_conv2d).
 */
static bool is_scratch(const struct finder *f, const struct ets_instruction *call,
                       uint32_t argument)
{
    const uint32_t count = call->argument_count;
    if (count < 2 || ets_text_starts_with(call->name, "aten::")) return false;
    const uint32_t result = ets_instruction_argument(call, count - 1);
    uint32_t place = count - 1;
    while (place > 0 && ets_instruction_argument(call, place) == result) place--;
    const uint32_t value = ets_instruction_argument(call, argument);
    const uint32_t number = f->plan->tensor_of[value];
    if (place != argument || number == ETS_PLAN_NONE) return false;
    struct ets_evalue read;
    ets_method_value(&f->plan->method, value, &read);
    const int32_t type = read.tensor.tensor.scalar_type;
    const struct ets_plan_tensor *tensor = &f->plan->tensors[number];
    return tensor->kind == ETS_PLAN_INTERMEDIATE && tensor->place == ETS_PLACE_PLANNED &&
           !tensor->is_output && f->use_count[number] == 1 && read.tensor.tensor.rank == 1 &&
           (type == ETS_SCALAR_BYTE || type == ETS_SCALAR_CHAR);
}

static void find_scratch(struct finder *f, const struct ets_instruction *call)
{
    for (uint32_t i = 0; i < call->argument_count; i++) {
        if (!is_scratch(f, call, i)) continue;
        const uint32_t number = f->plan->tensor_of[ets_instruction_argument(call, i)];
        f->plan->tensors[number].kind = ETS_PLAN_SCRATCH;
        f->found[f->namings[number].touch].touch =
            (struct ets_plan_touch){.step = f->step, .writes = true};
    }
}

static void own(struct finder *f, uint32_t number)
{
    ets_plan_owners_give(&f->owners, f->places->begin[number], f->places->end[number], number);
}

/* Whether a value that nothing has written may be a view: exactly the bytes of another. */
static bool may_be_view(const struct finder *f, uint32_t number)
{
    const uint32_t other = find_writer(f, number);
    if (other == ETS_PLAN_NONE) return false;
    const struct ets_plan_tensor *tensor = &f->plan->tensors[number];
    const struct ets_plan_tensor *base = &f->plan->tensors[other];
    return base->offset == tensor->offset && base->bytes == tensor->bytes &&
           f->last_read[other] <= f->last_write[other];
}

/* What a delegate gives, as its payload tells. */
static void divide_as_told(struct finder *f)
{
    for (uint32_t i = f->first_of_step; i < f->count; i++) {
        const struct naming *naming = &f->namings[f->found[i].tensor];
        f->found[i].touch.writes = naming->is_result;
        f->found[i].touch.reads = !naming->is_result || naming->count > 1;
    }
}

/*
 * The same where nothing tells: it is behind what the delegate takes, and nothing has written it
 * yet. What may be a view is taken, as long as something is given.
 */
static void divide_by_writes(struct finder *f)
{
    uint32_t given = f->count; /* the first of those that are written */
    while (given > f->first_of_step && !f->is_written[f->found[given - 1].tensor]) given--;
    while (given + 1 < f->count && may_be_view(f, f->found[given].tensor)) given++;
    for (uint32_t i = f->first_of_step; i < f->count; i++) {
        f->found[i].touch.reads = i < given;
        f->found[i].touch.writes = i >= given;
    }
}

static enum ets_status name_delegate_call(struct finder *f, const struct ets_instruction *call)
{
    const struct ets_plan_results *results;
    ETS_TRY(ets_plan_delegates_results(&f->delegates, (uint32_t)call->delegate_index, &results,
                                       f->error));
    const bool is_told = results->is_result != NULL && results->count == call->argument_count;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        ETS_TRY(name_value(f, ets_instruction_argument(call, i),
                           is_told && results->is_result[i] != 0));
    }
    if (is_told) divide_as_told(f);
    else divide_by_writes(f);
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

static void note_touch(struct finder *f, const struct found_touch *found)
{
    if (found->touch.reads) {
        find_base(f, found->tensor);
        f->last_read[found->tensor] = f->step + 1;
    }
}

/* `has_bytes`: what is written lies in the tensor's own bytes, which a move leaves alone. */
static void note_write(struct finder *f, const struct found_touch *found, bool has_bytes)
{
    if (!found->touch.writes) return;
    f->is_written[found->tensor] = true;
    f->last_write[found->tensor] = f->step + 1;
    if (has_bytes) own(f, found->tensor);
}

static enum ets_status visit(struct finder *f, const struct ets_instruction *instruction)
{
    f->first_of_step = f->count;
    f->step_begin[f->step] = f->count;
    switch (instruction->kind) {
    case ETS_INSTRUCTION_KERNEL_CALL:
        ETS_TRY(name_kernel_call(f, instruction));
        find_scratch(f, instruction);
        name_view(f, instruction);
        break;
    case ETS_INSTRUCTION_DELEGATE_CALL: ETS_TRY(name_delegate_call(f, instruction)); break;
    default: ETS_TRY(name_operands(f, instruction)); break;
    }
    for (uint32_t i = f->first_of_step; i < f->count; i++) note_touch(f, &f->found[i]);
    const bool has_bytes = instruction->kind != ETS_INSTRUCTION_MOVE_CALL;
    for (uint32_t i = f->first_of_step; i < f->count; i++) note_write(f, &f->found[i], has_bytes);
    f->step_begin[f->step + 1] = f->count;
    return ETS_OK;
}

/* Gives each tensor its touches and each step its tensors, in order. */
static enum ets_status hand_out(struct finder *f)
{
    struct ets_memory_plan *plan = f->plan;
    struct ets_plan_touch *touches = ets_arena_alloc_array(f->arena, f->count, sizeof *touches);
    uint32_t *next = ets_arena_alloc_array(f->arena, (size_t)plan->tensor_count + 1, sizeof *next);
    uint32_t *named = ets_arena_alloc_array(f->arena, f->count, sizeof *named);
    if (touches == NULL || next == NULL || named == NULL) {
        return ets_fail_memory(f->error, "what instructions read and write");
    }
    for (uint32_t i = 0; i < f->count; i++) named[i] = f->found[i].tensor;
    plan->named = named;
    plan->named_begin = f->step_begin;
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

/* What holds something before the first instruction. */
static void start(struct finder *f)
{
    for (uint32_t t = 0; t < f->plan->tensor_count; t++) {
        const enum ets_plan_kind kind = f->plan->tensors[t].kind;
        f->is_written[t] =
            kind == ETS_PLAN_CONSTANT || kind == ETS_PLAN_INPUT || kind == ETS_PLAN_BUFFER;
        if (f->is_written[t]) own(f, t);
    }
}

/* How many instructions name each tensor, outside of lists. */
static void count_uses(struct finder *f)
{
    for (uint32_t step = 0; step < f->plan->chain_step[f->plan->method.chain_count]; step++) {
        struct ets_instruction instruction;
        ets_plan_instruction(f->plan, step, &instruction);
        for (uint32_t i = 0; i < instruction.argument_count; i++) {
            const uint32_t number = f->plan->tensor_of[ets_instruction_argument(&instruction, i)];
            if (number == ETS_PLAN_NONE || f->namings[number].step == step + 1) continue;
            f->namings[number].step = step + 1;
            f->use_count[number]++;
        }
    }
    for (uint32_t t = 0; t < f->plan->tensor_count; t++) f->namings[t].step = 0;
}

static enum ets_status visit_all(struct finder *f)
{
    for (uint32_t c = 0; c < f->plan->method.chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(&f->plan->method, c, &chain);
        for (uint32_t i = 0; i < chain.instruction_count; i++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, i, &instruction);
            f->step = f->plan->chain_step[c] + i;
            ETS_TRY(visit(f, &instruction));
        }
    }
    for (uint32_t t = 0; t < f->plan->tensor_count; t++) {
        if (f->plan->tensors[t].is_output) find_base(f, t); /* one that no instruction names */
    }
    return ETS_OK;
}

enum ets_status ets_plan_find_touches(struct ets_memory_plan *plan,
                                      const struct ets_plan_places *places, struct ets_arena *arena,
                                      struct ets_error *error)
{
    const uint32_t count = plan->tensor_count;
    struct finder f = {.plan = plan, .places = places, .arena = arena, .error = error};
    f.budget = TOUCHES_FLOOR + TOUCHES_TIMES * (uint64_t)plan->method.program->bytes.size;
    f.namings = ets_arena_alloc_array(arena, count, sizeof *f.namings);
    f.use_count = ets_arena_alloc_array(arena, count, sizeof *f.use_count);
    f.is_written = ets_arena_alloc_array(arena, count, sizeof *f.is_written);
    f.last_read = ets_arena_alloc_array(arena, count, sizeof *f.last_read);
    f.last_write = ets_arena_alloc_array(arena, count, sizeof *f.last_write);
    f.step_begin = ets_arena_alloc_array(arena, (size_t)plan->step_count + 1, sizeof *f.step_begin);
    if (f.namings == NULL || f.use_count == NULL || f.is_written == NULL || f.last_read == NULL ||
        f.last_write == NULL || f.step_begin == NULL) {
        return ets_fail_memory(error, "what instructions read and write");
    }
    ETS_TRY(ets_plan_delegates_init(&f.delegates, plan, arena, error));
    ETS_TRY(ets_plan_owners_init(&f.owners, places, arena, error));
    count_uses(&f);
    start(&f);
    ETS_TRY(visit_all(&f));
    return hand_out(&f);
}
