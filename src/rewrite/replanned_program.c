/* Writes better memory plans into a program: new offsets of tensors, new sizes of arenas. */
#include "rewrite/replanned_program.h"

#include "base/error.h"
#include "base/load.h"
#include "base/text.h"
#include "format/program_lists.h"
#include "format/program_schema.h"
#include "memory/memory_replan.h"

enum { MOST_ALIGNMENT = 64 };

struct writer {
    struct ets_arena *arena;
    const struct ets_program *program;
    struct ets_rewriting rewriting;
    struct ets_replanned *out;
    struct ets_error *error;
    uint32_t only;   /* method */
    bool *has_state; /* [state_count] of a memory id: some method keeps state there */
    uint32_t state_count;
};

/* One method's old plan and the new one. */
struct method_writer {
    struct writer *writer;
    struct ets_memory_plan plan;
    struct ets_replan replan;
    struct ets_replan_options options;
    bool *is_moved; /* [arena_count] */
    uint32_t moved_count;
    const char *uncertain; /* why nothing may move; NULL: something may */
    struct ets_replanned_method *told;
};

/* A chosen alignment is not in the file: what all offsets have in common may be one. */
static uint32_t alignment_of(const struct ets_memory_plan *plan)
{
    uint64_t offsets = 0;
    uint32_t alignment = ETS_REPLAN_ALIGNMENT;
    if (plan->method.delegate_count == 0) return alignment;
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (tensor->arena != ETS_PLAN_NONE && tensor->base == ETS_PLAN_NONE) {
            offsets |= tensor->offset;
        }
    }
    while (alignment < MOST_ALIGNMENT && offsets % (2 * alignment) == 0) alignment *= 2;
    return alignment;
}

/* Whether a call gives another name to bytes whose place the plan does not tell. */
static bool is_untold_view(const struct ets_memory_plan *plan, const struct ets_instruction *call)
{
    if (call->kind != ETS_INSTRUCTION_KERNEL_CALL || call->argument_count < 2) return false;
    if (!ets_text_is(call->name, "executorch_prim::et_view")) return false;
    const uint32_t of = plan->tensor_of[ets_instruction_argument(call, 0)];
    const uint32_t view = plan->tensor_of[ets_instruction_argument(call, call->argument_count - 1)];
    if (of == ETS_PLAN_NONE || view == ETS_PLAN_NONE) return true;
    if (plan->tensors[of].arena == ETS_PLAN_NONE) return false; /* nothing planned is shown */
    return plan->tensors[view].base == ETS_PLAN_NONE;
}

/* Lifetimes that rest on a guess are no ground to move anything. NULL: they are certain. */
static const char *why_uncertain(const struct ets_memory_plan *plan)
{
    if (plan->never_ends) return "no way leads to the end of the method";
    for (uint32_t step = 0; step < plan->step_count; step++) {
        struct ets_instruction call;
        ets_plan_instruction(plan, step, &call);
        if (is_untold_view(plan, &call)) return "a view's place is only known at run time";
    }
    for (uint32_t t = 0; plan->method.delegate_count > 0 && t < plan->tensor_count; t++) {
        if (plan->tensors[t].piece_count > 1) {
            return "what delegates between branches write is not certain";
        }
    }
    return NULL;
}

/* Why an arena has to stay as it is; NULL: it may change. */
static const char *why_kept(const struct method_writer *m, const struct ets_plan_arena *arena)
{
    const struct writer *w = m->writer;
    if (arena->planned.device_type != ETS_DEVICE_CPU) return "it is memory of a device";
    if (m->uncertain != NULL) return m->uncertain;
    for (uint32_t i = 0; i < arena->tensor_count; i++) {
        if (m->plan.tensors[arena->tensors[i]].kind == ETS_PLAN_SCRATCH) {
            return "a kernel of another library works in it";
        }
    }
    if (w->program->method_count > 1 && w->has_state[arena->planned.memory_id]) {
        return "it holds state, which methods may share";
    }
    return NULL;
}

/* Several methods may be given the same memory: state of one is then state of all. */
static enum ets_status find_state(struct writer *w)
{
    for (uint32_t i = 0; i < w->program->method_count; i++) {
        struct ets_method method;
        ets_program_method(w->program, i, &method);
        if (method.arena_count >= w->state_count) w->state_count = method.arena_count + 1;
    }
    w->has_state = ets_arena_alloc_array(w->arena, w->state_count, sizeof *w->has_state);
    if (w->has_state == NULL) return ets_fail_memory(w->error, "a rewritten program");
    for (uint32_t i = 0; w->program->method_count > 1 && i < w->program->method_count; i++) {
        struct ets_method method;
        struct ets_memory_plan plan;
        ets_program_method(w->program, i, &method);
        ETS_TRY(ets_memory_plan_init(&plan, &method, w->arena, w->error));
        for (uint32_t t = 0; t < plan.tensor_count; t++) {
            const struct ets_plan_tensor *tensor = &plan.tensors[t];
            if (tensor->kind != ETS_PLAN_BUFFER || tensor->arena == ETS_PLAN_NONE) continue;
            w->has_state[plan.arenas[tensor->arena].planned.memory_id] = true;
        }
    }
    return ETS_OK;
}

/* Tensors that no instruction names need room all the same: the runtime checks where they end. */
static uint64_t room_of_unused(const struct ets_memory_plan *plan,
                               const struct ets_plan_arena *arena)
{
    uint64_t room = 0;
    for (uint32_t i = 0; i < arena->tensor_count; i++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[arena->tensors[i]];
        if (tensor->first == ETS_PLAN_NONE && tensor->bytes > room) room = tensor->bytes;
    }
    return room;
}

static void choose_arenas(struct method_writer *m)
{
    const struct ets_memory_plan *plan = &m->plan;
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        const struct ets_plan_arena *arena = &plan->arenas[a];
        const uint64_t before = arena->planned.bytes;
        const char *kept = why_kept(m, arena);
        const bool is_smaller = m->replan.arena_bytes[a] < before &&
                                room_of_unused(plan, arena) <= m->replan.arena_bytes[a];
        if (is_smaller && kept != NULL) m->told->kept = kept;
        m->is_moved[a] = is_smaller && kept == NULL;
        m->moved_count += m->is_moved[a];
        m->told->before = ets_add_saturated_u64(m->told->before, before);
        m->told->after = ets_add_saturated_u64(m->told->after,
                                               m->is_moved[a] ? m->replan.arena_bytes[a] : before);
    }
}

static bool has_overwritten(const struct ets_memory_plan *plan)
{
    for (uint32_t i = 0; i < plan->overlap_count; i++) {
        if (plan->overlaps[i].kind == ETS_PLAN_OVERWRITE) return true;
    }
    return false;
}

static enum ets_status fail_plan(struct writer *w, const struct ets_method *method)
{
    return ets_fail(w->error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                    "the plan of method %.*s has mistakes: tensors overwrite what is still needed; "
                    "export it again",
                    ETS_TEXT(method->name));
}

/* Plans a method anew, and checks it. */
static enum ets_status plan_method(struct method_writer *m, const struct ets_method *method)
{
    struct writer *w = m->writer;
    struct ets_replan_fault fault;
    ETS_TRY(ets_memory_plan_init(&m->plan, method, w->arena, w->error));
    if (m->plan.planned_bytes == 0) return ETS_OK;
    if (has_overwritten(&m->plan)) return fail_plan(w, method);
    m->uncertain = why_uncertain(&m->plan);
    m->options.alignment = alignment_of(&m->plan);
    ETS_TRY(ets_memory_replan(&m->plan, &m->options, w->arena, &m->replan, w->error));
    m->is_moved = ets_arena_alloc_array(w->arena, m->plan.arena_count, sizeof *m->is_moved);
    if (m->is_moved == NULL) return ets_fail_memory(w->error, "a rewritten program");
    m->told = &w->out->methods[w->out->method_count++];
    *m->told = (struct ets_replanned_method){.name = method->name};
    if (!ets_memory_replan_check(&m->plan, &m->options, &m->replan, &fault)) {
        m->told->before = m->told->after = m->plan.planned_bytes;
        m->told->kept = "no plan passed the check";
    } else {
        choose_arenas(m);
    }
    w->out->before = ets_add_saturated_u64(w->out->before, m->told->before);
    w->out->after = ets_add_saturated_u64(w->out->after, m->told->after);
    return ETS_OK;
}

/* A value whose tensor lies elsewhere now. */
static struct ets_splice_part *move_value(struct method_writer *m, struct ets_fb old,
                                          const struct ets_fb_type *type, uint64_t offset)
{
    struct ets_splice *s = &m->writer->rewriting.splice;
    const struct ets_fb old_tensor = ets_fb_table(old, EVALUE_MEMBER);
    const struct ets_fb_type *of_tensor =
        ets_splice_type_in(type, EVALUE_TAG, ets_fb_u8(old, EVALUE_TAG, 0));
    struct ets_splice_part *value = ets_splice_copy(s, old, type);
    struct ets_splice_part *tensor = ets_splice_copy(s, old_tensor, of_tensor);
    struct ets_splice_part *place =
        ets_splice_copy(s, ets_fb_table(old_tensor, TENSOR_ALLOCATION),
                        ets_splice_type_in(of_tensor, TENSOR_ALLOCATION, 0));
    ets_splice_set_number(place, ALLOCATION_OFFSET_LOW, 4, offset & UINT32_MAX);
    ets_splice_set_number(place, ALLOCATION_OFFSET_HIGH, 4, offset >> 32);
    ets_splice_set_part(tensor, TENSOR_ALLOCATION, place);
    ets_splice_set_part(value, EVALUE_MEMBER, tensor);
    return value;
}

static struct ets_splice_part *move_values(struct method_writer *m,
                                           const struct ets_fb_type *of_plan)
{
    const struct ets_memory_plan *plan = &m->plan;
    const struct ets_fb_vector all = ets_fb_vector(ets_method_plan(&plan->method), PLAN_VALUES);
    const struct ets_fb_type *type = ets_splice_type_in(of_plan, PLAN_VALUES, 0);
    struct ets_splice_part *values = ets_splice_tables(&m->writer->rewriting.splice, all, 0);
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (tensor->arena == ETS_PLAN_NONE || !m->is_moved[tensor->arena]) continue;
        const bool is_used = tensor->first != ETS_PLAN_NONE && tensor->bytes > 0;
        const uint64_t offset = is_used ? m->replan.offsets[t] : 0;
        if (offset == tensor->offset) continue;
        ets_splice_set_item(values, tensor->value,
                            move_value(m, ets_fb_vector_table(all, tensor->value), type, offset));
    }
    return values;
}

static struct ets_splice_part *shrink_arenas(struct method_writer *m)
{
    const struct ets_fb_vector old = ets_fb_vector(ets_method_plan(&m->plan.method), PLAN_ARENAS);
    struct ets_splice_part *arenas =
        ets_splice_numbers(&m->writer->rewriting.splice, old, 0, sizeof(uint64_t));
    for (uint32_t a = 0; a < m->plan.arena_count; a++) {
        if (!m->is_moved[a]) continue;
        ets_splice_set_item_number(arenas, m->plan.arenas[a].planned.memory_id,
                                   m->replan.arena_bytes[a]);
    }
    return arenas;
}

/* The table of a method with its new plan; NULL: nothing changes, or no memory. */
static enum ets_status write_method(struct writer *w, uint32_t index,
                                    struct ets_splice_part **plan_out)
{
    struct ets_method method;
    struct method_writer m = {.writer = w};
    const struct ets_fb_type *type = ets_splice_type_in(&ets_program_type, PROGRAM_PLANS, 0);
    ets_program_method(w->program, index, &method);
    *plan_out = NULL;
    ETS_TRY(plan_method(&m, &method));
    if (m.moved_count == 0) return ETS_OK;
    *plan_out = ets_splice_copy(&w->rewriting.splice, ets_method_plan(&method), type);
    ets_splice_set_part(*plan_out, PLAN_VALUES, move_values(&m, type));
    ets_splice_set_part(*plan_out, PLAN_ARENAS, shrink_arenas(&m));
    return w->rewriting.splice.status;
}

static enum ets_status write_methods(struct writer *w)
{
    const struct ets_fb_vector all = ets_fb_vector(ets_program_root(w->program), PROGRAM_PLANS);
    struct ets_splice_part *plans = ets_splice_tables(&w->rewriting.splice, all, 0);
    for (uint32_t i = 0; i < w->program->method_count; i++) {
        struct ets_splice_part *plan;
        if (w->only != ETS_REPLAN_ALL_METHODS && w->only != i) continue;
        ETS_TRY(write_method(w, i, &plan));
        if (plan != NULL) ets_splice_set_item(plans, i, plan);
    }
    ets_splice_set_part(w->rewriting.root, PROGRAM_PLANS, plans);
    return w->rewriting.splice.status;
}

/* Reads the new program as any other: its plans have the sizes that are told, and no mistakes. */
static enum ets_status check_written(struct writer *w)
{
    uint64_t planned = 0;
    struct ets_program made;
    ETS_TRY(ets_program_init(&made, w->out->bytes, w->error));
    ETS_TRY(ets_rewritten_check(w->program, &made, w->error));
    for (uint32_t i = 0; i < made.method_count; i++) {
        struct ets_method method;
        struct ets_memory_plan plan;
        if (w->only != ETS_REPLAN_ALL_METHODS && w->only != i) continue;
        ets_program_method(&made, i, &method);
        ETS_TRY(ets_memory_plan_init(&plan, &method, w->arena, w->error));
        if (has_overwritten(&plan)) return fail_plan(w, &method);
        planned = ets_add_saturated_u64(planned, plan.planned_bytes);
    }
    if (planned == w->out->after) return ETS_OK;
    return ets_fail(w->error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                    "the written plan takes %llu bytes, not %llu; please report this",
                    (unsigned long long)planned, (unsigned long long)w->out->after);
}

enum ets_status ets_replanned_program(struct ets_arena *arena, const struct ets_program *program,
                                      uint32_t method, struct ets_replanned *out,
                                      struct ets_error *error)
{
    struct ets_rewritten rewritten;
    struct writer w = {
        .arena = arena, .program = program, .out = out, .error = error, .only = method};
    *out = (struct ets_replanned){.method_count = 0};
    ETS_TRY(ets_rewriting_refuse(program, error));
    out->methods = ets_arena_alloc_array(arena, program->method_count, sizeof *out->methods);
    if (out->methods == NULL) return ets_fail_memory(error, "a rewritten program");
    ETS_TRY(ets_rewriting_init(&w.rewriting, arena, program, error));
    ETS_TRY(find_state(&w));
    ETS_TRY(write_methods(&w));
    if (out->after == out->before) return ETS_OK;
    ETS_TRY(ets_rewriting_write(&w.rewriting, &rewritten));
    const uint8_t *bytes = ets_rewritten_join(&rewritten, arena);
    if (bytes == NULL) return ets_fail_memory(error, "a rewritten program");
    out->bytes = (struct ets_bytes){bytes, (size_t)rewritten.bytes};
    return check_written(&w);
}
