/*
 * Lists of pieces of work, as many as there are lines: a piece may be in several.
 *
 *     struct ets_piece_lists lists;
 *     uint32_t own = 0;
 *     if (!ets_piece_lists_init(&lists, &arena) || !ets_piece_lists_add(&lists, &own, piece)) ...
 *     for (uint32_t i = own; i != 0; i = lists.entries[i].next) use(lists.entries[i].piece);
 */
#ifndef ETSCOPE_VIEWS_PIECE_LISTS_H
#define ETSCOPE_VIEWS_PIECE_LISTS_H

#include "views/chosen_runs.h"
#include "views/work.h"

struct ets_piece_entry {
    uint32_t piece, next;
};

struct ets_piece_lists {
    struct ets_arena *arena;
    struct ets_piece_entry *entries; /* entries[0] is none */
    uint32_t count, capacity;
};

/* These return false if memory runs out. */
bool ets_piece_lists_init(struct ets_piece_lists *lists, struct ets_arena *arena);
/* Puts a piece before the entry `*first`, 0: none, which becomes its own. */
bool ets_piece_lists_add(struct ets_piece_lists *lists, uint32_t *first, uint32_t piece);

/* The times of all pieces from `first` on; `per_run`, scratch, has room for each run of the block.
 */
void ets_piece_lists_measure(const struct ets_piece_lists *lists, const struct ets_work *work,
                             const struct ets_chosen_runs *runs, uint32_t first, double *per_run,
                             struct ets_chosen_times *times_out);

#endif
