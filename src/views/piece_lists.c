/* Lists of pieces of work, and what their pieces take together. */
#include "views/piece_lists.h"

#include <string.h>

bool ets_piece_lists_init(struct ets_piece_lists *lists, struct ets_arena *arena)
{
    *lists = (struct ets_piece_lists){.arena = arena, .count = 1};
    lists->entries = ets_arena_grow(arena, NULL, 0, &lists->capacity, sizeof *lists->entries);
    return lists->entries != NULL;
}

bool ets_piece_lists_add(struct ets_piece_lists *lists, uint32_t *first, uint32_t piece)
{
    struct ets_piece_entry *entries = ets_arena_grow(lists->arena, lists->entries, lists->count,
                                                     &lists->capacity, sizeof *entries);
    if (entries == NULL) return false;
    lists->entries = entries;
    entries[lists->count] = (struct ets_piece_entry){piece, *first};
    *first = lists->count++;
    return true;
}

void ets_piece_lists_measure(const struct ets_piece_lists *lists, const struct ets_work *work,
                             const struct ets_chosen_runs *runs, uint32_t first, double *per_run,
                             struct ets_chosen_times *times_out)
{
    memset(per_run, 0, work->block->run_count * sizeof *per_run);
    for (uint32_t i = first; i != 0; i = lists->entries[i].next) {
        ets_work_add(work, &work->pieces[lists->entries[i].piece], per_run);
    }
    ets_chosen_runs_summarise(runs, per_run, times_out);
}
