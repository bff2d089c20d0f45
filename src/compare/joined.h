/* Which of many things have been joined, one with another: a forest in an array. */
#ifndef ETSCOPE_COMPARE_JOINED_H
#define ETSCOPE_COMPARE_JOINED_H

#include <stdint.h>

/*
 * What stands for all that `index` is joined with; `above[index]` is itself or another of them.
 * Shortens the way for the next search. `above[root of a] = root of b` joins a and b.
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
