/*
 * The longest common sequence of names: what both blocks executed in the same order. Equal ends are
 * taken first, so that like blocks cost nothing.
 */
#include "compare/matching.h"

/* A table of more cells takes too long; names are then matched by their number of occurrence. */
enum { MAX_CELLS = 4 * 1000 * 1000 };

static bool is_same(const struct ets_match *match, const struct ets_match_lists *lists,
                    uint32_t left, uint32_t right)
{
    return match->sides[ETS_BEFORE].name[lists->items[ETS_BEFORE][left]] ==
           match->sides[ETS_AFTER].name[lists->items[ETS_AFTER][right]];
}

static void pair(struct ets_match *match, const struct ets_match_lists *lists, uint32_t left,
                 uint32_t right)
{
    const uint32_t group = ets_match_new_group(match);
    ets_match_add(match, group, ETS_BEFORE, lists->items[ETS_BEFORE][left]);
    ets_match_add(match, group, ETS_AFTER, lists->items[ETS_AFTER][right]);
}

/* The middles, from `start` to their ends, by a table of the lengths of what is left to match. */
static bool match_table(struct ets_match *match, const struct ets_match_lists *lists,
                        uint32_t start, uint32_t left_end, uint32_t right_end)
{
    const size_t rows = left_end - start, columns = (size_t)right_end - start + 1;
    uint32_t *length = ets_arena_alloc_array(match->arena, (rows + 1) * columns, sizeof *length);
    if (length == NULL) return false;
    for (size_t i = rows; i-- > 0;) {
        for (size_t j = columns - 1; j-- > 0;) {
            const uint32_t below = length[(i + 1) * columns + j];
            const uint32_t beside = length[i * columns + j + 1];
            const bool same = is_same(match, lists, start + (uint32_t)i, start + (uint32_t)j);
            length[i * columns + j] = same             ? length[(i + 1) * columns + j + 1] + 1
                                      : below > beside ? below
                                                       : beside;
        }
    }
    for (size_t i = 0, j = 0; i < rows && j + 1 < columns;) {
        if (is_same(match, lists, start + (uint32_t)i, start + (uint32_t)j)) {
            pair(match, lists, start + (uint32_t)i++, start + (uint32_t)j++);
        } else if (length[(i + 1) * columns + j] >= length[i * columns + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    return true;
}

/* The n-th of a name with the n-th of the same. */
static bool match_occurrences(struct ets_match *match, const struct ets_match_lists *lists,
                              uint32_t start, uint32_t left_end, uint32_t right_end)
{
    struct ets_key_table keys;
    uint32_t *next = ets_arena_alloc_array(match->arena, left_end, sizeof *next);
    uint32_t *heads = ets_arena_alloc_array(match->arena, left_end, sizeof *heads);
    ets_key_table_init(&keys, match->arena, 1);
    if (next == NULL || heads == NULL) return false;
    for (uint32_t i = left_end; i-- > start;) { /* backwards: the first stands at the head */
        const uint64_t name = match->sides[ETS_BEFORE].name[lists->items[ETS_BEFORE][i]];
        const uint32_t known = keys.count, key = ets_key_table_add(&keys, &name);
        if (key == ETS_KEY_NONE) return false;
        next[i] = key < known ? heads[key] : ETS_NO_INDEX;
        heads[key] = i;
    }
    for (uint32_t j = start; j < right_end; j++) {
        const uint64_t name = match->sides[ETS_AFTER].name[lists->items[ETS_AFTER][j]];
        const uint32_t key = ets_key_table_find(&keys, &name);
        if (key == ETS_KEY_NONE || heads[key] == ETS_NO_INDEX) continue;
        const uint32_t i = heads[key];
        heads[key] = next[i];
        pair(match, lists, i, j);
    }
    return true;
}

bool ets_match_by_order(struct ets_match *match, const struct ets_match_lists *lists)
{
    uint32_t left_end = lists->count[ETS_BEFORE], right_end = lists->count[ETS_AFTER], start = 0;
    while (start < left_end && start < right_end && is_same(match, lists, start, start)) {
        pair(match, lists, start, start);
        start++;
    }
    while (left_end > start && right_end > start &&
           is_same(match, lists, left_end - 1, right_end - 1)) {
        pair(match, lists, --left_end, --right_end);
    }
    if (start == left_end || start == right_end) return true;
    const size_t cells = ((size_t)left_end - start + 1) * ((size_t)right_end - start + 1);
    return cells <= MAX_CELLS ? match_table(match, lists, start, left_end, right_end)
                              : match_occurrences(match, lists, start, left_end, right_end);
}
