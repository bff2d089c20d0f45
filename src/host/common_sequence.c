/* The longest common sequence of two lists of numbers, by a table of lengths. */
#include "host/common_sequence.h"

#include "host/key_table.h"

/* A table of more cells takes too long; items are then matched by their number of occurrence. */
enum { MAX_CELLS = 4 * 1000 * 1000 };
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
    if (cells > MAX_CELLS) return match_occurrences(&m);
    const uint32_t *singles = find_singles(&m, left->count, right->count);
    if (singles == NULL || !match_table(&m, singles)) return false;
    for (uint32_t i = 0; i < left->count; i++) { /* those that order left apart */
        if (partner_out[i] == none) partner_out[i] = singles[i];
    }
    return true;
}
