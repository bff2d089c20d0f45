/* Disjoint sets: a forest in an array. */
#ifndef ETSCOPE_COMPARE_JOINED_H
#define ETSCOPE_COMPARE_JOINED_H

#include <stdint.h>

/*
 * The representative of the set of `index`; `above[index]` is itself or another member. Compresses
 * the path. `above[root of a] = root of b` joins the sets of a and b.
 */
static inline uint32_t ets_joined_root(uint32_t *above, uint32_t index)
{
    while (above[index] != index) {
        above[index] = above[above[index]];
        index = above[index];
    }
    return index;
}

#endif
