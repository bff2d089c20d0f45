/*
 * Finds tensors that are written into the bytes of others which are still needed. One pass over the
 * writes; a range of bytes belongs to the tensor that was written there last.
 */
#include <string.h>

#include "memory/memory_parts.h"

/* Tensors that get their bytes back where branches begin and end, for all of them together. */
enum { RETURNS = 1 << 22 };

struct checker {
    struct ets_memory_plan *plan;
    const struct ets_plan_places *places;
    const struct ets_plan_flow *flow;
    struct ets_arena *arena;
    struct ets_plan_owners owners;
    uint32_t *read_at, *written_at; /* [tensor] step + 1 that did it last, of views to their base */
    struct ets_plan_overlap *overlaps;
    uint32_t count, capacity;
    uint32_t step;  /* NONE: before the first */
    uint32_t *lost; /* tensors whose bytes others took, but which are live later; those that are
                       given back are there once more if others take theirs meanwhile */
    uint32_t lost_count;
    bool *is_lost;   /* [tensor] */
    uint32_t budget; /* of returns */
};

/* The tensor whose bytes a view shows, or itself. */
static uint32_t root_of(const struct ets_memory_plan *plan, uint32_t tensor)
{
    const uint32_t base = plan->tensors[tensor].base;
    return base == ETS_PLAN_NONE ? tensor : base;
}

static enum ets_plan_overlap_kind kind_of(const struct checker *c, uint32_t tensor, uint32_t older)
{
    const struct ets_plan_tensor *a = &c->plan->tensors[tensor], *b = &c->plan->tensors[older];
    if (c->step == ETS_PLAN_NONE || a->offset != b->offset) return ETS_PLAN_OVERWRITE;
    if (c->read_at[older] == c->step + 1) return ETS_PLAN_IN_PLACE;
    struct ets_instruction call;
    ets_plan_instruction(c->plan, c->step, &call);
    return call.kind == ETS_INSTRUCTION_DELEGATE_CALL && a->bytes == b->bytes ? ETS_PLAN_UNDECIDED
                                                                              : ETS_PLAN_OVERWRITE;
}

/* Whether anything needs what a tensor holds once the step has begun. */
static bool is_needed(const struct checker *c, uint32_t older)
{
    const struct ets_plan_tensor *tensor = &c->plan->tensors[older];
    if (c->step == ETS_PLAN_NONE) return true;
    const struct ets_plan_piece *piece = ets_plan_piece_at(tensor, c->step);
    if (piece != NULL && piece->last > c->step) return true;
    return c->read_at[older] == c->step + 1 || c->written_at[older] == c->step + 1;
}

static bool add_overlap(struct checker *c, uint32_t tensor, uint32_t older)
{
    struct ets_plan_overlap *overlaps =
        ets_arena_grow(c->arena, c->overlaps, c->count, &c->capacity, sizeof *overlaps);
    if (overlaps == NULL) return false;
    c->overlaps = overlaps;
    c->overlaps[c->count++] = (struct ets_plan_overlap){kind_of(c, tensor, older), tensor, older,
                                                        c->step == ETS_PLAN_NONE ? 0 : c->step};
    return true;
}

/* Takes note of whose bytes are given to another, if those are needed later. */
static void lose(struct checker *c, uint32_t older)
{
    const struct ets_plan_tensor *tensor = &c->plan->tensors[older];
    const bool is_over = c->step != ETS_PLAN_NONE && tensor->last <= c->step;
    if (is_over || tensor->first == ETS_PLAN_NONE || c->is_lost[older] || c->budget == 0) return;
    c->is_lost[older] = true;
    c->lost[c->lost_count++] = older;
}

/* Writes a tensor, and lists whose bytes that takes. */
static bool write_tensor(struct checker *c, uint32_t tensor)
{
    const uint32_t begin = c->places->begin[tensor], end = c->places->end[tensor];
    const uint32_t root = root_of(c->plan, tensor);
    uint32_t last = ETS_PLAN_NONE; /* listed before */
    if (begin == end) return true;
    for (uint32_t at = begin; at < end; at = ets_plan_owners_next(&c->owners, at)) {
        const uint32_t owner = ets_plan_owners_at(&c->owners, at);
        if (owner == ETS_PLAN_NONE || owner == last || owner == root) continue;
        last = owner;
        lose(c, owner);
        if (is_needed(c, owner) && !add_overlap(c, tensor, owner)) return false;
    }
    ets_plan_owners_give(&c->owners, begin, end, root);
    return true;
}

static const struct ets_plan_touch *touch_at(const struct ets_plan_tensor *tensor, uint32_t step)
{
    uint32_t low = 0, high = tensor->touch_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (tensor->touches[middle].step <= step) low = middle;
        else high = middle;
    }
    return &tensor->touches[low];
}

/* Whether a tensor holds something when the step begins. */
static bool is_held_before(const struct checker *c, uint32_t tensor)
{
    const struct ets_plan_tensor *of = &c->plan->tensors[tensor];
    const struct ets_plan_piece *piece = ets_plan_piece_at(of, c->step);
    if (piece == NULL) return false;
    if (piece->first < c->step || of->touch_count == 0) return true;
    const struct ets_plan_touch *touch = touch_at(of, c->step);
    return touch->step != c->step || !touch->writes || touch->reads;
}

static void give_back(struct checker *c, uint32_t tensor)
{
    const uint32_t begin = c->places->begin[tensor], end = c->places->end[tensor];
    for (uint32_t at = begin; at < end; at = ets_plan_owners_next(&c->owners, at)) {
        const uint32_t owner = ets_plan_owners_at(&c->owners, at);
        if (owner != ETS_PLAN_NONE && owner != tensor) lose(c, owner);
    }
    ets_plan_owners_give(&c->owners, begin, end, tensor);
}

/*
 * Behind a jump the steps before it need not have run, so bytes belong to what is live there. Of
 * several that are, to one, as before.
 */
static void return_lost(struct checker *c)
{
    const uint32_t count = c->lost_count;
    uint32_t kept = 0;
    c->budget -= count < c->budget ? count : c->budget;
    for (uint32_t i = 0; i < count && c->budget > 0; i++) {
        const uint32_t tensor = c->lost[i];
        const bool is_over = c->plan->tensors[tensor].last < c->step;
        c->is_lost[tensor] = !is_over && !is_held_before(c, tensor);
        if (c->is_lost[tensor]) c->lost[kept++] = tensor;
        else if (!is_over) give_back(c, tensor);
    }
    memmove(c->lost + kept, c->lost + count, (c->lost_count - count) * sizeof *c->lost);
    c->lost_count -= count - kept;
}

/* What a step reads, and then what it writes. */
static bool visit_step(struct checker *c)
{
    const struct ets_memory_plan *plan = c->plan;
    if (ets_plan_flow_joins(c->flow, c->step)) return_lost(c);
    const uint32_t begin = plan->named_begin[c->step], end = plan->named_begin[c->step + 1];
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t t = plan->named[i];
        if (touch_at(&plan->tensors[t], c->step)->reads) {
            c->read_at[root_of(plan, t)] = c->step + 1;
        }
    }
    struct ets_instruction instruction;
    ets_plan_instruction(plan, c->step, &instruction);
    if (instruction.kind == ETS_INSTRUCTION_MOVE_CALL) return true; /* it writes no bytes */
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t t = plan->named[i];
        if (!touch_at(&plan->tensors[t], c->step)->writes) continue;
        if (!ets_plan_is_live(&plan->tensors[t], c->step)) continue; /* a move made it another */
        if (!write_tensor(c, t)) return false;
        c->written_at[root_of(plan, t)] = c->step + 1;
    }
    return true;
}

static bool check(struct checker *c)
{
    c->step = ETS_PLAN_NONE;
    for (uint32_t t = 0; t < c->plan->tensor_count; t++) {
        const enum ets_plan_kind kind = c->plan->tensors[t].kind;
        if (kind != ETS_PLAN_INPUT && kind != ETS_PLAN_BUFFER) continue;
        if (!write_tensor(c, t)) return false;
    }
    for (c->step = 0; c->step < c->plan->step_count; c->step++) {
        if (!visit_step(c)) return false;
    }
    return true;
}

enum ets_status ets_plan_find_overlaps(struct ets_memory_plan *plan,
                                       const struct ets_plan_places *places,
                                       const struct ets_plan_flow *flow, struct ets_arena *arena,
                                       struct ets_error *error)
{
    struct checker c = {
        .plan = plan, .places = places, .flow = flow, .arena = arena, .budget = RETURNS};
    c.read_at = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *c.read_at);
    c.written_at = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *c.written_at);
    c.lost = ets_arena_alloc_array(arena, 2 * (size_t)plan->tensor_count, sizeof *c.lost);
    c.is_lost = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *c.is_lost);
    if (c.read_at == NULL || c.written_at == NULL || c.lost == NULL || c.is_lost == NULL) {
        return ets_fail_memory(error, "overlaps of planned memory");
    }
    ETS_TRY(ets_plan_owners_init(&c.owners, places, arena, error));
    if (!check(&c)) return ets_fail_memory(error, "overlaps of planned memory");
    plan->overlaps = c.overlaps;
    plan->overlap_count = c.count;
    return ETS_OK;
}
