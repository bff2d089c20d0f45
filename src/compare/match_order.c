/* Groups the longest common sequence of names: what both blocks executed in the same order. */
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
        const uint32_t group = ets_match_new_group(match);
        ets_match_add(match, group, ETS_BEFORE, lists->items[ETS_BEFORE][i]);
        ets_match_add(match, group, ETS_AFTER, lists->items[ETS_AFTER][partner[i]]);
    }
    return true;
}
