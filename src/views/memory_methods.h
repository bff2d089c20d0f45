/*
 * What the methods of a program take together: each has arenas of its own.
 *
 *     struct ets_memory_methods methods = {.count = 0};
 *     for (each plan) ets_memory_methods_add(&methods, plan);
 *     ets_memory_methods_headline(&methods, text, sizeof text);
 */
#ifndef ETSCOPE_VIEWS_MEMORY_METHODS_H
#define ETSCOPE_VIEWS_MEMORY_METHODS_H

#include "memory/memory_plan.h"

struct ets_memory_methods {
    uint32_t count;
    uint64_t sum_bytes, most_bytes; /* planned; the sum is capped */
    struct ets_text most;           /* the method that takes most, of the program */
};

void ets_memory_methods_add(struct ets_memory_methods *methods, const struct ets_memory_plan *plan);
/*
 * "3 methods, each with arenas of its own: 960 B if all are loaded together, 352 B (forward) if one
 * is loaded at a time". "": one method, or none. Returns its length; cut to `room`.
 */
size_t ets_memory_methods_headline(const struct ets_memory_methods *methods, char *text,
                                   size_t room);

#endif
