/*
 * Matches by the longest common sequence of names: what both blocks executed in the same order.
 * Equal ends are matched first, so that similar blocks cost nothing. A name that occurs once on
 * each side is one operator: among equally long sequences, one with more such names is taken, and
 * such names are also paired outside the sequence.
 */
#include "compare/matching.h"

/* A larger table takes too long; names are then matched by their number of occurrence. */
enum { MAX_CELLS = 4 * 1000 * 1000 };
/* The weight of a pair in a sequence: more than all its single names together. */
enum { PAIR_LENGTH = 4096 };

/* The positions of a name. */
struct place {
    uint32_t count[2], last[2];
};

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

/*
 * [left] the operator on the right with the same name, if the name is unique on both sides; else
 * ETS_NO_INDEX. NULL: no memory.
 */
static uint32_t *find_singles(struct ets_match *match, const struct ets_match_lists *lists)
{
    struct ets_key_table keys;
    const size_t left_count = lists->count[ETS_BEFORE];
    const size_t most = left_count + lists->count[ETS_AFTER];
    uint32_t *singles = ets_arena_alloc_array(match->arena, left_count, sizeof *singles);
    uint32_t *key_of = ets_arena_alloc_array(match->arena, left_count, sizeof *key_of);
    struct place *places = ets_arena_alloc_array(match->arena, most, sizeof *places);
    ets_key_table_init(&keys, match->arena, 1);
    if (singles == NULL || key_of == NULL || places == NULL) return NULL;
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < lists->count[s]; i++) {
            const uint64_t name = match->sides[s].name[lists->items[s][i]];
            const uint32_t key = ets_key_table_add(&keys, &name);
            if (key == ETS_KEY_NONE) return NULL;
            places[key].count[s]++;
            places[key].last[s] = i;
            if (s == ETS_BEFORE) key_of[i] = key;
        }
    }
    for (uint32_t i = 0; i < left_count; i++) {
        const struct place *place = &places[key_of[i]];
        const bool is_single = place->count[ETS_BEFORE] == 1 && place->count[ETS_AFTER] == 1;
        singles[i] = is_single ? place->last[ETS_AFTER] : ETS_NO_INDEX;
    }
    return singles;
}

/* Pairs unique names that the sequence left unmatched. */
static void pair_singles(struct ets_match *match, const struct ets_match_lists *lists,
                         const uint32_t *singles)
{
    for (uint32_t i = 0; i < lists->count[ETS_BEFORE]; i++) {
        const uint32_t index = lists->items[ETS_BEFORE][i];
        if (singles[i] == ETS_NO_INDEX) continue;
        if (match->sides[ETS_BEFORE].group[index] != ETS_NO_INDEX) continue;
        pair(match, lists, i, singles[i]);
    }
}

/* Matches the middles, from `start` to their ends, with a table of the lengths of remaining
 * sequences. */
static bool match_table(struct ets_match *match, const struct ets_match_lists *lists,
                        const uint32_t *singles, uint32_t start, uint32_t left_end,
                        uint32_t right_end)
{
    const size_t rows = left_end - start, columns = (size_t)right_end - start + 1;
    uint32_t *length = ets_arena_alloc_array(match->arena, (rows + 1) * columns, sizeof *length);
    if (length == NULL) return false;
    for (size_t i = rows; i-- > 0;) {
        const uint32_t longer = PAIR_LENGTH + (singles[start + i] != ETS_NO_INDEX);
        for (size_t j = columns - 1; j-- > 0;) {
            const uint32_t below = length[(i + 1) * columns + j];
            const uint32_t beside = length[i * columns + j + 1];
            const bool same = is_same(match, lists, start + (uint32_t)i, start + (uint32_t)j);
            length[i * columns + j] = same             ? length[(i + 1) * columns + j + 1] + longer
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

/* Matches the n-th operator of a name with the n-th of that name. */
static bool match_occurrences(struct ets_match *match, const struct ets_match_lists *lists,
                              uint32_t start, uint32_t left_end, uint32_t right_end)
{
    struct ets_key_table keys;
    uint32_t *next = ets_arena_alloc_array(match->arena, left_end, sizeof *next);
    uint32_t *heads = ets_arena_alloc_array(match->arena, left_end, sizeof *heads);
    ets_key_table_init(&keys, match->arena, 1);
    if (next == NULL || heads == NULL) return false;
    for (uint32_t i = left_end; i-- > start;) { /* backwards, so that the first is at the head */
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
    if (cells > MAX_CELLS) return match_occurrences(match, lists, start, left_end, right_end);
    const uint32_t *singles = find_singles(match, lists);
    if (singles == NULL || !match_table(match, lists, singles, start, left_end, right_end)) {
        return false;
    }
    pair_singles(match, lists, singles);
    return true;
}
