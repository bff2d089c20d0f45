/* Lists the rows of a block as lines of the operator table, parents first. */
#include "views/operator_lines.h"
#include "inspect/time_details.h"
#include "views/headroom.h"

struct lister {
    const struct ets_inspection *inspection;
    const struct ets_chosen_runs *runs;
    struct ets_places *places;
    double *per_run; /* [run of the block] scratch */
};

static bool describe(const struct lister *l, uint32_t index, uint32_t depth,
                     struct ets_operator_line *line)
{
    const struct ets_row *row = ets_inspection_row(l->inspection, index);
    *line = (struct ets_operator_line){
        .name = ets_row_operator(row),
        .row = index,
        .parent = ETS_NO_INDEX,
        .depth = depth,
        .calls_per_run = row->calls_per_run,
        .error = ets_row_clock_error(row),
        .resolution = (double)row->quantum_ticks,
        .has_own_clock = ets_row_is_untimed(row) != 0,
        .is_estimate = ets_row_is_estimate(row) != 0,
    };
    ets_inspection_row_ticks(l->inspection, index, ETS_NO_INDEX, l->per_run);
    ets_chosen_runs_summarise(l->runs, l->per_run, &line->times);
    return ets_places_of_row(l->places, row, &line->lines, &line->modules);
}

/* Children of each row as linked lists in order of execution. */
struct nesting {
    uint32_t *first_child, *next_sibling; /* [row of the block] */
    uint32_t *stack;
};

static bool nest(struct ets_arena *arena, const struct ets_inspection *inspection, uint32_t block,
                 struct nesting *nesting, uint32_t *roots_out)
{
    const struct ets_block *b = ets_inspection_block(inspection, block);
    const size_t bytes = sizeof(uint32_t);
    nesting->first_child = ets_arena_alloc_array(arena, b->row_count, bytes);
    nesting->next_sibling = ets_arena_alloc_array(arena, b->row_count, bytes);
    nesting->stack = ets_arena_alloc_array(arena, (size_t)b->row_count + 1, bytes);
    if (nesting->first_child == NULL || nesting->next_sibling == NULL || nesting->stack == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < b->row_count; i++) nesting->first_child[i] = ETS_NO_INDEX;
    uint32_t roots = ETS_NO_INDEX;
    for (uint32_t i = b->row_count; i-- > 0;) { /* backwards, so that lists come out in order */
        const uint32_t parent = ets_inspection_row(inspection, b->first_row + i)->parent;
        uint32_t *head =
            parent == ETS_NO_INDEX ? &roots : &nesting->first_child[parent - b->first_row];
        nesting->next_sibling[i] = *head;
        *head = i;
    }
    *roots_out = roots;
    return true;
}

bool ets_operator_lines_by_row(struct ets_arena *arena, const struct ets_inspection *inspection,
                               const struct ets_operator_options *options,
                               const struct ets_chosen_runs *runs, uint32_t block,
                               struct ets_operator_lines *lines_out)
{
    const struct ets_block *b = ets_inspection_block(inspection, block);
    struct nesting nesting;
    uint32_t roots;
    uint32_t *depth = ets_arena_alloc_array(arena, b->row_count, sizeof *depth);
    lines_out->items = ets_arena_alloc_array(arena, b->row_count, sizeof *lines_out->items);
    *lines_out = (struct ets_operator_lines){.items = lines_out->items};
    lines_out->places = ets_places_new(arena);
    const struct lister l = {
        .inspection = inspection,
        .runs = runs,
        .places = lines_out->places,
        .per_run = ets_arena_alloc_array(arena, b->run_count, sizeof *l.per_run)};
    if (depth == NULL || l.places == NULL || l.per_run == NULL || lines_out->items == NULL ||
        !nest(arena, inspection, block, &nesting, &roots)) {
        return false;
    }
    uint32_t at = roots, used = 0;
    while (at != ETS_NO_INDEX || used > 0) {
        if (at == ETS_NO_INDEX) {
            at = nesting.stack[--used];
            continue;
        }
        const uint32_t row = b->first_row + at;
        const bool is_shown = ets_operator_row_is_shown(inspection, options->all_events, row) &&
                              ets_row_filter_matches(&options->filter, inspection, row);
        if (is_shown) {
            struct ets_operator_line *line = &lines_out->items[lines_out->count];
            if (!describe(&l, row, depth[at], line)) return false;
            if (options->costs != NULL) line->cost = options->costs->rows[row];
            if (options->headroom != NULL) line->saved = options->headroom->rows[at].saved;
            line->order = lines_out->count++;
        }
        for (uint32_t c = nesting.first_child[at]; c != ETS_NO_INDEX; c = nesting.next_sibling[c]) {
            depth[c] = depth[at] + (is_shown ? 1 : 0);
        }
        nesting.stack[used++] = nesting.next_sibling[at];
        at = nesting.first_child[at];
    }
    return true;
}
