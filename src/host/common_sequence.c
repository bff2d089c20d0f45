/* The longest common sequence of two lists of numbers, by a table of lengths. */
#include "host/common_sequence.h"

#include "host/key_table.h"

/* A table of more cells takes too long. Long lists with few edits are then matched by these, and
 * others by their number of occurrence. */
enum { MAX_CELLS = 4 * 1000 * 1000, MAX_EDITS = 2000 };
/* What a pair adds to the length of a sequence: more than all of its single items together. */
enum { PAIR_LENGTH = 4096 };

static const uint32_t none = UINT32_MAX;

/* Where an item is. */
struct place {
    uint32_t count[2], last[2];
};

struct match {
    struct ets_arena *arena;
    const uint32_t *left, *right;
    uint32_t start, left_end, right_end; /* what the equal ends leave */
    uint32_t *partner;
};

/* [left] the only one of its kind on the right, where it is the only one on the left; else none.
 * NULL: no memory. */
static uint32_t *find_singles(const struct match *m, uint32_t left_count, uint32_t right_count)
{
    struct ets_key_table keys;
    const uint32_t *items[2] = {m->left, m->right}, counts[2] = {left_count, right_count};
    uint32_t *singles = ets_arena_alloc_array(m->arena, left_count, sizeof *singles);
    uint32_t *key_of = ets_arena_alloc_array(m->arena, left_count, sizeof *key_of);
    struct place *places =
        ets_arena_alloc_array(m->arena, (size_t)left_count + right_count, sizeof *places);
    ets_key_table_init(&keys, m->arena, 1);
    if (singles == NULL || key_of == NULL || places == NULL) return NULL;
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < counts[s]; i++) {
            const uint64_t item = items[s][i];
            const uint32_t key = ets_key_table_add(&keys, &item);
            if (key == ETS_KEY_NONE) return NULL;
            places[key].count[s]++;
            places[key].last[s] = i;
            if (s == 0) key_of[i] = key;
        }
    }
    for (uint32_t i = 0; i < left_count; i++) {
        const struct place *place = &places[key_of[i]];
        singles[i] = place->count[0] == 1 && place->count[1] == 1 ? place->last[1] : none;
    }
    return singles;
}

/* The middles by a table of the lengths of what is left to match. */
static bool match_table(const struct match *m, const uint32_t *singles)
{
    const size_t rows = m->left_end - m->start, columns = (size_t)m->right_end - m->start + 1;
    const uint32_t *left = m->left + m->start, *right = m->right + m->start;
    uint32_t *length = ets_arena_alloc_array(m->arena, (rows + 1) * columns, sizeof *length);
    if (length == NULL) return false;
    for (size_t i = rows; i-- > 0;) {
        const uint32_t longer = PAIR_LENGTH + (singles[m->start + i] != none);
        for (size_t j = columns - 1; j-- > 0;) {
            const uint32_t below = length[(i + 1) * columns + j];
            const uint32_t beside = length[i * columns + j + 1];
            length[i * columns + j] = left[i] == right[j]
                                          ? length[(i + 1) * columns + j + 1] + longer
                                      : below > beside ? below
                                                       : beside;
        }
    }
    for (size_t i = 0, j = 0; i < rows && j + 1 < columns;) {
        if (left[i] == right[j]) {
            m->partner[m->start + i++] = m->start + (uint32_t)j++;
        } else if (length[(i + 1) * columns + j] >= length[i * columns + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    return true;
}

/* How far the paths of Myers' algorithm come: for each number of edits d, and each diagonal
 * k = left - right from -d to d, the furthest place on the left. */
struct reach {
    int32_t *furthest[MAX_EDITS + 1]; /* [d][d + k], from the start of the middles */
    int32_t edits;                    /* that lead to both ends */
};

/* The furthest place of diagonal k with d edits, before what is equal there. */
static int32_t step(const struct reach *reach, int32_t d, int32_t k)
{
    if (d == 0) return 0;
    const int32_t *last = reach->furthest[d - 1];
    const int32_t below = k + 1 > d - 1 ? -1 : last[d - 1 + k + 1];  /* takes one of the right */
    const int32_t beside = k - 1 < 1 - d ? -1 : last[d - 1 + k - 1]; /* leaves one of the left */
    return k == -d || (k != d && beside < below) ? below : beside + 1;
}

/* The fewest edits between the middles; false: too many, or no memory (`*ok` then). */
static bool find_edits(const struct match *m, struct reach *reach, bool *ok)
{
    const int32_t rows = (int32_t)(m->left_end - m->start);
    const int32_t columns = (int32_t)(m->right_end - m->start);
    const uint32_t *left = m->left + m->start, *right = m->right + m->start;
    for (int32_t d = 0; d <= MAX_EDITS; d++) {
        int32_t *furthest = ets_arena_alloc_array(m->arena, 2 * (size_t)d + 1, sizeof *furthest);
        reach->furthest[d] = furthest;
        *ok = furthest != NULL;
        if (furthest == NULL) return false;
        for (int32_t k = -d; k <= d; k++) furthest[d + k] = -1;
        for (int32_t k = -d; k <= d; k += 2) {
            int32_t i = step(reach, d, k);
            while (i < rows && i - k < columns && i - k >= 0 && left[i] == right[i - k]) i++;
            furthest[d + k] = i;
            if (i < rows || i - k < columns) continue;
            reach->edits = d;
            return true;
        }
    }
    return false;
}

/* The middles by the fewest edits; false: too many. */
static bool match_edits(const struct match *m, bool *ok)
{
    struct reach reach;
    if (!find_edits(m, &reach, ok)) return false;
    int32_t k = (int32_t)(m->left_end - m->start) - (int32_t)(m->right_end - m->start);
    for (int32_t d = reach.edits; d >= 0; d--) { /* backwards, from the ends */
        const int32_t from = step(&reach, d, k);
        for (int32_t i = reach.furthest[d][d + k]; i > from; i--) {
            m->partner[m->start + (uint32_t)i - 1] = m->start + (uint32_t)(i - 1 - k);
        }
        if (d == 0) break;
        const int32_t *last = reach.furthest[d - 1];
        const int32_t below = k + 1 > d - 1 ? -1 : last[d - 1 + k + 1];
        const int32_t beside = k - 1 < 1 - d ? -1 : last[d - 1 + k - 1];
        k += k == -d || (k != d && beside < below) ? 1 : -1;
    }
    return true;
}

/* The n-th of an item with the n-th of the same. */
static bool match_occurrences(const struct match *m)
{
    struct ets_key_table keys;
    uint32_t *next = ets_arena_alloc_array(m->arena, m->left_end, sizeof *next);
    uint32_t *heads = ets_arena_alloc_array(m->arena, m->left_end, sizeof *heads);
    ets_key_table_init(&keys, m->arena, 1);
    if (next == NULL || heads == NULL) return false;
    for (uint32_t i = m->left_end; i-- > m->start;) { /* backwards: the first is at the head */
        const uint64_t item = m->left[i];
        const uint32_t known = keys.count, key = ets_key_table_add(&keys, &item);
        if (key == ETS_KEY_NONE) return false;
        next[i] = key < known ? heads[key] : none;
        heads[key] = i;
    }
    for (uint32_t j = m->start; j < m->right_end; j++) {
        const uint64_t item = m->right[j];
        const uint32_t key = ets_key_table_find(&keys, &item);
        if (key == ETS_KEY_NONE || heads[key] == none) continue;
        m->partner[heads[key]] = j;
        heads[key] = next[heads[key]];
    }
    return true;
}

bool ets_common_sequence(struct ets_arena *arena, const struct ets_sequence *left,
                         const struct ets_sequence *right, uint32_t *partner_out)
{
    struct match m = {.arena = arena,
                      .left = left->items,
                      .right = right->items,
                      .left_end = left->count,
                      .right_end = right->count,
                      .partner = partner_out};
    for (uint32_t i = 0; i < left->count; i++) partner_out[i] = none;
    while (m.start < m.left_end && m.start < m.right_end && m.left[m.start] == m.right[m.start]) {
        partner_out[m.start] = m.start;
        m.start++;
    }
    while (m.left_end > m.start && m.right_end > m.start &&
           m.left[m.left_end - 1] == m.right[m.right_end - 1]) {
        m.left_end--;
        m.right_end--;
        partner_out[m.left_end] = m.right_end;
    }
    if (m.start == m.left_end || m.start == m.right_end) return true;
    const size_t cells = ((size_t)m.left_end - m.start + 1) * ((size_t)m.right_end - m.start + 1);
    bool ok = true;
    if (cells > MAX_CELLS) return match_edits(&m, &ok) || (ok && match_occurrences(&m));
    const uint32_t *singles = find_singles(&m, left->count, right->count);
    if (singles == NULL || !match_table(&m, singles)) return false;
    for (uint32_t i = 0; i < left->count; i++) { /* those that order left apart */
        if (partner_out[i] == none) partner_out[i] = singles[i];
    }
    return true;
}
