/* Makes the lines of a comparison from matched groups of operators, in order of execution. */
#include "compare/difference_parts.h"

struct writer {
    struct ets_difference *difference;
    const struct ets_match *match;
    struct ets_difference_block *block;
    uint32_t *line_of; /* [group], ETS_NO_INDEX: not written yet */
};

static bool add_times(struct ets_arena *arena, struct ets_difference_side *side)
{
    const struct ets_pool_operator *operators = side->block->operators;
    if (side->operator_count == 1) {
        side->per_run = operators[side->operators[0]].per_run;
        return true;
    }
    double *times = ets_arena_alloc_array(arena, side->block->run_count, sizeof *times);
    if (times == NULL) return false;
    for (uint32_t i = 0; i < side->operator_count; i++) {
        const double *part = operators[side->operators[i]].per_run;
        for (uint32_t r = 0; r < side->block->run_count; r++) times[r] += part[r];
    }
    side->per_run = times;
    return true;
}

static bool fill_side(const struct writer *w, const struct ets_match_group *group, int which,
                      struct ets_difference_side *side)
{
    const struct ets_match_side *from = &w->match->sides[which];
    struct ets_arena *arena = &w->difference->arena;
    *side = (struct ets_difference_side){.block = from->block};
    if (group->count[which] == 0) return true;
    uint32_t *operators = ets_arena_alloc_array(arena, group->count[which], sizeof *operators);
    if (operators == NULL) return false;
    for (uint32_t i = group->first[which]; i != ETS_NO_INDEX; i = from->next_member[i]) {
        operators[side->operator_count++] = i;
        side->resolution += from->block->operators[i].resolution;
    }
    side->operators = operators;
    return add_times(arena, side);
}

static bool has_delegate(const struct ets_difference_side *side)
{
    for (uint32_t i = 0; i < side->operator_count; i++) {
        const struct ets_row *row = side->block->operators[side->operators[i]].row;
        if (row != NULL && ets_text_is(row->name, "DELEGATE_CALL")) return true;
    }
    return false;
}

static bool has_own_clock(const struct ets_difference_side *side)
{
    for (uint32_t i = 0; i < side->operator_count; i++) {
        if (side->block->operators[side->operators[i]].has_own_clock) return true;
    }
    return false;
}

/* Whether the only operators of a group's sides are the same operator for the same nodes. */
static bool is_same(const struct ets_match *match, const struct ets_match_group *group)
{
    const struct ets_match_side *before = &match->sides[ETS_BEFORE];
    const struct ets_match_side *after = &match->sides[ETS_AFTER];
    const uint32_t left = group->first[ETS_BEFORE], right = group->first[ETS_AFTER];
    if (group->count[ETS_BEFORE] != 1 || group->count[ETS_AFTER] != 1) return false;
    if (before->name[left] != after->name[right]) return false;
    if (!match->by_handles || group->is_renumbered) return true;
    const uint32_t count = before->element_count[left];
    return count == after->element_count[right] &&
           (count == 0 ||
            memcmp(before->elements + before->first_element[left],
                   after->elements + after->first_element[right], count * sizeof(uint32_t)) == 0);
}

static enum ets_change change_of(const struct ets_match *match, const struct ets_match_group *group,
                                 const struct ets_difference_line *line)
{
    if (group->count[ETS_BEFORE] == 0) return ETS_CHANGE_ADDED;
    if (group->count[ETS_AFTER] == 0) return ETS_CHANGE_REMOVED;
    if (is_same(match, group)) return ETS_CHANGE_NONE;
    const bool was = has_delegate(&line->before), is = has_delegate(&line->after);
    if (was && is) return ETS_CHANGE_REPARTITIONED;
    return is ? ETS_CHANGE_DELEGATED : was ? ETS_CHANGE_UNDELEGATED : ETS_CHANGE_REPLACED;
}

static enum ets_status write_group(struct writer *w, uint32_t number, struct ets_error *error)
{
    if (w->line_of[number] != ETS_NO_INDEX) return ETS_OK;
    const struct ets_match_group *group = &w->match->groups[number];
    const int main = group->count[ETS_AFTER] > 0 ? ETS_AFTER : ETS_BEFORE;
    const struct ets_match_side *side = &w->match->sides[main];
    const struct ets_pool_operator *op = &side->block->operators[group->first[main]];
    struct ets_difference_line *line = &w->difference->lines[w->difference->line_count];
    *line = (struct ets_difference_line){
        .block = w->difference->block_count,
        .parent = op->parent == ETS_NO_INDEX ? ETS_NO_INDEX : w->line_of[side->group[op->parent]],
        .role = op->role,
    };
    if (!fill_side(w, group, ETS_BEFORE, &line->before) ||
        !fill_side(w, group, ETS_AFTER, &line->after)) {
        return ets_fail_difference(error);
    }
    line->change = change_of(w->match, group, line);
    line->has_own_clock = has_own_clock(&line->before) || has_own_clock(&line->after);
    w->line_of[number] = w->difference->line_count++;
    if (side->block->total == group->first[main]) w->block->total = w->line_of[number];
    return ETS_OK;
}

/*
 * Lists lines in order of execution of the side after; a removed operator follows its predecessor.
 * Parents precede children, as in the lists of operators.
 */
static enum ets_status write_all(struct writer *w, struct ets_error *error)
{
    const struct ets_match_side *before = &w->match->sides[ETS_BEFORE];
    const struct ets_match_side *after = &w->match->sides[ETS_AFTER];
    const uint32_t left = before->block == NULL ? 0 : before->block->operator_count;
    const uint32_t right = after->block == NULL ? 0 : after->block->operator_count;
    uint32_t i = 0;
    for (uint32_t j = 0; j < right; j++) {
        const uint32_t group = after->group[j];
        if (group == ETS_NO_INDEX) continue; /* inside an operator without a match */
        const uint32_t partner = w->match->groups[group].first[ETS_BEFORE];
        for (; partner != ETS_NO_INDEX && i < partner; i++) {
            const uint32_t other = before->group[i];
            const bool is_alone =
                other != ETS_NO_INDEX && w->match->groups[other].count[ETS_AFTER] == 0;
            if (is_alone) ETS_TRY(write_group(w, other, error));
        }
        ETS_TRY(write_group(w, group, error));
    }
    for (i = 0; i < left; i++) {
        if (before->group[i] != ETS_NO_INDEX) ETS_TRY(write_group(w, before->group[i], error));
    }
    return ETS_OK;
}

enum ets_status ets_difference_add_lines(struct ets_difference *difference,
                                         const struct ets_match *match,
                                         struct ets_difference_block *block,
                                         struct ets_error *error)
{
    struct writer w = {difference, match, block, NULL};
    w.line_of = ets_arena_alloc_array(match->arena, match->group_count, sizeof *w.line_of);
    if (w.line_of == NULL) return ets_fail_difference(error);
    for (uint32_t g = 0; g < match->group_count; g++) w.line_of[g] = ETS_NO_INDEX;
    block->first_line = difference->line_count;
    block->total = ETS_NO_INDEX;
    ETS_TRY(write_all(&w, error));
    block->line_count = difference->line_count - block->first_line;
    return ETS_OK;
}
