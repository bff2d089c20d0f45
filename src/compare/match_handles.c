/*
 * Matches operators by their debug handles: same operators first, then groups that share handles.
 */
#include "compare/joined.h"
#include "compare/matching.h"

/* The identity of an operator: its name and all elements of its handles. */
static uint32_t identity_of(struct ets_key_table *keys, const struct ets_match_side *side,
                            uint32_t index)
{
    uint64_t key[2] = {0, side->name[index]};
    uint32_t number = ets_key_table_add(keys, key);
    const uint32_t *elements = side->elements + side->first_element[index];
    for (uint32_t i = 0; i < side->element_count[index] && number != ETS_KEY_NONE; i++) {
        key[0] = (uint64_t)number + 1; /* the prefix so far */
        key[1] = elements[i];
        number = ets_key_table_add(keys, key);
    }
    return number;
}

static bool has_elements(const struct ets_match *match, int side, uint32_t index)
{
    return match->sides[side].element_count[index] > 0;
}

/* Pairs of one identity, in order of execution. */
static bool pair_identities(struct ets_match *match, const struct ets_match_lists *lists)
{
    const struct ets_match_side *before = &match->sides[ETS_BEFORE];
    const struct ets_match_side *after = &match->sides[ETS_AFTER];
    struct ets_key_table keys, used;
    const uint32_t count = lists->count[ETS_BEFORE];
    uint32_t *head = ets_arena_alloc_array(match->arena, count, sizeof *head);
    uint32_t *next = ets_arena_alloc_array(match->arena, count, sizeof *next);
    ets_key_table_init(&keys, match->arena, 2);
    ets_key_table_init(&used, match->arena, 1);
    if (head == NULL || next == NULL) return false;
    for (uint32_t i = count; i-- > 0;) { /* backwards, so that the first is at the head */
        const uint32_t index = lists->items[ETS_BEFORE][i];
        if (!has_elements(match, ETS_BEFORE, index)) continue;
        const uint64_t identity = identity_of(&keys, before, index);
        const uint32_t known = used.count, queue = ets_key_table_add(&used, &identity);
        if (identity == ETS_KEY_NONE || queue == ETS_KEY_NONE) return false;
        next[i] = queue < known ? head[queue] : ETS_NO_INDEX;
        head[queue] = i;
    }
    for (uint32_t j = 0; j < lists->count[ETS_AFTER]; j++) {
        const uint32_t index = lists->items[ETS_AFTER][j];
        if (!has_elements(match, ETS_AFTER, index)) continue;
        const uint64_t identity = identity_of(&keys, after, index);
        if (identity == ETS_KEY_NONE) return false;
        const uint32_t queue = ets_key_table_find(&used, &identity);
        if (queue == ETS_KEY_NONE || head[queue] == ETS_NO_INDEX) continue;
        const uint32_t group = ets_match_new_group(match);
        ets_match_add(match, group, ETS_BEFORE, lists->items[ETS_BEFORE][head[queue]]);
        ets_match_add(match, group, ETS_AFTER, index);
        head[queue] = next[head[queue]];
    }
    return true;
}

static bool is_left(const struct ets_match *match, int side, uint32_t index)
{
    return match->sides[side].group[index] == ETS_NO_INDEX && has_elements(match, side, index);
}

/* The connected component of an operator. */
static uint32_t part_of(const struct ets_match *match, int side, uint32_t index, uint32_t *above)
{
    const struct ets_match_side *s = &match->sides[side];
    return ets_joined_root(above, s->elements[s->first_element[index]]);
}

/* Groups remaining operators that share handles with remaining ones of the other side: connected
 * components. */
static bool group_shared(struct ets_match *match, const struct ets_match_lists *lists)
{
    uint32_t *above = ets_arena_alloc_array(match->arena, match->element_count, sizeof *above);
    uint32_t *group = ets_arena_alloc_array(match->arena, match->element_count, sizeof *group);
    uint8_t *sides = ets_arena_alloc_array(match->arena, match->element_count, sizeof *sides);
    if (above == NULL || group == NULL || sides == NULL) return false;
    for (uint32_t e = 0; e < match->element_count; e++) {
        above[e] = e;
        group[e] = ETS_NO_INDEX;
    }
    for (int s = 0; s < 2; s++) {
        const struct ets_match_side *side = &match->sides[s];
        for (uint32_t i = 0; i < lists->count[s]; i++) {
            const uint32_t index = lists->items[s][i];
            if (!is_left(match, s, index)) continue;
            const uint32_t *list = side->elements + side->first_element[index];
            for (uint32_t k = 1; k < side->element_count[index]; k++) {
                above[ets_joined_root(above, list[k])] = ets_joined_root(above, list[0]);
            }
        }
    }
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < lists->count[s]; i++) {
            const uint32_t index = lists->items[s][i];
            if (is_left(match, s, index)) sides[part_of(match, s, index, above)] |= 1 << s;
        }
    }
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < lists->count[s]; i++) {
            const uint32_t index = lists->items[s][i];
            if (!is_left(match, s, index)) continue;
            const uint32_t part = part_of(match, s, index, above);
            if (sides[part] != 3) continue;
            if (group[part] == ETS_NO_INDEX) group[part] = ets_match_new_group(match);
            ets_match_add(match, group[part], s, index);
        }
    }
    return true;
}

static bool have_elements(const struct ets_match *match, const struct ets_match_lists *lists)
{
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < lists->count[s]; i++) {
            if (has_elements(match, s, lists->items[s][i])) return true;
        }
    }
    return false;
}

/* Whether something is left, and handles match at least half: only then what is left is a change.
 */
static bool is_little_left(const struct ets_match *match, const struct ets_match_lists *lists)
{
    uint32_t all = 0, left = 0;
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < lists->count[s]; i++) {
            all += has_elements(match, s, lists->items[s][i]);
            left += is_left(match, s, lists->items[s][i]);
        }
    }
    return left > 0 && 2 * left <= all;
}

/* The name of an operator and the module of its first node; ETS_KEY_NONE: no memory. */
static uint32_t kind_of(const struct ets_match *match, int side, uint32_t index,
                        struct ets_strings *texts, struct ets_key_table *kinds)
{
    const struct ets_match_side *s = &match->sides[side];
    const struct ets_row *row = s->block->operators[index].row;
    const struct ets_graph_node *node =
        row == NULL || row->node_count == 0 ? NULL : row->nodes[0].node;
    uint64_t key[2] = {s->name[index], UINT64_MAX};
    if (node != NULL) {
        key[1] = ets_strings_add(texts, ets_graph_module_path(node));
        if (key[1] == UINT32_MAX) return ETS_KEY_NONE;
    }
    return ets_key_table_add(kinds, key);
}

/* The operators of a side that are left, as queues by kind in order of execution. */
struct left {
    struct ets_strings texts;
    struct ets_key_table kinds;
    uint32_t *head, *next; /* [kind], [place in the list] */
};

static bool queue_left(struct ets_match *match, const struct ets_match_lists *lists,
                       struct left *left)
{
    const uint32_t count = lists->count[ETS_BEFORE];
    left->head = ets_arena_alloc_array(match->arena, count, sizeof *left->head);
    left->next = ets_arena_alloc_array(match->arena, count, sizeof *left->next);
    ets_key_table_init(&left->kinds, match->arena, 2);
    if (left->head == NULL || left->next == NULL) return false;
    for (uint32_t i = count; i-- > 0;) { /* backwards, so that the first is at the head */
        const uint32_t index = lists->items[ETS_BEFORE][i], known = left->kinds.count;
        if (!is_left(match, ETS_BEFORE, index)) continue;
        const uint32_t kind = kind_of(match, ETS_BEFORE, index, &left->texts, &left->kinds);
        if (kind == ETS_KEY_NONE) return false;
        left->next[i] = kind < known ? left->head[kind] : ETS_NO_INDEX;
        left->head[kind] = i;
    }
    return true;
}

/* An operator whose handle changed is not removed and added: those of one name and module are
 * pairs, in order of execution. */
static bool pair_renumbered(struct ets_match *match, const struct ets_match_lists *lists)
{
    struct left left;
    if (ets_strings_init(&left.texts, match->arena) != 0 || !queue_left(match, lists, &left)) {
        return false;
    }
    const uint32_t known = left.kinds.count;
    for (uint32_t j = 0; j < lists->count[ETS_AFTER]; j++) {
        const uint32_t index = lists->items[ETS_AFTER][j];
        if (!is_left(match, ETS_AFTER, index)) continue;
        const uint32_t kind = kind_of(match, ETS_AFTER, index, &left.texts, &left.kinds);
        if (kind == ETS_KEY_NONE) return false;
        if (kind >= known || left.head[kind] == ETS_NO_INDEX) continue;
        const uint32_t group = ets_match_new_group(match);
        ets_match_add(match, group, ETS_BEFORE, lists->items[ETS_BEFORE][left.head[kind]]);
        ets_match_add(match, group, ETS_AFTER, index);
        match->groups[group].is_renumbered = true;
        left.head[kind] = left.next[left.head[kind]];
    }
    return true;
}

bool ets_match_by_handles(struct ets_match *match, struct ets_match_lists *lists)
{
    if (!have_elements(match, lists)) return true;
    if (!pair_identities(match, lists) || !group_shared(match, lists)) return false;
    if (is_little_left(match, lists) && !pair_renumbered(match, lists)) return false;
    for (int s = 0; s < 2; s++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < lists->count[s]; i++) {
            const uint32_t index = lists->items[s][i];
            if (!has_elements(match, s, index)) lists->items[s][kept++] = index;
        }
        lists->count[s] = kept;
    }
    return true;
}
