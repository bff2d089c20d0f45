#include <string.h>

#include "base/error.h"
#include "base/strings.h"
#include "base/text.h"
#include "export/operator_lines.h"

/* Rows of one key. */
struct group {
    struct ets_operator_line line;
    uint32_t first_row, last_row; /* ends of a linked list */
};

struct grouper {
    struct ets_arena *arena;
    const struct ets_inspection *inspection;
    const struct ets_operator_table_options *options;
    const struct ets_block *block;
    struct ets_strings keys;
    struct group *groups;       /* [key number] */
    uint32_t *next_row;         /* [row of the block] */
    uint8_t *taken_apart;       /* [row of the block] 1: a call that its events stand for */
    double *per_run;            /* [run of the block] scratch */
    const uint32_t *run_number; /* [run] number within its block */
};

/*
 * Delegate calls whose own events stand for them: by operator all that reported any; by source and
 * module those of which it is known what each event stands for.
 */
static void find_taken_apart(struct grouper *g)
{
    enum { NOTHING, APART, WHOLE };
    const enum ets_group_by group_by = g->options->group_by;
    if (group_by == ETS_GROUP_BACKEND) return;
    for (uint32_t i = 0; i < g->block->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(g->inspection, g->block->first_row + i);
        if (!row->is_delegated || row->parent == ETS_NO_INDEX) continue;
        uint8_t *call = &g->taken_apart[row->parent - g->block->first_row];
        const bool is_known = row->tie != ETS_TIE_NONE && row->tie != ETS_TIE_CALL;
        if (row->clock != NULL) *call = WHOLE; /* its events do not add up to a part of it */
        else if (group_by != ETS_GROUP_OP && !is_known) *call = WHOLE;
        else if (*call == NOTHING) *call = APART;
    }
    for (uint32_t i = 0; i < g->block->row_count; i++) {
        g->taken_apart[i] = g->taken_apart[i] == APART;
    }
}

static bool is_taken_apart(const struct grouper *g, uint32_t index)
{
    return index != ETS_NO_INDEX && g->taken_apart[index - g->block->first_row] != 0 &&
           ets_text_is(ets_inspection_row(g->inspection, index)->name, "DELEGATE_CALL");
}

/*
 * Time that is counted once: kernels, calls without a kernel event of their own, and delegate
 * calls. Of a call that is taken apart the delegate's own events count, and what they leave over.
 */
static bool is_work(const struct grouper *g, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(g->inspection, index);
    if (row->is_delegated) {
        const bool is_loose = g->options->group_by == ETS_GROUP_OP && row->parent == ETS_NO_INDEX;
        return row->chain != -1 && (is_loose || is_taken_apart(g, row->parent));
    }
    if (row->chain == -1 || ets_text_is(row->name, "Method::step")) return false;
    struct ets_operator_table_options hidden = *g->options;
    hidden.all_events = 0;
    if (!ets_operator_row_is_shown(g->inspection, &hidden, index)) return false;
    const uint32_t parent = row->parent;
    /* An event inside a delegate call that is not the delegate's own counts with the call. */
    return parent == ETS_NO_INDEX ||
           !ets_text_is(ets_inspection_row(g->inspection, parent)->name, "DELEGATE_CALL");
}

/* "Convolution (NHWC, F32) IGEMM" of "Convolution (NHWC, F32) IGEMM #3". */
static struct ets_text without_number(struct ets_text name)
{
    size_t size = name.size;
    while (size > 0 && name.data[size - 1] >= '0' && name.data[size - 1] <= '9') size--;
    if (size < 3 || size == name.size || name.data[size - 1] != '#' || name.data[size - 2] != ' ') {
        return name;
    }
    return (struct ets_text){name.data, size - 2};
}

/* "blocks.py:35, blocks.py:53": rows of several lines or modules are a group of their own. */
static bool join(struct ets_arena *arena, const struct ets_text_list *list, struct ets_text *out)
{
    *out = (struct ets_text){"(not in the record)", 19};
    if (list->count == 0) return true;
    size_t room = 1, used = 0;
    for (size_t i = 0; i < list->count; i++) room += list->items[i].size + 2;
    char *text = ets_arena_alloc(arena, room);
    if (text == NULL) return false;
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0) memcpy(text + used, ", ", 2);
        used += i > 0 ? 2 : 0;
        if (list->items[i].size > 0) memcpy(text + used, list->items[i].data, list->items[i].size);
        used += list->items[i].size;
    }
    *out = (struct ets_text){text, used};
    return true;
}

static bool key_of(const struct grouper *g, const struct ets_row *row, struct ets_text *key_out,
                   struct ets_text_list *places_out)
{
    struct ets_text_list other;
    *places_out = (struct ets_text_list){NULL, 0};
    switch (g->options->group_by) {
    case ETS_GROUP_MODULE:
        return ets_operator_row_places(g->arena, row, &other, places_out) &&
               join(g->arena, places_out, key_out);
    case ETS_GROUP_SOURCE:
        return ets_operator_row_places(g->arena, row, places_out, &other) &&
               join(g->arena, places_out, key_out);
    case ETS_GROUP_BACKEND:
        if (row->backend != NULL) *key_out = (struct ets_text){row->backend, strlen(row->backend)};
        else if (ets_text_is(row->name, "DELEGATE_CALL"))
            *key_out = (struct ets_text){"delegate", 8};
        else *key_out = (struct ets_text){"portable", 8};
        return true;
    default: break;
    }
    *key_out = without_number(ets_operator_row_name(row));
    return true;
}

/* What a delegate call took beyond the operators that it reported. */
static bool name_rest(const struct grouper *g, const struct ets_row *row, struct ets_text *key_out)
{
    const char *backend = row->backend != NULL ? row->backend : "delegate";
    const size_t room = strlen(backend) + 32;
    char *name = ets_arena_alloc(g->arena, room);
    if (name == NULL) return false;
    *key_out = (struct ets_text){name, ets_print_text(name, room, "(%s, not reported)", backend)};
    return true;
}

static bool add_row(struct grouper *g, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(g->inspection, index);
    const bool is_rest = is_taken_apart(g, index);
    struct ets_text key;
    struct ets_text_list places = {NULL, 0};
    if (is_rest ? !name_rest(g, row, &key) : !key_of(g, row, &key, &places)) return false;
    const uint32_t known = g->keys.count;
    const uint32_t number = ets_strings_add(&g->keys, key);
    if (number == UINT32_MAX) return false;
    struct group *group = &g->groups[number];
    const uint32_t local = index - g->block->first_row;
    g->next_row[local] = ETS_NO_INDEX;
    if (number == known) {
        *group = (struct group){.first_row = local, .last_row = local};
        group->line = (struct ets_operator_line){.name = key,
                                                 .row = ETS_NO_INDEX,
                                                 .order = number,
                                                 .places = places,
                                                 .is_rest = is_rest};
    } else {
        g->next_row[group->last_row] = local;
        group->last_row = local;
    }
    if (!is_rest) group->line.calls_per_run += row->calls_per_run;
    if (row->quantum_ticks > 0) {
        group->line.quantum_ns = (double)row->quantum_ticks;
        group->line.coarse_calls += row->calls_per_run;
    }
    return true;
}

/* Adds `sign` times the row's ticks to each run's sum. */
static void accumulate(const struct grouper *g, uint32_t index, double sign)
{
    const uint32_t *events;
    uint32_t count;
    ets_inspection_row_events(g->inspection, index, &events, &count);
    const struct ets_event_table *table = ets_inspection_events(g->inspection);
    for (uint32_t i = 0; i < count; i++) {
        g->per_run[g->run_number[table->run[events[i]]]] +=
            sign * (double)ets_inspection_ticks(g->inspection, events[i]);
    }
}

/* Takes a call's own operators off its time; their steps make the rest uncertain downwards. */
static void take_off_reported(const struct grouper *g, uint32_t call, struct group *group)
{
    for (uint32_t i = call; i-- > g->block->first_row;) {
        const struct ets_row *inner = ets_inspection_row(g->inspection, i);
        if (inner->parent != call) break;
        if (!inner->is_delegated) continue;
        accumulate(g, i, -1);
        if (inner->quantum_ticks == 0) continue;
        group->line.quantum_ns = -(double)inner->quantum_ticks;
        group->line.coarse_calls += inner->calls_per_run;
    }
}

static void clear(const struct grouper *g)
{
    memset(g->per_run, 0, g->block->run_count * sizeof *g->per_run);
}

static void summarise(const struct grouper *g, struct ets_operator_line *line)
{
    const uint32_t run = g->options->run;
    const bool is_one = run != ETS_NO_INDEX;
    double *values = is_one ? &g->per_run[g->run_number[run]] : g->per_run;
    const uint32_t count = is_one ? 1 : g->block->run_count;
    ets_statistics_compute(values, count, &line->times);
    ets_spread_compute(values, count, &line->spread);
}

/* What the total is longer than all work together: the runtime between operators. */
static void add_rest(struct grouper *g, uint32_t total, struct ets_operator_lines *lines)
{
    clear(g);
    accumulate(g, total, 1);
    for (uint32_t i = 0; i < g->block->row_count; i++) {
        const uint32_t row = g->block->first_row + i;
        if (is_work(g, row) && !ets_inspection_row(g->inspection, row)->is_delegated) {
            accumulate(g, row, -1);
        }
    }
    struct ets_operator_line *line = &lines->items[lines->count];
    *line = (struct ets_operator_line){
        .name = {"(between operators)", 19}, .row = ETS_NO_INDEX, .order = lines->count};
    summarise(g, line);
    lines->count++;
}

static bool allocate(struct grouper *g)
{
    struct ets_arena *arena = g->arena;
    const size_t rows = g->block->row_count;
    g->groups = ets_arena_alloc_array(arena, rows + 2, sizeof *g->groups);
    g->next_row = ets_arena_alloc_array(arena, rows, sizeof *g->next_row);
    g->per_run = ets_arena_alloc_array(arena, g->block->run_count, sizeof *g->per_run);
    g->taken_apart = ets_arena_alloc_array(arena, rows, sizeof *g->taken_apart);
    return g->groups != NULL && g->next_row != NULL && g->per_run != NULL &&
           g->taken_apart != NULL && ets_strings_init(&g->keys, arena) == 0;
}

bool ets_operator_lines_by_group(struct ets_arena *arena, const struct ets_inspection *inspection,
                                 const struct ets_operator_table_options *options,
                                 const uint32_t *run_number, uint32_t block,
                                 struct ets_operator_lines *lines_out)
{
    struct grouper g = {.arena = arena,
                        .inspection = inspection,
                        .options = options,
                        .block = ets_inspection_block(inspection, block),
                        .run_number = run_number};
    lines_out->count = 0;
    if (g.block->row_count == 0) return true;
    lines_out->items =
        ets_arena_alloc_array(arena, (size_t)g.block->row_count + 1, sizeof *lines_out->items);
    if (lines_out->items == NULL || !allocate(&g)) return false;
    find_taken_apart(&g);
    for (uint32_t i = 0; i < g.block->row_count; i++) {
        const uint32_t row = g.block->first_row + i;
        if (is_work(&g, row) && !add_row(&g, row)) return false;
    }
    for (uint32_t number = 1; number < g.keys.count; number++) {
        clear(&g);
        struct group *group = &g.groups[number];
        for (uint32_t i = group->first_row; i != ETS_NO_INDEX; i = g.next_row[i]) {
            accumulate(&g, g.block->first_row + i, 1);
            if (group->line.is_rest) take_off_reported(&g, g.block->first_row + i, group);
        }
        summarise(&g, &group->line);
        lines_out->items[lines_out->count++] = group->line;
    }
    const uint32_t total = ets_inspection_total_row(inspection, block);
    if (total != ETS_NO_INDEX) add_rest(&g, total, lines_out);
    return true;
}
