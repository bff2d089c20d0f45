/* Makes groups of matching operators, and adds members to them. */
#include "compare/matching.h"

uint32_t ets_match_new_group(struct ets_match *match)
{
    match->groups[match->group_count] = (struct ets_match_group){
        {ETS_NO_INDEX, ETS_NO_INDEX}, {ETS_NO_INDEX, ETS_NO_INDEX}, {0}, false};
    return match->group_count++;
}

void ets_match_add(struct ets_match *match, uint32_t group, int side, uint32_t member)
{
    struct ets_match_group *g = &match->groups[group];
    struct ets_match_side *s = &match->sides[side];
    if (g->count[side]++ == 0) g->first[side] = member;
    else s->next_member[g->last[side]] = member;
    g->last[side] = member;
    s->group[member] = group;
}
