/* Matches the operators of two blocks, level by level: by handles, then by order. */
#include "compare/matching.h"

static bool build_side(struct ets_match *match, int which, const struct ets_pool_block *block,
                       const uint32_t *names)
{
    struct ets_match_side *side = &match->sides[which];
    const uint32_t count = block == NULL ? 0 : block->operator_count;
    const size_t bytes = sizeof(uint32_t);
    *side = (struct ets_match_side){.block = block, .first_root = ETS_NO_INDEX};
    side->name = ets_arena_alloc_array(match->arena, count, bytes);
    side->first_child = ets_arena_alloc_array(match->arena, count, bytes);
    side->next_sibling = ets_arena_alloc_array(match->arena, count, bytes);
    side->group = ets_arena_alloc_array(match->arena, count, bytes);
    side->next_member = ets_arena_alloc_array(match->arena, count, bytes);
    if (side->name == NULL || side->first_child == NULL || side->next_sibling == NULL ||
        side->group == NULL || side->next_member == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        side->name[i] = names[i];
        side->group[i] = side->first_child[i] = side->next_member[i] = ETS_NO_INDEX;
    }
    for (uint32_t i = count; i-- > 0;) { /* backwards, so that lists come out in order */
        const uint32_t parent = block->operators[i].parent;
        uint32_t *head = parent == ETS_NO_INDEX ? &side->first_root : &side->first_child[parent];
        side->next_sibling[i] = *head;
        *head = i;
    }
    return true;
}

/* The children of `parent`, or those at the top. */
static bool list_children(struct ets_match *match, int which, uint32_t parent,
                          struct ets_match_lists *lists)
{
    const struct ets_match_side *side = &match->sides[which];
    const uint32_t first = parent == ETS_NO_INDEX ? side->first_root : side->first_child[parent];
    uint32_t count = 0;
    for (uint32_t i = first; i != ETS_NO_INDEX; i = side->next_sibling[i]) count++;
    uint32_t *items = ets_arena_alloc_array(match->arena, count, sizeof *items);
    if (items == NULL) return false;
    lists->items[which] = items;
    lists->count[which] = count;
    for (uint32_t i = first; i != ETS_NO_INDEX; i = side->next_sibling[i]) *items++ = i;
    return true;
}

/* Makes a group of each operator without a match. */
static void group_others(struct ets_match *match, int which, uint32_t parent)
{
    const struct ets_match_side *side = &match->sides[which];
    uint32_t i = parent == ETS_NO_INDEX ? side->first_root : side->first_child[parent];
    for (; i != ETS_NO_INDEX; i = side->next_sibling[i]) {
        if (side->group[i] == ETS_NO_INDEX) {
            ets_match_add(match, ets_match_new_group(match), which, i);
        }
    }
}

/* Matches the children of two operators; ETS_NO_INDEX: those at the top. */
static bool match_children(struct ets_match *match, uint32_t before, uint32_t after, bool is_top)
{
    struct ets_match_lists lists = {{NULL, NULL}, {0, 0}};
    const bool has_before =
        match->sides[ETS_BEFORE].block != NULL && (is_top || before != ETS_NO_INDEX);
    const bool has_after =
        match->sides[ETS_AFTER].block != NULL && (is_top || after != ETS_NO_INDEX);
    if (has_before && !list_children(match, ETS_BEFORE, before, &lists)) return false;
    if (has_after && !list_children(match, ETS_AFTER, after, &lists)) return false;
    if (has_before && has_after) {
        if (match->by_handles && !ets_match_by_handles(match, &lists)) return false;
        if (!ets_match_by_order(match, &lists)) return false;
    }
    if (has_before) group_others(match, ETS_BEFORE, before);
    if (has_after) group_others(match, ETS_AFTER, after);
    return true;
}

static bool is_frame(const struct ets_match *match, int which, uint32_t index)
{
    return index != ETS_NO_INDEX &&
           match->sides[which].block->operators[index].role == ETS_POOL_FRAME;
}

bool ets_match_is_good(const struct ets_match *match)
{
    uint32_t all = 0, matched = 0;
    for (int s = 0; s < 2; s++) {
        const struct ets_match_side *side = &match->sides[s];
        if (side->block == NULL) return true;
        for (uint32_t i = 0; i < side->block->operator_count; i++) {
            if (side->block->operators[i].role != ETS_POOL_WORK) continue;
            all++;
            if (side->group[i] == ETS_NO_INDEX) continue;
            matched += match->groups[side->group[i]].count[1 - s] > 0;
        }
    }
    return 2 * matched >= all;
}

bool ets_match_blocks(struct ets_match *match, struct ets_arena *arena,
                      enum ets_match_scheme scheme, const struct ets_pool_block *before,
                      const struct ets_pool_block *after, const uint32_t *before_names,
                      const uint32_t *after_names)
{
    *match = (struct ets_match){.arena = arena, .scheme = scheme};
    const size_t most = (size_t)(before == NULL ? 0 : before->operator_count) +
                        (after == NULL ? 0 : after->operator_count);
    match->groups = ets_arena_alloc_array(arena, most, sizeof *match->groups);
    if (match->groups == NULL || !build_side(match, ETS_BEFORE, before, before_names) ||
        !build_side(match, ETS_AFTER, after, after_names) || !ets_match_find_elements(match) ||
        !match_children(match, ETS_NO_INDEX, ETS_NO_INDEX, true)) {
        return false;
    }
    for (uint32_t g = 0; g < match->group_count; g++) { /* grows by their children */
        const struct ets_match_group group = match->groups[g];
        const bool is_pair = group.count[ETS_BEFORE] == 1 && group.count[ETS_AFTER] == 1;
        const uint32_t left = group.first[ETS_BEFORE], right = group.first[ETS_AFTER];
        if (!is_pair && !is_frame(match, ETS_BEFORE, left) && !is_frame(match, ETS_AFTER, right)) {
            continue;
        }
        if (!match_children(match, left, right, false)) return false;
    }
    return true;
}
