/*
 * Groups the longest common sequence of names: what both blocks executed in the same order. Then
 * pairs what is left by name: an operator that moved is not removed and added.
 */
#include "compare/matching.h"
#include "host/common_sequence.h"

static uint32_t *list_names(struct ets_match *match, const struct ets_match_lists *lists, int side)
{
    const uint32_t count = lists->count[side];
    uint32_t *names = ets_arena_alloc_array(match->arena, count, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        names[i] = match->sides[side].name[lists->items[side][i]];
    }
    return names;
}

static void pair(struct ets_match *match, const struct ets_match_lists *lists, uint32_t before,
                 uint32_t after)
{
    const uint32_t group = ets_match_new_group(match);
    ets_match_add(match, group, ETS_BEFORE, lists->items[ETS_BEFORE][before]);
    ets_match_add(match, group, ETS_AFTER, lists->items[ETS_AFTER][after]);
}

static bool is_left(const struct ets_match *match, const struct ets_match_lists *lists, int side,
                    uint32_t index)
{
    return match->sides[side].group[lists->items[side][index]] == ETS_NO_INDEX;
}

/* Pairs operators of one name that are left on both sides, in order of execution. */
static bool pair_moved(struct ets_match *match, const struct ets_match_lists *lists,
                       const struct ets_sequence *before, const struct ets_sequence *after)
{
    struct ets_key_table names;
    uint32_t *head = ets_arena_alloc_array(match->arena, before->count, sizeof *head);
    uint32_t *next = ets_arena_alloc_array(match->arena, before->count, sizeof *next);
    ets_key_table_init(&names, match->arena, 1);
    if (head == NULL || next == NULL) return false;
    for (uint32_t i = before->count; i-- > 0;) { /* backwards, so that the first is at the head */
        const uint64_t name = before->items[i];
        if (!is_left(match, lists, ETS_BEFORE, i)) continue;
        const uint32_t known = names.count, queue = ets_key_table_add(&names, &name);
        if (queue == ETS_KEY_NONE) return false;
        next[i] = queue < known ? head[queue] : ETS_NO_INDEX;
        head[queue] = i;
    }
    for (uint32_t j = 0; j < after->count; j++) {
        const uint64_t name = after->items[j];
        if (!is_left(match, lists, ETS_AFTER, j)) continue;
        const uint32_t queue = ets_key_table_find(&names, &name);
        if (queue == ETS_KEY_NONE || head[queue] == ETS_NO_INDEX) continue;
        pair(match, lists, head[queue], j);
        head[queue] = next[head[queue]];
    }
    return true;
}

bool ets_match_by_order(struct ets_match *match, const struct ets_match_lists *lists)
{
    const struct ets_sequence before = {list_names(match, lists, ETS_BEFORE),
                                        lists->count[ETS_BEFORE]};
    const struct ets_sequence after = {list_names(match, lists, ETS_AFTER),
                                       lists->count[ETS_AFTER]};
    uint32_t *partner = ets_arena_alloc_array(match->arena, before.count, sizeof *partner);
    if (before.items == NULL || after.items == NULL || partner == NULL ||
        !ets_common_sequence(match->arena, &before, &after, partner)) {
        return false;
    }
    for (uint32_t i = 0; i < before.count; i++) {
        if (partner[i] == ETS_NO_INDEX) continue;
        pair(match, lists, i, partner[i]);
    }
    return pair_moved(match, lists, &before, &after);
}
