/* Places the tensors of a plan anew: groups what must stay together, then fills gaps greedily. */
#include "memory/memory_replan.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/load.h"

/* Placing and checking compare all pairs: far more tensors than models have take too long. */
enum { MOST_TENSORS = 5000, MOST_ROUNDS = 64, MOST_COMPARISONS = 50000000 };

/* Tensors that keep their distance to each other, placed as one. */
struct group {
    uint32_t first, last;
    uint32_t piece_begin, piece_count; /* in the replanner's pieces: when some of them is live */
    uint64_t bytes;                    /* that they span */
    uint64_t level;                    /* bytes live at its first step */
    uint64_t offset;                   /* where it is placed */
};

enum order { BY_SIZE, BY_AREA, BY_STEP, BY_LEVEL, ORDER_COUNT };

/* Something to sort, the smallest key first. */
struct rank {
    uint64_t key;
    uint32_t index;
};

struct replanner {
    const struct ets_memory_plan *plan;
    const struct ets_plan_arena *arena;
    uint64_t alignment;
    struct rank *ranks; /* [tensor_count] scratch */
    uint32_t *members;  /* [member_count] tensors of the arena, by offset */
    uint32_t member_count;
    uint32_t *in_place_of; /* [tensor_count] */
    uint32_t *parent;      /* [tensor_count] of the union; a root is its own */
    bool *is_shared;       /* [tensor_count] shares bytes with a live tensor in the given plan */
    uint64_t *low;         /* [tensor_count] of a root: the lowest offset of its tensors */
    uint32_t *group_of;    /* [tensor_count] of a root */
    struct group *groups;
    uint32_t group_count;
    struct ets_plan_piece *pieces;         /* of all groups, each group's joined */
    uint32_t *queue, *best_queue, *placed; /* [group_count] */
    uint64_t *best_offsets;                /* [group_count] */
    uint64_t best_bytes;
};

static uint32_t root_of(struct replanner *r, uint32_t tensor)
{
    while (r->parent[tensor] != tensor) {
        r->parent[tensor] = r->parent[r->parent[tensor]];
        tensor = r->parent[tensor];
    }
    return tensor;
}

static void unite(struct replanner *r, uint32_t a, uint32_t b)
{
    r->parent[root_of(r, b)] = root_of(r, a);
}

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Lists the tensors of the arena that need memory, by offset. */
static void list_members(struct replanner *r, const struct ets_replan_options *options)
{
    r->member_count = 0;
    for (uint32_t i = 0; i < r->arena->tensor_count; i++) {
        const uint32_t t = r->arena->tensors[i];
        const struct ets_plan_tensor *tensor = &r->plan->tensors[t];
        if (tensor->first == ETS_PLAN_NONE || tensor->bytes == 0) continue;
        if (ets_replan_leaves_out(r->plan, options, t)) continue;
        r->ranks[r->member_count++] = (struct rank){tensor->offset, t};
    }
    if (r->member_count > 1) qsort(r->ranks, r->member_count, sizeof *r->ranks, compare_ranks);
    for (uint32_t i = 0; i < r->member_count; i++) {
        const uint32_t t = r->ranks[i].index;
        r->members[i] = t;
        r->parent[t] = t;
        r->is_shared[t] = false;
    }
}

/* What shares bytes in the given plan while it is live stays together, and so do views. */
static void unite_shared(struct replanner *r)
{
    for (uint32_t i = 0; i < r->member_count; i++) {
        const uint32_t a = r->members[i];
        const struct ets_plan_tensor *left = &r->plan->tensors[a];
        for (uint32_t j = i + 1; j < r->member_count; j++) {
            const uint32_t b = r->members[j];
            const struct ets_plan_tensor *right = &r->plan->tensors[b];
            if (right->offset >= left->offset + left->bytes) break;
            if (!ets_plan_live_together(left, right) && left->base != b && right->base != a)
                continue;
            unite(r, a, b);
            r->is_shared[a] = r->is_shared[b] = true;
        }
    }
}

/* Whether a result before it took the input's bytes. */
static bool is_taken(const struct replanner *r, uint32_t input)
{
    for (uint32_t i = 0; i < r->member_count; i++) {
        if (r->in_place_of[r->members[i]] == input) return true;
    }
    return false;
}

static void unite_in_place(struct replanner *r)
{
    for (uint32_t i = 0; i < r->member_count; i++) {
        const uint32_t result = r->members[i];
        if (r->is_shared[result]) continue;
        const uint32_t input = ets_plan_in_place_of(r->plan, result);
        if (input == ETS_PLAN_NONE || r->is_shared[input] || is_taken(r, input)) continue;
        r->in_place_of[result] = input;
        unite(r, input, result);
    }
}

/* How far a tensor lies behind the begin of its group: what takes another's bytes, not at all. */
static uint64_t distance_of(const struct replanner *r, uint32_t tensor, uint32_t root)
{
    return r->is_shared[tensor] ? r->plan->tensors[tensor].offset - r->low[root] : 0;
}

static int compare_pieces(const void *left, const void *right)
{
    const struct ets_plan_piece *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return (a->last > b->last) - (a->last < b->last);
}

/* Joins pieces that touch or overlap; returns how many are left. */
static uint32_t join_pieces(struct ets_plan_piece *pieces, uint32_t count)
{
    uint32_t kept = 0;
    if (count > 1) qsort(pieces, count, sizeof *pieces, compare_pieces);
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && pieces[i].first <= pieces[kept - 1].last + 1) {
            if (pieces[i].last > pieces[kept - 1].last) pieces[kept - 1].last = pieces[i].last;
        } else {
            pieces[kept++] = pieces[i];
        }
    }
    return kept;
}

static struct group *group_of(struct replanner *r, uint32_t tensor)
{
    return &r->groups[r->group_of[root_of(r, tensor)]];
}

/* When each group is live: while one of its members is. */
static void find_pieces(struct replanner *r)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < r->member_count; i++) {
        group_of(r, r->members[i])->piece_count += r->plan->tensors[r->members[i]].piece_count;
    }
    for (uint32_t g = 0; g < r->group_count; g++) {
        r->groups[g].piece_begin = end;
        end += r->groups[g].piece_count;
        r->groups[g].piece_count = 0;
    }
    for (uint32_t i = 0; i < r->member_count; i++) {
        const struct ets_plan_tensor *tensor = &r->plan->tensors[r->members[i]];
        struct group *group = group_of(r, r->members[i]);
        memcpy(r->pieces + group->piece_begin + group->piece_count, tensor->pieces,
               tensor->piece_count * sizeof *r->pieces);
        group->piece_count += tensor->piece_count;
    }
    for (uint32_t g = 0; g < r->group_count; g++) {
        struct group *group = &r->groups[g];
        struct ets_plan_piece *pieces = r->pieces + group->piece_begin;
        group->piece_count = join_pieces(pieces, group->piece_count);
        group->first = pieces[0].first;
        group->last = pieces[group->piece_count - 1].last;
    }
}

static bool groups_meet(const struct replanner *r, const struct group *a, const struct group *b)
{
    if (a->first > b->last || b->first > a->last) return false;
    return ets_plan_pieces_meet(r->pieces + a->piece_begin, a->piece_count,
                                r->pieces + b->piece_begin, b->piece_count);
}

static void make_groups(struct replanner *r)
{
    r->group_count = 0;
    for (uint32_t i = 0; i < r->member_count; i++) {
        const uint32_t t = r->members[i], root = root_of(r, t);
        if (r->group_of[root] != ETS_PLAN_NONE) continue;
        r->group_of[root] = r->group_count;
        r->low[root] = r->plan->tensors[t].offset; /* members come by offset */
        r->groups[r->group_count++] = (struct group){.first = 0};
    }
    for (uint32_t i = 0; i < r->member_count; i++) {
        const uint32_t t = r->members[i], root = root_of(r, t);
        const struct ets_plan_tensor *tensor = &r->plan->tensors[t];
        struct group *group = &r->groups[r->group_of[root]];
        const uint64_t end = distance_of(r, t, root) + tensor->bytes;
        if (end > group->bytes) group->bytes = end;
    }
    find_pieces(r);
    for (uint32_t g = 0; g < r->group_count; g++) {
        r->groups[g].level = r->arena->live[r->groups[g].first];
    }
}

static uint64_t align(const struct replanner *r, uint64_t offset)
{
    return (offset + r->alignment - 1) & ~(r->alignment - 1);
}

/* The smallest gap between placed groups that is free as long as `group` lives, or the end. */
static uint64_t find_gap(const struct replanner *r, const struct group *group, uint32_t count)
{
    uint64_t cursor = 0, best = UINT64_MAX, best_room = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const struct group *other = &r->groups[r->placed[i]];
        if (!groups_meet(r, group, other)) continue;
        if (other->offset >= cursor + group->bytes && other->offset - cursor < best_room) {
            best_room = other->offset - cursor;
            best = cursor;
        }
        const uint64_t end = align(r, other->offset + other->bytes);
        if (end > cursor) cursor = end;
    }
    return best == UINT64_MAX ? cursor : best;
}

/* Places the groups in the order of the queue; returns where the last one ends. */
static uint64_t place(struct replanner *r)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < r->group_count; i++) {
        struct group *group = &r->groups[r->queue[i]];
        group->offset = find_gap(r, group, i);
        uint32_t at = i;
        while (at > 0 && r->groups[r->placed[at - 1]].offset > group->offset) at--;
        memmove(r->placed + at + 1, r->placed + at, (i - at) * sizeof *r->placed);
        r->placed[at] = r->queue[i];
        if (group->offset + group->bytes > end) end = group->offset + group->bytes;
    }
    return end;
}

static bool keep_if_better(struct replanner *r, uint64_t bytes)
{
    if (bytes >= r->best_bytes) return false;
    r->best_bytes = bytes;
    memcpy(r->best_queue, r->queue, r->group_count * sizeof *r->queue);
    for (uint32_t g = 0; g < r->group_count; g++) r->best_offsets[g] = r->groups[g].offset;
    return true;
}

static uint64_t key_of(const struct group *group, enum order order)
{
    const uint64_t steps = (uint64_t)group->last - group->first + 1;
    uint64_t area;
    switch (order) {
    case BY_AREA: return ets_mul_u64(group->bytes, steps, &area) ? UINT64_MAX - area : 0;
    case BY_STEP: return group->first;
    case BY_LEVEL: return UINT64_MAX - group->level;
    case BY_SIZE:
    case ORDER_COUNT: break;
    }
    return UINT64_MAX - group->bytes;
}

static void queue_by(struct replanner *r, enum order order)
{
    for (uint32_t g = 0; g < r->group_count; g++) {
        r->ranks[g] = (struct rank){key_of(&r->groups[g], order), g};
    }
    if (r->group_count > 1) qsort(r->ranks, r->group_count, sizeof *r->ranks, compare_ranks);
    for (uint32_t g = 0; g < r->group_count; g++) r->queue[g] = r->ranks[g].index;
}

/* Moves what ends highest to the front of the best queue, and places again. */
static void promote(struct replanner *r)
{
    uint32_t top = 0;
    memcpy(r->queue, r->best_queue, r->group_count * sizeof *r->queue);
    for (uint32_t i = 0; i < r->group_count; i++) {
        const uint32_t g = r->queue[i];
        if (r->best_offsets[g] + r->groups[g].bytes == r->best_bytes) top = i;
    }
    const uint32_t highest = r->queue[top];
    memmove(r->queue + 1, r->queue, top * sizeof *r->queue);
    r->queue[0] = highest;
}

static void search(struct replanner *r)
{
    r->best_bytes = UINT64_MAX;
    for (enum order order = BY_SIZE; order < ORDER_COUNT; order++) {
        queue_by(r, order);
        (void)keep_if_better(r, place(r));
    }
    const uint64_t pairs = (uint64_t)r->group_count * r->group_count + 1;
    for (uint64_t round = 0; round < MOST_ROUNDS && round * pairs < MOST_COMPARISONS; round++) {
        if (r->best_bytes <= r->arena->peak_bytes) break;
        promote(r);
        if (!keep_if_better(r, place(r))) break;
    }
}

static bool alloc_replanner(struct replanner *r, struct ets_arena *arena)
{
    const size_t count = r->plan->tensor_count;
    size_t pieces = 0;
    for (uint32_t t = 0; t < count; t++) pieces += r->plan->tensors[t].piece_count;
    r->pieces = ets_arena_alloc_array(arena, pieces, sizeof *r->pieces);
    r->members = ets_arena_alloc_array(arena, count, sizeof *r->members);
    r->ranks = ets_arena_alloc_array(arena, count, sizeof *r->ranks);
    r->in_place_of = ets_arena_alloc_array(arena, count, sizeof *r->in_place_of);
    r->parent = ets_arena_alloc_array(arena, count, sizeof *r->parent);
    r->is_shared = ets_arena_alloc_array(arena, count, sizeof *r->is_shared);
    r->low = ets_arena_alloc_array(arena, count, sizeof *r->low);
    r->group_of = ets_arena_alloc_array(arena, count, sizeof *r->group_of);
    r->groups = ets_arena_alloc_array(arena, count, sizeof *r->groups);
    r->queue = ets_arena_alloc_array(arena, count, sizeof *r->queue);
    r->best_queue = ets_arena_alloc_array(arena, count, sizeof *r->best_queue);
    r->placed = ets_arena_alloc_array(arena, count, sizeof *r->placed);
    r->best_offsets = ets_arena_alloc_array(arena, count, sizeof *r->best_offsets);
    return r->members != NULL && r->ranks != NULL && r->in_place_of != NULL && r->parent != NULL &&
           r->is_shared != NULL && r->low != NULL && r->group_of != NULL && r->groups != NULL &&
           r->queue != NULL && r->best_queue != NULL && r->placed != NULL &&
           r->best_offsets != NULL && r->pieces != NULL;
}

/* Plans one arena; returns its bytes. */
static uint64_t replan_arena(struct replanner *r, const struct ets_replan_options *options,
                             uint64_t *offsets)
{
    list_members(r, options);
    if (r->member_count == 0) return 0;
    unite_shared(r);
    if (options->in_place) unite_in_place(r);
    make_groups(r);
    search(r);
    for (uint32_t i = 0; i < r->member_count; i++) {
        const uint32_t t = r->members[i], root = root_of(r, t);
        offsets[t] = r->best_offsets[r->group_of[root]] + distance_of(r, t, root);
    }
    return r->best_bytes;
}

enum ets_status ets_memory_replan(const struct ets_memory_plan *plan,
                                  const struct ets_replan_options *options, struct ets_arena *arena,
                                  struct ets_replan *replan_out, struct ets_error *error)
{
    static const char what[] = "another memory plan";
    const uint32_t alignment = options->alignment == 0 ? ETS_REPLAN_ALIGNMENT : options->alignment;
    struct replanner r = {.plan = plan, .alignment = alignment};
    if ((alignment & (alignment - 1)) != 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "an alignment of %u bytes: it has to be a power of two", alignment);
    }
    if (plan->tensor_count > MOST_TENSORS) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "%u tensors are too many to plan again",
                        plan->tensor_count);
    }
    uint64_t *offsets = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *offsets);
    uint64_t *bytes = ets_arena_alloc_array(arena, plan->arena_count, sizeof *bytes);
    if (offsets == NULL || bytes == NULL || !alloc_replanner(&r, arena)) {
        return ets_fail_memory(error, what);
    }
    *replan_out = (struct ets_replan){offsets, r.in_place_of, bytes, 0};
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        r.in_place_of[t] = r.group_of[t] = ETS_PLAN_NONE;
    }
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        r.arena = &plan->arenas[a];
        const uint64_t end = replan_arena(&r, options, offsets);
        bytes[a] = ets_add_saturated_u64(align(&r, end), r.arena->slack_bytes);
        replan_out->planned_bytes = ets_add_saturated_u64(replan_out->planned_bytes, bytes[a]);
    }
    return ETS_OK;
}
