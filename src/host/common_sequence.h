/*
 * The longest common sequence of two lists of numbers: what both have in the same order.
 *
 *     uint32_t partner[count];
 *     if (!ets_common_sequence(&arena, &before, &after, partner)) return false;
 *     if (partner[i] != UINT32_MAX) use(before.items[i], after.items[partner[i]]);
 */
#ifndef ETSCOPE_HOST_COMMON_SEQUENCE_H
#define ETSCOPE_HOST_COMMON_SEQUENCE_H

#include <stdbool.h>

#include "host/arena.h"

struct ets_sequence {
    const uint32_t *items;
    uint32_t count;
};

/*
 * Fills partner_out[left->count] with the index in `right` of each item's partner, or UINT32_MAX.
 * Equal ends are taken first, so that like lists cost nothing. An item that each side has once is
 * the same: of equally long sequences one with more of them is taken, and where order leaves them
 * apart they are paired all the same. Of lists of thousands the fewest edits decide, and where
 * there are more than 2,000, the number of occurrence. False: no memory.
 */
bool ets_common_sequence(struct ets_arena *arena, const struct ets_sequence *left,
                         const struct ets_sequence *right, uint32_t *partner_out);

#endif
